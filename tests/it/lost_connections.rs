//! No event is lost, duplicated or reordered, across cut connections and killed processes.

use crate::both::on_both;
use crate::chaos::Chaos;
use crate::process::{Process, call, call_json, create};
use crate::stage::{Stage, bridge, events_of, hub_in, is_at_rest, quick, reader};
use crate::tab::{LONG, Tab};
use handrail::api::{OlderRows, OpenConversation, RetryConnection};
use handrail::backend::ConnectionState;
use handrail::backend::rehearsal::{Dialect, Fault, Options, Rehearsal};
use handrail::journal::Journal;
use handrail::live::{RowsView, Verdict};
use handrail::wire::v1::say_zone;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

on_both![
    two_thousand_events_survive_twenty_lost_connections_and_three_crashes,
    duplicated_and_reordered_events_have_no_effect,
    a_slow_network_only_delays,
];

/// The faults of a run, one after the other, each after full recovery from the previous one.
const DISCONNECTS: usize = 20;
const CRASHES: [usize; 3] = [5, 11, 17];

/// A backend, Handrail and a page, with a bad network on both sides of Handrail.
struct Run {
    rehearsal: Rehearsal,
    upstream: Chaos,
    downstream: Chaos,
    handrail: Option<Process>,
    folder: TempDir,
    tab: Tab,
}

impl Run {
    async fn start(dialect: Dialect, message: &str) -> Self {
        let options = Options {
            dialect,
            pace: Duration::from_millis(10),
            ..quick()
        };
        let rehearsal = Rehearsal::start(options).await.expect("a free port");
        let upstream = Chaos::before(rehearsal.addr()).await;
        let folder = TempDir::new().expect("a temporary folder");
        let handrail = Process::start(folder.path(), upstream.address).await;
        let downstream = Chaos::before(handrail.address).await;
        let id = create(handrail.address, message).await;
        let mut tab = Tab::new(&id);
        assert!(tab.connect(downstream.address).await);
        Self {
            rehearsal,
            upstream,
            downstream,
            handrail: Some(handrail),
            folder,
            tab,
        }
    }

    fn disconnect(&self, number: usize) {
        match number % 5 {
            0 => self.upstream.drop_all(),
            1 => self.downstream.drop_all(),
            2 => {
                self.upstream.drop_all();
                self.downstream.drop_all();
            }
            // In the middle of a frame, even of one sent after a reconnect.
            3 => {
                self.downstream.cut_after(1500);
                self.downstream.drop_all();
            }
            _ => self.rehearsal.faults().inject(&Fault::DropSockets),
        }
    }

    async fn crash(&mut self) {
        self.handrail.take().expect("it runs").kill();
        let again = Process::start(self.folder.path(), self.upstream.address).await;
        self.downstream.lead_to(again.address);
        self.handrail = Some(again);
    }

    /// Reconnects the page until it is accepted; after a gap it takes a new snapshot, as the browser does.
    async fn come_back(&mut self) {
        let address = self.handrail.as_ref().expect("it runs").address;
        loop {
            while !self.tab.connect(self.downstream.address).await {
                tokio::task::yield_now().await;
            }
            while self.tab.verdict.is_none() && self.tab.step().await.is_some() {}
            match self.tab.verdict {
                Some(Verdict::Ok) => return,
                Some(Verdict::Gap) => {
                    let id = self.tab.conversation.clone();
                    let picture = call::<OpenConversation>(address, &[("id", &id)]).await;
                    let picture = picture.expect("the journal is healthy");
                    self.tab
                        .show(serde_json::from_value(picture).expect("a picture"));
                    self.read_back().await;
                }
                None => {}
            }
        }
    }

    /// Loads the older pages, like a user who scrolls up.
    async fn read_back(&mut self) {
        let address = self.handrail.as_ref().expect("it runs").address;
        loop {
            let before = self.tab.in_order().first().map(|row| (row.pos, row.id));
            let question = json!({ "id": self.tab.conversation, "before": before, "limit": 200 });
            let page = call_json::<OlderRows>(address, &question).await;
            let page: RowsView =
                serde_json::from_value(page.expect("the journal is healthy")).expect("a page");
            let older = page.older;
            self.tab
                .rows
                .extend(page.rows.into_iter().map(|row| (row.id, row)));
            if !older {
                return;
            }
        }
    }

    /// Applies all faults to the run, and follows it to its end.
    async fn through_all_faults(&mut self) {
        let (mut disconnects, mut crashes) = (0, 0);
        loop {
            if self.tab.step().await.is_none() {
                self.come_back().await;
            }
            let session = self.tab.session.as_ref();
            let connection = session.map(|session| session.connection.clone());
            let tried = disconnects + crashes;
            if let Some(ConnectionState::Reconnecting { attempt: 2.., .. }) = connection {
                // An impatient user.
                let (address, id) = (
                    self.handrail.as_ref().expect("it runs").address,
                    &self.tab.conversation,
                );
                call::<RetryConnection>(address, &[("id", id)])
                    .await
                    .expect("it can be retried");
            } else if connection != Some(ConnectionState::Live) || self.tab.rows.len() < tried * 30
            {
            } else if crashes < CRASHES.len() && disconnects == CRASHES[crashes] {
                crashes += 1;
                self.crash().await;
            } else if disconnects < DISCONNECTS {
                self.disconnect(disconnects);
                disconnects += 1;
            } else if session.is_some_and(is_at_rest) {
                return;
            }
        }
    }
}

async fn two_thousand_events_survive_twenty_lost_connections_and_three_crashes(dialect: Dialect) {
    let mut run = Run::start(dialect, "[[scenario:long:1000]]").await;
    tokio::time::timeout(LONG * 3, run.through_all_faults())
        .await
        .expect("everything recovers");
    let Run {
        rehearsal,
        handrail,
        folder,
        tab,
        downstream,
        upstream,
    } = run;
    let handrail = handrail.expect("it runs");
    handrail.terminate();
    assert!(handrail.ended().await.success());
    let events = events_of(&rehearsal, &tab.conversation).await;
    assert!(events.len() > 2000, "{} events", events.len());
    assert_journal_is(dialect, folder.path(), &tab.conversation, &events).await;
    assert_page_is_journal(folder.path(), &tab).await;
    eprintln!(
        "{} events, {} rows; connections carried: {} to the backend, {} to the page",
        events.len(),
        tab.rows.len(),
        upstream.carried(),
        downstream.carried()
    );
}

/// The journal has each event of the backend once, unchanged, numbered without gaps.
async fn assert_journal_is(dialect: Dialect, folder: &Path, conversation: &str, events: &[Value]) {
    let journal = Journal::open(folder, reader).await.expect("it is healthy");
    let kept = journal
        .events(conversation, 0, 1_000_000)
        .await
        .expect("it is healthy");
    let seqs: Vec<i64> = kept.iter().map(|event| event.seq).collect();
    assert_eq!(seqs, (1..=kept.len() as i64).collect::<Vec<_>>());
    let stored = kept.iter().filter(|event| event.item.key.is_some());
    let mut stored: Vec<Value> = stored
        .map(|event| serde_json::from_str(&event.raw).expect("JSON"))
        .collect();
    if dialect == Dialect::OpenHands {
        // A page of stored events may arrive after later live ones. Those of 1.x are stored in the order of its log.
        stored.sort_by_key(|event| event["id"].as_i64());
    }
    assert_eq!(stored.len(), events.len());
    for (at, (mut stored, mut event)) in stored.into_iter().zip(events.iter().cloned()).enumerate()
    {
        match dialect {
            Dialect::OpenHands => {
                assert_eq!(event["id"], at, "the backend counts from nought");
                // Live and replayed states have different sources; the journal keeps the first to arrive.
                if event["observation"] == "agent_state_changed" {
                    stored["source"] = event["source"].clone();
                }
                // Observations repeat the response of the model, and only the parts that later requests need are stored.
                let is_action = event["action"].is_string();
                if let Some(call) = event
                    .get_mut("tool_call_metadata")
                    .and_then(Value::as_object_mut)
                    && let Some(response) = call.remove("model_response").filter(|_| is_action)
                {
                    let message = &response["choices"][0]["message"];
                    let message = json!({
                        "role": message["role"], "content": message["content"], "tool_calls": message["tool_calls"],
                    });
                    let kept = json!({
                        "id": response["id"], "model": response["model"], "choices": [{ "message": message }],
                        "usage": { "prompt_tokens": response["usage"]["prompt_tokens"] },
                    });
                    call.insert("model_response".to_owned(), kept);
                }
            }
            Dialect::AgentServer | Dialect::AppServer => {
                // Handrail adds the time zone, which the server leaves out.
                say_zone(&mut event, 0);
                // The only part that is not stored: lists that grow with each call of the model.
                let usages = event.pointer_mut("/value/usage_to_metrics");
                let usages = usages.and_then(Value::as_object_mut);
                for usage in usages.into_iter().flat_map(|usages| usages.values_mut()) {
                    let usage = usage.as_object_mut().expect("it is an object");
                    for list in ["costs", "response_latencies", "token_usages"] {
                        usage.remove(list);
                    }
                }
            }
        }
        assert_eq!(stored, event);
    }
}

/// The page shows each row of the journal once, unchanged, in the same order.
async fn assert_page_is_journal(folder: &Path, tab: &Tab) {
    let nowhere = "127.0.0.1:9".parse().expect("an address");
    let hub = hub_in(folder, bridge(Dialect::OpenHands, nowhere, None)).await;
    let journal = hub
        .reader
        .rows(&tab.conversation, None, None, 1_000_000)
        .await
        .expect("it is healthy");
    let shown = tab.in_order();
    assert_eq!(shown.len(), journal.rows.len());
    for (shown, kept) in shown.iter().zip(&journal.rows) {
        assert_eq!(shown, kept);
    }
    hub.shutdown().await;
}

async fn duplicated_and_reordered_events_have_no_effect(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    stage.rehearsal.faults().inject(&Fault::Duplicate);
    stage.rehearsal.faults().inject(&Fault::Reorder);
    let mut tab = stage.create_conversation("[[scenario:long:100]]").await;
    tab.session("the work is done", is_at_rest).await;
    let events = events_of(&stage.rehearsal, &tab.conversation).await;
    stage.hub.shutdown().await;
    tab.drain();
    assert_journal_is(dialect, stage.folder.path(), &tab.conversation, &events).await;
    assert_page_is_journal(stage.folder.path(), &tab).await;
}

async fn a_slow_network_only_delays(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    stage.chaos.delay(Duration::from_millis(30));
    let mut tab = stage.create_conversation("[[scenario:long:40]]").await;
    tab.session("the work is done", is_at_rest).await;
    let events = events_of(&stage.rehearsal, &tab.conversation).await;
    stage.hub.shutdown().await;
    tab.drain();
    assert_journal_is(dialect, stage.folder.path(), &tab.conversation, &events).await;
    assert_page_is_journal(stage.folder.path(), &tab).await;
}
