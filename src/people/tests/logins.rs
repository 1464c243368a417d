//! Logins and tokens: no right outlasts its revocation.

use super::*;

#[tokio::test]
async fn whatever_takes_a_right_away_ends_the_logins() {
    let (people, _folder) = people().await;
    let (_, owner) = logged_in(&people, "owner").await;
    let mut changed = people.changed();
    for step in 0..4 {
        let (secret, operator) = logged_in(&people, "operator").await;
        assert!(is_in(&people, &secret).await);
        changed.mark_unchanged();
        let outcome = match step {
            0 => people.log_out(&operator).await,
            1 => people.set_role(&owner, "operator", Role::Viewer).await,
            2 => people.reset_password(&owner, "OPERATOR", PASSWORD).await,
            _ => people.set_disabled(&owner, "operator", true).await,
        };
        outcome.expect("they are there");
        assert!(changed.has_changed().expect("it is watched"), "{step}");
        assert!(!is_in(&people, &secret).await, "{step}");
        let still = people.still(&operator).await.expect("healthy");
        assert!(!still, "{step}: the pages that are open end, too");
    }
    let shut_out = people.log_in(login("operator", PASSWORD)).await;
    assert!(matches!(shut_out, Err(PeopleError::Wrong)));
    people
        .set_disabled(&owner, "operator", false)
        .await
        .expect("they are there");
    logged_in(&people, "operator").await;
}

#[tokio::test]
async fn a_new_password_ends_the_other_logins_and_gives_this_one_another_secret() {
    let (people, _folder) = people().await;
    let (other, _) = logged_in(&people, "viewer").await;
    let (here, viewer) = logged_in(&people, "viewer").await;
    let wrong = people
        .change_password(&viewer, "something else", "battery staple")
        .await;
    assert!(matches!(wrong, Err(PeopleError::Invalid(_))));
    assert!(is_in(&people, &other).await);
    let renewed = people
        .change_password(&viewer, PASSWORD, "battery staple")
        .await;
    let renewed = renewed.expect("it is the password");
    assert!(is_in(&people, &renewed).await);
    assert!(!is_in(&people, &here).await && !is_in(&people, &other).await);
    let old = people.log_in(login("viewer", PASSWORD)).await;
    assert!(matches!(old, Err(PeopleError::Wrong)));
}

#[tokio::test]
async fn a_token_allows_what_it_says_and_never_more_than_its_person_may() {
    let (people, _folder) = people().await;
    let (_, operator) = logged_in(&people, "operator").await;
    let (_, owner) = logged_in(&people, "owner").await;
    for (by, role) in [(&operator, Role::Owner), (&owner, Role::Owner)] {
        assert!(people.make_token(by, "script", role, 1).await.is_err());
    }
    let token = people
        .make_token(&operator, "script", Role::Operator, 1)
        .await
        .expect("fine");
    let who = of_token(&people, &token).await.expect("it is new");
    assert_eq!((who.name.as_str(), who.role), ("operator", Role::Operator));
    assert!(of_token(&people, &token[..token.len() - 1]).await.is_none());
    assert!(!is_in(&people, &token).await);
    people
        .set_role(&owner, "operator", Role::Viewer)
        .await
        .expect("they are there");
    let who = of_token(&people, &token).await.expect("it is good");
    assert_eq!(who.role, Role::Viewer);
    let before = Caller {
        role: Role::Operator,
        ..who.clone()
    };
    assert!(!people.still(&before).await.expect("healthy"));
    assert!(people.still(&who).await.expect("healthy"));
    let number = people.account(&who, 0).await.expect("healthy").tokens[0].number;
    assert!(
        people.end_token(&owner, number).await.is_err(),
        "it is not theirs"
    );
    let (_, operator) = logged_in(&people, "operator").await;
    let ended = people.end_token(&operator, number).await;
    ended.expect("it is theirs");
    assert!(of_token(&people, &token).await.is_none());
}

#[tokio::test]
async fn nobody_ends_the_login_of_another() {
    let (people, _folder) = people().await;
    let (secret, viewer) = logged_in(&people, "viewer").await;
    let (_, owner) = logged_in(&people, "owner").await;
    let Credential::Login(number) = viewer.credential else {
        panic!("they logged in")
    };
    assert!(people.end_device(&owner, number).await.is_err());
    assert!(is_in(&people, &secret).await);
    people
        .end_device(&viewer, number)
        .await
        .expect("it is theirs");
    assert!(!is_in(&people, &secret).await);
}

#[tokio::test]
async fn tokens_end_with_the_password_and_with_the_account() {
    let (people, _folder) = people().await;
    let (_, owner) = logged_in(&people, "owner").await;
    for step in 0..3 {
        let (_, operator) = logged_in(&people, "operator").await;
        let token = people.make_token(&operator, "script", Role::Viewer, 365);
        let token = token.await.expect("fine");
        let who = async || people.of_token(&token, FROM).await.expect("healthy");
        let by_token = who().await.expect("it is new");
        let outcome = match step {
            0 => people
                .change_password(&operator, PASSWORD, PASSWORD)
                .await
                .map(drop),
            1 => people.reset_password(&owner, "operator", PASSWORD).await,
            _ => people.set_disabled(&owner, "operator", true).await,
        };
        outcome.expect("they are there");
        if step == 2 {
            let enabled = people.set_disabled(&owner, "operator", false).await;
            enabled.expect("they are there");
        }
        assert_eq!(who().await, None, "{step}");
        // An open connection of the token is closed.
        assert!(!people.still(&by_token).await.expect("healthy"), "{step}");
    }
}

#[tokio::test]
async fn who_comes_with_a_token_changes_nothing_about_the_account() {
    let (people, _folder) = people().await;
    let (secret, viewer) = logged_in(&people, "viewer").await;
    let Credential::Login(login) = viewer.credential else {
        panic!("they logged in")
    };
    let token = people.make_token(&viewer, "script", Role::Viewer, 1).await;
    let by = people.of_token(&token.expect("fine"), FROM).await;
    let by = by.expect("healthy").expect("it is new");
    let number = people.account(&viewer, 0).await.expect("healthy").tokens[0].number;
    let identity = Identity {
        issuer: "https://id.example".to_owned(),
        subject: "mallory".to_owned(),
        name: "mallory".to_owned(),
        invited: None,
    };
    for outcome in [
        people.end_other_devices(&by).await,
        people.end_device(&by, login).await,
        people.end_token(&by, number).await,
        people.add_identity(&by, &identity).await,
        people.forget_identities(&by).await,
        people
            .make_token(&by, "more", Role::Viewer, 1)
            .await
            .map(drop),
        people
            .change_password(&by, PASSWORD, "battery staple")
            .await
            .map(drop),
    ] {
        assert!(
            matches!(outcome, Err(PeopleError::NeedsLogin)),
            "{outcome:?}"
        );
    }
    assert!(is_in(&people, &secret).await);
}

#[tokio::test]
async fn what_changes_nothing_is_not_in_the_audit_and_wakes_no_line() {
    let (people, _folder) = people().await;
    let (_, viewer) = logged_in(&people, "viewer").await;
    let (_, owner) = logged_in(&people, "owner").await;
    let entries = async || people.audit().verify(None).await.expect("healthy").entries;
    let mut changed = people.changed();
    people.notify_if_changed().await;
    let before = entries().await;
    changed.mark_unchanged();
    for _ in 0..20 {
        assert!(people.end_device(&viewer, 4711).await.is_err());
        assert!(people.end_token(&viewer, 4711).await.is_err());
        assert!(people.end_link(&owner, "c0ffee", 4711).await.is_err());
        assert!(people.forget_identities(&viewer).await.is_err());
        for nothing in [
            people.end_other_devices(&viewer).await,
            people.set_role(&owner, "viewer", Role::Viewer).await,
            people.set_disabled(&owner, "viewer", false).await,
            people.clear_lock(&owner, "account nobody").await,
        ] {
            nothing.expect("it is so");
        }
    }
    assert_eq!(entries().await, before);
    assert!(!changed.has_changed().expect("it is watched"));
}

#[tokio::test]
async fn a_login_that_was_under_way_when_the_password_changed_is_none() {
    let (people, _folder) = people().await;
    let owner = Caller::at_the_machine();
    let before = people.journal().person("viewer").await.expect("healthy");
    let before = before.expect("they are there");
    // The attempt succeeded a moment ago.
    let reset = people
        .reset_password(&owner, "viewer", "battery staple")
        .await;
    reset.expect("they are there");
    let begun = people
        .begin_login(&before, &login("viewer", PASSWORD), false)
        .await;
    assert!(matches!(begun, Err(PeopleError::Wrong)), "{begun:?}");
}

#[tokio::test]
async fn while_the_disk_is_full_people_log_in_and_out_and_are_held_back_as_before() {
    let (people, _folder) = people().await;
    let (stored, _) = logged_in(&people, "operator").await;
    people.journal().fill(true).await;
    let (secret, caller) = logged_in(&people, "viewer").await;
    assert!(!people.journal().is_writable().await);
    assert!(people.still(&caller).await.expect("healthy"));
    let account = people.account(&caller, 0).await.expect("healthy");
    assert!(account.devices.iter().any(|device| device.here));
    for guess in 0..6 {
        let wrong = people.log_in(login("approver", "wrong guess")).await;
        let waits = matches!(wrong, Err(PeopleError::Wait(_)));
        assert_eq!(waits, guess == 5, "{guess}: {wrong:?}");
    }
    for secret in [secret, stored] {
        let caller = people.of_browser(&secret, FROM).await.expect("healthy");
        let caller = caller.expect("they are logged in");
        people.log_out(&caller).await.expect("they can leave");
        assert!(!is_in(&people, &secret).await);
        assert!(!people.still(&caller).await.expect("healthy"));
    }
    let machine = Caller::at_the_machine();
    let added = people.add(&machine, "ada", Role::Viewer, PASSWORD).await;
    let full = matches!(
        added,
        Err(PeopleError::Journal(crate::journal::JournalError::Full(_)))
    );
    assert!(full, "{added:?}");
    people.journal().fill(false).await;
    let added = people.add(&machine, "ada", Role::Viewer, PASSWORD).await;
    added.expect("there is room");
    assert!(people.journal().is_writable().await);
}
