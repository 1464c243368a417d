//! Exports and imports: the file that replays a conversation without a server, masked secrets, and broken files.

use super::handrail::{Handrail, OF_1X};
use super::page::{Page, Upload};
use super::part::{button, css, heading, link};
use super::tasks::{delivered, row, step};
use super::visitor::Visitor;
use reqwest::StatusCode;
use std::time::Instant;
use url::Url;

const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123";

/// Opens the export page of the open conversation.
async fn open_export(visitor: &mut Visitor, id: &str) {
    visitor.unfold_actions();
    visitor.follow("Export…").await;
    assert_eq!(visitor.path(), format!("/c/{id}/export"));
    visitor.shows(heading("Download"));
}

#[tokio::test]
async fn a_saved_page_shows_a_conversation_from_disk_without_a_request() {
    let (mut visitor, id) = Visitor::saying("A tour [[scenario:tour]]").await;
    visitor.see_status("waiting").await;
    open_export(&mut visitor, &id).await;
    let file = visitor.download_by("Web page").await;
    assert!(file.name.ends_with(".html"), "{}", file.name);

    // Opened from disk. What a page loads by itself would have to be within the file.
    let place = Url::parse("file:///saved.html").expect("it is an address");
    let saved = Page::new(place, StatusCode::OK, Instant::now(), file.text());
    for element in saved.select("[src], link[href], [srcset], [poster], [data], [background]") {
        let address = element.attr("src").or(element.attr("href"));
        let address = address.unwrap_or_default();
        assert!(address.starts_with("data:"), "{}", element.html());
    }
    let styles = saved.select("style");
    assert!(!styles.is_empty());
    for style in styles {
        let text = style.text().collect::<String>();
        assert!(!text.contains("@import"), "a style sheet loads another one");
        let mut addresses = text.split("url(").skip(1);
        assert!(addresses.all(|rest| rest.trim_start_matches(['"', '\'']).starts_with("data:")));
    }
    let rows = css("#rows > .row").of(&saved);
    assert!(rows.len() > 5, "{} rows", rows.len());
    assert!(saved.text(rows[0]).contains("Instructions"));
    assert!(saved.text(rows[1]).contains("A tour"));
    // The controls of the replay need a script.
    assert_eq!(saved.select("#replay").len(), 1);
    assert!(css("#replay").of(&saved).is_empty());
}

#[tokio::test]
async fn secrets_are_shown_by_their_beginnings_and_masked_unless_they_are_kept() {
    let (mut visitor, id) = Visitor::saying(&format!("Use {TOKEN} [[scenario:hello]]")).await;
    visitor.see(row("Hello! I am a rehearsal agent")).await;
    open_export(&mut visitor, &id).await;
    let secret = css("tr").containing("Repository token");
    visitor.shows(secret.clone().containing("ghp_…"));
    assert!(!visitor.text(css("main")).contains(TOKEN));
    for format in ["Markdown", "JSON", "Web page"] {
        let masked = visitor.download_by(format).await.text();
        assert!(masked.contains("[masked:repository-token]"), "{format}");
        assert!(!masked.contains(TOKEN), "{format}");
    }
    visitor.tick("Keep them");
    assert!(visitor.download_by("JSON").await.text().contains(TOKEN));
    visitor.follow(secret.css("a")).await;
    visitor.shows(css(".row--human").containing(TOKEN));
}

#[tokio::test]
async fn a_saved_conversation_is_imported_and_can_be_read_and_nothing_else() {
    let (mut visitor, id) = Visitor::saying("Many steps [[scenario:long:20]]").await;
    visitor.see_status("finished").await;
    visitor.see(row("All steps are done.")).await;
    open_export(&mut visitor, &id).await;
    let file = visitor.download_by("JSON").await;
    visitor.open("/new").await;
    visitor.follow("Import a conversation from a file").await;
    let upload = Upload::new("conversation.json", "application/json", file.bytes.clone());
    visitor.attach("File", vec![upload]);
    visitor.press("Import").await;
    let copy = visitor.conversation();
    assert_ne!(copy, id);
    visitor.shows("Imported. No agent works in this conversation.");
    visitor.lacks(css(
        "main textarea, main input:not([type=hidden], [type=search])",
    ));
    for name in ["Start", "Stop", "Resume", "Pause"] {
        visitor.lacks(css("button").containing(name));
    }
    // Every fifth step is a thought.
    visitor.shows(step("echo step 19"));
    visitor.shows(step("This was step 20."));
    visitor.open(&format!("/c/{copy}?q=step+11")).await;
    visitor.shows(css(".result").first().containing("step 11"));
    visitor.open("/").await;
    assert_eq!(
        visitor.count(css(".conversation-row").containing("Imported")),
        1
    );
    visitor.open(&format!("/c/{copy}")).await;
    open_export(&mut visitor, &copy).await;
    assert!(
        visitor.download_by("JSON").await.bytes == file.bytes,
        "the second export differs"
    );
}

#[tokio::test]
async fn a_broken_file_is_refused_with_the_place_of_the_fault() {
    let mut visitor = Visitor::alone().await;
    visitor.allow(400);
    visitor.open("/import").await;
    let broken = "[{\"action\": \"message\"},\n{\"action\": ]";
    visitor.attach(
        "File",
        vec![Upload::new("broken.json", "application/json", broken)],
    );
    visitor.press("Import").await;
    let said = visitor.text(css("[role=alert]"));
    assert!(
        said.contains("Line 2, column 12 (event 2): the file is not valid JSON"),
        "{said}"
    );
    assert!(said.contains("Nothing was imported."), "{said}");
    visitor.open("/").await;
    visitor.lacks("Imported");
}

#[tokio::test]
async fn a_conversation_is_downloaded_as_text() {
    let mut visitor = Visitor::alone().await;
    let id = visitor.say_hello().await;
    visitor.see(row("Hello! I am a rehearsal agent")).await;
    open_export(&mut visitor, &id).await;
    let file = visitor.download_by("Markdown").await;
    assert!(file.name.ends_with(".md"), "{}", file.name);
    assert!(file.kind.starts_with("text/markdown"), "{}", file.kind);
    assert!(file.text().contains("Hello! I am a"));
}

#[tokio::test]
async fn a_conversation_is_forked_where_the_backend_can() {
    let handrail = Handrail::start_with(&OF_1X).await;
    let mut visitor = handrail.visitor();
    let id = visitor
        .create_conversation("hello [[scenario:hello]]")
        .await;
    visitor.see_status("finished").await;
    visitor.unfold_actions();
    visitor.press("Fork conversation").await;
    assert_ne!(visitor.conversation(), id);
    visitor.see(row("Hello! I am a rehearsal agent")).await;
}

#[tokio::test]
async fn the_last_message_is_changed_and_sent_again_in_a_copy() {
    let handrail = Handrail::start_with(&OF_1X).await;
    let mut visitor = handrail.visitor();
    let id = visitor
        .create_conversation("hello [[scenario:hello]]")
        .await;
    visitor.see_status("finished").await;
    visitor.say("Count wrongly [[scenario:hello]]").await;
    visitor.see(delivered("Count wrongly")).await;
    visitor.see_status("finished").await;
    visitor.unfold_actions();
    visitor.follow("Edit last message").await;
    let field = "Your last message";
    assert!(visitor.value(field).starts_with("Count wrongly"));
    visitor.lacks(button("Send"));
    visitor.fill(field, "Count rightly [[scenario:hello]]");
    visitor.press("Send in a copy").await;
    assert_ne!(visitor.conversation(), id);
    visitor.see(delivered("Count rightly")).await;
    visitor.shows(row("hello"));
    visitor.lacks(row("Count wrongly"));
    // The old branch is kept.
    visitor.open(&format!("/c/{id}")).await;
    visitor.see(row("Count wrongly")).await;
    visitor.lacks(row("Count rightly"));
    // 0.62 has no forks.
    let mut visitor = Visitor::alone().await;
    visitor.say_hello().await;
    visitor.unfold_actions();
    visitor.lacks(link("Edit last message"));
}
