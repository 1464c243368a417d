//! What is unread in the list, and since when.

use super::handrail::Handrail;
use super::part::{Part, css};
use super::visitor::Visitor;

fn unread() -> Part {
    css(".conversation-row[data-unread]")
}

#[tokio::test]
async fn who_comes_back_is_told_what_has_happened_and_then_has_read_it() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    let id = visitor
        .create_conversation("Many steps [[scenario:long:40]]")
        .await;
    visitor.see_status("finished").await;
    visitor.lacks(css(".since"));
    visitor.open("/").await;
    visitor.lacks(unread());
    // A person who left after a few events, a visit ago.
    let folder = handrail.stop().await;
    let journal =
        rusqlite::Connection::open(folder.path().join("handrail.db")).expect("it is there");
    let left = journal.execute("UPDATE seen SET seq = 4, at = at - 60000", []);
    assert_eq!(left.expect("it is SQL"), 1);
    drop(journal);
    let handrail = Handrail::in_folder(folder, &["--trust-local"]).await;
    let mut visitor = handrail.visitor();
    visitor.open("/").await;
    visitor.shows(unread());
    visitor.open(&format!("/c/{id}")).await;
    let since = visitor.text(css(".since"));
    assert!(since.contains("new steps and messages"), "{since}");
    // It is still there when the page is loaded again.
    visitor.reload().await;
    assert_eq!(visitor.text(css(".since")), since);
    visitor.open("/").await;
    visitor.lacks(unread());
}

#[tokio::test]
async fn an_idle_conversation_that_is_stopped_for_another_one_is_not_unread() {
    let mut visitor = Visitor::alone().await;
    visitor.create_conversation("Hi [[scenario:hello]]").await;
    visitor.see_turn().await;
    visitor.see_title("Rehearsal: hello").await;
    for _ in 0..3 {
        visitor.create_conversation("Work [[scenario:tools]]").await;
        visitor.see_status("finished").await;
    }
    visitor.open("/").await;
    let stopped = css(".conversation-row").containing("Rehearsal: hello");
    visitor
        .reload_until("it is stopped", |visitor| {
            visitor.text(stopped.clone()).contains("Stopped")
        })
        .await;
    visitor.lacks(unread());
    visitor.follow(stopped.css("a").first()).await;
    visitor.shows("Stopped: too many conversations are running");
}
