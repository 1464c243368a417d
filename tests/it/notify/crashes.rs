//! A crash loses no notification, and shows none twice.

use super::Home;
use super::service::Reply;
use crate::process::{Process, call, command, create, question};
use crate::stage::{quick, soon};
use handrail::api::{ListConversations, SubscribePush};
use handrail::backend::rehearsal::{Dialect, Options as Backend, Rehearsal};
use handrail::people::{Credential, Role};
use serde_json::json;
use std::time::Duration;
use tempfile::TempDir;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_not_told_yet_is_told_after_the_restart() {
    // It never lasts long enough.
    let home = Home::new(Dialect::AgentServer, |options| {
        options.wait = Duration::from_secs(3_600)
    })
    .await;
    let ada = home.person("ada", Role::Operator).await;
    let (phone, _) = home.phone(&ada, "phone").await;
    let id = home.create_conversation(&ada, "confirm").await;
    let token = home.pending(&id, "").await;
    let home = home
        .restarted(|options| options.wait = Duration::from_millis(50))
        .await;
    let message = home.messages(&phone, 1).await.remove(0);
    assert_eq!(message["notification"]["data"]["token"], token);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_being_sent_is_sent_again_and_replaces_itself() {
    let home = Home::new(Dialect::AgentServer, |_| ()).await;
    let ada = home.person("ada", Role::Operator).await;
    let (phone, channel) = home.phone(&ada, "phone").await;
    home.service.answer("phone", &[Reply::Never]);
    let id = home.create_conversation(&ada, "confirm").await;
    home.messages(&phone, 1).await;
    // The push service may have taken it, and nobody knows.
    let home = home.restarted(|_| ()).await;
    let messages = home.messages(&phone, 2).await;
    assert_eq!(messages[0], messages[1]);
    let arrived = home.service.arrived("phone");
    assert_eq!(arrived[0].headers["topic"], arrived[1].headers["topic"]);
    // What was sent, and is stored as sent, is not sent once more.
    let Credential::Login(login) = ada.credential else {
        panic!("she has logged in");
    };
    let token = messages[0]["notification"]["data"]["token"].as_str();
    let token = token.expect("it is of an approval");
    let is_stored = async || {
        let place = (ada.person, Some(login), channel);
        let sent = home.journal.sent_notice(place, &id, token).await;
        sent.expect("a healthy journal")
    };
    soon("the journal says that it was sent", is_stored).await;
    let home = home.restarted(|_| ()).await;
    let witness = home.person("witness", Role::Owner).await;
    let (witness, _) = home.phone(&witness, "witness").await;
    home.create_conversation(&ada, "hello").await;
    home.messages(&witness, 1).await;
    let first = messages[0]["notification"]["tag"].clone();
    let again = phone.messages(&home.service);
    let again = again
        .iter()
        .filter(|message| message["notification"]["tag"] == first)
        .count();
    assert_eq!(again, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_approval_that_was_answered_during_a_crash_is_settled_after_it() {
    let home = Home::new(Dialect::AgentServer, |_| ()).await;
    let ada = home.person("ada", Role::Operator).await;
    let (phone, _) = home.phone(&ada, "phone").await;
    let id = home.create_conversation(&ada, "careful").await;
    let token = home.pending(&id, "").await;
    home.messages(&phone, 1).await;
    let home = home
        .restarted(|options| options.wait = Duration::from_secs(3_600))
        .await;
    home.pending(&id, "").await;
    home.decide(&id, &token, handrail::live::Decision::Reject)
        .await;
    // What was being sent while the process ended may have been sent again.
    let mut sent = home.messages(&phone, 2).await;
    if sent[1]["notification"]["body"] == sent[0]["notification"]["body"] {
        sent = home.messages(&phone, 3).await;
    }
    let settled = sent.last().expect("there are two");
    assert_eq!(settled["notification"]["body"], "No longer needs approval");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_loses_none_and_doubles_none() {
    let service = super::Service::start().await;
    let phone = super::Phone::at(&service, "phone");
    let backend = Backend {
        dialect: Dialect::AgentServer,
        ..quick()
    };
    let rehearsal = Rehearsal::start(backend).await.expect("a free port");
    let folder = TempDir::new().expect("a temporary folder");
    let (backend, host) = (format!("http://{}", rehearsal.addr()), service.origin());
    let start = async || {
        let options = ["--trust-local", "--backend", &backend, "--push-host", &host];
        Process::of(command(folder.path(), &options)).await
    };
    let process = start().await;
    let subscription =
        json!({ "endpoint": phone.endpoint, "p256dh": phone.p256dh(), "auth": phone.auth() });
    let subscribed = question::<SubscribePush>(process.address)
        .json(&subscription)
        .send();
    assert_eq!(subscribed.await.expect("it serves").status(), 200);
    let first = create(process.address, "[[scenario:confirm]]").await;
    // Before the 8 seconds are over that an approval must last.
    soon("the approval is pending", async || {
        let list = call::<ListConversations>(process.address, &[("ask[q]", "")]).await;
        let list = list.expect("it serves");
        list["conversations"]
            .as_array()?
            .iter()
            .any(|one| one["waiting"] == 1)
            .then_some(())
    })
    .await;
    process.kill();
    let process = start().await;
    let arrived = soon("it has arrived", async || {
        phone.messages(&service).into_iter().next()
    })
    .await;
    assert_eq!(arrived["notification"]["tag"], first);
    process.kill();
    let process = start().await;
    let second = create(process.address, "[[scenario:hello]]").await;
    let mut messages = soon("the second has arrived", async || {
        let messages = phone.messages(&service);
        let is_second = |one: &serde_json::Value| one["notification"]["tag"] == second;
        messages.iter().any(is_second).then_some(messages)
    })
    .await;
    messages.retain(|one| one["notification"]["tag"] == first);
    // If the process ended before the answer was stored, it was sent once more, and replaced itself.
    assert!(messages.len() <= 2, "{messages:?}");
    messages.dedup();
    assert_eq!(messages.len(), 1, "{messages:?}");
}
