//! Hasty presses: no approval is answered before its question could be read, and none twice.

use super::backend::Staged;
use super::part::{button, css};
use super::tasks::{approval, row, step};
use super::visitor::Visitor;
use handrail::hub::MIN_VIEW_TIME;

#[tokio::test]
async fn two_presses_of_one_button_are_one_answer() {
    let staged = Staged::start().await;
    let mut visitor = staged.visitor();
    let id = visitor
        .create_conversation("Ask me [[scenario:confirm]]")
        .await;
    visitor.see(approval("echo \"confirm me\"")).await;
    visitor
        .press_twice(css(".approval").button("Approve"))
        .await;
    visitor.see(approval("print(6 * 7)")).await;
    assert_eq!(staged.answers(&id), [true]);
    assert_eq!(visitor.count(step("echo \"confirm me\"")), 1);
}

/// The pending actions of the scenario `confirm` after the first one.
const NEXT: [&str; 4] = [
    "Run this code?",
    "Allow this edit?",
    "Allow read access?",
    "Allow this browser action?",
];

/// Answers questions one by one and presses again at once, until a second press reached the server so soon that the next
/// question cannot have been read. That press must have been refused. Returns the number of answers that count.
async fn hurry(visitor: &mut Visitor, first: &str) -> usize {
    let mut answered = first;
    for (count, next) in (1..).zip(NEXT) {
        visitor.press(approval(answered).button("Approve")).await;
        visitor.see(approval(next)).await;
        let shown_since = visitor.page.asked_at;
        // The style sheet hides a button with this mark until it may be pressed.
        let press = approval(next).button("Approve");
        assert!(visitor.attribute(&press, "data-arms").is_some());
        visitor.press_at_once(press).await;
        // On a slow machine the press may have reached the server in time to count.
        if shown_since.elapsed() < MIN_VIEW_TIME || visitor.has(approval(next)) {
            visitor.shows("you saw the action for less than a second");
            visitor.shows(approval(next));
            return count;
        }
        answered = next;
    }
    panic!("this machine is too slow for a hasty press");
}

#[tokio::test]
async fn of_two_presses_the_second_does_not_answer_the_question_that_comes_next() {
    let staged = Staged::start().await;
    let mut visitor = staged.visitor();
    let id = visitor
        .create_conversation("Ask me [[scenario:confirm]]")
        .await;
    visitor.see(approval("Run this command?")).await;
    let answered = hurry(&mut visitor, "Run this command?").await;
    assert_eq!(staged.answers(&id), vec![true; answered]);
}

#[tokio::test]
async fn in_the_inbox_the_next_question_does_not_get_the_press_meant_for_the_one_before_it() {
    let staged = Staged::start().await;
    let mut visitor = staged.visitor();
    let mut ids = Vec::new();
    for scenario in ["confirm", "careful", "hostile"] {
        ids.push(
            visitor
                .create_conversation(&format!("Ask me [[scenario:{scenario}]]"))
                .await,
        );
        visitor.see(css(".approval")).await;
    }
    visitor.open("/inbox").await;
    assert_eq!(visitor.count(css(".approval")), 3);
    let answered = hurry(&mut visitor, "echo \"confirm me\"").await;
    let answers: Vec<_> = ids.iter().flat_map(|id| staged.answers(id)).collect();
    assert_eq!(answers, vec![true; answered]);
}

#[tokio::test]
async fn a_second_press_on_stop_does_not_resume_the_agent() {
    let (mut visitor, _) = Visitor::saying("Something slow [[scenario:slow:20000]]").await;
    visitor.see(row("This takes a while.")).await;
    visitor.see(button("Stop")).await;
    visitor.press_twice("Stop").await;
    visitor.see_status("stopped").await;
    visitor.shows(button("Resume"));
    let audit = visitor
        .get("/audit.jsonl")
        .await
        .text()
        .await
        .expect("it is whole");
    assert!(audit.contains("\"action\":\"stop\""), "{audit}");
    assert!(!audit.contains("\"action\":\"resume\""), "{audit}");
}
