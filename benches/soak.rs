//! Handrail at work, for an hour if asked: 50 conversations with 100 events a second, and 200 people's pages that follow them, some of
//! which leave and come back. Every minute: memory, open files, threads, queues. Then it is stopped and started again, and
//! 1,000 pages come back at once.
//!
//! Long because the pages, the figures and the restart share what the pages have seen.
//!
//! `HANDRAIL_SOAK_MINUTES` sets the duration (5; 60 for the hour). The rehearsals and the pages are in another process than Handrail.

use crate::house::{House, PageConnection};
use crate::process::{Process, Served, command};
use crate::stage;
use crate::tab::socket_as;
use handrail::backend::rehearsal::{Dialect, Options, Rehearsal, store_at_most};
use handrail::live::{FromBrowser, FromServer};
use handrail::people::Role;
use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Conversations, one half on each dialect.
const CONVERSATIONS: usize = 50;
/// Interval between two events of one conversation: 100 a second in all, with the answers to the actions.
const PACE: Duration = Duration::from_millis(850);
/// Bytes that a rehearsal stores: the events of hours.
const STORED: usize = 4 << 30;
/// What an agent is asked for: a rehearsal takes at most 1,000 steps.
const WORK: &str = "[[scenario:long:1000]]";
/// Events in a minute. After fewer, agents have come to their end, and all are asked again.
const FEWEST: f64 = 4_000.0;
/// People, and the pages of each.
const PEOPLE: usize = 20;
const PAGES: usize = 10;
/// The pages of each that come back after the restart.
const STORM: usize = 50;
/// Interval at which a page tells that it is there.
const PING: Duration = Duration::from_secs(10);
const MINUTE: Duration = Duration::from_secs(60);

/// Measures, and prints a table.
pub async fn run() {
    let minutes =
        std::env::var("HANDRAIL_SOAK_MINUTES").map(|text| text.parse().expect("a number"));
    let minutes: u64 = minutes.unwrap_or(5);
    store_at_most(STORED);
    let mut rehearsals = Vec::new();
    for dialect in [Dialect::OpenHands, Dialect::AgentServer] {
        let options = Options {
            dialect,
            pace: PACE,
            ..stage::quick()
        };
        rehearsals.push(Rehearsal::start(options).await.expect("a free port"));
    }
    let addresses = rehearsals
        .iter()
        .map(|one| format!("http://{}", one.addr()));
    let addresses: Vec<String> = addresses.collect();
    let options: Vec<&str> = addresses
        .iter()
        .flat_map(|one| ["--backend", one])
        .collect();
    let house = House::with(&options).await;
    let owner = house.log_in("owner").await;
    let mut people = Vec::new();
    for number in 0..PEOPLE {
        let name = format!("person{number}");
        house.add(&owner, &name, Role::Operator).await;
        people.push(house.log_in(&name).await);
    }
    let mut ids = Vec::new();
    for number in 0..CONVERSATIONS {
        let message = format!("{WORK} {number}");
        let backend = format!("OpenHands at {}", addresses[number % addresses.len()]);
        let fields = [("message", &*message), ("backend", &*backend)];
        let made = house.call("create_conversation", &owner, &fields).await;
        assert_eq!(made.status(), 200, "{message}");
        ids.push(made.json::<String>().await.expect("an id"));
    }

    let (house, over) = (Arc::new(house), CancellationToken::new());
    let (frames, returns) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let seen = ids
        .iter()
        .map(|id| (id.clone(), Arc::new(AtomicI64::new(0))));
    let seen: HashMap<String, Arc<AtomicI64>> = seen.collect();
    let mut pages = Vec::new();
    for number in 0..PEOPLE * PAGES {
        let id = ids[number % CONVERSATIONS].clone();
        let page = Page {
            house: Arc::clone(&house),
            cookie: people[number % PEOPLE].clone(),
            seen: Arc::clone(&seen[&id]),
            id,
            // One page in ten leaves every minute, another one each time.
            leaves_after: MINUTE * 10 + MINUTE / 60 * number as u32 / 4,
            frames: Arc::clone(&frames),
            returns: Arc::clone(&returns),
        };
        pages.push(tokio::spawn(page.follow(over.clone())));
    }
    println!(
        "| minute | resident, MiB | open files | threads | followers | queued, bytes | gaps | events | journal, MiB | frames to pages | pages that came back |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut before = 0.0;
    for minute in 0..=minutes {
        let sample = Sample::of(&house).await;
        println!(
            "| {minute} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            sample.resident >> 20,
            sample.files,
            sample.threads,
            sample.metric("followers"),
            sample.metric("follower_queue_bytes"),
            sample.metric("follower_gaps_total"),
            sample.metric("journal_events_total"),
            sample.metric("journal_size_bytes") as u64 >> 20,
            frames.load(Ordering::Relaxed),
            returns.load(Ordering::Relaxed),
        );
        if minute == minutes {
            break;
        }
        let events = sample.metric("journal_events_total");
        let is_resting = events - std::mem::replace(&mut before, events) < FEWEST;
        if minute > 1 && is_resting {
            for id in &ids {
                let client_id = format!("again{minute}");
                let fields = [("id", &**id), ("text", WORK), ("client_id", &client_id)];
                let said = house.call("send_message", &owner, &fields).await;
                assert_eq!(said.status(), 200, "{id}");
            }
        }
        tokio::time::sleep(MINUTE).await;
    }
    over.cancel();
    for page in pages {
        page.await.expect("a page does not panic");
    }
    let house = Arc::into_inner(house).expect("no page is left");
    let house = restart(house, &options).await;
    storm(house, &people, &seen).await;
}

/// A page of somebody that follows a conversation.
struct Page {
    house: Arc<House>,
    cookie: String,
    id: String,
    /// The newest `seq` of this conversation that a page has.
    seen: Arc<AtomicI64>,
    /// How long it stays, before it is loaded again.
    leaves_after: Duration,
    frames: Arc<AtomicU64>,
    returns: Arc<AtomicU64>,
}

impl Page {
    async fn follow(self, over: CancellationToken) {
        while !over.is_cancelled() {
            let after = self.seen.load(Ordering::Relaxed);
            let mut connection = follow(&self.house, &self.cookie, &self.id, after).await;
            let begun = Instant::now();
            let mut pinged = Instant::now();
            while !over.is_cancelled() && begun.elapsed() < self.leaves_after {
                match tokio::time::timeout(PING, connection.next()).await {
                    Ok(Ok(frame)) => {
                        self.frames.fetch_add(1, Ordering::Relaxed);
                        if let FromServer::Rows { seq, .. } = frame {
                            self.seen.fetch_max(seq, Ordering::Relaxed);
                        }
                    }
                    Ok(Err(code)) => panic!("a page was closed with {code}"),
                    Err(_) => {}
                }
                if pinged.elapsed() >= PING {
                    connection.say(&FromBrowser::Ping).await;
                    pinged = Instant::now();
                }
            }
            self.returns.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The live connection of a page that has all events up to `after`.
async fn follow(house: &House, cookie: &str, id: &str, after: i64) -> PageConnection {
    let socket = socket_as(house.served.process.address, cookie).await;
    let mut connection = PageConnection(socket.expect("the login is accepted"));
    let conversation = id.to_owned();
    connection
        .say(&FromBrowser::Follow {
            conversation,
            after,
        })
        .await;
    connection
}

/// What is known of Handrail at one moment.
struct Sample {
    resident: u64,
    files: usize,
    threads: u64,
    metrics: HashMap<String, f64>,
}

impl Sample {
    async fn of(house: &House) -> Self {
        let id = house.served.process.id();
        let status = fs::read_to_string(format!("/proc/{id}/status")).expect("Handrail runs");
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let word = line.and_then(|line| line.split_whitespace().next());
            word.expect("it has the line")
                .parse::<u64>()
                .expect("a number")
        };
        let text = house.get("/metrics", None).await;
        let text = text.text().await.expect("it is text");
        let metric = |line: &str| {
            let (name, value) = line.rsplit_once(' ')?;
            let name = name.strip_prefix("handrail_").unwrap_or(name);
            Some((name.to_owned(), value.parse().ok()?))
        };
        Self {
            resident: number("VmRSS:") * 1024,
            files: fs::read_dir(format!("/proc/{id}/fd"))
                .expect("Handrail runs")
                .count(),
            threads: number("Threads:"),
            metrics: text.lines().filter_map(metric).collect(),
        }
    }

    fn metric(&self, name: &str) -> f64 {
        *self
            .metrics
            .get(name)
            .unwrap_or_else(|| panic!("there is no {name}"))
    }
}

/// Stops Handrail as an administrator would, and starts it again in the same folder.
async fn restart(house: House, options: &[&str]) -> House {
    let House { served, client } = house;
    let Served {
        process,
        folder,
        rehearsal,
    } = served;
    let begun = Instant::now();
    process.terminate();
    let status = process.ended().await;
    println!(
        "\nStopped with {status} {:.2} s after SIGTERM.",
        begun.elapsed().as_secs_f64()
    );
    let begun = Instant::now();
    let process = Process::of(command(folder.path(), options)).await;
    let house = House {
        served: Served {
            process,
            folder,
            rehearsal,
        },
        client,
    };
    while house.get("/readyz", None).await.status() != 200 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    println!(
        "Ready {:.2} s after its start.",
        begun.elapsed().as_secs_f64()
    );
    house
}

/// All pages come back at once: how long until each has what is stored, and until an agent's next event has reached it.
async fn storm(house: House, people: &[String], seen: &HashMap<String, Arc<AtomicI64>>) {
    let (house, begun) = (Arc::new(house), Instant::now());
    let ids: Vec<_> = seen.iter().collect();
    let mut pages = Vec::new();
    for number in 0..people.len() * STORM {
        let house = Arc::clone(&house);
        let cookie = people[number % people.len()].clone();
        let (id, after) = ids[number % ids.len()];
        let (id, after) = (id.clone(), after.load(Ordering::Relaxed));
        pages.push(tokio::spawn(async move {
            let mut connection = follow(&house, &cookie, &id, after).await;
            let verdict = |frame| matches!(frame, FromServer::Verdict { .. }).then_some(());
            connection.until("it is current", verdict).await;
            let current = begun.elapsed();
            let newer = |frame| match frame {
                FromServer::Rows { seq, .. } => (seq > after).then_some(()),
                _ => None,
            };
            connection.until("a new event", newer).await;
            (current, begun.elapsed(), connection)
        }));
    }
    let (mut current, mut newer, mut connections) = (Vec::new(), Vec::new(), Vec::new());
    for page in pages {
        let (first, second, connection) = page.await.expect("a page does not panic");
        current.push(first);
        newer.push(second);
        connections.push(connection);
    }
    println!("{} pages came back at once.", connections.len());
    for (what, mut took) in [
        ("have what is stored", current),
        ("have an agent's next event", newer),
    ] {
        took.sort();
        let [half, all] = [took[took.len() / 2], took[took.len() - 1]].map(|one| one.as_secs_f64());
        println!("Half of them {what} after {half:.2} s, all after {all:.2} s.");
    }
    let sample = Sample::of(&house).await;
    println!(
        "Resident then: {} MiB, open files: {}.",
        sample.resident >> 20,
        sample.files
    );
}
