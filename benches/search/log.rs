//! A realistic log of many conversations, in the format of OpenHands 0.62: prompts, commands with output, edits of source
//! code, test failures. Words are as frequent as in a language: the most common one is in most events, most are rare.

use handrail::conversation::{LogItem, from_v0};
use handrail::journal::Entry;
use handrail::wire::v0::Incoming;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Conversations of the log. A few are long, most are short.
pub const CONVERSATIONS: usize = 1000;
/// Words beside the common ones, and names in the code.
const WORDS: usize = 30_000;
const NAMES: usize = 4_000;
const FILES: usize = 1_500;
/// Milliseconds between two events: a million of them are a year and a half.
const PACE: i64 = 47_000;
/// The time of the first event.
const START: i64 = 1_735_689_600_000;

const COMMON: [&str; 60] = [
    "the",
    "to",
    "a",
    "of",
    "and",
    "in",
    "is",
    "error",
    "file",
    "test",
    "for",
    "it",
    "line",
    "run",
    "this",
    "not",
    "with",
    "on",
    "at",
    "from",
    "be",
    "as",
    "that",
    "def",
    "return",
    "self",
    "import",
    "none",
    "true",
    "failed",
    "passed",
    "warning",
    "build",
    "module",
    "function",
    "config",
    "connection",
    "request",
    "server",
    "client",
    "value",
    "string",
    "index",
    "list",
    "path",
    "cargo",
    "npm",
    "python",
    "git",
    "commit",
    "branch",
    "main",
    "src",
    "lib",
    "tests",
    "update",
    "check",
    "find",
    "read",
    "write",
];

/// Parses raw events like the product does.
pub fn reader(raw: &str) -> LogItem {
    from_v0(&Incoming::read(
        serde_json::from_str(raw).expect("it was written here"),
    ))
}

/// A generator of pseudo-random numbers (splitmix64): the same log every time.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Less than `end`, all equally likely.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Less than `end`; each power of two as likely as the next (Zipf).
    pub fn seldom(&mut self, end: usize) -> usize {
        let part = self.next() as f64 / u64::MAX as f64;
        ((end as f64).powf(part) - 1.0) as usize
    }
}

/// The words and names of the log.
pub struct Language {
    words: Vec<String>,
    names: Vec<String>,
    files: Vec<String>,
}

const SYLLABLES: [&str; 40] = [
    "ba", "con", "de", "fra", "gen", "hol", "in", "jor", "ka", "lum", "mer", "nor", "op", "pre",
    "qua", "ri", "sta", "tor", "ul", "ver", "wis", "xen", "yor", "zan", "mi", "te", "ro", "sal",
    "ped", "cur", "fil", "gra", "hun", "led", "mon", "nal", "per", "sun", "tal", "vor",
];

impl Language {
    pub fn new() -> Self {
        let mut dice = Dice::new(1);
        let word = |dice: &mut Dice| {
            let count = 2 + dice.below(3);
            let syllables = (0..count).map(|_| SYLLABLES[dice.below(SYLLABLES.len())]);
            syllables.collect::<String>()
        };
        let words: Vec<String> = COMMON
            .iter()
            .map(|word| (*word).to_owned())
            .chain((0..WORDS).map(|_| word(&mut dice)))
            .collect();
        let capital = |word: &str| {
            let (first, rest) = word.split_at(1);
            first.to_uppercase() + rest
        };
        let names = (0..NAMES)
            .map(|number| {
                let (one, two) = (word(&mut dice), COMMON[dice.below(COMMON.len())]);
                match number % 3 {
                    0 => format!("{two}_{one}"),
                    1 => format!("{two}{}", capital(&one)),
                    _ => format!("{}{}", capital(&one), capital(two)),
                }
            })
            .collect();
        let files = (0..FILES)
            .map(|number| {
                let (one, two) = (word(&mut dice), word(&mut dice));
                let ending = ["rs", "py", "ts"][number % 3];
                format!("src/{one}/{two}.{ending}")
            })
            .collect();
        Self {
            words,
            names,
            files,
        }
    }

    /// The path of a file; the first ones are the most frequent.
    pub fn file(&self, number: usize) -> &str {
        &self.files[number]
    }

    fn text(&self, dice: &mut Dice, most: usize) -> String {
        let count = most / 3 + dice.below(most);
        let mut text = String::with_capacity(count * 7);
        for _ in 0..count {
            if !text.is_empty() {
                text.push(' ');
            }
            match dice.below(12) {
                0 => text.push_str(&self.names[dice.seldom(NAMES)]),
                _ => text.push_str(&self.words[dice.seldom(self.words.len())]),
            }
        }
        text
    }

    fn output(&self, dice: &mut Dice) -> String {
        let mut output = String::new();
        for line in 0..1 + dice.below(8) {
            // Writing to a `String` does not fail.
            let _ = match dice.below(4) {
                0 => writeln!(
                    output,
                    "{}:{}: {}",
                    self.files[dice.seldom(FILES)],
                    dice.below(900),
                    self.text(dice, 6)
                ),
                1 => writeln!(
                    output,
                    "test {} ... ok ({line}.{} s)",
                    self.names[dice.seldom(NAMES)],
                    dice.below(100)
                ),
                _ => writeln!(output, "{}", self.text(dice, 10)),
            };
        }
        output
    }

    /// The event `number` of the whole log, which is the event `id` of its conversation.
    pub fn event(&self, dice: &mut Dice, number: i64, id: i64) -> Entry {
        let mut event = match id % 6 {
            0 if id % 24 == 0 => message("user", &self.text(dice, 30)),
            0 => message("agent", &self.text(dice, 40)),
            1 | 3 => json!({ "source": "agent", "action": "run", "args": {
                "command": format!("cargo test {} -- {}", self.names[dice.seldom(NAMES)], self.files[dice.seldom(FILES)]),
                "is_input": false, "thought": self.text(dice, 12),
                "blocking": false, "hidden": false, "confirmation_state": "confirmed", "security_risk": 0 } }),
            2 | 4 => {
                json!({ "source": "agent", "observation": "run", "cause": id - 1, "success": true,
                "content": self.output(dice), "extras": { "command": "", "hidden": false,
                "metadata": { "exit_code": 0, "prefix": "", "suffix": "", "working_dir": "/workspace" } } })
            }
            _ => json!({ "source": "agent", "action": "edit", "args": {
                "path": self.files[dice.seldom(FILES)], "command": "str_replace",
                "old_str": self.text(dice, 15), "new_str": self.text(dice, 20),
                "thought": "", "security_risk": 0, "confirmation_state": "confirmed" } }),
        };
        // Words that are as rare as they are in the table of results.
        if number % 50_000 == 7 {
            event["args"]["content"] = json!(format!("a xylophone in {}", self.text(dice, 10)));
            event["source"] = json!("agent");
            event["action"] = json!("message");
            event
                .as_object_mut()
                .expect("an object")
                .remove("observation");
        }
        event["id"] = json!(id);
        event["message"] = json!("");
        let at = START + number * PACE;
        event["timestamp"] = json!(time(at));
        let raw = event.to_string();
        Entry {
            item: reader(&raw),
            raw,
        }
    }
}

fn message(source: &str, text: &str) -> Value {
    json!({ "source": source, "action": "message", "args": {
        "content": text, "wait_for_response": true, "image_urls": [], "file_urls": [] } })
}

/// When the event `number` was received, in milliseconds since the Unix epoch.
pub fn received(number: i64) -> i64 {
    START + number * PACE
}

/// A time as OpenHands 0.62 writes it.
fn time(at: i64) -> String {
    let (days, rest) = (at.div_euclid(86_400_000), at.rem_euclid(86_400_000));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
    format!(
        "{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:06}",
        rest % 1000 * 1000
    )
}

/// The date of a day since the Unix epoch.
pub fn date(days: i64) -> (i64, i64, i64) {
    // The year begins in March, so that its last day is the one that may be missing.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day = days.rem_euclid(146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, date)
}
