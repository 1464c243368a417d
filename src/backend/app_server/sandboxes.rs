//! Where the agent-server of each conversation is: kept no longer than until the next answer of the app server.
//!
//! Addresses and keys change with each start of a sandbox. Conversations in one sandbox share one [`AgentServer`], so that
//! their requests share its limits. The app server decides which address gets a key, so this is checked like the address
//! of a backend (`http/addresses.rs`).

use super::dto::{Listed, Place};
use crate::backend::agent_server::AgentServer;
use crate::backend::{Answer, BackendError, Connection, Runtime};
use crate::clock::now;
use crate::conversation::Status;
use crate::sync::lock;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;
use url::{Host, Url};

/// Most conversations of which something is known. The key of a sandbox is kept after its end, because events may quote it.
const MOST_KNOWN: usize = 10_000;
/// Most agent-servers before those are dropped that are not used.
const MOST_REACHED: usize = 100;

struct Known {
    status: Option<Status>,
    /// When `status` was first seen, in milliseconds since the Unix epoch; 0 for the first one.
    changed_at: i64,
    agent: Option<Arc<AgentServer>>,
    /// The newest key of its sandbox, also after its end: events may quote it.
    key: Option<String>,
}

struct Reached {
    connection: Connection,
    agent: Arc<AgentServer>,
}

/// The table of all conversations.
pub(super) struct Sandboxes {
    /// The app server's own address.
    app: Connection,
    known: Mutex<HashMap<String, Known>>,
    /// The agent-servers of the sandboxes that run, by sandbox.
    reached: Mutex<HashMap<String, Reached>>,
    changed: watch::Sender<()>,
}

impl Sandboxes {
    pub(super) fn of(app: Connection) -> Self {
        Self {
            app,
            known: Mutex::default(),
            reached: Mutex::default(),
            changed: watch::Sender::default(),
        }
    }

    /// The agent-server of a conversation, if its sandbox runs.
    pub(super) fn agent(&self, id: &str) -> Option<Arc<AgentServer>> {
        lock(&self.known).get(id)?.agent.clone()
    }

    /// The newest key of a conversation's sandbox.
    pub(super) fn key(&self, id: &str) -> Option<String> {
        lock(&self.known).get(id)?.key.clone()
    }

    /// Completes when the conversation no longer has this agent-server.
    pub(super) async fn leaves(&self, id: &str, agent: &Arc<AgentServer>) {
        let mut changed = self.changed.subscribe();
        let is_there = || self.agent(id).is_some_and(|now| Arc::ptr_eq(&now, agent));
        while is_there() && changed.changed().await.is_ok() {}
    }

    /// Takes over an answer. A change of the agent's status counts as a change of the conversation: the app server's own
    /// time of the last change does not move with it.
    pub(super) fn take(&self, listed: &mut Listed) {
        let (id, info) = (listed.info.id.clone(), &mut listed.info);
        let agent = self.reach(&listed.place);
        if agent.is_none() && info.runtime == Runtime::Running {
            // It cannot be told apart from one that is coming up.
            info.runtime = Runtime::Starting;
        }
        let mut known = lock(&self.known);
        let before = known.get(&id);
        let changed_at = match before {
            Some(before) if before.status != info.status => now(),
            Some(before) => before.changed_at,
            None => 0,
        };
        info.updated_at = info.updated_at.max(changed_at);
        let entry = Known {
            status: info.status.clone(),
            changed_at,
            agent,
            key: listed
                .place
                .key
                .clone()
                .or(before.and_then(|before| before.key.clone())),
        };
        if known.len() >= MOST_KNOWN && !known.contains_key(&id) {
            known.retain(|_, known| known.agent.is_some() || known.key.is_some());
            if known.len() >= MOST_KNOWN {
                tracing::warn!(conversation = id, "too many sandboxes are known");
                return;
            }
        }
        known.insert(id, entry);
        drop(known);
        self.changed.send_replace(());
    }

    /// Drops what is known of a conversation that does not exist.
    pub(super) fn forget(&self, id: &str) {
        if lock(&self.known).remove(id).is_some() {
            self.changed.send_replace(());
        }
    }

    /// A text without the keys of the sandboxes that run.
    pub(super) fn without_keys(&self, mut text: String) -> String {
        for reached in lock(&self.reached).values() {
            if let Some(key) = &reached.connection.session_api_key {
                text = text.replace(key, "(hidden)");
            }
        }
        text
    }

    /// The agent-server at a place: the known one while address and key are the same.
    fn reach(&self, place: &Place) -> Option<Arc<AgentServer>> {
        let mut reached = lock(&self.reached);
        let connection = match self.connection(place) {
            Ok(Some(connection)) => connection,
            Ok(None) => {
                reached.remove(&place.sandbox);
                return None;
            }
            Err(error) => {
                tracing::warn!(sandbox = place.sandbox, %error, "the address of a sandbox is not used");
                return None;
            }
        };
        let is_same = |known: &&Reached| {
            known.connection.base_url == connection.base_url
                && known.connection.session_api_key == connection.session_api_key
        };
        if let Some(known) = reached.get(&place.sandbox).filter(is_same) {
            return Some(Arc::clone(&known.agent));
        }
        let agent = AgentServer::in_sandbox(connection.clone());
        let agent = agent.inspect_err(
            |error| tracing::warn!(sandbox = place.sandbox, %error, "the address of a sandbox is not used"),
        );
        let agent = Arc::new(agent.ok()?);
        let known = Reached {
            connection,
            agent: Arc::clone(&agent),
        };
        if reached.len() >= MOST_REACHED {
            // Those that no conversation is in, and no request uses.
            reached.retain(|_, known| Arc::strong_count(&known.agent) > 1);
        }
        reached.insert(place.sandbox.clone(), known);
        Some(agent)
    }

    /// How to reach the agent-server at a place. Errors: an address that is invalid or blocked.
    fn connection(&self, place: &Place) -> Answer<Option<Connection>> {
        let Some(given) = &place.agent else {
            return Ok(None);
        };
        let url = Url::parse(given).ok();
        let mut url = url.ok_or_else(|| BackendError::invalid("It is not a valid address."))?;
        // Behind it is `/api/conversations/<id>`.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().pop().pop().pop();
        }
        if is_local(&url) && !is_local(&self.app.base_url) {
            // By default the app server writes `localhost`, which is its machine and not ours.
            let host = self.app.base_url.host_str();
            let moved = url.set_host(host);
            moved.map_err(|_| BackendError::invalid("It has no host."))?;
        }
        let connection = Connection {
            base_url: url,
            session_api_key: place.key.clone(),
            permit: self.app.permit.clone(),
        };
        connection.check()?;
        Ok(Some(connection))
    }
}

/// Whether an address is that of its own machine.
fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback() || address.is_unspecified(),
        Some(Host::Ipv6(address)) => address.is_loopback() || address.is_unspecified(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{ConversationInfo, Permit};
    use crate::journal::Lease;
    use std::time::Duration;

    fn reached(app: &str, agent: &str) -> Option<String> {
        let sandboxes = Sandboxes::of(Connection::at(app, None).unwrap());
        let place = Place {
            agent: Some(agent.to_owned()),
            ..Place::default()
        };
        let connection = sandboxes.connection(&place).ok()?;
        Some(connection?.base_url.to_string())
    }

    #[test]
    fn localhost_is_the_machine_of_the_app_server() {
        let given = "http://localhost:3410/api/conversations/86de5be6e1784aac84ce4b2130e9a225";
        for (app, expected) in [
            ("http://127.0.0.1:3000", "http://localhost:3410/"),
            ("http://localhost:3000", "http://localhost:3410/"),
            ("http://box.lan:3000", "http://box.lan:3410/"),
            ("http://192.168.0.7:3000/up", "http://192.168.0.7:3410/"),
        ] {
            assert_eq!(reached(app, given).as_deref(), Some(expected));
        }
        let proxied = "https://s1.box.lan/a/api/conversations/86de5be6e1784aac84ce4b2130e9a225";
        let expected = Some("https://s1.box.lan/a");
        assert_eq!(reached("http://box.lan", proxied).as_deref(), expected);
    }

    #[tokio::test]
    async fn a_sandbox_is_changed_with_the_permission_of_its_app_server() {
        let lease = Lease::counted(Duration::ZERO);
        let sandboxes = Sandboxes::of(Connection {
            permit: Permit::of(Some(lease.clone())),
            ..Connection::at("http://127.0.0.1:3000", None).unwrap()
        });
        let place = Place {
            agent: Some("http://127.0.0.1:3410/api/conversations/a".to_owned()),
            ..Place::default()
        };
        let connection = sandboxes.connection(&place).unwrap().unwrap();
        assert!(connection.permit.check().await.is_ok());
        lease.lose();
        assert!(connection.permit.check().await.is_err());
    }

    #[test]
    fn agent_servers_without_conversations_are_dropped_when_there_are_many() {
        let app = Connection::at("http://127.0.0.1:3000", None).unwrap();
        let sandboxes = Sandboxes::of(app);
        let take = |id: &str, sandbox: &str| {
            let info = ConversationInfo {
                id: id.to_owned(),
                runtime: Runtime::Running,
                ..ConversationInfo::default()
            };
            let place = Place {
                sandbox: sandbox.to_owned(),
                agent: Some(format!("http://127.0.0.1:3410/api/conversations/{id}")),
                key: None,
            };
            sandboxes.take(&mut Listed { info, place });
        };
        take("a", "kept");
        let agent = sandboxes.agent("a").unwrap();
        // The conversation is in another sandbox each time.
        for number in 0..2 * MOST_REACHED {
            take("b", &format!("sandbox-{number}"));
        }
        let reached = lock(&sandboxes.reached).len();
        assert!(reached <= MOST_REACHED, "{reached}");
        assert!(Arc::ptr_eq(&agent, &sandboxes.agent("a").unwrap()));
        // A conversation that is not listed once keeps its agent-server, which knows what is on its way.
        sandboxes.forget("a");
        take("a", "kept");
        assert!(Arc::ptr_eq(&agent, &sandboxes.agent("a").unwrap()));
    }

    #[test]
    fn no_sandbox_is_where_clouds_keep_their_secrets() {
        for given in [
            "http://169.254.169.254/api/conversations/x",
            "http://[fd00:ec2::254]/api/conversations/x",
            "http://me:hunter2@box/api/conversations/x",
            "file:///api/conversations/x",
            "localhost:3410",
        ] {
            assert_eq!(reached("http://127.0.0.1:3000", given), None, "{given}");
        }
    }
}
