//! What is promised of people: one owner at least, no right outlives its end, guessing does not pay.

use super::*;
use crate::journal::AuditFilter;
use crate::journal::sample::journal_in;
use futures_util::future::join_all;
use tempfile::TempDir;

const PASSWORD: &str = "correct horse";
const FROM: &str = "192.0.2.1";

async fn people_in(folder: &TempDir) -> People {
    People::new(journal_in(folder.path()).await, folder.path())
}

async fn people() -> (People, TempDir) {
    let folder = TempDir::new().expect("a temporary folder");
    let people = people_in(&folder).await;
    let machine = Caller::at_the_machine();
    for role in Role::ALL {
        people
            .add(&machine, role.word(), role, PASSWORD)
            .await
            .expect("a new name");
    }
    (people, folder)
}

fn login<'a>(name: &'a str, password: &'a str) -> NewLogin<'a> {
    NewLogin {
        name,
        password,
        device: "a browser",
        address: FROM,
    }
}

async fn logged_in(people: &People, name: &str) -> (String, Caller) {
    let secret = people
        .log_in(login(name, PASSWORD))
        .await
        .expect("it is the password");
    let caller = people.of_browser(&secret, FROM).await.expect("healthy");
    (secret, caller.expect("they have just logged in"))
}

async fn is_in(people: &People, secret: &str) -> bool {
    people
        .of_browser(secret, FROM)
        .await
        .expect("healthy")
        .is_some()
}

#[tokio::test]
async fn a_set_up_code_makes_one_owner_however_many_use_it_at_once() {
    let folder = TempDir::new().expect("a temporary folder");
    let people = people_in(&folder).await;
    let code = people
        .offer_set_up()
        .await
        .expect("healthy")
        .expect("nobody is owner");
    assert_eq!(code.len(), 32);
    let file = folder.path().join(SET_UP_FILE);
    assert_eq!(
        std::fs::read_to_string(&file).expect("it is there").trim(),
        code
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&file)
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    for wrong in ["", "0", &"0".repeat(32), &"0".repeat(100_000)] {
        let refused = people.set_up(wrong, "mallory", PASSWORD, FROM).await;
        assert!(matches!(refused, Err(PeopleError::NoSetUp)), "{wrong:.40}");
    }
    let names: Vec<String> = (0..8).map(|number| format!("owner{number}")).collect();
    let tries = names
        .iter()
        .map(|name| people.set_up(&code, name, PASSWORD, FROM));
    let outcomes = join_all(tries).await;
    assert_eq!(
        outcomes.iter().filter(|outcome| outcome.is_ok()).count(),
        1,
        "{outcomes:?}"
    );
    assert_eq!(people.everybody().await.expect("healthy").people.len(), 1);
    assert!(!file.exists());
    let late = people.set_up(&code, "late", PASSWORD, FROM).await;
    assert!(matches!(late, Err(PeopleError::NoSetUp)));
    assert_eq!(people.offer_set_up().await.expect("healthy"), None);
}

#[tokio::test]
async fn the_last_owner_stays_owner() {
    let (people, _folder) = people().await;
    let (_, owner) = logged_in(&people, "owner").await;
    for outcome in [
        people.set_role(&owner, "owner", Role::Viewer).await,
        people.set_disabled(&owner, "owner", true).await,
    ] {
        assert!(
            matches!(outcome, Err(PeopleError::LastOwner)),
            "{outcome:?}"
        );
    }
    people
        .set_role(&owner, "viewer", Role::Owner)
        .await
        .expect("they are there");
    people
        .set_role(&owner, "owner", Role::Viewer)
        .await
        .expect("there is another");
}

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

#[tokio::test]
async fn names_are_plain_and_differ_in_more_than_case() {
    let (people, _folder) = people().await;
    let machine = Caller::at_the_machine();
    for bad in [
        "",
        " ",
        "a b",
        "-a",
        "a\0",
        "a\u{202e}b",
        "ada<",
        &"a".repeat(41),
        "VIEWER",
    ] {
        let refused = people.add(&machine, bad, Role::Viewer, PASSWORD).await;
        assert!(matches!(refused, Err(PeopleError::Invalid(_))), "{bad:?}");
    }
}

#[tokio::test]
async fn the_audit_knows_what_was_done_and_holds_together() {
    let (people, folder) = people().await;
    let wrong = people.log_in(login("viewer", "not it at all")).await;
    assert!(wrong.is_err());
    let filter = AuditFilter {
        action: "log in".to_owned(),
        ..AuditFilter::default()
    };
    let page = people.audit().page(filter).await.expect("healthy");
    let outcomes: Vec<&str> = page
        .lines
        .iter()
        .map(|line| line.outcome.as_str())
        .collect();
    assert_eq!(outcomes, ["the name or the password is wrong", "begun"]);
    let state = people.audit().verify().await.expect("healthy");
    assert_eq!((state.entries, state.broken_at), (10, None));
    let text = std::fs::read(folder.path().join("handrail.db-wal")).expect("it is there");
    let secret = b"correct horse";
    assert!(!text.windows(secret.len()).any(|part| part == secret));
}
