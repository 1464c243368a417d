//! The page over all conversations.

use super::super::Html;
use super::super::hidden::escaped;
use super::plot::{Bar, framed, plot, share_bar};
use super::table::{Sorting, cells, facts, folded, headings, hint, line, section, table};
use super::{money, share, span, text};
use crate::conversation::{Measure, OverallReport, Spent};
use crate::render::grouped;
use jiff::Timestamp;
use std::collections::HashMap;
use std::ops::RangeInclusive;

/// Seconds of a day.
const DAY: i64 = 86_400;

/// What the chart of a report shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SpentBy {
    /// Days.
    #[default]
    Day,
    /// Models.
    Model,
    /// Creators of conversations.
    Person,
}

impl SpentBy {
    const ALL: [Self; 3] = [Self::Day, Self::Model, Self::Person];

    /// The one with this name in an address, or else days.
    pub fn named(word: &str) -> Self {
        match word {
            "model" => Self::Model,
            "person" => Self::Person,
            _ => Self::Day,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Model => "model",
            Self::Person => "person",
        }
    }

    /// The heading of its chart.
    fn title(self) -> &'static str {
        match self {
            Self::Day => text::by_day(),
            Self::Model => text::by_model(),
            Self::Person => text::by_person(),
        }
    }
}

/// What a report is about.
#[derive(Debug, Clone)]
pub struct Period {
    /// The path that pages live under, ending in `/`.
    pub base: String,
    /// Its days since the Unix epoch, UTC.
    pub days: RangeInclusive<i64>,
    /// What the chart shows.
    pub by: SpentBy,
    /// What tables are sorted by.
    pub measure: Measure,
    /// The titles of the conversations, by id.
    pub titles: HashMap<String, String>,
}

/// Plots and tables over all conversations.
pub fn overall_html(report: &OverallReport, period: &Period) -> Html {
    if report.count == 0 {
        return hint(text::nothing_spent());
    }
    let mut html = section(text::total(), &total(report));
    let number = period.days.end() - period.days.start() + 1;
    let (base, by) = (&period.base, period.by.word());
    let address = format!("{base}insight?days={number}&by={by}&sort=");
    let sorting = Sorting {
        by: period.measure,
        address: &address,
    };
    let title = period.by.title();
    let shown = match period.by {
        SpentBy::Day => days(report, period),
        SpentBy::Model => {
            let names = named(&report.models, text::unknown_model(), period.measure);
            sums(title, text::model(), names, Some(&sorting))
        }
        SpentBy::Person => {
            let names = named(&report.people, text::unknown_person(), period.measure);
            sums(title, text::person(), names, Some(&sorting))
        }
    };
    html.push_str(&section(title, &(charts(period, number) + &shown)));
    let conversations = report.conversations.iter();
    let conversations = conversations.map(|(id, spent)| (link(id, period), spent));
    let title = text::by_conversation();
    let mut listed = sums(title, text::conversation(), conversations, Some(&sorting));
    let shown = report.conversations.len();
    if (shown as u64) < report.count {
        let all = grouped(report.count);
        listed.push_str(&hint(&text::most_of(shown, all)));
    }
    if !report.is_highest {
        listed.push_str(&hint(text::not_highest()));
    }
    listed.push_str(&hint(text::deleted_hint()));
    html.push_str(&section(text::by_conversation(), &listed));
    html
}

/// Links to the same page with each chart.
fn charts(period: &Period, days: i64) -> Html {
    let Period { base, measure, .. } = period;
    let link = |by: SpentBy| {
        let current = match by == period.by {
            true => r#" aria-current="true""#,
            false => "",
        };
        let (word, sort) = (by.word(), measure.word());
        let address = escaped(&format!("{base}insight?days={days}&by={word}&sort={sort}"));
        let name = escaped(by.title());
        format!(r#"<a class="chip chip--button" href="{address}"{current}>{name}</a>"#)
    };
    let links = SpentBy::ALL.map(link).concat();
    let name = escaped(text::chart());
    format!(r#"<nav class="chips" aria-label="{name}">{links}</nav>"#)
}

/// Each name with a bar, as long as its share of the highest, and what was spent on it.
fn named<'s>(
    sums: &'s [(String, Spent)],
    unknown: &'static str,
    measure: Measure,
) -> impl Iterator<Item = (Html, &'s Spent)> {
    let values = sums.iter().map(|(_, spent)| measure.of(spent));
    let highest = values.fold(f64::MIN_POSITIVE, f64::max);
    sums.iter().map(move |(name, spent)| {
        let name = match name.as_str() {
            "" => escaped(unknown),
            name => line(name),
        };
        (name + &share_bar(measure.of(spent) / highest), spent)
    })
}

/// A link to the page about a conversation.
fn link(id: &str, period: &Period) -> Html {
    let title = period.titles.get(id).filter(|title| !title.is_empty());
    let title = title.map_or_else(|| escaped(text::untitled()), |title| line(title));
    let (base, id) = (escaped(&period.base), escaped(id));
    format!(r#"<a href="{base}c/{id}/insight">{title}</a>"#)
}

fn total(report: &OverallReport) -> Html {
    let total = &report.total;
    let mut known = vec![
        (text::cost(), money(total.cost)),
        (text::tokens(), grouped(total.tokens())),
        (text::cached(), share(total.cached())),
        (text::person_time(), span(total.person)),
    ];
    known.retain(|(_, value)| !value.is_empty());
    let mut html = facts(&known);
    if !report.is_whole {
        html.push_str(&hint(text::not_whole()));
    }
    html
}

/// A table of sums; the names are HTML.
fn sums<'s>(
    title: &str,
    heading: &'static str,
    sums: impl Iterator<Item = (Html, &'s Spent)>,
    sorting: Option<&Sorting<'_>>,
) -> Html {
    let mut columns = vec![(heading, false)];
    columns.extend(headings());
    let row = |(name, spent): (Html, &Spent)| {
        let mut row = vec![name];
        row.extend(cells(spent));
        (String::new(), row)
    };
    table(title, &columns, &sums.map(row).collect::<Vec<_>>(), sorting)
}

fn days(report: &OverallReport, period: &Period) -> Html {
    let spent: HashMap<i64, &Spent> = report
        .days
        .iter()
        .map(|(day, spent)| (*day, spent))
        .collect();
    let has_cost = report.total.cost > 0.0;
    let value = |spent: &Spent| match has_cost {
        true => spent.cost,
        false => spent.tokens() as f64,
    };
    let amount = |value: f64| match has_cost {
        true => money(value),
        false => grouped(value as u64),
    };
    let shown = |spent: &Spent| amount(value(spent));
    let bar = |day: i64| {
        let spent = spent
            .get(&day)
            .map(|spent| (*spent).clone())
            .unwrap_or_default();
        Bar {
            parts: vec![value(&spent)],
            title: format!("{}: {}", date(day), shown(&spent)),
        }
    };
    let bars: Vec<Bar> = period.days.clone().map(bar).collect();
    let label = text::day_plot(bars.len(), shown(&report.total));
    let drawn = plot(&label, &["plot__bar--model"], &bars);
    let highest = report.days.iter().map(|(_, spent)| value(spent));
    let highest = highest.fold(0.0, f64::max);
    let tick = |tick: f64| match has_cost && highest >= 1.0 {
        true => format!("${tick:.2}"),
        false => amount(tick),
    };
    let ticks = [highest, highest / 2.0, 0.0].map(tick);
    let dates: Vec<String> = period.days.clone().map(date).collect();
    let mut html = framed(&drawn, &ticks, &dates);
    let newest_first = report.days.iter().rev();
    let rows = newest_first.map(|(day, spent)| (date(*day), spent));
    html.push_str(&folded(&sums(text::by_day(), text::day(), rows, None)));
    html
}

/// A day as ISO 8601.
fn date(day: i64) -> String {
    let time = Timestamp::from_second(day.saturating_mul(DAY));
    time.map_or_else(
        |_| day.to_string(),
        |time| time.strftime("%Y-%m-%d").to_string(),
    )
}
