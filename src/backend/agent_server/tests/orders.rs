//! Commands that are sent and, above all, those that are not: on this server any message can approve a pending call.

use super::*;

const DANGEROUS: &str = "run echo HIGH risk";

/// A conversation with a dangerous pending command.
async fn waiting() -> (Rehearsal, AgentServer, String, TestConnection, Kept) {
    let (rehearsal, backend, id) = create_conversation("[[scenario:risk]]").await;
    let mut connection = hold_from(&backend, &id, holding(None));
    let kept = Kept::default();
    kept.status(&mut connection, Status::AwaitingConfirmation)
        .await;
    (rehearsal, backend, id, connection, kept)
}

#[tokio::test]
async fn while_something_waits_no_word_and_no_going_on_is_sent() {
    let (rehearsal, _backend, id, connection, _) = waiting().await;
    let said = connection
        .order(say("Please do not delete anything."))
        .await;
    assert!(matches!(said, Delivery::NotYet(_)), "{said:?}");
    let resumed = connection.order(Command::Resume).await;
    assert!(matches!(resumed, Delivery::NotSent(_)), "{resumed:?}");
    assert_eq!(connection.order(Command::Pause).await, Delivery::Confirmed);
    assert_eq!(rehearsal.stats().executed(&id, DANGEROUS), 0);
}

#[tokio::test]
async fn an_approval_of_anything_else_than_all_that_waits_is_refused() {
    let (rehearsal, _backend, id, connection, kept) = waiting().await;
    for keys in [
        vec![],
        vec!["made-up".to_owned()],
        [kept.calls(), vec!["one more".to_owned()]].concat(),
    ] {
        let answer = connection.order(Command::Approve { keys }).await;
        assert!(matches!(answer, Delivery::NotSent(_)), "{answer:?}");
    }
    assert_eq!(rehearsal.stats().executed(&id, DANGEROUS), 0);
}

#[tokio::test]
async fn an_approval_of_what_waits_runs_it_once() {
    let (rehearsal, _backend, id, mut connection, kept) = waiting().await;
    let keys = kept.calls();
    assert_eq!(
        connection
            .order(Command::Approve { keys: keys.clone() })
            .await,
        Delivery::Confirmed
    );
    kept.status(&mut connection, Status::Running).await;
    let again = connection.order(Command::Approve { keys }).await;
    assert!(matches!(again, Delivery::NotSent(_)), "{again:?}");
    assert_eq!(rehearsal.stats().executed(&id, DANGEROUS), 1);
}

#[tokio::test]
async fn what_waits_side_by_side_is_approved_as_a_whole_or_not_at_all() {
    let (_rehearsal, backend, id) = create_conversation("[[scenario:parallel]]").await;
    let mut connection = hold_from(&backend, &id, holding(None));
    let kept = Kept::default();
    kept.status(&mut connection, Status::AwaitingConfirmation)
        .await;
    let keys = kept.calls();
    assert_eq!(keys.len(), 2);
    let half = connection
        .order(Command::Approve {
            keys: keys[..1].to_vec(),
        })
        .await;
    assert!(matches!(half, Delivery::NotSent(_)), "{half:?}");
    assert_eq!(
        connection.order(Command::Approve { keys }).await,
        Delivery::Confirmed
    );
    kept.status(&mut connection, Status::Finished).await;
}

#[tokio::test]
async fn a_rejection_says_why_and_the_agent_goes_on_when_it_is_told_to() {
    let (rehearsal, _backend, id, mut connection, kept) = waiting().await;
    let reason = Some("Too dangerous".to_owned());
    assert_eq!(
        connection.order(Command::Reject { reason }).await,
        Delivery::Confirmed
    );
    let rejected = |event: &ReceivedEvent| matches!(&event.item.body, Body::Rejected { reason } if reason == "Too dangerous");
    kept.until(&mut connection, |kept| kept.values().any(rejected))
        .await;
    assert_eq!(connection.order(Command::Resume).await, Delivery::Confirmed);
    kept.status(&mut connection, Status::Running).await;
    assert_eq!(rehearsal.stats().executed(&id, DANGEROUS), 0);
}

#[tokio::test]
async fn stopping_rejects_what_waits() {
    let (rehearsal, _backend, id, mut connection, kept) = waiting().await;
    assert_eq!(connection.order(Command::Stop).await, Delivery::Confirmed);
    kept.until(&mut connection, |kept| {
        kept.values()
            .any(|event| matches!(event.item.body, Body::Rejected { .. }))
    })
    .await;
    assert_eq!(rehearsal.stats().executed(&id, DANGEROUS), 0);
}

#[tokio::test]
async fn after_a_rejection_a_message_is_read_at_once() {
    let (rehearsal, _backend, id, mut connection, kept) = waiting().await;
    assert_eq!(
        connection.order(Command::Reject { reason: None }).await,
        Delivery::Confirmed
    );
    assert_eq!(
        connection.order(say("[[scenario:hello]]")).await,
        Delivery::Confirmed
    );
    kept.status(&mut connection, Status::Finished).await;
    assert_eq!(rehearsal.stats().executed(&id, DANGEROUS), 0);
}

#[tokio::test]
async fn stopping_does_not_wait_for_what_waits_for_the_step() {
    let (_rehearsal, backend, id) = create_conversation("[[scenario:slow:60000]]").await;
    let mut connection = hold_from(&backend, &id, holding(None));
    let kept = Kept::default();
    let works = |event: &ReceivedEvent| matches!(event.item.body, Body::Call(_));
    kept.until(&mut connection, |kept| kept.values().any(works))
        .await;
    let paused = ordered(&connection, Command::Pause).await;
    assert_eq!(connection.order(Command::Stop).await, Delivery::Confirmed);
    assert_eq!(
        timeout(LONG, paused).await.unwrap().unwrap(),
        Delivery::Confirmed
    );
    kept.status(&mut connection, Status::Paused).await;
}

/// Gives an order; its outcome arrives later.
async fn ordered(
    connection: &TestConnection,
    command: Command,
) -> tokio::sync::oneshot::Receiver<Delivery> {
    let (done, outcome) = tokio::sync::oneshot::channel();
    let order = crate::backend::Order::new(command, done);
    assert!(connection.orders.send(order).await.is_ok());
    outcome
}

#[tokio::test]
async fn a_pause_is_not_undone_by_a_message_that_waited_for_the_same_step() {
    let (_rehearsal, backend, id) = create_conversation("[[scenario:slow:400]]").await;
    let mut connection = hold_from(&backend, &id, holding(None));
    let kept = Kept::default();
    let works = |event: &ReceivedEvent| matches!(event.item.body, Body::Call(_));
    kept.until(&mut connection, |kept| kept.values().any(works))
        .await;
    let said = ordered(&connection, say("By the way: hello")).await;
    let paused = ordered(&connection, Command::Pause).await;
    for outcome in [said, paused] {
        assert_eq!(
            timeout(LONG, outcome).await.unwrap().unwrap(),
            Delivery::Confirmed
        );
    }
    kept.status(&mut connection, Status::Paused).await;
    let status = async || backend.conversation(&id).await.unwrap().unwrap().status;
    assert_eq!(status().await, Some(Status::Paused));
    assert_eq!(connection.order(Command::Resume).await, Delivery::Confirmed);
    kept.status(&mut connection, Status::Running).await;
}
