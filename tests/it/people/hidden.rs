//! Who sees a conversation, and in which role.
//!
//! The dialect of the backend does not matter: Handrail's own data decides about access. `spellings.rs` attacks both
//! dialects.

use super::house::{House, PageConnection, filled, path_of};
use super::matrix::ARGUMENTS;
use handrail::live::FromServer;
use handrail::people::Role;
use handrail::server::every_route;
use reqwest::Method;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_private_conversation_does_not_exist_for_other_users() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let (operator, stranger) = (
        house.log_in("operator").await,
        house.log_in("approver").await,
    );
    let message = "[[scenario:confirm]] a very private matter";
    let id = house.create_conversation(&operator, message).await;
    let share = async |audience: &str, cookie: &str| {
        let fields = [("id", id.as_str()), ("audience", audience)];
        let shared = house.call("share_conversation", cookie, &fields).await;
        shared.status()
    };
    assert_eq!(share("starter", &operator).await, 200);
    let arguments: Vec<(&str, &str)> = ARGUMENTS
        .iter()
        .map(|(name, value)| (*name, if *name == "id" { id.as_str() } else { *value }))
        .collect();
    let role = house.log_in("owner").await;
    let fields = [("name", "approver"), ("role", "operator")];
    assert_eq!(
        house
            .post(&path_of("change_role"), Some(&role), &fields)
            .await
            .status(),
        200
    );
    drop(stranger);
    let stranger = house.log_in("approver").await;
    let (mut requests, mut routes) = (0, every_route());
    routes.retain(|(_, path)| path != "/logout" && path != "/login");
    for (method, path) in &routes {
        let answer = house
            .ask(
                method.clone(),
                &filled(path, &id),
                Some(&stranger),
                &arguments,
            )
            .await;
        let status = answer.status();
        if path.contains("{id}") {
            assert_eq!(status, 404, "{method} {path}");
        }
        let text = answer.text().await.expect("text");
        assert!(
            !text.contains("private matter") && !text.contains("confirm me"),
            "{method} {path}: {text}"
        );
        requests += 1;
    }
    eprintln!("hidden in {requests} of {}", routes.len());
    let still = house.get(&format!("/c/{id}"), Some(&operator)).await;
    assert_eq!(still.status(), 200, "it was not deleted");
    assert_eq!(
        house.get(&format!("/c/{id}"), Some(&owner)).await.status(),
        200
    );
    assert_eq!(share("all", &stranger).await, 404);
    assert_eq!(share("some", &operator).await, 200);
    let fields = [("id", id.as_str()), ("name", "Approver")];
    let shared = house.call("share_with", &operator, &fields).await;
    assert_eq!(shared.status(), 200);
    assert_eq!(
        house
            .get(&format!("/c/{id}"), Some(&stranger))
            .await
            .status(),
        200
    );
    assert_ne!(share("all", &stranger).await, 200, "they may not share it");
}

/// The rights of a user in a conversation, derived from the responses to attempts.
async fn may(house: &House, cookie: &str, id: &str) -> (bool, bool) {
    let fields = [
        ("id", id),
        ("order", "pause"),
        ("token", "x"),
        ("decision", "reject"),
    ];
    let tried = async |name: &str| {
        let answer = house.call(name, cookie, &fields).await;
        assert_ne!(answer.status(), 404, "they see it");
        answer.status() != 403
    };
    (tried("answer_confirmation").await, tried("steer").await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_in_a_conversation_applies_only_there_and_at_once() {
    let house = House::new().await;
    let (owner, operator) = (house.log_in("owner").await, house.log_in("operator").await);
    let viewer = house.log_in("viewer").await;
    let id = house
        .create_conversation(&owner, "[[scenario:hello]]")
        .await;
    let other = house
        .create_conversation(&owner, "[[scenario:hello]] again")
        .await;
    let mut tab = house.tab(&viewer, &id).await;
    let role = async |tab: &mut PageConnection| {
        let role = |frame| match frame {
            FromServer::Role { role, .. } => role,
            _ => None,
        };
        tab.until("a role", role).await
    };
    assert_eq!(role(&mut tab).await, Role::Viewer);
    for (given, may_now) in [
        ("operator", (true, true)),
        ("approver", (true, false)),
        ("viewer", (false, false)),
    ] {
        let fields = [("id", id.as_str()), ("name", "viewer"), ("role", given)];
        let shared = house.call("share_with", &owner, &fields).await;
        assert_eq!(shared.status(), 200, "{given}");
        assert_eq!(role(&mut tab).await.word(), given);
        assert_eq!(may(&house, &viewer, &id).await, may_now, "{given}");
        assert_eq!(may(&house, &viewer, &other).await, (false, false));
    }
    let fields = [
        ("id", id.as_str()),
        ("name", "operator"),
        ("role", "viewer"),
    ];
    house.call("share_with", &owner, &fields).await;
    assert_eq!(may(&house, &operator, &id).await, (false, false));
    assert_eq!(may(&house, &operator, &other).await, (true, true));
    let upload = format!("/c/{id}/upload");
    let refused = house.post(&upload, Some(&operator), &[]).await;
    assert_eq!(refused.status(), 403);
    for (name, role) in [
        ("viewer", "owner"),
        ("viewer", "visitor"),
        ("nobody", "viewer"),
    ] {
        let fields = [("id", id.as_str()), ("name", name), ("role", role)];
        let refused = house.call("share_with", &owner, &fields).await;
        assert_ne!(refused.status(), 200, "{name}, {role}");
    }
    // A token is limited to its own rights, even if its user has more.
    let fields = [
        ("id", id.as_str()),
        ("name", "viewer"),
        ("role", "operator"),
    ];
    house.call("share_with", &owner, &fields).await;
    let fields = [("name", "a script"), ("role", "viewer"), ("days", "1")];
    let token = house.call("make_token", &viewer, &fields).await;
    let token: String = token.json().await.expect("a text");
    let address = house.served.process.address;
    let request = house
        .client
        .post(format!("http://{address}{}", path_of("steer")))
        .bearer_auth(token)
        .form(&[("id", id.as_str()), ("order", "pause")]);
    assert_eq!(request.send().await.expect("a response").status(), 403);
    let fields = [("id", id.as_str()), ("name", "viewer")];
    house.call("unshare", &owner, &fields).await;
    assert_eq!(may(&house, &viewer, &id).await, (false, false));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_loses_a_conversation_follows_it_no_longer() {
    let house = House::new().await;
    let (owner, viewer) = (house.log_in("owner").await, house.log_in("viewer").await);
    let id = house
        .create_conversation(&owner, "[[scenario:hello]]")
        .await;
    let mut tab = house.tab(&viewer, &id).await;
    let has_role = |frame| matches!(frame, FromServer::Role { .. }).then_some(());
    tab.until("a role", has_role).await;
    let fields = [("id", id.as_str()), ("audience", "starter")];
    let shared = house.call("share_conversation", &owner, &fields).await;
    assert_eq!(shared.status(), 200);
    let is_gone = |frame| match frame {
        FromServer::Gone { conversation } => Some(conversation),
        _ => None,
    };
    let gone = tab.until("the end", is_gone);
    let gone = tokio::time::timeout(Duration::from_secs(10), gone).await;
    assert_eq!(gone.expect("it ends at once"), id);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_shows_the_image_that_it_keeps_only_after_a_request_that_is_allowed() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let other = house.log_in("approver").await;
    let id = house
        .create_conversation(&operator, "[[scenario:images]] private")
        .await;
    let fields = [("id", id.as_str()), ("audience", "starter")];
    let shared = house.call("share_conversation", &operator, &fields).await;
    assert_eq!(shared.status(), 200);
    let find = async {
        loop {
            for seq in 1..30 {
                let path = format!("/c/{id}/event/{seq}/image/0");
                let answer = house.get(&path, Some(&operator)).await;
                if answer.status() == 200 {
                    return (path, answer.headers().clone());
                }
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let (path, headers) = tokio::time::timeout(Duration::from_secs(60), find)
        .await
        .expect("an image arrives");
    let tag = headers["etag"].clone();
    for (name, value) in [
        ("cache-control", "private, no-cache"),
        ("vary", "cookie"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(headers[name], value, "{name}");
    }
    assert!(headers["content-type"].as_bytes().starts_with(b"image/"));
    let known = async |cookie: Option<&str>| {
        let request = house.request(Method::GET, &path, cookie, &[]);
        let request = request.header("if-none-match", &tag);
        request.send().await.expect("a response")
    };
    let same = known(Some(&operator)).await;
    assert_eq!(
        (same.status().as_u16(), &same.headers()["etag"]),
        (304, &tag)
    );
    assert_eq!(same.headers()["cache-control"], "private, no-cache");
    assert_eq!(known(Some(&other)).await.status(), 404);
    assert_eq!(
        house.post("/logout", Some(&operator), &[]).await.status(),
        303
    );
    for cookie in [Some(operator.as_str()), None] {
        let answer = known(cookie).await;
        assert_eq!(answer.status(), 401);
        assert_eq!(answer.headers()["cache-control"], "no-store");
        assert!(answer.headers().get("etag").is_none());
    }
}
