//! What is unread in the list, and since when.

use super::handrail::Handrail;
use super::part::{Part, css};
use super::tasks::step;

fn unread() -> Part {
    css(".conversation-row[data-unread]").containing("Unread:")
}

#[tokio::test]
async fn what_happens_after_a_person_has_left_is_unread_until_they_look() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    let id = visitor
        .create_conversation("Many steps [[scenario:long:40]]")
        .await;
    visitor.open("/").await;
    visitor.see(unread()).await;
    visitor.open(&format!("/c/{id}")).await;
    visitor.see(step("echo step 39")).await;
    visitor.see_status("finished").await;
    visitor.open("/").await;
    visitor.lacks(unread());
    // Other people have not opened it; what is read is read after a restart, too.
    let folder = handrail.stop().await;
    let handrail = Handrail::in_folder(folder, &["--trust-local"]).await;
    let mut visitor = handrail.visitor();
    visitor.open("/").await;
    visitor.shows(css(".conversation-row"));
    visitor.lacks(unread());
}

#[tokio::test]
async fn who_comes_back_is_told_what_has_happened_and_led_to_it() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    let id = visitor
        .create_conversation("Many steps [[scenario:long:40]]")
        .await;
    visitor.lacks(css(".since"));
    visitor.open("/").await;
    visitor.see(css(".badge[data-status=finished]")).await;
    // A visit lasts for a minute after what was shown last: it is ended here.
    let folder = handrail.stop().await;
    let journal =
        rusqlite::Connection::open(folder.path().join("handrail.db")).expect("it is there");
    let ended = journal.execute("UPDATE seen SET at = at - 60000", []);
    assert_eq!(ended.expect("it is SQL"), 1);
    drop(journal);
    let handrail = Handrail::in_folder(folder, &["--trust-local"]).await;
    let mut visitor = handrail.visitor();
    visitor.open(&format!("/c/{id}")).await;
    let since = visitor.text(css(".since"));
    assert!(since.contains("new steps and messages"), "{since}");
    // It is still there when the page is loaded again.
    visitor.reload().await;
    assert_eq!(visitor.text(css(".since")), since);
    visitor.open("/").await;
    visitor.lacks(unread());
}
