//! What is under way is found among all that ever was, in as many steps of SQLite as among little.

use super::super::outbox::mark_what_was_interrupted;
use super::super::{AuditFilter, NewChannel, NewNotice, Notified, Question, database::Durability};
use super::{ID, Journal, TempDir, journal};
use crate::journal::engine;
use std::sync::atomic::Ordering;

/// Notifications that a channel keeps.
const OF_A_CHANNEL: usize = 1_000;
/// Logins are valid from this time on.
const VALID: (i64, i64) = (0, 0);

/// A conversation with so many messages that were sent and approvals that were answered, beside as many conversations of
/// which people were told, and a channel in which as many notifications wait as are kept.
async fn journal_with(count: usize) -> (Journal, TempDir, i64) {
    let (journal, folder) = journal().await;
    let channel = journal.add_channel(NewChannel {
        person: 0,
        login: None,
        kind: "webhook",
        address: "https://hook.example/".to_owned(),
        secret: String::new(),
        origin: "https://h.example/".to_owned(),
        name: String::new(),
        choices: "{}".to_owned(),
        created_at: 1,
    });
    let channel = channel.await.expect("healthy");
    let waiting = count.min(OF_A_CHANNEL);
    let filled = move |transaction: &engine::Transaction<'_>| {
        transaction.execute_batch(&format!(
            "CREATE TEMPORARY TABLE n AS
               WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {count}) SELECT x FROM n;
             INSERT INTO outbox (conversation, client_id, text, images, files, at, state, why, sent_after)
               SELECT number, x, '', '[]', '[]', 0, 'done', '', 0 FROM n, conversation;
             INSERT INTO approval (conversation, token, question, shown, asked_at, state)
               SELECT number, x, x, '', 0, 'approved' FROM n, conversation;
             INSERT INTO conversation (id, backend, title, runtime, created_at, updated_at)
               SELECT 'c' || x, 'b', '', '', 0, 0 FROM n;
             INSERT INTO told SELECT 'c' || x, 'finished', '' FROM n;
             INSERT INTO notice (channel, seq, conversation, occasion, token, content, made_at, due_at, expires_at)
               SELECT {channel}, x, 'c' || x, 'finished', '', '{{}}', 100, 1000, 2000 FROM n WHERE x <= {waiting};
             UPDATE channel SET seq = {waiting};
             DROP TABLE n"
        ))
    };
    let filled = journal.database.write(Durability::Ordinary, filled).await;
    filled.expect("it is SQL");
    (journal, folder, channel)
}

/// The steps of each deed.
async fn steps_among(count: usize) -> Vec<(&'static str, u64)> {
    let (journal, _folder, channel) = journal_with(count).await;
    let steps = journal.database.count_steps().await;
    let mut all = Vec::new();
    let mut done = |what| all.push((what, steps.swap(0, Ordering::Relaxed)));
    // A connection reads the schema once.
    journal.outbox(ID).await.expect("healthy");
    done("the schema");
    assert_eq!(journal.outbox(ID).await.expect("healthy"), []);
    done("messages on their way");
    let marked = journal
        .database
        .write(Durability::Ordinary, mark_what_was_interrupted);
    marked.await.expect("healthy");
    done("what a former process left");
    let question = Question {
        token: "new".to_owned(),
        question: "new".to_owned(),
        shown: String::new(),
        rating: String::new(),
    };
    journal.ask(ID, question, 1).await.expect("healthy");
    done("a question");
    let due = journal.take_due(30, VALID, Vec::new(), 10).await;
    assert!(due.expect("healthy").0.is_empty());
    done("what is due");
    let told = Notified {
        phase: "finished".to_owned(),
        token: String::new(),
    };
    let notice = NewNotice {
        channel,
        occasion: "finished",
        content: "{}".to_owned(),
        due_at: 20,
        expires_at: 1_000,
        replaces: true,
    };
    let stored = journal.tell(ID, Some(told), 120, vec![notice]).await;
    stored.expect("healthy");
    done("a notification");
    journal.forget_notices(50).await.expect("healthy");
    done("old notifications");
    journal.recent_titles(20).await.expect("healthy");
    done("conversations to choose from");
    let logged = move |transaction: &engine::Transaction<'_>| {
        transaction.execute_batch(&format!(
            "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {count})
             INSERT INTO audit (at, person, name, address, action, conversation, digest, detail, outcome, about, hash)
               SELECT 0, 1, iif(x < 5, 'ada', 'bob'), '', 'read', '', '', '', 'done', 0, '' FROM n"
        ))
    };
    let logged = journal.database.write(Durability::Ordinary, logged).await;
    logged.expect("it is SQL");
    done("entries of the audit log");
    let all_but_last = AuditFilter {
        before: Some(30),
        ..AuditFilter::default()
    };
    let of_ada = AuditFilter {
        name: "Ada".to_owned(),
        ..AuditFilter::default()
    };
    for (filter, found, what) in [
        (all_but_last, 20, "an old page of the audit log"),
        (of_ada, 4, "actions of one person"),
    ] {
        let actions = journal.audited_actions(filter, 20).await;
        assert_eq!(actions.expect("healthy").len(), found);
        done(what);
    }
    all.retain(|(what, _)| *what != "entries of the audit log");
    all
}

#[tokio::test]
async fn what_is_under_way_is_found_in_as_many_steps_among_ten_thousand_as_among_sixty() {
    // It is about the file.
    let _file = crate::journal::engine::in_a_file();
    let (few, many) = (steps_among(60).await, steps_among(10_000).await);
    let grows = few
        .iter()
        .zip(&many)
        .any(|((_, few), (_, many))| *many > few + 60);
    assert!(!grows, "among 60: {few:?}, among 10,000: {many:?}");
}
