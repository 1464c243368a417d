//! What a person sees when the backend fails, fault by fault. With `--nocapture` it prints the table.

use crate::stage::{Stage, bridge, events_of, hub_in, is_at_rest, me, quick, soon};
use crate::tab::Tab;
use futures_util::future::{FutureExt, LocalBoxFuture, join_all};
use handrail::backend::rehearsal::{Fault, Memory, Options, Rehearsal, RestFault};
use handrail::backend::{LineState, NewConversation, Runtime};
use handrail::hub::Hub;
use handrail::render::RowView;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;
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
    soon("the backend was asked", async || {
        hub.list(me(), "")
            .await
            .expect("the journal is healthy")
            .backends
            .swap_remove(0)
            .trouble
    })
    .await
}

/// What is said when a conversation is to be made.
async fn making(fault: &'static str, inject: Fault) -> Seen {
    let stage = Stage::new().await;
    stage.rehearsal.faults().inject(&inject);
    let error = stage
        .hub
        .create(me(), "", NewConversation::saying("hello"))
        .await;
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

/// After a restart of the backend: what is told to a person who goes on, and what the page shows then.
async fn restarted(fault: &'static str, memory: Memory) -> Seen {
    let stage = Stage::new().await;
    let mut tab = stage.begin("[[scenario:long:20]]").await;
    tab.session("the work is done", is_at_rest).await;
    let id = tab.conversation.clone();
    let before = tab.rows.len();
    stage.rehearsal.restart(memory);
    tab.session("it is seen to be stopped", |session| {
        session.runtime == Runtime::Stopped
    })
    .await;
    let refused = stage
        .hub
        .say(me(), &id, "m1", "hello?", vec![], vec![])
        .await;
    let told = refused.expect_err("it is stopped").for_people().1;
    stage.hub.start(me(), &id).await.expect("it is there");
    tab.session("it is up again", |session| {
        session.runtime == Runtime::Running && session.line == LineState::Live
    })
    .await;
    let said = stage
        .hub
        .say(me(), &id, "m2", "Are you well?", vec![], vec![])
        .await;
    said.expect("it is up");
    let what = format!("{fault}: the backend has heard it");
    let (shown, _) = tokio::join!(
        tokio::time::timeout(
            Duration::from_secs(20),
            tab.until("the words are shown", |tab| tab.shows("Are you well?")),
        ),
        soon(&what, async || {
            let events = events_of(&stage.rehearsal, &id).await;
            let heard = |event: &Value| event["args"]["content"] == "Are you well?";
            events.iter().any(heard).then_some(())
        }),
    );
    let shown = match shown {
        Ok(()) => "The words that were said next are shown",
        Err(_) => "The words that were said next are NOT shown",
    };
    let often = match tab.rows.len() / before {
        1 => "once",
        _ => "twice",
    };
    let is_notice =
        |row: &&RowView| format!("{row:?}").contains("has lost part of this conversation");
    let loss = match tab.rows.values().filter(is_notice).count() {
        0 => "nothing is said of a loss",
        1 => "the loss is told",
        _ => "the loss is told again and again",
    };
    (
        fault,
        format!("{told} {shown}; the old rows are there {often}; {loss}."),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fault_of_a_backend_is_told_in_a_sentence() {
    let keyed = |key: &str| Options {
        session_api_key: Some(key.to_owned()),
        ..quick()
    };
    let all = "/api/conversations";
    let failing = |kind| Some(rest(kind, all));
    let refuses = async |stage: &Stage, _: &mut Tab| {
        let body = json!({"message": "Settings not found", "data": {"msg_id": "CONFIGURATION$SETTINGS_NOT_FOUND"}});
        stage
            .rehearsal
            .faults()
            .inject(&Fault::Refuse { body, times: 0 });
        stage.rehearsal.faults().inject(&Fault::DropSockets);
    };
    let cuts = async |stage: &Stage, _: &mut Tab| stage.chaos.break_networking();
    let drops =
        async |stage: &Stage, _: &mut Tab| stage.rehearsal.faults().inject(&Fault::DropSockets);
    let talks_html = async |stage: &Stage, tab: &mut Tab| {
        stage.rehearsal.faults().inject(&rest(RestFault::Html, ""));
        drops(stage, tab).await;
    };
    let cases: Vec<LocalBoxFuture<'_, Seen>> = vec![
        list(
            "list: 429",
            quick(),
            None,
            failing(RestFault::TooManyRequests),
        )
        .boxed_local(),
        list("list: 500", quick(), None, failing(RestFault::ServerError)).boxed_local(),
        list(
            "list: HTML instead of JSON",
            quick(),
            None,
            failing(RestFault::Html),
        )
        .boxed_local(),
        list("list: no answer", quick(), None, failing(RestFault::Hang)).boxed_local(),
        list("list: wrong key", keyed("right"), Some("wrong"), None).boxed_local(),
        list("list: no key", keyed("right"), None, None).boxed_local(),
        nobody().boxed_local(),
        making("new: 429", rest(RestFault::TooManyRequests, all)).boxed_local(),
        making("new: 500", rest(RestFault::ServerError, all)).boxed_local(),
        making("new: HTML", rest(RestFault::Html, all)).boxed_local(),
        making("new: no answer", rest(RestFault::Hang, all)).boxed_local(),
        unset().boxed_local(),
        line("line: cut", is_lost, cuts).boxed_local(),
        line("line: cut for longer", is_lost_again, cuts).boxed_local(),
        line("line: dropped by the backend", is_lost, drops).boxed_local(),
        line("line: refused", is_refused, refuses).boxed_local(),
        line("line: HTML instead of JSON", is_lost_again, talks_html).boxed_local(),
        line("line: garbage frame", is_live, garbage).boxed_local(),
        line("line: huge event (5 MB)", is_live, huge).boxed_local(),
        restarted("restart: all kept", Memory::All).boxed_local(),
        restarted("restart: fewer events", Memory::First(10)).boxed_local(),
        restarted("restart: other ids", Memory::Renumbered(10_000)).boxed_local(),
    ];
    let mut table = String::from("\n| fault | what the person sees |\n|---|---|\n");
    let seen = join_all(cases).await;
    for (fault, seen) in &seen {
        writeln!(table, "| {fault} | {seen} |").expect("a text grows");
    }
    eprintln!("{table}");
    for ((fault, seen), expected) in seen.iter().zip(SENTENCES) {
        // What the system says in between differs from time to time.
        match expected.strip_suffix('…') {
            Some(beginning) => assert!(seen.starts_with(beginning), "{fault}: {seen}"),
            None => assert_eq!(seen, expected, "{fault}"),
        }
    }
    assert_eq!(seen.len(), SENTENCES.len());
}

/// In the order of the cases; `…` stands for any end.
const SENTENCES: [&str; 22] = [
    "The backend is asked too often. Try again in a moment.",
    "The backend answered something unexpected: an internal error (500). Its own log may say more.",
    "The backend answered something unexpected: a web page (200), so this may not be the address of an OpenHands. Its own log may say more.",
    "The backend did not answer within 15 seconds. A running command can keep it busy; try again.",
    "The backend does not accept our key. Put the right one into the settings.",
    "The backend does not accept our key. Put the right one into the settings.",
    "The backend cannot be reached (Connection refused…",
    "The backend is asked too often. Try again in a moment.",
    "The backend answered something unexpected: an internal error (500). Its own log may say more.",
    "The backend answered something unexpected: a web page (200), so this may not be the address of an OpenHands. Its own log may say more.",
    "The backend did not answer within 60 seconds. A running command can keep it busy; try again.",
    "The backend is not set up yet: no model is set up: open Settings, then try again.",
    "Reconnecting: The connection broke (it was cut off or went silent).",
    "Reconnecting: The backend cannot be reached (…",
    "Reconnecting: The connection broke (it was cut off or went silent).",
    "Refused: Settings not found",
    "Reconnecting: The conversation cannot be looked up: the backend answered something unexpected: a web page (200), so this may not be the address of an OpenHands.",
    "Live",
    "Live",
    "This conversation is stopped. Start it, then try again. The words that were said next are shown; the old rows are there once; nothing is said of a loss.",
    "This conversation is stopped. Start it, then try again. The words that were said next are shown; the old rows are there once; the loss is told.",
    // What it sends under another number is another event; that the old ones are gone is said in between.
    "This conversation is stopped. Start it, then try again. The words that were said next are shown; the old rows are there twice; the loss is told.",
];

fn is_live(line: &LineState) -> bool {
    *line == LineState::Live
}

fn is_lost(line: &LineState) -> bool {
    matches!(line, LineState::Reconnecting { .. })
}

/// The first attempt to come back has failed, too.
fn is_lost_again(line: &LineState) -> bool {
    matches!(line, LineState::Reconnecting { attempt: 2.., .. })
}

fn is_refused(line: &LineState) -> bool {
    matches!(line, LineState::Refused { .. })
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
    let error = stage
        .hub
        .create(me(), "", NewConversation::saying("hello"))
        .await;
    (
        "new: not set up",
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
    assert!(tab.shows("xxxxxxxx"), "the huge event is on the page, cut");
}

/// The agent hears what is said, and its answer comes.
async fn works_on(stage: &Stage, tab: &mut Tab) {
    let id = tab.conversation.clone();
    let rows = tab.rows.len();
    let said = stage
        .hub
        .say(me(), &id, "on", "[[scenario:hello]]", vec![], vec![])
        .await;
    said.expect("it is taken");
    tab.until("the agent has answered", |tab| tab.rows.len() >= rows + 2)
        .await;
    tab.session("all is well", is_at_rest).await;
}
