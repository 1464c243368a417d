//! What grows with the number of conversations: nothing should.
//!
//! Each journal has so many short conversations of three people, private, shared and public. `HANDRAIL_BIN` names another
//! program than the one of this build, `HANDRAIL_GROWTH` other numbers of conversations, separated by commas. With
//! `HANDRAIL_CHROMIUM`, the path of a browser, its main thread and nodes are measured, too (`end2end/growth.mjs`).
//!
//! Long because it has a backend and ways to ask of its own.

use crate::process::{Process, command};
use crate::stage;
use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use futures_util::StreamExt;
use futures_util::future::{BoxFuture, FutureExt, join_all};
use handrail::backend::rehearsal::Dialect;
use handrail::backend::{Backend, BackendError};
use handrail::conversation::Measure;
use handrail::hub::{Backends, Hub, Target};
use handrail::journal::{ConversationMeta, Journal, NewNotice, Notified, SharingRecord};
use handrail::live::{IMPORTED, ListAsk};
use handrail::people::{Caller, Credential, Role};
use handrail::render::SpentBy;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, UNIX_EPOCH};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

/// Conversations that are described in one transaction.
const BATCH: usize = 1_000;
/// Repetitions of each query.
const ROUNDS: usize = 40;
const WATCHERS: usize = 1_000;
const OPENINGS: usize = 20;
/// Days on which the conversations worked.
const DAYS: usize = 30;
/// Milliseconds of a day.
const DAY: i64 = 86_400_000;
/// Notifications that a channel keeps.
const OF_A_CHANNEL: usize = 1_000;
/// Changes that the watchers are told.
const CHANGES: usize = 9;
/// How long watchers get to read what they are told at first.
const CAUGHT_UP: Duration = Duration::from_secs(2);
/// How long polls are watched. A list that has not ended is read on each second.
const POLLED: Duration = Duration::from_secs(5);
/// Label of the backend that has the conversations. It is in use in the program, too.
const LISTED: &str = "Rehearsal";
const WORDS: [&str; 8] = [
    "parser", "manual", "login", "cache", "index", "socket", "release", "flaky",
];

/// Measures, and prints a table.
pub async fn run() {
    let counts = std::env::var("HANDRAIL_GROWTH").unwrap_or_default();
    let counts = counts.split(',').filter_map(|count| count.parse().ok());
    let mut counts: Vec<usize> = counts.collect();
    if counts.is_empty() {
        counts = vec![60, 1_000, 10_000, 100_000];
    }
    println!(
        "| conversations | start | page of an owner, of a viewer, own, p50 | title search, p95 | \
         usage of all, of one, p50 | messages under way; what is due, a notification, old ones, p50 | \
         a change to {WATCHERS} watchers | a poll, and its pages | start of the program | \
         HTML of `/`, `/inbox`, a page that is missing, `/insight` | first byte; of `/insight` | memory: idle, after 1, after {OPENINGS} openings, and as many of `/insight` | \
         browser at `/`; at a conversation: main thread, first byte, nodes |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for count in counts {
        let folder = TempDir::new().expect("a temporary folder");
        fill_journal(folder.path(), count).await;
        let inside = inside(folder.path(), count).await;
        let outside = outside(folder.path(), count).await;
        println!("| {count} | {inside} | {outside} |");
    }
}

fn id(number: usize) -> String {
    format!("{number:032x}")
}

fn title(number: usize) -> String {
    format!("{} number {number}", WORDS[number % WORDS.len()])
}

fn repository(number: usize) -> String {
    format!("acme/{}", WORDS[number / 7 % WORDS.len()])
}

/// When it was created and changed, milliseconds since the Unix epoch.
fn at(number: usize) -> i64 {
    1_763_683_200_000 + number as i64
}

/// Every second conversation is for everybody, every fourth for its creator, and the others for one more person.
async fn fill_journal(folder: &Path, count: usize) {
    let journal = Journal::open(folder, stage::reader).await;
    let journal = journal.expect("the folder can be written");
    for from in (0..count).step_by(BATCH) {
        let metas = (from..count.min(from + BATCH)).map(|number| ConversationMeta {
            id: id(number),
            // The newest is opened.
            backend: if number + 1 == count {
                IMPORTED
            } else {
                LISTED
            }
            .to_owned(),
            title: title(number),
            runtime: "stopped".to_owned(),
            repository: Some(repository(number)),
            created_at: at(number),
            updated_at: at(number),
            ..ConversationMeta::default()
        });
        let described = journal.describe(metas.collect()).await;
        described.expect("a healthy journal");
    }
    // Each record is a transaction of its own, on disk: of many conversations, the newest have one.
    for number in count.saturating_sub(2_000)..count {
        let (audience, with) = match number % 4 {
            0 | 2 => continue,
            1 => ("starter", Vec::new()),
            _ => ("some", vec![("bob".to_owned(), String::new())]),
        };
        let record = SharingRecord {
            conversation: id(number),
            creator: ["ada", "eve"][number / 4 % 2].to_owned(),
            audience: audience.to_owned(),
            with,
        };
        journal
            .keep_sharing(record)
            .await
            .expect("a healthy journal");
    }
    // A first start makes the list of what an older version has stored.
    let hub = hub_over(folder, nowhere()).await;
    while !journal
        .unlined(1)
        .await
        .expect("a healthy journal")
        .is_empty()
    {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    hub.shutdown().await;
    fill_what_grows(folder, count);
}

/// Today, in days since the Unix epoch.
fn today() -> i64 {
    let now = UNIX_EPOCH.elapsed().expect("a time after 1970").as_millis();
    i64::try_from(now).expect("a time") / DAY
}

/// What each conversation has spent, and what people were told of it; so many messages of the newest one that are long since
/// sent, and a channel where as many notifications wait as it keeps.
fn fill_what_grows(folder: &Path, count: usize) {
    let database = Connection::open(folder.join("handrail.db")).expect("it is there");
    let (first, waiting) = (today() - DAYS as i64 + 1, count.min(OF_A_CHANNEL));
    let filled = database.execute_batch(&format!(
        "PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON; BEGIN;
         INSERT INTO usage
           SELECT number, {first} + number % {DAYS}, 'model ' || number % 3, number % 1000 / 64.0, number % 10007, number % 997, 0
           FROM conversation;
         INSERT OR IGNORE INTO sharing (conversation, starter, audience)
           SELECT id, 'ada', 'all' FROM conversation WHERE number % 2 = 0;
         INSERT INTO told SELECT id, 'finished', '' FROM conversation;
         INSERT INTO outbox (conversation, client_id, text, images, files, at, state, why, sent_after)
           SELECT (SELECT max(number) FROM conversation), id, '', '[]', '[]', 0, 'done', '', 0 FROM conversation;
         INSERT INTO channel (number, person, kind, address, secret, origin, name, choices, created_at, seq)
           VALUES ({CHANNEL}, 0, 'webhook', 'https://hook.example/', '', 'https://h.example/', '', '{{}}', 0, {waiting});
         INSERT INTO notice (channel, seq, conversation, occasion, token, content, made_at, due_at, expires_at)
           SELECT {CHANNEL}, number, id, 'finished', '', '{{}}', {LATER}, {LATER}, {LATER} FROM conversation LIMIT {waiting};
         COMMIT"
    ));
    filled.expect("it is SQL");
}

/// The number of the channel.
const CHANNEL: i64 = 1;
/// A time, in milliseconds since the Unix epoch, that does not come.
const LATER: i64 = 1 << 52;

/// The median times of what depends on what was, and on what waits.
async fn under_way(folder: &Path, count: usize) -> String {
    let journal = Journal::open(folder, stage::reader).await;
    let journal = journal.expect("the folder can be written");
    let mut all: [Vec<Duration>; 4] = Default::default();
    for round in 0..ROUNDS {
        let begun = Instant::now();
        let outbox = journal.outbox(&id(count - 1)).await;
        assert!(outbox.expect("a healthy journal").is_empty());
        all[0].push(begun.elapsed());
        let begun = Instant::now();
        let due = journal.take_due(1, (0, 0), Vec::new(), 128).await;
        assert!(due.expect("a healthy journal").0.is_empty());
        all[1].push(begun.elapsed());
        let told = Notified {
            phase: "finished".to_owned(),
            token: String::new(),
        };
        let notice = NewNotice {
            channel: CHANNEL,
            occasion: "finished",
            content: "{}".to_owned(),
            due_at: LATER,
            expires_at: LATER,
            replaces: true,
        };
        let begun = Instant::now();
        let stored = journal
            .tell(&id(round), Some(told), LATER, vec![notice])
            .await;
        stored.expect("a healthy journal");
        all[2].push(begun.elapsed());
        let begun = Instant::now();
        let forgotten = journal.forget_notices(1).await;
        forgotten.expect("a healthy journal");
        all[3].push(begun.elapsed());
    }
    let [outbox, due, told, old] = all.map(|all| percentile(all, 50));
    format!("{outbox:.1?}; {due:.1?}, {told:.1?}, {old:.1?}")
}

/// The one backend, by the name that the program gives to the rehearsal.
struct One(Arc<dyn Backend>);

impl Backends for One {
    fn fixed(&self) -> Vec<Target> {
        vec![Target::rehearsal()]
    }
    fn connect(&self, _target: &Target) -> BoxFuture<'_, Result<Arc<dyn Backend>, BackendError>> {
        std::future::ready(Ok(Arc::clone(&self.0))).boxed()
    }
}

async fn hub_over(folder: &Path, backend: Arc<dyn Backend>) -> Hub {
    let journal = Journal::open(folder, stage::reader).await;
    let journal = journal.expect("the folder can be written");
    let hub = Hub::new(journal, One(backend), "/", Duration::ZERO).await;
    hub.expect("a healthy journal")
}

/// A backend at an address where nobody listens.
fn nowhere() -> Arc<dyn Backend> {
    let address = "127.0.0.1:9".parse().expect("an address");
    stage::bridge(Dialect::OpenHands, address, None)
}

/// What the hub does, in this process.
async fn inside(folder: &Path, count: usize) -> String {
    let begun = Instant::now();
    let hub = hub_over(folder, nowhere()).await;
    let start = begun.elapsed();
    hub.shutdown().await;
    // Without the one that was imported.
    let pages = Pages::of(count - 1);
    let hub = hub_over(folder, pages.served().await).await;
    let bob = Caller {
        person: 2,
        name: "bob".to_owned(),
        role: Role::Viewer,
        address: String::new(),
        credential: Credential::Login(2),
    };
    // The first list waits for the backend.
    hub.catalogue
        .page(&bob, "")
        .await
        .expect("a healthy journal");
    let poll = pages.polls().await;
    let own = ListAsk {
        show: "mine".to_owned(),
        sort: "title".to_owned(),
        ..ListAsk::default()
    };
    let ada = Caller {
        name: "ada".to_owned(),
        role: Role::Operator,
        ..bob.clone()
    };
    let all = ListAsk::default;
    let mut pages = Vec::new();
    for (by, ask) in [(stage::me(), all()), (&bob, all()), (&ada, own)] {
        let mut all = Vec::new();
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            hub.catalogue
                .page(by, ask.clone())
                .await
                .expect("a healthy journal");
            all.push(begun.elapsed());
        }
        pages.push(percentile(all, 50));
    }
    let mut searches = Vec::new();
    for round in 0..ROUNDS {
        let rare = format!("number {}", round * 7_919 % count);
        for words in [WORDS[round % WORDS.len()], &rare, "no such title", "r"] {
            let begun = Instant::now();
            let found = hub.catalogue.page(&bob, ListAsk::from(words)).await;
            found.expect("a healthy journal");
            searches.push(begun.elapsed());
        }
    }
    let mut usage = Vec::new();
    for by in [stage::me(), &ada] {
        let mut all = Vec::new();
        for round in 0..ROUNDS {
            let begun = Instant::now();
            let measure = Measure::ALL[round % Measure::ALL.len()];
            let page = hub
                .insights
                .overall(by, DAYS as u32, SpentBy::Day, measure)
                .await;
            page.expect("a healthy journal");
            all.push(begun.elapsed());
        }
        usage.push(percentile(all, 50));
    }
    let under_way = under_way(folder, count).await;
    let change = change(&hub, count).await;
    hub.shutdown().await;
    format!(
        "{start:.1?} | {:.1?}, {:.1?}, {:.1?} | {:.1?} | {:.1?}, {:.1?} | {under_way} | {change:.1?} | {poll}",
        pages[0],
        pages[1],
        pages[2],
        percentile(searches, 95),
        usage[0],
        usage[1]
    )
}

/// The time from a change to the last of its watchers, who have caught up: the median of some.
async fn change(hub: &Hub, count: usize) -> Duration {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    for _ in 0..WATCHERS {
        let mut follower = hub.list.follow_list(stage::me());
        let sender = sender.clone();
        tokio::spawn(async move {
            while let Some(frame) = follower.next().await {
                let text = String::from_utf8_lossy(&frame);
                if text.contains("a new title") && sender.send(Instant::now()).is_err() {
                    return;
                }
            }
        });
    }
    tokio::time::sleep(CAUGHT_UP).await;
    let mut took = Vec::new();
    for number in 0..CHANGES {
        let title = format!("a new title {number}");
        let begun = Instant::now();
        let renamed = hub
            .commands
            .rename(stage::me(), &id(count - 1), &title)
            .await;
        renamed.expect("it is there");
        let mut last = begun;
        for _ in 0..WATCHERS {
            last = receiver.recv().await.expect("they follow");
        }
        took.push(last - begun);
        // Whatever else tells them of it.
        tokio::time::sleep(CAUGHT_UP / 4).await;
        while receiver.try_recv().is_ok() {}
    }
    percentile(took, 50)
}

/// A backend of 0.x that has all conversations in its list, as the journal has them.
#[derive(Clone)]
struct Pages {
    count: usize,
    /// When a page was asked for and answered, and whether it was the first.
    asked: Arc<Mutex<Vec<(bool, Instant, Instant)>>>,
}

impl Pages {
    fn of(count: usize) -> Self {
        let asked = Arc::default();
        Self { count, asked }
    }

    async fn served(&self) -> Arc<dyn Backend> {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let router = Router::new()
            .route("/api/conversations", get(page))
            .with_state(self.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        stage::bridge(Dialect::OpenHands, address, None)
    }

    /// The median time from the first page of a poll to the last one, and the number of its pages.
    async fn polls(&self) -> String {
        self.asked.lock().expect("no panic").clear();
        tokio::time::sleep(POLLED).await;
        let asked = self.asked.lock().expect("no panic").clone();
        let polls = asked.chunk_by(|_, next| !next.0);
        let polls: Vec<_> = polls.filter(|poll| poll[0].0).collect();
        let took = polls.iter().map(|poll| poll[poll.len() - 1].2 - poll[0].1);
        let pages = polls.iter().map(|poll| poll.len()).max().unwrap_or(0);
        let took: Vec<Duration> = took.collect();
        match took.is_empty() {
            true => "none".to_owned(),
            false => format!("{:.1?}, {pages}", percentile(took, 50)),
        }
    }
}

async fn page(
    State(pages): State<Pages>,
    Query(asked): Query<HashMap<String, String>>,
) -> Json<Value> {
    let begun = Instant::now();
    let number = |name: &str| {
        asked
            .get(name)
            .and_then(|number| number.parse::<usize>().ok())
    };
    let (from, limit) = (number("page_id"), number("limit").unwrap_or(20));
    let numbers = (0..pages.count).rev().skip(from.unwrap_or(0));
    let results = numbers.take(limit).map(|number| {
        let at = jiff::Timestamp::from_millisecond(at(number)).expect("a time");
        json!({
            "conversation_id": id(number), "title": title(number), "status": "STOPPED",
            "selected_repository": repository(number), "created_at": at.to_string(),
            "last_updated_at": at.to_string(),
        })
    });
    let results: Vec<Value> = results.collect();
    let end = from.unwrap_or(0) + results.len();
    let next = (end < pages.count).then(|| end.to_string());
    let mut all = pages.asked.lock().expect("no panic");
    all.push((from.is_none(), begun, Instant::now()));
    Json(json!({ "results": results, "next_page_id": next }))
}

/// What a browser does, if one is given.
fn browser(addresses: &[String]) -> String {
    if std::env::var_os("HANDRAIL_CHROMIUM").is_none() {
        return "not measured".to_owned();
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/end2end/growth.mjs");
    let measured = Command::new("node").arg(script).args(addresses).output();
    let measured = measured.expect("node is installed");
    let lines = String::from_utf8_lossy(&measured.stdout).into_owned();
    lines.trim().replace('\n', "; ")
}

/// What the program does, as a browser sees it.
async fn outside(folder: &Path, count: usize) -> String {
    let built = command(folder, &["--trust-local"]);
    let begun = Instant::now();
    let process = match std::env::var_os("HANDRAIL_BIN") {
        Some(program) => Process::of(of_program(&program, &built)).await,
        None => Process::of(built).await,
    };
    let start = begun.elapsed();
    let client = reqwest::Client::new();
    let get = async |path: &str| {
        let address = format!("http://{}/{path}", process.address);
        let begun = Instant::now();
        let answer = client.get(address).send().await.expect("it serves");
        let first_byte = begun.elapsed();
        let body = answer.bytes().await.expect("it is whole");
        (body.len(), first_byte)
    };
    // The first page waits for the backend.
    get("settings/connection").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let idle = memory(process.id());
    let (home, _) = get("").await;
    let one = memory(process.id());
    let (_, first_byte) = get("").await;
    let (inbox, _) = get("inbox").await;
    let (missing, _) = get("no/such/page").await;
    join_all((0..OPENINGS).map(|_| get(""))).await;
    let twenty = memory(process.id());
    let (insight, usage) = get("insight").await;
    join_all((0..OPENINGS).map(|_| get("insight"))).await;
    let forty = memory(process.id());
    let address = format!("http://{}/", process.address);
    let open = format!("{address}c/{}", id(count - 1));
    let browser = browser(&[address, open]);
    format!(
        "{start:.1?} | {home}, {inbox}, {missing}, {insight} | {first_byte:.1?}; {usage:.1?} | {idle}, {one}, {twenty}, {forty} MB | {browser}"
    )
}

/// The same command with another program.
fn of_program(program: &OsStr, command: &Command) -> Command {
    let mut other = Command::new(program);
    other
        .args(command.get_args())
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    other
}

fn percentile(mut all: Vec<Duration>, percent: usize) -> Duration {
    all.sort();
    all[(all.len() * percent / 100).min(all.len() - 1)]
}

/// The largest resident memory of a process so far in MB; 0 where the system does not report it.
fn memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: Option<u64> = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
    kib.unwrap_or(0) / 1024
}
