//! Amendments: exactly what was asked for instead is approved, once, while its maker may.

use super::*;
use crate::backend::Command;
use crate::journal::PersonChange;
use crate::live::Decision;
use crate::people::{Authority, Role};

impl House {
    /// A person asks for another command instead of the pending one, and the agent is told so.
    pub(super) async fn amends(&self, by: &Caller, token: &str, text: &str) {
        let before = self.fake.orders().len();
        self.commands
            .amend(by, ID, token, text, None)
            .await
            .expect("it can be amended");
        let orders = self.ordered(before + 1).await;
        assert!(
            matches!(&orders[before], Command::Reject { .. }),
            "{orders:?}"
        );
    }

    /// The pending action was rejected, and the agent reads what is asked for instead.
    pub(super) async fn reads(&self, command: &str, wanted: &str) {
        let before = self.fake.orders().len();
        self.carry_out(command, false).await;
        let orders = self.ordered(before + 1).await;
        let said = matches!(&orders[before], Command::Say { text, .. } if text.contains(wanted));
        assert!(said, "{orders:?}");
        self.fake.emit([state(self.fake.next_id(), "running")]);
    }
}

#[tokio::test]
async fn exactly_what_was_asked_for_instead_is_approved_once() {
    let house = live_house().await;
    let ada = person(&house, "ada", "approver").await;
    let token = house.ask("rm -rf build").await;
    house.amends(&ada, &token, "rm -rf build/tmp\r\n").await;
    house
        .reads("rm -rf build", "```\nrm -rf build/tmp\n```")
        .await;
    // Something else is asked of people, as usual.
    for other in ["rm -rf build", "rm -rf build/tmp ", "rm  -rf build/tmp"] {
        let asked = house.asks(|id| asks(id, other)).await;
        let token = asked.expect("people are asked");
        house
            .answer(&token, Decision::Reject)
            .await
            .expect("it waits");
        house.carry_out(other, false).await;
    }
    let mut further = asks(house.fake.next_id() + 1, "rm -rf build/tmp");
    further["args"]["cwd"] = serde_json::json!("/");
    let asked = house.asks(|_| further).await;
    house
        .answer(&asked.expect("another argument"), Decision::Reject)
        .await
        .expect("it waits");
    house.carry_out("rm -rf build/tmp", false).await;
    let asked = house.asks(|id| asks(id, "rm -rf build/tmp")).await;
    assert_eq!(asked, None, "nobody is asked");
    house.carry_out("rm -rf build/tmp", true).await;
    let rows = house.rows().await;
    let amended = rows.iter().filter(|row| row.contains("\"amended\":true"));
    let amended: Vec<_> = amended.collect();
    assert!(
        matches!(&amended[..], [row] if row.contains("\"by\":\"ada\"")),
        "{rows:?}"
    );
    let entries = house.entries().await;
    let amended = entries
        .iter()
        .filter(|entry| entry.action == "approve as amended");
    let outcomes: Vec<_> = amended
        .map(|entry| (entry.name.as_str(), entry.outcome.as_str()))
        .collect();
    assert_eq!(outcomes, [("ada", "begun"), ("ada", "done")]);
    // Never twice.
    let again = house.asks(|id| asks(id, "rm -rf build/tmp")).await;
    assert!(again.is_some());
}

#[tokio::test]
async fn an_amendment_survives_a_restart_and_ends_with_its_time() {
    let mut house = live_house().await;
    let token = house.ask("make all").await;
    house.amends(me(), &token, "make one").await;
    house.reads("make all", "make one").await;
    house.hub.shutdown().await;
    house.hub = reopened(&house.fake, house.folder.path()).await;
    house.connected().await;
    let journal = house.catalogue.journal.clone();
    let now = crate::clock::now();
    let action = {
        let handle = house.handle().await;
        drop(handle);
        let found = journal.amendments_in_force(ID).await;
        found[0].clone()
    };
    let minutes = 60_000;
    let at = |minute: i64| journal.amendment(ID, &action, now + minute * minutes);
    assert!(at(9).await.expect("healthy").is_some() && at(10).await.expect("healthy").is_none());
    assert_eq!(house.asks(|id| asks(id, "make one")).await, None);
    assert!(at(0).await.expect("healthy").is_none(), "it is used");
}

#[tokio::test]
async fn an_amendment_ends_with_the_right_of_its_maker_and_when_it_is_not_sent() {
    let house = live_house().await;
    let ada = person(&house, "ada", "approver").await;
    let token = house.ask("make all").await;
    house.amends(&ada, &token, "make one").await;
    house.reads("make all", "make one").await;
    for role in ["viewer", "approver"] {
        let change = PersonChange::Role(role.to_owned());
        let changed = house.catalogue.journal.change_person(ada.person, change);
        changed.await.expect("healthy");
    }
    let token = house
        .asks(|id| asks(id, "make one"))
        .await
        .expect("people are asked");
    house.fake.obey(Obedience::Refuses);
    let refused = house
        .commands
        .amend(me(), ID, &token, "make two", None)
        .await;
    assert!(matches!(refused, Err(HubError::NotSent(_))), "{refused:?}");
    assert_eq!(
        house.catalogue.journal.amendments_in_force(ID).await,
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn an_amendment_whose_approval_is_taken_back_stays_ended_if_its_maker_lost_the_right_meanwhile()
 {
    let house = live_house().await;
    let journal = house.catalogue.journal.clone();
    for keeps_right in [true, false] {
        let name = format!("ada-{keeps_right}");
        let ada = person(&house, &name, "approver").await;
        let token = house.ask("make all").await;
        house.amends(&ada, &token, "make one").await;
        house.reads("make all", "make one").await;
        assert_eq!(
            house.asks(|id| asks(id, "make one")).await,
            None,
            "it answers"
        );
        house.carry_out("make one", true).await;
        if !keeps_right {
            for role in ["viewer", "approver"] {
                let change = PersonChange::Role(role.to_owned());
                let changed = journal.change_person(ada.person, change).await;
                changed.expect("healthy");
            }
        }
        let number = journal.newest_amendment(ID).await;
        let unclaimed = journal.unclaim_amendment(ID, "none", number).await;
        unclaimed.expect("healthy");
        let in_force = journal.amendments_in_force(ID).await;
        assert_eq!(in_force.len(), usize::from(keeps_right));
    }
}

#[tokio::test]
async fn an_amendment_never_answers_what_two_have_to_approve() {
    let house = live_house().await;
    let ada = person(&house, "ada", "approver").await;
    let two = Authority {
        least: Role::Approver,
        two: true,
        unrated: false,
    };
    house.authority(two).await;
    let token = house
        .asks(|id| asks_rated(id, "make all", 0))
        .await
        .expect("it waits");
    house.amends(&ada, &token, "make one").await;
    house.reads("make all", "make one").await;
    let token = house.asks_high("make one").await;
    let handle = house.handle().await;
    let care = handle
        .session
        .borrow()
        .approval
        .clone()
        .and_then(|one| one.care);
    assert_eq!(
        care.map(|care| care.first),
        Some(String::new()),
        "it is not the first, either"
    );
    house
        .answer(&token, Decision::Reject)
        .await
        .expect("it waits");
    house.carry_out("make one", false).await;
    // It is unused, and answers what one may approve.
    assert_eq!(house.asks(|id| asks_rated(id, "make one", 0)).await, None);
}

#[tokio::test]
async fn what_cannot_be_amended_is_said_and_nothing_is_sent() {
    let house = live_house().await;
    let ada = person(&house, "ada", "approver").await;
    let token = house.ask("make all").await;
    let script = Caller {
        credential: Credential::Token(1),
        ..ada.clone()
    };
    for (by, text) in [(&ada, " "), (&ada, "make all"), (&script, "make one")] {
        let refused = house.commands.amend(by, ID, &token, text, None).await;
        assert!(
            matches!(refused, Err(HubError::Invalid(_))),
            "{text}: {refused:?}"
        );
    }
    let stale = house
        .commands
        .amend(&ada, ID, "other", "make one", None)
        .await;
    assert!(matches!(stale, Err(HubError::Superseded)), "{stale:?}");
    assert_eq!(house.fake.orders(), []);
}
