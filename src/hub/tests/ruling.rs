//! Rules: what they answer, what they leave to people, and that exactly one of all answers counts.
//!
//! Long because all tests share the helpers that make a rule and let the agent ask.

use super::*;
use crate::backend::Command;
use crate::conversation::Risk;
use crate::journal::{AuditFilter, NewRule, PersonChange, Verdict};
use crate::live::{Decision, RuleState};
use crate::people::{Credential, Role};
use crate::rules::{Conditions, Pattern, Rest, Scope, Subject};
use serde_json::json;

/// A rule about a command, up to medium risk or unrated.
pub(super) fn about(words: &str, rest: Rest) -> Conditions {
    let words = words.split(' ').map(str::to_owned).collect();
    Conditions {
        subject: Subject::Commands(vec![Pattern { words, rest }]),
        highest: Risk::Medium,
        unrated: true,
    }
}

impl House {
    pub(super) async fn rule(&self, conditions: Conditions) -> i64 {
        let made = self
            .policies
            .approvals
            .make(me(), ID, "all", conditions, 30)
            .await;
        let number = made.expect("it may be made");
        // What is asked in the same millisecond as a rule is made is older than the rule, or not.
        tokio::time::sleep(Duration::from_millis(2)).await;
        number
    }

    async fn uses(&self) -> i64 {
        let page = self.policies.approvals.page(me()).await.expect("healthy");
        page.rules.iter().map(|rule| rule.used).sum()
    }
}

#[tokio::test]
async fn a_rule_answers_what_it_covers_and_nobody_is_asked() {
    let house = live_house().await;
    let number = house.rule(about("pytest", Rest::Anything)).await;
    let mut follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
    let asked = house.asks(|id| asks(id, "pytest -q")).await;
    assert_eq!(asked, None, "no person is asked");
    assert!(matches!(&house.fake.orders()[..], [Command::Approve { keys }] if keys.len() == 1));
    // No frame had an approval that somebody could have answered.
    house.carry_out("pytest -q", true).await;
    let handle = house.handle().await;
    let newest = *handle.newest.borrow();
    while let Some(frame) = tokio::time::timeout(Duration::from_millis(200), follower.next())
        .await
        .ok()
        .flatten()
    {
        let told = serde_json::from_slice::<FromServer>(&frame).expect("frames are JSON");
        let session = match told {
            FromServer::Session { session, .. } => Some(session),
            FromServer::Rows { session, .. } => session,
            _ => None,
        };
        let approval = session.and_then(|session| session.approval);
        assert!(
            approval.is_none_or(|approval| approval.answering),
            "{newest}"
        );
    }
    let row = house
        .rows()
        .await
        .into_iter()
        .find(|row| row.contains("pytest"));
    assert!(row.expect("there is a step").contains("\"by_rule\":true"));
    let audit = house
        .catalogue
        .journal
        .audit(AuditFilter::default(), 10)
        .await
        .expect("healthy");
    let by_rule: Vec<_> = audit
        .iter()
        .filter(|record| record.entry.action == "approve by rule")
        .map(|record| (record.entry.outcome.as_str(), record.entry.detail.clone()))
        .collect();
    let detail = format!("rule {number}: “pytest” with any arguments");
    assert_eq!(by_rule, [("done", detail.clone()), ("begun", detail)]);
    assert_eq!(house.uses().await, 1);
}

#[tokio::test]
async fn a_rule_waits_for_a_gap_to_be_filled() {
    let house = live_house().await;
    house.rule(about("pytest", Rest::Anything)).await;
    let missing = house.fake.next_id();
    house.fake.leave_out(missing);
    house.fake.emit([state(missing, "running")]);
    let filled = async {
        // A backend of 0.x is asked for it only after 3 s, as most gaps close by themselves.
        tokio::time::sleep(Duration::from_millis(3_500)).await;
        house.fake.leave_nothing_out();
    };
    let (asked, ()) = tokio::join!(house.asks(|id| asks(id, "pytest -q")), filled);
    assert_eq!(asked, None, "no person is asked");
    assert_eq!(house.uses().await, 1);
}

#[tokio::test]
async fn what_no_rule_covers_is_asked_of_a_person() {
    let house = live_house().await;
    house.rule(about("pytest", Rest::Names)).await;
    for command in [
        "pytest -p evil",
        "pytest; rm x",
        "pytest $(rm x)",
        "pytest\u{200b}",
        "ls",
        "pytest | sh",
    ] {
        let asked = house.asks(|id| asks(id, command)).await;
        assert!(asked.is_some(), "{command}");
        house
            .answer(&asked.expect("it waits"), Decision::Reject)
            .await
            .expect("it waits");
        house.carry_out(command, false).await;
    }
    let high = house.asks(|id| asks_rated(id, "pytest", 2)).await;
    assert!(high.is_some(), "it is rated high");
    assert_eq!(house.uses().await, 0);
}

#[tokio::test]
async fn what_is_carried_out_before_the_answer_is_never_answered_by_a_rule() {
    let house = live_house().await;
    house
        .rule(Conditions {
            subject: Subject::Rated,
            highest: Risk::Medium,
            unrated: false,
        })
        .await;
    let edit = |id: i64| {
        json!({"id": id, "timestamp": "2026-01-01T00:00:00", "source": "agent", "action": "edit", "args": {
            "path": "/w/a.py", "command": "create", "file_text": "x\n", "thought": "", "security_risk": 0,
            "impl_source": "oh_aci", "start": 1, "end": -1}})
    };
    let asked = house.asks(edit).await;
    assert!(asked.is_some());
    let session = house.until(|session| session.approval.is_some()).await;
    let caution = session.approval.and_then(|approval| approval.caution);
    assert!(caution.unwrap_or_default().contains("already did this"));
}

#[tokio::test]
async fn the_switch_an_end_and_an_expiry_stop_a_rule_at_once() {
    let house = live_house().await;
    let number = house.rule(about("ls", Rest::Anything)).await;
    house
        .policies
        .approvals
        .stop(me(), true)
        .await
        .expect("healthy");
    let token = house
        .asks(|id| asks(id, "ls -a"))
        .await
        .expect("rules are stopped");
    // Resuming answers nothing that a person has before them.
    house
        .policies
        .approvals
        .stop(me(), false)
        .await
        .expect("healthy");
    let entry = crate::journal::AuditEntry::default();
    let claim = house
        .catalogue
        .journal
        .claim_by_rule(ID, &token, number, "", entry, |_| Verdict::Send);
    assert_eq!(claim.await.expect("healthy"), None);
    house
        .answer(&token, Decision::Approve)
        .await
        .expect("it waits");
    house.carry_out("ls -a", true).await;
    tokio::time::sleep(Duration::from_millis(2)).await;
    assert_eq!(house.asks(|id| asks(id, "ls -b")).await, None);
    house.carry_out("ls -b", true).await;
    house
        .policies
        .approvals
        .end(me(), number)
        .await
        .expect("it is in force");
    assert!(house.asks(|id| asks(id, "ls -c")).await.is_some());
    let page = house.policies.approvals.page(me()).await.expect("healthy");
    assert!(matches!(page.rules[0].state, RuleState::Ended(_)) && page.rules[0].used == 1);
}

#[tokio::test]
async fn after_a_person_has_halted_the_agent_no_rule_lets_it_go_on() {
    let house = live_house().await;
    house.rule(about("ls", Rest::Anything)).await;
    for order in [Steering::Stop, Steering::Pause] {
        house.fake.emit([state(house.fake.next_id(), "running")]);
        let runs = |session: &SessionView| session.status == crate::conversation::Status::Running;
        house.until(runs).await;
        house.steer(order).await.expect("it is live");
        // It was on its way before the agent has heard of that.
        let token = house.asks(|id| asks(id, "ls -a")).await;
        house
            .answer(&token.expect("a person is asked"), Decision::Reject)
            .await
            .expect("it waits");
        house.carry_out("ls -a", false).await;
        assert_eq!(house.asks(|id| asks(id, "ls -b")).await, None, "{order:?}");
        house.carry_out("ls -b", true).await;
    }
}

#[tokio::test]
async fn a_rule_answers_nothing_that_was_asked_before_it_was_made() {
    let house = live_house().await;
    let token = house.ask("ls").await;
    tokio::time::sleep(Duration::from_millis(2)).await;
    let number = house.rule(about("ls", Rest::Anything)).await;
    let entry = crate::journal::AuditEntry::default();
    let claim = house
        .catalogue
        .journal
        .claim_by_rule(ID, &token, number, "", entry, |_| Verdict::Send);
    assert_eq!(claim.await.expect("healthy"), None);
    assert!(house.fake.orders().is_empty());
    // Nor does a new task of the conversation.
    drop(house.hub.clone());
    let again = reopened(&house.fake, house.folder.path()).await;
    let handle = again.backends.actors.handle(ID).await.expect("it is there");
    let _watching = handle.watching.clone();
    let mut session = handle.session.clone();
    let waits = session.wait_for(|session| {
        session.connection == ConnectionState::Live && session.approval.is_some()
    });
    tokio::time::timeout(Duration::from_secs(60), waits)
        .await
        .expect("in time")
        .expect("open");
    assert!(house.fake.orders().is_empty());
}

#[tokio::test]
async fn a_rule_ends_with_the_right_of_its_maker_and_does_not_come_back() {
    let house = live_house().await;
    let ada = person(&house, "ada", "approver").await;
    let made = house
        .policies
        .approvals
        .make(&ada, ID, "all", about("ls", Rest::Anything), 0)
        .await;
    let number = made.expect("she may approve");
    tokio::time::sleep(Duration::from_millis(2)).await;
    assert_eq!(house.asks(|id| asks(id, "ls -a")).await, None);
    house.carry_out("ls -a", true).await;
    let journal = house.catalogue.journal.clone();
    for role in ["viewer", "owner"] {
        let change = PersonChange::Role(role.to_owned());
        journal
            .change_person(ada.person, change)
            .await
            .expect("healthy");
    }
    assert!(house.asks(|id| asks(id, "ls -b")).await.is_some());
    let record = journal
        .rule(number)
        .await
        .expect("healthy")
        .expect("it is there");
    assert!(record.ended_at.is_some() && record.ended_by.is_empty());
}

#[tokio::test]
async fn a_rule_answers_only_where_its_maker_may() {
    let house = live_house().await;
    let ada = person(&house, "ada", "approver").await;
    for (scope, may) in [
        (Scope::All, true),
        (Scope::Conversation(ID.to_owned()), true),
        (Scope::Conversation("another".to_owned()), false),
        (Scope::Own, false),
        (Scope::Repository("a/b".to_owned()), false),
    ] {
        let conditions = about("ls", Rest::Anything);
        let rule = NewRule {
            person: ada.person,
            maker: "ada".to_owned(),
            scope: serde_json::to_string(&scope).expect("plain data"),
            conditions: serde_json::to_string(&conditions).expect("plain data"),
            made_at: 1,
            expires_at: None,
        };
        let journal = &house.catalogue.journal;
        let number = journal
            .add_rule(rule)
            .await
            .expect("healthy")
            .expect("there is room");
        let asked = house.asks(|id| asks(id, "ls")).await;
        assert_eq!(asked.is_none(), may, "{scope:?}");
        if let Some(token) = asked {
            house
                .answer(&token, Decision::Approve)
                .await
                .expect("it waits");
        }
        house.carry_out("ls", true).await;
        house
            .policies
            .approvals
            .end(me(), number)
            .await
            .expect("in force");
    }
}

#[tokio::test]
async fn only_those_make_rules_who_may_and_scripts_never() {
    let house = live_house().await;
    let ada = person(&house, "ada", "approver").await;
    let rule = |highest, rest| Conditions {
        highest,
        ..about("ls -l", rest)
    };
    for (caller, conditions, may) in [
        (ada.clone(), rule(Risk::Medium, Rest::Anything), true),
        (ada.clone(), rule(Risk::High, Rest::Nothing), false),
        (me().clone(), rule(Risk::High, Rest::Nothing), true),
        (me().clone(), rule(Risk::High, Rest::Names), false),
        (me().clone(), rule(Risk::Unknown, Rest::Names), false),
        (me().clone(), about("sh", Rest::Nothing), false),
        (
            Caller {
                credential: Credential::Token(1),
                role: Role::Owner,
                ..ada.clone()
            },
            rule(Risk::Low, Rest::Nothing),
            false,
        ),
    ] {
        let made = house
            .policies
            .approvals
            .make(&caller, ID, "all", conditions.clone(), 1)
            .await;
        assert_eq!(made.is_ok(), may, "{caller:?} {conditions:?}");
    }
    let page = house.policies.approvals.page(&ada).await.expect("healthy");
    let of_owner = page
        .rules
        .iter()
        .find(|rule| rule.maker.is_empty())
        .expect("it is there");
    assert!(
        !of_owner.may_end
            && house
                .policies
                .approvals
                .end(&ada, of_owner.number)
                .await
                .is_err()
    );
}

#[tokio::test]
async fn the_dry_run_is_what_happens() {
    let commands = [
        "pytest -q",
        "pytest",
        "ls",
        "pytest; ls",
        "pytest tests/a.py",
        "rm x",
        "pytest $x",
        "pytest -q",
    ];
    let house = live_house().await;
    // A history, in which a person rejects every second question.
    for (at, command) in commands.iter().enumerate() {
        let token = house.ask(command).await;
        let yes = at % 2 == 0;
        let decision = if yes {
            Decision::Approve
        } else {
            Decision::Reject
        };
        house.answer(&token, decision).await.expect("it waits");
        house.carry_out(command, yes).await;
    }
    let token = house.ask("pytest -q").await;
    let choices = house
        .policies
        .approvals
        .choices(me(), ID, &token, "all")
        .await
        .expect("it is pending");
    assert_eq!((choices.reason.as_str(), choices.unrated), ("", false));
    let choice = choices
        .choices
        .iter()
        .find(|choice| choice.what == "“pytest” with any arguments");
    let choice = choice.expect("it is suggested");
    let run = &choice.run;
    assert_eq!(
        (run.asked, run.answered, run.unrated, run.refused),
        (9, 5, 0, 2)
    );
    let rejected: Vec<&str> = run.rejected.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(
        (rejected, run.is_behind),
        (vec!["pytest -q", "pytest"], false)
    );
    // The same history with the rule in force.
    let again = live_house().await;
    let subject = crate::hub::subject_of(&choice.subject).expect("it is one");
    again
        .rule(Conditions {
            subject,
            highest: Risk::Medium,
            unrated: true,
        })
        .await;
    let mut answered = 0;
    for command in commands.iter().chain(["pytest -q"].iter()) {
        match again.asks(|id| asks(id, command)).await {
            None => answered += 1,
            Some(token) => again
                .answer(&token, Decision::Approve)
                .await
                .expect("it waits"),
        }
        again.carry_out(command, true).await;
    }
    assert_eq!(
        (answered, again.uses().await),
        (run.answered, i64::from(run.answered))
    );
}

#[tokio::test]
async fn a_dry_run_counts_ten_thousand_questions() {
    let house = live_house().await;
    let token = house.ask("pytest -q").await;
    let journal = &house.catalogue.journal;
    let reading = journal.reading(ID, &token).await.expect("healthy");
    journal
        .fill_readings(ID, 10_000, reading.expect("it was read"))
        .await;
    let choices = house
        .policies
        .approvals
        .choices(me(), ID, &token, "all")
        .await;
    let choices = choices.expect("it is pending").choices;
    assert_eq!(
        (choices[0].run.answered, choices[0].run.refused),
        (10_001, 10_000)
    );
}

#[tokio::test]
async fn older_approvals_are_read_with_the_same_result() {
    let house = live_house().await;
    for command in ["pytest -q", "ls $x"] {
        let token = house.ask(command).await;
        house
            .answer(&token, Decision::Approve)
            .await
            .expect("it waits");
        house.carry_out(command, true).await;
    }
    let journal = &house.catalogue.journal;
    let before = journal.readings_since(0, 100).await.expect("healthy");
    journal.forget_readings().await;
    house.policies.approvals.read_older().await;
    assert_eq!(
        journal.readings_since(0, 100).await.expect("healthy"),
        before
    );
}

#[tokio::test]
async fn a_rule_whose_answer_is_not_sent_leaves_the_question_to_people() {
    let house = live_house().await;
    house.rule(about("ls", Rest::Anything)).await;
    house.fake.obey(Obedience::Refuses);
    house.asks(|id| asks(id, "ls")).await;
    let token = house.asked().await;
    house.fake.obey(Obedience::Obeys);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(house.fake.orders().len(), 1, "it is not sent again");
    house
        .answer(&token, Decision::Reject)
        .await
        .expect("a person decides");
}

#[tokio::test]
async fn of_a_person_a_rule_a_message_stop_and_a_restart_one_path_answers() {
    let times = if std::env::var_os("HANDRAIL_ALL").is_some() {
        400
    } else {
        60
    };
    let mut house = live_house().await;
    let number = house.rule(about("ls", Rest::Anything)).await;
    for time in 0..times {
        let command = format!("ls -{time}");
        let (id, before) = (house.fake.next_id(), house.fake.orders().len());
        // Half of the time something may be lost, or the rule is stopped beside it.
        let disturbs = time % 6;
        let handle = house.handle().await;
        let _watching = handle.watching.clone();
        house.fake.emit([
            state(id, "awaiting_user_confirmation"),
            asks(id + 1, &command),
        ]);
        for _ in 0..(time % 5) {
            tokio::task::yield_now().await;
        }
        let token = || {
            handle
                .session
                .borrow()
                .approval
                .as_ref()
                .map(|approval| approval.token.clone())
        };
        match disturbs {
            0 => drop(house.policies.approvals.stop(me(), true).await),
            1 => drop(house.say(&format!("m{time}"), "wait").await),
            2 => drop(house.steer(Steering::Stop).await),
            3 => {
                if let Some(token) = token() {
                    drop(house.answer(&token, Decision::Reject).await);
                }
            }
            4 => {
                house.hub.shutdown().await;
                house.hub = reopened(&house.fake, house.folder.path()).await;
            }
            _ => {}
        }
        drop(house.policies.approvals.stop(me(), false).await);
        let handle = house.handle().await;
        let _watching = handle.watching.clone();
        // It is answered, or a person has it.
        soon(|| {
            let orders = house.fake.orders()[before..].iter().any(is_decisive);
            let session = handle.session.borrow();
            let asks = session
                .approval
                .as_ref()
                .is_some_and(|approval| !approval.answering);
            (orders || asks).then_some(())
        })
        .await;
        tokio::time::sleep(Duration::from_millis(5)).await;
        let answers: Vec<Command> = house.fake.orders()[before..]
            .iter()
            .filter(|one| is_answer(one))
            .cloned()
            .collect();
        assert!(answers.len() <= 1, "{disturbs}: {answers:?}");
        let by_rule = house
            .catalogue
            .journal
            .readings_since(0, 10_000)
            .await
            .expect("healthy");
        let last = by_rule.last().expect("it was asked");
        if let [Command::Approve { .. }] = &answers[..] {
            assert_eq!(last.approved, Some(true), "it is stored before it is sent");
        }
        house
            .carry_out(&command, matches!(&answers[..], [Command::Approve { .. }]))
            .await;
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let approved = house
        .fake
        .orders()
        .iter()
        .filter(|one| matches!(one, Command::Approve { .. }))
        .count();
    let record = house
        .catalogue
        .journal
        .rule(number)
        .await
        .expect("healthy")
        .expect("it is there");
    assert!(
        record.used >= i64::try_from(approved).expect("few"),
        "only the rule approves here"
    );
    assert!(record.used > 0);
    let audit = house.catalogue.journal.audit(
        AuditFilter {
            action: "approve by rule".to_owned(),
            ..AuditFilter::default()
        },
        10_000,
    );
    let begun = audit
        .await
        .expect("healthy")
        .into_iter()
        .filter(|one| one.entry.about == 0)
        .count();
    assert_eq!(
        i64::try_from(begun).expect("few"),
        record.used,
        "each answer is in the audit"
    );
}

fn is_answer(command: &Command) -> bool {
    matches!(command, Command::Approve { .. } | Command::Reject { .. })
}

fn is_decisive(command: &Command) -> bool {
    is_answer(command) || matches!(command, Command::Stop)
}
