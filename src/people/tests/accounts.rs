//! Accounts: the first one, the last owner, names, pages of them, and what the audit knows.
//! Long because each right has its test.

use super::*;
use crate::journal::{AuditFilter, AuditOutcome};
use crate::people::Format;
use futures_util::TryStreamExt as _;
use futures_util::future::join_all;

#[tokio::test]
async fn a_set_up_code_makes_one_owner_however_many_use_it_at_once() {
    let folder = TempDir::new().expect("a temporary folder");
    let people = people_in(&folder).await;
    let code = people
        .offer_set_up()
        .await
        .expect("healthy")
        .expect("nobody is owner");
    assert_eq!(code.len(), 32);
    let file = folder.path().join(SET_UP_FILE);
    assert_eq!(
        std::fs::read_to_string(&file).expect("it is there").trim(),
        code
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&file)
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    for wrong in ["", "0", &"0".repeat(32), &"0".repeat(100_000)] {
        let refused = people.set_up(wrong, "mallory", PASSWORD, FROM).await;
        assert!(matches!(refused, Err(PeopleError::NoSetUp)), "{wrong:.40}");
    }
    let names: Vec<String> = (0..8).map(|number| format!("owner{number}")).collect();
    let tries = names
        .iter()
        .map(|name| people.set_up(&code, name, PASSWORD, FROM));
    let outcomes = join_all(tries).await;
    assert_eq!(
        outcomes.iter().filter(|outcome| outcome.is_ok()).count(),
        1,
        "{outcomes:?}"
    );
    assert_eq!(
        people
            .everybody("", "")
            .await
            .expect("healthy")
            .people
            .len(),
        1
    );
    assert!(!file.exists());
    let late = people.set_up(&code, "late", PASSWORD, FROM).await;
    assert!(matches!(late, Err(PeopleError::NoSetUp)));
    assert_eq!(people.offer_set_up().await.expect("healthy"), None);
}

#[tokio::test]
async fn the_last_owner_stays_owner() {
    let (people, _folder) = people().await;
    let (_, owner) = logged_in(&people, "owner").await;
    for outcome in [
        people.set_role(&owner, "owner", Role::Viewer).await,
        people.set_disabled(&owner, "owner", true).await,
    ] {
        assert!(
            matches!(outcome, Err(PeopleError::LastOwner)),
            "{outcome:?}"
        );
    }
    people
        .set_role(&owner, "viewer", Role::Owner)
        .await
        .expect("they are there");
    people
        .set_role(&owner, "owner", Role::Viewer)
        .await
        .expect("there is another");
}

#[tokio::test]
async fn names_are_plain_and_differ_in_more_than_case() {
    let (people, _folder) = people().await;
    let machine = Caller::at_the_machine();
    for bad in [
        "",
        " ",
        "a b",
        "-a",
        "a\0",
        "a\u{202e}b",
        "ada<",
        &"a".repeat(41),
        "VIEWER",
    ] {
        let refused = people.add(&machine, bad, Role::Viewer, PASSWORD).await;
        assert!(matches!(refused, Err(PeopleError::Invalid(_))), "{bad:?}");
    }
}

#[tokio::test]
async fn many_people_are_found_page_by_page() {
    let (people, _folder) = people().await;
    let journal = people.journal().clone();
    for number in 0..120 {
        let name = format!("person{number:04}");
        let added = journal.add_person(&name, "viewer", String::new(), false, 0);
        assert!(added.await.expect("healthy").is_some());
    }
    let (mut names, mut after) = (Vec::new(), String::new());
    loop {
        let page = people.everybody("", &after).await.expect("healthy");
        assert!(page.people.len() <= 50);
        names.extend(page.people.into_iter().map(|person| person.name));
        after = page.more;
        if after.is_empty() {
            break;
        }
    }
    let added = names.iter().filter(|name| name.starts_with("person"));
    assert_eq!((added.count(), names.is_sorted()), (120, true));
    let found = people.everybody("PERSON0119", "").await.expect("healthy");
    assert_eq!((found.people.len(), found.more), (1, String::new()));
    let offered = people.names_to_share_with().await.expect("healthy");
    assert_eq!(offered.len(), 100);
}

#[tokio::test]
async fn who_cannot_log_in_or_sees_everything_is_not_offered_for_sharing() {
    let (people, _folder) = people().await;
    let machine = Caller::at_the_machine();
    let disabled = people.set_disabled(&machine, "approver", true).await;
    disabled.expect("they are there");
    let names = people.names_to_share_with().await.expect("healthy");
    assert_eq!(names, ["operator", "viewer"]);
}

#[tokio::test]
async fn the_audit_knows_what_was_done_and_holds_together() {
    let (people, folder) = people().await;
    let wrong = people.log_in(login("viewer", "not it at all")).await;
    assert!(wrong.is_err());
    let filter = AuditFilter {
        action: "log in".to_owned(),
        ..AuditFilter::default()
    };
    let page = people.audit().page(filter).await.expect("healthy");
    let outcomes: Vec<Option<&str>> = page
        .lines
        .iter()
        .map(|line| line.outcome.as_deref())
        .collect();
    assert_eq!(outcomes, [Some("wrong name or password")]);
    let state = people.audit().verify(None).await.expect("healthy");
    assert_eq!((state.entries, state.broken_at), (10, None));
    let text = std::fs::read(folder.path().join("handrail.db-wal")).expect("it is there");
    let secret = b"correct horse";
    assert!(!text.windows(secret.len()).any(|part| part == secret));
}

#[tokio::test]
async fn the_audit_shows_each_action_once_with_its_outcome() {
    let (people, _folder) = people().await;
    let audit = people.audit();
    let machine = Caller::at_the_machine();
    // The outcome of an action may be recorded after the beginning of the next one, or never.
    let slow = audit.begin(&machine, AuditAction::new("rename").within("c1"));
    let slow = slow.await.expect("healthy");
    let quick = audit.begin(&machine, AuditAction::new("pause").within("c1"));
    let quick = quick.await.expect("healthy");
    audit.end(quick, &Err::<(), _>("not now")).await;
    audit.end(slow, &Ok::<(), String>(())).await;
    let lost = audit.begin(&machine, AuditAction::new("stop").within("c1"));
    drop(lost.await.expect("healthy"));
    let of_c1 = |outcome| AuditFilter {
        conversation: "c1".to_owned(),
        outcome,
        ..AuditFilter::default()
    };
    let actions = async |filter| {
        let page = audit.page(filter).await.expect("healthy");
        let line = |line: AuditLine| (line.action, line.outcome);
        page.lines.into_iter().map(line).collect::<Vec<_>>()
    };
    let stop = ("stop".to_owned(), None);
    let pause = ("pause".to_owned(), Some("not now".to_owned()));
    let rename = ("rename".to_owned(), Some("done".to_owned()));
    let all = actions(of_c1(AuditOutcome::Any)).await;
    assert_eq!(all, [stop.clone(), pause.clone(), rename.clone()]);
    assert_eq!(actions(of_c1(AuditOutcome::Done)).await, [rename]);
    assert_eq!(actions(of_c1(AuditOutcome::Failed)).await, [pause]);
    assert_eq!(actions(of_c1(AuditOutcome::Unknown)).await, [stop]);
    // The export keeps both entries of an action.
    for (outcome, entries) in [
        (AuditOutcome::Any, 5),
        (AuditOutcome::Done, 2),
        (AuditOutcome::Failed, 2),
        (AuditOutcome::Unknown, 1),
    ] {
        let lines = exported(&audit, of_c1(outcome)).await;
        assert_eq!(lines.len(), entries, "{outcome:?}");
    }
}

/// The lines of an export.
async fn exported(audit: &Audit, filter: AuditFilter) -> Vec<String> {
    let pieces = audit.export(filter, Format::JsonLines);
    let text: Vec<String> = pieces.try_collect().await.expect("healthy");
    text.concat().lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn an_export_is_whole_and_in_pieces_of_bounded_size() {
    let (people, _folder) = people().await;
    let audit = people.audit();
    let before = exported(&audit, AuditFilter::default()).await.len();
    let machine = Caller::at_the_machine();
    for _ in 0..700 {
        let pause = audit.begin(&machine, AuditAction::new("pause")).await;
        drop(pause.expect("healthy"));
    }
    let pieces = audit.export(AuditFilter::default(), Format::JsonLines);
    let pieces: Vec<String> = pieces.try_collect().await.expect("healthy");
    assert!(pieces.iter().all(|piece| piece.lines().count() <= 500));
    let numbers: Vec<i64> = exported(&audit, AuditFilter::default())
        .await
        .iter()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            line["number"].as_i64().expect("a number")
        })
        .collect();
    let all: Vec<i64> = (1..=i64::try_from(before + 700).expect("few")).collect();
    assert_eq!(numbers, all);
    assert_eq!(pieces.concat().lines().count(), all.len());
}

#[tokio::test]
async fn the_pages_of_the_audit_follow_each_other_without_gaps() {
    let (people, _folder) = people().await;
    let audit = people.audit();
    let machine = Caller::at_the_machine();
    let mut begun = Vec::new();
    for _ in 0..55 {
        let pause = audit.begin(&machine, AuditAction::new("pause")).await;
        begun.push(pause.expect("healthy"));
    }
    // The outcome of the oldest action is the newest entry.
    audit.end(begun.remove(0), &Ok::<(), String>(())).await;
    let mut filter = AuditFilter {
        action: "pause".to_owned(),
        ..AuditFilter::default()
    };
    let first = audit.page(filter.clone()).await.expect("healthy");
    assert_eq!(first.lines.len(), 50);
    filter.before = first.older;
    let second = audit.page(filter).await.expect("healthy");
    assert_eq!((second.lines.len(), second.older), (5, None));
    let pages = [first.lines, second.lines].concat();
    assert!(
        pages
            .windows(2)
            .all(|pair| pair[0].number == pair[1].number + 1)
    );
    let outcomes = pages.iter().filter_map(|line| line.outcome.as_deref());
    assert_eq!(outcomes.collect::<Vec<_>>(), ["done"]);
    assert!(pages[54].outcome.is_some());
}

/// Collects log output.
#[derive(Clone, Default)]
struct Log(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no test panics with it").extend(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn each_hash_of_the_audit_is_in_the_log_so_that_a_cut_end_is_noticed() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone());
    let dispatch = tracing::Dispatch::new(subscriber.finish());
    // With a single dispatcher, call sites first reached by another test's thread would never be logged.
    let _second = tracing::Dispatch::new(tracing_subscriber::registry());
    let _logging = tracing::dispatcher::set_default(&dispatch);
    let (people, folder) = people().await;
    let before = people.audit().verify(None).await.expect("healthy").head;
    let _ = people.log_in(login("viewer", "not it at all")).await;
    let last = people.audit().verify(None).await.expect("healthy").head;
    let logged = String::from_utf8(log.0.lock().expect("whole").clone()).expect("text");
    for hash in [&before, &last] {
        assert!(logged.contains(hash.as_str()), "{hash} is not in {logged}");
    }
    // An attacker with access to the file removes the last entries.
    let file = folder.path().join("handrail.db");
    let cut = rusqlite::Connection::open(file).expect("it is a database");
    cut.execute_batch(&format!(
        "DROP TRIGGER audit_is_not_deleted;
         DELETE FROM audit WHERE number > (SELECT number FROM audit WHERE hash = '{before}')"
    ))
    .expect("nothing keeps them from it");
    let state = people.audit().verify(Some(last)).await.expect("healthy");
    assert_eq!((state.broken_at, state.seen), (None, false));
    let state = people.audit().verify(Some(before)).await.expect("healthy");
    assert!(state.seen);
}
