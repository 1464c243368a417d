//! What users see when the backend fails, fault by fault. With `--nocapture` the test prints the table.

mod cases;

use crate::both::on_both;
use crate::stage::{Stage, quick};
use crate::tab::Tab;
use cases::{connection, garbage, huge, list, making, nobody, restarted, unset};
use futures_util::future::{FutureExt, LocalBoxFuture, join_all};
use handrail::backend::ConnectionState;
use handrail::backend::rehearsal::{Dialect, Fault, Memory, Options, RestFault};
use serde_json::json;
use std::fmt::Write;

on_both![each_fault_of_a_backend_is_reported_in_a_sentence];

/// A fault, and what users see of it.
type Seen = (&'static str, String);

fn rest(kind: RestFault, path: &str) -> Fault {
    Fault::Rest {
        kind,
        path: path.to_owned(),
        times: 0,
    }
}

async fn each_fault_of_a_backend_is_reported_in_a_sentence(dialect: Dialect) {
    let open = || Options { dialect, ..quick() };
    let keyed = |key: &str| Options {
        session_api_key: Some(key.to_owned()),
        ..open()
    };
    let all = "/api/conversations";
    let failing = |kind| Some(rest(kind, all));
    let refusal = match dialect {
        Dialect::OpenHands => {
            json!({"message": "Settings not found", "data": {"msg_id": "CONFIGURATION$SETTINGS_NOT_FOUND"}})
        }
        // 1.x knows no such message: it closes the socket with a code, and this one is for a wrong key.
        Dialect::AgentServer | Dialect::AppServer => json!({"code": 4001}),
    };
    let refuses = async |stage: &Stage, _: &mut Tab| {
        let body = refusal.clone();
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
    let mut cases: Vec<LocalBoxFuture<'_, Seen>> = vec![
        list(
            "list: 429",
            open(),
            None,
            failing(RestFault::TooManyRequests),
        )
        .boxed_local(),
        list("list: 500", open(), None, failing(RestFault::ServerError)).boxed_local(),
        list(
            "list: HTML instead of JSON",
            open(),
            None,
            failing(RestFault::Html),
        )
        .boxed_local(),
        list("list: no answer", open(), None, failing(RestFault::Hang)).boxed_local(),
        list("list: wrong key", keyed("right"), Some("wrong"), None).boxed_local(),
        list("list: no key", keyed("right"), None, None).boxed_local(),
        nobody(dialect).boxed_local(),
        making(dialect, "new: 429", rest(RestFault::TooManyRequests, all)).boxed_local(),
        making(dialect, "new: 500", rest(RestFault::ServerError, all)).boxed_local(),
        making(dialect, "new: HTML", rest(RestFault::Html, all)).boxed_local(),
        making(dialect, "new: no answer", rest(RestFault::Hang, all)).boxed_local(),
        unset(dialect).boxed_local(),
        connection(dialect, "connection: cut", is_lost, cuts).boxed_local(),
        connection(dialect, "connection: cut for longer", is_lost_again, cuts).boxed_local(),
        connection(
            dialect,
            "connection: dropped by the backend",
            is_lost,
            drops,
        )
        .boxed_local(),
        connection(dialect, "connection: refused", is_refused, refuses).boxed_local(),
        connection(
            dialect,
            "connection: HTML instead of JSON",
            is_lost_again,
            talks_html,
        )
        .boxed_local(),
        connection(dialect, "connection: garbage frame", is_live, garbage).boxed_local(),
        connection(dialect, "connection: huge event (5 MB)", is_live, huge).boxed_local(),
        restarted(dialect, "restart: all kept", Memory::All).boxed_local(),
        restarted(dialect, "restart: fewer events", Memory::First(10)).boxed_local(),
    ];
    // The events of 1.x have UUIDs instead of numbers, which a restart could change.
    if dialect == Dialect::OpenHands {
        let renumbered = Memory::Renumbered(10_000);
        cases.push(restarted(dialect, "restart: other ids", renumbered).boxed_local());
    }
    let mut table = String::from("\n| fault | what the person sees |\n|---|---|\n");
    let seen = join_all(cases).await;
    for (fault, seen) in &seen {
        writeln!(table, "| {fault} | {seen} |").expect("writing to a string cannot fail");
    }
    eprintln!("{table}");
    for ((fault, seen), usual) in seen.iter().zip(SENTENCES) {
        let expected = sentence(dialect, fault, usual);
        // The operating system's part of the message varies.
        match expected.strip_suffix('…') {
            Some(beginning) => assert!(seen.starts_with(beginning), "{fault}: {seen}"),
            None => assert_eq!(seen, expected, "{fault}"),
        }
    }
    let left_out = usize::from(dialect != Dialect::OpenHands);
    assert_eq!(seen.len() + left_out, SENTENCES.len());
}

/// What users see of a fault on this dialect.
fn sentence(dialect: Dialect, fault: &str, usual: &'static str) -> &'static str {
    if dialect == Dialect::OpenHands {
        return usual;
    }
    let own = SENTENCES_OF_1X.iter().find(|(name, _)| *name == fault);
    own.map_or(usual, |(_, own)| *own)
}

/// The faults of which users see something else on 1.x.
const SENTENCES_OF_1X: [(&str, &str); 6] = [
    // An internal error of 1.x has a message.
    ("list: 500", "OpenHands refused: Internal Server Error"),
    ("new: 500", "OpenHands refused: Internal Server Error"),
    // The settings of 1.x always have a model; whether it needs a key is decided there.
    ("new: not set up", "It starts."),
    // It was interrupted, or could not be opened again.
    ("connection: cut", "Reconnecting: The …"),
    (
        "connection: dropped by the backend",
        "Reconnecting: The connection was interrupted (…",
    ),
    (
        "connection: refused",
        "Refused: OpenHands rejected the API key.",
    ),
];

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

fn is_live(connection: &ConnectionState) -> bool {
    *connection == ConnectionState::Live
}

fn is_lost(connection: &ConnectionState) -> bool {
    matches!(connection, ConnectionState::Reconnecting { .. })
}

/// Whether the first reconnect attempt has failed, too.
fn is_lost_again(connection: &ConnectionState) -> bool {
    matches!(
        connection,
        ConnectionState::Reconnecting { attempt: 2.., .. }
    )
}

fn is_refused(connection: &ConnectionState) -> bool {
    matches!(connection, ConnectionState::Refused { .. })
}
