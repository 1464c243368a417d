//! Two people answer the same approval at the same moment. The simulation has many such races, mixed with lost connections,
//! messages and restarts.

use crate::approvals::{executed, pending, sentence};
use crate::both::on_both;
use crate::stage::{Stage, is_over, me, reader};
use handrail::backend::rehearsal::Dialect;
use handrail::hub::HubError;
use handrail::journal::Journal;
use handrail::live::Decision;
use handrail::people::Caller;

on_both![of_two_conflicting_answers_exactly_one_counts];

async fn of_two_conflicting_answers_exactly_one_counts(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let (mut tab, token) = pending(&stage).await;
    let journal = Journal::open_beside(stage.folder.path(), reader).await;
    let journal = journal.expect("it is healthy");
    for name in ["ada", "bob"] {
        let added = journal.add_person(name, "approver", "x".to_owned(), false, 1);
        added.await.expect("it is healthy").expect("it is free");
    }
    let answer = |person, name: &str, decision| {
        let (hub, id, token) = (stage.hub.clone(), tab.conversation.clone(), token.clone());
        let caller = Caller {
            person,
            name: name.to_owned(),
            ..me().clone()
        };
        tokio::spawn(async move {
            hub.commands
                .answer(&caller, &id, &token, decision, "")
                .await
        })
    };
    let (yes, no) = tokio::join!(
        answer(1, "ada", Decision::Approve),
        answer(2, "bob", Decision::Reject)
    );
    let never_panics = "the task does not panic";
    let (runs, word, lost) = match (yes.expect(never_panics), no.expect(never_panics)) {
        (Ok(()), Err(lost)) => (1, "ada already approved", lost),
        (Err(lost), Ok(())) => (0, "bob already rejected", lost),
        other => panic!("one wins and one loses, not {other:?}"),
    };
    assert!(matches!(lost, HubError::AnsweredBefore { .. }), "{lost:?}");
    let message = sentence(&lost);
    assert!(
        message.starts_with(&format!("Nothing was sent: {word} this "))
            && message.ends_with(" ago. The first decision counts."),
        "{message}"
    );
    let next = |session: &handrail::live::SessionView| {
        let waiting = session.approval.as_ref();
        is_over(session) || waiting.is_none_or(|one| one.token != token)
    };
    tab.session("the answer has arrived", next).await;
    assert_eq!(executed(&stage, &tab), runs);
}
