//! The place that is shown, and the player that moves it.
//!
//! At most one request is in flight: a reader who drags the slider gets the last place that they asked for, and the
//! player asks for the next place while it waits for its time.

use crate::api::{ApiError, Pace, ReplayView, replay_at};
use crate::conversation::Kind;
use crate::render::RowView;
use crate::store::{Entry, RowKey, now};
use leptos::{prelude::*, task::spawn_local};
use std::time::Duration;

/// The speeds of the player.
pub(super) const SPEEDS: [u32; 3] = [1, 4, 16];
/// The least time between two places while playing, in milliseconds: more could not be seen, and would load the server.
const LEAST: u32 = 250;
/// The least time between two changes of the address while playing, in milliseconds: browsers allow few.
const ADDRESS: f64 = 1_000.0;

/// The replay of a conversation.
#[derive(Clone, Copy)]
pub(super) struct Player {
    id: StoredValue<String>,
    /// The place that is shown.
    pub(super) view: RwSignal<ReplayView>,
    /// Its rows.
    pub(super) rows: RwSignal<Vec<Entry>>,
    /// The rows of its panel.
    pub(super) family: RwSignal<Vec<Entry>>,
    /// The name of its panel.
    pub(super) panel: Memo<&'static str>,
    pub(super) playing: RwSignal<bool>,
    pub(super) speed: RwSignal<u32>,
    /// The panel that the rows of `family` belong to.
    pub(super) drawn: RwSignal<&'static str>,
    /// Why the last request failed.
    pub(super) trouble: RwSignal<Option<ApiError>>,
    /// The place that the reader wants.
    wanted: StoredValue<Option<i64>>,
    in_flight: StoredValue<bool>,
    /// Counts what the reader does, so that a place for the player is dropped when it comes too late.
    turn: StoredValue<u32>,
    /// When the address was changed last.
    stamped: StoredValue<f64>,
}

impl Player {
    pub(super) fn new(view: ReplayView, panel: Memo<&'static str>) -> Self {
        Self {
            id: StoredValue::new(view.id.clone()),
            rows: RwSignal::new(replaced(&[], &view.timeline.rows)),
            family: RwSignal::new(replaced(&[], &view.panel.rows)),
            view: RwSignal::new(view),
            panel,
            playing: RwSignal::new(false),
            speed: RwSignal::new(SPEEDS[0]),
            drawn: RwSignal::new(panel.get_untracked()),
            trouble: RwSignal::new(None),
            wanted: StoredValue::new(None),
            in_flight: StoredValue::new(false),
            turn: StoredValue::new(0),
            stamped: StoredValue::new(0.0),
        }
    }

    /// The id of the conversation.
    pub(super) fn id(self) -> String {
        self.id.get_value()
    }

    /// The event that is shown.
    pub(super) fn at(self) -> Memo<i64> {
        Memo::new(move |_| self.view.read().at)
    }

    /// Goes to a place. A player that plays goes on from there.
    pub(super) fn go(self, to: i64) {
        self.turn.update_value(|turn| *turn += 1);
        self.wanted.set_value(Some(to));
        self.pump();
    }

    /// Goes to the marked event before this one, or to the first event.
    pub(super) fn previous_mark(self) {
        let previous = self.view.read_untracked().previous;
        self.go(previous.unwrap_or(1));
    }

    /// Goes to the marked event after this one, or to the last event.
    pub(super) fn next_mark(self) {
        let view = self.view.read_untracked();
        let next = view.next.unwrap_or(view.newest);
        drop(view);
        self.go(next);
    }

    /// Goes some events forth, or back.
    pub(super) fn step(self, by: i64) {
        let view = self.view.read_untracked();
        let from = self.wanted.get_value().unwrap_or(view.at);
        let to = (from + by).clamp(view.newest.min(1), view.newest);
        drop(view);
        self.go(to);
    }

    /// Plays or pauses; at the end it plays from the beginning.
    pub(super) fn toggle(self) {
        if self.playing.get_untracked() {
            return self.pause();
        }
        self.playing.set(true);
        let view = self.view.read_untracked();
        let is_over = view.at >= view.newest;
        drop(view);
        if is_over {
            self.go(1);
        } else {
            self.pump();
        }
    }

    /// Pauses.
    pub(super) fn pause(self) {
        self.turn.update_value(|turn| *turn += 1);
        self.playing.set(false);
        self.stamp();
    }

    /// Asks for what is wanted, or for what comes next, unless a request is in flight.
    fn pump(self) {
        if self.in_flight.get_value() {
            return;
        }
        let wanted = self.wanted.get_value();
        self.wanted.set_value(None);
        let next = match wanted {
            Some(to) => Some((to, 0)),
            None if self.playing.get_untracked() => {
                let view = self.view.read_untracked();
                next(&view.ahead, self.speed.get_untracked())
            }
            None => return,
        };
        let Some((to, wait)) = next else {
            return self.pause();
        };
        self.in_flight.set_value(true);
        let (turn, began) = (self.turn.get_value(), now());
        let panel = self.panel.get_untracked();
        let id = self.id();
        spawn_local(async move {
            let answer = replay_at(id, Some(to), kind_of(panel), None).await;
            // The page may have been closed meanwhile.
            if self.view.is_disposed() {
                return;
            }
            self.in_flight.set_value(false);
            let rest = f64::from(wait) - (now() - began);
            match answer {
                Err(error) => {
                    self.trouble.set(Some(error));
                    self.pause();
                }
                Ok(view) if wanted.is_some() => self.show(view, panel),
                // The reader has gone elsewhere, or has paused.
                Ok(_) if self.turn.get_value() != turn => {}
                Ok(view) if rest >= 1.0 => {
                    let due = Duration::from_millis(rest as u64);
                    set_timeout(move || self.show_in_turn(view, panel, turn), due);
                    return;
                }
                Ok(view) => self.show(view, panel),
            }
            self.pump();
        });
    }

    /// Shows a place for the player, unless the reader has gone elsewhere or has paused.
    fn show_in_turn(self, view: ReplayView, panel: &'static str, turn: u32) {
        if !self.view.is_disposed() && self.turn.get_value() == turn {
            self.show(view, panel);
            self.pump();
        }
    }

    fn show(self, view: ReplayView, panel: &'static str) {
        self.trouble.set(None);
        self.rows
            .update(|rows| *rows = replaced(rows, &view.timeline.rows));
        self.family
            .update(|rows| *rows = replaced(rows, &view.panel.rows));
        self.view.set(view);
        self.drawn.set(panel);
        if !self.playing.get_untracked() || now() - self.stamped.get_value() > ADDRESS {
            self.stamp();
        }
    }

    /// Writes the place into the address.
    fn stamp(self) {
        self.stamped.set_value(now());
        let (at, panel) = (self.view.read_untracked().at, self.panel.get_untracked());
        let Ok(history) = window().history() else {
            return;
        };
        let state = history.state().unwrap_or_default();
        // A browser that allows no more changes leaves the address as it is.
        let _ = history.replace_state_with_url(&state, "", Some(&address(at, panel)));
    }
}

/// The address of a place, on the page of the replay.
pub(super) fn address(at: i64, panel: &str) -> String {
    match panel {
        "timeline" => format!("?at={at}"),
        panel => format!("?at={at}&panel={panel}"),
    }
}

/// The rows that a panel shows; `None` if it shows none.
pub(super) fn kind_of(panel: &str) -> Option<Kind> {
    match panel {
        "terminal" => Some(Kind::Shell),
        "files" => Some(Kind::Edit),
        "browser" => Some(Kind::Browser),
        _ => None,
    }
}

/// The next place while playing, and the time until it is due in milliseconds.
fn next(ahead: &[Pace], speed: u32) -> Option<(i64, u32)> {
    let first = ahead.first()?;
    let budget = first.pause.max(LEAST * speed);
    let (mut to, mut passed) = (first.seq, first.pause);
    for pace in &ahead[1..] {
        if passed + pace.pause > budget {
            break;
        }
        passed += pace.pause;
        to = pace.seq;
    }
    Some((to, (passed / speed).max(LEAST)))
}

/// The entries of `rows`; those of `known` rows stay the same, so that their cards do, too.
fn replaced(known: &[Entry], rows: &[RowView]) -> Vec<Entry> {
    let entry = |row: &RowView| {
        let key = RowKey {
            pos: row.pos,
            id: row.id,
        };
        match known.iter().find(|entry| entry.key == key) {
            Some(entry) => {
                if *entry.view.read_untracked() != *row {
                    entry.view.set(row.clone());
                }
                entry.clone()
            }
            None => Entry {
                key,
                view: ArcRwSignal::new(row.clone()),
            },
        }
    };
    rows.iter().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paces(pauses: &[u32]) -> Vec<Pace> {
        let pace = |(seq, pause): (i64, &u32)| Pace { seq, pause: *pause };
        (1..).zip(pauses).map(pace).collect()
    }

    #[test]
    fn the_player_waits_for_an_event_and_takes_those_along_that_follow_at_once() {
        assert_eq!(next(&paces(&[2_000, 0, 0, 500]), 1), Some((3, 2_000)));
        assert_eq!(next(&paces(&[2_000, 0, 0, 500]), 4), Some((3, 500)));
        assert_eq!(next(&paces(&[2_000, 0, 0, 500]), 16), Some((4, 250)));
        assert_eq!(next(&paces(&[]), 1), None);
    }

    #[test]
    fn the_player_never_asks_more_often_than_the_least_pause() {
        let busy = paces(&[10; 100]);
        assert_eq!(next(&busy, 1), Some((25, 250)));
        assert_eq!(next(&busy, 16), Some((100, 250)));
    }

    #[test]
    fn an_address_names_the_place_and_the_panel() {
        assert_eq!(address(7, "timeline"), "?at=7");
        assert_eq!(address(7, "files"), "?at=7&panel=files");
    }
}
