//! What only an agent-server 1.x has: tags, the changes of a commit, and a policy for one conversation.

use super::backend::Staged;
use super::handrail::{Handrail, OF_1X};
use super::part::{button, css};
use super::visitor::Visitor;
use handrail::backend::rehearsal::Dialect;
use serde_json::json;

async fn start() -> (Handrail, Visitor) {
    let handrail = Handrail::start_with(&OF_1X).await;
    let visitor = handrail.visitor();
    (handrail, visitor)
}

#[tokio::test]
async fn a_conversation_is_tagged_and_found_by_its_tags() {
    let (_handrail, mut visitor) = start().await;
    visitor.allow(400);
    visitor
        .create_conversation("Say hello [[scenario:hello]]")
        .await;
    visitor.see_status("finished").await;
    visitor.panel("Info").await;
    let refused = "“Two words” is not a valid tag";
    visitor.fill("Tags, one per line", "Two words");
    visitor.press("Save tags").await;
    visitor.shows(refused);
    visitor.fill("Tags, one per line", "urgent\nteam=infra");
    visitor.press("Save tags").await;
    visitor.lacks(refused);
    visitor.reload().await;
    assert_eq!(visitor.value("Tags, one per line"), "team=infra\nurgent");
    visitor.open("/").await;
    let row = css(".conversation-row");
    visitor.shows(row.clone().first().containing("team=infra · urgent"));
    for (words, count) in [("INFRA", 1), ("no such", 0)] {
        visitor.fill("Search conversations", words);
        visitor
            .press(css(".conversation-list [role=search]").button("Search"))
            .await;
        assert_eq!(visitor.count(&row), count, "{words}");
    }
}

#[tokio::test]
async fn the_changes_of_a_commit_are_shown_beside_the_uncommitted_ones() {
    let (_handrail, mut visitor) = start().await;
    visitor
        .create_conversation("Work on it [[scenario:parallel]]")
        .await;
    visitor.approve("").await;
    visitor.see_status("finished").await;
    visitor.panel("Changes").await;
    let panel = css(".panel");
    let files = css(".panel .review__file summary");
    visitor.see(&files).await;
    let open = visitor.texts(&files);
    visitor.unfold(
        panel
            .clone()
            .css("summary")
            .containing("Uncommitted changes"),
    );
    visitor
        .follow(
            panel
                .clone()
                .css("a")
                .containing("5f0c1d3")
                .containing("Tally words"),
        )
        .await;
    assert!(
        visitor.path().contains("commit=5f0c1d3"),
        "{}",
        visitor.path()
    );
    visitor
        .see(css(".review summary").containing("README.md"))
        .await;
    let tally = css(".review__file").containing("tally.py");
    visitor
        .see(tally.css(".block-diff").containing("def "))
        .await;
    visitor.unfold(panel.clone().css("summary").containing("Tally words"));
    visitor
        .follow(panel.css("a").containing("Uncommitted changes"))
        .await;
    assert!(!visitor.path().contains("commit="), "{}", visitor.path());
    visitor.see(&files).await;
    assert_eq!(visitor.texts(files), open);
}

#[tokio::test]
async fn the_approval_policy_is_set_for_one_conversation() {
    let (_handrail, mut visitor) = start().await;
    visitor
        .create_conversation("Say hello [[scenario:hello]]")
        .await;
    visitor.see_status("finished").await;
    visitor.panel("Info").await;
    let policy = css(".panel").field("Require approval for");
    visitor.choose(&policy, "Every action");
    visitor.press(css(".panel").button("Save")).await;
    let is_set = |visitor: &Visitor| visitor.value(&policy) == "always";
    visitor.reload_until("the policy is set", is_set).await;
    visitor.panel("Timeline").await;
    visitor.say("And now work [[scenario:tools]]").await;
    visitor.see(button("Approve")).await;
}

#[tokio::test]
async fn a_program_of_acp_is_said_to_ask_nobody() {
    let staged = Staged::start_over(Dialect::AgentServer).await;
    let program = json!({ "agent_kind": "acp", "acp_server": "claude-code" });
    let change = json!({ "agent_settings_diff": program });
    let url = format!("http://{}/api/settings", staged.rehearsal.addr());
    let changed = reqwest::Client::new().patch(url).json(&change).send().await;
    assert!(changed.expect("it answers").status().is_success());
    let said = || css("p, .banner").containing("asks nobody");
    let mut visitor = staged.visitor();
    visitor.allow(400);
    visitor.open("/settings").await;
    visitor.shows(said());
    for field in ["Risk analyzer", "API key", "Base URL"] {
        visitor.lacks(css("form").field(field));
    }
    visitor.fill("Model", "sonnet");
    visitor.fill("Max steps", "40");
    visitor.press("Save settings").await;
    visitor.open("/settings").await;
    assert_eq!(visitor.value("Model"), "sonnet");
    assert_eq!(visitor.value("Max steps"), "40");
    visitor.open("/new").await;
    visitor.shows(said());
    visitor.create_conversation("Work [[scenario:tools]]").await;
    visitor.see_status("finished").await;
    visitor.panel("Info").await;
    visitor.shows(css(".panel").containing("asks nobody"));
    for offered in ["Require approval for", "Question"] {
        visitor.lacks(css(".panel").field(offered));
    }
    let page = visitor.path().replace("panel=info", "panel=model");
    visitor.open(&page).await;
    visitor.shows(css(".panel").containing("program of its own"));
}
