//! The duration of a login, and the effect of a hundred concurrent logins on live delivery.
//!
//! Each login comes from an address of its own, as behind a proxy, so that the throttling of guesses does not apply.

use crate::house::{House, PASSWORD, PageConnection};
use handrail::backend::rehearsal::Fault;
use handrail::live::FromServer;
use handrail::people::Role;
use reqwest::Method;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Logins of each kind.
const LOGINS: u32 = 40;
/// Wrong guesses that an account allows before its owner has to wait.
const GUESSES: u32 = 4;
/// Number of events.
const EVENTS: usize = 1000;
/// Pause after each event that all followers have received.
const PAUSE: Duration = Duration::from_millis(5);
const CROWD: usize = 10;
/// Concurrent logins.
const STORM: u32 = 100;

/// Measures, and prints a table.
pub async fn run() {
    let house = Arc::new(House::with(&["--trusted-proxy", "127.0.0.1"]).await);
    let owner = house.log_in("owner").await;
    // Each concurrent login uses an account of its own: one account allows only a few attempts at a time.
    let known = (0..LOGINS / GUESSES).map(|number| format!("known{number}"));
    for name in known.chain((0..STORM).map(at_once)) {
        house.add(&owner, &name, Role::Viewer).await;
    }
    println!("| login | p50 | p99 |\n|---|---|---|");
    for (what, status) in [
        ("right password", 303),
        ("wrong password", 401),
        ("nobody of that name", 401),
    ] {
        let mut took = Vec::new();
        for number in 0..LOGINS {
            let (name, password) = match what {
                "right password" => ("viewer".to_owned(), PASSWORD),
                "wrong password" => (format!("known{}", number / GUESSES), "wrong guess"),
                _ => (format!("unknown{number}"), "wrong guess"),
            };
            took.push(log_in(&house, &name, password, status).await);
        }
        let (half, most) = percentiles(took);
        println!("| {what} | {half:.1?} | {most:.1?} |");
    }
    let id = house
        .create_conversation(&owner, "[[scenario:hello]]")
        .await;
    let mut crowd = Vec::new();
    for _ in 0..CROWD {
        crowd.push(house.tab(&owner, &id).await);
    }
    // Lets the events of the scenario itself pass.
    tokio::time::sleep(Duration::from_secs(2)).await;
    println!("\n| live delivery to {CROWD} | p50 | p99 |\n|---|---|---|");
    let mut crowd = deliver(&house, crowd, "in peace").await;
    let done = Arc::new(AtomicU32::new(0));
    let storm: Vec<_> = (0..STORM)
        .map(|number| {
            let (house, done) = (Arc::clone(&house), Arc::clone(&done));
            tokio::spawn(async move {
                loop {
                    log_in(&house, &at_once(number), PASSWORD, 303).await;
                    done.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let began = Instant::now();
    crowd = deliver(&house, crowd, "while 100 log in").await;
    let rate = f64::from(done.load(Ordering::Relaxed)) / began.elapsed().as_secs_f64();
    let left = storm.iter().filter(|one| !one.is_finished()).count();
    assert_eq!(left, storm.len(), "somebody was refused");
    storm.iter().for_each(tokio::task::JoinHandle::abort);
    drop(crowd);
    println!("\n{rate:.0} logins a second meanwhile");
}

/// The name of an account for concurrent logins.
fn at_once(number: u32) -> String {
    format!("storm{number}")
}

/// Logs in from an unused address.
async fn log_in(house: &House, name: &str, password: &str, status: u16) -> Duration {
    static ADDRESS: AtomicU32 = AtomicU32::new(0);
    let number = ADDRESS.fetch_add(1, Ordering::Relaxed);
    let [_, a, b, c] = number.to_be_bytes();
    let form = [("name", name), ("password", password)];
    let request = house.request(Method::POST, "/login", None, &form);
    let request = request.header("x-forwarded-for", format!("10.{a}.{b}.{c}"));
    let began = Instant::now();
    let answer = request.send().await.expect("it answers");
    assert_eq!(answer.status(), status, "{name}");
    began.elapsed()
}

/// Emits events, each when all followers have received the previous one.
async fn deliver(house: &House, mut crowd: Vec<PageConnection>, how: &str) -> Vec<PageConnection> {
    let mut took = Vec::new();
    for _ in 0..EVENTS {
        let began = Instant::now();
        let faults = house.served.rehearsal.faults();
        faults.inject(&Fault::HugeEvent { bytes: 300 });
        let receive = |mut connection: PageConnection| async move {
            let rows = |frame| matches!(frame, FromServer::Rows { .. }).then_some(());
            connection.until("a row", rows).await;
            (connection, began.elapsed())
        };
        let received: Vec<_> = crowd
            .into_iter()
            .map(|connection| tokio::spawn(receive(connection)))
            .collect();
        crowd = Vec::new();
        for received in received {
            let (connection, at) = received.await.expect("it does not panic");
            took.push(at);
            crowd.push(connection);
        }
        tokio::time::sleep(PAUSE).await;
    }
    let (half, most) = percentiles(took);
    println!("| {how} | {half:.2?} | {most:.2?} |");
    crowd
}

/// The median and the 99th percentile.
fn percentiles(mut all: Vec<Duration>) -> (Duration, Duration) {
    all.sort();
    let at = |percent: usize| all[(all.len() * percent / 100).min(all.len() - 1)];
    (at(50), at(99))
}
