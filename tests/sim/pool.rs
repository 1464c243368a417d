//! Many runs in a few processes, and shrinking of a failing one. Long because both ends
//! of the protocol between the processes are here.
//!
//! Processes are needed because a run may hang or abort, which must not end the test, and because some state belongs to
//! a whole process. A seed gives the same trace in every process only if all of this state is the same:
//!
//! - The first branch that `select!` polls depends on how many random generators tokio has created in the process: one
//!   for each runtime, and one for each thread that runs any. Each seed has a fixed range of their numbers, and a worker
//!   creates those of the seeds that it skips.
//! - Each thread counts the hashers of its maps, which determines their iteration order and tokio's seeds. A seed has a
//!   thread of its own, and nothing else creates hashers there: the skipped generators are created on another thread.
//! - The template of the journal and lazy statics are made by the first run of a process, so this is always seed 0.

use crate::plan::Plan;
use crate::run::{Outcome, run, shelf};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tokio::runtime::Builder;

/// Number of random generators reserved per seed. Its thread creates one, and each life of Handrail another.
const LIVES: u64 = 256;
/// The environment variable of a worker: its first seed, the distance to the next one, and their number.
const WORK: &str = "HANDRAIL_SIM_WORK";
/// The steps to keep, if some are left out.
const KEEP: &str = "HANDRAIL_SIM_KEEP";
/// Whether all events are printed.
const WORDS: &str = "HANDRAIL_SIM_WORDS";
/// Whether plans are long.
const LONG: &str = "HANDRAIL_SIM_LONG";

/// A worker's report on a seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub seed: u64,
    pub trace: String,
    pub events: u64,
    pub answers: u64,
    pub questions: u64,
    pub steps: u64,
    pub wrong: Option<String>,
    pub lines: Vec<String>,
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A number from the environment of the test.
pub fn variable(name: &str) -> Option<u64> {
    number(name)
}

/// The plan of a seed, with the options of the environment.
fn plan(seed: u64, long: bool) -> Plan {
    let plan = if long {
        Plan::long(seed)
    } else {
        Plan::of(seed)
    };
    match std::env::var(KEEP) {
        Ok(kept) => {
            let kept: Vec<usize> = kept
                .split(',')
                .filter_map(|step| step.parse().ok())
                .collect();
            plan.only(&kept)
        }
        Err(_) => plan,
    }
}

/// The work of a worker; does nothing in other processes.
pub fn work() {
    let Ok(work) = std::env::var(WORK) else {
        return;
    };
    let numbers: Vec<u64> = work
        .split(':')
        .filter_map(|part| part.parse().ok())
        .collect();
    let &[first, stride, count] = &numbers[..] else {
        panic!("a worker needs three numbers")
    };
    let (shelf, words) = (shelf(), number(WORDS).is_some());
    let warm_up = on_a_thread(0, Plan::of(0), false, &shelf);
    let mut made = 1 + warm_up.counts.lives;
    for seed in (0..count).map(|turn| first + turn * stride) {
        say(format_args!("begin {seed}"));
        let place = seed * LIVES;
        for _ in made..place {
            drop(Builder::new_current_thread());
        }
        let plan = plan(seed, number(LONG).is_some());
        let outcome = on_a_thread(seed, plan, words, &shelf);
        made = place + 1 + outcome.counts.lives;
        for line in &outcome.lines {
            say(format_args!("line {line}"));
        }
        let counts = outcome.counts;
        say(format_args!(
            "seed {seed} {:016x} {} {} {} {} {}",
            outcome.trace,
            counts.delivered,
            counts.answers,
            counts.questions,
            counts.steps,
            outcome.wrong.as_deref().unwrap_or("ok").replace('\n', " ")
        ));
    }
    let _ = std::fs::remove_dir_all(shelf);
}

/// Runs a plan on a thread of its own.
fn on_a_thread(seed: u64, plan: Plan, words: bool, shelf: &Path) -> Outcome {
    let shelf = shelf.to_owned();
    let ran = std::thread::spawn(move || {
        handrail_sim_os::begin(seed);
        run(plan, words, &shelf)
    });
    ran.join().unwrap_or_else(|panic| {
        let why = panic.downcast_ref::<String>().cloned();
        let why = why.or_else(|| panic.downcast_ref::<&str>().map(|why| (*why).to_owned()));
        Outcome::panicked(why.unwrap_or_default())
    })
}

#[expect(
    clippy::print_stdout,
    reason = "a worker reports on its standard output"
)]
fn say(line: std::fmt::Arguments<'_>) {
    println!("SIM {line}");
}

fn worker(first: u64, stride: u64, count: u64, more: &[(&str, String)]) -> Child {
    let program = std::env::current_exe().expect("a test knows its path");
    Command::new(program)
        .args([
            "--exact",
            "works_for_another_process",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(WORK, format!("{first}:{stride}:{count}"))
        .envs(more.iter().map(|(name, value)| (*name, value.as_str())))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a test can be started")
}

/// Reads a worker's reports to the end, or until the callback has enough.
fn read_reports(mut worker: Child, mut on_report: impl FnMut(Said) -> bool) {
    let output = worker.stdout.take().expect("it is piped");
    let mut lines = Vec::new();
    let mut begun = None;
    for line in BufReader::new(output).lines() {
        let Ok(line) = line else { break };
        let Some(line) = line.split_once("SIM ").map(|(_, line)| line.to_owned()) else {
            continue;
        };
        if let Some(line) = line.strip_prefix("line ") {
            lines.push(line.to_owned());
        } else if let Some(seed) = line.strip_prefix("begin ") {
            begun = seed.parse().ok();
        } else if let Some(said) = read(&line, &mut lines) {
            begun = None;
            if !on_report(said) {
                let _ = worker.kill();
                break;
            }
        }
    }
    let _ = worker.wait();
    let _ = std::fs::remove_dir_all(shelf_of(worker.id()));
    if let Some(seed) = begun {
        let wrong = Some("the process ended in the middle".to_owned());
        let trace = String::new();
        on_report(Said {
            seed,
            trace,
            events: 0,
            answers: 0,
            questions: 0,
            steps: 0,
            wrong,
            lines,
        });
    }
}

fn shelf_of(process: u32) -> std::path::PathBuf {
    let own = shelf();
    own.with_file_name(format!("handrail-sim-{process}"))
}

fn read(line: &str, lines: &mut Vec<String>) -> Option<Said> {
    let mut parts = line.strip_prefix("seed ")?.splitn(7, ' ');
    let seed = parts.next()?.parse().ok()?;
    let trace = parts.next()?.to_owned();
    let mut count = || parts.next()?.parse().ok();
    let (events, answers, questions, steps) = (count()?, count()?, count()?, count()?);
    let wrong = Some(parts.next()?.to_owned()).filter(|wrong| wrong != "ok");
    Some(Said {
        seed,
        trace,
        events,
        answers,
        questions,
        steps,
        wrong,
        lines: std::mem::take(lines),
    })
}

/// Runs one seed in a process of its own.
pub fn alone(seed: u64, kept: Option<&[usize]>, words: bool, long: bool) -> Said {
    let mut more = Vec::new();
    if long {
        more.push((LONG, "1".to_owned()));
    }
    if let Some(kept) = kept {
        let kept: Vec<String> = kept.iter().map(usize::to_string).collect();
        more.push((KEEP, kept.join(",")));
    }
    if words {
        more.push((WORDS, "1".to_owned()));
    }
    let mut found = None;
    read_reports(worker(seed, 1, 1, &more), |said| {
        found = Some(said);
        true
    });
    found.expect("a worker reports")
}

/// Runs seeds one after the other in one process.
pub fn in_a_row(first: u64, count: u64) -> Vec<Said> {
    let mut found = Vec::new();
    read_reports(worker(first, 1, count, &[]), |said| {
        found.push(said);
        true
    });
    found
}

/// The total of many runs.
pub struct Total {
    pub seeds: u64,
    pub events: u64,
    pub answers: u64,
    pub questions: u64,
    pub steps: u64,
    pub took: Duration,
    /// The first failure.
    pub wrong: Option<Said>,
}

impl std::fmt::Display for Total {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            seeds,
            events,
            answers,
            questions,
            steps,
            took,
            ..
        } = self;
        let each = |count: &u64| *count as f64 / took.as_secs_f64();
        write!(
            f,
            "{seeds} seeds ({:.1}/s), {steps} steps ({:.0}/s), {events} events ({:.0}/s), {questions} questions and \
             {answers} answers ({:.0}/s) in {:.1} s",
            each(seeds),
            each(steps),
            each(events),
            each(answers),
            took.as_secs_f64()
        )
    }
}

/// Runs seeds on all cores until one fails, all are done, or enough events have occurred.
pub fn many(first: u64, count: u64, events: Option<u64>) -> Total {
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let begun = Instant::now();
    let (sender, reports) = std::sync::mpsc::channel::<Said>();
    let enough = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let more: Vec<(&str, String)> = events.iter().map(|_| (LONG, "1".to_owned())).collect();
    let threads: Vec<_> = (0..workers)
        .map(|turn| {
            let mine = (count + workers - 1 - turn) / workers;
            let worker = worker(first + turn, workers, mine, &more);
            let (sender, enough) = (sender.clone(), enough.clone());
            std::thread::spawn(move || {
                read_reports(worker, |said| {
                    let _ = sender.send(said);
                    !enough.load(std::sync::atomic::Ordering::Relaxed)
                });
            })
        })
        .collect();
    drop(sender);
    let took = Duration::ZERO;
    let mut total = Total {
        seeds: 0,
        events: 0,
        answers: 0,
        questions: 0,
        steps: 0,
        took,
        wrong: None,
    };
    for said in reports {
        total.seeds += 1;
        total.events += said.events;
        total.answers += said.answers;
        total.questions += said.questions;
        total.steps += said.steps;
        total.took = begun.elapsed();
        if events.is_some() && total.seeds.is_multiple_of(500) {
            crate::tell(&total.to_string());
        }
        if said.wrong.is_some()
            && total
                .wrong
                .as_ref()
                .is_none_or(|wrong| wrong.seed > said.seed)
        {
            total.wrong = Some(said);
        }
        // A tenth as many answers.
        let is_enough = |wanted| total.events >= wanted && total.answers * 10 >= wanted;
        if total.wrong.is_some() || events.is_some_and(is_enough) {
            enough.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }
    for thread in threads {
        thread.join().expect("it does not panic");
    }
    total.took = begun.elapsed();
    total
}

/// Removes as many steps of a failing run as possible while it still fails; returns the shortest version found.
pub fn shrink(seed: u64, long: bool) -> (Vec<usize>, Said) {
    let steps = plan(seed, long).steps.len();
    let mut kept: Vec<usize> = (0..steps).collect();
    let mut best = alone(seed, Some(&kept), true, long);
    let mut part = (steps / 2).max(1);
    loop {
        let mut at = 0;
        while at < kept.len() {
            let mut fewer = kept.clone();
            fewer.drain(at..(at + part).min(kept.len()));
            let said = alone(seed, Some(&fewer), true, long);
            if said.wrong.is_some() {
                (kept, best) = (fewer, said);
            } else {
                at += part;
            }
        }
        if part == 1 {
            return (kept, best);
        }
        part = (part / 2).max(1);
    }
}
