//! Approvals that need a touch of a passkey, over HTTP: each way to approve is refused without one, and one is good once.
//!
//! The dialect of the backend does not matter: what is answered is Handrail's own. Passkeys need a name, so the browsers use
//! `localhost`, and an authenticator in software.

use super::authenticator::Authenticator;
use super::house::{House, page, path_of};
use super::second_factor::Browser;
use crate::api::{answer, pending, said, token};
use crate::backup::printed;
use handrail::people::Proof;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use std::time::Duration;

/// What a page sends after its browser was asked to touch.
async fn touch(
    browser: &mut Browser<'_>,
    key: &mut Authenticator,
    about: &[(&str, &str)],
) -> String {
    let asked = browser.call("begin_touch", about).await;
    assert_eq!(asked.status(), 200);
    let asked: String = asked.json().await.expect("a text");
    let sealed = serde_json::from_str::<Value>(&asked).expect("JSON")["asked"].take();
    let answer: Value = serde_json::from_str(&key.get(&browser.origin(), &asked)).expect("JSON");
    json!({ "asked": sealed, "answer": answer }).to_string()
}

/// Answers once what waits was shown for long enough.
async fn send(browser: &mut Browser<'_>, name: &str, form: &[(&str, &str)]) -> Response {
    for _ in 0..50 {
        let response = browser.call(name, form).await;
        if response.status() != 409 {
            return response;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{name}: it is always too soon");
}

/// The sentence of an error.
async fn told(response: Response, status: u16) -> String {
    let given = response.status();
    let text = response.text().await.expect("a text");
    assert_eq!(given.as_u16(), status, "{text}");
    let error: Value = serde_json::from_str(&text).expect("JSON");
    error["text"].as_str().expect("a sentence").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_touch_no_way_approves_and_one_is_good_once() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let saved = house
        .call("save_touches", &owner, &[("reach", "all")])
        .await;
    assert_eq!(saved.status(), 200);
    let mut olga = Browser::logged_in(&house, "operator").await;
    let mut key = Authenticator::new();
    let without: Value = olga
        .call("read_can_touch", &[])
        .await
        .json()
        .await
        .expect("JSON");
    assert_eq!(without, json!("NoPasskey"));
    olga.register(&mut key).await;
    let cookie = olga.cookie();
    let all = token(&house, &cookie, "read send approve").await;
    let id = house
        .create_conversation(&cookie, "[[scenario:confirm]] twice")
        .await;
    let approval = pending(&house, &all, &id).await;
    let waits = approval["token"].as_str().expect("a token").to_owned();
    let about = [("id", id.as_str()), ("token", waits.as_str())];

    // A program, a page's function, and a plain form of a browser without a script.
    let body = json!({ "token": waits });
    let refused = said(answer(&house, &all, &id, "approve", &body).await, 403).await;
    assert_eq!(refused["code"], "passkey_required", "{refused}");
    let form = [about[0], about[1], ("decision", "approve")];
    let why = told(send(&mut olga, "answer_confirmation", &form).await, 403).await;
    assert!(why.contains("needs a touch of your own passkey"), "{why}");
    let plain = house.request(
        Method::POST,
        &path_of("answer_confirmation"),
        Some(&cookie),
        &form,
    );
    let plain = olga.send(plain.headers(page())).await;
    assert!(plain.status().is_redirection(), "{}", plain.status());
    let shown = olga.read(&format!("/c/{id}")).await;
    for text in [
        "Approve with passkey",
        "needs a browser with JavaScript",
        "needs one of your passkeys",
    ] {
        assert!(shown.contains(text), "{text}");
    }
    let amends = [about[0], about[1], ("text", "echo other")];
    let why = told(send(&mut olga, "amend_action", &amends).await, 403).await;
    assert!(why.contains("needs a touch"), "{why}");

    // A touch for something else, of somebody else, or without the browser's answer.
    let amending = touch(&mut olga, &mut key, &amends).await;
    let form = |touch: &str| {
        let form = [
            about[0],
            about[1],
            ("decision", "approve"),
            ("touch", touch),
        ];
        form.map(|(name, value)| (name.to_owned(), value.to_owned()))
    };
    async fn approve(browser: &mut Browser<'_>, form: &[(String, String)]) -> Response {
        let form = form
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let form: Vec<(&str, &str)> = form.collect();
        send(browser, "answer_confirmation", &form).await
    }
    for wrong in [amending.as_str(), "{}", "x"] {
        let why = told(approve(&mut olga, &form(wrong)).await, 400).await;
        assert!(why.starts_with("Nothing was sent"), "{why}");
    }
    let good = touch(&mut olga, &mut key, &about).await;
    let mut other = Browser::logged_in(&house, "approver").await;
    let share = [("id", id.as_str()), ("audience", "all")];
    house.call("share_conversation", &cookie, &share).await;
    other.register(&mut Authenticator::new()).await;
    let why = told(approve(&mut other, &form(&good)).await, 400).await;
    assert!(why.contains("for something else"), "{why}");
    // At the bare address there are no passkeys.
    let why = house.call("begin_touch", &cookie, &about).await;
    let why = told(why, 400).await;
    assert!(why.contains("HTTPS and a host name"), "{why}");
    let still = pending(&house, &all, &id).await;
    assert_eq!(still["token"], json!(waits), "nothing was sent");

    let done = approve(&mut olga, &form(&good)).await;
    assert_eq!(
        done.status(),
        200,
        "{}",
        done.text().await.unwrap_or_default()
    );
    let again = approve(&mut olga, &form(&good)).await;
    assert_eq!(again.status(), 200, "the same answer is harmless");

    // Whoever has the log can check it.
    let entries = printed(house.served.folder.path(), &["audit", "export"]).await;
    let entries = entries
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let entries: Vec<Value> = entries
        .filter(|one| one["action"] == "approve with passkey" && one["outcome"] == "begun")
        .collect();
    let signed = entries.iter().filter(|one| one["detail"] != "");
    let signed: Vec<&Value> = signed.collect();
    assert_eq!(signed.len(), 1, "{entries:?}");
    assert_eq!(
        (&signed[0]["digest"], &signed[0]["name"]),
        (&json!(waits), &json!("operator"))
    );
    let proof: Proof =
        serde_json::from_str(signed[0]["detail"].as_str().expect("a text")).expect("JSON");
    let person = signed[0]["person"].as_i64().expect("a number");
    proof
        .check(person, &waits)
        .expect("it is hers, and for this");
    assert!(proof.check(person + 1, &waits).is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_asked_for_instead_and_a_rejection() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let saved = house
        .call("save_touches", &owner, &[("reach", "all")])
        .await;
    assert_eq!(saved.status(), 200);
    let mut olga = Browser::logged_in(&house, "operator").await;
    let mut key = Authenticator::new();
    olga.register(&mut key).await;
    let cookie = olga.cookie();
    let all = token(&house, &cookie, "read send approve").await;
    for amends in [true, false] {
        let id = house
            .create_conversation(&cookie, "[[scenario:confirm]] again")
            .await;
        let approval = pending(&house, &all, &id).await;
        let waits = approval["token"].as_str().expect("a token");
        let about = [("id", id.as_str()), ("token", waits)];
        // A touch is used up by an answer that comes too soon.
        tokio::time::sleep(Duration::from_secs(1)).await;
        if amends {
            let text = ("text", "echo 'me, instead'");
            let touch = touch(&mut olga, &mut key, &[about[0], about[1], text]).await;
            let other = [
                about[0],
                about[1],
                ("text", "echo other"),
                ("touch", touch.as_str()),
            ];
            let why = told(send(&mut olga, "amend_action", &other).await, 400).await;
            assert!(why.contains("for something else"), "{why}");
            let form = [about[0], about[1], text, ("touch", touch.as_str())];
            let done = send(&mut olga, "amend_action", &form).await;
            let status = done.status();
            assert_eq!(status, 200, "{}", done.text().await.expect("a text"));
        } else {
            let form = [about[0], about[1], ("decision", "reject")];
            assert_eq!(
                send(&mut olga, "answer_confirmation", &form).await.status(),
                200
            );
        }
    }
}
