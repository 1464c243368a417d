//! Phases of a test run: how long each took, how much CPU the machine spent meanwhile, and what it may cost.

use std::{
    fs,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};

/// What each phase may cost, cold and without other load; a phase that costs more is named loudly, and fails nothing.
const BUDGETS: &str = include_str!("../budgets.txt");

/// The phases that have been run, in order.
#[derive(Default)]
pub struct Phases {
    rows: Vec<Row>,
}

struct Row {
    name: String,
    seconds: f64,
    /// CPU seconds of the whole machine, which include other programs; `None` where the system does not tell.
    cpu: Option<f64>,
}

impl Phases {
    /// Runs `work` as the phase `name`.
    pub fn measure<T>(&mut self, name: &str, work: impl FnOnce() -> T) -> T {
        let (begun, before) = (Instant::now(), machine_cpu());
        let outcome = work();
        self.rows.push(Row {
            name: name.to_owned(),
            seconds: begun.elapsed().as_secs_f64(),
            cpu: before.zip(machine_cpu()).map(|(before, now)| now - before),
        });
        outcome
    }

    /// The table of all phases, their sum, and the phases over their budgets.
    pub fn table(&self) -> String {
        let mut table = format!(
            "{:<44} {:>8} {:>8} {:>8} {:>8}\n",
            "phase", "seconds", "budget", "CPU s", "budget"
        );
        let budgets = budgets(BUDGETS).expect("a test reads the same file");
        let mut total = Row {
            name: "all".to_owned(),
            seconds: 0.0,
            cpu: Some(0.0),
        };
        let mut over = Vec::new();
        for row in &self.rows {
            let budget = budgets.iter().find(|budget| budget.name == row.name);
            table.push_str(&line(row, budget));
            total.seconds += row.seconds;
            total.cpu = total.cpu.zip(row.cpu).map(|(one, other)| one + other);
            over.extend(budget.and_then(|budget| excess(row, budget)));
        }
        table.push_str(&line(&total, None));
        for sentence in over {
            table.push_str(&format!("OVER BUDGET: {sentence}\n"));
        }
        table
    }
}

struct Budget<'a> {
    name: &'a str,
    seconds: f64,
    cpu: f64,
}

/// Parses the lines `name: seconds, CPU seconds`. Errors: a line has another form.
fn budgets(text: &str) -> Result<Vec<Budget<'_>>> {
    text.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| budget(line).with_context(|| format!("not a budget: {line}")))
        .collect()
}

fn budget(line: &str) -> Option<Budget<'_>> {
    let (name, numbers) = line.split_once(": ")?;
    let (seconds, cpu) = numbers.split_once(", ")?;
    Some(Budget {
        name,
        seconds: seconds.parse().ok()?,
        cpu: cpu.parse().ok()?,
    })
}

fn line(row: &Row, budget: Option<&Budget<'_>>) -> String {
    let number =
        |number: Option<f64>| number.map_or("-".to_owned(), |number| format!("{number:.0}"));
    format!(
        "{:<44} {:>8} {:>8} {:>8} {:>8}\n",
        row.name,
        number(Some(row.seconds)),
        number(budget.map(|budget| budget.seconds)),
        number(row.cpu),
        number(budget.map(|budget| budget.cpu)),
    )
}

fn excess(row: &Row, budget: &Budget<'_>) -> Option<String> {
    let cpu = row.cpu.unwrap_or_default();
    (row.seconds > budget.seconds || cpu > budget.cpu).then(|| {
        format!(
            "{} took {:.0} s and {cpu:.0} CPU s of the machine",
            row.name, row.seconds
        )
    })
}

/// CPU seconds that the machine has spent since it started: user, nice and system time of all programs.
fn machine_cpu() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let numbers = stat.lines().next()?.strip_prefix("cpu ")?;
    let numbers = numbers.split_whitespace().take(3);
    let ticks: u64 = numbers.map(|ticks| ticks.parse().unwrap_or(0)).sum();
    // Linux counts in hundredths of a second, on every architecture (USER_HZ).
    Some(Duration::from_millis(ticks * 10).as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budgets_can_be_read() {
        assert!(!budgets(BUDGETS).unwrap().is_empty());
        assert!(budgets("unit tests: soon").is_err());
    }

    #[test]
    fn a_phase_over_its_budget_is_named() {
        let budget = Budget {
            name: "unit tests",
            seconds: 10.0,
            cpu: 20.0,
        };
        let row = |seconds, cpu| Row {
            name: "unit tests".to_owned(),
            seconds,
            cpu,
        };
        assert!(excess(&row(9.0, Some(19.0)), &budget).is_none());
        assert!(excess(&row(11.0, Some(1.0)), &budget).is_some());
        assert!(excess(&row(1.0, Some(21.0)), &budget).is_some());
        assert!(excess(&row(9.0, None), &budget).is_none());
    }
}
