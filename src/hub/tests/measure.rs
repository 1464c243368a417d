//! How fast: run with `cargo test --release hub_speed -- --ignored --nocapture`.

use super::*;
use std::io::Write;
use std::time::Instant;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement, not a test"]
async fn hub_speed() {
    let mut report = String::new();
    for count in [1_000_i64, 10_000, 100_000] {
        let house = house(Runtime::Running).await;
        house.fake.emit(talk(count));
        let mut follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
        let started = Instant::now();
        let mut tab = Tab::default();
        let whole = tab.read_up_to(count / 4 * 4, &mut follower).await;
        let rate = count as f64 / started.elapsed().as_secs_f64();
        let handle = house.handle().await;
        handle
            .newest
            .clone()
            .wait_for(|seq| *seq == count)
            .await
            .expect("it stays open");
        house.reader.open(ID).await.expect("it is there");
        let started = Instant::now();
        for _ in 0..20 {
            house.reader.open(ID).await.expect("it is there");
        }
        let open = started.elapsed() / 20;
        report += &format!(
            "{count} events: {rate:.0}/s stored, rendered and followed (whole: {whole}), opened in {open:?}\n"
        );
    }
    // The report of a measurement is for people.
    let _ = std::io::stderr().write_all(report.as_bytes());
}
