//! What happens when nobody answers: who is told and when, and that nothing is rejected that should not be.
//!
//! Long because all tests share the helpers that let time pass.

use super::*;
use crate::backend::Command;
use crate::hub::message::ActorMessage;
use crate::journal::{Around, PersonChange};
use crate::live::{Decision, DeputyTrouble, EscalationView, NewEscalation};
use crate::people::{Audience, Authority, Reach, Role};

/// A year, in minutes.
const YEAR: i64 = 365 * 24 * 60;

impl House {
    /// Sets what happens in all repositories.
    pub(super) async fn escalates(
        &self,
        deputies: &str,
        tell_after: u32,
        reject_after: Option<u32>,
    ) {
        let saved = self.set("", deputies, tell_after, reject_after).await;
        saved.expect("it can be set");
    }

    async fn set(
        &self,
        repository: &str,
        deputies: &str,
        tell_after: u32,
        reject_after: Option<u32>,
    ) -> HubResult {
        let new = NewEscalation {
            repository: repository.to_owned(),
            deputies: deputies.to_owned(),
            tell_after: tell_after.to_string(),
            reject_after: reject_after.map(|minutes| minutes.to_string()),
        };
        self.policies.deputies.save(me(), new).await
    }

    /// Lets minutes pass, and the actor look at once.
    pub(super) async fn minutes_pass(&self, minutes: i64) {
        self.policies.deputies.known.clock.pass(minutes * 60_000);
        self.looks().await;
    }

    /// Sets the system's clock forward, or back.
    async fn clock_is_set(&self, minutes: i64) {
        self.policies.deputies.known.clock.set(minutes * 60_000);
        self.looks().await;
    }

    /// Has the actor look at what waits, and once more at what comes of that.
    async fn looks(&self) {
        let handle = self.handle().await;
        for _ in 0..2 {
            handle
                .tell(ActorMessage::Refresh)
                .await
                .expect("it is open");
        }
        // It takes one message after the other.
        let (client_id, again) = ("none".to_owned(), false);
        let last = handle.ask(|reply| ActorMessage::ResolveFailed {
            client_id,
            again,
            reply,
        });
        assert!(last.await.is_err(), "there is no such message");
    }

    /// What the page says happens to what waits.
    async fn escalation(&self) -> Option<EscalationView> {
        let handle = self.handle().await;
        let session = handle.session.borrow();
        session.approval.as_ref()?.escalation.clone()
    }

    async fn asks_for(&self, command: &str) -> String {
        let token = self.asks(|id| asks(id, command)).await;
        token.expect("people are asked")
    }

    /// The entries of what happened by itself, oldest first.
    async fn by_itself(&self) -> Vec<String> {
        self.audited_if(|entry| ["escalate", "reject unanswered"].contains(&entry.action.as_str()))
            .await
    }
}

#[tokio::test]
async fn deputies_are_told_and_then_it_is_rejected_and_everybody_reads_why() {
    let house = live_house().await;
    let bea = person(&house, "bea", "approver").await;
    house.escalates("bea", 5, Some(20)).await;
    let token = house.asks_for("make deploy").await;
    house.looks().await;
    let shown = house.escalation().await.expect("the page says it");
    let (tells_at, rejects_at) = (shown.tells_at.expect("she is told"), shown.rejects_at);
    assert_eq!(rejects_at, Some(tells_at + 15 * 60_000));
    assert_eq!(
        (shown.told_at, shown.watched, shown.overdue),
        (None, false, false)
    );
    house.minutes_pass(4).await;
    assert_eq!(house.by_itself().await, Vec::<String>::new());
    house.minutes_pass(1).await;
    let shown = house.escalation().await.expect("the page says it");
    assert_eq!((shown.told, shown.tells_at), (vec!["bea".to_owned()], None));
    assert_eq!(house.reader.inbox(&bea).await[0].approval.token, token);
    house.list.lines_written().await;
    let change = house.changes.of(ID).await;
    let passed = change.asked.and_then(|asked| asked.passed);
    let to = passed.map(|(_, to)| to);
    assert_eq!(to, Some(vec!["bea".to_owned()]), "she is notified");
    house.minutes_pass(14).await;
    assert_eq!(house.fake.orders(), [], "not yet");
    house.minutes_pass(1).await;
    let orders = house.ordered(1).await;
    assert!(matches!(orders[..], [Command::Reject { .. }]), "{orders:?}");
    house.carry_out("make deploy", false).await;
    let rows = house.rows().await;
    let row = rows.iter().find(|row| row.contains("make deploy"));
    let row = row.expect("there is a step");
    assert!(
        row.contains("\"reason\":\"nobody answered in 20 minutes\""),
        "{row}"
    );
    assert!(!row.contains("\"by\""), "{row}");
    assert_eq!(
        house.by_itself().await,
        [
            "Handrail escalate: to bea, begun",
            "Handrail escalate: to bea, done",
            "Handrail reject unanswered: nobody answered in 20 minutes, begun",
            "Handrail reject unanswered: nobody answered in 20 minutes, done",
        ]
    );
    let late = house.answer(&token, Decision::Approve).await;
    assert!(late.is_err(), "{late:?}");
    house.minutes_pass(60).await;
    assert_eq!(house.fake.orders().len(), 1);
}

#[tokio::test]
async fn without_a_setting_everything_waits() {
    let house = live_house().await;
    house.asks_for("make deploy").await;
    house.minutes_pass(YEAR).await;
    assert_eq!(house.escalation().await, None);
    assert_eq!(
        (house.fake.orders().len(), house.by_itself().await.len()),
        (0, 0)
    );
    // One for another repository changes nothing here.
    house
        .set("acme/parser", "", 0, Some(1))
        .await
        .expect("it can be set");
    house.minutes_pass(10).await;
    assert_eq!(
        (house.escalation().await, house.fake.orders().len()),
        (None, 0)
    );
    // What waits does so from the setting on.
    house.escalates("", 0, Some(5)).await;
    house.minutes_pass(4).await;
    assert_eq!(house.fake.orders(), []);
    house.minutes_pass(1).await;
    house.ordered(1).await;
}

#[tokio::test]
async fn only_who_may_see_and_approve_it_is_told() {
    let house = live_house().await;
    for name in ["ada", "bob", "cyd", "dee"] {
        person(&house, name, "approver").await;
    }
    let olga = person(&house, "olga", "operator").await;
    let vic = person(&house, "vic", "viewer").await;
    for (names, why) in [
        ("vic", "vic cannot approve: their role is viewer."),
        ("ada, nobody", "There is no account nobody."),
    ] {
        let refused = house.set("", names, 5, None).await;
        let Err(HubError::Invalid(said)) = refused else {
            panic!("{refused:?}")
        };
        assert!(said.contains(why), "{said}");
    }
    house.escalates("ada bob, @cyd;dee olga", 5, None).await;
    let journal = house.catalogue.journal.clone();
    let change = |name: &'static str, change| {
        let journal = journal.clone();
        async move {
            let person = journal.person(name).await.expect("healthy");
            let number = person.expect("there is one").number;
            journal
                .change_person(number, change)
                .await
                .expect("healthy");
        }
    };
    // Each has lost something since: the right, the account, the conversation; and what is rated high is for operators.
    change("ada", PersonChange::Role("viewer".to_owned())).await;
    change("bob", PersonChange::Disabled(true)).await;
    let (commands, me) = (&house.commands, me());
    commands
        .share(me, ID, Audience::Some)
        .await
        .expect("healthy");
    for name in ["cyd", "olga", "vic"] {
        commands
            .share_with(me, ID, name, None)
            .await
            .expect("healthy");
    }
    let operators = Authority {
        least: Role::Operator,
        ..Authority::default()
    };
    house
        .policies
        .authority
        .save(me, operators)
        .await
        .expect("healthy");
    let listed = house.policies.deputies.read().await.expect("healthy");
    let troubles = listed[0]
        .deputies
        .iter()
        .filter(|one| one.trouble.is_some());
    assert_eq!(troubles.count(), 4, "{listed:?}");
    house.asks(|id| asks_rated(id, "make deploy", 2)).await;
    house.minutes_pass(5).await;
    let shown = house.escalation().await.expect("the page says it");
    assert_eq!(shown.told, ["olga"]);
    // It widens no right: she could answer before, and vic cannot.
    for (by, answerable) in [(&olga, true), (&vic, false)] {
        let inbox = house.reader.inbox(by).await;
        assert_eq!(inbox[0].answerable, answerable, "{}", by.name);
    }
    let dee = journal
        .person("dee")
        .await
        .expect("healthy")
        .expect("there is one");
    let dee = Caller {
        person: dee.number,
        name: "dee".to_owned(),
        ..olga
    };
    let dee = Caller {
        role: Role::Approver,
        ..dee
    };
    assert_eq!(house.reader.inbox(&dee).await.len(), 0);
}

#[tokio::test]
async fn nobody_is_told_who_can_do_nothing_and_the_page_says_so() {
    let house = live_house().await;
    let ada = person(&house, "ada", "approver").await;
    house.escalates("ada", 5, None).await;
    let change = PersonChange::Role("viewer".to_owned());
    let journal = &house.catalogue.journal;
    journal
        .change_person(ada.person, change)
        .await
        .expect("healthy");
    house.asks_for("make deploy").await;
    house.minutes_pass(5).await;
    let shown = house.escalation().await.expect("the page says it");
    assert!(
        shown.told.is_empty() && shown.told_at.is_some(),
        "{shown:?}"
    );
    // It is looked again, and recorded once; who may answer again is told.
    house.minutes_pass(5).await;
    let said = house.by_itself().await;
    assert_eq!(said.len(), 2, "{said:?}");
    let change = PersonChange::Role("approver".to_owned());
    journal
        .change_person(ada.person, change)
        .await
        .expect("healthy");
    house.minutes_pass(1).await;
    let shown = house.escalation().await.expect("the page says it");
    assert_eq!(shown.told, ["ada"]);
}

#[tokio::test]
async fn who_cannot_touch_is_not_told_of_what_needs_a_touch() {
    let house = live_house().await;
    person(&house, "ada", "approver").await;
    house.escalates("ada", 5, None).await;
    let touches = &house.policies.touches;
    touches
        .save(me(), "acme/shop", Reach::High)
        .await
        .expect("healthy");
    let troubles = async || {
        let listed = house.policies.deputies.read().await.expect("healthy");
        listed[0].deputies[0].trouble
    };
    assert_eq!(troubles().await, Some(DeputyTrouble::NoPasskey));
    house.asks_for("make one").await;
    house.minutes_pass(5).await;
    let shown = house.escalation().await.expect("it waits");
    assert_eq!(shown.told, ["ada"], "it needs none here");
    house.carry_out("make one", true).await;
    touches.save(me(), "", Reach::All).await.expect("healthy");
    house.asks_for("make two").await;
    house.minutes_pass(5).await;
    let shown = house.escalation().await.expect("it waits");
    assert_eq!(shown.told, [] as [String; 0]);
}

#[tokio::test]
async fn what_nobody_could_answer_waits_anew_also_after_a_restart() {
    let house = live_house().await;
    house.escalates("", 0, Some(5)).await;
    house.asks_for("make deploy").await;
    house.looks().await;
    house.fake.runtime_is(Runtime::Stopped);
    house.fake.loses_connection();
    house
        .until(|session| session.runtime == Runtime::Stopped)
        .await;
    house.minutes_pass(1).await;
    house.hub.shutdown().await;
    let journal = journal_in(house.folder.path()).await;
    journal.shift_waits(-60 * 60_000).await.expect("healthy");
    drop(journal);
    house.fake.runtime_is(Runtime::Running);
    house.fake.connection_is(ConnectionState::Live);
    let again = House {
        hub: reopened(&house.fake, house.folder.path()).await,
        fake: house.fake.clone(),
        folder: house.folder,
    };
    again.policies.deputies.known.clock.pass(60 * 60_000);
    again.until(|session| session.approval.is_some()).await;
    again.looks().await;
    again.minutes_pass(4).await;
    assert_eq!(again.fake.orders(), []);
    again.minutes_pass(1).await;
    let orders = again.ordered(1).await;
    assert!(matches!(orders[..], [Command::Reject { .. }]), "{orders:?}");
}

#[tokio::test]
async fn who_was_told_is_not_told_again_when_the_clock_is_set() {
    let house = live_house().await;
    person(&house, "bea", "approver").await;
    house.escalates("bea", 5, None).await;
    house.asks_for("make deploy").await;
    house.minutes_pass(5).await;
    let told_at = house.escalation().await.expect("it waits").told_at;
    assert!(told_at.is_some());
    house.clock_is_set(60).await;
    let after = house.escalation().await.expect("it waits").told_at;
    assert_eq!(after, told_at, "by this time notifications know it");
}

#[tokio::test]
async fn a_conversation_without_a_setting_is_not_opened_for_that_of_another_repository() {
    let house = live_house().await;
    house.asks_for("make deploy").await;
    house.list.lines_written().await;
    house.set("Acme/Parser", "", 0, Some(5)).await.expect("set");
    let escalations = house.policies.deputies.known.now();
    let set = |repository: Option<&str>| escalations.of(repository).is_some();
    assert_eq!(house.list.waiting_ids(set), [] as [String; 0]);
    assert_eq!(house.list.waiting_ids(|_| true), [ID]);
}

#[tokio::test]
async fn who_may_answer_and_looks_delays_the_deputies_once() {
    let house = live_house().await;
    let (ada, bea) = (
        person(&house, "ada", "approver").await,
        person(&house, "bea", "approver").await,
    );
    let vic = person(&house, "vic", "viewer").await;
    house.escalates("bea", 5, Some(20)).await;
    house.asks_for("make deploy").await;
    let mut looking: Vec<_> = [&vic, &ada]
        .into_iter()
        .map(|by| Box::pin(house.reader.presence.watch(by, ID)))
        .collect();
    for one in &mut looking {
        one.next().await;
    }
    house.minutes_pass(5).await;
    let shown = house.escalation().await.expect("the page says it");
    assert!(shown.watched && shown.told_at.is_none(), "{shown:?}");
    let latest = shown.tells_at.expect("it is bounded");
    assert_eq!(shown.rejects_at, Some(latest + 10 * 60_000));
    house.minutes_pass(5).await;
    assert_eq!(house.escalation().await.expect("it waits").told, ["bea"]);
    // Who cannot answer does not count, nor who has left.
    house.carry_out("make deploy", true).await;
    drop(looking.pop());
    house.asks_for("make again").await;
    house.minutes_pass(5).await;
    assert_eq!(house.escalation().await.expect("it waits").told, ["bea"]);
    drop((looking, bea));
}

#[tokio::test]
async fn what_somebody_has_answered_is_never_rejected() {
    let house = live_house().await;
    house.escalates("", 0, Some(5)).await;
    let token = house.asks_for("make one").await;
    house
        .answer(&token, Decision::Approve)
        .await
        .expect("it counts");
    house.minutes_pass(60).await;
    house.carry_out("make one", true).await;
    // Nor if the answer was not sent, or may not have arrived.
    for (command, obedience) in [
        ("make two", Obedience::Refuses),
        ("make three", Obedience::Loses),
    ] {
        let token = house.asks_for(command).await;
        house.fake.obey(obedience);
        let answered = house.answer(&token, Decision::Approve).await;
        assert!(answered.is_err(), "{answered:?}");
        house.fake.obey(Obedience::Obeys);
        house.minutes_pass(60).await;
        assert_eq!(house.escalation().await, None, "the page promises nothing");
        house.carry_out(command, true).await;
    }
    let rejected = |order: &Command| matches!(order, Command::Reject { .. });
    assert!(!house.fake.orders().iter().any(rejected));
    // What the agent asks anew waits from then on.
    let before = house.asks_for("make four").await;
    house.minutes_pass(4).await;
    house.asks_for("make five").await;
    let differs = |session: &SessionView| {
        let approval = session.approval.as_ref();
        approval.is_some_and(|approval| approval.token != before)
    };
    house.until(differs).await;
    house.minutes_pass(4).await;
    assert!(!house.fake.orders().iter().any(rejected));
    house.minutes_pass(1).await;
    soon(|| house.fake.orders().iter().any(rejected).then_some(())).await;
}

#[tokio::test]
async fn a_first_approval_is_no_answer_and_the_reason_says_what_is_missing() {
    let house = live_house().await;
    let ada = person(&house, "ada", "approver").await;
    person(&house, "bea", "approver").await;
    let two = Authority {
        two: true,
        ..Authority::default()
    };
    house.authority(two).await;
    house.escalates("ada bea", 5, Some(20)).await;
    let token = house.asks_high("make deploy").await;
    let first = house.approves(&ada, &token).await;
    first.expect("it is stored");
    house.minutes_pass(5).await;
    let shown = house.escalation().await.expect("it waits");
    assert_eq!(
        (shown.told, shown.second),
        (vec!["bea".to_owned()], true),
        "ada has approved"
    );
    // It does not count as long as it would need a touch.
    let touches = &house.policies.touches;
    for (reach, second) in [(Reach::High, false), (Reach::Nothing, true)] {
        touches.save(me(), "", reach).await.expect("healthy");
        house.looks().await;
        let shown = house.escalation().await.expect("it waits");
        assert_eq!(shown.second, second, "{reach:?}");
    }
    house.minutes_pass(15).await;
    assert!(matches!(
        house.ordered(1).await[..],
        [Command::Reject { .. }]
    ));
    let said = house.by_itself().await;
    assert!(
        said[2].contains("no second person answered in 20 minutes"),
        "{said:?}"
    );
}

#[tokio::test]
async fn the_time_goes_on_over_a_restart() {
    let house = live_house().await;
    person(&house, "bea", "approver").await;
    house.escalates("bea", 5, Some(20)).await;
    let token = house.asks_for("make deploy").await;
    house.minutes_pass(5).await;
    assert_eq!(house.escalation().await.expect("it waits").told, ["bea"]);
    house.hub.shutdown().await;
    // All but one of the 20 minutes have passed when it runs again.
    let journal = journal_in(house.folder.path()).await;
    journal.shift_waits(-19 * 60_000).await.expect("healthy");
    drop(journal);
    let again = House {
        hub: reopened(&house.fake, house.folder.path()).await,
        fake: house.fake.clone(),
        folder: house.folder,
    };
    again.until(|session| session.approval.is_some()).await;
    again.looks().await;
    assert_eq!(again.fake.orders(), [], "not before its time");
    assert_eq!(again.escalation().await.expect("it waits").told, ["bea"]);
    again.minutes_pass(4).await;
    assert_eq!(again.fake.orders(), [], "people have time after a start");
    again.minutes_pass(1).await;
    assert!(matches!(
        again.ordered(1).await[..],
        [Command::Reject { .. }]
    ));
    let facts = again
        .catalogue
        .journal
        .unanswered(ID, &token, Around::default());
    assert_eq!(facts.await.expect("healthy"), None);
}

#[tokio::test]
async fn nobody_has_to_open_it_after_a_restart() {
    let house = live_house().await;
    house.escalates("", 0, Some(5)).await;
    house.asks_for("make deploy").await;
    house.list.lines_written().await;
    house.hub.shutdown().await;
    let journal = journal_in(house.folder.path()).await;
    journal.shift_waits(-5 * 60_000).await.expect("healthy");
    drop(journal);
    let again = reopened(&house.fake, house.folder.path()).await;
    again.policies.deputies.known.clock.pass(5 * 60_000);
    soon(|| (house.fake.orders().len() == 1).then_some(())).await;
    assert!(matches!(house.fake.orders()[..], [Command::Reject { .. }]));
    drop(again);
}

#[tokio::test]
async fn a_clock_that_is_set_rejects_nothing_early_and_nothing_late() {
    let house = live_house().await;
    house.escalates("", 0, Some(20)).await;
    for (number, by) in [YEAR, -YEAR, 60, -60, 15].into_iter().enumerate() {
        let before = house.fake.orders().len();
        let command = format!("make {number}");
        house.asks_for(&command).await;
        house.minutes_pass(10).await;
        house.clock_is_set(by).await;
        house.minutes_pass(9).await;
        assert_eq!(
            house.fake.orders().len(),
            before,
            "early after {by} minutes"
        );
        house.minutes_pass(1).await;
        house.ordered(before + 1).await;
        house.carry_out(&command, false).await;
    }
    // Nor what is asked right after it was set back, before anything else has looked at the clock.
    let before = house.fake.orders().len();
    house.policies.deputies.known.clock.set(-60 * 60_000);
    house.asks_for("make more").await;
    house.looks().await;
    house.minutes_pass(19).await;
    assert_eq!(house.fake.orders().len(), before);
    // What was set while nothing ran cannot be known: what is overdue for more than a day waits anew.
    let journal = &house.catalogue.journal;
    journal.shift_waits(-YEAR * 60_000).await.expect("healthy");
    house.looks().await;
    house.minutes_pass(19).await;
    assert_eq!(house.fake.orders().len(), before);
    house.minutes_pass(1).await;
    house.ordered(before + 1).await;
}

#[tokio::test]
async fn without_its_backend_it_is_rejected_when_that_is_back() {
    let house = live_house().await;
    house.escalates("", 0, Some(5)).await;
    house.asks_for("make deploy").await;
    house.looks().await;
    house.fake.loses_connection();
    house
        .until(|session| session.connection != ConnectionState::Live)
        .await;
    house.minutes_pass(6).await;
    assert!(
        house.escalation().await.expect("it waits").overdue,
        "the page says it"
    );
    assert_eq!(
        (house.fake.orders().len(), house.by_itself().await.len()),
        (0, 0)
    );
    house.fake.connection_is(ConnectionState::Live);
    assert!(matches!(
        house.ordered(1).await[..],
        [Command::Reject { .. }]
    ));
}

#[tokio::test]
async fn what_was_not_sent_is_sent_again_and_what_may_have_arrived_is_not() {
    let house = live_house().await;
    house.escalates("", 0, Some(5)).await;
    house.asks_for("make one").await;
    house.fake.obey(Obedience::Refuses);
    house.minutes_pass(5).await;
    let orders = house.ordered(1).await;
    assert!(matches!(orders[0], Command::Reject { .. }), "{orders:?}");
    house.fake.obey(Obedience::Loses);
    house.looks().await;
    house
        .until(|session| {
            let approval = session.approval.as_ref();
            approval.is_some_and(|one| one.caution.is_some())
        })
        .await;
    let before = house.fake.orders().len();
    house.minutes_pass(60).await;
    assert_eq!(house.fake.orders().len(), before, "people decide");
    assert_eq!(house.escalation().await, None);
}

#[tokio::test]
async fn of_an_answer_and_the_deadline_exactly_one_counts() {
    let house = live_house().await;
    house.escalates("", 0, Some(5)).await;
    for number in 0..12 {
        let before = house.fake.orders().len();
        let command = format!("make {number}");
        let token = house.asks_for(&command).await;
        house.policies.deputies.known.clock.pass(5 * 60_000);
        house
            .backends
            .actors
            .tell_all(|| ActorMessage::Refresh)
            .await;
        // The actor looks at some moment of the next second.
        tokio::time::sleep(Duration::from_millis(number * 90)).await;
        let answered = house.answer(&token, Decision::Approve).await;
        house.ordered(before + 1).await;
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        let orders = house.fake.orders();
        assert_eq!(orders.len(), before + 1, "{orders:?}");
        let is_approval = matches!(orders[before], Command::Approve { .. });
        assert_eq!(is_approval, answered.is_ok(), "{answered:?}");
        house.carry_out(&command, is_approval).await;
    }
}

#[tokio::test]
async fn the_agent_of_0x_rests_after_it() {
    let house = live_house().await;
    house.escalates("", 0, Some(5)).await;
    house.asks_for("make deploy").await;
    house.minutes_pass(5).await;
    house.ordered(1).await;
    house.carry_out("make deploy", false).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let orders = house.fake.orders();
    assert!(
        matches!(orders[..], [Command::Reject { .. }]),
        "no message follows: {orders:?}"
    );
}
