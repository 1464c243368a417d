//! Several people: set-up, login and its limits, what each role is told, tokens, sharing, and the second way in.

use super::handrail::Handrail;
use super::part::{Part, button, css, heading, link, region};
use super::tasks::{approval, row};
use super::visitor::Visitor;
use std::fs;
use tempfile::TempDir;

const PASSWORD: &str = "correct horse";

/// A Handrail with accounts; ada is the owner.
pub struct Accounts {
    pub handrail: Handrail,
}

impl Accounts {
    /// A Handrail that ada has set up.
    pub async fn new(options: &[&str]) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let handrail = Handrail::in_folder(folder, options).await;
        let accounts = Self { handrail };
        let mut ada = accounts.handrail.visitor();
        ada.open("/").await;
        accounts.set_up(&mut ada).await;
        accounts
    }

    /// The same with further people, each with a role.
    pub async fn with(people: &[(&str, &str)]) -> Self {
        let accounts = Self::new(&[]).await;
        let mut ada = accounts.ada().await;
        accounts.add(&mut ada, people).await;
        accounts
    }

    /// The owner adds people, each with a role.
    pub async fn add(&self, ada: &mut Visitor, people: &[(&str, &str)]) {
        for (name, role) in people {
            ada.open("/people").await;
            let form = card("Add a person");
            ada.fill(form.clone().field("Name"), name);
            ada.choose_value(form.clone().field("Role"), role);
            ada.fill(form.clone().field("Initial password"), PASSWORD);
            ada.press(form.button("Add")).await;
            assert_eq!(ada.value(&*format!("Role of {name}")), *role);
        }
    }

    /// The owner, logged in.
    pub async fn ada(&self) -> Visitor {
        let mut ada = self.handrail.visitor();
        log_in(&mut ada, "ada").await;
        ada
    }

    /// Creates the owner with the server's set-up code, on the page of the set-up.
    async fn set_up(&self, visitor: &mut Visitor) {
        assert_eq!(visitor.path(), "/set-up");
        let code = fs::read_to_string(self.handrail.folder().join("set-up-code"));
        visitor.fill("Set-up code", code.expect("it is offered").trim());
        visitor.fill("Your name", "ada");
        visitor.fill("Password", PASSWORD);
        visitor.press("Create owner account").await;
        assert_eq!(visitor.path(), "/");
    }
}

/// The card of a page with this heading.
fn card(title: &str) -> Part {
    css(".card").with(heading(title))
}

/// Logs in on the login page.
pub async fn log_in(visitor: &mut Visitor, name: &str) {
    if !visitor.has(button("Log in")) {
        visitor.open("/login").await;
    }
    visitor.fill("Name", name);
    visitor.fill("Password", PASSWORD);
    visitor.press("Log in").await;
    assert!(
        !visitor.path().starts_with("/login"),
        "{}",
        visitor.page.report()
    );
}

#[tokio::test]
async fn a_wrong_set_up_code_is_refused_and_the_right_one_works_once() {
    let folder = TempDir::new().expect("a temporary folder");
    let accounts = Accounts {
        handrail: Handrail::in_folder(folder, &[]).await,
    };
    let mut visitor = accounts.handrail.visitor();
    visitor.allow(404);
    visitor.open("/people").await;
    assert_eq!(visitor.path(), "/set-up");
    visitor.fill("Set-up code", &"0".repeat(32));
    visitor.fill("Your name", "mallory");
    visitor.fill("Password", PASSWORD);
    visitor.press("Create owner account").await;
    visitor.shows(css("[role=alert]").containing("The code is wrong or has expired"));
    visitor.open("/").await;
    accounts.set_up(&mut visitor).await;
    assert_eq!(visitor.get("/set-up").await.status(), 404);
}

#[tokio::test]
async fn those_who_may_not_send_messages_are_told_what_they_may_do() {
    let accounts = Accounts::with(&[("vera", "viewer"), ("alan", "approver")]).await;
    let mut ada = accounts.ada().await;
    let id = ada.create_conversation("Ask me [[scenario:confirm]]").await;
    ada.see(approval("echo \"confirm me\"")).await;
    ada.lacks(css(".conversation__note"));
    for (name, note, may_answer) in [
        ("vera", "View only: your role can't message agents", false),
        (
            "alan",
            "You can approve and reject, but not send messages",
            true,
        ),
    ] {
        let mut other = accounts.handrail.visitor();
        log_in(&mut other, name).await;
        other.open(&format!("/c/{id}")).await;
        other.see(approval("echo \"confirm me\"")).await;
        assert_eq!(other.text(css(".conversation__note")), note);
        other.lacks(css("textarea[name=text]"));
        let remark = approval("Your role is read-only. An approver must answer.");
        assert_eq!(other.has(remark), !may_answer);
        assert_eq!(other.has(button("Approve")), may_answer);
        // Nor are they invited to start a conversation, or taken to a page that is not for them.
        other.open("/").await;
        for text in [
            "start a new one",
            "n for a new conversation",
            "Connect OpenHands",
            "Describe a task",
        ] {
            other.lacks(text);
        }
    }
}

#[tokio::test]
async fn a_wrong_password_says_so_and_too_many_cause_a_delay() {
    let accounts = Accounts::new(&[]).await;
    let mut visitor = accounts.handrail.visitor();
    visitor.allow(401);
    visitor.allow(429);
    visitor.open("/inbox").await;
    for round in 0..6 {
        visitor.fill("Name", "ada");
        visitor.fill("Password", "wrong guess");
        visitor.press("Log in").await;
        let said = visitor.text(css("[role=alert]"));
        match round {
            0..5 => assert!(said.contains("Wrong name or password"), "{said}"),
            _ => assert!(
                said.contains("Wait ") && said.contains(" seconds"),
                "{said}"
            ),
        }
        assert_eq!(visitor.value("Name"), "ada");
    }
}

#[tokio::test]
async fn logging_out_ends_it_and_the_back_button_shows_nothing() {
    let accounts = Accounts::new(&[]).await;
    let mut visitor = accounts.ada().await;
    visitor.open("/account").await;
    visitor.shows(heading("Devices"));
    let before = visitor.browser.cookies.clone();
    visitor.unfold("ada");
    visitor.press(css(".menu").button("Log out")).await;
    assert!(visitor.path().starts_with("/login"));
    // The page before was not kept by the browser, so it is asked for again; not even the old cookie helps.
    visitor.open("/account").await;
    assert!(visitor.path().starts_with("/login"));
    visitor.browser.cookies = before;
    visitor.open("/account").await;
    assert!(visitor.path().starts_with("/login"));
}

#[tokio::test]
async fn an_access_token_is_shown_once() {
    let accounts = Accounts::new(&[]).await;
    let mut visitor = accounts.ada().await;
    visitor.open("/account").await;
    let tokens = card("Access tokens");
    visitor.fill(tokens.clone().field("Name"), "a script");
    visitor.choose_value(tokens.clone().field("Role"), "viewer");
    visitor.press(tokens.clone().button("Create token")).await;
    visitor.shows(tokens.clone().containing("Copy it now"));
    visitor.shows(tokens.clone().containing("handrail_"));
    visitor.shows(tokens.clone().button("Revoke a script"));
    visitor.lacks(tokens.clone().containing("No tokens"));
    // A button that needs a script is not shown without one.
    visitor.lacks(tokens.clone().button("Copy"));
    assert!(!visitor.page.url.as_str().contains("handrail_"));
    visitor.reload().await;
    visitor.shows(tokens.clone().containing("a script"));
    visitor.lacks(tokens.containing("handrail_"));
}

#[tokio::test]
async fn the_audit_log_leads_from_a_start_to_its_conversation() {
    let accounts = Accounts::new(&[]).await;
    let mut ada = accounts.ada().await;
    ada.create_conversation("hello [[scenario:hello]]").await;
    let conversation = ada.path();
    ada.open("/audit").await;
    let start = css("tbody tr").containing("Start conversation");
    ada.follow(start.css("td a").first()).await;
    assert_eq!(ada.path(), conversation);
}

#[tokio::test]
async fn pending_approvals_are_counted_in_the_navigation() {
    let accounts = Accounts::new(&[]).await;
    let mut visitor = accounts.ada().await;
    visitor
        .create_conversation("Ask me [[scenario:confirm]]")
        .await;
    visitor.see(approval("echo \"confirm me\"")).await;
    visitor.open("/account").await;
    visitor.shows(region("Main").css("a[href$=\"/inbox\"]").containing("1"));
}

#[tokio::test]
async fn an_unreachable_provider_is_reported_and_password_logins_still_work() {
    // Nothing listens on this port.
    let provider = [
        "--oidc-issuer",
        "http://127.0.0.1:9",
        "--oidc-client-id",
        "handrail",
        "--oidc-name",
        "Example",
    ];
    let accounts = Accounts::new(&provider).await;
    let mut visitor = accounts.ada().await;
    visitor.open("/account").await;
    visitor.shows(link("Link Example"));
    let mut visitor = accounts.handrail.visitor();
    visitor.allow(502);
    visitor.open("/inbox").await;
    assert!(visitor.path().starts_with("/login"));
    visitor.follow("Log in with Example").await;
    visitor.shows(css("[role=alert]").containing("does not respond"));
    log_in(&mut visitor, "ada").await;
}

#[tokio::test]
async fn a_shared_link_is_shown_once_and_opened() {
    let accounts = Accounts::new(&[]).await;
    let mut ada = accounts.ada().await;
    let id = ada.create_conversation("hello").await;
    ada.open(&format!("/c/{id}/sharing")).await;
    ada.press("Create link").await;
    let links = ada.texts(css(".card .mono"));
    let link = links
        .iter()
        .find(|text| text.contains("/link#"))
        .expect("it is shown")
        .clone();
    ada.reload().await;
    ada.lacks("/link#");
    let mut visitor = accounts.handrail.visitor();
    visitor.open("/link").await;
    visitor.fill("Link", &link);
    visitor.press("Open conversation").await;
    assert_eq!(visitor.path(), format!("/c/{id}"));
    visitor.see(row("Hello! I am a rehearsal agent")).await;
}
