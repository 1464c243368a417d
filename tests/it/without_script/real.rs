//! A real app server (`CONTRIBUTING.md`), run by hand: the page promises what the server does.

use super::handrail::Handrail;
use super::part::{button, css};
use reqwest::Client;

#[tokio::test]
#[ignore = "needs a real app server with process sandboxes and the scripted model"]
async fn a_real_app_server_asks_as_the_page_says_and_a_sandbox_that_is_gone_is_said_to_be() {
    let server = std::env::var("HANDRAIL_REAL_APP_SERVER").expect("its address");
    let handrail = Handrail::start_with(&["--backend", &server]).await;
    let mut visitor = handrail.visitor();
    visitor.open("/settings").await;
    visitor.choose("Risk analyzer", "None (every action needs approval)");
    visitor.tick("Require approval before actions run");
    visitor.press("Save settings").await;
    visitor.open("/settings").await;
    assert_eq!(visitor.value("Risk analyzer"), "");
    visitor.open("/new").await;
    visitor.shows(css("p").containing("pauses the oldest"));
    let message = format!("Do it. [[play:quick#{}]]", std::process::id());
    let id = visitor.create_conversation(&message).await;
    visitor.see(button("Approve")).await;
    let sandbox = id.replace('-', "");
    let url = format!("{server}/api/v1/sandboxes/{sandbox}?sandbox_id={sandbox}");
    let deleted = Client::new().delete(url).send().await;
    assert!(deleted.expect("it answers").status().is_success());
    visitor
        .see("The sandbox no longer exists. You can still read the conversation.")
        .await;
    visitor
        .see(css(".step").containing("It is not known whether this was executed"))
        .await;
    for offered in ["Start", "Approve", "Send"] {
        visitor.lacks(button(offered));
    }
}
