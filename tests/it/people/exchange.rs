//! Exports and imports of conversations: who may, in both dialects, and what a broken file leaves behind.

use super::house::{House, page};
use crate::process::Served;
use crate::stage::soon;
use handrail::backend::rehearsal::Dialect;
use handrail::people::Role;
use reqwest::multipart::{Form, Part};
use reqwest::{Method, Response, StatusCode, header};
use serde_json::Value;

const FILES: [&str; 3] = ["export.html", "export.md", "trajectory.json"];
const TRAJECTORY: &str =
    r#"[{"id":0,"source":"user","action":"message","args":{"content":"Hello there"}}]"#;

/// Sends a file to the import, like the form of its page if `is_page`.
async fn import(house: &House, cookie: Option<&str>, file: Vec<u8>, is_page: bool) -> Response {
    let address = house.served.process.address;
    let form = Form::new().part("file", Part::bytes(file).file_name("My talk.json"));
    let mut request = house
        .client
        .post(format!("http://{address}/import"))
        .header(header::ORIGIN, format!("http://{address}"));
    request = match is_page {
        true => request.headers(page()),
        false => request.header(header::ACCEPT, "application/json"),
    };
    if let Some(cookie) = cookie {
        request = request.header(header::COOKIE, cookie);
    }
    request.multipart(form).send().await.expect("it answers")
}

async fn imported(house: &House, cookie: &str, file: &str) -> String {
    let made = import(house, Some(cookie), file.into(), false).await;
    assert_eq!(
        made.status(),
        200,
        "{}",
        made.text().await.unwrap_or_default()
    );
    made.json().await.expect("it is an id")
}

async fn listed(house: &House, cookie: &str) -> Vec<Value> {
    let list = house
        .call("list_conversations", cookie, &[("ask[q]", "")])
        .await;
    let list: Value = list.json().await.expect("JSON");
    list["conversations"].as_array().expect("a list").clone()
}

/// Waits until the agent has finished, and returns all events.
async fn finished(house: &House, cookie: &str, id: &str) -> String {
    soon("the agent has finished", async || {
        let all = listed(house, cookie).await;
        let one = all.iter().find(|one| one["id"] == id)?;
        (one["status"] == "finished").then_some(())
    })
    .await;
    // The list may know it before the journal has the last events.
    let path = format!("/c/{id}/trajectory.json?secrets=keep");
    soon("the journal has the end", async || {
        let answer = house.get(&path, Some(cookie)).await;
        let text = answer.text().await.expect("it is whole");
        text.contains("All steps are done.").then_some(text)
    })
    .await
}

async fn whole(house: &House, cookie: &str, id: &str, file: &str) -> String {
    let answer = house.get(&format!("/c/{id}/{file}"), Some(cookie)).await;
    assert_eq!(answer.status(), 200, "{file}");
    answer.text().await.expect("it is whole")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_exported_imported_and_exported_again_is_equal_in_both_dialects() {
    for dialect in [Dialect::OpenHands, Dialect::AgentServer] {
        let house = House::of(Served::start_over(dialect, &[]).await).await;
        let operator = house.log_in("operator").await;
        let id = house
            .create_conversation(&operator, "Many steps [[scenario:long:12]]")
            .await;
        let first = finished(&house, &operator, &id).await;
        let events: Vec<Value> = serde_json::from_str(&first).expect("it is JSON");
        assert!(events.len() > 12, "{} events", events.len());
        let copy = imported(&house, &operator, &first).await;
        let second = whole(&house, &operator, &copy, "trajectory.json?secrets=keep").await;
        assert!(first == second, "{dialect:?}: the second export differs");
        // What was masked once stays as it is.
        let masked = whole(&house, &operator, &copy, "trajectory.json").await;
        let of_masked = imported(&house, &operator, &masked).await;
        let again = whole(&house, &operator, &of_masked, "trajectory.json").await;
        assert!(masked == again, "{dialect:?}: what was masked differs");
        let text = whole(&house, &operator, &copy, "export.md").await;
        let original = whole(&house, &operator, &id, "export.md").await;
        let rows = |text: &str| text.split_once('\n').map(|(_, rows)| rows.to_owned());
        assert_eq!(rows(&text), rows(&original), "{dialect:?}");
        let fields = [("ask[conversation]", copy.as_str()), ("ask[q]", "step")];
        let found = house.call("search_events", &operator, &fields).await;
        let found: Value = found.json().await.expect("JSON");
        assert!(!found["hits"].as_array().expect("hits").is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_role_exports_and_imports_what_it_may_and_nothing_else() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let operator = house.log_in("operator").await;
    let open = imported(&house, &operator, TRAJECTORY).await;
    let hidden = imported(&house, &operator, TRAJECTORY).await;
    let fields = [("id", hidden.as_str()), ("audience", "starter")];
    let shared = house.call("share_conversation", &operator, &fields).await;
    assert_eq!(shared.status(), 200);
    let visitor = house.visit(&owner, &open).await;
    let mut callers = vec![("visitor".to_owned(), None, visitor)];
    for role in Role::ALL {
        let cookie = house.log_in(role.word()).await;
        callers.push((role.word().to_owned(), Some(role), cookie));
    }
    let before = listed(&house, &owner).await.len();
    let mut made = 0;
    for (name, role, cookie) in &callers {
        let reads = !matches!(role, None | Some(Role::Visitor));
        let sees = matches!(role, Some(Role::Operator | Role::Owner));
        let operates = sees;
        for file in FILES.into_iter().chain(["export"]) {
            let answer = house.get(&format!("/c/{open}/{file}"), Some(cookie)).await;
            let wanted = if reads {
                StatusCode::OK
            } else {
                StatusCode::FORBIDDEN
            };
            assert_eq!(answer.status(), wanted, "{name}: {file}");
            let answer = house
                .get(&format!("/c/{hidden}/{file}"), Some(cookie))
                .await;
            let wanted = if sees {
                StatusCode::OK
            } else {
                StatusCode::NOT_FOUND
            };
            assert_eq!(answer.status(), wanted, "{name}: {file} of a hidden one");
        }
        let answer = import(&house, Some(cookie), TRAJECTORY.into(), false).await;
        let wanted = if operates {
            StatusCode::OK
        } else {
            StatusCode::FORBIDDEN
        };
        assert_eq!(answer.status(), wanted, "{name}: import");
        made += usize::from(operates);
        let answer = house.page("/import", cookie).await;
        assert_eq!(answer.status(), wanted, "{name}: the page");
    }
    let refused = import(&house, None, TRAJECTORY.into(), false).await;
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    for file in FILES {
        let refused = house.get(&format!("/c/{open}/{file}"), None).await;
        assert_eq!(refused.status(), StatusCode::UNAUTHORIZED, "{file}");
    }
    assert_eq!(listed(&house, &owner).await.len(), before + made);
    // The importer is the creator, and no agent works there.
    let all = listed(&house, &owner).await;
    let one = all
        .iter()
        .find(|one| one["id"] == *open)
        .expect("it is listed");
    assert_eq!(one["backend"], "Imported");
    assert_eq!(one["title"], "My talk");
    let fields = [("id", open.as_str()), ("text", "Hello"), ("client_id", "a")];
    let refused = house.call("send_message", &operator, &fields).await;
    assert_eq!(refused.status(), StatusCode::CONFLICT);
    let said = refused.text().await.expect("text");
    assert!(said.contains("no agent works in it"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_with_several_trajectories_becomes_as_many_conversations() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let line = |name: &str| {
        let args = format!(r#"{{"content":"Hello {name}"}}"#);
        let said = format!(r#"{{"id":0,"source":"user","action":"message","args":{args}}}"#);
        format!(r#"{{"instance_id":"{name}","history":[{said}]}}"#)
    };
    let file = format!("{}\n{}\n", line("one"), line("two"));
    let made = import(&house, Some(&operator), file.clone().into(), false).await;
    let ids: Vec<String> = made.json().await.expect("a list of ids");
    assert_eq!(ids.len(), 2);
    for (id, name) in ids.iter().zip(["one", "two"]) {
        let text = whole(&house, &operator, id, "export.md").await;
        assert!(text.starts_with(&format!("# {name}\n")), "{text}");
        assert!(text.contains(&format!("Hello {name}")), "{text}");
    }
    let page = import(&house, Some(&operator), file.into(), true).await;
    assert_eq!(page.status(), 303);
    assert_eq!(page.headers()[header::LOCATION], "/");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_or_too_large_file_is_refused_with_a_sentence_and_nothing_is_kept() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let before = listed(&house, &operator).await.len();
    for (file, said) in [
        ("", "Line 1, column 0 (event 1): the file ends too early."),
        (
            "[{\"action\":\"a\"},\n{\"action\":]",
            "Line 2, column 11 (event 2): the file is not valid JSON",
        ),
        (
            "[{\"action\":\"a\"},\n\n5]",
            "Line 3, column 1 (event 2): it is not an object.",
        ),
        ("[]", "The file has no events."),
        ("{\"a\":1}", "The file has no list of events"),
        ("[{\"a\":1}]", "None of the 1 entries"),
        ("<html>", "not valid JSON"),
    ] {
        for is_page in [false, true] {
            let refused = import(&house, Some(&operator), file.into(), is_page).await;
            assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{file:.40}");
            let text = refused.text().await.expect("text");
            assert!(text.contains(said), "{file:.40}: {text}");
        }
    }
    // One byte more than is read.
    let large = vec![b' '; (64 << 20) + (64 << 10) + 1];
    let refused = import(&house, Some(&operator), large, false).await;
    assert_eq!(refused.status(), StatusCode::PAYLOAD_TOO_LARGE);
    // A form without a file, and what is no form.
    let address = house.served.process.address;
    let empty = house
        .client
        .post(format!("http://{address}/import"))
        .header(header::ORIGIN, format!("http://{address}"))
        .header(header::COOKIE, &operator)
        .multipart(Form::new().text("file", "x"));
    let refused = empty.send().await.expect("it answers");
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    let refused = house
        .ask(Method::POST, "/import", Some(&operator), &[("file", "x")])
        .await;
    assert!(refused.status().is_client_error());
    assert_eq!(listed(&house, &operator).await.len(), before);
}
