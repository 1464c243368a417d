//! Tests of the backend against the rehearsal's 1.x protocol, which approves and stalls as easily as the real server.

mod connections;
mod orders;
mod scenarios;
mod starting;

use super::*;
use crate::backend::rehearsal::{Dialect, Fault, Memory, Options, Rehearsal, RestFault};
use crate::backend::tests::support::{
    LONG, TestConnection, answers, hold_from, holding, say, serve,
};
use crate::backend::{
    Command, ConnectionState, ConversationApi, Delivery, NewConversation, ReceivedEvent, Recorded,
    ResumePoint,
};
use crate::conversation::{Actor, Body, PositionOffset, Status};
use futures_util::FutureExt;
use serde_json::json;
use std::collections::BTreeMap;
use tokio::time::timeout;

/// A key with characters that need escaping in URLs.
const KEY: &str = "k/+ ey";

fn quick() -> Timing {
    let millis = Duration::from_millis;
    Timing {
        backoff: (millis(2), millis(20)),
        gather: millis(1),
        silence: millis(300),
        pulse: millis(100),
        ..Timing::polling_every(millis(20))
    }
}

async fn rehearse() -> Rehearsal {
    let options = Options {
        dialect: Dialect::AgentServer,
        pace: Duration::ZERO,
        session_api_key: Some(KEY.to_owned()),
        ..Options::default()
    };
    Rehearsal::start(options).await.unwrap()
}

fn bridge(rehearsal: &Rehearsal, timing: Timing) -> AgentServer {
    let address = format!("http://{}", rehearsal.addr());
    let connection = Connection::at(&address, Some(KEY.to_owned())).unwrap();
    AgentServer::with_timing(connection, timing, false).unwrap()
}

/// A conversation started with this message.
async fn create(backend: &AgentServer, message: &str) -> String {
    let created = backend.create(NewConversation::saying(message)).await;
    created.unwrap()
}

/// A rehearsal, a backend connected to it, and a conversation started with this message.
async fn create_conversation(message: &str) -> (Rehearsal, AgentServer, String) {
    let rehearsal = rehearse().await;
    let backend = bridge(&rehearsal, quick());
    let id = create(&backend, message).await;
    (rehearsal, backend, id)
}

/// Stands in for the journal: stores each event once, by position.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<BTreeMap<i64, ReceivedEvent>>>);

impl Kept {
    /// Stores received events until the condition holds.
    async fn until(
        &self,
        connection: &mut TestConnection,
        is_so: impl Fn(&BTreeMap<i64, ReceivedEvent>) -> bool,
    ) {
        while !is_so(&self.0.lock().unwrap()) {
            let event = timeout(LONG, connection.events.recv()).await;
            let event =
                event.unwrap_or_else(|_| panic!("it never came to be so: {:?}", self.outline()));
            let event = event.expect("a connection");
            if let Some(pos) = event.item.pos {
                self.0.lock().unwrap().entry(pos).or_insert(event);
            }
        }
    }

    /// Waits for a status after all events stored so far.
    async fn status(&self, connection: &mut TestConnection, wanted: Status) {
        let behind = self.newest();
        let is_it = |pos: i64, event: &ReceivedEvent| {
            Some(pos) > behind
                && matches!(&event.item.body, Body::Status { status, .. } if *status == wanted)
        };
        self.until(connection, |kept| {
            kept.iter().any(|(pos, event)| is_it(*pos, event))
        })
        .await;
    }

    fn newest(&self) -> Option<i64> {
        self.0.lock().unwrap().keys().next_back().copied()
    }

    fn positions(&self) -> Vec<i64> {
        self.0.lock().unwrap().keys().copied().collect()
    }

    fn outline(&self) -> Vec<String> {
        let kept = self.0.lock().unwrap();
        kept.values()
            .map(|event| format!("{:?}", event.item.body).chars().take(60).collect())
            .collect()
    }

    /// The agent's messages.
    fn said(&self) -> Vec<String> {
        let kept = self.0.lock().unwrap();
        let said = kept.values().filter_map(|event| match &event.item.body {
            Body::Message(message) if event.item.from == Actor::Agent => Some(message.text.clone()),
            _ => None,
        });
        said.collect()
    }

    /// Keys of the last group of parallel calls.
    fn calls(&self) -> Vec<String> {
        let kept = self.0.lock().unwrap();
        let call = |event: &ReceivedEvent| match &event.item.body {
            // No page asks about a thought or an end.
            Body::Call(call) if call.tool.answers_itself() => None,
            Body::Call(call) => Some((call.group.clone(), event.item.key.clone()?)),
            _ => None,
        };
        let all: Vec<_> = kept.values().filter_map(call).collect();
        let newest = all.last().map(|(group, _)| group.clone());
        all.into_iter()
            .filter(|(group, _)| Some(group) == newest.as_ref())
            .map(|(_, key)| key)
            .collect()
    }

    fn resume_point(&self) -> ResumePoint {
        let kept = self.0.lock().unwrap();
        let lost = kept.values().rev().find_map(|event| match event.item.body {
            Body::Lost { by } => Some((by, event.item.pos)),
            _ => None,
        });
        let (by, since) = lost.unwrap_or_default();
        let looked_up = self.clone();
        ResumePoint {
            after: kept.keys().next_back().copied(),
            newest: kept.keys().next_back().copied(),
            offset: PositionOffset { by, since },
            recorded: Arc::new(move |pos| {
                let kept = looked_up.0.lock().unwrap();
                let recorded = kept.get(&pos).and_then(|event| {
                    Some(Recorded {
                        key: event.item.key.clone()?,
                        at: event.item.at.millis,
                    })
                });
                std::future::ready(recorded).boxed()
            }),
        }
    }
}

#[tokio::test]
async fn a_version_without_settings_is_too_old() {
    let info = json!({ "title": "OpenHands Agent Server", "version": "1.0.0" });
    let connection = serve(answers("/server_info", info)).await;
    let error = AgentServer::new(connection).unwrap().probe().await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("1.0.0 is too old"), "{error}");
}
