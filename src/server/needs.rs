//! What every route requires: one table.
//!
//! A route that is missing from the table is restricted to owners, so a forgotten entry fails closed, and the test
//! `every_route_has_its_need` finds it. Server functions require a login (or a share link) here; each one then checks
//! the specific right itself with `api::allowed`.
//!
//! Long because of its tables.

use crate::people::{Caller, Credential, Right, Scope};
use axum::extract::MatchedPath;
use axum::http::Method;
use axum::http::request::Parts;

/// What a route requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Public: no login.
    Open,
    /// Only available while the server has no owner account.
    NoOwner,
    /// A caller with this right.
    May(Right),
}

/// The routes and what each requires.
pub const NEEDS: [(&str, Need); 60] = [
    ("/healthz", Need::Open),
    ("/readyz", Need::Open),
    // The route itself checks who asks.
    ("/metrics", Need::Open),
    // As above: only who can write the data folder is answered.
    ("/doctor/{name}", Need::Open),
    ("/pkg/{*name}", Need::Open),
    ("/login", Need::Open),
    ("/login/openid", Need::Open),
    ("/login/openid/callback", Need::Open),
    // They find out themselves who asks.
    ("/login/passkey", Need::Open),
    ("/login/passkey/options", Need::Open),
    ("/second-factor", Need::Open),
    ("/second-factor/code", Need::Open),
    ("/passkey", Need::Open),
    ("/passkey/options", Need::Open),
    ("/invitation", Need::Open),
    ("/invitation/accept", Need::Open),
    ("/link", Need::Open),
    ("/not-allowed", Need::Open),
    ("/offline", Need::Open),
    ("/service-worker.js", Need::Open),
    ("/manifest.webmanifest", Need::Open),
    ("/set-up", Need::NoOwner),
    ("/logout", Need::May(Right::Read)),
    ("/", Need::May(Right::Read)),
    ("/inbox", Need::May(Right::Read)),
    ("/search", Need::May(Right::Read)),
    ("/rules", Need::May(Right::Answer)),
    ("/c/{id}/rule", Need::May(Right::Answer)),
    ("/account", Need::May(Right::Read)),
    ("/notifications", Need::May(Right::Read)),
    ("/c/{id}", Need::May(Right::See)),
    ("/c/{id}/replay", Need::May(Right::See)),
    ("/c/{id}/sharing", Need::May(Right::Operate)),
    ("/c/{id}/insight", Need::May(Right::Read)),
    ("/insight", Need::May(Right::Read)),
    ("/live", Need::May(Right::See)),
    ("/c/{id}/event/{seq}", Need::May(Right::Read)),
    ("/c/{id}/event/{seq}/image/{number}", Need::May(Right::See)),
    ("/c/{id}/trajectory.json", Need::May(Right::Read)),
    ("/c/{id}/export", Need::May(Right::Read)),
    ("/c/{id}/export.md", Need::May(Right::Read)),
    ("/c/{id}/messages.json", Need::May(Right::Read)),
    ("/c/{id}/export.html", Need::May(Right::Read)),
    ("/c/{id}/evidence.html", Need::May(Right::Read)),
    ("/c/{id}/evidence.json", Need::May(Right::Read)),
    ("/c/{id}/workspace", Need::May(Right::Read)),
    ("/c/{id}/file", Need::May(Right::Read)),
    ("/c/{id}/upload", Need::May(Right::Operate)),
    ("/new", Need::May(Right::Operate)),
    ("/import", Need::May(Right::Operate)),
    ("/share", Need::May(Right::Operate)),
    ("/install", Need::May(Right::Read)),
    ("/settings", Need::May(Right::Own)),
    ("/settings/connection", Need::May(Right::Own)),
    ("/settings/approvers", Need::May(Right::Own)),
    ("/settings/budgets", Need::May(Right::Own)),
    ("/settings/nodes", Need::May(Right::Own)),
    ("/settings/retention", Need::May(Right::Own)),
    ("/people", Need::May(Right::Own)),
    ("/audit", Need::May(Right::Own)),
];

/// What the addresses of the API begin with.
pub const API_PREFIX: &str = "/api/v1/";

/// The routes of the API with their methods, the right that each requires, and the scope that a token for it has.
pub const API: [(Method, &str, Right, Scope); 17] = [
    (Method::GET, "/api/v1/me", Right::Read, Scope::Read),
    (
        Method::GET,
        "/api/v1/conversations",
        Right::Read,
        Scope::Read,
    ),
    (
        Method::POST,
        "/api/v1/conversations",
        Right::Operate,
        Scope::Send,
    ),
    (
        Method::GET,
        "/api/v1/conversations/{id}",
        Right::Read,
        Scope::Read,
    ),
    (
        Method::GET,
        "/api/v1/conversations/{id}/events",
        Right::Read,
        Scope::Read,
    ),
    (
        Method::POST,
        "/api/v1/conversations/{id}/messages",
        Right::Operate,
        Scope::Send,
    ),
    (
        Method::GET,
        "/api/v1/conversations/{id}/approval",
        Right::Read,
        Scope::Read,
    ),
    (
        Method::POST,
        "/api/v1/conversations/{id}/approve",
        Right::Answer,
        Scope::Approve,
    ),
    (
        Method::POST,
        "/api/v1/conversations/{id}/reject",
        Right::Answer,
        Scope::Approve,
    ),
    (
        Method::POST,
        "/api/v1/conversations/{id}/stop",
        Right::Operate,
        Scope::Send,
    ),
    (
        Method::GET,
        "/api/v1/conversations/{id}/evidence",
        Right::Read,
        Scope::Read,
    ),
    (
        Method::GET,
        "/api/v1/conversations/{id}/export",
        Right::Read,
        Scope::Read,
    ),
    (Method::GET, "/api/v1/inbox", Right::Read, Scope::Read),
    (Method::GET, "/api/v1/search", Right::Read, Scope::Read),
    (Method::GET, "/api/v1/usage", Right::Read, Scope::Read),
    (Method::GET, "/api/v1/rules", Right::Answer, Scope::Read),
    (Method::GET, "/api/v1/people", Right::Own, Scope::Admin),
];

/// The description of the API, for everybody.
pub const DESCRIPTION: &str = "/api/v1/openapi.json";

/// Downloads of the audit log; owners only, because they are not in [`NEEDS`].
pub const AUDIT_FILES: [&str; 2] = ["/audit.jsonl", "/audit.csv"];

/// The page of all parts with its style sheet, in development builds; owners only, for the same reason.
#[cfg(debug_assertions)]
pub const DEVELOPMENT: [&str; 2] = ["/style", "/style.css"];
#[cfg(all(test, not(debug_assertions)))]
pub const DEVELOPMENT: [&str; 0] = [];

/// What the route with this pattern requires. `None` means that no route matched the path.
pub fn need(method: &Method, route: Option<&str>, is_file: impl Fn(&str) -> bool) -> Need {
    match route {
        Some(DESCRIPTION) => Need::Open,
        Some(route) if route.starts_with(API_PREFIX) => {
            let known = of_api(method, route).map(|(right, _)| right);
            Need::May(known.unwrap_or(Right::Own))
        }
        // The "page not found" page shows the conversation list, so it requires the right to read.
        None => Need::May(Right::Read),
        Some(route) if route.starts_with("/api/") => Need::May(Right::See),
        Some(route) if is_file(route) => Need::Open,
        Some(route) => {
            let known = NEEDS.iter().find(|(path, _)| *path == route);
            known.map_or(Need::May(Right::Own), |(_, need)| *need)
        }
    }
}

/// The right that a route of the API requires, and the scope.
fn of_api(method: &Method, route: &str) -> Option<(Right, Scope)> {
    let method = match *method {
        Method::HEAD => &Method::GET,
        _ => method,
    };
    let known = API
        .iter()
        .find(|(known, path, ..)| known == method && *path == route);
    known.map(|(_, _, right, scope)| (*right, *scope))
}

/// Whether a credential with scopes is for this route: never for one that is not in the table of the API.
pub fn is_for(caller: &Caller, method: &Method, route: Option<&str>) -> bool {
    let scope = route.and_then(|route| of_api(method, route));
    match (&caller.credential, scope) {
        (Credential::ApiToken(..), None) => false,
        (_, scope) => scope.is_none_or(|(_, scope)| caller.is_for(scope)),
    }
}

/// The right that the route of a request requires.
pub fn right_of(parts: &Parts) -> Right {
    let route = parts.extensions.get::<MatchedPath>();
    match need(&parts.method, route.map(MatchedPath::as_str), |_| false) {
        Need::May(right) => right,
        Need::Open | Need::NoOwner => Right::Own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::every_route;
    use std::collections::BTreeSet;

    // Generating the list of pages renders them, which needs an async runtime.
    #[tokio::test]
    async fn every_route_has_its_need() {
        let known: BTreeSet<&str> = NEEDS
            .iter()
            .map(|(path, _)| *path)
            .chain(AUDIT_FILES)
            .chain(DEVELOPMENT)
            .chain([DESCRIPTION])
            .collect();
        let mut api: Vec<(Method, &str)> = API
            .iter()
            .map(|(method, path, ..)| (method.clone(), *path))
            .collect();
        let (mut served, mut functions) = (BTreeSet::new(), 0);
        for (method, path) in every_route() {
            if path.starts_with(API_PREFIX) && path != DESCRIPTION {
                let known = api
                    .iter()
                    .position(|known| *known == (method.clone(), &*path));
                api.remove(known.unwrap_or_else(|| panic!("{method} {path} is not in the table")));
            } else if path.starts_with("/api/") && path != DESCRIPTION {
                functions += 1;
            } else {
                served.insert(path);
            }
        }
        let served: BTreeSet<&str> = served.iter().map(String::as_str).collect();
        assert!(functions > 30, "only {functions} functions were found");
        assert_eq!(served, known, "left: served; right: in the table");
        assert!(api.is_empty(), "not served: {api:?}");
    }

    #[test]
    fn what_nobody_entered_is_for_owners_alone() {
        let get = Method::GET;
        for new in ["/new-route", "/c/{id}/new", "/api/v1/new"] {
            assert_eq!(need(&get, Some(new), |_| false), Need::May(Right::Own));
        }
        assert_eq!(need(&get, None, |_| false), Need::May(Right::Read));
        let delete = need(&Method::DELETE, Some("/api/v1/conversations"), |_| false);
        assert_eq!(delete, Need::May(Right::Own));
    }

    #[test]
    fn a_token_with_scopes_is_for_the_routes_of_its_scopes_alone() {
        let token = |scopes: &str| Caller {
            credential: Credential::ApiToken(1, scopes.parse().expect("known words")),
            ..Caller::at_the_machine()
        };
        let all = token("read send approve admin");
        for (path, _) in NEEDS {
            assert!(!is_for(&all, &Method::GET, Some(path)), "{path}");
        }
        assert!(!is_for(
            &all,
            &Method::POST,
            Some("/api/answer_confirmation1")
        ));
        let approving: Vec<&str> = API
            .iter()
            .filter(|(method, path, ..)| is_for(&token("approve"), method, Some(path)))
            .map(|(_, path, ..)| *path)
            .collect();
        let answers =
            ["approve", "reject"].map(|word| format!("/api/v1/conversations/{{id}}/{word}"));
        assert_eq!(approving, answers);
        for (method, path, _, scope) in &API {
            assert!(is_for(&all, method, Some(path)));
            let others = Scope::ALL.into_iter().filter(|other| other != scope);
            let others: Vec<&str> = others.map(Scope::word).collect();
            assert!(
                !is_for(&token(&others.join(" ")), method, Some(path)),
                "{path}"
            );
        }
    }
}
