//! Answers whose outcome is unknown, and answers beside a message: the pending approval and the outbox by themselves.

use crate::backend::Delivery;
use crate::conversation::{PendingCall, PendingConfirmation, Risk};
use crate::hub::HubError;
use crate::hub::parts::approval::{Asked, PendingApproval, Refresh, repeated};
use crate::hub::parts::outbox::Outbox;
use crate::journal::{Approval, ApprovalState, Outgoing, OutgoingState};
use crate::live::Decision;
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

/// An approval that waits, and its token.
fn pending() -> (PendingApproval, String) {
    let mut approval = PendingApproval::default();
    assert!(
        matches!(approval.refresh(Some(&calls()), &[]), Refresh::Ask(asked) if asked == calls())
    );
    let asked = Asked::new("c", calls(), "rows", &[], Vec::new(), true);
    let token = asked.question.token.clone();
    let standing = Approval {
        token: token.clone(),
        state: ApprovalState::Open,
        approved: None,
        answered_at: None,
        answered_by: String::new(),
    };
    approval.ask(asked, standing);
    (approval, token)
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
    assert!(matches!(outcome.told, Err(HubError::Indeterminate(_))));

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
