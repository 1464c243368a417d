//! What a person sees when the backend fails, fault by fault. With `--nocapture` it prints the table.

use crate::stage::{Stage, bridge, hub_in, is_at_rest, quick};
use crate::tab::Tab;
use futures_util::future::{FutureExt, LocalBoxFuture, join_all};
use handrail::backend::LineState;
use handrail::backend::rehearsal::{Fault, Memory, Options, Rehearsal, RestFault};
use handrail::hub::Hub;
use serde_json::json;
use std::fmt::Write;
use tempfile::TempDir;

/// A fault, and what a person sees of it.
type Seen = (&'static str, String);

fn rest(kind: RestFault, path: &str) -> Fault {
    Fault::Rest {
        kind,
        path: path.to_owned(),
        times: 0,
    }
}

/// What the list says when the backend fails from the first moment on.
async fn list(
    fault: &'static str,
    options: Options,
    key: Option<&str>,
    inject: Option<Fault>,
) -> Seen {
    let rehearsal = Rehearsal::start(options).await.expect("a free port");
    if let Some(inject) = inject {
        rehearsal.faults().inject(&inject);
    }
    let folder = TempDir::new().expect("a temporary folder");
    let hub = hub_in(folder.path(), bridge(rehearsal.addr(), key)).await;
    (fault, trouble(&hub).await)
}

/// What the list says; at once if the backend has answered, else when it has.
async fn trouble(hub: &Hub) -> String {
    crate::stage::soon("the backend was asked", async || {
        hub.list("").await.expect("the journal is healthy").trouble
    })
    .await
}

/// What is said when a conversation is to be made.
async fn making(fault: &'static str, inject: Fault) -> Seen {
    let stage = Stage::new().await;
    stage.rehearsal.faults().inject(&inject);
    let error = stage.hub.create("hello", "", "", "").await;
    (fault, error.expect_err("the backend fails").for_people().1)
}

/// What the line says after `fail` has happened to a conversation at rest.
async fn line(
    fault: &'static str,
    is_told: fn(&LineState) -> bool,
    fail: impl AsyncFn(&Stage, &mut Tab),
) -> Seen {
    let stage = Stage::new().await;
    let mut tab = stage.at_rest().await;
    fail(&stage, &mut tab).await;
    let session = tab.session(fault, |session| is_told(&session.line)).await;
    (fault, words(&session.line))
}

fn words(line: &LineState) -> String {
    match line {
        LineState::Reconnecting { why, .. } => format!("Reconnecting: {why}"),
        LineState::Refused { why, .. } => format!("Refused: {why}"),
        other => format!("{other:?}"),
    }
}

fn is_lost(line: &LineState) -> bool {
    matches!(line, LineState::Reconnecting { .. })
}

fn is_refused(line: &LineState) -> bool {
    matches!(line, LineState::Refused { .. })
}

/// After a restart of the backend: what is remembered, and what a person is told who goes on.
async fn restarted(fault: &'static str, memory: Memory) -> Seen {
    let stage = Stage::new().await;
    let mut tab = stage.begin("[[scenario:long:20]]").await;
    tab.session("the work is done", is_at_rest).await;
    let id = tab.conversation.clone();
    let before = tab.rows.len();
    stage.rehearsal.restart(memory);
    tab.session("it is seen to be stopped", |session| {
        session.runtime == handrail::backend::Runtime::Stopped
    })
    .await;
    let refused = stage.hub.say(&id, "m1", "hello?", vec![], vec![]).await;
    let told = refused.expect_err("it is stopped").for_people().1;
    stage.hub.start(&id).await.expect("it is there");
    tab.session("it is up again", is_at_rest).await;
    stage
        .hub
        .say(&id, "m2", "[[scenario:hello]] again", vec![], vec![])
        .await
        .expect("it is up");
    tab.session("the words are on the timeline", |session| {
        session.outbox.is_empty() && is_at_rest(session)
    })
    .await;
    tab.drain();
    let after = stage
        .hub
        .rows(&id, None, None, 10_000)
        .await
        .expect("it is healthy")
        .rows;
    assert_eq!(tab.in_order(), after, "{fault}");
    let again = after
        .iter()
        .filter(|row| {
            serde_json::to_string(row)
                .expect("plain data")
                .contains("hello]] again")
        })
        .count();
    (
        fault,
        format!(
            "{told} [{before} rows, then {}; the new words {again} times]",
            after.len()
        ),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fault_of_a_backend_is_told_in_a_sentence() {
    let keyed = |key: &str| Options {
        session_api_key: Some(key.to_owned()),
        ..quick()
    };
    let conversations = "/api/conversations";
    let cases: Vec<LocalBoxFuture<'_, Seen>> = vec![
        list("list: 429", quick(), None, Some(rest(RestFault::TooManyRequests, conversations))).boxed_local(),
        list("list: 500", quick(), None, Some(rest(RestFault::ServerError, conversations))).boxed_local(),
        list("list: HTML instead of JSON", quick(), None, Some(rest(RestFault::Html, conversations))).boxed_local(),
        list("list: no answer", quick(), None, Some(rest(RestFault::Hang, conversations))).boxed_local(),
        list("list: wrong key", keyed("right"), Some("wrong"), None).boxed_local(),
        list("list: no key", keyed("right"), None, None).boxed_local(),
        making("new conversation: 429", rest(RestFault::TooManyRequests, conversations)).boxed_local(),
        making("new conversation: 500", rest(RestFault::ServerError, conversations)).boxed_local(),
        making("new conversation: HTML", rest(RestFault::Html, conversations)).boxed_local(),
        making("new conversation: no answer", rest(RestFault::Hang, conversations)).boxed_local(),
        unset().boxed_local(),
        nobody().boxed_local(),
        line("line: network cut", is_lost, async |stage, _| stage.chaos.break_networking()).boxed_local(),
        line("line: backend gone", |line| matches!(line, LineState::Reconnecting { attempt: 2.., .. }), async |stage, _| {
            stage.chaos.break_networking();
        }).boxed_local(),
        line("line: socket dropped", is_lost, async |stage, _| stage.rehearsal.faults().inject(&Fault::DropSockets)).boxed_local(),
        line("line: refused", is_refused, async |stage, tab| {
            let body = json!({"message": "Settings not found", "data": {"msg_id": "CONFIGURATION$SETTINGS_NOT_FOUND"}});
            stage.rehearsal.faults().inject(&Fault::Refuse { body, times: 0 });
            stage.rehearsal.faults().inject(&Fault::DropSockets);
            tab.session("it is lost", |session| is_lost(&session.line)).await;
        }).boxed_local(),
        line("line: HTML instead of JSON", is_lost, async |stage, _| {
            stage.rehearsal.faults().inject(&rest(RestFault::Html, ""));
            stage.rehearsal.faults().inject(&Fault::DropSockets);
        }).boxed_local(),
        line("line: garbage frame", |line| *line != LineState::Connecting, garbage).boxed_local(),
        line("line: huge event (5 MB)", |line| *line == LineState::Live, huge).boxed_local(),
        restarted("restart, everything kept", Memory::All).boxed_local(),
        restarted("restart with fewer events", Memory::First(10)).boxed_local(),
        restarted("restart with other ids", Memory::Renumbered(10_000)).boxed_local(),
    ];
    let mut table = String::from("\n| fault | what the person sees |\n|---|---|\n");
    for (fault, seen) in join_all(cases).await {
        writeln!(table, "| {fault} | {seen} |").expect("a text grows");
    }
    eprintln!("{table}");
}

/// Nobody is there at all.
async fn nobody() -> Seen {
    let folder = TempDir::new().expect("a temporary folder");
    let nowhere = "127.0.0.1:9".parse().expect("an address");
    let hub = hub_in(folder.path(), bridge(nowhere, None)).await;
    ("list: nobody there", trouble(&hub).await)
}

/// It was never set up.
async fn unset() -> Seen {
    let options = Options {
        settings_stored: false,
        ..quick()
    };
    let stage = Stage::with(options, None).await;
    let error = stage.hub.create("hello", "", "", "").await;
    (
        "new conversation: not set up",
        error.expect_err("no model").for_people().1,
    )
}

/// A text frame that is no packet; then the agent works on.
async fn garbage(stage: &Stage, tab: &mut Tab) {
    stage
        .rehearsal
        .faults()
        .inject(&Fault::GarbageFrame { frame: None });
    works_on(stage, tab).await;
}

/// More than a packet of Socket.IO may hold.
async fn huge(stage: &Stage, tab: &mut Tab) {
    stage
        .rehearsal
        .faults()
        .inject(&Fault::HugeEvent { bytes: 5 << 20 });
    works_on(stage, tab).await;
    let shown = tab.in_order();
    let notice = |row: &handrail::render::RowView| {
        serde_json::to_string(row)
            .expect("plain data")
            .contains("xxxxxxxx")
    };
    assert!(
        shown.iter().any(notice),
        "the huge event is on the page, cut"
    );
}

/// The agent hears what is said, and its answer comes.
async fn works_on(stage: &Stage, tab: &mut Tab) {
    let id = tab.conversation.clone();
    let rows = tab.rows.len();
    let said = stage
        .hub
        .say(&id, "on", "[[scenario:hello]]", vec![], vec![])
        .await;
    said.expect("it is taken");
    tab.until("the agent has answered", |tab| tab.rows.len() >= rows + 2)
        .await;
    tab.session("all is well", is_at_rest).await;
}
