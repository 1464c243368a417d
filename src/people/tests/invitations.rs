//! Invitations: good once, for one account, as long as the owner who made them.

use super::authenticator::Authenticator;
use super::*;

fn invited<'a>(name: &'a str, address: &'a str) -> NewLogin<'a> {
    NewLogin {
        address,
        ..login(name, PASSWORD)
    }
}

async fn accept(people: &People, secret: &str, name: &str) -> Result<LoginSecrets, PeopleError> {
    people.accept_invitation(secret, invited(name, name)).await
}

fn is_gone<T>(outcome: &Result<T, PeopleError>) -> bool {
    matches!(outcome, Err(PeopleError::NoInvitation))
}

#[tokio::test]
async fn an_invitation_makes_one_account_with_its_role() {
    let (people, folder) = people().await;
    let (_, owner) = logged_in(&people, "owner").await;
    for (name, days) in [("", 0), ("", 31), ("viewer", 7), ("no name", 7)] {
        let refused = people
            .make_invitation(&owner, name, Role::Viewer, days)
            .await;
        assert!(
            matches!(refused, Err(PeopleError::Invalid(_))),
            "{name}, {days}"
        );
    }
    let secret = people
        .make_invitation(&owner, "", Role::Approver, 30)
        .await
        .expect("fine");
    let text = std::fs::read(folder.path().join("handrail.db-wal")).expect("it is there");
    assert!(
        !text
            .windows(secret.len())
            .any(|part| part == secret.as_bytes())
    );
    let seen = people.invited(&secret).await.expect("it is good");
    assert_eq!((seen.role, seen.by.as_str()), (Role::Approver, "owner"));
    let taken = accept(&people, &secret, "viewer").await;
    assert!(matches!(taken, Err(PeopleError::Invalid(_))), "{taken:?}");
    let entered = accept(&people, &secret, "ada")
        .await
        .expect("the invitation stays");
    let ada = people
        .of_browser(&entered.login, FROM)
        .await
        .expect("healthy");
    assert_eq!(ada.expect("logged in").role, Role::Approver);
    assert!(
        is_gone(&accept(&people, &secret, "bob").await),
        "it was used"
    );
    let named = people
        .make_invitation(&owner, "carl", Role::Viewer, 1)
        .await
        .expect("fine");
    accept(&people, &named, "somebody-else")
        .await
        .expect("it is good");
    logged_in(&people, "carl").await;
}

#[tokio::test]
async fn of_two_who_accept_at_once_one_gets_in() {
    let (people, _folder) = people().await;
    let (_, owner) = logged_in(&people, "owner").await;
    let secret = people
        .make_invitation(&owner, "", Role::Viewer, 7)
        .await
        .expect("fine");
    let (one, other) = tokio::join!(
        accept(&people, &secret, "ada"),
        accept(&people, &secret, "bob")
    );
    assert_eq!(u8::from(one.is_ok()) + u8::from(other.is_ok()), 1);
}

#[tokio::test]
async fn an_invitation_ends_when_it_is_revoked_or_its_owner_is_none_any_more() {
    let (people, _folder) = people().await;
    let machine = Caller::at_the_machine();
    people
        .add(&machine, "second", Role::Owner, PASSWORD)
        .await
        .expect("a new name");
    let (_, second) = logged_in(&people, "second").await;
    for step in 0..3 {
        let (_, owner) = logged_in(&people, "owner").await;
        let secret = people
            .make_invitation(&owner, "", Role::Viewer, 7)
            .await
            .expect("fine");
        let listed = people.invitations().await.expect("healthy");
        assert_eq!(listed.len(), 1, "{step}");
        match step {
            0 => people.end_invitation(&second, listed[0].number).await,
            1 => people.set_disabled(&second, "owner", true).await,
            _ => people.set_role(&second, "owner", Role::Operator).await,
        }
        .expect("it is there");
        assert!(is_gone(&accept(&people, &secret, "ada").await), "{step}");
        assert!(
            people.invitations().await.expect("healthy").is_empty(),
            "{step}"
        );
        if step == 1 {
            people
                .set_disabled(&second, "owner", false)
                .await
                .expect("they are there");
            let number = people.invitations().await.expect("healthy")[0].number;
            people
                .end_invitation(&second, number)
                .await
                .expect("it is back");
        }
    }
}

#[tokio::test]
async fn an_expired_invitation_is_none_and_secrets_are_guessed_slowly() {
    let (people, _folder) = people().await;
    let (_, owner) = logged_in(&people, "owner").await;
    let record = crate::journal::InvitationRecord {
        number: 0,
        role: "viewer".to_owned(),
        name: String::new(),
        by: String::new(),
        created_at: 0,
        expires_at: 1,
    };
    let hash = secret::hash("expired");
    let added = people.journal().add_invitation(owner.person, hash, record);
    added.await.expect("healthy");
    assert!(people.invitations().await.expect("healthy").is_empty());
    let mut wrong = 0;
    for _ in 0..7 {
        match people.open_invitation("expired", FROM).await {
            Err(PeopleError::NoInvitation) => wrong += 1,
            Err(PeopleError::Wait(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(wrong, 5);
}

#[tokio::test]
async fn an_invited_person_may_have_a_passkey_and_no_password() {
    let (people, _folder) = people().await;
    let (_, owner) = logged_in(&people, "owner").await;
    people
        .require_passkeys(&owner, &[Role::Viewer])
        .await
        .expect("another role");
    let secret = people
        .make_invitation(&owner, "", Role::Viewer, 7)
        .await
        .expect("fine");
    assert!(
        people
            .invited(&secret)
            .await
            .expect("it is good")
            .needs_passkey
    );
    let place = Place::new(true, "box.lan").expect("they work there");
    let begin = async |name: &str| {
        let sealed = people
            .begin_invitation(&secret, name, FROM)
            .await
            .expect("it is good");
        people.half(&sealed).expect("it is ours")
    };
    let (ada, bob) = (begin("ada").await, begin("bob").await);
    let mut outcomes = Vec::new();
    for half in [&ada, &bob] {
        let who = Registrant::Half(half);
        let (asked, challenge) = people.begin_passkey(&place, who).await.expect("invited");
        let answer = Authenticator::new().create("https://box.lan", &asked);
        let made = people
            .finish_passkey(&place, who, (&challenge, &answer), "", login("", ""))
            .await;
        outcomes.push(made);
    }
    assert!(is_gone(&outcomes.pop().expect("bob's")), "it was used");
    let made = outcomes.pop().expect("ada's").expect("it is right");
    assert_eq!(made.codes.len(), 10);
    let secret = made.login.expect("the login is complete").login;
    let caller = people.of_browser(&secret, FROM).await.expect("healthy");
    assert_eq!(caller.expect("logged in").name, "ada");
    assert!(people.named("bob").await.is_err());
}
