//! Search in a million events (target: p95 at most 100 ms): the time of each kind of query with and without rights, the
//! size of the index beside the text, and live delivery while the index is filled.
//!
//! `HANDRAIL_EVENTS=100000` searches a smaller log; `HANDRAIL_JOURNAL=/path` keeps the log there and uses it again.
//!
//! Long because queries and delivery are measured in the same journal.

mod log;

use self::log::{CONVERSATIONS, Dice, Language, received};
use crate::{stage, tab};
use futures_util::StreamExt;
use handrail::backend::rehearsal::{Dialect, Fault, Options, Rehearsal};
use handrail::hub::Hub;
use handrail::journal::{
    ConversationMeta, Found, Journal, JournalError, Search, SearchFilter, Words,
};
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::mpsc;

/// Events that are stored in one transaction: those of one conversation that arrive together.
const BATCH: usize = 64;
/// Repetitions of each query.
const TIMES: usize = 40;
/// Hits that a page shows.
const HITS: usize = 50;
/// Messages that a person has signed.
const SIGNED: usize = 2_000;
/// Followers of live delivery, and events.
const WATCHERS: usize = 100;
const EVENTS: usize = 300;

/// Which conversations a person sees, by their numbers.
type Sight = fn(usize) -> bool;

/// Measures, and prints a table.
pub async fn run() {
    let kept = std::env::var("HANDRAIL_JOURNAL").ok();
    let folder = TempDir::new().expect("a temporary folder");
    let folder = kept.as_deref().map_or(folder.path(), Path::new);
    let count = std::env::var("HANDRAIL_EVENTS").ok();
    let count = count.map_or(1_000_000, |count| count.parse().expect("a number"));
    let language = Language::new();
    if !folder.join("handrail.db").exists() {
        make(folder, &language, count).await;
    }
    sizes(folder);
    queries(folder, &language).await;
    deliveries(folder).await;
}

fn id(number: usize) -> String {
    format!("{number:032x}")
}

async fn make(folder: &Path, language: &Language, count: i64) {
    let journal = Journal::open(folder, log::reader)
        .await
        .expect("it can be made");
    let all = (0..CONVERSATIONS).map(|number| ConversationMeta {
        id: id(number),
        backend: ["one", "two"][number % 2].to_owned(),
        title: format!("Conversation {number}"),
        ..ConversationMeta::default()
    });
    journal
        .describe(all.collect())
        .await
        .expect("it can be written");
    let (begun, mut number) = (Instant::now(), 0);
    let mut next = vec![0; CONVERSATIONS];
    let mut dice = Dice::new(2);
    let mut signed = 0;
    while number < count {
        // A few conversations are long.
        let of = dice.seldom(CONVERSATIONS);
        let entries: Vec<_> = (0..BATCH as i64)
            .map(|_| {
                let entry = language.event(&mut dice, number, next[of]);
                (number, next[of]) = (number + 1, next[of] + 1);
                entry
            })
            .collect();
        let added = journal
            .append(&id(of), entries, true, received(number))
            .await;
        let added = added.expect("it can be written");
        if signed < SIGNED && dice.below(4) == 0 {
            signed += 1;
            let rows = vec![added.new[0].row.expect("it is on the timeline")];
            journal
                .sign_rows(&id(of), rows, "ada")
                .await
                .expect("it can be written");
        }
    }
    while journal.index_slice().await.expect("it can be written") {}
    let took = begun.elapsed().as_secs_f64();
    println!(
        "{count} events written and indexed in {took:.0} s: {:.0} a second\n",
        count as f64 / took
    );
}

/// The size of the index beside that of the text.
fn sizes(folder: &Path) {
    let file = rusqlite::Connection::open(folder.join("handrail.db")).expect("it is there");
    let sum = |sql: &str| {
        file.query_row(sql, [], |row| row.get::<_, i64>(0))
            .expect("it is SQL") as f64
            / 1e6
    };
    let raw = sum("SELECT sum(length(raw)) FROM event");
    let index = sum("SELECT sum(length(block)) FROM word_data");
    let sizes = sum("SELECT sum(length(sz)) FROM word_docsize");
    let pages = sum("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size");
    println!("| events as JSON | index | its table of sizes | file |\n|---|---|---|---|");
    println!("| {raw:.0} MB | {index:.0} MB | {sizes:.0} MB | {pages:.0} MB |\n");
}

async fn queries(folder: &Path, language: &Language) {
    let journal = Journal::open(folder, log::reader)
        .await
        .expect("it is there");
    let path = format!("{} ", language.file(40));
    let phrase = "\"error in\"";
    let person = || SearchFilter {
        person: Some("ada".to_owned()),
        ..SearchFilter::default()
    };
    let week = || SearchFilter {
        from_day: Some(20_150),
        to_day: Some(20_156),
        ..SearchFilter::default()
    };
    let files = || SearchFilter {
        path: Some(language.file(700).to_owned()),
        ..SearchFilter::default()
    };
    let one = || SearchFilter {
        conversation: Some(id(0)),
        ..SearchFilter::default()
    };
    let all: Sight = |_| true;
    // The last conversations are the short ones: they have about one event in a hundred of these.
    let few: Sight = |number| number >= CONVERSATIONS - CONVERSATIONS / 20;
    let tenth: Sight = |number| number % 10 == 3;
    let plain = SearchFilter::default;
    println!(
        "| query | sees | p50 | p95 | most | hits | searched |\n|---|---|---|---|---|---|---|"
    );
    let rows: [(&str, &str, SearchFilter, Sight); 22] = [
        ("two very common words", "the to", plain(), all),
        ("two very common words", "the to", plain(), tenth),
        ("two very common words", "the to", plain(), few),
        ("a rare word", "xylophone", plain(), all),
        ("a rare word", "xylophone", plain(), tenth),
        ("a rare word", "xylophone", plain(), few),
        ("a phrase", phrase, plain(), all),
        ("a phrase", phrase, plain(), few),
        ("`1*`", "1*", plain(), all),
        ("`1*`", "1*", plain(), few),
        ("a path", &path, plain(), all),
        ("a path", &path, plain(), few),
        ("a person (0.2 % of the events)", "the to", person(), all),
        ("a person, and a rare word", "xylophone", person(), all),
        ("a week a year ago", "the to", week(), all),
        ("changes of one file", "", files(), all),
        (
            "common words that never meet",
            "the xylophone zanzan",
            plain(),
            all,
        ),
        (
            "sixteen common words",
            "the to a of and in is error file test for it line run this not",
            plain(),
            all,
        ),
        ("a beginning of some words", "xyl", plain(), all),
        ("a beginning of very many words", "mon", plain(), all),
        (
            "an exact text, in one conversation",
            "\"error in the\"",
            one(),
            all,
        ),
        ("one conversation", "error", one(), all),
    ];
    for (name, text, filter, sight) in rows {
        let seen = (0..CONVERSATIONS).filter(|number| sight(*number)).count();
        let mut times = Vec::new();
        let mut last = Found::default();
        let mut too_slow = 0;
        for _ in 0..TIMES {
            let search = Search {
                words: Words::of(text).expect("few words"),
                filter: filter.clone(),
                after: None,
                limit: HITS,
            };
            let begun = Instant::now();
            let sees = move |id: &str| usize::from_str_radix(id, 16).is_ok_and(sight);
            let found = journal.search(search, sees).await;
            times.push(begun.elapsed());
            match found {
                Ok(found) => last = found,
                // The person is told to use fewer or less common words.
                Err(JournalError::TooSlow) => too_slow += 1,
                Err(error) => panic!("{error}"),
            }
        }
        if too_slow > 0 {
            println!("| {name} | {seen} | {too_slow} of {TIMES} were too slow |||||");
            continue;
        }
        let (p50, p95, most) = percentiles(times);
        let searched = if last.back_to.is_some() {
            "in part"
        } else {
            "to the end, or 50 hits"
        };
        println!(
            "| {name} | {seen} | {p50:.1?} | {p95:.1?} | {most:.1?} | {} | {searched} |",
            last.hits.len()
        );
    }
    println!();
}

/// Live delivery with a complete index, and while it is filled again.
async fn deliveries(folder: &Path) {
    println!("| delivery to {WATCHERS} followers | p50 | p99 | most |\n|---|---|---|---|");
    measure(folder, "index complete").await;
    let file = rusqlite::Connection::open(folder.join("handrail.db")).expect("it is there");
    let begun = Instant::now();
    file.execute_batch(
        "INSERT INTO word (word) VALUES ('delete-all');
         UPDATE unindexed SET up_to = (SELECT max(id) FROM event), of = (SELECT max(id) FROM event)",
    )
    .expect("it is SQL");
    drop(file);
    let dropped = begun.elapsed();
    measure(folder, "index being filled").await;
    let (begun, journal) = (Instant::now(), Journal::open(folder, log::reader).await);
    let journal = journal.expect("it is there");
    let mut slices = Vec::new();
    loop {
        let begun = Instant::now();
        let more = journal.index_slice().await.expect("it can be written");
        slices.push(begun.elapsed());
        if !more {
            break;
        }
    }
    let (p50, p95, most) = percentiles(slices);
    println!(
        "\nThe index was emptied in {dropped:.1?}, and filled in {:.0?} without pauses,",
        begun.elapsed()
    );
    println!("in slices of {p50:.1?} (p95 {p95:.1?}, most {most:.1?}).");
}

async fn measure(folder: &Path, name: &str) {
    let options = Options {
        dialect: Dialect::OpenHands,
        ..stage::quick()
    };
    let rehearsal = Rehearsal::start(options).await.expect("a free port");
    let backend = stage::bridge(Dialect::OpenHands, rehearsal.addr(), None);
    let hub = stage::hub_in(folder, backend).await;
    let latencies = deliver(&hub, &rehearsal).await;
    let mut latencies = latencies;
    latencies.sort();
    let at = |percent: usize| latencies[(latencies.len() * percent / 100).min(latencies.len() - 1)];
    println!(
        "| {name} | {:.2?} | {:.2?} | {:.2?} |",
        at(50),
        at(99),
        at(100)
    );
    hub.shutdown().await;
}

async fn deliver(hub: &Hub, rehearsal: &Rehearsal) -> Vec<Duration> {
    let begun = handrail::backend::NewConversation::saying("[[scenario:hello]]");
    let id = hub
        .commands
        .create(stage::me(), "", begun)
        .await
        .expect("it can be begun");
    let mut tab = tab::Tab::over(hub, &id).await;
    tab.session("the agent has done its work", stage::is_at_rest)
        .await;
    let (sender, mut receiver) = mpsc::unbounded_channel();
    for _ in 0..WATCHERS {
        let follower = hub.reader.follow(stage::me(), &id, tab.seq).await;
        let (mut follower, sender) = (follower.expect("it is there"), sender.clone());
        tokio::spawn(async move {
            while let Some(frame) = follower.next().await {
                if frame.starts_with(br#"{"rows":"#) && sender.send(Instant::now()).is_err() {
                    return;
                }
            }
        });
    }
    let mut latencies = Vec::new();
    for number in 0..EVENTS {
        let begun = Instant::now();
        rehearsal.faults().inject(&Fault::HugeEvent { bytes: 300 });
        let mut got = Vec::with_capacity(WATCHERS);
        while got.len() < WATCHERS {
            let at = receiver.recv().await.expect("they listen");
            got.extend((at > begun).then(|| at - begun));
        }
        if number >= EVENTS / 10 {
            latencies.extend(got);
        }
        // As events arrive: not all at once.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    latencies
}

/// The median, the 95th percentile and the largest.
fn percentiles(mut all: Vec<Duration>) -> (Duration, Duration, Duration) {
    all.sort();
    let at = |percent: usize| all[(all.len() * percent / 100).min(all.len() - 1)];
    (at(50), at(95), at(100))
}
