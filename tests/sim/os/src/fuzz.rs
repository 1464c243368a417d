//! Feeds a parser with damaged and inflated inputs, and limits its memory by their length.
//!
//! The inputs come from a corpus: parts of JSON are exchanged as wholes, so that what is inside is read, too. A few are
//! tried by default; with `HANDRAIL_FUZZ_SECONDS=600` as many as fit into that time, and `HANDRAIL_FUZZ_ONLY=terminal,code`
//! leaves out the parsers that it does not name. An input that fails is kept in a file.

use crate::memory::most_held;
use crate::next;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant, SystemTime};

/// Inputs of a run without a time, and the longest of them, in bytes.
const USUAL: usize = 60;
/// See [`USUAL`].
const USUAL_LENGTH: usize = 8 << 10;
/// Longest input of a run with a time.
const LONGEST: usize = 256 << 10;
/// Longest that an input may run, whatever else the machine does ([`ran`]).
const SLOWEST: Duration = Duration::from_secs(20);
/// What parsers look for.
const WORDS: [&str; 48] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ":",
    ",",
    "\\",
    "\\u0000",
    "\\ud800",
    "null",
    "NaN",
    "-1e999",
    "18446744073709551616",
    "{}",
    "[]",
    "{\"a\":1}",
    "[[",
    "\n",
    "\r\n",
    "\t",
    " ",
    "```",
    "~~~",
    "> ",
    "- ",
    "1. ",
    "| a | b |\n|-|-|\n",
    "**",
    "[a](b)",
    "![",
    "](",
    "<",
    "&#",
    "https://a.b/",
    "\x1b[",
    "\x1b[9999A",
    "\x1b[999999999C",
    "\x1b]8;;",
    "\x07",
    "\x08",
    "@@ -1,9 +1,9 @@\n",
    "+",
    "\"a\\303",
    "\u{202e}",
    "\u{200d}",
    "登录",
    "😀",
];

/// A source of damage to inputs up to a length.
struct Chance {
    state: u64,
    longest: usize,
}

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        let (state, word) = next(self.state);
        self.state = state;
        (word % (limit.max(1) as u64)) as usize
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    /// A range within an input, mostly a short one.
    fn range(&mut self, length: usize) -> (usize, usize) {
        let begin = self.below(length + 1);
        let most = if self.below(4) == 0 { length } else { 16 };
        (begin, (begin + self.below(most + 1)).min(length))
    }

    /// A value of JSON, or a text, within an input; any range if there is none.
    fn value(&mut self, input: &[u8]) -> (usize, usize) {
        let begin = self.below(input.len());
        let found = (begin..input.len()).find(|at| b"{[\"".contains(&input[*at]));
        found
            .and_then(|begin| Some((begin, end_of(input, begin)?)))
            .unwrap_or_else(|| self.range(input.len()))
    }

    fn damage(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let other = self.of(corpus);
        let (from, to) = if self.below(2) == 0 {
            self.value(input)
        } else {
            self.range(input.len())
        };
        match self.below(8) {
            0 => drop(input.drain(from..to)),
            1 => drop(input.splice(from..to, self.of(&WORDS).bytes())),
            2 => drop(input.splice(from..from, self.of(&WORDS).bytes())),
            3 | 4 => {
                let (begin, end) = self.value(other);
                drop(input.splice(from..to, other[begin..end].iter().copied()));
            }
            5 => {
                let part = input[from..to].to_vec();
                let times =
                    [2, 10, 1000, 100_000][self.below(4)].min(self.longest / part.len().max(1));
                drop(input.splice(to..to, part.repeat(times)));
            }
            6 => {
                let word = self.of(&WORDS).repeat([10, 1000, 100_000][self.below(3)]);
                drop(input.splice(from..to, word.into_bytes().into_iter().take(self.longest)));
            }
            _ => {
                if let Some(byte) = input.get_mut(from) {
                    *byte = self.below(256) as u8;
                }
            }
        }
        input.truncate(self.longest);
    }
}

/// Where the value that begins here ends.
fn end_of(input: &[u8], begin: usize) -> Option<usize> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (at, byte) in input.iter().enumerate().skip(begin) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 && !quoted {
            return Some(at + 1);
        }
    }
    None
}

/// How long this thread has run on a CPU. Where the system does not say it, the time since a moment, which passes for what
/// waits for a CPU, too.
fn ran(since: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = told.split(' ').next().and_then(|nanos| nanos.parse().ok());
    nanos.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

/// Feeds `parse` with inputs made from the corpus. It may hold `most` bytes for an input of a length.
///
/// # Panics
/// If `parse` panics, holds more, or takes too long; the message names the file with the input.
pub fn fuzz(name: &str, corpus: &[Vec<u8>], most: impl Fn(usize) -> usize, parse: impl Fn(&[u8])) {
    let seconds = std::env::var("HANDRAIL_FUZZ_SECONDS")
        .ok()
        .and_then(|text| text.parse().ok());
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let seed = seconds.map_or(1, |_: u64| since.map_or(1, |since| since.as_nanos() as u64));
    let only = std::env::var("HANDRAIL_FUZZ_ONLY").unwrap_or_default();
    if seconds.is_some() && !only.is_empty() && !only.split(',').any(|one| one == name) {
        println!("{name}: left out");
        return;
    }
    let longest = seconds.map_or(USUAL_LENGTH, |_| LONGEST);
    let mut chance = Chance {
        state: seed,
        longest,
    };
    let begun = Instant::now();
    // What is made once, at the first use.
    corpus.iter().for_each(|input| parse(input));
    let (mut count, mut dearest) = (0_usize, (0.0, 0, 0));
    while seconds.map_or(count < USUAL, |seconds| begun.elapsed().as_secs() < seconds) {
        let mut input = chance.of(corpus).clone();
        for _ in 0..=chance.below(6) {
            chance.damage(&mut input, corpus);
        }
        let started = ran(begun);
        let (outcome, held) = most_held(|| catch_unwind(AssertUnwindSafe(|| parse(&input))));
        let took = ran(begun).saturating_sub(started);
        let allowed = most(input.len());
        count += 1;
        if held as f64 / allowed as f64 > dearest.0 {
            dearest = (held as f64 / allowed as f64, held, input.len());
        }
        if outcome.is_err() || held > allowed || took > SLOWEST {
            let file = std::env::temp_dir().join(format!("handrail-fuzz-{name}-{count}"));
            let _ = std::fs::write(&file, &input);
            let panicked = if outcome.is_err() {
                "it panics"
            } else {
                "it does not panic"
            };
            panic!(
                "{name}: {panicked}, held {held} of {allowed} bytes for {}, ran for {took:?}: {}",
                input.len(),
                file.display()
            );
        }
    }
    if seconds.is_some() {
        let (share, held, length) = dearest;
        println!(
            "{name}: {count} inputs; the dearest held {held} bytes for {length}, {:.0} % of what it may",
            share * 100.0
        );
    }
}
