//! Answers from a notification: only those that this browser was asked for, once, and as its person chose.

use super::Home;
use crate::people::house::House;
use crate::stage::me;
use handrail::backend::rehearsal::Dialect;
use handrail::hub::MIN_VIEW_TIME;
use handrail::live::{Decision, Scope};
use handrail::people::{Caller, Role};

/// A home in which Ada's phone shows the notification of an approval of low risk, and may approve it.
struct Asked {
    home: Home,
    ada: Caller,
    phone: super::Phone,
    channel: i64,
    id: String,
    token: String,
}

async fn asked(scenario: &str, approves: bool) -> Asked {
    let home = Home::new(Dialect::AgentServer, |_| ()).await;
    let ada = home.person("ada", Role::Approver).await;
    let choosing = home.choosing(&ada, "phone", |choices| {
        choices.scope = Scope::All;
        choices.approves = approves;
    });
    let (phone, channel) = choosing.await;
    let id = home.create_conversation(me(), scenario).await;
    let token = home.pending(&id, "").await;
    home.messages(&phone, 1).await;
    // Nobody can have read it in less.
    tokio::time::sleep(MIN_VIEW_TIME).await;
    Asked {
        home,
        ada,
        phone,
        channel,
        id,
        token,
    }
}

impl Asked {
    async fn answer(
        &self,
        by: &Caller,
        token: &str,
        channel: i64,
        decision: Decision,
    ) -> Result<String, String> {
        let answered = self
            .home
            .notifier
            .answer(by, (&self.id, token), channel, decision);
        answered.await.map_err(|error| match error {
            handrail::notify::NotifyError::Hub(error) => error.for_people().1,
            error => error.to_string(),
        })
    }

    fn executed(&self) -> u32 {
        self.home.rehearsal.stats().executed(&self.id, "run ls")
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_low_risk_action_is_approved_from_a_notification_once() {
    let asked = asked("careful", true).await;
    let (ada, token, channel) = (&asked.ada, &asked.token, asked.channel);
    let message = asked.phone.messages(&asked.home.service).remove(0);
    let actions = message["notification"]["actions"]
        .as_array()
        .expect("a list")
        .clone();
    assert_eq!(actions[0]["action"], "approve");
    assert_eq!(
        asked
            .answer(ada, token, channel, Decision::Approve)
            .await
            .as_deref(),
        Ok("Approved")
    );
    // Pressed twice.
    let again = asked.answer(ada, token, channel, Decision::Approve).await;
    assert!(
        again.is_ok() || again.as_ref().is_err_and(|why| why.contains("changed")),
        "{again:?}"
    );
    asked.home.pending(&asked.id, token).await;
    assert_eq!(asked.executed(), 1);
    let entries = asked
        .home
        .people
        .audit()
        .page(Default::default())
        .await
        .expect("a healthy journal");
    let approved = entries
        .lines
        .iter()
        .find(|line| line.action == "approve")
        .expect("it was recorded");
    assert_eq!(
        (approved.name.as_str(), approved.detail.as_str()),
        ("ada", "from notification")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_not_notified_here_or_is_not_allowed_is_refused_in_words() {
    let asked = asked("careful", false).await;
    let (ada, token, channel) = (&asked.ada, &asked.token, asked.channel);
    let approve = async |by: &Caller, token: &str, channel: i64| {
        asked
            .answer(by, token, channel, Decision::Approve)
            .await
            .expect_err("it is refused")
    };
    let not_here = "This notification is no longer valid in this browser. Open the conversation.";
    assert_eq!(approve(ada, "0123", channel).await, not_here);
    assert_eq!(approve(ada, token, channel + 1).await, not_here);
    // Another login of the same person, and another person.
    let second = asked.home.log_in("ada").await;
    assert_eq!(approve(&second, token, channel).await, not_here);
    let bob = asked.home.person("bob", Role::Operator).await;
    assert_eq!(approve(&bob, token, channel).await, not_here);
    let off = "Approving from notifications is turned off for this browser. Open the conversation.";
    assert_eq!(approve(ada, token, channel).await, off);
    assert_eq!(asked.executed(), 0);
    // Rejecting is safe.
    let rejected = asked.answer(ada, token, channel, Decision::Reject).await;
    assert_eq!(rejected.as_deref(), Ok("Rejected"));
    let changed = asked.answer(ada, token, channel, Decision::Reject).await;
    assert!(changed.is_ok() || changed.is_err_and(|why| why.contains("changed")));
    assert_eq!(asked.executed(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn risky_actions_are_not_approved_from_a_notification() {
    let asked = asked("risk", true).await;
    let message = asked.phone.messages(&asked.home.service).remove(0);
    let shown = message["notification"].to_string();
    assert!(
        shown.contains("High risk") && !shown.contains("approve\""),
        "{shown}"
    );
    let refused = asked
        .answer(&asked.ada, &asked.token, asked.channel, Decision::Approve)
        .await;
    let why = refused.expect_err("it is risky");
    assert_eq!(
        why,
        "Only low-risk actions can be approved from a notification. Open the conversation."
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_is_too_late_when_somebody_else_was_first() {
    let asked = asked("careful", true).await;
    asked
        .home
        .decide(&asked.id, &asked.token, Decision::Reject)
        .await;
    let late = asked
        .answer(&asked.ada, &asked.token, asked.channel, Decision::Approve)
        .await;
    let why = late.expect_err("it was rejected");
    assert!(why.contains("reject") || why.contains("changed"), "{why}");
    assert_eq!(asked.executed(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_address_for_answers_is_closed_to_other_sites_and_ended_logins() {
    let house = House::new().await;
    let cookie = house.log_in("approver").await;
    let address = format!(
        "http://{}/api/answer_from_notification",
        house.served.process.address
    );
    let body = serde_json::json!({ "conversation": "c", "token": "t", "channel": 1, "decision": "reject" });
    let post = |site: &'static str| {
        let request = house.client.post(&address).header("cookie", &cookie);
        request
            .header("sec-fetch-site", site)
            .header("accept", "application/json")
            .json(&body)
            .send()
    };
    assert_eq!(post("cross-site").await.expect("it serves").status(), 403);
    assert_eq!(post("same-site").await.expect("it serves").status(), 403);
    assert_eq!(
        post("same-origin").await.expect("it serves").status(),
        404,
        "there is no such conversation"
    );
    let left = house
        .client
        .post(format!("http://{}/logout", house.served.process.address));
    let left = left
        .header("cookie", &cookie)
        .header("sec-fetch-site", "same-origin")
        .send()
        .await;
    assert_eq!(left.expect("it serves").status(), 303);
    let ended = post("same-origin").await.expect("it serves");
    assert_eq!(ended.status(), 401);
    let said: serde_json::Value = ended.json().await.expect("JSON");
    assert!(
        said["text"].as_str().is_some_and(|text| !text.is_empty()),
        "{said}"
    );
}
