//! Settings: saved values are read back, keys are write-only, and backends and places to notify come and go.

use super::backend::Staged;
use super::handrail::Handrail;
use super::part::{Part, button, css, field, heading, region};
use super::tasks::approval;
use super::visitor::Visitor;
use handrail::backend::rehearsal::Rehearsal;
use std::net::SocketAddr;

use crate::stage::{events_of, quick};
use tokio::net::TcpListener;

#[tokio::test]
async fn settings_are_saved_and_read_back() {
    let mut visitor = Visitor::alone().await;
    visitor.open("/settings").await;
    visitor.fill("Model", "openai/gpt-4o");
    visitor.fill("Base URL", "http://127.0.0.1:4000/v1");
    visitor.choose("Risk analyzer", "None (every action needs approval)");
    visitor.fill("Max steps", "12");
    visitor.fill("Budget (USD)", "1.5");
    visitor.fill("Commit author", "Ada");
    visitor.press("Save settings").await;
    visitor.open("/settings").await;
    for (name, value) in [
        ("Model", "openai/gpt-4o"),
        ("Base URL", "http://127.0.0.1:4000/v1"),
        ("Risk analyzer", ""),
        ("Max steps", "12"),
        ("Budget (USD)", "1.5"),
        ("Commit author", "Ada"),
    ] {
        assert_eq!(visitor.value(name), value, "{name}");
    }
    assert!(visitor.is_ticked("Require approval before actions run"));
}

#[tokio::test]
async fn an_unchecked_box_stays_unchecked() {
    let mut visitor = Visitor::alone().await;
    visitor.open("/settings").await;
    let boxes = [
        "Require approval before actions run",
        "Summarize older events",
    ];
    for name in boxes {
        visitor.untick(name);
    }
    visitor.press("Save settings").await;
    visitor.open("/settings").await;
    for name in boxes {
        assert!(!visitor.is_ticked(name), "{name}");
    }
}

#[tokio::test]
async fn a_key_is_write_only() {
    let mut visitor = Visitor::alone().await;
    visitor.open("/settings").await;
    visitor.fill("API key", "sk-very-secret");
    visitor.press("Save settings").await;
    visitor.open("/settings").await;
    assert_eq!(visitor.value("API key"), "");
    visitor.shows("Saved. Leave blank to keep it.");
    assert!(!visitor.page.source.contains("sk-very-secret"));
}

#[tokio::test]
async fn secrets_are_listed_by_name_replaced_and_removed_and_never_shown() {
    let mut visitor = Visitor::alone().await;
    let secrets = css(".card").with(heading("Secrets"));
    visitor.open("/settings").await;
    for value in ["hush-hush", "hush-again"] {
        visitor.fill(secrets.clone().field("Name"), "API_TOKEN");
        visitor.fill(secrets.clone().field("Value"), value);
        visitor.fill(secrets.clone().field("Description"), "for the tests");
        visitor.press("Save secret").await;
        visitor.open("/settings").await;
        assert_eq!(visitor.count(css("*").saying("for the tests").last()), 1);
        visitor.shows(css("*").saying("API_TOKEN"));
        assert!(!visitor.page.source.contains(value));
    }
    visitor.press("Remove secret API_TOKEN").await;
    visitor.lacks(css("*").saying("API_TOKEN"));
}

#[tokio::test]
async fn mcp_servers_are_added_and_removed() {
    let mut visitor = Visitor::alone().await;
    let servers = css(".card").with(heading("MCP servers"));
    let listed = |address: &str| -> Part { css("*").saying(address) };
    visitor.open("/settings").await;
    visitor.fill("Address or command line", "http://127.0.0.1:9/mcp");
    visitor.press("Add server").await;
    visitor.shows(listed("http://127.0.0.1:9/mcp"));
    visitor.choose("Transport", "Program on the backend's machine");
    visitor.fill("Address or command line", "uvx mcp-server-fetch --quiet");
    visitor.fill(servers.field("Name"), "fetch");
    visitor.press("Add server").await;
    visitor.shows(listed("uvx mcp-server-fetch --quiet"));
    visitor.press("Remove http://127.0.0.1:9/mcp").await;
    visitor.lacks(listed("http://127.0.0.1:9/mcp"));
    visitor.reload().await;
    visitor.shows(listed("uvx mcp-server-fetch --quiet"));
}

#[tokio::test]
async fn a_backend_is_saved_used_and_still_used_after_a_restart() {
    let rehearsal = Rehearsal::start(quick()).await.expect("a free port");
    let address = format!("http://{}", rehearsal.addr());
    let label = format!("OpenHands at {address}");
    let handrail = Handrail::start().await;
    let mut visitor = handrail.visitor();
    visitor.open("/settings/connection").await;
    visitor.fill(
        css("form").containing("Save and use").field("Address"),
        &address,
    );
    visitor.press("Save and use").await;
    visitor.shows(heading(&label));
    let folder = handrail.stop().await;
    let handrail = Handrail::in_folder(folder, &["--trust-local"]).await;
    let mut visitor = handrail.visitor();
    visitor.open("/settings/connection").await;
    visitor.shows(heading(&label));
    assert_eq!(visitor.count(heading("Rehearsal")), 1);
    let id = visitor.say_hello().await;
    assert!(events_of(&rehearsal, &id).await.len() > 3);
    visitor.open("/settings/connection").await;
    visitor.press("Use the rehearsal").await;
    visitor.shows("Scripted agents inside Handrail. Nothing is executed");
    visitor.press(&*format!("Remove {label}")).await;
    visitor.lacks(heading(&label));
}

#[tokio::test]
async fn a_connection_from_the_command_line_cannot_be_changed_here() {
    let staged = Staged::start().await;
    let mut visitor = staged.visitor();
    visitor.open("/settings/connection").await;
    visitor.shows("These backends were set when Handrail was started and can't be changed here.");
    visitor.lacks(css("button").containing("Remove"));
    visitor.unfold(css("summary").containing("Address and key").first());
    assert!(visitor.is_disabled(button("Save and use")));
    assert!(visitor.is_disabled(field("Address")));
}

/// A place that receives notifications, which are not read here.
async fn place() -> (SocketAddr, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    (listener.local_addr().expect("it has an address"), listener)
}

/// Adds a topic of ntfy.
async fn add_topic(visitor: &mut Visitor, address: &str) {
    visitor.fill("Topic address", address);
    visitor.press("Add topic").await;
}

#[tokio::test]
async fn places_to_notify_are_added_chosen_and_removed() {
    let (address, _listener) = place().await;
    let origin = format!("http://{address}");
    let handrail = Handrail::start_with(&["--push-host", &origin]).await;
    let mut visitor = handrail.visitor();
    visitor.allow(400);
    visitor.open("/notifications").await;
    add_topic(&mut visitor, "https://evil.example/topic").await;
    visitor.shows("Handrail does not send to evil.example.");
    add_topic(&mut visitor, &format!("{origin}/my-topic")).await;
    let topic = region("127.0.0.1/my-topic");
    visitor.unfold(topic.clone().summary("Choose what to be notified of"));
    visitor.untick(topic.clone().field("the agent has finished"));
    for (name, value) in [
        ("From", "22:00"),
        ("Until", "07:00"),
        ("Time zone", "Europe/Berlin"),
    ] {
        visitor.fill(topic.clone().field(name), value);
    }
    visitor.press(topic.clone().button("Save choices")).await;
    visitor.reload().await;
    visitor.unfold(topic.clone().summary("Choose what to be notified of"));
    assert!(!visitor.is_ticked(topic.clone().field("the agent has finished")));
    assert!(visitor.is_ticked(topic.clone().field("the agent has failed")));
    assert_eq!(visitor.value(topic.clone().field("From")), "22:00");
    visitor.fill(topic.clone().field("Time zone"), "Nowhere/Land");
    visitor.press(topic.clone().button("Save choices")).await;
    visitor.shows("The time zone is unknown.");
    visitor.fill("Address", &format!("{origin}/hook"));
    visitor.press("Add webhook").await;
    visitor.shows(css(".notice--good .mono"));
    visitor.shows(region("127.0.0.1/hook"));
    visitor.press("Remove 127.0.0.1/my-topic").await;
    visitor.lacks(topic);
}

#[tokio::test]
async fn what_needs_approval_is_chosen_in_the_settings() {
    let mut visitor = Visitor::alone().await;
    visitor.open("/settings").await;
    visitor.choose("Risk analyzer", "None (every action needs approval)");
    visitor.press("Save settings").await;
    visitor.open("/settings").await;
    assert_eq!(visitor.value("Risk analyzer"), "");
    // Without an analyzer every action waits.
    visitor
        .create_conversation("Many steps [[scenario:long:20]]")
        .await;
    visitor.see(approval("echo step 1")).await;
}

#[tokio::test]
async fn everything_that_runs_on_a_backend_is_recorded_if_an_owner_wants_it() {
    let staged = Staged::start().await;
    let mut visitor = staged.visitor();
    let label = format!("OpenHands at http://{}", staged.rehearsal.addr());
    let note = "Not everything that runs is recorded.";
    visitor.open("/").await;
    visitor.shows(css("p").containing(note));
    visitor.open("/search?q=hello").await;
    visitor.shows(css("p").containing("and what is not can't be found."));
    visitor.open("/settings/connection").await;
    visitor.press(&*format!("Record everything: {label}")).await;
    visitor.shows("Everything that runs here is recorded");
    visitor.open("/").await;
    visitor.lacks(css("p").containing(note));
    visitor.open("/search?q=hello").await;
    visitor.lacks(css("p").containing("and what is not can't be found."));
    visitor.open("/audit").await;
    visitor.shows("Record everything on backend");
    visitor.open("/settings/connection").await;
    visitor
        .press(&*format!("Stop recording everything: {label}"))
        .await;
    visitor.shows("What is opened in Handrail is recorded");
}

#[tokio::test]
async fn the_page_of_nodes_says_when_there_is_one_process() {
    let mut visitor = Visitor::alone().await;
    visitor.open("/settings").await;
    visitor.follow("Nodes").await;
    visitor.shows("One process serves, and there is none that could take over.");
}

#[tokio::test]
async fn conversations_are_deleted_by_rules_that_are_shown_before() {
    let mut visitor = Visitor::alone().await;
    visitor.say_hello().await;
    visitor.open("/settings/retention").await;
    visitor.shows("Nothing: there is no rule.");
    visitor.fill("Days without activity", "30");
    visitor.fill("Only this repository or folder", "acme/parser");
    visitor.tick("Only archived conversations");
    visitor.press("Add a rule").await;
    visitor.shows("Unused for 30 days, in acme/parser, archived only");
    visitor.shows("Nothing: no conversation is old enough, or each is in use.");
    visitor.press("Delete daily").await;
    visitor.shows("The rules are applied each day.");
    visitor.press("Stop deleting daily").await;
    visitor.shows("The rules are applied only when you say so.");
    visitor
        .press("Remove rule: Unused for 30 days, in acme/parser, archived only")
        .await;
    visitor.shows("Nothing: there is no rule.");
    visitor.open("/audit").await;
    visitor.shows("Change retention rules");
}
