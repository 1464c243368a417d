//! Forks and exports have the sharing of their conversation, and visitors see no names.
//!
//! Forks exist on 1.x only. For the names the dialect of the backend does not matter: they are Handrail's own.

use super::house::{House, path_of};
use crate::process::Served;
use crate::stage::soon;
use handrail::backend::rehearsal::Dialect;
use handrail::live::FromServer;
use handrail::people::Role;
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fork_of_a_private_conversation_has_the_same_sharing() {
    let house = House::of(Served::start_over(Dialect::AgentServer, &[]).await).await;
    let (creator, viewer) = (house.log_in("operator").await, house.log_in("viewer").await);
    let (approver, owner) = (house.log_in("approver").await, house.log_in("owner").await);
    let id = house
        .create_conversation(&creator, "[[scenario:hello]]")
        .await;
    let fields = [("id", id.as_str()), ("audience", "some")];
    assert_eq!(
        house
            .call("share_conversation", &creator, &fields)
            .await
            .status(),
        200
    );
    let fields = [("id", id.as_str()), ("name", "approver")];
    assert_eq!(
        house.call("share_with", &creator, &fields).await.status(),
        200
    );
    let of_owner = house
        .call("fork_conversation", &owner, &[("id", &id)])
        .await;
    let of_creator = house
        .call("fork_conversation", &creator, &[("id", &id)])
        .await;
    let mut copies: Vec<String> = vec![
        of_owner.json().await.expect("an id"),
        of_creator.json().await.expect("an id"),
    ];
    // A fork created outside of Handrail.
    let url = format!(
        "http://{}/api/conversations/{id}/fork",
        house.served.rehearsal.addr()
    );
    let made = house
        .client
        .post(url)
        .json(&json!({}))
        .send()
        .await
        .expect("a response");
    let made: Value = made.json().await.expect("JSON");
    copies.push(made["id"].as_str().expect("an id").to_owned());
    for copy in &copies {
        let path = format!("/c/{copy}/trajectory.json");
        assert_eq!(
            house.get(&path, Some(&viewer)).await.status(),
            404,
            "{copy}"
        );
        for who in [&creator, &approver, &owner] {
            let path = format!("/c/{copy}");
            assert_eq!(house.page(&path, who).await.status(), 200, "{copy}");
        }
    }
    let listed = soon("all are listed", async || {
        let list = house
            .call("list_conversations", &owner, &[("ask[q]", "")])
            .await;
        let list = list.text().await.expect("text");
        copies.iter().all(|copy| list.contains(copy)).then_some(())
    });
    listed.await;
    let list = house
        .call("list_conversations", &viewer, &[("ask[q]", "")])
        .await;
    let list = list.text().await.expect("text");
    assert!(!copies.iter().any(|copy| list.contains(copy)), "{list}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn visitors_see_no_names() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    house.add(&owner, "grace", Role::Operator).await;
    let grace = house.log_in("grace").await;
    let id = house
        .create_conversation(&grace, "[[scenario:confirm]]")
        .await;
    let visitor = house.visit(&grace, &id).await;
    let fields = [("id", id.as_str())];
    let said = async |name: &str, cookie: &str| {
        let said = house.call(name, cookie, &fields).await;
        assert_eq!(said.status(), 200, "{name}");
        said.text().await.expect("text")
    };
    soon("who wrote it is known", async || {
        said("open_conversation", &owner)
            .await
            .contains("grace")
            .then_some(())
    })
    .await;
    for name in ["open_conversation", "older_rows"] {
        let shown = said(name, &visitor).await;
        assert!(
            shown.contains("\"rows\":[{") && !shown.contains("grace"),
            "{name}: {shown}"
        );
    }
    let rows: Value = serde_json::from_str(&said("older_rows", &visitor).await).expect("JSON");
    for row in rows["rows"].as_array().expect("a list") {
        let row = row["id"].to_string();
        let fields = [("id", id.as_str()), ("row", &row)];
        let whole = house
            .post(&path_of("whole_row"), Some(&visitor), &fields)
            .await;
        assert!(!whole.text().await.expect("text").contains("grace"));
    }
    let page = house.page(&format!("/c/{id}"), &visitor).await;
    assert!(!page.text().await.expect("text").contains("grace"));
    for (cookie, names) in [(&visitor, false), (&grace, true)] {
        let mut tab = house.tab(cookie, &id).await;
        let rows = |frame| match frame {
            FromServer::Rows { rows, .. } => Some(rows.iter().any(|row| row.by.is_some())),
            _ => None,
        };
        assert_eq!(tab.until("rows", rows).await, names);
    }
}
