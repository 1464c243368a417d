//! Guessing does not pay.

use super::*;
use futures_util::future::join_all;

#[tokio::test]
async fn guessing_is_stopped_for_accounts_that_are_there_or_not_and_after_a_restart() {
    let (people, folder) = people().await;
    for name in ["viewer", "nobody"] {
        for _ in 0..5 {
            let wrong = people
                .log_in(NewLogin {
                    address: name,
                    ..login(name, "wrong guess")
                })
                .await;
            assert!(
                matches!(wrong, Err(PeopleError::Wrong)),
                "{name}: {wrong:?}"
            );
        }
        let sixth = people.log_in(login(name, PASSWORD)).await;
        assert!(
            matches!(sixth, Err(PeopleError::Wait(1..=30))),
            "{name}: {sixth:?}"
        );
    }
    let again = people_in(&folder).await;
    let restarted = again.log_in(login("viewer", PASSWORD)).await;
    assert!(
        matches!(restarted, Err(PeopleError::Wait(_))),
        "{restarted:?}"
    );
    let locks = again.everybody().await.expect("healthy").locks;
    let subjects: Vec<&str> = locks.iter().map(|lock| lock.subject.as_str()).collect();
    assert_eq!(subjects, ["account nobody", "account viewer"]);
    let owner = Caller::at_the_machine();
    again
        .clear_lock(&owner, "account viewer")
        .await
        .expect("healthy");
    logged_in(&again, "viewer").await;
}

#[tokio::test]
async fn a_thousand_guesses_at_once_are_five_guesses() {
    let (people, _folder) = people().await;
    let guesses = (0..1000).map(|guess| {
        let people = people.clone();
        async move {
            let address = format!("192.0.2.{}", guess % 200);
            let guess = NewLogin {
                address: &address,
                ..login("viewer", "wrong guess")
            };
            people.log_in(guess).await
        }
    });
    let outcomes = join_all(guesses).await;
    let looked_at = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, Err(PeopleError::Wrong)));
    assert_eq!(looked_at.count(), 5);
}

#[tokio::test]
async fn one_address_cannot_guess_through_many_accounts() {
    let (people, _folder) = people().await;
    let mut refused = 0;
    for account in 0..12 {
        let name = format!("somebody{account}");
        if let Err(PeopleError::Wait(seconds)) = people.log_in(login(&name, "wrong guess")).await {
            assert!(seconds <= 6);
            refused += 1;
        }
    }
    assert_eq!(refused, 2);
}
