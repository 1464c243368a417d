//! Reading a conversation: folded runs, sub-agents, earlier rows, long outputs, and the model's view.

use super::part::{Part, button, css};
use super::tasks::{approval, row, step};
use super::visitor::Visitor;

#[tokio::test]
async fn a_run_of_reads_and_thoughts_is_folded_into_one_line() {
    let (mut visitor, _) = Visitor::saying("Read along [[scenario:reads]]").await;
    visitor.see_status("finished").await;
    let fold = css(".timeline details.fold");
    visitor.see(&fold).await;
    assert_eq!(visitor.count(&fold), 1);
    assert_eq!(visitor.count(fold.clone().css(".row")), 0);
    visitor.shows(step("wc -l notes.md"));
    visitor.unfold(fold.clone().css("summary"));
    assert_eq!(visitor.count(fold.css(".row")), 6);
}

#[tokio::test]
async fn the_steps_of_a_sub_agent_are_nested_and_its_end_does_not_finish_the_conversation() {
    let (mut visitor, _) = Visitor::saying("Get help [[scenario:delegate]]").await;
    visitor.see_status("finished").await;
    visitor.see(row("The browsing agent helped me.")).await;
    let ends = css(".timeline .row:has(> [data-kind=finish])");
    assert_eq!(visitor.count(&ends), 2);
    let is_nested = |part: Part| {
        visitor
            .attribute(part, "class")
            .unwrap_or_default()
            .contains("nested")
    };
    assert!(is_nested(ends.clone().first()));
    assert!(!is_nested(ends.last()));
    assert!(!is_nested(
        css(".timeline .row").with(step_subject("echo the parent goes on"))
    ));
}

fn step_subject(subject: &str) -> Part {
    css(".step__subject").saying(subject)
}

#[tokio::test]
async fn there_is_no_button_to_copy_code() {
    let (mut visitor, _) = Visitor::saying("Read along [[scenario:reads]]").await;
    visitor.see_status("finished").await;
    visitor.see(css(".timeline .code-box")).await;
    visitor.lacks(css(".timeline .code-copy"));
    visitor.lacks(button("Copy"));
}

#[tokio::test]
async fn earlier_rows_are_read_and_what_was_found_leads_to_its_place() {
    let (mut visitor, id) = Visitor::saying("Many steps [[scenario:long:60]]").await;
    visitor.see_status("finished").await;
    // The list may know the end before the conversation has its last rows.
    visitor.see(row("echo step 59")).await;
    visitor.lacks(row("Many steps"));
    let mut pages = 0;
    while !visitor.has(row("Many steps")) {
        visitor.follow("Older").await;
        pages += 1;
    }
    assert!(pages > 0);
    visitor.open(&format!("/c/{id}")).await;
    visitor.unfold_actions();
    visitor.follow("Search this conversation").await;
    visitor.fill("Search this conversation", "echo step 19");
    visitor
        .press(css("main [role=search]").button("Search"))
        .await;
    visitor.follow(css(".result__link").first()).await;
    visitor.shows(step("echo step 19"));
}

#[tokio::test]
async fn steps_outputs_pictures_the_plan_and_the_cost_are_read() {
    let (mut visitor, _) = Visitor::saying("Please repair this small project").await;
    visitor.see(approval("rm -rf build")).await;

    visitor.panel("Terminal").await;
    visitor
        .follow(css(".panel .console__command").saying("python tally.py"))
        .await;
    assert!(visitor.target().contains("python tally.py"));
    let head = step("python tally.py")
        .css(".step__subject")
        .saying("python tally.py");
    let body = step("python tally.py").css(".block-terminal");
    visitor.shows(head);
    visitor.shows(body);

    visitor.panel("Files").await;
    visitor.follow(css(".panel").link("tally.py")).await;
    visitor.see(css(".files__view .line")).await;
    visitor.shows(css(".files__view").link("Download this file"));

    visitor.panel("Changes").await;
    visitor.see(css(".panel .block-diff").first()).await;

    visitor.panel("Browser").await;
    visitor.follow(css(".filmstrip__frame").first()).await;
    visitor.shows(css(".panel .block-image img"));

    visitor.panel("Tasks").await;
    assert_eq!(visitor.count(css(".panel .task[data-status=done]")), 2);

    visitor.panel("Info").await;
    let info = visitor.text(css(".panel"));
    assert!(info.contains("Cost and tokens"), "{info}");
    let amount = info.split('$').nth(1).expect("there is a cost");
    assert!(
        amount.starts_with(|first: char| first.is_ascii_digit()),
        "{info}"
    );
}

#[tokio::test]
async fn an_output_is_read_to_its_end() {
    let (mut visitor, _) = Visitor::saying("Please repair this small project").await;
    visitor.see(approval("rm -rf build")).await;
    let step = step("ls -la && git log --oneline");
    // All of it is in the page; the style sheet shows a few lines of it until the rest is opened.
    visitor.shows(
        step.clone()
            .css(".block__rest + .block__body")
            .containing("91d02f7 Start"),
    );
    let rest = step.css(".block__rest");
    assert!(visitor.attribute(&rest, "open").is_none());
    visitor.unfold(rest.css("summary"));
}

#[tokio::test]
async fn the_instructions_and_tools_of_an_agent_are_read() {
    let mut visitor = Visitor::alone().await;
    visitor.say_hello().await;
    visitor.panel("Info").await;
    visitor
        .see(css(".panel").heading("Instructions and tools"))
        .await;
    visitor
        .see("You are a rehearsal agent. You follow a script and execute nothing.")
        .await;
    visitor.shows(css(".panel").containing("finish"));
    visitor.see("No microagents").await;
}

#[tokio::test]
async fn the_messages_that_the_model_received_are_shown_at_any_step() {
    let (mut visitor, id) = Visitor::saying("hello there").await;
    visitor.open(&format!("/c/{id}?panel=model")).await;
    let first = css(".model__message[data-role=user]").first();
    visitor.see(first.clone().containing("hello there")).await;
    if !visitor.has(first.clone().css(".model__text")) {
        visitor.unfold(first.clone().css("summary"));
    }
    visitor.shows(first.clone().css(".model__text").containing("hello there"));
    let whole = visitor.count(css(".model__message"));
    visitor.follow(first.link("What the model knew here")).await;
    assert!(visitor.path().contains("step="), "{}", visitor.path());
    assert!(visitor.count(css(".model__message")) <= whole);
    visitor.unfold("Options");
    visitor.choose("Tool calls", "Plain text");
    visitor.press("Show").await;
    assert!(visitor.path().contains("plain=true"), "{}", visitor.path());
    visitor.shows(css(".model__message"));
    let request = visitor
        .get(&format!("/c/{id}/messages.json?string=true"))
        .await;
    let request: serde_json::Value = request.json().await.expect("it is JSON");
    let messages = request["messages"].as_array().expect("there are messages");
    assert!(
        messages
            .iter()
            .any(|message| message["content"].to_string().contains("hello there"))
    );
}
