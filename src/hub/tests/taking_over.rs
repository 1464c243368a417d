//! What a new task of a conversation makes of what the former one has left half done, and which tasks end.

use super::*;
use crate::backend::{ConversationInfo, NewConversation};
use crate::hub::message::ActorMessage;
use crate::live::{Decision, OutboxState};
use tokio::task::JoinHandle;

/// Two backends at the addresses that a user has saved.
struct Saved(Fake, Fake);

const FIRST: &str = "http://first:1";
const SECOND: &str = "http://second:2";

impl Backends for Saved {
    fn fixed(&self) -> Vec<Target> {
        Vec::new()
    }
    fn connect(&self, target: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>> {
        let fake = match &*target.address {
            SECOND => &self.1,
            _ => &self.0,
        };
        let backend: Arc<dyn Backend> = Arc::new(fake.clone());
        std::future::ready(Ok(backend)).boxed()
    }
}

/// A house whose first backend is saved, and a second backend that is not, with a conversation of its own.
async fn saved() -> (House, Fake) {
    let folder = TempDir::new().expect("a temporary folder");
    let (fake, second) = (Fake::new(Runtime::Running), Fake::new(Runtime::Running));
    second.only(ConversationInfo {
        id: "second".to_owned(),
        runtime: Runtime::Running,
        ..ConversationInfo::default()
    });
    let journal = journal_in(folder.path()).await;
    let targets = serde_json::to_string(&[Target::at(FIRST, None)]).expect("plain data");
    let kept = journal.keep_setting("backends", &targets).await;
    kept.expect("healthy");
    let backends = Saved(fake.clone(), second.clone());
    let hub = Hub::new(journal, backends, "/", Duration::ZERO).await;
    let hub = hub.expect("a healthy journal");
    let house = live(House { hub, fake, folder }).await;
    (house, second)
}

async fn save(hub: &Hub, address: &str, key: &str) {
    let saved = hub.backends.save(me(), "", false, address, key).await;
    saved.expect("it is kept");
}

/// An approval that is on its way, and stays so.
async fn answering(house: &House, token: String) -> JoinHandle<HubResult> {
    house.fake.obey(Obedience::Keeps);
    let hub = house.hub.clone();
    let answering = tokio::spawn(async move {
        let commands = &hub.commands;
        commands
            .answer(me(), ID, &token, Decision::Approve, "")
            .await
    });
    house.ordered(1).await;
    answering
}

async fn is_unknown_and_can_be_given_again(house: &House, answering: JoinHandle<HubResult>) {
    let told = answering.await.expect("it ends");
    assert!(matches!(told, Err(HubError::Indeterminate(_))), "{told:?}");
    let approval = house.until(|session| {
        let approval = session.approval.as_ref();
        approval.is_some_and(|approval| !approval.answering)
            && session.connection == ConnectionState::Live
    });
    let approval = approval.await.approval.expect("it waits");
    let caution = approval.caution.unwrap_or_default();
    assert!(caution.contains("may not have gone through"), "{caution}");
    house.fake.obey(Obedience::Obeys);
    let again = house.answer(&approval.token, Decision::Approve).await;
    again.expect("it still waits");
    assert_eq!(house.fake.orders().len(), 2);
}

/// Two messages, of which the first one is on its way and stays so.
async fn two_messages(house: &House) {
    house.fake.obey(Obedience::Keeps);
    let say = |id, text| house.say(id, text);
    say("m1", "go").await.expect("it is taken");
    house.ordered(1).await;
    say("m2", "on").await.expect("it is taken");
    house.fake.obey(Obedience::Obeys);
}

/// Only the first message is left; a person sends it `again` or discards it.
async fn first_is_unknown_until_resolved(house: &House, again: bool) {
    let session = house.until(|session| session.outbox.len() == 1).await;
    let left = &session.outbox[0];
    assert_eq!(
        (&*left.client_id, left.state),
        ("m1", OutboxState::Indeterminate)
    );
    let resolved = house.commands.resolve_failed(me(), ID, "m1", again).await;
    resolved.expect("a person may decide");
    house.until(|session| session.outbox.is_empty()).await;
}

#[tokio::test]
async fn a_backend_that_is_added_closes_no_conversation_of_another_one() {
    let (house, _second) = saved().await;
    let token = house.ask("make").await;
    let handle = house.handle().await;
    let answering = answering(&house, token).await;
    save(&house.hub, SECOND, "").await;
    assert!(!handle.inputs.is_closed());
    let list = house.catalogue.page(me(), "").await.expect("healthy");
    let one = list.conversations.iter().find(|one| one.id == ID);
    assert!(
        one.is_some_and(|one| one.needs_you()),
        "the list goes on, too"
    );
    house.fake.let_go();
    answering.await.expect("it ends").expect("it was taken");
}

#[tokio::test]
async fn an_answer_on_its_way_when_its_backend_is_changed_is_unknown_and_can_be_given_again() {
    let (house, _second) = saved().await;
    let token = house.ask("make").await;
    let answering = answering(&house, token).await;
    save(&house.hub, FIRST, "another key").await;
    is_unknown_and_can_be_given_again(&house, answering).await;
}

#[tokio::test(start_paused = true)]
async fn an_approval_that_was_taken_and_has_no_effect_after_a_restart_can_be_given_again() {
    let house = live_house().await;
    let token = house.ask("make").await;
    house.fake.obey(Obedience::Ignores);
    let answered = house.answer(&token, Decision::Approve).await;
    answered.expect("it is taken");
    let House { hub, fake, folder } = house;
    hub.shutdown().await;
    drop(hub);
    let hub = reopened(&fake, folder.path()).await;
    let house = House { hub, fake, folder };
    // Within the time in which it may still take effect, it is not asked again.
    let session = house.until(|session| session.approval.is_some()).await;
    assert!(session.approval.is_some_and(|one| one.answering));
    let token = house.asked().await;
    house.connected().await;
    let again = house.answer(&token, Decision::Approve).await;
    again.expect("it still waits");
    assert_eq!(house.fake.orders().len(), 2);
}

#[tokio::test]
async fn a_message_on_its_way_when_its_backend_is_changed_is_unknown_and_holds_up_nothing() {
    let (house, _second) = saved().await;
    two_messages(&house).await;
    save(&house.hub, FIRST, "another key").await;
    first_is_unknown_until_resolved(&house, false).await;
    let token = house.ask("make").await;
    let answered = house.answer(&token, Decision::Approve).await;
    answered.expect("no message holds it up");
}

/// Ends the task of the conversation by a panic.
async fn panic(house: &House) {
    let handle = house.handle().await;
    let sent = handle.inputs.send(ActorMessage::Panic).await;
    sent.expect("it runs");
    handle.inputs.closed().await;
}

#[tokio::test]
async fn an_answer_that_a_panic_interrupts_is_unknown_and_can_be_given_again() {
    let house = live_house().await;
    let token = house.ask("make").await;
    let answering = answering(&house, token).await;
    panic(&house).await;
    is_unknown_and_can_be_given_again(&house, answering).await;
}

#[tokio::test]
async fn a_message_that_a_panic_interrupts_is_unknown_and_holds_up_nothing() {
    let house = live_house().await;
    two_messages(&house).await;
    panic(&house).await;
    first_is_unknown_until_resolved(&house, true).await;
}

fn new(message: &str) -> NewConversation {
    NewConversation {
        message: message.to_owned(),
        ..NewConversation::default()
    }
}

#[tokio::test]
async fn a_conversation_that_is_being_created_is_met_with_its_creator_and_first_message() {
    let house = house(Runtime::Running).await;
    // The backend lists it, and its agent has begun, before it says which one it is.
    house.fake.only(ConversationInfo {
        id: "another".to_owned(),
        runtime: Runtime::Running,
        ..ConversationInfo::default()
    });
    house.catalogue.backends.polled_once().await;
    house.fake.shut("create");
    let hub = house.hub.clone();
    let creating = tokio::spawn(async move { hub.commands.create(me(), "", new("begin")).await });
    soon(|| (house.fake.waiting_at("create") > 0).then_some(())).await;
    house.fake.add(ConversationInfo {
        id: ID.to_owned(),
        runtime: Runtime::Running,
        updated_at: 7,
        status: Some(crate::conversation::Status::Running),
        ..ConversationInfo::default()
    });
    house.fake.emit([says(0, "begin")]);
    let label = Target::rehearsal().label();
    house.backends.poll_list(&label).await;
    assert!(house.backends.actors.open_handle(ID).is_none());
    assert!(!house.sharings.sees(me(), ID));
    let (hub, found) = (house.hub.clone(), house.hub.clone());
    let finding = tokio::spawn(async move { found.catalogue.find_role(me(), ID).await });
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!finding.is_finished(), "who has its address waits");
    house.fake.unshut("create");
    creating.await.expect("it ends").expect("it is created");
    assert!(
        finding
            .await
            .expect("it ends")
            .is_ok_and(|role| role.is_some())
    );
    house.until(|session| session.outbox.is_empty()).await;
    assert_eq!(hub.catalogue.journal.outbox(ID).await.expect("healthy"), []);
    assert_eq!(house.rows().await.len(), 1, "it stands there once");
    assert!(house.fake.orders().is_empty());
}

#[tokio::test]
async fn a_first_message_that_was_left_behind_though_it_is_on_the_timeline_is_not_sent_again() {
    let house = live_house().await;
    house.fake.has_sandboxes();
    let handle = house.handle().await;
    // As earlier versions have left it.
    let opening = crate::journal::Outgoing::opening("hello", Vec::new(), "");
    let taken = house.catalogue.journal.take_message(ID, opening).await;
    assert!(taken.expect("healthy"));
    house.backends.actors.close(|_| true).await;
    handle.inputs.closed().await;
    house.until(|session| session.outbox.is_empty()).await;
    house
        .commands
        .stop(me(), ID)
        .await
        .expect("it can be stopped");
    house
        .until(|session| session.runtime == Runtime::Stopped)
        .await;
    house
        .commands
        .start(me(), ID)
        .await
        .expect("it can be started");
    house.connected().await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(house.fake.orders().is_empty());
}
