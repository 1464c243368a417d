//! Evidence of a conversation: who gets how much of it, and that the program checks it with the file alone.

use super::{answer, get, pending, said, token};
use crate::people::house::House;
use crate::stage::soon;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Checks a file in an empty folder, without anything else.
fn verify(text: &str) -> Output {
    let folder = TempDir::new().expect("a temporary folder");
    let file = folder.path().join("evidence");
    std::fs::write(&file, text).expect("it is written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_handrail"));
    command.args(["audit", "verify"]).arg(Path::new("evidence"));
    let output = command.current_dir(folder.path()).env_clear().output();
    let left = std::fs::read_dir(folder.path())
        .expect("it is there")
        .count();
    assert_eq!(left, 1, "it made nothing");
    output.expect("it is built")
}

/// How many of how many a check says that it has checked of these. The agent asks for more meanwhile.
pub fn counted(words: &str, what: &str) -> (usize, usize) {
    let line = words
        .lines()
        .find(|line| line.contains(&format!(" {what}: ")));
    let line = line.unwrap_or_else(|| panic!("{what}: {words}"));
    let numbers = line.split(' ').filter_map(|word| word.parse().ok());
    let [checked, all] = numbers.collect::<Vec<usize>>()[..] else {
        panic!("{line}")
    };
    (checked, all)
}

/// Checks a file that nobody has changed, with its entries or without what only owners get of them; what was said.
fn good(text: &str, is_whole: bool) -> String {
    let output = verify(text);
    assert!(output.status.success(), "{output:?}");
    let words = String::from_utf8(output.stdout).expect("UTF-8");
    let (approvals, all_approvals) = counted(&words, "approvals");
    assert!(approvals > 0 && approvals == all_approvals, "{words}");
    let (entries, all_entries) = counted(&words, "audit entries");
    assert!(all_entries >= 2, "{words}");
    assert_eq!(entries, if is_whole { all_entries } else { 0 }, "{words}");
    assert!(
        words.contains("Not proven:") && words.contains("no signature"),
        "{words}"
    );
    words
}

/// Checks a file that was changed; what was said.
fn bad(text: &str) -> String {
    let output = verify(text);
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn evidence_is_checked_offline_and_tells_nobody_more_than_pages_do() {
    let house = House::new().await;
    let (owner, viewer) = (house.log_in("owner").await, house.log_in("viewer").await);
    let id = house
        .create_conversation(&owner, "[[scenario:confirm]] evident")
        .await;
    let all = token(&house, &owner, "read send approve admin").await;
    let approval = pending(&house, &all, &id).await;
    // Entries about something else stand between those of this conversation.
    let other = house
        .create_conversation(&owner, "[[scenario:hello]] a very private matter")
        .await;
    let body = json!({ "token": approval["token"] });
    assert_eq!(
        answer(&house, &all, &id, "approve", &body).await.status(),
        200
    );
    let path = format!("conversations/{id}/evidence");
    let evidence: Value = soon("what ran is there", async || {
        let evidence = said(get(&house, &path, &all).await, 200).await;
        let ran = &evidence["approvals"][0]["unchecked"]["ran"];
        (ran.as_array().is_some_and(|ran| !ran.is_empty())).then_some(evidence)
    })
    .await;
    let first = &evidence["approvals"][0];
    assert_eq!(first["token"], approval["token"]);
    assert_eq!(first["shown"]["text"], approval["shown"]);
    assert_eq!(first["answer"]["by"], "owner");
    let text = get(&house, &path, &all).await.text().await.expect("text");
    assert!(
        !text.contains(&other) && !text.contains("private matter"),
        "{text}"
    );
    let entries = evidence["entries"].as_array().expect("a list");
    assert!(entries.len() >= 3, "{evidence:#}");
    let words = good(&text, true);
    let last = entries.last().expect("there are some")["whole"]["hash"].as_str();
    assert!(words.contains(last.expect("a hash")), "{words}");
    let page = get(&house, &format!("{path}?format=html"), &all).await;
    let page = page.text().await.expect("text");
    let words = good(&page, true);
    assert!(words.contains("the page, byte for byte"), "{words}");
    // One word of the page that is read, and nothing of its JSON.
    let changed = page.replacen("by owner", "by viewer", 1);
    assert_ne!(changed, page);
    let words = bad(&changed);
    assert!(
        words.contains("byte ") && words.contains("the page is not the one"),
        "{words}"
    );

    // A changed command, and a changed name.
    let mut other_text = evidence.clone();
    let shown = approval["shown"].as_str().expect("a text");
    other_text["approvals"][0]["shown"]["text"] = json!(format!("{shown} "));
    let changed = other_text.to_string();
    let words = bad(&changed);
    assert!(
        words.contains("byte ") && words.contains("shown"),
        "{words}"
    );
    let changed = text.replacen("\"name\": \"owner\"", "\"name\": \"0wner\"", 1);
    let words = bad(&changed);
    assert!(words.contains("entry "), "{words}");

    // Others get the answers, without addresses; and of what they may not see, nothing.
    let reading = token(&house, &viewer, "read").await;
    let text = get(&house, &path, &reading)
        .await
        .text()
        .await
        .expect("text");
    assert!(!text.contains("127.0.0.1"), "{text}");
    let less: Value = serde_json::from_str(&text).expect("JSON");
    // An answer that came too soon is an entry, too.
    let entries = less["entries"].as_array().expect("a list");
    let are_answers = entries.iter().all(|entry| entry["action"] == "approve");
    assert!(entries.len() >= 2 && are_answers, "{less:#}");
    good(&text, false);
    let fields = [("id", id.as_str()), ("audience", "starter")];
    let shared = house.call("share_conversation", &owner, &fields).await;
    assert_eq!(shared.status(), 200);
    said(get(&house, &path, &reading).await, 404).await;

    // The page offers it.
    let page = house.page(&format!("/c/{id}/export"), &owner).await;
    let page = page.text().await.expect("text");
    assert!(page.contains(&format!("/c/{id}/evidence.html")), "{page}");
    let file = house
        .get(&format!("/c/{id}/evidence.html"), Some(&owner))
        .await;
    assert!(
        file.headers()["content-disposition"]
            .to_str()
            .expect("ASCII")
            .contains("evidence.html")
    );
    good(&file.text().await.expect("text"), true);
}
