//! Share links: what they allow, and when they end.

use super::*;

const ID: &str = "conversation";

async fn follow(people: &People, secret: &str) -> Option<Caller> {
    people.of_link(secret, FROM).await.expect("healthy")
}

#[tokio::test]
async fn a_link_lets_somebody_watch_one_conversation_and_do_nothing() {
    let (people, folder) = people().await;
    let (_, operator) = logged_in(&people, "operator").await;
    for days in [0, 91, u16::MAX] {
        let refused = people.make_link(&operator, ID, days).await;
        assert!(matches!(refused, Err(PeopleError::Invalid(_))), "{days}");
    }
    let secret = people.make_link(&operator, ID, 90).await.expect("fine");
    let visitor = follow(&people, &secret).await.expect("it is new");
    let visit = visitor.visit().expect("they came by a link");
    assert_eq!(
        (visit.conversation.as_str(), visitor.role),
        (ID, Role::Visitor)
    );
    assert!(visitor.may(Right::See) && !visitor.may(Right::Read));
    assert_eq!(visitor.signature(), "");
    assert!(people.still(&visitor).await.expect("healthy"));
    for wrong in ["", "x", &secret[1..], &"x".repeat(100_000)] {
        assert_eq!(follow(&people, wrong).await, None, "{wrong:.40}");
    }
    assert!(!is_in(&people, &secret).await, "it is no login");
    let text = std::fs::read(folder.path().join("handrail.db-wal")).expect("it is there");
    assert!(
        !text
            .windows(secret.len())
            .any(|part| part == secret.as_bytes())
    );
}

#[tokio::test]
async fn a_link_ends_when_it_is_revoked_or_its_maker_is_shut_out() {
    let (people, _folder) = people().await;
    let (_, operator) = logged_in(&people, "operator").await;
    let (_, owner) = logged_in(&people, "owner").await;
    let mut changed = people.changed();
    for step in 0..2 {
        let secret = people.make_link(&operator, ID, 7).await.expect("fine");
        let visitor = follow(&people, &secret).await.expect("it is new");
        let links = people.links(ID).await.expect("healthy");
        assert_eq!((links.len(), links[0].by.as_str()), (1, "operator"));
        let elsewhere = people.end_link(&owner, "another", links[0].number).await;
        assert!(elsewhere.is_err(), "it does not lead there");
        changed.mark_unchanged();
        let ended = match step {
            0 => people.end_link(&owner, ID, links[0].number).await,
            _ => people.set_disabled(&owner, "operator", true).await,
        };
        ended.expect("it is there");
        assert!(changed.has_changed().expect("it is watched"), "{step}");
        assert_eq!(follow(&people, &secret).await, None, "{step}");
        assert!(!people.still(&visitor).await.expect("healthy"), "{step}");
    }
}

#[tokio::test]
async fn a_link_that_has_expired_leads_nowhere() {
    let (people, _folder) = people().await;
    let (_, operator) = logged_in(&people, "operator").await;
    let record = crate::journal::LinkRecord {
        number: 0,
        conversation: ID.to_owned(),
        by: String::new(),
        created_at: 0,
        expires_at: 1,
        used_at: None,
    };
    let hash = secret::hash("expired");
    let journal = people.journal();
    journal
        .add_link(operator.person, hash, record)
        .await
        .expect("healthy");
    assert_eq!(follow(&people, "expired").await, None);
    assert!(people.links(ID).await.expect("healthy").is_empty());
}
