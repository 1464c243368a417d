//! What became of a step, in words.

use super::text;
use crate::{render::StepState, store::me, ui::parts::span};

/// What is not carried out says so before everything else: what follows would read as done.
pub fn refused(state: StepState) -> Option<&'static str> {
    match state {
        StepState::Waiting => Some(text::waiting()),
        StepState::Rejected => Some(text::rejected()),
        StepState::NotExecuted => Some(text::not_executed()),
        StepState::Unknown => Some(text::outcome_unknown()),
        _ => None,
    }
}

/// Who answered (or whose rule or amendment has) and whether with a passkey, how long the step waited for that, and why it was rejected. How long it ran stands beside it.
pub(super) fn record(
    state: StepState,
    by: Option<String>,
    (by_rule, amended, touched): (bool, bool, bool),
    waited: Option<i64>,
    reason: &str,
) -> Option<String> {
    let by_itself = by_rule || amended;
    if by_itself && !matches!(state, StepState::Waiting | StepState::Rejected) {
        let allowed = match (by_rule, by) {
            (true, Some(name)) => text::allowed_by_rule(name),
            (true, None) => text::allowed_by_own_rule().to_owned(),
            (false, Some(name)) => text::approved_as_amended(name),
            (false, None) => text::approved_as_own_amendment().to_owned(),
        };
        let allowed = with_passkey(allowed, touched);
        return Some(match refused(state) {
            Some(state) => text::because(state, allowed),
            None => allowed,
        });
    }
    let is_said = by.is_some() || waited.is_some() || !reason.is_empty();
    if state == StepState::Waiting || !is_said {
        return None;
    }
    let by = by.map(|by| match by == me().name {
        true => text::by_you().to_owned(),
        false => by,
    });
    let answer = match (state, by) {
        (StepState::Rejected, Some(by)) => text::rejected_by(by),
        (StepState::Rejected, None) => text::rejected().to_owned(),
        (StepState::NotExecuted, Some(by)) => text::reviewed_by(by),
        (StepState::NotExecuted, None) => text::reviewed().to_owned(),
        (_, Some(by)) => with_passkey(text::approved_by(by), touched),
        (_, None) => text::approved_by_person().to_owned(),
    };
    let waited = waited.map(|millis| text::waited(span(millis)));
    let parts = [Some(answer), waited];
    let record = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
    Some(match reason {
        "" => record,
        reason => text::because(record, reason),
    })
}

/// What a touch of a passkey adds to who has approved.
fn with_passkey(approved: String, touched: bool) -> String {
    match touched {
        true => text::with_passkey(approved),
        false => approved,
    }
}

/// The state as text, if there is no outcome text.
pub fn outcome(state: StepState, outcome: String) -> String {
    if !outcome.is_empty() {
        return outcome;
    }
    match state {
        StepState::Running => text::running(),
        StepState::Approved => text::approved(),
        StepState::Failed => text::failed(),
        // What is not carried out has said so before.
        StepState::Done
        | StepState::Waiting
        | StepState::Rejected
        | StepState::NotExecuted
        | StepState::Unknown => "",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_says_who_answered_and_how_long_it_waited() {
        let alan = || Some("alan".to_owned());
        let rule =
            record(StepState::Done, alan(), (true, false, false), Some(1), "").unwrap_or_default();
        assert_eq!(rule, "Allowed by rule, alan");
        let rule = record(StepState::NotExecuted, None, (true, false, false), None, "")
            .unwrap_or_default();
        assert_eq!(rule, "Not executed: Allowed by rule");
        let amended = record(StepState::Done, alan(), (false, true, false), Some(1), "");
        assert_eq!(amended.as_deref(), Some("Approved as amended by alan"));
        let touched = |amended| {
            let record = record(StepState::Done, alan(), (false, amended, true), None, "");
            record.unwrap_or_default()
        };
        assert_eq!(touched(false), "Approved by alan with a passkey");
        assert_eq!(touched(true), "Approved as amended by alan with a passkey");
        let record = |state, by, waited| {
            record(state, by, (false, false, false), waited, "").unwrap_or_default()
        };
        assert_eq!(
            record(StepState::Done, alan(), Some(15_000)),
            "Approved by alan, waited 15 s"
        );
        assert_eq!(
            record(StepState::Rejected, None, Some(15_000)),
            "Rejected, waited 15 s"
        );
        assert_eq!(record(StepState::Failed, alan(), None), "Approved by alan");
        assert_eq!(record(StepState::Done, None, None), "");
        assert_eq!(record(StepState::Waiting, alan(), Some(1)), "");
    }
}
