//! Where time and cost went, an agent that repeats itself, and the replay.

use super::part::{Part, button, css, heading, region};
use super::visitor::Visitor;

#[tokio::test]
async fn a_conversation_shows_where_its_time_and_cost_went() {
    let (mut visitor, id) = Visitor::saying("Show me [[scenario:tools]]").await;
    visitor.see_status("finished").await;
    visitor.unfold_actions();
    visitor
        .follow(css(".conversation__head").link("Usage"))
        .await;
    assert_eq!(visitor.path(), format!("/c/{id}/insight"));
    visitor.shows(css("h1").saying("Usage"));
    let bars = css("[role=img][aria-label^=\"Bars for \"]").first();
    let bars = visitor
        .attribute(bars, "aria-label")
        .expect("it has a name");
    assert!(
        bars.contains(" steps. Model ") && bars.contains("waiting for a person"),
        "{bars}"
    );
    visitor.shows(css("[role=img][aria-label*=\"in total\"]"));
    let first = region("All steps that are shown").css("#step-1");
    visitor.lacks(&first);
    visitor.unfold("Table");
    visitor.shows(first);
    visitor
        .follow(css("main a").containing("Back to the conversation"))
        .await;
    assert_eq!(visitor.path(), format!("/c/{id}"));
}

#[tokio::test]
async fn all_conversations_are_summed_up_by_day_model_and_creator() {
    let mut visitor = Visitor::alone().await;
    let id = visitor.say_hello().await;
    visitor.open("/insight").await;
    for name in ["By model", "By creator", "By day"] {
        visitor.follow(css("main .chips").link(name)).await;
        visitor.shows(heading(name));
        visitor.shows(heading("By conversation"));
    }
    visitor.follow("7 days").await;
    visitor.follow(css("main .chips").link("By model")).await;
    visitor
        .follow(css("th").link("Output tokens").first())
        .await;
    let order = css("th[aria-sort=descending]")
        .containing("Output tokens")
        .first();
    visitor.shows(order);
    let asked = visitor.path();
    assert!(asked.ends_with("days=7&by=model&sort=output"), "{asked}");
    // Words that mean nothing are the first of each kind.
    visitor.open("/insight?by=%3Cscript%3E&sort=%22x").await;
    visitor.shows(heading("By day"));
    visitor.shows(css(&format!("a[href$=\"/c/{id}/insight\"]")));
}

#[tokio::test]
async fn an_agent_that_repeats_itself_is_named_in_its_conversation() {
    let (mut visitor, _) = Visitor::saying("Repeat yourself [[scenario:stuck]]").await;
    visitor.see_status("error").await;
    let said = "repeated “cat missing.txt” 4 times";
    let is_named = |visitor: &Visitor| visitor.has(said) || visitor.has("stuck in a loop");
    visitor
        .reload_until("the repetition is named", is_named)
        .await;
}

/// The place in the address of a replay.
fn place(visitor: &Visitor) -> i64 {
    let mut query = visitor.page.url.query_pairs();
    let at = query
        .find(|(name, _)| name == "at")
        .expect("it is in the address");
    at.1.parse().expect("it is a number")
}

/// Steps and words of the agent, without its instructions, which come before the first message.
fn work(visitor: &Visitor) -> usize {
    let rows = visitor.texts(css(".row--agent"));
    rows.iter()
        .filter(|row| !row.starts_with("Instructions"))
        .count()
}

#[tokio::test]
async fn the_slider_of_a_replay_is_a_form_and_marks_are_links() {
    let mut visitor = Visitor::alone().await;
    let id = visitor.say_hello().await;
    visitor.open(&format!("/c/{id}/replay")).await;
    let title: Part = css("h1");
    assert!(visitor.text(title).starts_with("Replay: "));
    assert_eq!(visitor.count(css(".row--human")), 1);
    assert_eq!(work(&visitor), 0);
    visitor.follow("Next mark").await;
    assert!(work(&visitor) > 0);
    let mark = place(&visitor);
    visitor.fill("Place in the conversation", "1");
    visitor.press("Go").await;
    assert_eq!(place(&visitor), 1);
    visitor.follow("Cost").await;
    visitor.shows(region("Cost").containing("Input tokens"));
    visitor.open(&format!("/c/{id}/replay?at={mark}")).await;
    assert!(work(&visitor) > 0);
    visitor.lacks(button("Play"));
}
