//! Answers whose outcome is unknown, and answers beside a message: the pending approval and the outbox by themselves.
//!
//! Long because each case is a short test.

use crate::backend::Delivery;
use crate::conversation::{PendingCall, PendingConfirmation, Risk};
use crate::hub::HubError;
use crate::hub::parts::approval::{Asked, PendingApproval, Refresh, repeated};
use crate::hub::parts::outbox::Outbox;
use crate::journal::{Approval, ApprovalState, Outgoing, OutgoingState};
use crate::live::Decision;
use crate::people::Authority;
use crate::rules::Reading;
use std::time::{Duration, Instant};

fn calls() -> PendingConfirmation {
    PendingConfirmation {
        calls: vec![PendingCall {
            key: "7".to_owned(),
            row: 3,
            fingerprint: "run make".to_owned(),
            risk: Risk::High,
            held: true,
        }],
    }
}

/// What is asked about these calls.
fn asked(conversation: &str, calls: PendingConfirmation, content: &str) -> Asked {
    let content = (content, String::new());
    Asked::new(
        conversation,
        calls,
        Reading::default(),
        content,
        &[],
        Vec::new(),
        true,
    )
}

/// An approval that waits, and its token.
fn pending() -> (PendingApproval, String) {
    let mut approval = PendingApproval::default();
    assert!(
        matches!(approval.refresh(Some(&calls()), &[]), Refresh::Ask(asked) if asked == calls())
    );
    let asked = asked("c", calls(), "rows");
    let token = asked.question.token.clone();
    let standing = Approval {
        token: token.clone(),
        state: ApprovalState::Open,
        approved: None,
        answered_at: None,
        answered_by: String::new(),
        first: None,
    };
    approval.ask(asked, standing, Instant::now());
    (approval, token)
}

/// What a new task makes of an approval that it finds in this state, and that state.
fn found(state: ApprovalState, now: Instant) -> (PendingApproval, String, ApprovalState) {
    let mut approval = PendingApproval::default();
    let asked = asked("c", calls(), "rows");
    let token = asked.question.token.clone();
    let standing = Approval {
        token: token.clone(),
        state,
        approved: Some(true),
        answered_at: Some(1),
        answered_by: "ada".to_owned(),
        first: None,
    };
    let state = approval.ask(asked, standing, now);
    (approval, token, state)
}

#[test]
fn an_answer_that_a_former_task_has_left_on_its_way_has_an_unknown_outcome_and_can_be_given_again()
{
    let (approval, token, state) = found(ApprovalState::Sent, Instant::now());
    assert_eq!(state, ApprovalState::Indeterminate);
    assert!(is_claimed(&approval, &token));
    let view = approval
        .pending()
        .expect("it waits")
        .view(Authority::default(), false);
    assert!(!view.answering && view.caution.is_some(), "{view:?}");
}

#[test]
fn an_answer_that_was_taken_before_has_a_while_to_take_effect() {
    use ApprovalState::{Approved, Rejected};
    for taken in [Approved, Rejected] {
        let began = Instant::now();
        let (mut approval, token, state) = found(taken, began);
        assert_eq!(state, taken, "it is not asked again");
        assert!(!is_claimed(&approval, &token));
        assert_eq!(approval.expire(began + Duration::from_secs(14)), None);
        let late = approval.expire(began + Duration::from_secs(15));
        assert_eq!(late.as_ref(), Some(&token));
        assert!(is_claimed(&approval, &token));
    }
}

#[test]
fn an_answer_on_its_way_stays_so_when_its_action_is_shown_anew() {
    let (mut approval, token) = pending();
    approval.sent(&token);
    approval.close();
    let asked = asked("c", calls(), "rows");
    let standing = Approval {
        token: token.clone(),
        state: ApprovalState::Sent,
        approved: Some(true),
        answered_at: Some(1),
        answered_by: "ada".to_owned(),
        first: None,
    };
    let now = Instant::now();
    assert_eq!(approval.ask(asked, standing, now), ApprovalState::Sent);
    assert!(!is_claimed(&approval, &token), "one at a time");
    approval.on_delivery(&token, Decision::Approve, Delivery::Confirmed, now);
    assert!(!is_claimed(&approval, &token));
}

fn is_claimed(approval: &PendingApproval, token: &str) -> bool {
    matches!(
        approval.claim(token, Decision::Approve, "ada", true),
        Ok(true)
    )
}

#[test]
fn an_answer_that_has_not_left_opens_the_approval_again_unless_an_earlier_one_may_have_arrived() {
    let (mut approval, token) = pending();
    let now = Instant::now();
    assert!(is_claimed(&approval, &token));
    approval.sent(&token);
    assert!(!is_claimed(&approval, &token), "one at a time");
    let not_sent = || Delivery::NotSent("away".to_owned());
    let outcome = approval.on_delivery(&token, Decision::Approve, not_sent(), now);
    assert_eq!(outcome.state, ApprovalState::Open);
    assert_eq!(outcome.unsign, [3], "nobody has answered after all");

    approval.sent(&token);
    let unknown = Delivery::Unknown("cut off".to_owned());
    let outcome = approval.on_delivery(&token, Decision::Approve, unknown, now);
    assert_eq!(outcome.state, ApprovalState::Indeterminate);
    assert!(outcome.unsign.is_empty());
    assert!(matches!(outcome.result, Err(HubError::Indeterminate(_))));

    // A second answer is a person's decision; that it has not left says nothing of the first.
    assert!(is_claimed(&approval, &token));
    approval.sent(&token);
    let outcome = approval.on_delivery(&token, Decision::Reject, not_sent(), now);
    assert_eq!(outcome.state, ApprovalState::Indeterminate);
    assert!(outcome.unsign.is_empty());
}

#[test]
fn an_answer_that_was_taken_and_changed_nothing_has_an_unknown_outcome_after_a_while() {
    let (mut approval, token) = pending();
    let began = Instant::now();
    approval.sent(&token);
    let outcome = approval.on_delivery(&token, Decision::Approve, Delivery::Confirmed, began);
    assert_eq!(outcome.state, ApprovalState::Approved);
    assert_eq!(approval.expire(began + Duration::from_secs(14)), None);
    assert_eq!(
        approval.expire(began + Duration::from_secs(15)),
        Some(token)
    );
    assert!(approval.pending().is_some_and(|pending| pending.is_open()));
}

#[test]
fn an_answer_counts_only_for_what_stands_and_after_a_look_at_it() {
    let (approval, token) = pending();
    let early = approval.claim(&token, Decision::Approve, "ada", false);
    assert!(matches!(early, Err(HubError::TooSoon)));
    let other = approval.claim("other", Decision::Approve, "ada", true);
    assert!(matches!(other, Ok(false)));
    let answered = Approval {
        token,
        state: ApprovalState::Approved,
        approved: Some(true),
        answered_at: Some(1),
        answered_by: "bob".to_owned(),
        first: None,
    };
    assert!(repeated(answered.clone(), Decision::Approve).is_ok());
    let late = repeated(answered, Decision::Reject);
    assert!(matches!(
        late,
        Err(HubError::AnsweredBefore { approved: true, .. })
    ));
}

#[test]
fn nothing_is_answered_while_a_message_leaves() {
    let mut outbox = Outbox::new(Vec::new());
    let mut message = Outgoing::opening("stop", Vec::new(), "ada");
    (message.client_id, message.state) = ("m1".to_owned(), OutgoingState::Waiting);
    outbox.push(message);
    assert!(outbox.check_none_leaves().is_ok());
    outbox.mark("m1", OutgoingState::Sending, "", 4);
    assert!(outbox.next().is_none());
    assert!(matches!(
        outbox.check_none_leaves(),
        Err(HubError::Invalid(_))
    ));
    outbox.mark("m1", OutgoingState::Sent, "", 5);
    assert!(outbox.check_none_leaves().is_ok());
}

#[test]
fn only_so_many_messages_wait() {
    let message = |number: usize, bytes: usize| {
        let mut message = Outgoing::opening(&"x".repeat(bytes), Vec::new(), "ada");
        message.client_id = format!("m{number}");
        message
    };
    let mut outbox = Outbox::new(Vec::new());
    assert!(outbox.check_has_room(&message(0, 9 << 20)).is_ok());
    for number in 0..50 {
        assert!(outbox.check_has_room(&message(number, 1)).is_ok());
        outbox.push(message(number, 1));
    }
    let refused = outbox.check_has_room(&message(50, 1));
    assert!(matches!(refused, Err(HubError::OutboxFull)));
    let large = Outbox::new(vec![message(0, 5 << 20)]);
    assert!(large.check_has_room(&message(1, 1)).is_ok());
    let refused = large.check_has_room(&message(1, 4 << 20));
    assert!(matches!(refused, Err(HubError::OutboxFull)));
}

#[test]
fn failed_messages_keep_no_new_one_out_and_have_limits_of_their_own() {
    let mut outbox = Outbox::new(Vec::new());
    for number in 0..60 {
        outbox.push(Outgoing::waiting(format!("m{number}"), "x", "ada"));
        let state = match number % 2 {
            0 => OutgoingState::Failed,
            _ => OutgoingState::Indeterminate,
        };
        outbox.mark(&format!("m{number}"), state, "restarted", 0);
    }
    let new = Outgoing::waiting("new".to_owned(), "x", "ada");
    assert!(outbox.check_has_room(&new).is_ok());
    outbox.push(new);
    let mut given_up = outbox.given_up();
    given_up.reverse();
    let oldest: Vec<String> = (0..10).map(|number| format!("m{number}")).collect();
    assert_eq!(given_up, oldest);
    for client_id in given_up {
        outbox.mark(&client_id, OutgoingState::Done, "", 0);
    }
    assert!(outbox.given_up().is_empty());
    assert_eq!(
        outbox.next().map(|message| &*message.client_id),
        Some("new")
    );
}

/// Two messages, the first of which is in this state.
fn two(state: OutgoingState) -> Outbox {
    let mut outbox = Outbox::new(Vec::new());
    for id in ["m1", "m2"] {
        outbox.push(Outgoing::waiting(id.to_owned(), "go", "ada"));
    }
    outbox.mark("m1", state, "", 4);
    outbox
}

#[test]
fn messages_leave_one_at_a_time_and_in_order() {
    let next = |state| two(state).next().map(|message| message.client_id.clone());
    use OutgoingState::{Done, Failed, Indeterminate, Sending, Sent, Unread, Waiting};
    assert_eq!(next(Waiting).as_deref(), Some("m1"));
    for state in [Sending, Unread] {
        assert_eq!(next(state), None, "{state:?}");
    }
    for state in [Sent, Failed, Indeterminate, Done] {
        assert_eq!(next(state).as_deref(), Some("m2"), "{state:?}");
    }
}

#[test]
fn only_a_later_event_proves_that_a_message_has_arrived() {
    let outbox = two(OutgoingState::Sent);
    let proven = |seq, event: serde_json::Value| {
        let item = crate::journal::tests::sample::entry(&event).item;
        let message = outbox.on_event(seq, &item);
        message.map(|message| message.client_id.clone())
    };
    use crate::journal::tests::sample::{answers, says};
    assert_eq!(proven(4, says(4, "go")), None, "it was there before");
    assert_eq!(proven(5, says(5, "go")).as_deref(), Some("m1"));
    assert_eq!(proven(5, says(5, "stop")), None);
    assert_eq!(proven(5, answers(5, "go")), None, "the agent said it");
}

#[test]
fn a_message_that_may_have_arrived_waits_for_a_person() {
    let mut outbox = two(OutgoingState::Sending);
    let unknown = Delivery::Unknown("cut off".to_owned());
    let (state, why) = outbox.on_delivery("m1", unknown).expect("it is there");
    assert_eq!(state, OutgoingState::Indeterminate);
    assert!(why.contains("may not have gone through"), "{why}");
    outbox.mark("m1", state, &why, 5);
    assert!(outbox.check_failed("m1").is_ok(), "a person may decide");
    assert_eq!(outbox.waiting(), ["m2"]);
    let late = outbox.on_delivery("m1", Delivery::Confirmed);
    assert_eq!(late, None, "it is decided");
}

#[test]
fn an_approval_is_another_one_when_anything_of_it_changes() {
    let asked = |conversation: &str, key: &str, fingerprint: &str, content: &str| {
        let mut calls = calls();
        (calls.calls[0].key, calls.calls[0].fingerprint) = (key.to_owned(), fingerprint.to_owned());
        asked(conversation, calls, content).question
    };
    let before = asked("c", "7", "run make", "rows");
    assert_eq!(before, asked("c", "7", "run make", "rows"));
    let otherwise = asked("c", "7", "run make", "other rows");
    assert_ne!(before.token, otherwise.token, "it is shown otherwise");
    assert_eq!(before.question, otherwise.question, "it is the same action");
    for other in [
        asked("d", "7", "run make", "rows"),
        asked("c", "8", "run make", "rows"),
        asked("c", "7", "run make install", "rows"),
    ] {
        assert_ne!(before.token, other.token);
        assert_ne!(before.question, other.question);
    }
}
