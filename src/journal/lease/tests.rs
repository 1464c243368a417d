//! The lease: when it is taken, and a model of nodes that stop, sleep and lose their connections at any time.
//!
//! Long because the model and the real rows are tested with the same types.

use super::*;
use crate::journal::engine::{Location, OnServer};
use crate::journal::tests::sample::reader;
use crate::journal::{Journal, JournalError};
use proptest::prelude::*;
use tempfile::TempDir;

fn found(beat: i64, is_connected: bool) -> Found {
    Found {
        count: Count {
            epoch: 3,
            node: "a".to_owned(),
            beat,
        },
        is_released: false,
        is_connected,
        holder: None,
    }
}

#[test]
fn a_lease_is_taken_when_its_holder_counts_no_further() {
    let mut watch = Watch::default();
    let mut is_turn = |at: u64, found: &Found| {
        let at = Duration::from_millis(at);
        watch.is_turn(at, at, found)
    };
    assert!(!is_turn(1_000, &found(1, true)));
    assert!(!is_turn(4_000, &found(2, false)));
    assert!(!is_turn(7_999, &found(2, false)));
    assert!(is_turn(8_000, &found(2, false)));
    assert!(!is_turn(8_000, &found(2, true)));
    assert!(is_turn(19_000, &found(2, true)));
    assert!(!is_turn(19_000, &found(3, false)));
    let released = Found {
        is_released: true,
        ..found(4, true)
    };
    assert!(is_turn(19_001, &released));
}

#[tokio::test]
async fn a_backend_is_changed_only_soon_after_counting() {
    let lease = Lease::counted(Duration::ZERO);
    assert!(lease.is_confirmed().await);
    let stale = Lease::counted(FRESH);
    let waits = tokio::time::timeout(Duration::from_millis(20), stale.is_confirmed()).await;
    assert!(waits.is_err(), "it waits for the database");
    lease.lose();
    assert!(!lease.is_confirmed().await);
    lease.lost().await;
    lease.release().await;
    assert!(!lease.is_confirmed().await);
}

/// The row of the lease, as the database changes it.
#[derive(Debug)]
struct Row {
    epoch: i64,
    holder: usize,
    beat: i64,
}

/// What a node of the model is waiting for. Times are those at which it has asked.
#[derive(Debug, Clone)]
enum Step {
    Idle,
    Asked(Duration),
    Answered(Duration, Found),
    Taking(Count),
    Counting(Duration),
    Counted(Duration, bool),
}

/// A node of the model.
#[derive(Debug)]
struct Modelled {
    step: Step,
    watch: Watch,
    /// When it began to count last, if it believes that it holds the lease.
    holds: Option<Duration>,
    is_connected: bool,
}

/// Nodes with one database. Each message takes as long as it likes, and a node that is not moved is stopped.
#[derive(Debug)]
struct Model {
    now: Duration,
    row: Row,
    nodes: Vec<Modelled>,
}

impl Model {
    fn new() -> Self {
        let node = |holds: bool| Modelled {
            step: Step::Idle,
            watch: Watch::default(),
            holds: holds.then_some(Duration::ZERO),
            is_connected: true,
        };
        Self {
            now: Duration::ZERO,
            row: Row {
                epoch: 1,
                holder: 0,
                beat: 0,
            },
            nodes: vec![node(true), node(false), node(false)],
        }
    }

    fn count(&self) -> Count {
        Count {
            epoch: self.row.epoch,
            node: self.row.holder.to_string(),
            beat: self.row.beat,
        }
    }

    /// Lets a node do its next step; returns whether it has taken the lease.
    fn step(&mut self, number: usize) -> bool {
        let (now, count) = (self.now, self.count());
        let is_connected = self.nodes[self.row.holder].is_connected;
        let holder = self.row.holder;
        let node = &mut self.nodes[number];
        let mut has_taken = false;
        node.step = match std::mem::replace(&mut node.step, Step::Idle) {
            Step::Idle if node.holds.is_some() => Step::Counting(now),
            Step::Idle => Step::Asked(now),
            Step::Counting(begun) => {
                let is_ours = holder == number;
                self.row.beat += i64::from(is_ours);
                Step::Counted(begun, is_ours)
            }
            Step::Counted(begun, is_ours) => {
                node.holds = is_ours.then_some(begun);
                Step::Idle
            }
            Step::Asked(asked) => Step::Answered(
                asked,
                Found {
                    count,
                    is_released: false,
                    is_connected,
                    holder: None,
                },
            ),
            Step::Answered(asked, found) => match node.watch.is_turn(asked, now, &found) {
                true => Step::Taking(found.count),
                false => Step::Idle,
            },
            Step::Taking(seen) => {
                has_taken = seen == count;
                if has_taken {
                    self.row = Row {
                        epoch: self.row.epoch + 1,
                        holder: number,
                        beat: 0,
                    };
                    node.is_connected = true;
                    node.watch = Watch::default();
                    // Counting begins before anything is changed.
                    node.holds = None;
                    Step::Counting(now)
                } else {
                    Step::Idle
                }
            }
        };
        has_taken
    }

    /// Nobody else has the lease while a node would change a backend.
    fn check(&self) {
        for (number, node) in self.nodes.iter().enumerate() {
            let may_change = node
                .holds
                .is_some_and(|counted| !remaining(counted, self.now).is_zero());
            assert!(!may_change || self.row.holder == number, "{self:?}");
        }
    }
}

#[derive(Debug, Clone)]
enum Act {
    Step(usize),
    Wait(u64),
    Connect(usize, bool),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        8 => (0..3_usize).prop_map(Act::Step),
        3 => prop_oneof![4 => 1..900_u64, 1 => 900..4_500_u64, 1 => 14_000..16_000_u64].prop_map(Act::Wait),
        1 => (0..3_usize, any::<bool>()).prop_map(|(node, is)| Act::Connect(node, is)),
    ];
    proptest::collection::vec(act, 50..400)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]
    #[test]
    fn of_nodes_that_stop_anywhere_at_most_one_changes_a_backend(acts in acts()) {
        let mut model = Model::new();
        for act in acts {
            match act {
                Act::Step(node) => drop(model.step(node)),
                Act::Wait(millis) => model.now += Duration::from_millis(millis),
                Act::Connect(node, is_connected) => model.nodes[node].is_connected = is_connected,
            }
            model.check();
        }
    }
}

#[test]
fn nodes_of_the_model_take_the_lease() {
    let mut model = Model::new();
    let mut taken = 0;
    for second in 0..60 {
        // The holder of the first half minute is stopped after it.
        for node in usize::from(second >= 30)..3 {
            for _ in 0..4 {
                taken += usize::from(model.step(node));
            }
        }
        model.now += Duration::from_secs(1);
        model.check();
    }
    assert_eq!(taken, 1);
}

fn node(id: &str) -> Node {
    Node {
        id: id.to_owned(),
        address: format!("{id}:1"),
        version: "1".to_owned(),
    }
}

fn server(folder: &TempDir, id: &str) -> Arc<Server> {
    let server = OnServer::default().database_of(folder.path());
    let server = Arc::into_inner(server).expect("it is new");
    Arc::new(server.for_node(id))
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_change_of_a_node_that_has_lost_the_lease_is_refused() {
    let folder = TempDir::new().expect("a temporary folder");
    let first = server(&folder, "a");
    let turn = wait_for_turn(Arc::clone(&first), node("a")).await;
    let lease = turn.expect("the server runs").lease.await;
    let lease = lease.expect("nobody has it");
    assert!(lease.is_confirmed().await);
    let journal = Journal::open(Location::Server(first), reader).await;
    let journal = journal.expect("it is its turn");
    journal
        .keep_setting("before", "1")
        .await
        .expect("it holds the lease");
    let listed = journal.nodes().await.expect("healthy");
    assert!(matches!(listed.as_slice(), [one] if one.is_serving && one.address == "a:1"));

    let second = server(&folder, "b");
    let taken = off_thread(move || {
        let mut other = Directory::open(&second, node("b")).expect("the server runs");
        let seen = other.look().expect("healthy").count;
        thread::sleep(BEAT * 3);
        let late = other.take(&seen).expect("healthy");
        assert_eq!(late, None, "the holder has counted since");
        let sql = "UPDATE lease SET node = 'b', epoch = epoch + 1";
        other.connection.execute_at_once(sql, []).expect("healthy");
        other
    });
    let _other = taken.await.expect("no panic");
    let refused = journal.keep_setting("after", "1").await;
    assert!(matches!(refused, Err(JournalError::Away(_))), "{refused:?}");
    lease.lost().await;
    assert!(!lease.is_confirmed().await);
    assert_eq!(
        journal
            .setting("before")
            .await
            .expect("it can be read")
            .as_deref(),
        Some("1")
    );
    assert_eq!(
        journal.setting("after").await.expect("it can be read"),
        None
    );
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_lease_that_is_given_back_is_taken_at_once() {
    let folder = TempDir::new().expect("a temporary folder");
    let first = wait_for_turn(server(&folder, "a"), node("a")).await;
    let lease = first.expect("the server runs").lease.await;
    let lease = lease.expect("nobody has it");
    let mut second = wait_for_turn(server(&folder, "b"), node("b"))
        .await
        .expect("the server runs");
    let named = |serving: &Option<Node>| serving.as_ref().is_some_and(|node| node.id == "a");
    second.serving.wait_for(named).await.expect("it is told");
    lease.release().await;
    let next = tokio::time::timeout(Duration::from_secs(3), second.lease).await;
    let next = next.expect("it is its turn").expect("it waits");
    assert_eq!((lease.epoch(), next.epoch()), (1, 2));
    assert!(!lease.is_confirmed().await);
    assert!(next.is_confirmed().await);
    // A server that was not started as a node.
    let refused = Journal::open(folder.path(), reader).await;
    assert!(matches!(
        refused.map(drop),
        Err(JournalError::Away(_)) | Err(JournalError::Open { .. })
    ));
}
