//! What users see when the backend fails, fault by fault. With `--nocapture` the test prints the table.

mod cases;

use crate::stage::{Stage, quick};
use crate::tab::Tab;
use cases::{garbage, huge, line, list, making, nobody, restarted, unset};
use futures_util::future::{FutureExt, LocalBoxFuture, join_all};
use handrail::backend::ConnectionState;
use handrail::backend::rehearsal::{Fault, Memory, Options, RestFault};
use serde_json::json;
use std::fmt::Write;

/// A fault, and what users see of it.
type Seen = (&'static str, String);

fn rest(kind: RestFault, path: &str) -> Fault {
    Fault::Rest {
        kind,
        path: path.to_owned(),
        times: 0,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fault_of_a_backend_is_reported_in_a_sentence() {
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
        writeln!(table, "| {fault} | {seen} |").expect("writing to a string cannot fail");
    }
    eprintln!("{table}");
    for ((fault, seen), expected) in seen.iter().zip(SENTENCES) {
        // The operating system's part of the message varies.
        match expected.strip_suffix('…') {
            Some(beginning) => assert!(seen.starts_with(beginning), "{fault}: {seen}"),
            None => assert_eq!(seen, expected, "{fault}"),
        }
    }
    assert_eq!(seen.len(), SENTENCES.len());
}

/// In the order of the cases; `…` stands for any ending.
const SENTENCES: [&str; 22] = [
    "Too many requests to OpenHands. Try again in a moment.",
    "Unexpected response: an internal error (500). The OpenHands log may have details.",
    "Unexpected response: a web page (200); this may not be the address of OpenHands. The OpenHands log may have details.",
    "OpenHands did not answer within 15 seconds. A running command can keep it busy. Try again.",
    "OpenHands rejected the API key. Enter the right one in Settings.",
    "OpenHands rejected the API key. Enter the right one in Settings.",
    "OpenHands cannot be reached (Connection refused…",
    "Too many requests to OpenHands. Try again in a moment.",
    "Unexpected response: an internal error (500). The OpenHands log may have details.",
    "Unexpected response: a web page (200); this may not be the address of OpenHands. The OpenHands log may have details.",
    "OpenHands did not answer within 60 seconds. A running command can keep it busy. Try again.",
    "OpenHands is not set up yet: choose a model in Settings, then try again.",
    "Reconnecting: The connection was interrupted (it was closed or timed out).",
    "Reconnecting: OpenHands cannot be reached (…",
    "Reconnecting: The connection was interrupted (it was closed or timed out).",
    "Refused: Settings not found",
    "Reconnecting: The conversation could not be looked up: unexpected response: a web page (200); this may not be the address of OpenHands.",
    "Live",
    "Live",
    "A later message is shown; the old rows appear once; no loss is reported.",
    "A later message is shown; the old rows appear once; the loss is reported.",
    // An event with a different id is a different event; a notice in between reports the loss of the old ones.
    "A later message is shown; the old rows appear twice; the loss is reported.",
];

fn is_live(line: &ConnectionState) -> bool {
    *line == ConnectionState::Live
}

fn is_lost(line: &ConnectionState) -> bool {
    matches!(line, ConnectionState::Reconnecting { .. })
}

/// Whether the first reconnect attempt has failed, too.
fn is_lost_again(line: &ConnectionState) -> bool {
    matches!(line, ConnectionState::Reconnecting { attempt: 2.., .. })
}

fn is_refused(line: &ConnectionState) -> bool {
    matches!(line, ConnectionState::Refused { .. })
}
