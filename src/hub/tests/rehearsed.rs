//! The whole chain against the embedded rehearsal: Socket.IO, REST, journal, hub.

use super::*;
use crate::backend::rehearsal::{Fault, Options, Rehearsal};
use crate::backend::{Connection, NewConversation, openhands::OpenHands};
use crate::conversation::{Remedy, Status};
use crate::live::{Decision, Secrets, Steering};
use crate::wire::v0::BackendSettings;

struct Stage(Arc<dyn Backend>);

impl Backends for Stage {
    fn fixed(&self) -> Vec<Target> {
        vec![Target::rehearsal()]
    }
    fn connect(&self, _target: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>> {
        std::future::ready(Ok(Arc::clone(&self.0))).boxed()
    }
}

async fn stage() -> (Rehearsal, Arc<dyn Backend>) {
    let options = Options {
        pace: Duration::ZERO,
        rate_limit: false,
        ..Options::default()
    };
    let rehearsal = Rehearsal::start(options).await.expect("a free port");
    let settings = BackendSettings {
        backend_host: "127.0.0.1".to_owned(),
        backend_port: rehearsal.addr().port(),
        ..BackendSettings::default()
    };
    let connection = Connection::of(&settings).expect("it is an address");
    let bridge = OpenHands::new(connection).expect("it is an address");
    (rehearsal, Arc::new(bridge))
}

async fn hub(backend: &Arc<dyn Backend>) -> (Hub, TempDir) {
    let folder = TempDir::new().expect("a temporary folder");
    let journal = journal_in(folder.path()).await;
    let hub = Hub::new(journal, Stage(Arc::clone(backend)), "/", Duration::ZERO).await;
    (hub.expect("a healthy journal"), folder)
}

/// Waits until the session state fulfils a condition, as a watching user.
async fn until(hub: &Hub, id: &str, is_so: impl Fn(&SessionView) -> bool) -> SessionView {
    let handle = hub.backends.actors.handle(id).await.expect("it is there");
    let _watching = handle.watching.clone();
    let mut session = handle.session.clone();
    let waiting = session.wait_for(|session| is_so(session));
    match tokio::time::timeout(Duration::from_secs(60), waiting).await {
        Ok(session) => (**session.expect("the handle stays open")).clone(),
        Err(_) => panic!("it never came to be so: {:#?}", **handle.session.borrow()),
    }
}

async fn create(hub: &Hub, message: &str) -> String {
    let created = hub
        .commands
        .create(me(), "", NewConversation::saying(message));
    created.await.expect("it is made")
}

fn is_over(session: &SessionView) -> bool {
    matches!(
        session.status,
        Status::Finished | Status::AwaitingInput | Status::Error | Status::Stopped
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_that_asks_is_answered_once_and_the_work_is_done() {
    let (_rehearsal, backend) = stage().await;
    let (hub, _folder) = hub(&backend).await;
    let id = create(&hub, "[[scenario:confirm]]").await;
    let mut answered: Vec<String> = Vec::new();
    loop {
        let session = until(&hub, &id, |session| {
            let asks = session
                .approval
                .as_ref()
                .is_some_and(|one| !one.answering && !answered.contains(&one.token));
            asks || (!answered.is_empty() && is_over(session))
        })
        .await;
        let Some(approval) = session.approval else {
            break;
        };
        // What is carried out before the answer changes what is shown: then one looks again.
        match hub
            .commands
            .answer(me(), &id, &approval.token, Decision::Approve, "")
            .await
        {
            Ok(()) => answered.push(approval.token),
            Err(HubError::Superseded) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(
        answered.len(),
        5,
        "a command, a cell, an edit, a read and a page"
    );
    let whole = taken(
        hub.exports
            .markdown(&id, Secrets::Mask)
            .await
            .expect("healthy"),
    )
    .await
    .concat();
    assert!(whole.contains("confirm me"), "{whole}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_connections_repetitions_and_disorder_lose_and_double_nothing() {
    let (rehearsal, backend) = stage().await;
    let (hub, _folder) = hub(&backend).await;
    rehearsal.faults().inject(&Fault::Duplicate);
    rehearsal.faults().inject(&Fault::Reorder);
    let id = create(&hub, "[[scenario:long:300]]").await;
    let mut follower = hub.reader.follow(me(), &id, 0).await.expect("it is there");
    let mut tab = Tab::default();
    let mut lost = 0;
    loop {
        let frame = follower.next().await.expect("it stays open");
        assert_ne!(tab.take(&frame), Some(Verdict::Gap));
        if tab.rows.len() / 60 > lost {
            lost += 1;
            rehearsal.faults().inject(&Fault::DropSockets);
        }
        let frame: FromServer = serde_json::from_slice(&frame).expect("frames are JSON");
        let over = |session: &SessionView| {
            session.connection == ConnectionState::Live && is_over(session) && tab.rows.len() > 200
        };
        if frame.session().is_some_and(over) {
            break;
        }
    }
    let shown = hub
        .reader
        .rows(&id, None, None, 10_000)
        .await
        .expect("healthy")
        .rows;
    assert_eq!(tab.in_order(), shown.iter().map(text).collect::<Vec<_>>());
    // Somebody who comes much later and reads the stored history sees the same.
    hub.commands.stop(me(), &id).await.expect("it runs");
    let (later, _folder) = self::hub(&backend).await;
    later.reader.open(&id).await.expect("it is there");
    // A page is not kept waiting for the whole history; an export of what is here by then would be shorter.
    let mut backend_asked = later
        .backends
        .actors
        .handle(&id)
        .await
        .expect("it is there")
        .backend_asked
        .clone();
    let read = backend_asked.wait_for(|asked| *asked);
    let read = tokio::time::timeout(Duration::from_secs(60), read).await;
    assert!(matches!(read, Ok(Ok(_))), "the history is read");
    let texts = |text: String| {
        text.lines()
            .filter(|line| line.starts_with("###"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let before = texts(
        taken(
            hub.exports
                .markdown(&id, Secrets::Mask)
                .await
                .expect("healthy"),
        )
        .await
        .concat(),
    );
    assert_eq!(
        before,
        texts(
            taken(
                later
                    .exports
                    .markdown(&id, Secrets::Mask)
                    .await
                    .expect("healthy")
            )
            .await
            .concat()
        )
    );
    assert!(before.len() >= 100, "{}", before.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_is_stopped_and_talked_to_again() {
    let (_rehearsal, backend) = stage().await;
    let (hub, _folder) = hub(&backend).await;
    let id = create(&hub, "[[scenario:slow:60000]]").await;
    until(&hub, &id, |session| {
        session.status == Status::Running && session.connection == ConnectionState::Live
    })
    .await;
    hub.commands
        .steer(me(), &id, Steering::Stop)
        .await
        .expect("it runs");
    until(&hub, &id, |session| session.status == Status::Stopped).await;
    hub.commands
        .say(me(), &id, "m1", "[[scenario:hello]]", vec![], vec![])
        .await
        .expect("it is taken");
    until(&hub, &id, |session| {
        session.outbox.is_empty() && session.status != Status::Stopped
    })
    .await;
    until(&hub, &id, is_over).await;
    hub.commands.delete(me(), &id).await.expect("it is there");
    assert!(matches!(
        hub.reader.open(&id).await,
        Err(HubError::NotFound(_))
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_conversation_was_begun_with_is_said_by_a_runtime_that_came_up_later() {
    let (rehearsal, backend) = stage().await;
    let (hub, _folder) = hub(&backend).await;
    rehearsal.faults().inject(&Fault::NoRuntime { times: 1 });
    let id = create(&hub, "[[scenario:hello]]").await;
    let failed = until(&hub, &id, |session| {
        let remedy = session.notice.as_ref().and_then(|notice| notice.remedy);
        remedy == Some(Remedy::StartAgain)
    })
    .await;
    assert_eq!(failed.runtime, Runtime::Error, "it says that it starts");
    assert_eq!(failed.outbox[0].text, "[[scenario:hello]]");
    hub.commands
        .start(me(), &id)
        .await
        .expect("it is stopped before");
    let over = until(&hub, &id, |session| {
        session.outbox.is_empty() && is_over(session)
    })
    .await;
    assert_eq!(over.notice, None);
    let page = taken(
        hub.exports
            .markdown(&id, Secrets::Mask)
            .await
            .expect("healthy"),
    )
    .await
    .concat();
    assert_eq!(page.matches("[[scenario:hello]]").count(), 1, "{page}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_approval_that_nobody_looks_for_is_found_where_everything_is_followed() {
    let (_rehearsal, backend) = stage().await;
    let (hub, _folder) = hub(&backend).await;
    let label = Target::rehearsal().label();
    let chosen = hub.backends.follow_everything(me(), &label, true);
    chosen.await.expect("it is in use");
    let mut ids = Vec::new();
    for _ in 0..3 {
        let asks = NewConversation::saying("[[scenario:confirm]]");
        ids.push(backend.create(asks).await.expect("it is made"));
    }
    hub.backends.poll_list(&label).await;
    hub.backends.follow_what_waits().await;
    soon(|| (hub.list.waiting(me()) == 3).then_some(())).await;
    let handles = ids
        .iter()
        .filter(|id| hub.backends.actors.open_handle(id).is_some());
    assert_eq!(handles.count(), 3);
}
