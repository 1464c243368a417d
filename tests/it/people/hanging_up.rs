//! Clients that disconnect in the middle of a request: the requested action still completes. This file exceeds the
//! usual length, because the attacks share the slow backend and the ways to disconnect.

use super::house::{House, path_of};
use crate::both::on_both;
use crate::chaos::Chaos;
use crate::process::Process;
use crate::stage::{quick, reader, soon, unlike_others};
use handrail::api::{ConversationSummary, ConversationView};
use handrail::backend::rehearsal::{Dialect, Options, Rehearsal};
use handrail::journal::{AuditFilter, Journal, LineFilter, LineOrder, Sight};
use handrail::people::SharingView;
use rusqlite::Connection;
use serde_json::Value;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use url::form_urlencoded::Serializer;

on_both![
    a_conversation_whose_creator_disconnects_still_has_its_creator_and_first_message,
    a_deletion_completes_after_its_client_disconnects,
    a_graceful_stop_finishes_pending_actions_and_a_kill_leaves_them_unknown,
];

/// A Handrail with a slow backend.
struct Slow {
    house: House,
    chaos: Chaos,
    rehearsal: Rehearsal,
    owner: String,
    operator: String,
}

/// When the client disconnects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// As soon as it has sent the whole request.
    AtOnce,
    /// When the start of the action is in the audit log.
    Begun,
    /// When the backend has been called.
    Asked,
}

const POINTS: [When; 3] = [When::AtOnce, When::Begun, When::Asked];

impl Slow {
    async fn new(dialect: Dialect) -> Self {
        let options = Options { dialect, ..quick() };
        let rehearsal = Rehearsal::start(options).await.expect("a free port");
        let chaos = Chaos::before(rehearsal.addr()).await;
        let backend = format!("http://{}", chaos.address);
        let house = House::with(&["--backend", &backend]).await;
        let owner = house.log_in("owner").await;
        let operator = house.log_in("operator").await;
        Self {
            house,
            chaos,
            rehearsal,
            owner,
            operator,
        }
    }

    fn label(&self) -> String {
        format!("OpenHands at http://{}", self.chaos.address)
    }

    /// All audited actions of this kind, each with its outcome.
    async fn actions(&self, action: &str) -> Vec<Option<String>> {
        let audit = self.house.get("/audit.jsonl", Some(&self.owner)).await;
        let lines = audit.text().await.expect("a text");
        let lines: Vec<Value> = (lines.lines())
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .filter(|line: &Value| line["action"] == action)
            .collect();
        let begun = lines.iter().filter(|line| line["about"] == 0);
        let ended = |number: &Value| {
            let mut outcomes = lines.iter().filter(|line| line["about"] == *number);
            outcomes
                .next()
                .map(|line| line["outcome"].as_str().unwrap_or_default().to_owned())
        };
        begun.map(|line| ended(&line["number"])).collect()
    }

    /// Waits until every action that was begun has an outcome.
    async fn ended(&self, action: &str) -> Vec<String> {
        soon("every deed has ended", async || {
            self.actions(action).await.into_iter().collect()
        })
        .await
    }

    /// Sends a form and disconnects.
    async fn post_and_hang_up(
        &self,
        name: &str,
        fields: &[(&str, &str)],
        action: &str,
        when: When,
    ) {
        let before = self.actions(action).await.len();
        let calls = self.chaos.carried();
        let address = self.house.served.process.address;
        let (path, cookie) = (path_of(name), &self.operator);
        let body = Serializer::new(String::new()).extend_pairs(fields).finish();
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nCookie: {cookie}\r\n\
             Accept: application/json\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        stream
            .write_all(request.as_bytes())
            .await
            .expect("it is open");
        match when {
            When::AtOnce => {}
            When::Begun => {
                soon("it is begun", async || {
                    (self.actions(action).await.len() > before).then_some(())
                })
                .await
            }
            // Each command to the backend uses a connection of its own. The live stream uses some, too.
            When::Asked => {
                soon("it is asked", async || {
                    let is_called = self.chaos.carried() > calls;
                    let is_begun = self.actions(action).await.len() > before;
                    (is_called && is_begun).then_some(())
                })
                .await
            }
        }
        drop(stream);
    }
}

async fn a_conversation_whose_creator_disconnects_still_has_its_creator_and_first_message(
    dialect: Dialect,
) {
    let slow = Slow::new(dialect).await;
    slow.chaos.delay(Duration::from_millis(300));
    let label = slow.label();
    for (number, when) in POINTS.into_iter().chain(POINTS).enumerate() {
        let message = format!("[[scenario:hello]] {number} {when:?}");
        let fields = [("message", message.as_str()), ("backend", &label)];
        slow.post_and_hang_up("create_conversation", &fields, "create", when)
            .await;
    }
    let outcomes = slow.ended("create").await;
    assert!(outcomes.len() >= 4, "{outcomes:?}");
    assert_eq!(outcomes, vec!["done"; outcomes.len()]);
    slow.chaos.restore_networking();
    let listed = slow
        .house
        .call("list_conversations", &slow.owner, &[("ask[q]", "")])
        .await;
    let listed: Value = listed.json().await.expect("a list");
    let conversations = listed["conversations"].as_array().expect("a list");
    assert_eq!(conversations.len(), outcomes.len());
    for conversation in conversations {
        let id = conversation["id"].as_str().expect("it has one");
        let sharing = slow
            .house
            .call("read_sharing", &slow.owner, &[("id", id)])
            .await;
        let sharing: SharingView = sharing.json().await.expect("it is shown");
        assert_eq!(sharing.sharing.creator, "operator");
        soon("the first message is signed", async || {
            let opened = slow
                .house
                .call("open_conversation", &slow.owner, &[("id", id)])
                .await;
            let view: ConversationView = opened.json().await.expect("it is shown");
            let signed = view
                .rows
                .iter()
                .any(|row| row.by.as_deref() == Some("operator"));
            (signed && view.session.outbox.is_empty()).then_some(())
        })
        .await;
    }
}

/// Sharing is Handrail's own and needs no backend: the dialect does not matter.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sharing_in_memory_matches_the_journal_after_disconnects() {
    let slow = Slow::new(Dialect::OpenHands).await;
    let id = slow
        .house
        .create_conversation(&slow.operator, "[[scenario:hello]]")
        .await;
    let viewer = slow.house.log_in("viewer").await;
    let file = slow.house.served.folder.path().join("handrail.db");
    let database = Connection::open(file).expect("it exists");
    for round in 0..20 {
        let audience = ["starter", "all"][round % 2];
        let fields = [("id", id.as_str()), ("audience", audience)];
        slow.post_and_hang_up("share_conversation", &fields, "share", When::Begun)
            .await;
        let outcomes = slow.ended("share").await;
        assert_eq!(outcomes, vec!["done"; outcomes.len()]);
        soon("what is stored is enforced", async || {
            let stored: String = database
                .query_row(
                    "SELECT audience FROM sharing WHERE conversation = ?1",
                    [&id],
                    |row| row.get(0),
                )
                .expect("it is stored");
            let seen = slow
                .house
                .get(&format!("/c/{id}/export.md"), Some(&viewer))
                .await;
            ((stored == "all") == (seen.status() == 200)).then_some(())
        })
        .await;
    }
}

async fn a_deletion_completes_after_its_client_disconnects(dialect: Dialect) {
    let slow = Slow::new(dialect).await;
    let label = slow.label();
    for when in POINTS {
        let message = unlike_others("[[scenario:hello]]");
        let fields = [("message", message.as_str()), ("backend", &label)];
        let made = slow
            .house
            .call("create_conversation", &slow.operator, &fields)
            .await;
        let id: String = made.json().await.expect("an id");
        slow.chaos.delay(Duration::from_millis(300));
        let fields = [("id", id.as_str())];
        slow.post_and_hang_up("delete_conversation", &fields, "delete", when)
            .await;
        let outcomes = slow.ended("delete").await;
        assert_eq!(outcomes, vec!["done"; outcomes.len()]);
        slow.chaos.restore_networking();
        let is_there = || {
            let address = format!("http://{}/api/conversations/{id}", slow.rehearsal.addr());
            async move {
                let answer = reqwest::get(address).await.expect("a response");
                let is_found = answer.status().is_success();
                let info: Value = answer.json().await.expect("JSON");
                // For an unknown conversation 1.x sends a 404, and 0.x sends null.
                is_found && info.is_object()
            }
        };
        soon("both sides agree", async || {
            let shown = slow
                .house
                .get(&format!("/c/{id}/export.md"), Some(&slow.owner))
                .await;
            ((shown.status() == 200) == is_there().await).then_some(())
        })
        .await;
        assert!(when == When::AtOnce || !is_there().await, "{when:?}");
    }
}

/// The outcomes of one kind of action, in the journal of a stopped server.
async fn outcomes_in(journal: &Journal, action: &str) -> Vec<String> {
    let filter = AuditFilter {
        action: action.to_owned(),
        ..AuditFilter::default()
    };
    let records = journal.audit(filter, 100).await.expect("a healthy journal");
    let mut outcomes: Vec<String> = (records.into_iter())
        .map(|record| record.entry.outcome)
        .collect();
    outcomes.reverse();
    outcomes
}

/// Number of conversations with a creator.
async fn created_in(journal: &Journal) -> usize {
    let all = LineFilter::default();
    let lines = journal.lines(
        Sight::Everything,
        all,
        LineOrder::default(),
        (None, u32::MAX),
    );
    let lines = lines.await.expect("healthy");
    let lines = lines
        .iter()
        .map(|line| serde_json::from_str(line).expect("a line"));
    let created = lines.filter(|line: &ConversationSummary| !line.creator.is_empty());
    created.count()
}

async fn a_graceful_stop_finishes_pending_actions_and_a_kill_leaves_them_unknown(dialect: Dialect) {
    // 1.x needs twice as many requests to create a conversation, and the stop waits five seconds for all of them.
    let delay = match dialect {
        Dialect::OpenHands => 700,
        Dialect::AgentServer | Dialect::AppServer => 350,
    };
    for orderly in [true, false] {
        let slow = Slow::new(dialect).await;
        slow.chaos.delay(Duration::from_millis(delay));
        let label = slow.label();
        let fields = [("message", "[[scenario:hello]]"), ("backend", &label)];
        slow.post_and_hang_up("create_conversation", &fields, "create", When::Begun)
            .await;
        let Slow {
            house,
            chaos: _chaos,
            rehearsal: _rehearsal,
            ..
        } = slow;
        let process: Process = house.served.process;
        if orderly {
            process.terminate();
            assert!(process.ended().await.success());
        } else {
            process.kill();
        }
        let folder = house.served.folder;
        let journal = Journal::open(folder.path(), reader)
            .await
            .expect("it is whole");
        let outcomes = outcomes_in(&journal, "create").await;
        let expected = if orderly {
            "done"
        } else {
            "unknown: Handrail stopped before this was done"
        };
        assert_eq!(outcomes, ["begun", expected]);
        assert_eq!(created_in(&journal).await, usize::from(orderly));
        assert!(
            journal
                .verify_audit(None)
                .await
                .expect("healthy")
                .broken_at
                .is_none()
        );
        // The outcome is recorded only once.
        drop(journal);
        let journal = Journal::open(folder.path(), reader)
            .await
            .expect("it is whole");
        assert_eq!(outcomes_in(&journal, "create").await.len(), 2);
    }
}
