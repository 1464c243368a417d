//! Touches of passkeys: which approvals need one, which one counts, and what it leaves behind.
//!
//! What a touch proves is tested beside the passkeys (`people/tests/touching.rs`); here it is given as verified.
//!
//! Long because the cases share the helpers that touch.

use super::*;
use crate::backend::Command;
use crate::clock::now;
use crate::journal::{NewTouch, PasskeyRecord, TOUCHED, TOUCHED_AMENDMENT};
use crate::live::Decision;
use crate::people::{Authority, Reach, Role};

/// The state of a new passkey.
const FRESH: &str = "state 1";

impl House {
    pub(super) async fn touches(&self, reach: Reach) {
        let saved = self.policies.touches.save(me(), "", reach).await;
        saved.expect("healthy");
    }

    /// A person with a passkey.
    pub(super) async fn with_passkey(&self, name: &str) -> (Caller, i64) {
        let by = person(self, name, "approver").await;
        let record = PasskeyRecord {
            number: 0,
            id: name.as_bytes().to_vec(),
            handle: vec![1],
            name: "a key".to_owned(),
            place: "box.lan".to_owned(),
            credential: FRESH.to_owned(),
            created_at: 1,
            used_at: None,
        };
        let journal = &self.catalogue.journal;
        let added = journal
            .add_passkey(by.person, record, Vec::new(), None)
            .await;
        added.expect("healthy");
        let known = journal.passkeys(by.person).await.expect("healthy");
        (by, known[0].number)
    }

    /// What a passkey has signed for the pending approval.
    pub(super) async fn touch(&self, (by, passkey): &(Caller, i64), token: &str) -> NewTouch {
        NewTouch {
            person: by.person,
            token: token.to_owned(),
            shown: self
                .policies
                .touches
                .shown(ID, token)
                .await
                .expect("it waits"),
            amended: String::new(),
            until: now() + 120_000,
            passkey: *passkey,
            before: FRESH.to_owned(),
            after: FRESH.to_owned(),
            proof: "{\"signature\":\"x\"}".to_owned(),
        }
    }

    pub(super) async fn approves_touching(
        &self,
        by: &Caller,
        token: &str,
        touch: NewTouch,
    ) -> HubResult {
        let decision = (Decision::Approve, "");
        self.commands
            .answer_touching(by, ID, token, decision, Some(touch))
            .await
    }

    /// The entries of touches that were stored, oldest first: who, what, and how they ended.
    async fn touched(&self) -> Vec<String> {
        let all = self.entries().await.into_iter();
        let all = all.filter(|one| [TOUCHED, TOUCHED_AMENDMENT].contains(&one.action.as_str()));
        all.map(|one| format!("{} {} {} {}", one.name, one.action, one.detail, one.outcome))
            .collect()
    }
}

fn needs_touch(outcome: &HubResult) -> bool {
    matches!(outcome, Err(HubError::NeedsTouch))
}

#[tokio::test]
async fn an_approval_that_needs_a_touch_is_sent_with_one_of_its_own_alone() {
    let house = live_house().await;
    let (ada, bob) = (
        house.with_passkey("ada").await,
        house.with_passkey("bob").await,
    );
    house.touches(Reach::High).await;
    let token = house.asks_high("make deploy").await;
    let shows = house.until(|session| session.approval.is_some()).await;
    assert!(shows.approval.is_some_and(|one| one.touch && !one.ruled));
    let script = Caller {
        credential: Credential::Token(1),
        ..ada.0.clone()
    };
    for by in [&ada.0, &script, me()] {
        let answered = house.approves(by, &token);
        assert!(needs_touch(&answered.await), "{}", by.name);
    }
    let answered =
        house
            .commands
            .answer_from_notification(&ada.0, ID, &token, Decision::Approve, true);
    assert!(needs_touch(&answered.await), "from a notification");
    let good = house.touch(&ada, &token).await;
    let bad = |change: fn(&mut NewTouch)| {
        let mut touch = good.clone();
        change(&mut touch);
        touch
    };
    for (what, touch) in [
        (
            "another approval",
            bad(|touch| touch.token = "x".repeat(64)),
        ),
        ("another text", bad(|touch| touch.shown = "x".repeat(64))),
        ("it took too long", bad(|touch| touch.until = now() - 1)),
        ("no passkey of theirs", bad(|touch| touch.passkey += 1)),
        (
            "it was used meanwhile",
            bad(|touch| touch.before = "state 0".to_owned()),
        ),
        ("another person", house.touch(&bob, &token).await),
    ] {
        let refused = house.approves_touching(&ada.0, &token, touch).await;
        assert!(
            matches!(refused, Err(HubError::OldTouch)),
            "{what}: {refused:?}"
        );
    }
    let amends = house.touch(&ada, &token).await;
    let amends = NewTouch {
        amended: "make one".to_owned(),
        ..amends
    };
    let refused = house.approves_touching(&ada.0, &token, amends).await;
    assert!(matches!(refused, Err(HubError::OldTouch)), "{refused:?}");
    assert_eq!(house.fake.orders(), []);
    assert_eq!(house.touched().await, [] as [String; 0]);
    let touch = NewTouch {
        after: "state 2".to_owned(),
        ..good
    };
    house
        .approves_touching(&ada.0, &token, touch)
        .await
        .expect("it is hers");
    assert!(matches!(
        &house.ordered(1).await[..],
        [Command::Approve { .. }]
    ));
    house.carry_out("make deploy", true).await;
    let rows = house.rows().await;
    let row = rows.iter().find(|row| row.contains("make deploy"));
    let row = row.expect("there is a step");
    assert!(
        row.contains("\"by\":\"ada\"") && row.contains("\"touched\":true"),
        "{row}"
    );
    assert_eq!(
        house.touched().await,
        [
            "ada approve with passkey {\"signature\":\"x\"} begun",
            "ada approve with passkey  done"
        ]
    );
    let known = house.catalogue.journal.passkeys(ada.0.person).await;
    let known = known.expect("healthy");
    assert_eq!(known[0].credential, "state 2");
    assert!(known[0].used_at.is_some());
}

#[tokio::test]
async fn owners_choose_by_rating_and_repository_and_rejecting_needs_none() {
    let house = live_house().await;
    let ada = house.with_passkey("ada").await;
    for (reach, risk, needs) in [
        (Reach::Nothing, 2, false),
        (Reach::High, 2, true),
        (Reach::High, -1, false),
        (Reach::High, 0, false),
        (Reach::Unrated, -1, true),
        (Reach::Unrated, 1, false),
        (Reach::All, 0, true),
    ] {
        house.touches(reach).await;
        let command = format!("make {} {risk}", reach.word());
        let asked = house.asks(|id| asks_rated(id, &command, risk)).await;
        let token = asked.expect("people are asked");
        let answered = house.approves(&ada.0, &token).await;
        assert_eq!(needs_touch(&answered), needs, "{command}: {answered:?}");
        if needs {
            let rejected = house
                .commands
                .answer(&ada.0, ID, &token, Decision::Reject, "");
            rejected.await.expect("it needs none");
        }
        house.carry_out(&command, !needs).await;
    }
    // The conversation has no repository: what is set for one is not for it.
    let touches = &house.policies.touches;
    touches
        .save(me(), "", Reach::Nothing)
        .await
        .expect("healthy");
    touches
        .save(me(), " acme/Shop ", Reach::All)
        .await
        .expect("healthy");
    touches
        .save(me(), "ACME/shop", Reach::High)
        .await
        .expect("healthy");
    let view = touches.read(Role::Approver, 1).await.expect("healthy");
    let all: Vec<_> = view.touches.repositories.into_iter().collect();
    assert_eq!(all, [("ACME/shop".to_owned(), Reach::High)], "one spelling");
    assert_eq!((view.able, view.needed), (1, 1));
    assert_eq!(touches.read(Role::Owner, 1).await.expect("healthy").able, 0);
    let long = touches.save(me(), &"x".repeat(201), Reach::All).await;
    assert!(matches!(long, Err(HubError::Invalid(_))));
    for number in 1..100 {
        let name = format!("acme/{number}");
        touches
            .save(me(), &name, Reach::High)
            .await
            .expect("there is room");
    }
    let many = touches.save(me(), "acme/more", Reach::High).await;
    assert!(matches!(many, Err(HubError::Invalid(_))));
    let token = house.asks_high("make last").await;
    let answered = house.approves(&ada.0, &token);
    answered.await.expect("it needs none");
}

#[tokio::test]
async fn the_setting_counts_as_it_is_in_the_conversations_repository_when_an_answer_is_stored() {
    let house = live_house().await;
    let ada = house.with_passkey("ada").await;
    let journal = &house.catalogue.journal;
    let meta = crate::journal::ConversationMeta {
        repository: Some("acme/shop".to_owned()),
        ..journal
            .conversation(ID)
            .await
            .expect("healthy")
            .expect("it is there")
            .meta
    };
    journal.describe(vec![meta]).await.expect("healthy");
    let token = house.asks(|id| asks_rated(id, "make one", 0)).await;
    let token = token.expect("people are asked");
    let saved = house
        .policies
        .touches
        .save(me(), "Acme/Shop", Reach::All)
        .await;
    saved.expect("healthy");
    let answered = house.approves(&ada.0, &token);
    assert!(needs_touch(&answered.await));
    let touch = house.touch(&ada, &token).await;
    house
        .approves_touching(&ada.0, &token, touch)
        .await
        .expect("it is hers");
}

#[tokio::test]
async fn each_of_two_people_touches() {
    let house = live_house().await;
    let (ada, bob) = (
        house.with_passkey("ada").await,
        house.with_passkey("bob").await,
    );
    let two = Authority {
        two: true,
        ..Authority::default()
    };
    house.authority(two).await;
    let token = house.asks_high("make deploy").await;
    let first = house.approves(&ada.0, &token);
    first.await.expect("it needs none yet");
    house.touches(Reach::High).await;
    // What she has approved before without a touch no longer counts.
    let touch = house.touch(&bob, &token).await;
    house
        .approves_touching(&bob.0, &token, touch)
        .await
        .expect("he is the first now");
    assert_eq!(house.fake.orders(), []);
    let answered = house.approves(&ada.0, &token);
    assert!(needs_touch(&answered.await));
    let touch = house.touch(&ada, &token).await;
    house
        .approves_touching(&ada.0, &token, touch)
        .await
        .expect("she is the second");
    assert!(matches!(
        &house.ordered(1).await[..],
        [Command::Approve { .. }]
    ));
    house.carry_out("make deploy", true).await;
    let rows = house.rows().await;
    let row = rows.iter().find(|row| row.contains("make deploy"));
    let row = row.expect("there is a step");
    assert!(
        row.contains("\"by\":\"bob and ada\"") && row.contains("\"touched\":true"),
        "{row}"
    );
    assert_eq!(house.touched().await.len(), 4);
}

#[tokio::test]
async fn refused_touches_are_recorded_within_the_limit_of_a_person() {
    let house = live_house().await;
    let ada = person(&house, "ada", "approver").await;
    let why = crate::people::PeopleError::Passkey("its signature is wrong".to_owned());
    let refused = async |amends| {
        let touches = &house.policies.touches;
        touches.refused(&ada, (ID, "a3c024f0"), amends, &why).await
    };
    let told = refused(true).await.to_string();
    assert!(told.contains("was not accepted. Try again"), "{told}");
    refused(false).await;
    let journal = &house.catalogue.journal;
    let filter = AuditFilter {
        conversation: ID.to_owned(),
        ..AuditFilter::default()
    };
    let entries = journal.audit(filter, 100).await.expect("healthy");
    let refused_ones: Vec<_> = entries
        .iter()
        .filter(|one| one.entry.outcome.contains("its signature is wrong"))
        .map(|one| one.entry.action.as_str())
        .collect();
    assert_eq!(refused_ones, [TOUCHED, TOUCHED_AMENDMENT]);
    let mut too_many = false;
    for _ in 0..1_000 {
        too_many |= matches!(refused(false).await, HubError::TooMuch);
    }
    assert!(too_many);
}

#[tokio::test]
async fn a_rule_touches_nothing() {
    let house = live_house().await;
    let olga = person(&house, "olga", "owner").await;
    let number = house.carries_out_by_rule(&olga).await;
    house.touches(Reach::High).await;
    let token = house.asks_high("make deploy").await;
    assert_eq!(house.claims_by_rule(&token, number).await, None);
    assert_eq!(house.fake.orders().len(), 1);
}

#[tokio::test]
async fn what_is_asked_for_instead_is_approved_with_the_touch_for_it() {
    let house = live_house().await;
    let ada = house.with_passkey("ada").await;
    house.touches(Reach::High).await;
    let token = house.asks_high("make all").await;
    let amend = |touch| house.commands.amend(&ada.0, ID, &token, "make one", touch);
    assert!(needs_touch(&amend(None).await));
    let touch = house.touch(&ada, &token).await;
    let late = NewTouch {
        until: now() - 1,
        ..touch.clone()
    };
    for wrong in [late, touch.clone()] {
        let refused = amend(Some(wrong)).await;
        assert!(matches!(refused, Err(HubError::OldTouch)), "{refused:?}");
    }
    let touch = NewTouch {
        amended: "make one".to_owned(),
        ..touch
    };
    amend(Some(touch)).await.expect("it is hers");
    assert!(matches!(
        &house.ordered(1).await[..],
        [Command::Reject { .. }]
    ));
    house.carry_out("make all", false).await;
    house.ordered(2).await;
    house.fake.emit([state(house.fake.next_id(), "running")]);
    assert_eq!(
        house.asks(|id| asks_rated(id, "make one", 2)).await,
        None,
        "it is approved"
    );
    house.carry_out("make one", true).await;
    let rows = house.rows().await;
    let row = rows.iter().find(|row| row.contains("\"amended\":true"));
    assert!(
        row.is_some_and(|row| row.contains("\"touched\":true")),
        "{rows:?}"
    );
    assert_eq!(
        house.touched().await,
        [
            "ada amend with passkey {\"signature\":\"x\"} begun",
            "ada amend with passkey  done"
        ]
    );
    // What was asked for without a touch, because nothing needed one, is not approved once it is rated high.
    let token = house.asks(|id| asks_rated(id, "make two", 0)).await;
    let token = token.expect("people are asked");
    let before = house.fake.orders().len();
    let amended = house
        .commands
        .amend(&ada.0, ID, &token, "make three", None)
        .await;
    amended.expect("it needs none");
    house.ordered(before + 1).await;
    house.carry_out("make two", false).await;
    house.ordered(before + 2).await;
    house.fake.emit([state(house.fake.next_id(), "running")]);
    let asked = house.asks(|id| asks_rated(id, "make three", 2)).await;
    assert!(asked.is_some(), "people are asked");
}
