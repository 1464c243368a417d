//! Latency from an event of the backend to all followers: through the hub alone, and over real sockets.
//!
//! Backend and followers share the machine with Handrail, so the numbers are upper bounds. Each event is sent when all
//! followers have received the previous one.

use crate::house::{House, PageConnection};
use crate::stage;
use crate::tab::socket_as;
use futures_util::StreamExt;
use handrail::backend::rehearsal::{Fault, Rehearsal};
use handrail::live::{FromBrowser, FromServer};
use handrail::people::Role;
use std::cell::Cell;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Events per crowd.
const EVENTS: usize = 200;
/// Events that are not counted, while caches fill.
const WARM_UP: usize = 20;
const CROWDS: [usize; 3] = [1, 100, 1000];
/// Followers that never read, and the bytes of an event with which their queues are full before the end.
const STALLED: usize = 20;
const LARGE: usize = 30_000;
/// Bytes of an event otherwise.
const SMALL: usize = 300;
/// Pages per user; the server does not allow many more.
const PAGES: usize = 50;
/// The start of a frame with rows.
const ROWS: &[u8] = br#"{"rows":"#;

/// Measures, and prints a table.
pub async fn run() {
    println!(
        "| watchers | over | p50 | p99 | last of all, p50 | last of all, p99 | memory of one watcher |"
    );
    println!("|---|---|---|---|---|---|---|");
    for crowd in CROWDS {
        over_the_hub(crowd, 0, SMALL).await;
    }
    for stalled in [0, STALLED] {
        over_the_hub(100, stalled, LARGE).await;
    }
    for crowd in CROWDS {
        over_sockets(crowd).await;
    }
}

/// Besides the crowd, `stalled` followers never read.
async fn over_the_hub(crowd: usize, stalled: usize, bytes: usize) {
    let stage = stage::Stage::new(handrail::backend::rehearsal::Dialect::OpenHands).await;
    let tab = stage.at_rest().await;
    let mut unread = Vec::new();
    for _ in 0..stalled {
        let follower = stage
            .hub
            .reader
            .follow(stage::me(), &tab.conversation, tab.seq)
            .await;
        unread.push(follower.expect("it is there"));
    }
    let (sender, receiver) = mpsc::unbounded_channel();
    for _ in 0..crowd {
        let mut follower = stage
            .hub
            .reader
            .follow(stage::me(), &tab.conversation, tab.seq)
            .await
            .expect("it is there");
        let sender = sender.clone();
        tokio::spawn(async move {
            while let Some(frame) = follower.next().await {
                if frame.starts_with(ROWS) && sender.send(Instant::now()).is_err() {
                    return;
                }
            }
        });
    }
    drop(tab);
    let latencies = measure(&stage.rehearsal, crowd, bytes, receiver).await;
    let over = match stalled {
        0 => format!("hub, {bytes} bytes"),
        _ => format!("hub, {bytes} bytes, {stalled} more never read"),
    };
    report(crowd, &over, latencies, None);
}

/// The crowd consists of users with several pages each, up to the server's limit per user.
async fn over_sockets(crowd: usize) {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let id = house
        .create_conversation(&owner, "[[scenario:hello]]")
        .await;
    let mut first = house.tab(&owner, &id).await;
    let known = Cell::new(0);
    let at_rest = |frame: FromServer| {
        if let FromServer::Rows { seq, .. } = frame {
            known.set(seq);
        }
        let session = frame.session()?;
        stage::is_at_rest(session).then_some(())
    };
    first.until("the work is done", at_rest).await;
    let mut people = Vec::new();
    for number in 0..crowd.div_ceil(PAGES) {
        let name = format!("watcher{number}");
        house.add(&owner, &name, Role::Viewer).await;
        people.push(house.log_in(&name).await);
    }
    let before = memory(house.served.process.id());
    let (sender, receiver) = mpsc::unbounded_channel();
    for number in 0..crowd {
        let socket = socket_as(house.served.process.address, &people[number / PAGES]).await;
        let mut connection = PageConnection(socket.expect("it is let in"));
        let follow = FromBrowser::Follow {
            conversation: id.clone(),
            after: known.get(),
        };
        connection.say(&follow).await;
        let followed = |frame| matches!(frame, FromServer::Verdict { .. }).then_some(());
        connection.until("it follows", followed).await;
        let sender = sender.clone();
        tokio::spawn(async move {
            while let Some(Ok(message)) = connection.0.next().await {
                if message.into_data().starts_with(ROWS) && sender.send(Instant::now()).is_err() {
                    return;
                }
            }
        });
    }
    let each = memory(house.served.process.id()).saturating_sub(before) / crowd as u64;
    drop(first);
    let latencies = measure(&house.served.rehearsal, crowd, SMALL, receiver).await;
    report(crowd, "sockets", latencies, Some(each));
}

/// Emits events, and waits until all followers have received each. Returns the latency of each event per follower.
async fn measure(
    rehearsal: &Rehearsal,
    crowd: usize,
    bytes: usize,
    mut receiver: mpsc::UnboundedReceiver<Instant>,
) -> Vec<Vec<Duration>> {
    let mut all = Vec::new();
    for number in 0..WARM_UP + EVENTS {
        let begun = Instant::now();
        rehearsal.faults().inject(&Fault::HugeEvent { bytes });
        let mut got = Vec::with_capacity(crowd);
        while got.len() < crowd {
            let at = receiver.recv().await.expect("the crowd listens");
            // Frames from before the first event do not count.
            got.extend((number > 0 || at > begun).then(|| at - begun));
        }
        if number >= WARM_UP {
            all.push(got);
        }
    }
    all
}

fn report(crowd: usize, over: &str, latencies: Vec<Vec<Duration>>, memory: Option<u64>) {
    let last = latencies.iter().filter_map(|got| got.iter().max().copied());
    let last = percentiles(last.collect());
    let each = percentiles(latencies.into_iter().flatten().collect());
    let memory = memory.map_or_else(|| "–".to_owned(), |kib| format!("{kib} KiB"));
    println!(
        "| {crowd} | {over} | {:.2?} | {:.2?} | {:.2?} | {:.2?} | {memory} |",
        each.0, each.1, last.0, last.1
    );
}

/// The median and the 99th percentile.
fn percentiles(mut all: Vec<Duration>) -> (Duration, Duration) {
    all.sort();
    let at = |percent: usize| all[(all.len() * percent / 100).min(all.len() - 1)];
    (at(50), at(99))
}

/// Resident memory of a process in KiB; 0 where the system does not report it.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}
