//! Throttling of password guessing.
//!
//! Long because the cases share the ways to guess.

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
    let locks = again.everybody("", "").await.expect("healthy").locks;
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
    let compared = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, Err(PeopleError::Wrong)));
    assert_eq!(compared.count(), 5);
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

#[tokio::test]
async fn blanks_and_capitals_make_no_other_account() {
    let (people, _folder) = people().await;
    let spellings = [
        "viewer",
        " viewer",
        "viewer\t",
        "\u{a0}VIEWER\u{2003}",
        "Viewer\r\n",
    ];
    let mut compared = 0;
    for (guess, name) in spellings.iter().cycle().take(20).enumerate() {
        let address = format!("192.0.2.{guess}");
        let guess = NewLogin {
            address: &address,
            ..login(name, "wrong guess")
        };
        match people.log_in(guess).await {
            Err(PeopleError::Wrong) => compared += 1,
            Err(PeopleError::Wait(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(compared, 5);
    let owner = Caller::at_the_machine();
    people
        .reset_password(&owner, " VIEWER ", PASSWORD)
        .await
        .expect("they are there");
    logged_in(&people, "viewer").await;
}

#[tokio::test]
async fn all_addresses_of_one_network_of_ipv6_guess_as_one() {
    let (people, _folder) = people().await;
    let guess = async |address: String, account: u32| {
        let name = format!("somebody{account}");
        let guess = NewLogin {
            address: &address,
            ..login(&name, "wrong guess")
        };
        people.log_in(guess).await
    };
    for account in 0..20 {
        let outcome = guess(format!("2001:db8:1:2:{account:x}::1"), account).await;
        let waits = matches!(outcome, Err(PeopleError::Wait(_)));
        assert_eq!(waits, account >= 10, "{account}: {outcome:?}");
    }
    let beside = guess("2001:db8:1:3::1".to_owned(), 0).await;
    assert!(matches!(beside, Err(PeopleError::Wrong)), "{beside:?}");
}

/// Locks an account with failed attempts from another address.
async fn lock_out(people: &People, name: &str) {
    for guess in 0..5 {
        let address = format!("198.51.100.{guess}");
        let guess = NewLogin {
            address: &address,
            ..login(name, "wrong guess")
        };
        let wrong = people.log_in(guess).await;
        assert!(matches!(wrong, Err(PeopleError::Wrong)), "{wrong:?}");
    }
}

#[tokio::test]
async fn strangers_lock_nobody_out_of_a_browser_that_they_have_used_before() {
    let (people, _folder) = people().await;
    let before = people.log_in(login("viewer", PASSWORD)).await;
    let known = before.expect("it is the password").device;
    lock_out(&people, "viewer").await;
    let here = |name, password| NewLogin {
        known: &known,
        ..login(name, password)
    };
    let elsewhere = people.log_in(login("viewer", PASSWORD)).await;
    assert!(
        matches!(elsewhere, Err(PeopleError::Wait(_))),
        "{elsewhere:?}"
    );
    let entered = people.log_in(here("viewer", PASSWORD)).await;
    assert_eq!(entered.expect("they are known here").device, known);
    // Other accounts are unknown in this browser, and the strangers' attempts still count.
    lock_out(&people, "operator").await;
    for name in ["operator", "viewer"] {
        let other = if name == "viewer" {
            login(name, PASSWORD)
        } else {
            here(name, PASSWORD)
        };
        let other = people.log_in(other).await;
        assert!(
            matches!(other, Err(PeopleError::Wait(_))),
            "{name}: {other:?}"
        );
    }
    // Attempts in this browser count against it.
    for guess in 0..6 {
        let wrong = people.log_in(here("viewer", "wrong guess")).await;
        let waits = matches!(wrong, Err(PeopleError::Wait(1..=30)));
        assert_eq!(waits, guess == 5, "{guess}: {wrong:?}");
    }
    let owner = Caller::at_the_machine();
    let locks = people.everybody("", "").await.expect("healthy").locks;
    let ours = locks
        .iter()
        .find(|lock| lock.subject.starts_with("browser "));
    let subject = &ours.expect("owners see it").subject;
    assert!(subject.ends_with(" of viewer"), "{subject}");
    people.clear_lock(&owner, subject).await.expect("healthy");
    let entered = people.log_in(here("viewer", PASSWORD)).await;
    entered.expect("it is the password");
}

#[tokio::test]
async fn a_browser_is_known_by_what_we_gave_it_until_it_is_ended_or_the_account_is_disabled() {
    let (people, _folder) = people().await;
    let planted = NewLogin {
        known: "planted-by-somebody-else",
        ..login("viewer", PASSWORD)
    };
    let entered = people.log_in(planted).await.expect("it is the password");
    assert_ne!(entered.device, "planted-by-somebody-else");
    let lost = people.log_in(login("viewer", PASSWORD)).await;
    let lost = lost.expect("it is the password").device;
    let caller = people.of_browser(&entered.login, FROM).await;
    let caller = caller.expect("healthy").expect("they are in");
    people.end_other_devices(&caller).await.expect("healthy");
    lock_out(&people, "viewer").await;
    let try_in = async |known: &str| {
        let new = NewLogin {
            known,
            ..login("viewer", PASSWORD)
        };
        people.log_in(new).await.is_ok()
    };
    assert!(
        !try_in(&lost).await,
        "its login was ended as another device"
    );
    assert!(try_in(&entered.device).await);
    let owner = Caller::at_the_machine();
    for disabled in [true, false] {
        let set = people.set_disabled(&owner, "viewer", disabled).await;
        set.expect("they are there");
    }
    assert!(!try_in(&entered.device).await, "the account was disabled");
}

#[tokio::test]
async fn who_has_an_account_does_not_guess_others_for_it() {
    let (people, _folder) = people().await;
    let mut refused = 0;
    for account in 0..14 {
        let name = format!("somebody{account}");
        let guess = people.log_in(login(&name, "wrong guess")).await;
        refused += u32::from(matches!(guess, Err(PeopleError::Wait(_))));
        // A successful login in between takes back only its own attempt.
        let _ = people.log_in(login("viewer", PASSWORD)).await;
    }
    assert!(refused >= 4, "{refused} of 14 were refused");
}

#[tokio::test]
async fn strangers_do_not_keep_somebody_who_is_in_from_changing_their_password() {
    let (people, _folder) = people().await;
    let (_, viewer) = logged_in(&people, "viewer").await;
    lock_out(&people, "viewer").await;
    for guess in 0..5 {
        let wrong = people
            .change_password(&viewer, "wrong guess", "battery staple")
            .await;
        let waits = matches!(wrong, Err(PeopleError::Wait(_)));
        assert!(!waits, "{guess}: {wrong:?}");
    }
    let sixth = people
        .change_password(&viewer, PASSWORD, "battery staple")
        .await;
    assert!(matches!(sixth, Err(PeopleError::Wait(_))), "{sixth:?}");
}

#[tokio::test]
async fn guesses_that_count_no_more_are_not_kept() {
    let (people, _folder) = people().await;
    let guess = |at: i64| {
        move |guesses: &mut [crate::journal::Guess]| {
            (
                guesses[0].failures,
                guesses[0].since,
                guesses[0].locked_until,
            ) = (1, at, at);
        }
    };
    let journal = people.journal();
    for (at, name) in [(5_000, "old"), (500_000, "new")] {
        let subjects = vec![format!("account {name}")];
        let kept = journal.with_guesses(subjects, at - 1_000..=at + 1_000, guess(at));
        kept.await.expect("healthy");
    }
    let kept = journal.locked(0).await.expect("healthy");
    let kept: Vec<&str> = kept.iter().map(|guess| guess.subject.as_str()).collect();
    assert_eq!(kept, ["account new"]);
}

#[tokio::test]
async fn a_known_browser_is_not_held_back_by_the_lock_of_its_address() {
    let (people, _folder) = people().await;
    let before = people.log_in(login("viewer", PASSWORD)).await;
    let known = before.expect("it is the password").device;
    for account in 0..12 {
        let name = format!("somebody{account}");
        let _ = people.log_in(login(&name, "wrong guess")).await;
    }
    let stranger = people.log_in(login("operator", PASSWORD)).await;
    assert!(
        matches!(stranger, Err(PeopleError::Wait(_))),
        "{stranger:?}"
    );
    let here = NewLogin {
        known: &known,
        ..login("viewer", PASSWORD)
    };
    people.log_in(here).await.expect("it is known");
}
