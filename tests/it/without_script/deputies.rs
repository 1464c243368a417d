//! What happens when nobody answers, on the pages of several people: minutes pass by moving the times in the database.

use super::handrail::Handrail;
use super::part::{Part, button, css, heading};
use super::people::{Accounts, log_in};
use super::tasks::{approval, step};
use crate::both::on_both;
use crate::stage::quick;
use handrail::backend::rehearsal::{Dialect, Options, Rehearsal};
use std::path::Path;
use std::time::Duration;

const COMMAND: &str = "echo \"confirm me\"";

/// The form for it.
fn form() -> Part {
    css(".card").with(heading("When nobody answers"))
}

/// Lets what waits have waited for so many minutes more.
fn minutes_pass(folder: &Path, minutes: i64) {
    let database = rusqlite::Connection::open(folder.join("handrail.db")).expect("it is there");
    database
        .busy_timeout(Duration::from_secs(20))
        .expect("it is open");
    let moved = database.execute(
        "UPDATE approval SET waits_since = coalesce(waits_since, asked_at) - ?1 WHERE state = 'open'",
        [minutes * 60_000],
    );
    assert_eq!(moved.expect("it is healthy"), 1, "one action waits");
}

#[tokio::test]
async fn owners_set_what_happens_and_what_cannot_be_is_refused() {
    let accounts = Accounts::with(&[("bea", "approver"), ("vic", "viewer")]).await;
    let mut ada = accounts.ada().await;
    ada.open("/settings/approvers").await;
    ada.shows(form().containing("Actions wait until somebody answers."));
    let alert = || css("[role=alert]");
    for (deputies, tell, reject, why) in [
        ("vic", "5", "", "vic cannot approve: their role is viewer."),
        ("bea, zoe", "5", "", "There is no account zoe."),
        (
            "",
            "",
            "",
            "Name deputies, or choose that the action is rejected.",
        ),
        (
            "bea",
            "",
            "",
            "Deputies are told after 1 minute to 10080 minutes",
        ),
        ("bea", "5", "5", "Deputies need time to answer"),
    ] {
        ada.allow(400);
        ada.fill(form().field("Deputies"), deputies);
        ada.fill(form().field("Tell them after (minutes)"), tell);
        let then = if reject.is_empty() { "wait" } else { "reject" };
        ada.choose_value(form().field("Then"), then);
        ada.fill(form().field("Reject after (minutes)"), reject);
        ada.press(form().button("Set what happens")).await;
        ada.shows(alert().containing(why));
        ada.open("/settings/approvers").await;
        ada.shows(form().containing("Actions wait until somebody answers."));
    }
    let set = |repository: &'static str, deputies: &'static str| {
        [
            ("Repository", repository),
            ("Deputies", deputies),
            ("Tell them after (minutes)", "5"),
        ]
    };
    for (name, text) in set("", "@bea") {
        ada.fill(form().field(name), text);
    }
    ada.choose_value(form().field("Then"), "reject");
    ada.fill(form().field("Reject after (minutes)"), "60");
    ada.press(form().button("Set what happens")).await;
    ada.shows(
        form().containing("All repositories: bea told after 5 minutes, rejected after 1 hour"),
    );
    for (name, text) in set("acme/parser", "ada bea") {
        ada.fill(form().field(name), text);
    }
    ada.press(form().button("Set what happens")).await;
    ada.shows(form().containing("All other repositories: bea told after 5 minutes"));
    ada.shows(form().containing("acme/parser: ada, bea told after 5 minutes, keeps waiting"));
    // Who loses the right is marked.
    ada.open("/people").await;
    ada.choose_value("Role of bea", "viewer");
    ada.press(button("Save the role of bea")).await;
    ada.open("/settings/approvers").await;
    ada.shows(form().containing("bea (cannot approve: not told)"));
    ada.press(form().button("Remove: acme/parser")).await;
    ada.lacks(form().containing("acme/parser:"));
    ada.open("/audit").await;
    ada.shows(css("main").containing("Change what happens when nobody answers"));
    ada.shows(css("main").containing("Remove what happens when nobody answers"));
    // Nobody else sees the page.
    let mut vic = accounts.handrail.visitor();
    log_in(&mut vic, "vic").await;
    vic.allow(403);
    vic.open("/settings/approvers").await;
    vic.lacks(form());
}

async fn a_deputy_is_told_and_at_its_time_it_is_rejected(dialect: Dialect) {
    let options = Options { dialect, ..quick() };
    let rehearsal = Rehearsal::start(options).await.expect("a free port");
    let backend = format!("http://{}", rehearsal.addr());
    let options = ["--backend", &backend];
    let accounts = Accounts::new(&options).await;
    let mut ada = accounts.ada().await;
    accounts
        .add(&mut ada, &[("bea", "approver"), ("cyd", "approver")])
        .await;
    ada.open("/settings/approvers").await;
    ada.fill(form().field("Deputies"), "bea");
    ada.fill(form().field("Tell them after (minutes)"), "19");
    ada.choose_value(form().field("Then"), "reject");
    ada.fill(form().field("Reject after (minutes)"), "20");
    ada.press(form().button("Set what happens")).await;
    let id = ada.create_conversation("Ask me [[scenario:confirm]]").await;
    ada.see(approval("Rejected at")).await;
    ada.shows(approval("unless somebody answers."));
    ada.shows(approval("Deputies are told at"));
    minutes_pass(accounts.handrail.folder(), 19);
    ada.see(approval("Passed to bea at")).await;
    ada.lacks(approval("Deputies are told at"));
    for (name, is_passed) in [("bea", true), ("cyd", false)] {
        let mut other = accounts.handrail.visitor();
        log_in(&mut other, name).await;
        other.open("/inbox").await;
        other.shows(approval(COMMAND));
        assert_eq!(
            other.has(css(".inbox__item .badge").containing("Passed to you")),
            is_passed
        );
        let remark = if is_passed {
            "Passed to you at"
        } else {
            "Passed to bea at"
        };
        other.shows(approval(remark));
    }
    // A power failure, of 2 minutes: after it people have the minute that they would have had.
    let folder = accounts.handrail.kill();
    minutes_pass(folder.path(), 2);
    let handrail = Handrail::in_folder(folder, &options).await;
    let mut ada = handrail.visitor();
    log_in(&mut ada, "ada").await;
    ada.open(&format!("/c/{id}")).await;
    ada.see(approval("Passed to bea at")).await;
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(answers(&rehearsal, &id).is_empty(), "people have time");
    tokio::time::sleep(Duration::from_secs(60)).await;
    ada.see(step(COMMAND).containing("Rejected: nobody answered in 20 minutes"))
        .await;
    ada.lacks(approval(COMMAND));
    assert_eq!(answers(&rehearsal, &id), [false]);
    ada.open("/audit").await;
    ada.shows(css("main").containing("Pass to deputies"));
    ada.shows(css("main").containing("Reject: nobody answered"));
}

/// The answers that have reached the backend.
fn answers(rehearsal: &Rehearsal, conversation: &str) -> Vec<bool> {
    let answers = rehearsal.stats().answers;
    answers.get(conversation).cloned().unwrap_or_default()
}

on_both![a_deputy_is_told_and_at_its_time_it_is_rejected];
