//! Connections: one per conversation, only while it is of use, and never one that wakes anything.

use super::*;
use crate::backend::{Command, ConversationInfo, NewConversation};
use crate::conversation::Status;
use crate::journal::ConversationMeta;
use crate::live::Steering;
use tokio::sync::Notify;

#[tokio::test]
async fn a_stopped_conversation_is_read_without_a_connection() {
    let house = house(Runtime::Stopped).await;
    house.fake.emit(talk(40));
    let seen = house.reader.open(ID).await.expect("it is there");
    assert_eq!(seen.seq, 40);
    assert_eq!(seen.session.connection, ConnectionState::Idle);
    let _follower = house
        .reader
        .follow(me(), ID, seen.seq)
        .await
        .expect("it is there");
    house.commands.retry(ID).await.expect("it is there");
    house
        .until(|session| session.runtime == Runtime::Stopped)
        .await;
    assert_eq!(house.fake.connections(), (0, 0));
}

#[tokio::test]
async fn however_many_watch_there_is_one_connection() {
    let house = live_house().await;
    let mut followers = Vec::new();
    for _ in 0..50 {
        followers.push(house.reader.follow(me(), ID, 0).await.expect("it is there"));
    }
    house.fake.emit([says(2, "more")]);
    for follower in &mut followers {
        assert!(Tab::default().read_up_to(3, follower).await);
    }
    assert_eq!(house.fake.connections(), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_nobody_needs_is_let_go_and_taken_again() {
    let house = live_house().await;
    soon(|| (house.fake.connections().1 == 0).then_some(())).await;
    house.fake.emit([says(2, "while nobody watched")]);
    let mut follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
    assert!(Tab::default().read_up_to(3, &mut follower).await);
    assert_eq!(house.fake.connections(), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_click_on_a_page_that_follows_nothing_takes_the_connection_again() {
    let house = live_house().await;
    soon(|| (house.fake.connections().1 == 0).then_some(())).await;
    house
        .steer(Steering::Pause)
        .await
        .expect("the connection is taken");
    assert_eq!(house.fake.orders(), [Command::Pause]);
}

#[tokio::test(start_paused = true)]
async fn an_agent_at_work_keeps_its_connection() {
    let house = live_house().await;
    house.fake.emit([state(2, "running")]);
    house
        .until(|session| session.status == Status::Running)
        .await;
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(house.fake.connections(), (1, 1));
    house.fake.emit([state(3, "finished")]);
    soon(|| (house.fake.connections().1 == 0).then_some(())).await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_to_what_was_stopped_meanwhile_is_let_go() {
    let house = live_house().await;
    let _follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
    house.fake.runtime_is(Runtime::Stopped);
    house.fake.loses_connection();
    house
        .until(|session| {
            session.runtime == Runtime::Stopped && session.connection == ConnectionState::Idle
        })
        .await;
    house.fake.connection_is(ConnectionState::Live);
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(house.fake.connections(), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_starting_runtime_is_waited_for() {
    let house = house(Runtime::Starting).await;
    let id = house
        .commands
        .create(me(), "", NewConversation::saying("hello"))
        .await
        .expect("it is made");
    assert_eq!(id, ID);
    house.fake.runtime_is(Runtime::Running);
    let session = house
        .until(|session| session.runtime == Runtime::Running)
        .await;
    assert_eq!(session.approval, None);
    house.connected().await;
}

#[tokio::test(start_paused = true)]
async fn a_backend_that_is_away_is_a_state_and_not_an_error() {
    let house = live_house().await;
    house.hub.shutdown().await;
    let folder = TempDir::new().expect("a temporary folder");
    let journal = journal_in(folder.path()).await;
    house.fake.reachable(false);
    let hub = Hub::new(journal, One(house.fake.clone()), "/", Duration::ZERO)
        .await
        .expect("the backend need not be there");
    let list = hub
        .catalogue
        .page(me(), "")
        .await
        .expect("the list is what we remember");
    assert!(
        list.backends[0]
            .trouble
            .as_ref()
            .expect("it is said")
            .contains("cannot be reached")
    );
    assert!(matches!(
        hub.reader.open(ID).await,
        Err(HubError::Backend(_))
    ));
    house.fake.reachable(true);
    let mut follower = hub.reader.follow(me(), ID, 0).await.expect("it is back");
    assert!(Tab::default().read_up_to(1, &mut follower).await);
}

#[tokio::test]
async fn the_list_holds_what_the_backend_has_and_those_that_need_a_person_first() {
    let house = live_house().await;
    let other = ConversationInfo {
        id: "other".to_owned(),
        title: "Newer".to_owned(),
        updated_at: i64::MAX,
        ..Default::default()
    };
    house.fake.add(other);
    house.backends.poll_list("").await;
    house
        .fake
        .emit([state(2, "awaiting_user_confirmation"), asks(3, "make")]);
    house.until(|session| session.approval.is_some()).await;
    let listed = loop {
        let list = house.catalogue.page(me(), "").await.expect("healthy");
        if list.conversations[0].waiting == 1 {
            break list.conversations;
        }
        tokio::task::yield_now().await;
    };
    let ids: Vec<&str> = listed.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, [ID, "other"]);
    assert_eq!(
        house
            .catalogue
            .page(me(), "newER")
            .await
            .expect("healthy")
            .conversations
            .len(),
        1
    );
}

#[tokio::test]
async fn another_backend_starts_a_fresh_list_and_breaks_off_what_was_followed() {
    let house = live_house().await;
    let mut follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
    house
        .backends
        .save(me(), "", false, "http://127.0.0.1:3000/", "key")
        .await
        .expect("it is kept");
    let mut verdicts = Vec::new();
    while let Some(frame) = follower.next().await {
        verdicts.extend(Tab::default().take(&frame));
    }
    assert_eq!(verdicts.last(), Some(&Verdict::Gap));
    let connections = house.backends.views().await.expect("healthy");
    let [connection] = &connections[..] else {
        panic!("the rehearsal went: {connections:?}");
    };
    assert!(connection.key_set && connection.address == "http://127.0.0.1:3000");
}

#[tokio::test]
async fn an_id_that_could_be_a_path_is_nobody() {
    let house = live_house().await;
    for id in ["", "../../x", "a b", "a/b", "ä", &"a".repeat(65)] {
        assert!(
            matches!(house.reader.open(id).await, Err(HubError::NotFound(_))),
            "{id}"
        );
    }
}

#[tokio::test]
async fn what_a_connection_has_left_out_is_read_from_the_history_when_it_ends() {
    let house = live_house().await;
    house.fake.leave_out(2);
    house
        .fake
        .emit([answers(2, "left out"), says(3, "seen at once")]);
    let mut follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
    assert!(Tab::default().read_up_to(3, &mut follower).await);
    assert_eq!(house.rows().await.len(), 2);
    house.fake.runtime_is(Runtime::Stopped);
    house.fake.loses_connection();
    assert!(Tab::default().read_up_to(4, &mut follower).await);
    assert_eq!(house.rows().await.len(), 3);
}

/// A backend that takes its time to say what it is.
struct Late(Fake, Arc<Notify>);

impl Backends for Late {
    fn fixed(&self) -> Vec<Target> {
        vec![Target::at("http://late:1", None)]
    }
    fn connect(&self, _target: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>> {
        let backend: Arc<dyn Backend> = Arc::new(self.0.clone());
        async move {
            self.1.notified().await;
            Ok(backend)
        }
        .boxed()
    }
}

#[tokio::test]
async fn a_page_that_is_quicker_than_the_backend_is_told_of_no_loss() {
    let folder = TempDir::new().expect("a temporary folder");
    let (fake, speaks) = (Fake::new(Runtime::Running), Arc::new(Notify::new()));
    let journal = journal_in(folder.path()).await;
    let conversation = ConversationMeta {
        id: ID.to_owned(),
        backend: Target::at("http://late:1", None).label(),
        runtime: "running".to_owned(),
        ..ConversationMeta::default()
    };
    journal.describe(vec![conversation]).await.expect("healthy");
    let late = Late(fake, Arc::clone(&speaks));
    let hub = Hub::new(journal, late, "/", Duration::ZERO)
        .await
        .expect("healthy");
    let handle = hub
        .backends
        .actors
        .handle(ID)
        .await
        .expect("the journal knows it");
    let _watching = Arc::clone(&handle.watching);
    let mut session = handle.session.clone();
    let asks = session.wait_for(|session| session.connection == ConnectionState::Connecting);
    asks.await.expect("the handle stays open");
    speaks.notify_waiters();
    loop {
        let connection = session.borrow_and_update().connection.clone();
        match connection {
            ConnectionState::Live => return,
            ConnectionState::Idle | ConnectionState::Connecting => {}
            other => panic!("{other:?}"),
        }
        session.changed().await.expect("the handle stays open");
    }
}
