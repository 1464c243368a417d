//! SQLite and PostgreSQL, side by side in one run: stored events a second, the first page, a search, an approval and delivery to a
//! page. PostgreSQL is the one at `HANDRAIL_TEST_DATABASE`; over TCP (`?sslmode=disable`) it is measured once more with a
//! millisecond of delay on the way to it and on the way back.

use crate::chaos::Chaos;
use crate::cluster::database_beside;
use crate::process::{Process, approve_in_time, command, create};
use crate::stage;
use crate::tab::Tab;
use crate::talk::{reader, talk};
use handrail::backend::rehearsal::{Options, Rehearsal};
use handrail::journal::{ConversationMeta, Journal, Location, Server};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const ID: &str = "c0ffee";
/// Events that are stored in each way.
const EVENTS: usize = 4_000;
/// Events of one transaction: one that arrives alone, and those of a page of stored events.
const BATCHES: [usize; 3] = [1, 16, 256];
/// Rows of a first page.
const ROWS: u32 = 60;
/// Repetitions of each question.
const TIMES: usize = 100;
/// Approvals.
const APPROVALS: usize = 20;
/// The delay on each way.
const DELAY: Duration = Duration::from_millis(1);

/// Measures, and prints a table.
pub async fn run() {
    println!("| engine | what | p50 | p99 |");
    println!("|---|---|---|---|");
    measure("SQLite", None).await;
    let Some(server) = std::env::var("HANDRAIL_TEST_DATABASE").ok() else {
        println!("PostgreSQL is left out: HANDRAIL_TEST_DATABASE has no address of one");
        return;
    };
    measure("PostgreSQL", Some(&server)).await;
    if let Some((address, rest)) = tcp(&server) {
        let slow = Chaos::before(address).await;
        slow.delay(DELAY);
        let behind = rest.replace("ADDRESS", &slow.address.to_string());
        measure("PostgreSQL, 1 ms away", Some(&behind)).await;
    }
}

/// The TCP address of a server, and its URL with `ADDRESS` in place of that.
fn tcp(server: &str) -> Option<(SocketAddr, String)> {
    let (user, rest) = server.split_once('@')?;
    let (address, rest) = rest.split_once('/')?;
    Some((address.parse().ok()?, format!("{user}@ADDRESS/{rest}")))
}

async fn measure(engine: &str, server: Option<&str>) {
    for batch in BATCHES {
        let folder = TempDir::new().expect("a temporary folder");
        let journal = journal(folder.path(), server).await;
        let mut entries = talk(EVENTS as i64).into_iter().peekable();
        let begun = Instant::now();
        while entries.peek().is_some() {
            let next = entries.by_ref().take(batch).collect();
            let stored = journal.append(ID, next, true, 1).await;
            stored.expect("it can be written");
        }
        let rate = EVENTS as f64 / begun.elapsed().as_secs_f64();
        println!("| {engine} | events a second, {batch} at a time | {rate:.0} | |");
        if batch == BATCHES[2] {
            let mut took = Vec::new();
            for _ in 0..TIMES {
                let begun = Instant::now();
                journal.window(ID, ROWS).await.expect("it is healthy");
                took.push(begun.elapsed());
            }
            report(engine, "first page, from the journal", took);
        }
    }
    with_pages(engine, server).await;
}

/// What people notice: over HTTP and a live connection.
async fn with_pages(engine: &str, server: Option<&str>) {
    let rehearsal = Rehearsal::start(Options {
        pace: Duration::from_millis(2),
        ..stage::quick()
    });
    let rehearsal = rehearsal.await.expect("a free port");
    let folder = TempDir::new().expect("a temporary folder");
    let backend = format!("http://{}", rehearsal.addr());
    let mut options = vec!["--trust-local", "--backend", &backend];
    let database = match server {
        Some(server) => Some(database_beside(server).await),
        None => None,
    };
    if let Some(database) = &database {
        options.extend(["--database", database]);
    }
    let process = Process::of(command(folder.path(), &options)).await;
    let address = process.address;

    let id = create(address, "[[scenario:long:200]]").await;
    let mut tab = Tab::new(&id);
    assert!(tab.connect(address).await);
    tab.session("the work is done", stage::is_at_rest).await;
    let mut pages = Vec::new();
    let client = reqwest::Client::new();
    for _ in 0..TIMES {
        let begun = Instant::now();
        let page = client.get(format!("http://{address}/c/{id}")).send().await;
        page.expect("it answers").bytes().await.expect("a page");
        pages.push(begun.elapsed());
    }
    report(engine, "page of a conversation", pages);
    let mut searches = Vec::new();
    for _ in 0..TIMES {
        let begun = Instant::now();
        let page = client
            .get(format!("http://{address}/search?q=step"))
            .send()
            .await;
        page.expect("it answers").bytes().await.expect("a page");
        searches.push(begun.elapsed());
    }
    report(engine, "page of a search", searches);

    let mut approvals = Vec::new();
    for _ in 0..APPROVALS {
        let id = create(address, "[[scenario:confirm]]").await;
        let mut tab = Tab::new(&id);
        assert!(tab.connect(address).await);
        tab.session("it asks", |session| session.approval.is_some())
            .await;
        let approval = tab
            .session
            .as_ref()
            .and_then(|session| session.approval.clone());
        let token = approval.expect("it asks").token;
        let approved = approve_in_time(address, &id, &token).await;
        approvals.push(approved.expect("it counts").elapsed());
    }
    report(engine, "approval, until it is confirmed", approvals);
}

async fn journal(folder: &Path, server: Option<&str>) -> Journal {
    let location = match server {
        None => Location::from(folder),
        Some(server) => {
            let database = database_beside(server).await;
            let server = Server::new(&database, None, 8, Duration::from_secs(30));
            Location::Server(Arc::new(server.expect("an address")))
        }
    };
    let journal = Journal::open(location, reader)
        .await
        .expect("it can be made");
    let described = ConversationMeta {
        id: ID.to_owned(),
        ..ConversationMeta::default()
    };
    let described = journal.describe(vec![described]).await;
    described.expect("it can be written");
    journal
}

fn report(engine: &str, what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("| {engine} | {what} | {:.1?} | {:.1?} |", at(0.5), at(0.99));
}
