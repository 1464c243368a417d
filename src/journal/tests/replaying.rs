//! A replay shows any place of a log as a fold from the beginning gives it.

use super::*;
use crate::conversation::{LogItem, Mark, Session, from_v1};
use crate::journal::{Entry, Moment};
use crate::wire::v1;
use proptest::collection::vec;
use std::collections::HashSet;

async fn moment(journal: &Journal, at: i64, kind: Option<Kind>, limit: u32) -> Moment {
    let moment = journal.moment(ID, Some(at), kind, limit).await;
    moment.expect("healthy").expect("the conversation is known")
}

/// Rows without their version, which is not shown.
fn unversioned(rows: Vec<Row>) -> Vec<Row> {
    let unversioned = |row: Row| Row { seq: 0, ..row };
    rows.into_iter().map(unversioned).collect()
}

/// What a fold of the first `at` stored events gives: the rows, and the session.
fn folded(stored: &[LogItem], at: i64) -> (Vec<Row>, Session) {
    let prefix = stored.iter().take(at as usize).cloned();
    let timeline = Timeline::of(prefix);
    (timeline.rows(), timeline.session().clone())
}

/// Events of 0.x that refer to each other by chance, in any order.
fn any_v0() -> impl Strategy<Value = Value> {
    let states = [
        "running",
        "awaiting_user_confirmation",
        "awaiting_user_input",
        "stopped",
        "error",
        "paused",
    ];
    let steers_to = ["user_confirmed", "user_rejected", "stopped"];
    (0..40_i64, 0..40_i64, 0..13_u8, 0..6_usize).prop_map(move |(id, cause, kind, word)| match kind {
        0 => says(id, "hi"),
        1 => answers(id, "ho"),
        2 => runs(id, ["ls", "pwd"][word % 2]),
        3 => asks(id, ["ls", "pwd"][word % 2]),
        4 => asked(id, ["ls", "pwd"][word % 2], word < 3),
        5 | 6 => prints(id, cause, "out"),
        7 | 8 => state(id, states[word]),
        9 => steers(id, steers_to[word % 3]),
        10 => browses(id, "data:image/png;base64,iVBORw0KGgo="),
        11 => json!({ "status_update": true, "type": "error", "id": "STATUS$ERROR", "message": "m" }),
        _ => json!({ "status_update": true, "type": "info", "id": "STATUS$STARTING_RUNTIME", "message": "" }),
    })
}

/// Events of 1.x with their positions; a snapshot of the state has none.
fn any_v1() -> impl Strategy<Value = (Value, Option<i64>)> {
    let states = [
        "idle",
        "running",
        "paused",
        "waiting_for_confirmation",
        "finished",
        "error",
    ];
    (0..40_i64, 0..40_i64, 0..9_u8, 0..6_usize).prop_map(move |(seq, call, kind, word)| {
        let mut event = match kind {
            0 => json!({"kind": "MessageEvent", "source": "user",
                "llm_message": {"role": "user", "content": [{"type": "text", "text": "hi"}]}}),
            1 | 2 => json!({"kind": "ActionEvent", "source": "agent", "tool_call_id": format!("c{seq}"),
                "tool_name": "terminal", "llm_response_id": "r",
                "action": {"kind": "TerminalAction", "command": "ls"}}),
            3 | 4 => json!({"kind": "ObservationEvent", "source": "environment", "tool_call_id": format!("c{call}"),
                "tool_name": "terminal", "action_id": format!("e{call}"),
                "observation": {"kind": "TerminalObservation", "content": [{"type": "text", "text": "out"}],
                    "exit_code": word}}),
            5 => json!({"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "execution_status",
                "value": states[word]}),
            6 => json!({"kind": "ConversationStateUpdateEvent", "source": "environment", "key": "full_state",
                "value": {"execution_status": states[word]}}),
            7 => json!({"kind": "UserRejectObservation", "source": "environment", "tool_call_id": format!("c{call}"),
                "tool_name": "terminal", "action_id": format!("e{call}"), "rejection_reason": "no"}),
            _ => json!({"kind": "ConversationErrorEvent", "source": "environment", "code": "C", "detail": "d"}),
        };
        event["id"] = json!(format!("e{seq}"));
        event["timestamp"] = json!("2026-11-21T10:00:00");
        let is_snapshot = event["key"] == "full_state";
        (event, Some(seq).filter(|_| !is_snapshot))
    })
}

/// As the program reads a stored event of 1.x: its position is not in it.
fn reader_v1(raw: &str) -> LogItem {
    let event = serde_json::from_str(raw).expect("tests write JSON");
    from_v1::item(&v1::Event::read(event), None, None)
}

fn entry_v1((event, seq): &(Value, Option<i64>)) -> Entry {
    Entry {
        item: from_v1::item(&v1::Event::read(event.clone()), *seq, None),
        raw: event.to_string(),
    }
}

/// Stores the entries in batches, and compares every place with a fold from the beginning. `forgets` drops what the
/// journal has stored for replays before, as of a log that an older version wrote.
async fn check(
    reader: super::super::Reader,
    entries: Vec<Entry>,
    batch: usize,
    forgets: bool,
) -> Result<(), TestCaseError> {
    let folder = TempDir::new().expect("a temporary folder");
    let journal = Journal::open(folder.path(), reader).await.expect("healthy");
    let meta = ConversationMeta {
        id: ID.to_owned(),
        ..ConversationMeta::default()
    };
    journal.describe(vec![meta]).await.expect("healthy");
    for batch in entries.chunks(batch) {
        let appended = journal.append(ID, batch.to_vec(), false, 1).await;
        appended.expect("healthy");
    }
    let mut keys = HashSet::new();
    let items = entries.into_iter().map(|entry| entry.item);
    let is_new = |item: &LogItem| match &item.key {
        Some(key) => keys.insert(key.clone()),
        None => true,
    };
    let stored: Vec<LogItem> = items.filter(is_new).collect();
    if forgets {
        let all = "DELETE FROM checkpoint; DELETE FROM mark; UPDATE conversation SET folded = 0;";
        super::tamper(&journal, all).await;
    }
    let marks = journal.track(ID, 1_000).await.expect("healthy").marks;
    journal.fold_for_replay(ID).await.expect("healthy");
    let track = journal.track(ID, 1_000).await.expect("healthy");
    prop_assert!(forgets || track.marks == marks);
    for at in 1..=stored.len() as i64 {
        let (rows, session) = folded(&stored, at);
        let shown = moment(&journal, at, Some(Kind::Shell), 100).await;
        prop_assert_eq!(&shown.session, &session, "session at {}", at);
        prop_assert_eq!(
            unversioned(shown.page.rows),
            unversioned(rows.clone()),
            "rows at {}",
            at
        );
        let shell = rows.into_iter().filter(|row| row.kind() == Kind::Shell);
        prop_assert_eq!(
            unversioned(shown.family.rows),
            unversioned(shell.collect()),
            "commands at {}",
            at
        );
        let marked: Vec<i64> = track.marks.iter().map(|(seq, ..)| *seq).collect();
        let before = marked.iter().copied().filter(|seq| *seq < at).max();
        let after = marked.iter().copied().filter(|seq| *seq > at).min();
        prop_assert_eq!(shown.around, (before, after));
    }
    Ok(())
}

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.expect("a runtime").block_on(work)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_place_of_a_log_of_0_x_is_a_fold_from_its_beginning(
        events in vec(any_v0(), 1..50), batch in 1..20_usize, forgets: bool,
    ) {
        let entries = events.iter().map(entry).collect();
        run(check(reader, entries, batch, forgets))?;
    }

    #[test]
    fn any_place_of_a_log_of_1_x_is_a_fold_from_its_beginning(
        events in vec(any_v1(), 1..50), batch in 1..20_usize, forgets: bool,
    ) {
        let entries = events.iter().map(entry_v1).collect();
        run(check(reader_v1, entries, batch, forgets))?;
    }
}

#[tokio::test]
async fn a_place_of_a_long_log_shows_the_newest_rows_of_then() {
    let (journal, _folder) = journal().await;
    append(&journal, &talk(100)).await;
    let whole = Timeline::of(talk(50).iter().map(|event| entry(event).item)).rows();
    let then = moment(&journal, 50, None, 10).await;
    assert_eq!((then.at, then.newest), (50, 100));
    assert_eq!(
        unversioned(then.page.rows),
        unversioned(whole[whole.len() - 10..].to_vec())
    );
    assert!(then.page.older);
    assert!(!moment(&journal, 50, None, 100).await.page.older);
}

#[tokio::test]
async fn a_place_that_does_not_exist_is_the_nearest_one() {
    let (journal, _folder) = journal().await;
    assert_eq!(moment(&journal, 7, None, 10).await.at, 0);
    append(
        &journal,
        &[state(1, "running"), says(2, "hello"), runs(3, "ls")],
    )
    .await;
    for (asked, found) in [(i64::MIN, 1), (0, 1), (2, 2), (i64::MAX, 3)] {
        assert_eq!(moment(&journal, asked, None, 10).await.at, found);
    }
    // Without a place, the first message: before it there is nothing to read.
    let first = journal.moment(ID, None, None, 10).await.expect("healthy");
    assert_eq!(first.expect("it is known").at, 2);
    assert_eq!(
        journal
            .moment("other", None, None, 1)
            .await
            .expect("healthy"),
        None
    );
}

#[tokio::test]
async fn messages_approvals_and_failures_are_marked() {
    let (journal, _folder) = journal().await;
    let events = [
        says(1, "hello"),
        state(2, "awaiting_user_confirmation"),
        asks(3, "ls"),
        steers(4, "user_confirmed"),
        state(5, "running"),
        asked(6, "ls", true),
        prints(7, 6, "out"),
        json!({ "id": 8, "source": "agent", "timestamp": "2026-11-21T10:00:00", "message": "",
            "observation": "error", "content": "bad arguments", "extras": {} }),
    ];
    append(&journal, &events).await;
    let track = journal.track(ID, 100).await.expect("healthy");
    let marks: Vec<(i64, Mark)> = track
        .marks
        .iter()
        .map(|(seq, mark, _)| (*seq, *mark))
        .collect();
    assert_eq!(
        marks,
        [(1, Mark::Message), (3, Mark::Approval), (8, Mark::Error)]
    );
}

#[tokio::test]
async fn the_marks_of_a_long_log_stay_few() {
    let (journal, _folder) = journal().await;
    append(&journal, &talk(1_000)).await;
    let track = journal.track(ID, 20).await.expect("healthy");
    assert!(track.marks.len() <= 20 * Mark::ALL.len());
    let counted: u32 = track.marks.iter().map(|(.., count)| count).sum();
    assert_eq!((track.newest, counted), (1_000, 500));
}
