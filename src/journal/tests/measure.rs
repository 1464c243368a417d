//! Speed of the journal: run with `cargo test --release journal_speed -- --ignored --nocapture`.

use super::{ID, entry, journal, talk, window};
use crate::journal::{Search, Words};
use std::io::Write;
use std::time::Instant;

#[tokio::test]
#[ignore = "a measurement, not a test"]
async fn journal_speed() {
    let mut report = String::new();
    for count in [1_000_i64, 10_000, 100_000] {
        let (journal, _folder) = journal().await;
        let mut entries: Vec<_> = talk(count).iter().map(entry).collect();
        let started = Instant::now();
        while !entries.is_empty() {
            let rest = entries.split_off(entries.len().min(256));
            journal
                .append(ID, std::mem::replace(&mut entries, rest), true, 1)
                .await
                .expect("a healthy journal");
        }
        let rate = count as f64 / started.elapsed().as_secs_f64();
        window(&journal, 60).await;
        let started = Instant::now();
        for _ in 0..20 {
            window(&journal, 60).await;
        }
        let open = started.elapsed() / 20;
        let of_two_words = Search {
            words: Words::of("notes number").expect("two words"),
            limit: 50,
            ..Search::default()
        };
        let started = Instant::now();
        journal
            .search(of_two_words, |_| true)
            .await
            .expect("a healthy journal");
        let search = started.elapsed();
        report += &format!(
            "{count} events: {rate:.0} appended/s, 60 rows in {open:?}, search in {search:?}\n"
        );
    }
    // The report is for the person who runs the measurement.
    let _ = std::io::stderr().write_all(report.as_bytes());
}
