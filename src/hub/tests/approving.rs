//! Second approvers: who counts, who does not, and what becomes of a first approval.
//!
//! Long because all tests share the helpers that let people approve.

use super::*;
use crate::backend::Command;
use crate::journal::{NewRule, PersonChange};
use crate::live::Decision;
use crate::people::{Audience, Authority, Right, Role};
use crate::rules::{Conditions, Pattern, Rest, Scope, Subject};

/// Two people have to approve what is rated high.
pub(super) const TWO: Authority = Authority {
    least: Role::Approver,
    two: true,
    unrated: false,
};

impl House {
    pub(super) async fn authority(&self, authority: Authority) {
        let saved = self.policies.authority.save(me(), authority).await;
        saved.expect("healthy");
    }

    /// The agent asks for something that is rated high.
    pub(super) async fn asks_high(&self, command: &str) -> String {
        let token = self.asks(|id| asks_rated(id, command, 2)).await;
        token.expect("people are asked")
    }

    pub(super) async fn approves(&self, by: &Caller, token: &str) -> HubResult {
        let commands = &self.commands;
        commands.answer(by, ID, token, Decision::Approve, "").await
    }

    /// Makes a rule that approves whatever deploys, has it do so once, and returns its number.
    pub(super) async fn carries_out_by_rule(&self, owner: &Caller) -> i64 {
        let words = vec!["make".to_owned(), "deploy".to_owned()];
        let conditions = Conditions {
            subject: Subject::Commands(vec![Pattern {
                words,
                rest: Rest::Nothing,
            }]),
            highest: crate::conversation::Risk::High,
            unrated: true,
        };
        let rule = NewRule {
            person: owner.person,
            maker: owner.name.clone(),
            scope: serde_json::to_string(&Scope::All).expect("plain data"),
            conditions: serde_json::to_string(&conditions).expect("plain data"),
            made_at: 1,
            expires_at: None,
        };
        let journal = &self.catalogue.journal;
        let number = journal
            .add_rule(rule)
            .await
            .expect("healthy")
            .expect("there is room");
        assert_eq!(
            self.asks(|id| asks_rated(id, "make deploy", 2)).await,
            None,
            "it answers"
        );
        self.carry_out("make deploy", true).await;
        number
    }

    /// Approves by a rule of this number, as if it had been looked for before something else was chosen.
    pub(super) async fn claims_by_rule(&self, token: &str, number: i64) -> Option<i64> {
        let entry = crate::journal::AuditEntry {
            at: crate::clock::now(),
            ..Default::default()
        };
        let judge = crate::hub::authorities::judge_rule(true);
        let journal = &self.catalogue.journal;
        let claimed = journal
            .claim_by_rule(ID, token, number, "", entry, judge)
            .await;
        claimed.expect("healthy")
    }

    /// Who has approved first, as the page says.
    async fn first(&self) -> String {
        let handle = self.handle().await;
        let session = handle.session.borrow();
        let approval = session.approval.as_ref();
        let care = approval.and_then(|approval| approval.care.clone());
        care.map(|care| care.first).unwrap_or_default()
    }

    /// The newest audit entries about two approvals, oldest first: who, what, details and outcome.
    async fn audited(&self) -> Vec<String> {
        self.audited_if(|entry| entry.action.ends_with(" approval"))
            .await
    }
}

#[tokio::test]
async fn two_people_approve_what_is_rated_high_and_both_names_stay() {
    let house = live_house().await;
    house.authority(TWO).await;
    let (ada, bob) = (
        person(&house, "ada", "approver").await,
        person(&house, "bob", "operator").await,
    );
    let token = house.asks_high("make deploy").await;
    house.approves(&ada, &token).await.expect("it is stored");
    assert_eq!(house.first().await, "ada");
    assert_eq!(house.fake.orders(), [], "nothing is sent");
    // The same person, in another session, or by a script.
    for credential in [Credential::Login(2), Credential::Login(1)] {
        let again = Caller {
            credential,
            ..ada.clone()
        };
        house
            .approves(&again, &token)
            .await
            .expect("it is harmless");
    }
    for by in [&ada, &bob] {
        let script = Caller {
            credential: Credential::Token(1),
            ..by.clone()
        };
        assert!(matches!(
            house.approves(&script, &token).await,
            Err(HubError::Invalid(_))
        ));
    }
    assert!(
        matches!(
            house.approves(me(), &token).await,
            Err(HubError::Invalid(_))
        ),
        "no account"
    );
    assert_eq!(house.fake.orders(), []);
    // It calls for bob, and for ada no longer.
    house.list.lines_written().await;
    assert_eq!((house.list.waiting(&ada), house.list.waiting(&bob)), (0, 1));
    for (by, calls) in [(&ada, false), (&bob, true)] {
        let page = house.catalogue.page(by, "").await.expect("healthy");
        assert_eq!(page.conversations[0].calls(), calls, "{}", by.name);
        let inbox = house.reader.inbox(by).await;
        assert_eq!(
            (inbox[0].calls(), inbox[0].answerable),
            (calls, true),
            "{}",
            by.name
        );
    }
    house.approves(&bob, &token).await.expect("it is complete");
    assert!(matches!(&house.ordered(1).await[..], [Command::Approve { keys }] if keys.len() == 1));
    house.carry_out("make deploy", true).await;
    let rows = house.rows().await;
    let row = rows.iter().find(|row| row.contains("make deploy"));
    assert!(
        row.is_some_and(|row| row.contains("\"by\":\"ada and bob\"")),
        "{rows:?}"
    );
    assert_eq!(
        house.audited().await,
        [
            "ada first approval: a second person has to approve, begun",
            "ada first approval: a second person has to approve, done",
            "bob second approval: after ada, begun",
            "bob second approval: after ada, done",
        ]
    );
}

#[tokio::test]
async fn a_first_approval_that_was_perhaps_stored_is_shown_once_that_is_known() {
    let house = live_house().await;
    house.authority(TWO).await;
    let ada = person(&house, "ada", "approver").await;
    let token = house.asks_high("make deploy").await;
    let journal = &house.catalogue.journal;
    journal.lose_answer_to("SELECT 1 FROM approval WHERE first_person IS NOT NULL");
    let lost = house.approves(&ada, &token).await;
    assert!(lost.is_err(), "nobody knows whether it was stored");
    house
        .until(|session| {
            let approval = session.approval.as_ref();
            let care = approval.and_then(|approval| approval.care.as_ref());
            care.is_some_and(|care| care.first == "ada")
        })
        .await;
    assert_eq!(house.fake.orders(), []);
}

#[tokio::test]
async fn what_is_not_rated_high_needs_one_unless_owners_say_so() {
    let house = live_house().await;
    house.authority(TWO).await;
    let ada = person(&house, "ada", "approver").await;
    for (risk, unrated, is_sent) in [(1, false, true), (-1, false, true), (-1, true, false)] {
        house.authority(Authority { unrated, ..TWO }).await;
        let (before, command) = (house.fake.orders().len(), format!("echo {risk} {unrated}"));
        let token = house
            .asks(|id| asks_rated(id, &command, risk))
            .await
            .expect("it waits");
        house.approves(&ada, &token).await.expect("it counts");
        assert_eq!(house.fake.orders().len() > before, is_sent, "{command}");
        let bob = Decision::Reject;
        if !is_sent {
            house.answer(&token, bob).await.expect("anybody can reject");
        }
        house.carry_out(&command, is_sent).await;
    }
}

#[tokio::test]
async fn anybody_ends_it_by_rejecting() {
    let house = live_house().await;
    house
        .authority(Authority {
            least: Role::Owner,
            ..TWO
        })
        .await;
    let (olga, ada) = (
        person(&house, "olga", "owner").await,
        person(&house, "ada", "approver").await,
    );
    let token = house.asks_high("rm -rf /").await;
    assert!(
        matches!(
            house.approves(&ada, &token).await,
            Err(HubError::Invalid(_))
        ),
        "owners only"
    );
    house.approves(&olga, &token).await.expect("it is stored");
    let rejected = house
        .commands
        .answer(&ada, ID, &token, Decision::Reject, "");
    rejected.await.expect("she may reject");
    assert!(matches!(
        house.ordered(1).await[..],
        [Command::Reject { .. }]
    ));
    house.carry_out("rm -rf /", false).await;
    let rows = house.rows().await;
    let row = rows.iter().find(|row| row.contains("rm -rf"));
    assert!(
        row.is_some_and(|row| row.contains("\"by\":\"ada\"")),
        "{rows:?}"
    );
}

#[tokio::test]
async fn a_first_approval_ends_with_the_right_of_its_author() {
    let house = live_house().await;
    house.authority(TWO).await;
    let mut people = Vec::new();
    for name in ["ada", "bob", "cyd", "dee"] {
        people.push(person(&house, name, "approver").await);
    }
    let journal = house.catalogue.journal.clone();
    let token = house.asks_high("make deploy").await;
    house
        .approves(&people[0], &token)
        .await
        .expect("it is stored");
    // The right comes back, the approval does not.
    for role in ["viewer", "approver"] {
        let change = PersonChange::Role(role.to_owned());
        journal
            .change_person(people[0].person, change)
            .await
            .expect("healthy");
    }
    house
        .approves(&people[1], &token)
        .await
        .expect("it is the first");
    assert_eq!(house.fake.orders(), []);
    assert_eq!(house.first().await, "bob");
    let change = PersonChange::Disabled(true);
    journal
        .change_person(people[1].person, change)
        .await
        .expect("healthy");
    house
        .approves(&people[2], &token)
        .await
        .expect("it is the first");
    assert_eq!(
        (house.fake.orders().len(), house.first().await),
        (0, "cyd".to_owned())
    );
    // The conversation is shared with others only.
    house
        .commands
        .share(me(), ID, Audience::Some)
        .await
        .expect("healthy");
    house
        .commands
        .share_with(me(), ID, "dee", None)
        .await
        .expect("healthy");
    house
        .approves(&people[3], &token)
        .await
        .expect("it is the first");
    assert_eq!(
        (house.fake.orders().len(), house.first().await),
        (0, "dee".to_owned())
    );
    house
        .commands
        .share_with(me(), ID, "ada", None)
        .await
        .expect("healthy");
    house
        .approves(&people[0], &token)
        .await
        .expect("it is complete");
    assert!(matches!(
        house.ordered(1).await[..],
        [Command::Approve { .. }]
    ));
}

#[tokio::test]
async fn a_changed_action_needs_two_again_and_a_restart_keeps_the_first() {
    let house = live_house().await;
    house.authority(TWO).await;
    let (ada, bob) = (
        person(&house, "ada", "approver").await,
        person(&house, "bob", "approver").await,
    );
    let token = house.asks_high("make one").await;
    house.approves(&ada, &token).await.expect("it is stored");
    house.asks_high("make two").await;
    let differs = |session: &SessionView| {
        let approval = session.approval.as_ref();
        approval.is_some_and(|approval| approval.token != token)
    };
    let other = house.until(differs).await.approval.expect("it waits").token;
    assert_ne!(token, other);
    assert!(matches!(
        house.approves(&bob, &token).await,
        Err(HubError::Superseded)
    ));
    house.approves(&bob, &other).await.expect("it is the first");
    assert_eq!(house.fake.orders(), []);
    house.hub.shutdown().await;
    let again = reopened(&house.fake, house.folder.path()).await;
    let handle = again.backends.actors.handle(ID).await.expect("it is there");
    let _watching = handle.watching.clone();
    let mut session = handle.session.clone();
    let is_there = session.wait_for(|session| {
        let care = session.approval.as_ref().and_then(|one| one.care.as_ref());
        session.connection == ConnectionState::Live && care.is_some_and(|care| care.first == "bob")
    });
    tokio::time::timeout(Duration::from_secs(60), is_there)
        .await
        .expect("in time")
        .expect("open");
    let approve = |by: Caller| {
        let (hub, token) = (again.clone(), other.clone());
        async move {
            hub.commands
                .answer(&by, ID, &token, Decision::Approve, "")
                .await
        }
    };
    approve(bob.clone()).await.expect("it is harmless");
    assert_eq!(house.fake.orders(), []);
    approve(ada).await.expect("it is complete");
    assert!(matches!(
        house.ordered(1).await[..],
        [Command::Approve { .. }]
    ));
}

#[tokio::test]
async fn what_was_asked_meanwhile_is_asked_anew_of_two() {
    let house = live_house().await;
    house.authority(TWO).await;
    let (ada, bob) = (
        person(&house, "ada", "approver").await,
        person(&house, "bob", "approver").await,
    );
    let journal = house.catalogue.journal.clone();
    let token = house.asks_high("make one").await;
    house.approves(&ada, &token).await.expect("it is stored");
    journal.nothing_asked(ID).await.expect("healthy");
    // It is asked again, as after a change and back.
    let question = crate::journal::Question {
        token: token.clone(),
        question: "q".to_owned(),
        shown: String::new(),
        rating: "high".to_owned(),
    };
    let asked = journal.ask(ID, question, 9).await.expect("healthy");
    assert_eq!(asked.first, None, "nobody has approved what is asked now");
    house.approves(&bob, &token).await.expect("it is the first");
    assert_eq!(house.fake.orders(), []);
}

#[tokio::test]
async fn a_right_that_has_ended_since_the_request_counts_for_nothing() {
    let house = live_house().await;
    // One owner always stays.
    let (olga, _) = (
        person(&house, "olga", "owner").await,
        person(&house, "oskar", "owner").await,
    );
    let ada = person(&house, "ada", "approver").await;
    let script = Caller {
        credential: Credential::Token(1),
        ..ada.clone()
    };
    let number = house.carries_out_by_rule(&olga).await;
    let orders = house.fake.orders().len();
    let token = house.asks(|id| asks_rated(id, "make clean", 0)).await;
    let token = token.expect("people are asked");
    let journal = house.catalogue.journal.clone();
    let change = async |person: &Caller, change| {
        let changed = journal.change_person(person.person, change).await;
        changed.expect("healthy");
    };
    for role in ["viewer", "operator"] {
        change(&ada, PersonChange::Role(role.to_owned())).await;
        let may = role.parse::<Role>().expect("a role").may(Right::Answer);
        change(&ada, PersonChange::Disabled(may)).await;
        for by in [&ada, &script] {
            let refused = house.approves(by, &token).await;
            assert!(matches!(refused, Err(HubError::Invalid(_))), "{refused:?}");
        }
    }
    change(&olga, PersonChange::Role("operator".to_owned())).await;
    assert_eq!(
        house.claims_by_rule(&token, number).await,
        None,
        "its maker was an owner"
    );
    assert_eq!(house.fake.orders().len(), orders, "nothing is sent");
}

#[tokio::test]
async fn a_rule_is_never_one_of_two() {
    let house = live_house().await;
    let olga = person(&house, "olga", "owner").await;
    let ada = person(&house, "ada", "approver").await;
    let number = house.carries_out_by_rule(&olga).await;
    house.authority(TWO).await;
    let token = house.asks_high("make deploy").await;
    let claim = || house.claims_by_rule(&token, number);
    assert_eq!(claim().await, None, "nor is it the first");
    house
        .approves(&ada, &token)
        .await
        .expect("she is the first");
    assert_eq!(claim().await, None, "nor the second");
    assert_eq!(house.fake.orders().len(), 1);
}

#[tokio::test]
async fn of_two_approvals_at_once_exactly_one_completes() {
    let house = live_house().await;
    house.authority(TWO).await;
    let mut people = Vec::new();
    for name in ["ada", "bob", "cyd"] {
        people.push(person(&house, name, "approver").await);
    }
    for time in 0..20 {
        let before = house.fake.orders().len();
        let command = format!("make {time}");
        let token = house.asks_high(&command).await;
        let all = people.iter().map(|by| house.approves(by, &token));
        let outcomes = futures_util::future::join_all(all).await;
        assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
        house.ordered(before + 1).await;
        tokio::task::yield_now().await;
        assert_eq!(house.fake.orders().len(), before + 1);
        house.carry_out(&command, true).await;
    }
}
