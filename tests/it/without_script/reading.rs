//! Reading a conversation: folded runs, sub-agents, earlier rows, long outputs, what was said, and the model's view.

use super::handrail::Handrail;
use super::part::{Part, button, css, heading, link};
use super::tasks::{approval, row, step};

#[tokio::test]
async fn a_run_of_reads_and_thoughts_is_folded_into_one_line() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    visitor
        .create_conversation("Read along [[scenario:reads]]")
        .await;
    visitor.see_status("finished").await;
    let fold = css(".timeline details.fold");
    visitor.see(&fold).await;
    assert_eq!(visitor.count(&fold), 1);
    assert_eq!(visitor.count(fold.clone().css(".row")), 0);
    visitor.shows(step("wc -l notes.md"));
    visitor.unfold(fold.clone().summary("6 steps"));
    assert_eq!(visitor.count(fold.css(".row")), 6);
}

#[tokio::test]
async fn the_steps_of_a_sub_agent_are_nested_and_its_end_does_not_finish_the_conversation() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    visitor
        .create_conversation("Get help [[scenario:delegate]]")
        .await;
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
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    visitor
        .create_conversation("Read along [[scenario:reads]]")
        .await;
    visitor.see_status("finished").await;
    visitor.see(css(".timeline .code-box")).await;
    visitor.lacks(css(".timeline .code-copy"));
    visitor.lacks(button("Copy"));
}

#[tokio::test]
async fn earlier_rows_are_read_and_what_was_found_leads_to_its_place() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    let id = visitor
        .create_conversation("Many steps [[scenario:long:60]]")
        .await;
    visitor.see_status("finished").await;
    visitor.lacks(row("Many steps"));
    let mut pages = 0;
    while !visitor.has(row("Many steps")) {
        visitor.follow("Older").await;
        pages += 1;
    }
    assert!(pages > 0);
    visitor.open(&format!("/c/{id}")).await;
    visitor.unfold("Actions");
    visitor.follow("Search this conversation").await;
    visitor.fill("Search this conversation", "echo step 19");
    visitor.press(css("[role=search]").button("Search")).await;
    visitor.follow(css(".result__link").first()).await;
    visitor.shows(step("echo step 19"));
}

#[tokio::test]
async fn steps_outputs_pictures_the_plan_and_the_cost_are_read() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    visitor
        .create_conversation("Please repair this small project")
        .await;
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
    let is_open = visitor.has(&body);
    visitor.unfold(step("python tally.py").css("summary").first());
    assert_eq!(visitor.has(&body), !is_open);

    visitor.panel("Files").await;
    visitor.follow(css(".panel").link("tally.py")).await;
    visitor.see(css(".files__view .line")).await;
    visitor.shows(css(".files__view").link("Download this file"));

    visitor.panel("Changes").await;
    let changed = css(".panel .change-list").last().css("a").first();
    visitor.see(&changed).await;
    visitor.follow(changed).await;
    visitor.see(css(".panel .block-diff")).await;

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
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    visitor
        .create_conversation("Please repair this small project")
        .await;
    visitor.see(approval("rm -rf build")).await;
    let step = step("ls -la && git log --oneline");
    // All of it is in the page; the style sheet shows a few lines of it until the rest is opened.
    visitor.shows(
        step.clone()
            .css(".block-terminal[data-whole] .block__body")
            .containing("91d02f7 Start"),
    );
    let rest = step.css(".block__rest");
    assert!(visitor.attribute(&rest, "open").is_none());
    visitor.unfold(rest.css("summary"));
}

#[tokio::test]
async fn the_instructions_and_tools_of_an_agent_are_read() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    visitor.say_hello().await;
    visitor.panel("Info").await;
    visitor
        .see(css(".panel").heading("Instructions and tools"))
        .await;
    visitor.unfold(css(".panel summary").containing("Instructions"));
    visitor
        .see("You are a rehearsal agent. You follow a script and execute nothing.")
        .await;
    visitor.shows(css(".panel").containing("finish"));
    visitor.see("No microagents").await;
}

#[tokio::test]
async fn a_reason_of_several_lines_keeps_its_lines_on_the_timeline() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    let id = visitor
        .create_conversation("Ask me [[scenario:confirm]]")
        .await;
    visitor.see(approval("echo \"confirm me\"")).await;
    visitor.open("/inbox").await;
    let item = css(".inbox__item").containing("echo \"confirm me\"");
    visitor.fill(
        item.clone().field("Reason for rejecting (optional)"),
        "First reason\nSecond reason",
    );
    visitor.press(item.clone().button("Reject")).await;
    visitor.gone(item).await;
    visitor.open(&format!("/c/{id}")).await;
    visitor.see(row("First reason")).await;
    keeps_lines(
        &visitor,
        &row("First reason"),
        "First reason",
        "Second reason",
    );
}

#[tokio::test]
async fn a_message_of_several_lines_keeps_its_lines_on_the_timeline() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    visitor.say_hello().await;
    visitor.say("First line\nSecond line").await;
    visitor.see(row("First line")).await;
    keeps_lines(&visitor, &row("First line"), "First line", "Second line");
}

/// Checks that a line break is between two texts wherever they are shown.
fn keeps_lines(visitor: &super::visitor::Visitor, part: &Part, first: &str, second: &str) {
    for row in part.of(&visitor.page) {
        let lines = visitor.page.lines(row);
        let mut lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
        assert!(lines.any(|line| line.ends_with(first)), "{}", row.html());
        assert!(
            lines.next().is_some_and(|line| line.starts_with(second)),
            "{}",
            row.html()
        );
    }
}

#[tokio::test]
async fn a_rejected_edit_does_not_read_like_a_done_one() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    visitor
        .create_conversation("Ask me [[scenario:confirm]]")
        .await;
    visitor.approve("echo \"confirm me\"").await;
    visitor.approve("print(6 * 7)").await;
    // The next action reads the same file.
    visitor
        .reject_with("Allow this edit?", "Not this file")
        .await;
    let step = step("/workspace/confirm.txt").first();
    visitor.see(&step).await;
    assert_eq!(
        visitor.attribute(&step, "data-state").as_deref(),
        Some("rejected")
    );
    let head = visitor.text(step.css("summary").first());
    // The state comes before everything else, and no number of changed lines is behind it.
    assert!(head.starts_with("Rejected"), "{head}");
    let has_number = |sign: char| {
        head.split(sign)
            .skip(1)
            .any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    assert!(!['+', '−', '-'].into_iter().any(has_number), "{head}");
}

#[tokio::test]
async fn a_shortened_output_is_shown_in_full_on_demand() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    visitor
        .create_conversation("Please repair this small project")
        .await;
    visitor.see(approval("rm -rf build")).await;
    let output = css(".timeline details.step")
        .with(css(".step__subject").containing("python -m timeit"))
        .css(".block-terminal");
    let label = visitor.text(output.clone().css(".block__label"));
    assert!(
        label.starts_with("Output: ") && label.contains(" of "),
        "{label}"
    );
    // Its beginning and its end are shown.
    visitor.shows(output.clone().containing("raw times, run 1200:"));
    visitor.lacks(output.clone().containing("raw times, run 300:"));
    visitor.follow(output.clone().link("Show all")).await;
    visitor.shows(output.clone().containing("raw times, run 300:"));
    visitor.lacks(output.clone().link("Show all"));
    let label = visitor.text(output.css(".block__label"));
    assert!(
        label.ends_with(" lines") && !label.contains(" of "),
        "{label}"
    );
}

#[tokio::test]
async fn a_link_to_an_early_row_opens_at_it_in_another_browser() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    visitor
        .create_conversation("Many steps [[scenario:long:60]]")
        .await;
    visitor.see_status("finished").await;
    visitor.lacks(step("echo step 1"));
    visitor.panel("Terminal").await;
    let early = css(".panel .console__command").saying("echo step 1");
    let address = visitor.address(&early);
    visitor.follow(early).await;
    assert!(visitor.target().contains("echo step 1"));
    visitor.shows(step("echo step 1"));

    let mut other = handrail.visitor();
    other.open(address.as_str()).await;
    assert!(other.target().contains("echo step 1"));
    other.shows(step("echo step 1"));
    other.lacks(step("echo step 59"));
    other.shows("You're viewing earlier activity");
    other.follow("Newest ↓").await;
    other.shows(step("echo step 59"));
}

#[tokio::test]
async fn the_messages_that_the_model_received_are_shown_at_any_step() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    let id = visitor.create_conversation("hello there").await;
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
    visitor.lacks(link("No such link"));
    visitor.lacks(heading("No such heading"));
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
