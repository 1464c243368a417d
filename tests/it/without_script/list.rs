//! The list of conversations: those that need a person come first, and each can be found, pinned, archived, renamed
//! and deleted.
//!
//! Long because of the actions on one and on several.

use super::handrail::Handrail;
use super::page::Upload;
use super::part::{Part, css, heading, region};
use super::people::{Accounts, log_in};
use super::tasks::{approval, step};
use super::visitor::Visitor;
use serde_json::json;

/// The button of the list's menu, which is named after the filter that applies.
fn options() -> Part {
    css(".conversation-list__options > summary")
}

fn titles() -> Part {
    css(".conversation-row__title")
}

const HELLO: &str = "Rehearsal: hello";
const TOOLS: &str = "Rehearsal: tools";
const CONFIRM: &str = "Rehearsal: confirm";
const SILENCE: &str = "Rehearsal: silence:600000";

/// Three conversations: one waits for an approval, one for a message, and the newest has finished.
async fn with_three(visitor: &mut Visitor) {
    visitor
        .create_conversation("Ask me [[scenario:confirm]]")
        .await;
    visitor.see(approval("echo \"confirm me\"")).await;
    visitor.see_title(CONFIRM).await;
    visitor
        .create_conversation("Fix the parser [[scenario:hello]]")
        .await;
    visitor.see_turn().await;
    visitor.see_title(HELLO).await;
    visitor
        .create_conversation("Write the manual [[scenario:tools]]")
        .await;
    visitor.see_status("finished").await;
    visitor.see_title(TOOLS).await;
    visitor.open("/").await;
}

/// Waits until the list has these titles, in this order.
async fn sees(visitor: &mut Visitor, shown: &[&str]) {
    visitor
        .reload_until(&format!("{shown:?}"), |visitor| {
            visitor.texts(titles()) == shown
        })
        .await;
}

/// Waits until the list has these titles, perhaps among others.
async fn sees_among(visitor: &mut Visitor, wanted: &[&str]) {
    visitor
        .reload_until(&format!("{wanted:?}"), |visitor| {
            let shown = visitor.texts(titles());
            wanted
                .iter()
                .all(|title| shown.iter().any(|one| one == title))
        })
        .await;
}

#[tokio::test]
async fn conversations_that_need_the_user_come_first_then_the_newest() {
    let mut visitor = Visitor::alone().await;
    with_three(&mut visitor).await;
    sees(&mut visitor, &[CONFIRM, TOOLS, HELLO]).await;
    visitor.shows(heading("Needs you 1"));
    visitor.shows(heading("Today 2"));
    let first = css(".conversation-row").first();
    visitor.shows(first.clone().containing("Needs approval"));
    visitor.shows(first.clone().containing("echo \"confirm me\""));
    let time = visitor.text(first.clone().css("time"));
    assert!(time == "now" || time.ends_with(" min"), "{time}");
    visitor.follow(first.css("a").first()).await;
    visitor.shows(approval("echo \"confirm me\""));
}

#[tokio::test]
async fn a_conversation_is_found_by_its_title() {
    let mut visitor = Visitor::alone().await;
    with_three(&mut visitor).await;
    let search = css(".conversation-list [role=search]").button("Search");
    visitor.fill("Search conversations", "HELLO");
    visitor.press(&search).await;
    assert_eq!(visitor.texts(titles()), [HELLO]);
    visitor.fill("Search conversations", "no such");
    visitor.press(&search).await;
    visitor.shows("No title, repository or tag contains “no such”.");
    visitor.follow("Show all conversations").await;
    assert_eq!(visitor.count(titles()), 3);
}

#[tokio::test]
async fn the_list_is_filtered_and_sorted_and_deleting_several_leads_back_to_it() {
    let mut visitor = Visitor::alone().await;
    with_three(&mut visitor).await;
    visitor.unfold(options());
    visitor
        .follow(region("Filters").link("Needs approval"))
        .await;
    assert_eq!(visitor.texts(titles()), [CONFIRM]);
    visitor.unfold(options());
    visitor.follow(region("Filters").link("All")).await;
    visitor.unfold(options());
    visitor.press("Title, A to Z").await;
    assert_eq!(visitor.texts(titles()), [CONFIRM, HELLO, TOOLS]);
    visitor.unfold(options());
    visitor.follow("Select several").await;
    visitor.tick(&*format!("Select {HELLO}"));
    visitor.tick(&*format!("Select {TOOLS}"));
    visitor.press("Delete…").await;
    let dialog = region("Delete 2 conversations?");
    visitor.press(dialog.button("Delete")).await;
    assert_eq!(visitor.path(), "/");
    assert_eq!(visitor.texts(titles()), [CONFIRM]);
}

#[tokio::test]
async fn a_conversation_is_archived_found_by_search_and_brought_back() {
    let mut visitor = Visitor::alone().await;
    with_three(&mut visitor).await;
    let archive = async |visitor: &mut Visitor| {
        visitor.follow(listed(HELLO).link("Actions")).await;
        visitor.press(listed(HELLO).button("Archive")).await;
        assert_eq!(visitor.texts(titles()), [CONFIRM, TOOLS]);
    };
    archive(&mut visitor).await;
    visitor.shows(css(".banner").containing("Archived"));
    visitor.press(css(".banner").button("Undo")).await;
    assert_eq!(visitor.path(), "/");
    visitor.lacks(css(".banner").containing("Archived"));
    sees(&mut visitor, &[CONFIRM, TOOLS, HELLO]).await;
    archive(&mut visitor).await;
    visitor.open("/?q=rehearsal").await;
    sees(&mut visitor, &[CONFIRM, TOOLS, HELLO]).await;
    visitor.shows(listed(HELLO).containing("Archived"));
    visitor.open("/search?q=parser").await;
    visitor.shows(css(".results__head").containing("Archived"));
    visitor.open("/").await;
    visitor.unfold(options());
    visitor.follow(region("Filters").link("Archived")).await;
    assert_eq!(visitor.path(), "/?show=archived");
    assert_eq!(visitor.texts(titles()), [HELLO]);
    // By its address it is there as before, and who writes to it wants it back.
    visitor.follow(css(".conversation-row__link").first()).await;
    visitor.unfold_actions();
    visitor.shows(css(".conversation__head").button("Bring back"));
    visitor.shows(css(".conversation__status").containing("Archived"));
    visitor.say("Once more [[scenario:hello]]").await;
    visitor.open("/").await;
    sees(&mut visitor, &[CONFIRM, HELLO, TOOLS]).await;
    visitor.follow(listed(TOOLS).css("a").first()).await;
    visitor.unfold_actions();
    visitor
        .press(css(".conversation__head").button("Archive"))
        .await;
    assert_eq!(visitor.texts(titles()), [CONFIRM, HELLO]);
    visitor.shows(css(".banner").button("Undo"));
}

#[tokio::test]
async fn several_are_archived_and_brought_back_but_not_what_waits_for_an_approval() {
    let mut visitor = Visitor::alone().await;
    with_three(&mut visitor).await;
    visitor.open("/?select=1").await;
    for title in [HELLO, CONFIRM] {
        visitor.tick(&*format!("Select {title}"));
    }
    visitor.press("Archive…").await;
    let dialog = region("Archive 2 conversations?");
    visitor.press(dialog.button("Archive")).await;
    visitor.shows("Not done for 1 of 2.");
    visitor.shows("Approve or reject it first");
    visitor.open("/").await;
    assert_eq!(visitor.texts(titles()), [CONFIRM, TOOLS]);
    visitor.open("/?show=archived&select=1").await;
    visitor.tick(&*format!("Select {HELLO}"));
    visitor.press("Bring back…").await;
    let dialog = region("Bring 1 conversation back?");
    visitor.press(dialog.button("Bring back")).await;
    visitor.open("/").await;
    sees(&mut visitor, &[CONFIRM, TOOLS, HELLO]).await;
}

#[tokio::test]
async fn several_are_stopped_and_an_approval_that_ends_so_stays_findable() {
    let accounts = Accounts::with(&[("olga", "operator")]).await;
    let mut ada = accounts.ada().await;
    with_three(&mut ada).await;
    ada.open("/?select=1").await;
    for title in [CONFIRM, TOOLS] {
        ada.tick(&*format!("Select {title}"));
    }
    ada.press("Stop…").await;
    ada.press(region("Stop 2 conversations?").button("Stop"))
        .await;
    assert_eq!(ada.path(), "/");
    for (show, shown) in [
        ("stopped", vec![CONFIRM]),
        // What is finished stays so, whatever its sandbox says of its agent.
        ("done", vec![TOOLS]),
        ("unanswered", vec![CONFIRM]),
        ("approval", vec![]),
        ("turn", vec![HELLO]),
    ] {
        ada.open(&format!("/?show={show}")).await;
        sees(&mut ada, &shown).await;
    }
    ada.open("/inbox").await;
    ada.follow("Approvals that ended without an answer").await;
    assert_eq!(ada.texts(titles()), [CONFIRM]);
    // What one may not stop is named, and the others are stopped.
    let id = ada.create_conversation("Ask [[scenario:confirm]]").await;
    ada.see(approval("echo \"confirm me\"")).await;
    ada.open(&format!("/c/{id}/sharing")).await;
    ada.choose_value("Role", "viewer");
    ada.fill("Name", "olga");
    ada.press(css("main").button("Share")).await;
    let mut olga = accounts.handrail.visitor();
    log_in(&mut olga, "olga").await;
    let own = olga
        .create_conversation("Work [[scenario:silence:600000]]")
        .await;
    olga.see(step("wait")).await;
    olga.see_title(SILENCE).await;
    olga.open(&format!("/?act=stop&confirm={id}&confirm={own}"))
        .await;
    olga.press(region("Stop 2 conversations?").button("Stop"))
        .await;
    olga.shows("Not done for 1 of 2.");
    olga.shows("Your role (viewer) does not allow this.");
    // What she may not answer does not call for her attention.
    olga.open("/").await;
    olga.lacks(heading("Needs you 1"));
    olga.open("/?show=stopped").await;
    sees_among(&mut olga, &[SILENCE, CONFIRM]).await;
}

#[tokio::test]
async fn the_list_is_grouped_by_repository_on_all_devices_of_a_person() {
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    with_three(&mut visitor).await;
    visitor.unfold(options());
    visitor.press("By repository").await;
    assert_eq!(visitor.path(), "/");
    visitor.shows(heading("No repository 2"));
    assert_eq!(visitor.texts(titles()), [CONFIRM, TOOLS, HELLO]);
    // On another device, too, where an address may say otherwise.
    let mut other = handrail.visitor();
    other.open("/").await;
    other.shows(heading("No repository 2"));
    other.open("/?sort=title").await;
    other.lacks(heading("No repository 2"));
    other.unfold(options());
    other.press("Newest activity first").await;
    other.shows(heading("Today 2"));
    visitor.reload().await;
    visitor.shows(heading("Today 2"));
}

fn listed(title: &str) -> Part {
    css(".conversation-row").containing(title)
}

#[tokio::test]
async fn a_conversation_is_pinned_to_the_top_for_one_user() {
    let mut visitor = Visitor::alone().await;
    with_three(&mut visitor).await;
    visitor.follow(listed(HELLO).link("Actions")).await;
    visitor.press(listed(HELLO).button("Pin")).await;
    visitor.shows(heading("Pinned 1"));
    visitor.reload().await;
    assert_eq!(visitor.texts(titles()), [HELLO, CONFIRM, TOOLS]);
    // The menu is open as before.
    visitor.press(listed(HELLO).button("Unpin")).await;
    visitor.lacks("Pinned");
    assert_eq!(
        visitor.texts(titles()).first().map(String::as_str),
        Some(CONFIRM)
    );
}

#[tokio::test]
async fn a_conversation_is_renamed_in_the_list() {
    let mut visitor = Visitor::alone().await;
    visitor.say_hello().await;
    visitor.see_title(HELLO).await;
    visitor.open("/").await;
    visitor.follow(listed(HELLO).link("Actions")).await;
    visitor.fill(listed(HELLO).field("Title"), "A better name");
    visitor.press(listed(HELLO).button("Rename")).await;
    sees(&mut visitor, &["A better name"]).await;
    visitor.reload().await;
    assert_eq!(visitor.texts(titles()), ["A better name"]);
}

#[tokio::test]
async fn a_conversation_is_deleted_after_a_confirmation() {
    let mut visitor = Visitor::alone().await;
    visitor.say_hello().await;
    visitor.see_title(HELLO).await;
    visitor.open("/").await;
    visitor.follow(listed(HELLO).link("Actions")).await;
    visitor.follow(listed(HELLO).link("Delete…")).await;
    let dialog = region(&format!("Delete “{HELLO}”?"));
    visitor.follow(dialog.clone().link("Cancel")).await;
    visitor.lacks(&dialog);
    assert_eq!(visitor.count(titles()), 1);
    visitor.follow(listed(HELLO).link("Actions")).await;
    visitor.follow(listed(HELLO).link("Delete…")).await;
    visitor.press(dialog.button("Delete")).await;
    assert_eq!(visitor.count(titles()), 0);
    visitor.shows("No conversations yet");
}

#[tokio::test]
async fn the_list_is_filtered_by_what_runs_and_what_is_done_and_sorted() {
    let mut visitor = Visitor::alone().await;
    // Silent from its first step on, so that it does not move to the top again.
    visitor
        .create_conversation("Work [[scenario:silence:600000]]")
        .await;
    visitor.see(step("wait")).await;
    visitor.see_title(SILENCE).await;
    visitor.create_conversation("Work [[scenario:tools]]").await;
    visitor.see_status("finished").await;
    visitor.see_title(TOOLS).await;
    visitor
        .create_conversation("Work [[scenario:confirm]]")
        .await;
    visitor.see(approval("echo \"confirm me\"")).await;
    visitor.see_title(CONFIRM).await;
    visitor.open("/").await;
    sees(&mut visitor, &[CONFIRM, TOOLS, SILENCE]).await;
    visitor.unfold(options());
    for (name, word, shown) in [
        ("Running", "running", SILENCE),
        ("Finished", "done", TOOLS),
        ("Needs approval", "approval", CONFIRM),
    ] {
        visitor.follow(region("Filters").link(name)).await;
        assert_eq!(visitor.path(), format!("/?show={word}"));
        assert_eq!(visitor.texts(titles()), [shown]);
        visitor.unfold(options());
        let current = visitor.attribute(region("Filters").link(name), "aria-current");
        assert_eq!(current.as_deref(), Some("true"), "{name}");
    }
    visitor.follow(region("Filters").link("All")).await;
    assert_eq!(visitor.count(titles()), 3);
    for (order, shown) in [
        ("Title, A to Z", [CONFIRM, SILENCE, TOOLS]),
        ("Newest first", [CONFIRM, TOOLS, SILENCE]),
    ] {
        visitor.unfold(options());
        visitor.press(order).await;
        assert_eq!(visitor.texts(titles()), shown);
    }
}

#[tokio::test]
async fn the_list_is_narrowed_to_ones_own_conversations() {
    let accounts = Accounts::with(&[("olga", "operator")]).await;
    let mut ada = accounts.ada().await;
    ada.create_conversation("Work [[scenario:tools]]").await;
    ada.see_status("finished").await;
    ada.see_title(TOOLS).await;
    let mut olga = accounts.handrail.visitor();
    log_in(&mut olga, "olga").await;
    olga.create_conversation("Work [[scenario:confirm]]").await;
    olga.see_title(CONFIRM).await;
    olga.open("/").await;
    sees(&mut olga, &[CONFIRM, TOOLS]).await;
    olga.unfold(options());
    olga.follow(region("Filters").link("Mine")).await;
    assert_eq!(olga.path(), "/?show=mine");
    assert_eq!(olga.texts(titles()), [CONFIRM]);
}

#[tokio::test]
async fn older_conversations_are_behind_a_link_and_the_open_one_is_always_listed() {
    let mut visitor = Visitor::alone().await;
    let line = |number: usize| {
        let said =
            json!({ "id": 0, "source": "user", "action": "message", "args": { "content": "Hi" } });
        let name = format!("task {number:02}");
        json!({ "instance_id": name, "metadata": {}, "history": [said], "error": null }).to_string()
    };
    let lines: Vec<String> = (0..60).map(line).collect();
    visitor.open("/import").await;
    let upload = Upload::new("output.jsonl", "application/json", lines.join("\n"));
    visitor.attach("File", vec![upload]);
    visitor.press("Import").await;
    visitor.open("/").await;
    assert_eq!(visitor.count(titles()), 50);
    let newest = visitor.texts(titles());
    visitor.shows(heading("Today 50+"));
    visitor.follow("Older").await;
    assert!(
        visitor.path().starts_with("/?before="),
        "{}",
        visitor.path()
    );
    let older = visitor.texts(titles());
    assert_eq!(older.len(), 10);
    assert!(
        older.iter().all(|title| !newest.contains(title)),
        "{older:?}"
    );
    visitor.lacks("Older");
    visitor.follow(css(".conversation-row__link").first()).await;
    let current = css(".conversation-list [aria-current=page] .conversation-row__title");
    assert_eq!(visitor.texts(current), [older[0].clone()]);
    visitor.open("/?q=TASK+07").await;
    assert_eq!(visitor.texts(titles()), ["task 07"]);
    visitor.open("/?sort=title").await;
    visitor.follow("Older").await;
    assert_eq!(
        visitor.texts(titles()).last().map(String::as_str),
        Some("task 59")
    );
    visitor.follow("Show newest").await;
    assert_eq!(visitor.path(), "/?sort=title");
    assert_eq!(visitor.count(titles()), 50);
}
