//! Users without access change nothing, and requests without effect leave no trace.

use super::*;
use crate::conversation::Status;
use crate::journal::AuditFilter;
use crate::live::{OutboxState, Steering};
use crate::people::{Audience, Credential, People, Role};

const PASSWORD: &str = "correct horse";

/// Somebody with an account, who is logged in.
async fn log_in_as(people: &People, name: &str, role: Role) -> Caller {
    let added = people.add(me(), name, role, PASSWORD).await;
    added.expect("a new name");
    let person = people.everybody("", "").await.expect("healthy");
    let number = person.people.iter().position(|person| person.name == name);
    Caller {
        person: i64::try_from(number.expect("they are there")).expect("few") + 1,
        name: name.to_owned(),
        role,
        address: "192.0.2.1".to_owned(),
        credential: Credential::Login(1),
    }
}

/// How many entries the audit has.
async fn entries(house: &House) -> i64 {
    house
        .catalogue
        .journal
        .audit_head()
        .await
        .expect("healthy")
        .0
}

fn said(house: &House) -> usize {
    let orders = house.fake.orders();
    let says =
        |order: &&crate::backend::Command| matches!(order, crate::backend::Command::Say { .. });
    orders.iter().filter(says).count()
}

#[tokio::test]
async fn a_message_that_waits_is_not_sent_when_its_author_may_not_write_any_more() {
    for step in 0..4 {
        let house = house(Runtime::Starting).await;
        house.fake.emit([state(0, "loading")]);
        house.connected().await;
        let people = People::new(house.catalogue.journal.clone(), house.folder.path());
        let ada = log_in_as(&people, "ada", Role::Operator).await;
        let said_it = house
            .commands
            .say(&ada, ID, "m1", "delete all", vec![], vec![]);
        said_it.await.expect("it is taken");
        house.until(|session| !session.outbox.is_empty()).await;
        assert_eq!(house.fake.orders(), []);
        match step {
            0 => people
                .set_disabled(me(), "ada", true)
                .await
                .expect("healthy"),
            1 => people
                .set_role(me(), "ada", Role::Approver)
                .await
                .expect("healthy"),
            2 => {
                let share = house
                    .commands
                    .share_with(me(), ID, "ada", Some(Role::Viewer));
                share.await.expect("healthy");
            }
            _ => house
                .commands
                .share(me(), ID, Audience::Creator)
                .await
                .expect("healthy"),
        }
        house.fake.runtime_is(Runtime::Running);
        house.fake.emit([state(1, "awaiting_user_input")]);
        let is_failed = |session: &SessionView| {
            (session.outbox.iter()).any(|one| one.state == OutboxState::Failed)
        };
        let session = house.until(is_failed).await;
        assert_eq!(
            session.outbox[0].why, "ada can no longer send messages here.",
            "{step}"
        );
        assert_eq!(said(&house), 0, "{step}");
        // Trying again does not help, and others are heard.
        let again = house.commands.resolve_failed(me(), ID, "m1", true).await;
        again.expect("it can be tried");
        house.until(is_failed).await;
        let other = house.say("m2", "hello");
        other.await.expect("it is taken");
        house.ordered(1).await;
        assert_eq!(said(&house), 1, "{step}");
    }
}

#[tokio::test]
async fn nobody_gives_their_message_an_id_that_is_ours() {
    let house = live_house().await;
    for id in ["opening", "reason-1"] {
        let refused = house.say(id, "go").await;
        assert!(matches!(refused, Err(HubError::Invalid(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn what_changes_nothing_is_not_in_the_audit_and_wakes_nobody() {
    let house = live_house().await;
    let (hub, by) = (&house.hub, me());
    hub.commands
        .rename(by, ID, "A title")
        .await
        .expect("it is there");
    hub.commands
        .share(by, ID, Audience::Some)
        .await
        .expect("it is there");
    hub.commands
        .say(by, ID, "m1", "go", vec![], vec![])
        .await
        .expect("it is taken");
    house.until(|session| session.outbox.is_empty()).await;
    house.fake.emit([state(house.fake.next_id(), "paused")]);
    house
        .until(|session| session.status == Status::Paused && session.title == "A title")
        .await;
    let before = entries(&house).await;
    let mut sharing = hub.sharings.changed();
    sharing.mark_unchanged();
    for _ in 0..20 {
        hub.commands
            .rename(by, ID, " A title ")
            .await
            .expect("it is so");
        hub.commands
            .set_tags(by, ID, "", None)
            .await
            .expect("it is so");
        hub.commands
            .share(by, ID, Audience::Some)
            .await
            .expect("it is so");
        hub.commands
            .unshare(by, ID, "nobody")
            .await
            .expect("it is so");
        hub.commands
            .steer(by, ID, Steering::Pause)
            .await
            .expect("it is so");
        hub.commands.start(by, ID).await.expect("it is so");
        hub.commands
            .say(by, ID, "m1", "go", vec![], vec![])
            .await
            .expect("it was taken");
        let unknown = hub.commands.resolve_failed(by, ID, "none", true).await;
        assert!(matches!(unknown, Err(HubError::NotFound(_))), "{unknown:?}");
    }
    assert_eq!(entries(&house).await, before);
    assert!(!sharing.has_changed().expect("it is watched"));
}

#[tokio::test]
async fn who_runs_wild_does_not_fill_the_audit() {
    let house = live_house().await;
    let people = People::new(house.catalogue.journal.clone(), house.folder.path());
    let ada = log_in_as(&people, "ada", Role::Operator).await;
    let mut refused = 0;
    for round in 0..300 {
        let title = format!("Title {round}");
        match house.commands.rename(&ada, ID, &title).await {
            Err(error @ HubError::TooMuch) => {
                assert!(error.for_people().1.contains("Wait"), "{error}");
                refused += 1;
            }
            other => other.expect("it is there"),
        }
    }
    assert!(refused > 50, "{refused} of 300 were refused");
    // It is theirs alone.
    house
        .commands
        .rename(me(), ID, "Another")
        .await
        .expect("it is there");
    let filter = AuditFilter {
        name: "ada".to_owned(),
        ..AuditFilter::default()
    };
    let entries = house.catalogue.journal.audit(filter, u32::MAX).await;
    assert_eq!(entries.expect("healthy").len(), (300 - refused) * 2);
}
