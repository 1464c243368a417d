//! What becomes of a notification when a service does not take it, and what machines are sent.
//!
//! Long because all cases need the same services.

use super::service::Reply;
use super::{Home, ORIGIN};
use crate::stage::{me, soon};
use handrail::backend::rehearsal::Dialect;
use handrail::journal::AuditFilter;
use handrail::live::{ChannelView, Choices, Scope};
use handrail::people::{Audience, Caller, Role};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::Value;
use sha2::Sha256;
use std::time::Duration;

/// The only channel of a person, once it is so.
async fn channel(
    home: &Home,
    by: &Caller,
    what: &str,
    is_so: impl Fn(&ChannelView) -> bool,
) -> ChannelView {
    soon(what, async || {
        let view = home.notifier.view(by, "").await.expect("a healthy journal");
        view.channels
            .into_iter()
            .next()
            .filter(|channel| is_so(channel))
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_may_succeed_later_is_tried_again() {
    let home = Home::new(Dialect::AgentServer, |options| {
        options.timeout = Duration::from_millis(500)
    })
    .await;
    let ada = home.person("ada", Role::Operator).await;
    let (phone, _) = home.phone(&ada, "phone").await;
    let replies = [
        Reply::Status(429),
        Reply::Status(500),
        Reply::Never,
        Reply::Status(503),
    ];
    home.service.answer("phone", &replies);
    home.create_conversation(&ada, "hello").await;
    let messages = home.messages(&phone, 5).await;
    assert!(
        messages.iter().all(|message| *message == messages[0]),
        "it is one notification"
    );
    let sent = channel(&home, &ada, "it was delivered", |channel| {
        channel.sent_at.is_some()
    })
    .await;
    assert_eq!(
        (sent.retrying, sent.given_up, sent.trouble.as_str()),
        (0, 0, "")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_never_succeeds_is_given_up_and_shown() {
    let home = Home::new(Dialect::AgentServer, |_| ()).await;
    let ada = home.person("ada", Role::Operator).await;
    home.phone(&ada, "phone").await;
    home.service.answer("phone", &[Reply::Status(413)]);
    home.create_conversation(&ada, "hello").await;
    let failed = channel(&home, &ada, "it was given up", |channel| {
        channel.given_up == 1
    })
    .await;
    assert_eq!(
        failed.trouble,
        "127.0.0.1 responded with 413: as the test wants it"
    );
    // So is one that fails again and again.
    home.service.answer("phone", &[Reply::Status(500); 10]);
    home.create_conversation(&ada, "hello").await;
    channel(&home, &ada, "it was given up", |channel| {
        channel.given_up == 2
    })
    .await;
    // Its 10 attempts, and the one before.
    assert_eq!(home.service.arrived("phone").len(), 11);
    let test = home
        .notifier
        .test(&ada, failed.number)
        .await
        .expect("it is accepted");
    assert_eq!(
        test,
        "127.0.0.1 accepted it (201). It should appear within seconds."
    );
    home.service.answer("phone", &[Reply::Status(403)]);
    let refused = home
        .notifier
        .test(&ada, failed.number)
        .await
        .expect_err("it is refused");
    assert_eq!(
        refused.to_string(),
        "127.0.0.1 responded with 403: as the test wants it"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_subscription_that_has_ended_is_forgotten() {
    let home = Home::new(Dialect::AgentServer, |_| ()).await;
    let ada = home.person("ada", Role::Operator).await;
    for status in [404, 410] {
        home.phone(&ada, "phone").await;
        home.service.answer("phone", &[Reply::Status(status)]);
        home.create_conversation(&ada, "hello").await;
        soon("it is forgotten", async || {
            home.numbers(&ada).await.is_empty().then_some(())
        })
        .await;
    }
    assert_eq!(home.service.arrived("phone").len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_gets_every_occasion_signed_and_numbered() {
    let home = Home::new(Dialect::AgentServer, |_| ()).await;
    let (address, name) = (format!("{}/hook/ci", home.service.origin()), "ci");
    let key = home
        .notifier
        .add_webhook(me(), &address, ORIGIN)
        .await
        .expect("the local user is an owner");
    let number = home.numbers(me()).await[0];
    let all = Choices {
        scope: Scope::All,
        ..Choices::default()
    };
    home.notifier
        .choose(me(), number, all)
        .await
        .expect("it is theirs");
    home.service.answer(name, &[Reply::Status(500)]);
    let id = home.create_conversation(me(), "confirm").await;
    let token = home.pending(&id, "").await;
    let arrived = async |count: usize| {
        soon("they have arrived", async || {
            let arrived = home.service.arrived(name);
            (arrived.len() >= count).then_some(arrived)
        })
        .await
    };
    let repeated = arrived(2).await;
    assert_eq!(
        repeated[0].body, repeated[1].body,
        "at least once, and the number tells"
    );
    home.decide(&id, &token, handrail::live::Decision::Approve)
        .await;
    let all = arrived(3).await;
    let mut seen = Vec::new();
    for one in &all {
        let header = |name: &str| one.headers[name].to_str().expect("ASCII");
        let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("any key");
        mac.update(header("handrail-timestamp").as_bytes());
        mac.update(b".");
        mac.update(&one.body);
        let signature: String = mac
            .finalize()
            .into_bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(header("handrail-signature"), format!("sha256={signature}"));
        let body: Value = serde_json::from_slice(&one.body).expect("JSON");
        assert_eq!(header("handrail-seq"), body["seq"].to_string());
        assert_eq!(body["conversation"]["url"], format!("{ORIGIN}c/{id}"));
        seen.push((body["seq"].as_i64(), body["occasion"].clone()));
    }
    assert_eq!(seen[0], (Some(1), "needs_approval".into()));
    assert_eq!(seen[2], (Some(2), "approval_settled".into()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_tried_again_is_not_told_to_somebody_who_has_lost_the_right_meanwhile() {
    let home = Home::new(Dialect::AgentServer, |options| {
        options.pause = Duration::from_secs(1)
    })
    .await;
    let ada = home.person("ada", Role::Operator).await;
    let bob = home.person("bob", Role::Operator).await;
    home.phone(&bob, "phone").await;
    home.service.answer("phone", &[Reply::Status(500)]);
    let id = home.create_conversation(&ada, "confirm").await;
    soon("an attempt has failed", async || {
        (home.service.arrived("phone").len() == 1).then_some(())
    })
    .await;
    let private = home.hub.commands.share(&ada, &id, Audience::Creator).await;
    private.expect("it is hers");
    let given_up = channel(&home, &bob, "it was given up", |channel| {
        channel.given_up == 1
    })
    .await;
    assert_eq!(given_up.trouble, "You can no longer see the conversation.");
    assert_eq!(home.service.arrived("phone").len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_of_a_person_who_is_no_owner_any_more_is_silent_and_unknown_to_the_audit() {
    let home = Home::new(Dialect::AgentServer, |options| {
        options.pause = Duration::from_secs(1)
    })
    .await;
    home.person("eve", Role::Owner).await;
    let ada = home.person("ada", Role::Owner).await;
    let address = format!("{}/hook/ci", home.service.origin());
    let added = home.notifier.add_webhook(&ada, &address, ORIGIN).await;
    added.expect("she is an owner");
    let number = home.numbers(&ada).await[0];
    let all = Choices {
        scope: Scope::All,
        ..Choices::default()
    };
    let chosen = home.notifier.choose(&ada, number, all).await;
    chosen.expect("it is hers");
    home.service.answer("ci", &[Reply::Status(500)]);
    home.create_conversation(me(), "confirm").await;
    soon("an attempt has failed", async || {
        (home.service.arrived("ci").len() == 1).then_some(())
    })
    .await;
    let demoted = home.people.set_role(me(), "ada", Role::Viewer).await;
    demoted.expect("she has an account");
    let ada = home.log_in("ada").await;
    let given_up = channel(&home, &ada, "it was given up", |channel| {
        channel.given_up == 1
    })
    .await;
    assert!(given_up.trouble.contains("not owners"), "{given_up:?}");
    home.create_conversation(me(), "hello").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(home.service.arrived("ci").len(), 1);
    // Whoever reads the audit log does not learn where to write.
    let log = home.journal.audit(AuditFilter::default(), 1_000).await;
    let log = log.expect("healthy");
    let added = log
        .iter()
        .find(|one| one.entry.action == "add notifications");
    let detail = added.map(|one| one.entry.detail.as_str());
    assert_eq!(detail, Some("webhook, 127.0.0.1"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_ntfy_topic_gets_a_message_with_a_link() {
    let home = Home::new(Dialect::AgentServer, |_| ()).await;
    let topic = format!("{}/my-topic", home.service.origin());
    home.notifier
        .add_ntfy(me(), (&topic, "tk_secret"), ORIGIN)
        .await
        .expect("an allowed server");
    let id = home.create_conversation(me(), "confirm").await;
    let arrived = soon("it has arrived", async || {
        home.service.arrived("ntfy").into_iter().next()
    })
    .await;
    assert_eq!(arrived.headers["authorization"], "Bearer tk_secret");
    let message: Value = serde_json::from_slice(&arrived.body).expect("JSON");
    assert_eq!(message["topic"], "my-topic");
    assert_eq!(message["priority"], 4);
    assert_eq!(message["click"], format!("{ORIGIN}c/{id}"));
    assert!(!message.to_string().contains("confirm me"), "{message}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_sent_to_a_server_that_is_not_allowed() {
    let home = Home::new(Dialect::AgentServer, |_| ()).await;
    let ada = home.person("ada", Role::Operator).await;
    for address in [
        "https://evil.example/topic",
        "http://127.0.0.1:1/topic",
        "http://169.254.169.254/topic",
    ] {
        let refused = home.notifier.add_ntfy(&ada, (address, ""), ORIGIN).await;
        let why = refused.expect_err("it is not known").to_string();
        assert!(why.starts_with("Handrail does not send to "), "{why}");
    }
    for topic in ["", "a/", "a?b=c", "%2e%2e", "a b"] {
        let address = format!("{}/{topic}", home.service.origin());
        assert!(
            home.notifier
                .add_ntfy(&ada, (&address, ""), ORIGIN)
                .await
                .is_err(),
            "{topic:?}"
        );
    }
    let webhook = home
        .notifier
        .add_webhook(&ada, "https://example.org/", ORIGIN)
        .await;
    assert_eq!(
        webhook.expect_err("she is no owner").to_string(),
        "Only owners can add webhooks."
    );
    let webhook = home
        .notifier
        .add_webhook(me(), "http://169.254.169.254/latest", ORIGIN)
        .await;
    assert!(webhook.is_err(), "it is a metadata service");
}
