//! The history as the agent sees it.

use super::super::Remark;
use super::Event;
use super::read::{ModelEvent, Observed, Said};

/// The message that stands for a prompt that is not in the log.
const STANDARD_PROMPT: &str = "(OpenHands' standard prompt, which is not in the log)";

/// The history as the agent sees it: without forgotten events, with the newest summary in their place, and beginning
/// with instructions and a message of the user.
pub(super) fn view(events: Vec<Event>) -> Vec<Event> {
    let condensations = events.iter().filter_map(|event| match &event.what {
        ModelEvent::Condensation(condensation) => Some(condensation),
        _ => None,
    });
    let mut forgotten = Vec::new();
    let mut summary = None;
    for condensation in condensations {
        forgotten.extend_from_slice(&condensation.forgotten);
        summary = condensation.summary.clone().or(summary);
    }
    let forgotten = merged(forgotten);
    let first = events.iter().find(|event| is_user_message(event)).cloned();
    let is_kept = |event: &Event| {
        !matches!(event.what, ModelEvent::Condensation(_)) && !forgets(&forgotten, event.id)
    };
    let mut view: Vec<Event> = events.into_iter().filter(is_kept).collect();
    let inserted = |what: ModelEvent| Event {
        id: -1,
        seq: None,
        pos: 0,
        what,
    };
    if let Some((text, offset)) = summary {
        let summary = Observed {
            text,
            is_cut: true,
            remark: Some(Remark::Summary),
            ..Observed::default()
        };
        view.insert(
            place(offset, view.len()),
            inserted(ModelEvent::Observed(summary)),
        );
    }
    if !view
        .iter()
        .any(|event| matches!(event.what, ModelEvent::System(_)))
    {
        view.insert(0, inserted(ModelEvent::System(STANDARD_PROMPT.to_owned())));
    }
    if !view.get(1).is_some_and(is_user_message) {
        let said = ModelEvent::Message(Said {
            is_user: false,
            ..Said::default()
        });
        let first = first.map(|first| Event { id: -1, ..first });
        view.insert(1, first.unwrap_or_else(|| inserted(said)));
    }
    view
}

/// Ranges in order that do not overlap.
fn merged(mut ranges: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    ranges.retain(|(first, last)| first <= last);
    ranges.sort_unstable();
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for (first, last) in ranges {
        match merged.last_mut().filter(|known| first <= known.1) {
            Some(known) => known.1 = known.1.max(last),
            None => merged.push((first, last)),
        }
    }
    merged
}

fn forgets(ranges: &[(i64, i64)], id: i64) -> bool {
    let after = ranges.partition_point(|(first, _)| *first <= id);
    after > 0 && ranges[after - 1].1 >= id
}

/// Where Python inserts into a list: a negative index counts from the end.
fn place(index: i64, length: usize) -> usize {
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    let index = match index {
        ..0 => (length + index.max(-length)).max(0),
        _ => index.min(length),
    };
    usize::try_from(index).unwrap_or_default()
}

pub(super) fn is_user_message(event: &Event) -> bool {
    matches!(&event.what, ModelEvent::Message(said) if said.is_user)
}
