//! What was carried out and sent, against what users clicked and were told.

use crate::people::{Click, NOT_SENT, Reply, What};
use crate::run::Run;
use crate::world::lock;
use rusqlite::OptionalExtension;
use std::collections::BTreeSet;

impl Run {
    /// Checks that every executed action was approved, and that every accepted approval took effect or has an unknown
    /// outcome.
    pub fn check_answers(&self) {
        let mut world = lock(&self.world);
        let mut wrong = None;
        for (at, one) in world.conversations.iter().enumerate() {
            let said_yes = |mark: &str| {
                self.clicks.iter().any(|click| match &click.what {
                    What::Answer { token, yes: true } => {
                        let is_it = self
                            .tokens
                            .get(token)
                            .is_some_and(|(place, marks)| *place == at && marks.contains(mark));
                        is_it && !matches!(click.reply(), Some(Reply::Refused(_)))
                    }
                    _ => false,
                })
            };
            for mark in one.done.keys().filter(|mark| !one.foreign.contains(*mark)) {
                if self.ruled.values().any(|marks| marks.contains(mark)) {
                    continue;
                }
                if !said_yes(mark) {
                    wrong = Some(format!(
                        "{mark} was executed, but its approval was reported as refused"
                    ));
                }
                let shown = self.tokens.iter();
                let mut tokens = shown
                    .filter(|(_, (place, marks))| *place == at && marks.contains(mark))
                    .map(|(token, _)| token);
                let is_gone = one.gone || self.deleted.contains(&at);
                if !is_gone && !tokens.any(|token| self.approved.contains(token)) {
                    wrong = Some(format!("{mark} was executed without a stored approval"));
                }
            }
        }
        for (at, one) in world.conversations.iter().enumerate() {
            for (keys, orders) in &one.yeses {
                let about = keys.split(' ').next().and_then(|key| one.marks.get(key));
                let is_about = |click: &&Click| match &click.what {
                    What::Answer { token, yes: true } => {
                        let shown = self.tokens.get(token);
                        shown.is_some_and(|(place, marks)| {
                            *place == at && about.is_some_and(|mark| marks.contains(mark))
                        })
                    }
                    _ => false,
                };
                let clicked = self.clicks.iter().filter(is_about).count();
                let ruled = self.ruled.values();
                let ruled = ruled.filter(|marks| about.is_some_and(|mark| marks.contains(mark)));
                let clicked = clicked + ruled.count();
                if self.plan.needs_two && !self.is_of_two(at, about) {
                    wrong = Some(format!("{about:?} was approved by fewer than two people"));
                }
                if usize::try_from(*orders).is_ok_and(|orders| orders > clicked) {
                    wrong = Some(format!(
                        "{about:?} was approved {clicked} times, and the approval was sent {orders} times"
                    ));
                }
            }
        }
        for click in &self.clicks {
            let What::Answer { token, yes: true } = &click.what else {
                continue;
            };
            let Some((at, marks)) = self.tokens.get(token) else {
                continue;
            };
            let one = &world.conversations[*at];
            if click.reply() != Some(Reply::Done) || one.gone || self.deleted.contains(at) {
                continue;
            }
            let min_view_time = self.plan.min_view_time * 1_000_000;
            let asked = marks.iter().filter_map(|mark| one.asked_at.get(mark)).max();
            // An answer that came too early gets the outcome of an identical one that came in time.
            let in_time = |other: &Click| {
                let is_same =
                    matches!(&other.what, What::Answer { token: same, yes: true } if same == token);
                is_same && asked.is_none_or(|asked| other.when >= asked + min_view_time)
            };
            // It may be that of a rule, too.
            if !self.clicks.iter().any(in_time) && !self.ruled.contains_key(token) {
                wrong = Some(format!(
                    "an approval of {marks:?} counts although they were not visible for long enough"
                ));
            }
            // An approval that was under way while the server dropped the action was accepted, and has no effect.
            let is_settled = |mark| one.done.contains_key(mark) || one.dropped.contains(mark);
            let done = marks.iter().all(is_settled);
            let state: Option<String> = world
                .journal()
                .prepare_cached("SELECT state FROM approval WHERE token = ?1")
                .and_then(|mut statement| statement.query_row([token], |row| row.get(0)).optional())
                .expect("a healthy journal");
            // The first of two approvals waits for the second.
            let waits = self.plan.needs_two && state.as_deref() == Some("open");
            if !done && !waits && matches!(state.as_deref(), None | Some("approved" | "open")) {
                wrong = Some(format!(
                    "the approval of {marks:?} has the state {state:?}, but nothing was executed"
                ));
            }
        }
        world.is_wrong(wrong);
    }

    /// Whether two people have approved one and the same approval of a command. An answer that did not arrive has left Handrail.
    fn is_of_two(&self, at: usize, mark: Option<&String>) -> bool {
        let shown = self.tokens.iter().filter(|(_, (place, marks))| {
            *place == at && mark.is_some_and(|mark| marks.contains(mark))
        });
        shown.map(|(token, _)| token).any(|token| {
            let yeses = self.clicks.iter().filter(|click| {
                matches!(&click.what, What::Answer { token: same, yes: true } if same == token)
                    && !matches!(click.reply(), Some(Reply::Refused(why)) if why != NOT_SENT)
            });
            let people: BTreeSet<usize> = yeses.map(|click| click.person).collect();
            people.len() >= 2
        })
    }

    /// Checks that amendments answer what users asked for, each once, and never where two people have to approve.
    pub fn check_amendments(&self) {
        let mut world = lock(&self.world);
        let mut wrong = None;
        let mut used = BTreeSet::new();
        for (token, marks) in world.amended() {
            let asked_for = |mark: &String| {
                let is_it = |click: &Click| matches!(&click.what, What::Amend { mark: same } if same == mark);
                self.clicks.iter().any(is_it)
            };
            let mark = marks.iter().next().filter(|_| marks.len() == 1);
            let Some(mark) = mark.filter(|mark| asked_for(mark)) else {
                wrong = Some(format!(
                    "an amendment answered {marks:?}, which nobody asked for ({token})"
                ));
                continue;
            };
            if !used.insert(mark.clone()) {
                wrong = Some(format!("an amendment answered {mark} twice"));
            }
            if self.plan.needs_two {
                wrong = Some(format!(
                    "an amendment answered {mark}, which two have to approve"
                ));
            }
        }
        for one in &world.conversations {
            for mark in one
                .amended
                .iter()
                .filter(|mark| !one.foreign.contains(*mark))
            {
                let done = one.done.get(mark).copied().unwrap_or(0);
                let approved = world.approved_with(mark);
                let is_gone = one.gone || world.kept_id(&one.id).is_none();
                if !is_gone && usize::try_from(done).is_ok_and(|done| done > approved) {
                    wrong = Some(format!(
                        "{mark} was executed {done} times and approved {approved} times"
                    ));
                }
            }
        }
        world.is_wrong(wrong);
    }

    /// Checks that the outcomes of messages match what users were told.
    pub fn check_replies(&self) {
        let mut world = lock(&self.world);
        let mut wrong = None;
        for click in &self.clicks {
            let What::Say { client_id, text } = &click.what else {
                continue;
            };
            let one = &world.conversations[click.at];
            if one.gone || self.deleted.contains(&click.at) {
                continue;
            }
            let received = one.received.get(text).copied().unwrap_or(0);
            let state: Option<String> = world
                .journal()
                .prepare_cached("SELECT state FROM outbox WHERE client_id = ?1")
                .and_then(|mut statement| {
                    statement
                        .query_row([client_id], |row| row.get(0))
                        .optional()
                })
                .expect("a healthy journal");
            let same = |other: &&Click| matches!(&other.what, What::Say { client_id: id, .. } if id == client_id);
            let all_refused = self
                .clicks
                .iter()
                .filter(same)
                .all(|other| matches!(other.reply(), Some(Reply::Refused(_))));
            let given_up = self.clicks.iter().any(|other| {
                matches!(&other.what, What::Settle { client_id: id, again: false } if id == client_id)
                    && !matches!(other.reply(), Some(Reply::Refused(_)))
            });
            let tried_again = self
                .clicks
                .iter()
                .any(|other| matches!(&other.what, What::Settle { client_id: id, again: true } if id == client_id));
            let is_done = click.reply() == Some(Reply::Done);
            let is_true = match state.as_deref() {
                None => received == 0 && !is_done,
                Some(_) if all_refused => received == 0,
                Some("done") => received > 0 || given_up,
                Some("sent") => received > 0,
                Some("failed") => received == 0 || tried_again,
                _ => true,
            };
            if !is_true {
                wrong = Some(format!(
                    "{text:?} was received {received} times, has the state {state:?}, and its author was told {:?}",
                    click.reply()
                ));
            }
        }
        world.is_wrong(wrong);
    }
}
