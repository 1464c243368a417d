//! What the timeline says about answers and of long content: reasons, rejected edits, "Show all", links to rows.

use super::handrail::Handrail;
use super::part::{Part, css};
use super::tasks::{approval, row, step};
use super::visitor::Visitor;

#[tokio::test]
async fn a_reason_of_several_lines_keeps_its_lines_on_the_timeline() {
    let (mut visitor, id) = Visitor::saying("Ask me [[scenario:confirm]]").await;
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
    let mut visitor = Visitor::alone().await;
    visitor.say_hello().await;
    visitor.say("First line\nSecond line").await;
    visitor.see(row("First line")).await;
    keeps_lines(&visitor, &row("First line"), "First line", "Second line");
}

/// Checks that a line break is between two texts wherever they are shown.
fn keeps_lines(visitor: &Visitor, part: &Part, first: &str, second: &str) {
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
    let (mut visitor, _) = Visitor::saying("Ask me [[scenario:confirm]]").await;
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
    let (mut visitor, _) = Visitor::saying("Please repair this small project").await;
    visitor.see(approval("rm -rf build")).await;
    let output = css(".timeline details.step")
        .with(css(".step__subject").containing("python -m timeit"))
        .css(".block-terminal");
    let label = visitor.text(output.clone().css(".block__head"));
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
    assert!(
        visitor
            .attribute(output.css(".block__rest"), "open")
            .is_some()
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
