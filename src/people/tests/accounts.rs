//! Accounts: the first one, the last owner, names, and what the audit knows.

use super::*;
use crate::journal::AuditFilter;
use futures_util::future::join_all;

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
