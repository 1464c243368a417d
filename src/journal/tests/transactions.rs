//! Approvals and messages: stored once, before they are sent, and marked correctly after a crash.

use super::super::{
    Approval, ApprovalState, AuditEntry, Claim, Journal, NewAmendment, NewAnswer, Outgoing,
    OutgoingState, Question, Verdict,
};
use super::{ID, journal, journal_in};

async fn ask(journal: &Journal, token: &str, question: &str, at: i64) -> Approval {
    let question = Question {
        token: token.to_owned(),
        question: question.to_owned(),
        shown: String::new(),
        rating: String::new(),
    };
    journal.ask(ID, question, at).await.expect("healthy")
}

async fn claim(journal: &Journal, token: &str, approved: bool, at: i64) -> Claim {
    let answer = NewAnswer {
        approved,
        reason: String::new(),
        by: "ada".to_owned(),
        entry: AuditEntry {
            at,
            ..AuditEntry::default()
        },
        amendment: None,
        touch: None,
    };
    let claimed = journal.claim(ID, token, answer, |_| Verdict::Send).await;
    claimed.expect("healthy")
}

fn message(client_id: &str, state: OutgoingState) -> Outgoing {
    Outgoing {
        client_id: client_id.to_owned(),
        text: "hello".to_owned(),
        images: Vec::new(),
        files: vec!["a.txt".to_owned()],
        at: 5,
        by: "ada".to_owned(),
        state,
        why: String::new(),
        sent_after: 0,
    }
}

#[tokio::test]
async fn the_first_answer_wins() {
    let (journal, _folder) = journal().await;
    ask(&journal, "t", "q", 1).await;
    assert_eq!(claim(&journal, "t", true, 7).await, Claim::Won);
    let Claim::Answered(first) = claim(&journal, "t", false, 8).await else {
        panic!("a second answer was taken");
    };
    assert_eq!((first.approved, first.answered_at), (Some(true), Some(7)));
    assert_eq!(claim(&journal, "other", true, 9).await, Claim::Unknown);
}

#[tokio::test]
async fn what_is_shown_otherwise_is_asked_anew() {
    let (journal, _folder) = journal().await;
    ask(&journal, "before", "q", 1).await;
    ask(&journal, "after", "q", 1).await;
    assert!(matches!(
        claim(&journal, "before", true, 2).await,
        Claim::Answered(old) if old.state == ApprovalState::Superseded
    ));
    assert_eq!(claim(&journal, "after", true, 2).await, Claim::Won);
}

#[tokio::test]
async fn an_answered_question_stays_answered_however_it_is_shown() {
    let (journal, _folder) = journal().await;
    ask(&journal, "before", "q", 1).await;
    claim(&journal, "before", true, 2).await;
    let standing = ask(&journal, "after", "q", 3).await;
    assert_eq!(
        (standing.token.as_str(), standing.state),
        ("before", ApprovalState::Sent)
    );
    assert_eq!(claim(&journal, "after", true, 4).await, Claim::Unknown);
}

#[tokio::test]
async fn what_was_approved_or_rejected_is_never_asked_again() {
    for outcome in [ApprovalState::Approved, ApprovalState::Rejected] {
        let (journal, _folder) = journal().await;
        let approved = outcome == ApprovalState::Approved;
        ask(&journal, "before", "q", 1).await;
        claim(&journal, "before", approved, 2).await;
        let resolved = journal.resolve_answer(ID, "before", outcome).await;
        resolved.expect("healthy");
        // Its rows have changed since, so its token is another one.
        for token in ["after", "before"] {
            let standing = ask(&journal, token, "q", 3).await;
            assert_eq!((&*standing.token, standing.state), ("before", outcome));
        }
        assert_eq!(claim(&journal, "after", !approved, 4).await, Claim::Unknown);
    }
}

#[tokio::test]
async fn a_late_outcome_opens_no_approval_again() {
    let (journal, _folder) = journal().await;
    ask(&journal, "t", "q", 1).await;
    journal.nothing_asked(ID).await.expect("healthy");
    for state in [ApprovalState::Open, ApprovalState::Indeterminate] {
        let resolved = journal.resolve_answer(ID, "t", state).await;
        resolved.expect("healthy");
        assert_ne!(claim(&journal, "t", true, 2).await, Claim::Won, "{state:?}");
    }
}

#[tokio::test]
async fn what_is_about_to_be_sent_is_on_the_disk_before() {
    // It is about the file.
    let _file = crate::journal::engine::in_a_file();
    let (journal, _folder) = journal().await;
    let is_on_disk = async |what: &str| {
        assert!(journal.database.is_on_disk().await, "{what}");
        journal.nothing_asked("none").await.expect("healthy");
        assert!(!journal.database.is_on_disk().await, "that can be lost");
    };
    ask(&journal, "t", "q", 1).await;
    is_on_disk("the approval, as it is shown").await;
    assert_eq!(claim(&journal, "t", true, 2).await, Claim::Won);
    is_on_disk("the answer").await;
    let taken = journal.take_message(ID, message("a", OutgoingState::Waiting));
    assert!(taken.await.expect("healthy"));
    is_on_disk("the message").await;
    let marked = journal.mark_message(ID, "a", OutgoingState::Sending, "", 0);
    marked.await.expect("healthy");
    is_on_disk("that it is being sent").await;
    journal.note(AuditEntry::default()).await.expect("healthy");
    is_on_disk("the audit entry").await;
}

#[tokio::test]
async fn nothing_can_be_answered_that_waits_no_more() {
    let (journal, _folder) = journal().await;
    ask(&journal, "t", "q", 1).await;
    journal.nothing_asked(ID).await.expect("healthy");
    assert_ne!(claim(&journal, "t", true, 2).await, Claim::Won);
}

#[tokio::test]
async fn after_a_crash_what_was_on_its_way_has_an_unknown_outcome_and_what_waited_has_failed() {
    let (journal, folder) = journal().await;
    ask(&journal, "open", "1", 1).await;
    claim(&journal, "open", true, 2).await;
    for (id, state) in [
        ("a", OutgoingState::Sending),
        ("b", OutgoingState::Waiting),
        ("c", OutgoingState::Sent),
        ("d", OutgoingState::Failed),
    ] {
        assert!(
            journal
                .take_message(ID, message(id, state))
                .await
                .expect("healthy")
        );
    }
    drop(journal);
    let journal = journal_in(folder.path()).await;
    let answer = journal
        .approval(ID, "open")
        .await
        .expect("healthy")
        .expect("it was asked");
    assert_eq!(answer.state, ApprovalState::Indeterminate);
    let states: Vec<OutgoingState> = journal
        .outbox(ID)
        .await
        .expect("healthy")
        .iter()
        .map(|message| message.state)
        .collect();
    use OutgoingState::{Failed, Indeterminate, Sent};
    assert_eq!(states, [Indeterminate, Failed, Sent, Failed]);
}

#[tokio::test]
async fn a_message_is_taken_once_for_ever() {
    let (journal, _folder) = journal().await;
    assert!(
        journal
            .take_message(ID, message("a", OutgoingState::Waiting))
            .await
            .expect("healthy")
    );
    assert!(
        !journal
            .take_message(ID, message("a", OutgoingState::Waiting))
            .await
            .expect("healthy")
    );
    journal
        .mark_message(ID, "a", OutgoingState::Done, "", 0)
        .await
        .expect("healthy");
    assert_eq!(journal.outbox(ID).await.expect("healthy"), []);
    assert!(
        !journal
            .take_message(ID, message("a", OutgoingState::Waiting))
            .await
            .expect("healthy")
    );
    assert!(journal.has_message(ID, "a").await.expect("healthy"));
}

#[tokio::test]
async fn an_amendment_whose_approval_was_not_sent_is_in_force_again() {
    let (journal, _folder) = journal().await;
    ask(&journal, "all", "all", 1).await;
    let answer = NewAnswer {
        approved: false,
        reason: String::new(),
        by: "ada".to_owned(),
        entry: AuditEntry {
            at: 2,
            ..AuditEntry::default()
        },
        amendment: Some(NewAmendment {
            action: "one".to_owned(),
            lasts: 100,
        }),
        touch: None,
    };
    let rejected = journal.claim(ID, "all", answer, |_| Verdict::Send).await;
    assert_eq!(rejected.expect("healthy"), Claim::Won);
    ask(&journal, "one", "one", 3).await;
    let found = async || journal.amendment(ID, "one", 4).await.expect("healthy");
    let amendment = found().await.expect("it is in force");
    let claimed = async || {
        let entry = AuditEntry {
            at: 4,
            ..AuditEntry::default()
        };
        let claimed =
            journal.claim_by_amendment(ID, "one", amendment.clone(), entry, |_| Verdict::Send);
        claimed.await.expect("healthy").is_some()
    };
    assert!(claimed().await);
    assert!(found().await.is_none() && !claimed().await, "once");
    // The same action was told anew, with more about it, before the approval was sent.
    let kept_back = journal.resolve_answer(ID, "one", ApprovalState::Superseded);
    kept_back.await.expect("healthy");
    let unclaimed = journal.unclaim_amendment(ID, "one", amendment.number);
    unclaimed.await.expect("healthy");
    assert!(found().await.is_some());
    ask(&journal, "one", "one", 5).await;
    assert!(claimed().await && found().await.is_none());
}

#[tokio::test]
async fn what_was_shown_is_kept_with_its_nuls() {
    let (journal, _folder) = journal().await;
    let text = |name: &str| format!("{name}\0\u{FDD0}");
    let shown = crate::journal::ShownRecord {
        token: text("token"),
        calls: text("calls"),
        content: text("content"),
        shown: text("shown"),
    };
    ask(&journal, &shown.token, &text("question"), 1).await;
    let kept = journal.keep_shown(ID, shown.clone()).await;
    kept.expect("healthy");
    let read = journal.shown(ID, &shown.token).await;
    assert_eq!(read.expect("healthy"), Some(shown.clone()));
    let past = journal.approvals_after(ID, (0, String::new()), 9).await;
    let past = past.expect("healthy");
    assert_eq!(
        (past[0].token.clone(), past[0].shown.clone()),
        (shown.token.clone(), Some(shown))
    );
}
