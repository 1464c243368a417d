//! Every route of the API with every role and every scope, and every other route with a token for the API.

use super::{request, token};
use crate::people::house::{House, filled, name_of};
use handrail::people::{Role, Scope};
use handrail::server::{API, Need, every_route, needed};
use reqwest::{Method, StatusCode};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_route_of_the_api_admits_exactly_the_right_roles_and_scopes() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let id = house
        .create_conversation(&owner, "[[scenario:hello]]")
        .await;
    let (mut requests, mut wrong) = (0, Vec::new());
    for role in Role::ALL {
        let cookie = house.log_in(role.word()).await;
        let scopes = Scope::ALL.into_iter();
        let mut tokens = Vec::new();
        for scope in scopes.filter(|scope| role.may(scope.right())) {
            tokens.push((vec![scope], token(&house, &cookie, scope.word()).await));
        }
        // Of before there were scopes: all that the role allows.
        let least = role.min(Role::Operator);
        let fields = [("name", "old"), ("role", least.word()), ("days", "1")];
        let old = house.call("make_token", &cookie, &fields).await;
        tokens.push((Scope::ALL.to_vec(), old.json().await.expect("a token")));
        for (scopes, token) in &tokens {
            // The role of a token is the lowest that has the rights of its scopes.
            let is_old = scopes.len() > 1;
            let most = match is_old {
                true => least,
                false => Role::ALL
                    .into_iter()
                    .find(|role| role.may(scopes[0].right()))
                    .expect("there is one"),
            };
            for (method, path, right, scope) in &API {
                let may = most.may(*right) && scopes.contains(scope);
                // Forbidden calls target a visible conversation; allowed calls target a missing one and change nothing.
                let at = filled(path, if may { "none" } else { &id });
                let at = at.strip_prefix("/api/v1/").expect("it is of the API");
                let answer = request(&house, method.clone(), at, token);
                let answer = answer.send().await.expect("a response");
                let status = answer.status();
                requests += 1;
                let is_refused = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
                if is_refused == may {
                    wrong.push(format!(
                        "{method} {path} as {role} with {scopes:?}: {status}"
                    ));
                }
            }
        }
        // Elsewhere a token with scopes is good for nothing.
        let (_, scoped) = &tokens[0];
        for (method, path) in every_route() {
            let is_api = path.starts_with("/api/v1/");
            let need = name_of(&path)
                .map_or_else(|| needed(&method, &path), |_| needed(&method, "/api/any"));
            if is_api || !matches!(need, Need::May(_)) {
                continue;
            }
            let address = house.served.process.address;
            let url = format!("http://{address}{}", filled(&path, &id));
            let answer = house
                .client
                .request(method.clone(), url)
                .bearer_auth(scoped);
            let status = answer.send().await.expect("a response").status();
            requests += 1;
            if status != StatusCode::FORBIDDEN {
                wrong.push(format!("{method} {path} as {role}: {status}"));
            }
        }
    }
    eprintln!("{requests} requests");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_gives_a_token_more_than_they_have_and_no_token_makes_another() {
    let house = House::new().await;
    let approver = house.log_in("approver").await;
    for scope in ["send", "admin"] {
        let fields = [
            ("name", "x"),
            ("role", "viewer"),
            ("days", "1"),
            (scope, "true"),
        ];
        let refused = house.call("make_token", &approver, &fields).await;
        assert_eq!(refused.status(), 400, "{scope}");
    }
    // A right that its owner loses is gone from the token, too.
    let owner = house.log_in("owner").await;
    let approving = token(&house, &approver, "read approve").await;
    let rules = async || {
        let answer = request(&house, Method::GET, "rules", &approving)
            .send()
            .await;
        answer.expect("a response").status()
    };
    assert_eq!(rules().await, 200);
    let fields = [("name", "approver"), ("role", "viewer")];
    assert_eq!(
        house.call("change_role", &owner, &fields).await.status(),
        200
    );
    assert_eq!(rules().await, 403);
}
