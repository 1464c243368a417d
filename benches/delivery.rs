//! From an event of the backend to everybody who watches: over the hub alone, and over real sockets.
//!
//! Backend and watchers share the machine with Handrail, so the numbers are upper bounds. Each event is
//! sent when all have got the one before it.

#![allow(dead_code, reason = "the parts of the tests are used, not all of each")]
#![allow(clippy::print_stdout, reason = "it is a program that prints a table")]

#[path = "../tests/it/chaos.rs"]
mod chaos;
#[path = "../tests/it/process.rs"]
mod process;
#[path = "../tests/it/stage.rs"]
mod stage;
#[path = "../tests/it/tab.rs"]
mod tab;

use futures_util::{SinkExt, StreamExt};
use handrail::backend::rehearsal::{Fault, Rehearsal};
use handrail::live::FromBrowser;
use std::time::{Duration, Instant};
use tab::Tab;
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;

/// Events for each crowd.
const EVENTS: usize = 200;
/// What is not counted: caches fill.
const WARM_UP: usize = 20;
const CROWDS: [usize; 3] = [1, 100, 1000];
/// How rows begin on the wire.
const ROWS: &[u8] = br#"{"rows":"#;

#[tokio::main]
async fn main() {
    println!(
        "| watchers | over | p50 | p99 | last of all, p50 | last of all, p99 | memory of one watcher |"
    );
    println!("|---|---|---|---|---|---|---|");
    for crowd in CROWDS {
        over_the_hub(crowd).await;
    }
    for crowd in CROWDS {
        over_sockets(crowd).await;
    }
}

async fn over_the_hub(crowd: usize) {
    let stage = stage::Stage::new().await;
    let tab = stage.at_rest().await;
    let (heard, hears) = mpsc::unbounded_channel();
    for _ in 0..crowd {
        let mut follower = stage
            .hub
            .follow(&tab.conversation, tab.seq)
            .await
            .expect("it is there");
        let heard = heard.clone();
        tokio::spawn(async move {
            while let Some(frame) = follower.next().await {
                if frame.starts_with(ROWS) && heard.send(Instant::now()).is_err() {
                    return;
                }
            }
        });
    }
    drop(tab);
    let latencies = measure(&stage.rehearsal, crowd, hears).await;
    report(crowd, "hub", latencies, None);
}

async fn over_sockets(crowd: usize) {
    let rehearsal = Rehearsal::start(stage::quick()).await.expect("a free port");
    let folder = tempfile::TempDir::new().expect("a temporary folder");
    let process = process::Process::start(folder.path(), rehearsal.addr()).await;
    let id = process::create(process.address, "[[scenario:hello]]").await;
    let mut tab = Tab::new(&id);
    assert!(tab.connect(process.address).await);
    tab.session("the work is done", stage::is_at_rest).await;
    let before = memory(process.id());
    let (heard, hears) = mpsc::unbounded_channel();
    let origin = format!("http://{}", process.address);
    let follow = FromBrowser::Follow {
        conversation: id,
        after: tab.seq,
    };
    let follow = serde_json::to_string(&follow).expect("plain data");
    for _ in 0..crowd {
        let line = tab::socket(process.address, Some(&origin), None).await;
        let mut line = line.expect("it is let in");
        line.send(Message::text(&follow)).await.expect("it is open");
        // The verdict: from now on it follows.
        line.next()
            .await
            .expect("it is answered")
            .expect("it is open");
        let heard = heard.clone();
        tokio::spawn(async move {
            while let Some(Ok(message)) = line.next().await {
                if message.into_data().starts_with(ROWS) && heard.send(Instant::now()).is_err() {
                    return;
                }
            }
        });
    }
    let each = memory(process.id()).saturating_sub(before) / crowd as u64;
    drop(tab);
    let latencies = measure(&rehearsal, crowd, hears).await;
    report(crowd, "sockets", latencies, Some(each));
}

/// Lets events happen and waits until all have got each. Per event: when each got it.
async fn measure(
    rehearsal: &Rehearsal,
    crowd: usize,
    mut hears: mpsc::UnboundedReceiver<Instant>,
) -> Vec<Vec<Duration>> {
    let mut all = Vec::new();
    for number in 0..WARM_UP + EVENTS {
        let begun = Instant::now();
        rehearsal.faults().inject(&Fault::HugeEvent { bytes: 300 });
        let mut got = Vec::with_capacity(crowd);
        while got.len() < crowd {
            let at = hears.recv().await.expect("the crowd listens");
            // What came before the first event was not meant.
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

/// Half and 99 of 100 are quicker.
fn percentiles(mut all: Vec<Duration>) -> (Duration, Duration) {
    all.sort();
    let at = |percent: usize| all[(all.len() * percent / 100).min(all.len() - 1)];
    (at(50), at(99))
}

/// What a process holds in memory, in KiB; 0 where the system does not say.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok())
        .unwrap_or(0)
}
