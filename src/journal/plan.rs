//! What an append writes: calculated from its events and what is known of the log, without the database.

use super::checkpoints::Kept;
use super::usage::Spending;
use super::zone::Zone;
use crate::conversation::{
    Answer, Body, KnownRows, LogItem, Placed, Row, RowContext, Session, place,
};
use crate::render::first_line;
use std::collections::{BTreeMap, HashSet};

/// Longest excerpt of a message in the conversation list, in characters.
const EXCERPT: usize = 160;

/// An event to append.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The parsed event.
    pub item: LogItem,
    /// Its JSON, stored unchanged.
    pub raw: String,
}

/// An event in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Its sequence number in the conversation.
    pub seq: i64,
    /// The id of its row; `None` if the event is not on the timeline.
    pub row: Option<i64>,
    /// The parsed event.
    pub item: LogItem,
}

/// What an append needs to know of the log.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The newest `seq`.
    pub(super) seq: i64,
    pub(super) session: Session,
    /// Whether checkpoints and marks are complete.
    pub(super) is_folded: bool,
    /// Of the server, if the new events have times without one.
    pub(super) zone: Option<Zone>,
    /// The rows of what the new events name.
    pub(super) rows: KnownRows,
}

/// What new events name: keys, and ids of tool calls.
#[derive(Debug, Default)]
pub(super) struct Named<'e> {
    pub(super) keys: HashSet<&'e str>,
    pub(super) calls: HashSet<&'e str>,
}

impl<'e> Named<'e> {
    pub(super) fn by(entries: &'e [Entry]) -> Self {
        let mut named = Self::default();
        for Entry { item, .. } in entries {
            named.keys.extend(item.key.as_deref());
            match &item.answers {
                Some(Answer::Key(key)) => drop(named.keys.insert(key)),
                Some(Answer::Call(id)) => drop(named.calls.insert(id)),
                Some(Answer::Before(_)) | None => {}
            }
        }
        named
    }
}

/// What an append writes.
#[derive(Debug)]
pub(super) struct AppendPlan {
    /// The newest `seq` afterwards.
    pub(super) seq: i64,
    /// The session afterwards.
    pub(super) session: Session,
    /// The new events, in order.
    pub(super) new: Vec<Planned>,
    /// Rows that are new or have changed, by id.
    pub(super) rows: Vec<(i64, RowChange)>,
    pub(super) spent: Spending,
    /// What is known of the server's zone afterwards.
    pub(super) zone: Option<Zone>,
    /// Whether checkpoints and marks are complete.
    pub(super) is_folded: bool,
    /// Excerpt of the newest message among the new events, if there is one.
    pub(super) excerpt: Option<String>,
}

/// A new event.
#[derive(Debug)]
pub(super) struct Planned {
    pub(super) event: Stored,
    /// Its JSON.
    pub(super) raw: String,
    /// What a replay needs of it.
    pub(super) kept: Kept,
}

/// What an append makes of a row.
#[derive(Debug)]
pub(super) enum RowChange {
    /// All of its events are new: this is the row, if they make one.
    New(Option<Box<Row>>),
    /// It has earlier events, with which it is to be folded. The `seq` of the newest event outside the row that changed
    /// its state, or 0.
    Older(i64),
}

/// The changes of a batch to one row.
#[derive(Default)]
struct Touched {
    /// Items added to the row, each with its `seq`.
    items: Vec<(i64, LogItem)>,
    /// See [`RowChange::Older`].
    changed_by: i64,
}

impl AppendPlan {
    /// Plans to append `entries`, received at `now`; those whose key is known are left out.
    pub(super) fn new(known: Known, entries: Vec<Entry>, now: i64) -> Self {
        let Known {
            seq: before,
            mut session,
            is_folded,
            mut zone,
            mut rows,
        } = known;
        if let Some(zone) = &mut zone {
            zone.learn(entries.iter().map(|entry| &entry.item), now);
        }
        let ahead = zone.as_ref().and_then(|zone| zone.ahead);
        let mut seq = before;
        let mut new = Vec::with_capacity(entries.len());
        let mut touched: BTreeMap<i64, Touched> = BTreeMap::new();
        let mut spent = Spending::default();
        let mut excerpt: Option<(i64, String)> = None;
        for Entry { mut item, raw } in entries {
            let is_known = |key: &String| rows.keys.contains_key(key);
            if item.key.as_ref().is_some_and(is_known) {
                continue;
            }
            seq += 1;
            item.at = item.at.in_zone(ahead);
            let row = match place(&item, &session, &rows) {
                Placed::New => Some(seq),
                Placed::Joins(row) => Some(row),
                Placed::Aside => None,
            };
            let pos = session.pos_of(&item);
            let metrics = item.metrics.is_some().then(|| session.metrics.clone());
            let pending = session.pending.clone();
            for other in session.apply(&item, row) {
                touched.entry(other).or_default().changed_by = seq;
            }
            if let Some(metrics) = metrics.filter(|metrics| *metrics != session.metrics) {
                let at = Some(item.at.millis).filter(|at| *at > 0);
                spent.add(&metrics, &session, at.unwrap_or(now));
            }
            item.pos = Some(pos);
            rows.add(&item, row);
            let kept = match is_folded {
                true => Kept::of((seq, row, raw.len()), &item, pending.as_ref(), &session),
                false => Kept::default(),
            };
            if let Body::Message(message) = &item.body
                && excerpt.as_ref().is_none_or(|(newest, _)| *newest <= pos)
            {
                excerpt = Some((pos, first_line(&message.text, EXCERPT)));
            }
            if let Some(row) = row {
                let touched = touched.entry(row).or_default();
                touched.items.push((seq, item.clone()));
            }
            let event = Stored { seq, row, item };
            new.push(Planned { event, raw, kept });
        }
        let change = |(id, Touched { items, changed_by })| {
            let context = || RowContext {
                seq: changed_by,
                ..session.context(id)
            };
            let change = match id > before {
                true => RowChange::New(Row::fold(&items, context()).map(Box::new)),
                false => RowChange::Older(changed_by),
            };
            (id, change)
        };
        Self {
            seq,
            rows: touched.into_iter().map(change).collect(),
            new,
            spent,
            zone,
            is_folded,
            excerpt: excerpt.map(|(_, text)| text),
            session,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Timeline;
    use crate::journal::tests::sample::{answers, asked, asks, entry, prints, runs, says};

    /// The plan of a batch that follows what `known` says.
    fn plan(known: &Known, entries: &[Entry]) -> AppendPlan {
        let known = Known {
            seq: known.seq,
            session: known.session.clone(),
            is_folded: true,
            zone: None,
            rows: known.rows.clone(),
        };
        AppendPlan::new(known, entries.to_vec(), 7)
    }

    /// What is known after a plan was written.
    fn after(mut known: Known, plan: AppendPlan) -> Known {
        for Planned { event, .. } in &plan.new {
            known.rows.add(&event.item, event.row);
        }
        Known {
            seq: plan.seq,
            session: plan.session,
            ..known
        }
    }

    fn entries() -> Vec<Entry> {
        [
            says(1, "Clean up"),
            asks(2, "make clean"),
            asked(3, "make clean", true),
            prints(4, 3, "gone"),
            runs(5, "ls"),
            prints(6, 5, "a b"),
            answers(7, "Done."),
        ]
        .iter()
        .map(entry)
        .collect()
    }

    #[test]
    fn batches_of_any_size_place_each_event_as_a_timeline_in_memory_does() {
        let entries = entries();
        let mut timeline = Timeline::default();
        let wanted: Vec<_> = entries
            .iter()
            .filter_map(|entry| timeline.push(entry.item.clone()))
            .map(|taken| (taken.seq, taken.row))
            .collect();
        for size in 1..=entries.len() {
            let (mut known, mut placed, mut excerpt) = (Known::default(), Vec::new(), None);
            for batch in entries.chunks(size) {
                let plan = plan(&known, batch);
                placed.extend(plan.new.iter().map(|one| (one.event.seq, one.event.row)));
                excerpt = plan.excerpt.clone().or(excerpt);
                known = after(known, plan);
            }
            assert_eq!(placed, wanted, "in batches of {size}");
            assert_eq!(known.session, *timeline.session(), "in batches of {size}");
            assert_eq!(excerpt.as_deref(), Some("Done."));
            // Once more, nothing is new.
            let again = plan(&known, &entries);
            assert!(again.new.is_empty() && again.rows.is_empty() && again.seq == known.seq);
        }
    }

    #[test]
    fn a_row_with_earlier_events_is_to_be_folded_with_them_and_a_new_one_is_whole() {
        let entries = entries();
        let first = plan(&Known::default(), &entries[..2]);
        assert!(matches!(
            &first.rows[..],
            [(1, RowChange::New(Some(_))), (2, RowChange::New(Some(_)))]
        ));
        let known = after(Known::default(), first);
        let second = plan(&known, &entries[2..5]);
        let ids: Vec<_> = second
            .rows
            .iter()
            .map(|(id, change)| (*id, matches!(change, RowChange::Older(_))))
            .collect();
        assert_eq!(ids, [(2, true), (5, false)]);
    }

    #[test]
    fn what_events_name_is_looked_up() {
        let entries = entries();
        let named = Named::by(&entries[3..4]);
        let mut keys: Vec<_> = named.keys.into_iter().collect();
        keys.sort_unstable();
        assert_eq!(keys, ["3", "4"]);
    }
}
