//! What this process has done, in numbers: counters, gauges and histograms that any layer adds to, and their text.
//!
//! They are static and cost an atomic addition. Labels are words of the program, never of users or agents, so that their
//! number is bounded.

use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    /// Adds to it.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Relaxed);
    }

    /// What it has counted.
    pub fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// A number that grows and shrinks.
#[derive(Debug, Default)]
pub struct Gauge(AtomicI64);

impl Gauge {
    const fn new() -> Self {
        Self(AtomicI64::new(0))
    }

    /// Adds to it, or takes away.
    pub fn add(&self, more: i64) {
        self.0.fetch_add(more, Relaxed);
    }

    /// Its value.
    pub fn get(&self) -> i64 {
        self.0.load(Relaxed)
    }

    /// Sets it.
    pub fn set(&self, value: i64) {
        self.0.store(value, Relaxed);
    }
}

/// A counter for each value of a label.
#[derive(Debug)]
pub struct Counters<const LABELS: usize> {
    labels: [&'static str; LABELS],
    counters: [Counter; LABELS],
}

impl<const LABELS: usize> Counters<LABELS> {
    const fn new(labels: [&'static str; LABELS]) -> Self {
        Self {
            labels,
            counters: [const { Counter::new() }; LABELS],
        }
    }

    /// Counts one of a label, or of the last one if this is not known.
    pub fn count(&self, label: &str) {
        let known = self.labels.iter().position(|known| *known == label);
        self.counters[known.unwrap_or(LABELS - 1)].add(1);
    }

    /// The labels with their counts.
    pub fn get(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.counters.iter().map(Counter::get);
        self.labels.iter().copied().zip(counts)
    }
}

/// How many values there were up to each of some limits.
#[derive(Debug)]
pub struct Histogram {
    limits: &'static [f64],
    /// One for each limit, and one for what is beyond.
    counts: [Counter; MOST_LIMITS + 1],
    /// Sum of the values in millionths.
    sum: Counter,
}

const MOST_LIMITS: usize = 12;

impl Histogram {
    const fn new(limits: &'static [f64]) -> Self {
        assert!(limits.len() <= MOST_LIMITS, "too many limits");
        Self {
            limits,
            counts: [const { Counter::new() }; MOST_LIMITS + 1],
            sum: Counter::new(),
        }
    }

    /// Counts a value.
    pub fn count(&self, value: f64) {
        let place = self.limits.iter().position(|limit| value <= *limit);
        self.counts[place.unwrap_or(self.limits.len())].add(1);
        self.sum.add((value * 1e6) as u64);
    }

    /// Counts a duration in seconds.
    pub fn took(&self, duration: Duration) {
        self.count(duration.as_secs_f64());
    }
}

const SECONDS: &[f64] = &[
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0,
];
const SIZES: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// Classes of HTTP statuses.
pub const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// Requests by class of status, with the time until their head was answered.
pub static REQUESTS: [Histogram; CLASSES.len()] =
    [const { Histogram::new(SECONDS) }; CLASSES.len()];
/// Readers of conversations and of the list.
pub static FOLLOWERS: Gauge = Gauge::new();
/// How often the lease of the database had been taken when this process took it; 0 without nodes.
pub static LEASE_EPOCH: Gauge = Gauge::new();
/// Bytes that wait for readers.
pub static QUEUED: Gauge = Gauge::new();
/// Readers that were too slow, or whose actor ended, and begin anew.
pub static GAPS: Counter = Counter::new();
/// Live connections to backends that were lost.
pub static RECONNECTS: Counter = Counter::new();
/// Requests to backends that failed, by kind.
pub static UPSTREAM_ERRORS: Counters<13> = Counters::new([
    "unreachable",
    "cut_off",
    "timeout",
    "unauthorized",
    "not_found",
    "rate_limited",
    "not_set_up",
    "not_running",
    "refused",
    "unexpected",
    "unsupported",
    "invalid",
    "other",
]);
/// Events that were new and are stored.
pub static EVENTS: Counter = Counter::new();
/// Changes of the journal in one commit.
pub static GROUPS: Histogram = Histogram::new(SIZES);
/// Time of commits that wait for the disk.
pub static COMMITS_ON_DISK: Histogram = Histogram::new(SECONDS);
/// Time of commits that do not.
pub static COMMITS: Histogram = Histogram::new(SECONDS);
/// Ends of attempts to send a notification.
pub static NOTICES: Counters<3> = Counters::new(["sent", "repeated", "given_up"]);
/// Backups that the server has made, or failed to make.
pub static BACKUPS: Counters<2> = Counters::new(["made", "failed"]);
/// When the server made its newest backup, in seconds since the Unix epoch; 0 if it has not.
pub static LAST_BACKUP: Gauge = Gauge::new();

/// Metrics as OpenMetrics text.
#[derive(Debug, Default)]
pub struct Text(String);

impl Text {
    /// Begins a metric; its samples follow.
    pub fn metric(&mut self, name: &str, kind: &str, help: &str) -> Samples<'_> {
        let text = &mut self.0;
        // Writing to a text cannot fail.
        let _ = writeln!(
            text,
            "# TYPE handrail_{name} {kind}\n# HELP handrail_{name} {help}"
        );
        Samples {
            text,
            name: name.to_owned(),
        }
    }

    /// A counter.
    pub fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.metric(name, "counter", help)
            .sample("_total", &[], value);
    }

    /// A gauge.
    pub fn gauge(&mut self, name: &str, help: &str, value: impl fmt::Display) {
        self.metric(name, "gauge", help).sample("", &[], value);
    }

    /// A counter with a label.
    pub fn counters<const LABELS: usize>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        counters: &Counters<LABELS>,
    ) {
        let mut samples = self.metric(name, "counter", help);
        for (value, count) in counters.get() {
            samples.sample("_total", &[(label, value)], count);
        }
    }

    /// The whole text.
    pub fn finish(mut self) -> String {
        self.0.push_str("# EOF\n");
        self.0
    }
}

/// The samples of a metric.
pub struct Samples<'t> {
    text: &'t mut String,
    name: String,
}

impl Samples<'_> {
    /// Adds a sample. Values of labels are words of the program, or escaped.
    pub fn sample(&mut self, suffix: &str, labels: &[(&str, &str)], value: impl fmt::Display) {
        let labels: Vec<String> = labels
            .iter()
            .map(|(name, value)| {
                let value = value
                    .replace('\\', "\\\\")
                    .replace('"', "\\\"")
                    .replace('\n', "\\n");
                format!("{name}=\"{value}\"")
            })
            .collect();
        let labels = match labels.is_empty() {
            true => String::new(),
            false => format!("{{{}}}", labels.join(",")),
        };
        let _ = writeln!(self.text, "handrail_{}{suffix}{labels} {value}", self.name);
    }

    /// Adds a histogram.
    pub fn histogram(&mut self, label: Option<(&str, &str)>, histogram: &Histogram) {
        let mut count = 0;
        let limits = histogram.limits.iter().map(|limit| format!("{limit:?}"));
        for (limit, counter) in limits.chain(["+Inf".to_owned()]).zip(&histogram.counts) {
            count += counter.get();
            let labels: Vec<_> = label.into_iter().chain([("le", limit.as_str())]).collect();
            self.sample("_bucket", &labels, count);
        }
        let labels: Vec<_> = label.into_iter().collect();
        self.sample("_count", &labels, count);
        self.sample("_sum", &labels, histogram.sum.get() as f64 / 1e6);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_counts_up_to_each_limit() {
        let histogram = Histogram::new(&[0.5, 2.0]);
        for value in [0.25, 0.5, 1.0, 7.0] {
            histogram.count(value);
        }
        let mut text = Text::default();
        text.metric("time_seconds", "histogram", "Time.")
            .histogram(Some(("kind", "a")), &histogram);
        text.counters("x", "Y.", "kind", &Counters::new(["a\"", "other"]));
        assert_eq!(
            text.finish(),
            "# TYPE handrail_time_seconds histogram\n# HELP handrail_time_seconds Time.\n\
             handrail_time_seconds_bucket{kind=\"a\",le=\"0.5\"} 2\nhandrail_time_seconds_bucket{kind=\"a\",le=\"2.0\"} 3\n\
             handrail_time_seconds_bucket{kind=\"a\",le=\"+Inf\"} 4\nhandrail_time_seconds_count{kind=\"a\"} 4\n\
             handrail_time_seconds_sum{kind=\"a\"} 8.75\n\
             # TYPE handrail_x counter\n# HELP handrail_x Y.\nhandrail_x_total{kind=\"a\\\"\"} 0\nhandrail_x_total{kind=\"other\"} 0\n\
             # EOF\n"
        );
    }

    #[test]
    fn an_unknown_label_is_another_one() {
        let counters = Counters::new(["a", "other"]);
        counters.count("a");
        counters.count("b");
        counters.count("c");
        assert_eq!(counters.get().collect::<Vec<_>>(), [("a", 1), ("other", 2)]);
    }
}
