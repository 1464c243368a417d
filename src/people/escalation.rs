//! What happens when nobody answers: deputies are told after a while, and later the action is rejected, or keeps waiting.
//!
//! Pure: the journal reads the facts in the transaction that stores what is done, and this decides what is due.
//!
//! Invariant: nothing here approves. A deputy is told of what they may answer anyway, and gets no right by that.
//!
//! Long because the tests show what is due at which time.

use serde::{Deserialize, Serialize};

/// Most deputies of a repository.
pub const MOST_DEPUTIES: usize = 20;
/// Most repositories with a setting of their own, with the one for all others.
pub const MOST_ESCALATIONS: usize = 100;
/// The longest time, in minutes: a week.
pub const LONGEST: u32 = 7 * 24 * 60;

/// Milliseconds of a minute.
const MINUTE: i64 = 60_000;
/// What is overdue by more than this, in milliseconds, is not rejected: either the clock was changed while Handrail did not
/// run, or nobody could answer for very long. It waits as if it had just been asked.
const MOST_OVERDUE: i64 = 24 * 60 * MINUTE;
/// What was asked later than now by more than this, in milliseconds, was asked before the clock was set back.
const AHEAD: i64 = 5_000;
/// After a start nothing is rejected for as long as deputies have to answer, and without deputies as long as it waits; at most for
/// so many minutes. Nobody could answer before.
const MOST_GRACE: u32 = 5;

/// What happens when nobody answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Escalation {
    /// The repository; empty for all that have no setting of their own.
    pub repository: String,
    /// Numbers of the people who are told.
    pub deputies: Vec<i64>,
    /// After so many minutes they are told; counts with deputies only.
    pub tell_after: u32,
    /// After so many minutes the action is rejected; `None` if it keeps waiting.
    pub reject_after: Option<u32>,
}

/// What happens when nobody answers, by repository.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Escalations(pub Vec<Escalation>);

/// How an action waits for an answer. Times are in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// Since when.
    pub since: i64,
    /// The time.
    pub now: i64,
    /// Since when Handrail runs.
    pub running_since: i64,
    /// Whether deputies were told.
    pub told: bool,
    /// Whether somebody who may answer looks at the conversation.
    pub watched: bool,
}

/// What is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// Nothing yet.
    Nothing,
    /// The time is not to be trusted: it waits from now on.
    Anew,
    /// Deputies are told.
    Tell,
    /// It is rejected.
    Reject,
}

impl Escalation {
    /// When deputies are told, if nobody looks, and when at the latest; `None` without deputies. At least half of the time
    /// until the end remains for them. Milliseconds since the Unix epoch.
    pub fn tells_at(&self, since: i64) -> Option<(i64, i64)> {
        let after = i64::from(self.tell_after) * MINUTE;
        let end = self.reject_after.map(|end| i64::from(end) * MINUTE);
        let more = end.map_or(after, |end| after.min((end - after) / 2));
        let is_told = !self.deputies.is_empty();
        is_told.then(|| {
            let at = since.saturating_add(after);
            (at, at.saturating_add(more))
        })
    }

    /// When its time is up, and when it is rejected, which is later if Handrail runs for a short time only; `None` if it keeps
    /// waiting. Milliseconds since the Unix epoch.
    fn ends_at(&self, since: i64, running_since: i64) -> Option<(i64, i64)> {
        let after = self.reject_after?;
        let told = if self.deputies.is_empty() {
            0
        } else {
            self.tell_after
        };
        let grace = after.saturating_sub(told).min(MOST_GRACE);
        let later = |from: i64, minutes: u32| from.saturating_add(i64::from(minutes) * MINUTE);
        let at = later(since, after);
        Some((at, at.max(later(running_since, grace))))
    }

    /// When it is rejected; `None` if it keeps waiting. Milliseconds since the Unix epoch.
    pub fn rejects_at(&self, since: i64, running_since: i64) -> Option<i64> {
        self.ends_at(since, running_since).map(|(_, at)| at)
    }

    /// What is due for an action that nobody has answered.
    pub fn due(&self, wait: Wait) -> Due {
        let Wait { since, now, .. } = wait;
        if since > now.saturating_add(AHEAD) {
            return Due::Anew;
        }
        if let Some((up, at)) = self.ends_at(since, wait.running_since) {
            if now.saturating_sub(up) > MOST_OVERDUE {
                return Due::Anew;
            }
            if at <= now {
                return Due::Reject;
            }
        }
        match self.tells_at(since).filter(|_| !wait.told) {
            Some((at, latest)) if latest <= now || (at <= now && !wait.watched) => Due::Tell,
            _ => Due::Nothing,
        }
    }

    /// Checks what was entered.
    ///
    /// # Errors
    /// A whole sentence.
    pub fn check(&self) -> Result<(), String> {
        let is_time = |minutes: u32| (1..=LONGEST).contains(&minutes);
        if self.deputies.is_empty() && self.reject_after.is_none() {
            return Err("Name deputies, or choose that the action is rejected.".to_owned());
        }
        if self.deputies.len() > MOST_DEPUTIES {
            return Err(format!("Name at most {MOST_DEPUTIES} deputies."));
        }
        if !self.deputies.is_empty() && !is_time(self.tell_after) {
            return Err("Deputies are told after 1 minute to 10080 minutes (7 days).".to_owned());
        }
        let Some(reject_after) = self.reject_after else {
            return Ok(());
        };
        if !is_time(reject_after) {
            return Err(
                "An action is rejected after 1 minute to 10080 minutes (7 days).".to_owned(),
            );
        }
        if !self.deputies.is_empty() && reject_after <= self.tell_after {
            return Err(
                "Deputies need time to answer: reject later than they are told.".to_owned(),
            );
        }
        Ok(())
    }
}

impl Escalations {
    /// Reads what is stored. Of what cannot be read, nothing happens by itself.
    pub fn read(stored: &str) -> Self {
        serde_json::from_str(stored).unwrap_or_default()
    }

    /// What applies in a repository: its own setting, or the one for all others.
    pub fn of(&self, repository: Option<&str>) -> Option<&Escalation> {
        let named = |name: &str| {
            let mut all = self.0.iter();
            all.find(|one| one.repository.eq_ignore_ascii_case(name))
        };
        let own = repository.filter(|name| !name.is_empty()).and_then(named);
        own.or_else(|| named(""))
    }

    /// The same without the setting of a repository, and with this one.
    pub fn with(mut self, repository: &str, escalation: Option<Escalation>) -> Self {
        self.0
            .retain(|one| !one.repository.eq_ignore_ascii_case(repository));
        self.0.extend(escalation);
        self.0
            .sort_by(|one, other| one.repository.cmp(&other.repository));
        self
    }
}

/// A number of minutes, in words.
pub fn lasting(minutes: u32) -> String {
    let (count, unit) = match minutes {
        0 => (0, "minute"),
        days if days % 1440 == 0 => (days / 1440, "day"),
        hours if hours % 60 == 0 => (hours / 60, "hour"),
        minutes => (minutes, "minute"),
    };
    match count {
        1 => format!("1 {unit}"),
        count => format!("{count} {unit}s"),
    }
}

/// Why an action is rejected that waited for an answer, or for a `second` approval.
pub fn nobody_answered(minutes: u32, second: bool) -> String {
    let who = if second { "no second person" } else { "nobody" };
    format!("{who} answered in {}", lasting(minutes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deputies after 5 minutes, rejected after 20.
    fn both() -> Escalation {
        Escalation {
            repository: String::new(),
            deputies: vec![2],
            tell_after: 5,
            reject_after: Some(20),
        }
    }

    const ASKED: i64 = 1_795_255_200_000;

    /// What is due after so many seconds.
    fn due(escalation: &Escalation, seconds: i64, told: bool, watched: bool) -> Due {
        escalation.due(Wait {
            since: ASKED,
            now: ASKED + seconds * 1_000,
            running_since: ASKED - 60 * MINUTE,
            told,
            watched,
        })
    }

    #[test]
    fn deputies_are_told_first_and_then_it_is_rejected() {
        let both = both();
        for (seconds, told, expected) in [
            (0, false, Due::Nothing),
            (299, false, Due::Nothing),
            (300, false, Due::Tell),
            (300, true, Due::Nothing),
            (1_199, true, Due::Nothing),
            (1_200, true, Due::Reject),
            (1_200, false, Due::Reject),
            (1_200 + 86_400, true, Due::Reject),
        ] {
            assert_eq!(due(&both, seconds, told, false), expected, "{seconds}");
        }
        let waits = Escalation {
            reject_after: None,
            ..both.clone()
        };
        assert_eq!(due(&waits, 1_000_000, true, false), Due::Nothing);
        assert_eq!(due(&waits, 1_000_000, false, false), Due::Tell);
        let nobody = Escalation {
            deputies: Vec::new(),
            ..both
        };
        assert_eq!(due(&nobody, 1_199, false, false), Due::Nothing);
        assert_eq!(due(&nobody, 1_200, false, false), Due::Reject);
    }

    #[test]
    fn who_looks_delays_the_deputies_once_and_nothing_else() {
        let both = both();
        assert_eq!(due(&both, 300, false, true), Due::Nothing);
        assert_eq!(due(&both, 599, false, true), Due::Nothing);
        assert_eq!(due(&both, 600, false, true), Due::Tell);
        assert_eq!(due(&both, 1_200, false, true), Due::Reject);
        // However long they are told after, they have time before the end.
        let late = Escalation {
            tell_after: 15,
            ..both
        };
        assert_eq!(due(&late, 1_049, false, true), Due::Nothing);
        assert_eq!(due(&late, 1_050, false, true), Due::Tell);
    }

    #[test]
    fn after_a_start_people_have_time_before_anything_is_rejected() {
        let due = |one: &Escalation, minutes: i64, told| {
            let running_since = ASKED + 60 * MINUTE;
            one.due(Wait {
                since: ASKED,
                now: running_since + minutes * MINUTE,
                running_since,
                told,
                watched: false,
            })
        };
        let both = both();
        assert_eq!(due(&both, 0, false), Due::Tell, "deputies first");
        assert_eq!(due(&both, 4, true), Due::Nothing);
        assert_eq!(due(&both, 5, true), Due::Reject);
        let short = Escalation {
            deputies: Vec::new(),
            reject_after: Some(2),
            ..both.clone()
        };
        assert_eq!(due(&short, 1, false), Due::Nothing);
        assert_eq!(due(&short, 2, false), Due::Reject);
        assert_eq!(
            both.rejects_at(ASKED, ASKED + 60 * MINUTE),
            Some(ASKED + 65 * MINUTE)
        );
        assert_eq!(both.rejects_at(ASKED, ASKED), Some(ASKED + 20 * MINUTE));
        let late = Escalation {
            tell_after: 19,
            ..both
        };
        assert_eq!(due(&late, 0, true), Due::Nothing);
        assert_eq!(due(&late, 1, true), Due::Reject, "as long as deputies have");
    }

    #[test]
    fn a_time_that_cannot_be_true_rejects_nothing() {
        let both = both();
        let year = 365 * 86_400;
        assert_eq!(due(&both, year, true, false), Due::Anew);
        assert_eq!(due(&both, -year, true, false), Due::Anew);
        assert_eq!(
            due(&both, -2, false, false),
            Due::Nothing,
            "clocks differ a little"
        );
        let forever = Wait {
            since: i64::MIN,
            now: i64::MAX,
            running_since: 0,
            told: false,
            watched: false,
        };
        assert_eq!(both.due(forever), Due::Anew);
    }

    #[test]
    fn what_is_entered_is_checked() {
        let good = both();
        assert_eq!(good.check(), Ok(()));
        let refused = |change: fn(&mut Escalation)| {
            let mut one = good.clone();
            change(&mut one);
            one.check().is_err()
        };
        assert!(refused(
            |one| (one.deputies, one.reject_after) = (Vec::new(), None)
        ));
        assert!(refused(|one| one.deputies = vec![1; MOST_DEPUTIES + 1]));
        assert!(refused(|one| one.tell_after = 0));
        assert!(refused(|one| one.tell_after = LONGEST + 1));
        assert!(refused(|one| one.reject_after = Some(0)));
        assert!(refused(|one| one.reject_after = Some(LONGEST + 1)));
        assert!(refused(|one| one.reject_after = Some(5)));
        assert!(!refused(
            |one| (one.deputies, one.reject_after) = (Vec::new(), Some(1))
        ));
        assert!(!refused(|one| one.reject_after = None));
    }

    #[test]
    fn a_repository_has_its_own_setting_or_that_of_all() {
        let of = |repository: &str, tell_after| Escalation {
            repository: repository.to_owned(),
            tell_after,
            ..both()
        };
        let all = Escalations::default().with("", Some(of("", 5)));
        let all = all.with("acme/Parser", Some(of("acme/Parser", 6)));
        let all = all.with("acme/parser", Some(of("acme/parser", 7)));
        assert_eq!(all.0.len(), 2, "one spelling");
        let after = |repository| all.of(repository).map(|one| one.tell_after);
        assert_eq!(after(Some("Acme/Parser")), Some(7), "names have no case");
        assert_eq!(after(Some("acme/other")), Some(5));
        assert_eq!((after(None), after(Some(""))), (Some(5), Some(5)));
        let stored = serde_json::to_string(&all).expect("plain data");
        assert_eq!(Escalations::read(&stored), all);
        assert_eq!(Escalations::read("{"), Escalations::default());
        let own = all.with("", None);
        assert_eq!(own.of(None), None);
        assert!(own.of(Some("acme/parser")).is_some());
    }

    #[test]
    fn times_are_said_in_the_largest_whole_unit() {
        for (minutes, words) in [
            (1, "1 minute"),
            (20, "20 minutes"),
            (60, "1 hour"),
            (90, "90 minutes"),
            (120, "2 hours"),
            (1_440, "1 day"),
            (LONGEST, "7 days"),
        ] {
            assert_eq!(lasting(minutes), words);
        }
        assert_eq!(nobody_answered(20, false), "nobody answered in 20 minutes");
        assert_eq!(
            nobody_answered(20, true),
            "no second person answered in 20 minutes"
        );
    }
}
