//! The cost of the parts: folding, storing, the first page of a long conversation, one row.

use crate::talk::{reader, talk};
use divan::Bencher;
use divan::counter::ItemsCount;
use handrail::conversation::{LogItem, Row, Timeline};
use handrail::journal::{ConversationMeta, Journal};
use handrail::render::{Limits, render_row};
use std::sync::LazyLock;
use tempfile::TempDir;
use tokio::runtime::Runtime;

const ID: &str = "c0ffee";
/// Rows of a first page, as requested by the hub.
const FIRST_ROWS: u32 = 60;
/// Events that the hub stores in one transaction.
const BATCH: usize = 256;

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Runtime::new().expect("threads are to be had"));

/// Measures, and prints a table.
pub fn run() {
    divan::Divan::default().run_benches();
}

fn items(count: i64) -> Vec<LogItem> {
    talk(count).into_iter().map(|entry| entry.item).collect()
}

#[divan::bench(args = [16_000, 100_000], sample_count = 10)]
fn fold_a_log(bencher: Bencher<'_, '_>, count: i64) {
    bencher
        .counter(ItemsCount::new(count as u64))
        .with_inputs(|| items(count))
        .bench_values(Timeline::of);
}

/// A journal with one empty conversation.
async fn empty() -> (Journal, TempDir) {
    let folder = TempDir::new().expect("a temporary folder");
    let journal = Journal::open(folder.path(), reader)
        .await
        .expect("it can be made");
    let described = ConversationMeta {
        id: ID.to_owned(),
        ..ConversationMeta::default()
    };
    journal
        .describe(vec![described])
        .await
        .expect("it can be written");
    (journal, folder)
}

/// Appends in batches of `batch` events.
async fn append(journal: &Journal, entries: Vec<handrail::journal::Entry>, batch: usize) {
    let mut entries = entries.into_iter().peekable();
    while entries.peek().is_some() {
        let next = entries.by_ref().take(batch).collect();
        journal
            .append(ID, next, true, 1)
            .await
            .expect("it can be written");
    }
}

#[divan::bench(args = [1, 16, BATCH], sample_count = 10)]
fn append_two_thousand_events_in_batches_of(bencher: Bencher<'_, '_>, batch: usize) {
    bencher
        .counter(ItemsCount::new(2000_u32))
        .with_inputs(|| (RUNTIME.block_on(empty()), talk(2000)))
        .bench_values(|((journal, folder), entries)| {
            RUNTIME.block_on(append(&journal, entries, batch));
            (journal, folder)
        });
}

#[divan::bench(args = [100, 1_000, 10_000, 100_000])]
fn first_page_of(bencher: Bencher<'_, '_>, count: i64) {
    let (journal, _folder) = RUNTIME.block_on(async {
        let (journal, folder) = empty().await;
        append(&journal, talk(count), BATCH).await;
        (journal, folder)
    });
    let limits = Limits::short("/");
    bencher.bench_local(|| {
        let window = RUNTIME.block_on(journal.window(ID, FIRST_ROWS));
        let window = window.expect("it is healthy").expect("it is there");
        let rows = window.page.rows.iter();
        rows.map(|row| render_row(row, ID, &limits))
            .collect::<Vec<_>>()
    });
}

#[divan::bench]
fn render_a_command_with_its_output(bencher: Bencher<'_, '_>) {
    render(bencher, 1);
}

#[divan::bench]
fn render_a_message(bencher: Bencher<'_, '_>) {
    render(bencher, 2);
}

fn render(bencher: Bencher<'_, '_>, place: usize) {
    let rows: Vec<Row> = Timeline::of(items(4)).rows();
    let limits = Limits::short("/");
    bencher.bench_local(|| render_row(&rows[place], ID, &limits));
}
