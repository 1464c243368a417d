//! Who is told, and who is left alone.

use super::Home;
use crate::stage::me;
use handrail::backend::rehearsal::Dialect;
use handrail::live::{Choices, Decision, QuietHours, Scope};
use handrail::people::{Audience, Caller, Credential, Role, Visit};
use std::time::{Duration, SystemTime};

/// Waits until a message for a phone that is always told has arrived: all others have been decided about by then.
async fn decided(home: &Home, witness: &super::Phone) {
    home.messages(witness, 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_who_looks_at_handrail_is_left_alone_on_all_devices() {
    let home = Home::new(Dialect::AgentServer, |_| ()).await;
    let witness = home.person("witness", Role::Viewer).await;
    let (witness, _) = home.phone(&witness, "witness").await;
    // Focused, with input just now, at a laptop; the phone stays silent, too.
    let ada = home.person("ada", Role::Operator).await;
    let (phone, _) = home.phone(&ada, "ada-phone").await;
    let laptop = home.log_in("ada").await;
    let (desktop, _) = home.phone(&laptop, "ada-laptop").await;
    let tab = home.notifier.tab(ada.person);
    tab.attends(true);
    // Nobody looks.
    let bob = home.person("bob", Role::Approver).await;
    let (away, _) = home.phone(&bob, "bob-phone").await;
    let left = home.notifier.tab(bob.person);
    left.attends(true);
    left.attends(false);
    // The page was closed.
    let eve = home.person("eve", Role::Approver).await;
    let (closed, _) = home.phone(&eve, "eve-phone").await;
    let page = home.notifier.tab(eve.person);
    page.attends(true);
    drop(page);
    home.create_conversation(&ada, "confirm").await;
    decided(&home, &witness).await;
    home.messages(&away, 1).await;
    home.messages(&closed, 1).await;
    assert!(phone.messages(&home.service).is_empty());
    assert!(desktop.messages(&home.service).is_empty());
    drop(tab);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_focused_page_without_input_is_not_looked_at() {
    let home = Home::new(Dialect::AgentServer, |options| {
        options.present = Duration::ZERO
    })
    .await;
    let ada = home.person("ada", Role::Operator).await;
    let (phone, _) = home.phone(&ada, "phone").await;
    let (second, _) = home.phone(&home.log_in("ada").await, "second").await;
    let tab = home.notifier.tab(ada.person);
    tab.attends(true);
    home.create_conversation(&ada, "confirm").await;
    // On both devices.
    home.messages(&phone, 1).await;
    home.messages(&second, 1).await;
    drop(tab);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_answered_in_time_is_not_told() {
    let home = Home::new(Dialect::AgentServer, |options| {
        options.wait = Duration::from_secs(4)
    })
    .await;
    let ada = home.person("ada", Role::Operator).await;
    let (phone, _) = home.phone(&ada, "phone").await;
    let id = home.create_conversation(&ada, "confirm").await;
    let first = home.pending(&id, "").await;
    home.decide(&id, &first, Decision::Approve).await;
    let second = home.pending(&id, &first).await;
    let message = home.messages(&phone, 1).await.remove(0);
    assert_eq!(message["notification"]["data"]["token"], second);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn quiet_hours_visitors_and_people_without_rights_stay_undisturbed() {
    let home = Home::new(Dialect::AgentServer, |options| {
        options.wait = Duration::from_secs(1)
    })
    .await;
    let witness = home.person("witness", Role::Owner).await;
    let (witness, theirs) = home.phone(&witness, "witness").await;
    let ada = home.person("ada", Role::Operator).await;
    let quiet = |choices: &mut Choices| {
        choices.scope = Scope::All;
        // All day, but for a minute that is not now.
        let minute = (SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .expect("after 1970")
            .as_secs()
            / 60
            % 1_440) as u16;
        let from = (minute + 720) % 1_440;
        choices.quiet = Some(QuietHours {
            from: (from + 1) % 1_440,
            until: from,
            zone: "UTC".to_owned(),
        });
    };
    let (asleep, number) = home.choosing(&ada, "asleep", quiet).await;
    let bob = home.person("bob", Role::Approver).await;
    let (excluded, _) = home.phone(&bob, "excluded").await;
    let carl = home.person("carl", Role::Approver).await;
    let (revoked, _) = home.phone(&carl, "revoked").await;
    home.people.log_out(&carl).await.expect("it was logged in");
    let dora = home.person("dora", Role::Approver).await;
    let (demoted, _) = home.phone(&dora, "demoted").await;
    home.people
        .set_role(me(), "dora", Role::Viewer)
        .await
        .expect("she exists");
    let fred = home.person("fred", Role::Approver).await;
    let (disabled, _) = home.phone(&fred, "disabled").await;
    home.people
        .set_disabled(me(), "fred", true)
        .await
        .expect("he exists");
    let visitor = Caller {
        person: -1,
        credential: Credential::Link(Visit {
            link: 1,
            conversation: "c".to_owned(),
            until: i64::MAX,
        }),
        ..ada.clone()
    };
    assert!(
        home.notifier.view(&visitor, "").await.is_err(),
        "a visitor has no notifications"
    );

    // The conversation is shared with nobody from its first moment.
    let id = home.create_conversation(&ada, "confirm").await;
    home.hub
        .share(&ada, &id, Audience::Creator)
        .await
        .expect("it is hers");
    decided(&home, &witness).await;
    for (phone, why) in [
        (&asleep, "quiet"),
        (&excluded, "not shared"),
        (&revoked, "signed out"),
        (&demoted, "lower role"),
        (&disabled, "disabled"),
    ] {
        assert!(phone.messages(&home.service).is_empty(), "{why}");
    }
    // It waits for the morning, and is taken back when somebody answers.
    let due = home
        .journal
        .take_due(i64::MAX / 2, (0, 0), Vec::new(), 10)
        .await
        .expect("a healthy journal")
        .0;
    // What the witness has got may not be noted as sent yet.
    let waiting = due.iter().map(|notice| notice.channel.number);
    let waiting: Vec<_> = waiting.filter(|channel| *channel != theirs).collect();
    assert_eq!(waiting, [number]);
}
