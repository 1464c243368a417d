//! What a conversation has come to, and what of it is worth a notification.

use crate::conversation::Status;
use crate::hub::Change;
use crate::journal::Notified;
use crate::live::Occasion;

/// The word for an approval that was passed to deputies, before the time.
const PASSED: &str = "passed ";

/// What a conversation has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// Nothing happens, and nobody is expected to do anything.
    Quiet,
    /// The agent works.
    Working,
    /// The actions with this token need approval.
    Asks(String),
    /// The same, and it was passed to deputies at this time, in milliseconds since the Unix epoch.
    Passed(String, i64),
    /// It is in one of the other states that people are told of.
    Reached(Occasion),
}

impl Phase {
    /// The phase of a conversation; `None` if it is not known yet.
    pub fn of(change: &Change) -> Option<Self> {
        let Some(summary) = change.summary.as_ref().filter(|one| !one.is_imported()) else {
            return Some(Self::Quiet);
        };
        if summary.waiting > 0 {
            let asked = change.asked.as_ref();
            return asked.map(|asked| match asked.passed {
                Some((at, _)) => Self::Passed(asked.token.clone(), at),
                None => Self::Asks(asked.token.clone()),
            });
        }
        Some(match &summary.status {
            Status::Running
            | Status::Confirmed
            | Status::UserRejected
            | Status::AwaitingConfirmation => Self::Working,
            Status::AwaitingInput | Status::Idle => Self::Reached(Occasion::YourTurn),
            Status::Finished | Status::Declined => Self::Reached(Occasion::Finished),
            Status::Error | Status::RateLimited => Self::Reached(Occasion::Failed),
            Status::Stuck => Self::Reached(Occasion::Stuck),
            Status::Loading
            | Status::Paused
            | Status::Stopped
            | Status::Deleting
            | Status::Other(_) => Self::Quiet,
        })
    }

    /// As the journal stores it.
    pub fn to_stored(&self) -> Notified {
        let (phase, token) = match self {
            Self::Passed(token, at) => {
                return Notified {
                    phase: format!("{PASSED}{at}"),
                    token: token.clone(),
                };
            }
            Self::Quiet => ("quiet", ""),
            Self::Working => ("working", ""),
            Self::Asks(token) => (Occasion::NeedsApproval.word(), token.as_str()),
            Self::Reached(occasion) => (occasion.word(), ""),
        };
        Notified {
            phase: phase.to_owned(),
            token: token.to_owned(),
        }
    }

    /// What the journal has stored; an unknown word is no phase that anybody was told of.
    pub fn from_stored(stored: &Notified) -> Self {
        if stored.phase == "working" {
            return Self::Working;
        }
        let passed = stored.phase.strip_prefix(PASSED);
        if let Some(at) = passed.and_then(|at| at.parse().ok()) {
            return Self::Passed(stored.token.clone(), at);
        }
        match Occasion::from_word(&stored.phase) {
            Some(Occasion::NeedsApproval) => Self::Asks(stored.token.clone()),
            Some(occasion) => Self::Reached(occasion),
            None => Self::Quiet,
        }
    }

    /// What people are told of this phase.
    pub fn occasion(&self) -> Option<Occasion> {
        match self {
            Self::Quiet | Self::Working => None,
            Self::Asks(_) | Self::Passed(..) => Some(Occasion::NeedsApproval),
            Self::Reached(occasion) => Some(*occasion),
        }
    }

    /// The token of the approval that is needed.
    pub fn token(&self) -> Option<&str> {
        match self {
            Self::Asks(token) | Self::Passed(token, _) => Some(token),
            _ => None,
        }
    }

    /// Whether people are told of this phase, when the one `before` is the last that they were told of.
    pub fn is_news(&self, before: Option<&Self>) -> bool {
        match self {
            Self::Quiet | Self::Working => false,
            // It was told with that, or before.
            Self::Asks(token) => before.and_then(Self::token) != Some(token),
            Self::Passed(..) => before != Some(self),
            // A conversation that is seen for the first time has been so for long.
            Self::Reached(Occasion::Failed | Occasion::Stuck) => {
                before.is_some_and(|before| before != self)
            }
            // An agent that has not worked has not finished either: it was opened, renamed or resumed.
            Self::Reached(_) => {
                matches!(
                    before,
                    Some(Self::Working | Self::Asks(_) | Self::Passed(..))
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_of_what_follows_work_and_of_what_needs_them() {
        let asks = |token: &str| Phase::Asks(token.to_owned());
        let passed = |token: &str, at| Phase::Passed(token.to_owned(), at);
        let reached = Phase::Reached;
        use Occasion::{Failed, Finished, Stuck, YourTurn};
        let table = [
            (None, asks("a"), true),
            (Some(Phase::Working), asks("a"), true),
            (Some(asks("a")), asks("a"), false),
            (Some(asks("a")), asks("b"), true),
            (Some(asks("a")), reached(YourTurn), true),
            (Some(asks("a")), passed("a", 1), true),
            (Some(passed("a", 1)), passed("a", 1), false),
            (Some(passed("a", 1)), passed("a", 2), true),
            // A new task knows only after a moment that it was passed.
            (Some(passed("a", 1)), asks("a"), false),
            (Some(passed("a", 1)), asks("b"), true),
            (Some(passed("a", 1)), reached(YourTurn), true),
            (None, passed("a", 1), true),
            (Some(Phase::Working), reached(YourTurn), true),
            (Some(Phase::Working), reached(Finished), true),
            (None, reached(YourTurn), false),
            (Some(Phase::Quiet), reached(YourTurn), false),
            (Some(reached(Failed)), reached(Finished), false),
            (Some(reached(Finished)), reached(Finished), false),
            (Some(Phase::Working), reached(Failed), true),
            (Some(Phase::Quiet), reached(Failed), true),
            (None, reached(Failed), false),
            (Some(reached(Failed)), reached(Failed), false),
            (Some(Phase::Working), reached(Stuck), true),
            (Some(reached(Finished)), Phase::Working, false),
            (Some(Phase::Working), Phase::Quiet, false),
        ];
        for (before, phase, expected) in table {
            let is_news = phase.is_news(before.as_ref());
            assert_eq!(is_news, expected, "{before:?}, then {phase:?}");
        }
    }

    #[test]
    fn a_phase_is_stored_and_read_again() {
        let all = Occasion::ALL.into_iter().map(|occasion| match occasion {
            Occasion::NeedsApproval => Phase::Asks("token".to_owned()),
            occasion => Phase::Reached(occasion),
        });
        let passed = Phase::Passed("token".to_owned(), 1_795_255_200_000);
        for phase in all.chain([Phase::Quiet, Phase::Working, passed]) {
            assert_eq!(Phase::from_stored(&phase.to_stored()), phase);
        }
    }
}
