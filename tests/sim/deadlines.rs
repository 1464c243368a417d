//! What happens when nobody answers: nothing is approved by that, nothing is rejected early or that somebody has answered, and
//! what was rejected never runs.

use crate::clock;
use crate::run::Run;
use crate::world::{State, World, lock, marks};
use handrail::live::NewEscalation;
use std::collections::BTreeSet;

/// After so many minutes deputies are told, and what nobody has answered is rejected.
const TOLD_AFTER: u32 = 1;
const REJECTED_AFTER: u32 = 2;
/// By how many milliseconds the clocks of a run may differ.
const APART: i64 = 10_000;

/// What owners set.
pub fn setting() -> NewEscalation {
    NewEscalation {
        repository: String::new(),
        deputies: "bob cyd".to_owned(),
        tell_after: TOLD_AFTER.to_string(),
        reject_after: Some(REJECTED_AFTER.to_string()),
    }
}

/// A request that was rejected because nobody answered.
struct Rejected {
    token: String,
    approved: i64,
    answered_at: i64,
    state: String,
    marks: BTreeSet<String>,
}

impl World {
    fn rejected(&self) -> Vec<Rejected> {
        let sql =
            "SELECT token, approved, answered_at, state, shown FROM approval WHERE unanswered = 1";
        let mut statement = self.journal().prepare_cached(sql).expect("it is SQL");
        let found = statement.query_map([], |row| {
            let shown: String = row.get(4)?;
            Ok(Rejected {
                token: row.get(0)?,
                approved: row.get(1)?,
                answered_at: row.get(2)?,
                state: row.get(3)?,
                marks: marks(&shown, 'c').into_iter().map(str::to_owned).collect(),
            })
        });
        let found = found.and_then(Iterator::collect);
        found.expect("a healthy journal")
    }
}

impl Run {
    /// Checks everything that was rejected because nobody answered.
    pub fn check_deadlines(&self, world: &mut World) {
        if !self.plan.escalates {
            return;
        }
        let mut wrong = None;
        for one in world.rejected() {
            let (token, marks) = (&one.token, &one.marks);
            if one.approved != 0 {
                wrong = Some(format!("{marks:?} was approved because nobody answered"));
            }
            if self.approved.contains(token) {
                wrong = Some(format!(
                    "{marks:?} was rejected because nobody answered, but somebody had ({token})"
                ));
            }
            for conversation in &world.conversations {
                let asked = marks
                    .iter()
                    .filter_map(|mark| conversation.asked_at.get(mark));
                let Some(asked) = asked.max() else { continue };
                let waited = one.answered_at - clock::millis_of(*asked);
                let least = i64::from(REJECTED_AFTER) * 60_000 - APART;
                if waited < least {
                    wrong = Some(format!(
                        "{marks:?} was rejected {waited} ms after it was asked"
                    ));
                }
                let is_new = |mark: &&String| {
                    !conversation.foreign.contains(*mark) && !conversation.amended.contains(*mark)
                };
                let mut ran = marks.iter().filter(is_new);
                let ran = ran.find(|mark| conversation.done.contains_key(*mark));
                if one.state == "rejected"
                    && let Some(mark) = ran
                {
                    wrong = Some(format!(
                        "{mark} was rejected because nobody answered, and has run"
                    ));
                }
            }
        }
        if let Some(wrong) = wrong {
            world.is_wrong(wrong);
        }
    }

    /// Checks, without any faults, that what nobody answers is rejected.
    pub async fn check_nothing_waits(&mut self) {
        if !self.plan.escalates || self.disk_failed {
            return;
        }
        let minutes = u64::from(REJECTED_AFTER) + 1;
        clock::pass(minutes * 60_000).await;
        self.refresh_pages();
        self.check_journal();
        let mut world = lock(&self.world);
        let mut wrong = None;
        let open = "SELECT count(*) FROM approval WHERE state = 'open' AND approved IS NULL
                      AND conversation = (SELECT number FROM conversation WHERE id = ?1)";
        for (at, one) in world.conversations.iter().enumerate() {
            let waits = one.up && !one.gone && one.state == State::Asking;
            if !waits || self.deleted.contains(&at) {
                continue;
            }
            let mut statement = world.journal().prepare_cached(open).expect("it is SQL");
            let open = statement.query_row([&one.id], |row| row.get::<_, i64>(0));
            if open.expect("a healthy journal") > 0 {
                wrong = Some(format!(
                    "{} waits for {:?}, which nobody answers and nothing rejects",
                    one.id, one.asked
                ));
            }
        }
        if let Some(wrong) = wrong {
            world.is_wrong(wrong);
        }
    }
}
