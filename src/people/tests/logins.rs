//! Logins and tokens: no right outlives its end.

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
    let who = people
        .of_token(&token, FROM)
        .await
        .expect("healthy")
        .expect("it is new");
    assert_eq!((who.name.as_str(), who.role), ("operator", Role::Operator));
    assert!(
        people
            .of_token(&token[..token.len() - 1], FROM)
            .await
            .expect("healthy")
            .is_none()
    );
    assert!(
        people
            .of_browser(&token, FROM)
            .await
            .expect("healthy")
            .is_none()
    );
    people
        .set_role(&owner, "operator", Role::Viewer)
        .await
        .expect("they are there");
    let who = people
        .of_token(&token, FROM)
        .await
        .expect("healthy")
        .expect("it is good");
    assert_eq!(who.role, Role::Viewer);
    let number = people.account(&who).await.expect("healthy").tokens[0].number;
    assert!(
        people.end_token(&owner, number).await.is_err(),
        "it is not theirs"
    );
    people.end_token(&who, number).await.expect("it is theirs");
    assert!(
        people
            .of_token(&token, FROM)
            .await
            .expect("healthy")
            .is_none()
    );
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
