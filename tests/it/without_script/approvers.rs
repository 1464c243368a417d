//! Second approvers and amendments, on the pages of several people.

use super::part::{button, css, heading};
use super::people::{Accounts, log_in};
use super::tasks::{approval, row, step};
use super::visitor::Visitor;

const HIGH: &str = "echo HIGH risk";

#[tokio::test]
async fn two_people_approve_what_is_rated_high_and_both_names_stay() {
    let accounts = Accounts::with(&[("alan", "approver"), ("olga", "operator")]).await;
    let mut ada = accounts.ada().await;
    ada.open("/settings/approvers").await;
    assert_eq!(ada.value("May be approved by"), "approver");
    ada.tick("A second person has to approve");
    ada.press(button("Save")).await;
    assert!(ada.is_ticked("A second person has to approve"));
    let mut olga = accounts.handrail.visitor();
    log_in(&mut olga, "olga").await;
    let id = olga.create_conversation("Ask me [[scenario:risk]]").await;
    olga.see(approval(HIGH)).await;
    olga.shows(approval("Two people have to approve this."));
    olga.press(approval(HIGH).button("Approve")).await;
    olga.see(approval(
        "You approved this. A second person has to approve.",
    ))
    .await;
    olga.lacks(approval(HIGH).button("Approve"));
    olga.shows(approval(HIGH).button("Reject"));
    olga.open("/inbox").await;
    olga.shows("1 pending approval, 0 for you");
    // Nothing was sent, and alan is called.
    let mut alan = accounts.handrail.visitor();
    log_in(&mut alan, "alan").await;
    alan.open("/inbox").await;
    alan.shows(approval(
        "Approved by olga. A second person has to approve.",
    ));
    alan.press(approval(HIGH).button("Approve")).await;
    alan.open(&format!("/c/{id}")).await;
    alan.see(step(HIGH).containing("Approved by olga and alan"))
        .await;
    // The next one, rejected by one of those who may not approve it.
    ada.open("/settings/approvers").await;
    ada.choose_value("May be approved by", "owner");
    ada.press(button("Save")).await;
    alan.reload().await;
    alan.see(approval("Only owners may approve this. You can reject it."))
        .await;
    alan.lacks(button("Approve"));
    alan.reject("Only owners may approve this.").await;
    ada.open("/audit").await;
    for action in [
        "First of two approvals",
        "Second of two approvals",
        "Change who may approve",
    ] {
        ada.shows(css("main").containing(action));
    }
}

#[tokio::test]
async fn what_is_asked_for_instead_is_approved_once() {
    let (mut visitor, _) = Visitor::saying("Ask me [[scenario:confirm]]").await;
    visitor.see(approval("echo \"confirm me\"")).await;
    visitor.unfold("Approve this instead…");
    assert_eq!(
        visitor.value("What the agent should run"),
        "echo \"confirm me\""
    );
    visitor.fill("What the agent should run", "echo 'me, instead'");
    visitor.arm().await;
    visitor.press(button("Reject and ask for this")).await;
    visitor.see(row("Run exactly this command instead")).await;
    visitor
        .see(step("echo 'me, instead'").containing("Approved as amended"))
        .await;
    visitor.see_status("finished").await;
    visitor.shows(step("echo \"confirm me\"").containing("Rejected"));
    visitor.open("/audit").await;
    visitor.shows(css("main").containing("Ask for this instead"));
    visitor.shows(css("main").containing("Approve as amended"));
}

#[tokio::test]
async fn what_needs_a_passkey_can_be_rejected_without_one() {
    let accounts = Accounts::with(&[]).await;
    let mut ada = accounts.ada().await;
    ada.open("/settings/approvers").await;
    ada.unfold("Add a repository…");
    let card = || css(".card").with(heading("Approve with a passkey"));
    ada.fill(card().field("Repository"), "acme/site");
    ada.press(button("Add")).await;
    ada.shows("acme/site");
    ada.press(button("Remove acme/site")).await;
    ada.lacks("acme/site");
    ada.choose_value("Needed in all conversations for", "all");
    ada.press(button("Apply")).await;
    assert_eq!(ada.value("Needed in all conversations for"), "all");
    ada.shows("At this address nobody can approve with a passkey.");
    ada.create_conversation("Ask me [[scenario:confirm]]").await;
    ada.see(approval("Approving this needs one of your passkeys."))
        .await;
    ada.shows(approval("browsers have none for bare IP addresses"));
    ada.lacks(button("Approve with passkey"));
    ada.reject("echo \"confirm me\"").await;
    ada.see(step("echo \"confirm me\"").containing("Rejected"))
        .await;
    ada.open("/audit").await;
    ada.shows(css("main").containing("Change what needs a passkey"));
}
