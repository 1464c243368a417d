//! Two nodes on one PostgreSQL, the one at `HANDRAIL_TEST_DATABASE`, of which the one that serves is killed, stopped, ended or cut off
//! again and again while agents work. In the end what is stored is compared with what the backend has. `HANDRAIL_FAILOVERS` sets how often (60).
//!
//! The backend is the embedded one, whose agents work on meanwhile.

use crate::cluster::{Cluster, signal, sql};
use crate::process::{Process, call, create};
use crate::stage::{self, events_of, reader};
use crate::tab::Tab;
use handrail::api::SendMessage;
use handrail::backend::rehearsal::{Dialect, Fault, Options, store_at_most};
use handrail::journal::{Journal, Location, Server};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

const DIALECT: Dialect = Dialect::AgentServer;
/// Conversations at work.
const CONVERSATIONS: usize = 40;
/// Interval between two events of one conversation.
const PACE: Duration = Duration::from_millis(10);
/// What each agent is asked for.
const WORK: &str = "[[scenario:long:1000]]";
/// Time between two faults, in which events arrive.
const BETWEEN: Duration = Duration::from_secs(3);
/// Events between two faults. After fewer, agents have come to their end, and all are asked again.
const FEW: usize = 3_000;
/// Bytes that the rehearsal stores.
const STORED: usize = 4 << 30;
/// Longest time until pages work again.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is done to the node that serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Blow {
    Kill,
    End,
    Stop,
    CutDatabase,
    CutBackend,
    KillTheOther,
}

const BLOWS: [Blow; 6] = [
    Blow::Kill,
    Blow::CutDatabase,
    Blow::End,
    Blow::CutBackend,
    Blow::Stop,
    Blow::KillTheOther,
];

/// Measures, and prints a table.
pub async fn run() {
    if std::env::var_os("HANDRAIL_TEST_DATABASE").is_none() {
        println!("left out: HANDRAIL_TEST_DATABASE has no address of a PostgreSQL");
        return;
    }
    let times = std::env::var("HANDRAIL_FAILOVERS").map(|text| text.parse().expect("a number"));
    let times: usize = times.unwrap_or(60);
    store_at_most(STORED);
    let cluster = Cluster::with(Options {
        // OpenHands 0.62 lets few agents work at a time.
        dialect: DIALECT,
        pace: PACE,
        ..stage::quick()
    })
    .await;
    let (mut serving, mut waiting) = cluster.pair().await;
    let mut ids = Vec::new();
    for _ in 0..CONVERSATIONS {
        ids.push(create(waiting.address, WORK).await);
    }
    let mut stored = 0;
    let mut took: BTreeMap<Blow, Vec<Duration>> = BTreeMap::new();
    for number in 0..times {
        tokio::time::sleep(BETWEEN).await;
        let now = count(&cluster).await;
        if now - stored < FEW {
            for id in &ids {
                works(&waiting, id, WORK).await;
            }
        }
        stored = now;
        let blow = BLOWS[number % BLOWS.len()];
        let begun = Instant::now();
        let name = format!("n{number}");
        match blow {
            Blow::Kill | Blow::End | Blow::Stop => {
                let holder = cluster.holder().await;
                match blow {
                    Blow::Kill => signal(&serving, "-KILL"),
                    Blow::End => serving.terminate(),
                    _ => signal(&serving, "-STOP"),
                }
                cluster.taken_from(&holder).await;
                works(&waiting, &ids[number % ids.len()], "go on").await;
                took.entry(blow).or_default().push(begun.elapsed());
                if blow == Blow::Stop {
                    signal(&serving, "-CONT");
                }
                serving.ended().await;
                serving = std::mem::replace(&mut waiting, cluster.start(&name).await);
            }
            Blow::CutDatabase => {
                let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                           WHERE datname = current_database() AND pid <> pg_backend_pid()";
                sql(&cluster.database, cut).await;
                works(&waiting, &ids[number % ids.len()], "go on").await;
                took.entry(blow).or_default().push(begun.elapsed());
            }
            Blow::CutBackend => {
                cluster.rehearsal.faults().inject(&Fault::DropSockets);
                works(&waiting, &ids[number % ids.len()], "go on").await;
                took.entry(blow).or_default().push(begun.elapsed());
            }
            Blow::KillTheOther => {
                waiting.kill();
                works(&serving, &ids[number % ids.len()], "go on").await;
                took.entry(blow).or_default().push(begun.elapsed());
                waiting = cluster.start(&name).await;
            }
        }
    }
    let found = compared(&cluster, &ids, serving, waiting).await;
    println!(
        "| what is done to the node that serves | times | until it works again: least | most |"
    );
    println!("|---|---|---|---|");
    for (blow, times) in took {
        let least = times.iter().min().copied().unwrap_or_default();
        let most = times.iter().max().copied().unwrap_or_default();
        println!("| {blow:?} | {} | {least:.1?} | {most:.1?} |", times.len());
    }
    println!(
        "\nAfter {times} faults in {} conversations: {found:?}",
        ids.len()
    );
}

/// The number of stored events.
async fn count(cluster: &Cluster) -> usize {
    let count = "SELECT count(*) FROM handrail.event";
    let counted = sql(&cluster.database, count).await;
    counted[0].parse().expect("a number")
}

/// Waits until a message is taken.
async fn works(node: &Process, id: &str, text: &str) {
    let begun = Instant::now();
    // A message that was taken twice is one: the backend has it once or, if a node was lost in between, as a second.
    loop {
        let fields = [("id", id), ("text", text)];
        if call::<SendMessage>(node.address, &fields).await.is_ok() {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "it does not work again");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Stops all agents, then both nodes, and compares the journal with the backend.
async fn compared(
    cluster: &Cluster,
    ids: &[String],
    serving: Process,
    waiting: Process,
) -> Compared {
    // What is opened is followed, and what was done meanwhile is fetched.
    let mut tabs = Vec::new();
    for id in ids {
        let mut tab = Tab::new(id);
        assert!(tab.connect(waiting.address).await);
        tabs.push(tab);
    }
    let mut before = 0;
    loop {
        tokio::time::sleep(Duration::from_secs(5)).await;
        let count = "SELECT count(*) FROM handrail.event";
        let stored: usize = sql(&cluster.database, count).await[0]
            .parse()
            .expect("a number");
        if stored == before {
            break;
        }
        before = stored;
    }
    for node in [waiting, serving] {
        node.terminate();
        node.ended().await;
    }
    let server = Server::new(&cluster.database, None, 4, Duration::from_secs(30));
    let server = Location::Server(Arc::new(server.expect("an address")));
    let journal = Journal::open(server, reader).await.expect("it is healthy");
    let mut compared = Compared::default();
    for id in ids {
        let sent = events_of(&cluster.rehearsal, id).await;
        let sent: Vec<&str> = sent
            .iter()
            .filter_map(|event| event["id"].as_str())
            .collect();
        let kept = journal.events(id, 0, 1_000_000).await;
        let kept = kept.expect("it is healthy");
        let is_dense = kept.iter().zip(1..).all(|(event, seq)| event.seq == seq);
        assert!(is_dense, "a number is missing");
        let kept: Vec<&str> = kept
            .iter()
            .filter_map(|event| event.item.key.as_deref())
            .collect();
        let (all, once): (HashSet<_>, HashSet<_>) = (sent.iter().collect(), kept.iter().collect());
        compared.events += sent.len();
        compared.lost += all.difference(&once).count();
        compared.doubled += kept.len() - once.len();
        compared.moved += sent
            .iter()
            .zip(&kept)
            .filter(|(sent, kept)| sent != kept)
            .count();
    }
    compared
}

/// What is stored, compared with what the backend has.
#[derive(Debug, Default)]
struct Compared {
    events: usize,
    lost: usize,
    doubled: usize,
    /// Events in another place than in the backend's log.
    moved: usize,
}
