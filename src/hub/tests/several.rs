//! Several backends in one list, and controls that wait for the running step.

use super::*;
use crate::backend::{Command, ConversationInfo};
use crate::live::Steering;

/// Two backends at two addresses.
struct Two(Fake, Fake);

const FIRST: &str = "http://first:1";
const SECOND: &str = "http://second:2";

impl Backends for Two {
    fn fixed(&self) -> Vec<Target> {
        vec![Target::at(FIRST, None), Target::at(SECOND, None)]
    }
    fn connect(&self, target: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>> {
        let fake = if target.address == FIRST {
            &self.0
        } else {
            &self.1
        };
        if !fake.is_reachable() {
            let away = BackendError::Unreachable("refused".to_owned());
            return std::future::ready(Err(away)).boxed();
        }
        let backend: Arc<dyn Backend> = Arc::new(fake.clone());
        std::future::ready(Ok(backend)).boxed()
    }
}

/// A hub over two backends, the second with a conversation of its own.
async fn two() -> (Hub, Fake, Fake, TempDir) {
    let folder = TempDir::new().expect("a temporary folder");
    let (first, second) = (Fake::new(Runtime::Running), Fake::new(Runtime::Running));
    second.only(ConversationInfo {
        id: "second".to_owned(),
        runtime: Runtime::Running,
        ..ConversationInfo::default()
    });
    let journal = journal_in(folder.path()).await;
    let hub = Hub::new(
        journal,
        Two(first.clone(), second.clone()),
        "/",
        Duration::ZERO,
    )
    .await;
    (hub.expect("a healthy journal"), first, second, folder)
}

#[tokio::test(start_paused = true)]
async fn conversations_of_all_backends_are_in_one_list_and_each_says_whose_it_is() {
    let (hub, _, _, _folder) = two().await;
    let list = hub.catalogue.page(me(), "").await.expect("healthy");
    let mut found: Vec<(String, String)> = list
        .conversations
        .into_iter()
        .map(|one| (one.id, one.backend))
        .collect();
    found.sort();
    let label = |address| Target::at(address, None).label();
    let expected = [
        (ID.to_owned(), label(FIRST)),
        ("second".to_owned(), label(SECOND)),
    ];
    assert_eq!(found, expected);
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_is_away_is_named_and_hides_no_other() {
    let (hub, first, _, _folder) = two().await;
    first.reachable(false);
    let list = hub.catalogue.page(me(), "").await.expect("healthy");
    let troubles: Vec<bool> = list
        .backends
        .iter()
        .map(|one| one.trouble.is_some())
        .collect();
    assert_eq!(troubles, [true, false]);
    assert!(list.conversations.iter().any(|one| one.id == "second"));
    assert!(matches!(
        hub.reader.open(ID).await,
        Err(HubError::Backend(_))
    ));
    first.reachable(true);
    hub.backends
        .poll_list(&Target::at(FIRST, None).label())
        .await;
    let list = hub.catalogue.page(me(), "").await.expect("healthy");
    assert!(list.backends.iter().all(|one| one.trouble.is_none()));
    assert!(hub.reader.open(ID).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn what_is_asked_of_a_conversation_goes_to_its_own_backend() {
    let (hub, first, second, _folder) = two().await;
    hub.catalogue.page(me(), "").await.expect("healthy");
    hub.commands
        .rename(me(), "second", "Another")
        .await
        .expect("it is there");
    assert_eq!(second.titles(), ["Another"]);
    assert_eq!(first.titles(), [""]);
    let label = Target::at(SECOND, None).label();
    let view = hub.reader.open("second").await.expect("it is there");
    assert_eq!(view.backend.label, label);
}

#[tokio::test(start_paused = true)]
async fn who_asks_to_pause_does_not_wait_for_the_running_step() {
    let house = live_house().await;
    house.fake.obey(Obedience::Keeps);
    house
        .steer(Steering::Pause)
        .await
        .expect("it is on its way");
    let says = |session: &SessionView| session.notice.as_ref().map(|notice| notice.text.clone());
    let session = house.until(|session| says(session).is_some()).await;
    assert_eq!(
        says(&session).as_deref(),
        Some("Pausing after the current step…")
    );
    house.fake.obey(Obedience::Ignores);
    house
        .steer(Steering::Stop)
        .await
        .expect("it overtakes what waits");
    assert_eq!(house.fake.orders(), [Command::Pause, Command::Stop]);
    house.fake.let_go();
    house.until(|session| says(session).is_none()).await;
}
