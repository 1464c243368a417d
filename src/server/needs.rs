//! What every route requires: one table.
//!
//! A route that is missing from the table is restricted to owners, so a forgotten entry fails closed, and the test
//! `every_route_has_its_need` finds it. Server functions require a login (or a share link) here; each one then checks
//! the specific right itself with `api::allowed`.

use crate::people::Right;
use axum::extract::MatchedPath;
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
pub const NEEDS: [(&str, Need); 57] = [
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
    ("/settings/retention", Need::May(Right::Own)),
    ("/people", Need::May(Right::Own)),
    ("/audit", Need::May(Right::Own)),
];

/// Downloads of the audit log; owners only, because they are not in [`NEEDS`].
pub const AUDIT_FILES: [&str; 2] = ["/audit.jsonl", "/audit.csv"];

/// The page of all parts with its style sheet, in development builds; owners only, for the same reason.
#[cfg(debug_assertions)]
pub const DEVELOPMENT: [&str; 2] = ["/style", "/style.css"];
#[cfg(all(test, not(debug_assertions)))]
pub const DEVELOPMENT: [&str; 0] = [];

/// What the route with this pattern requires. `None` means that no route matched the path.
pub fn need(route: Option<&str>, is_file: impl Fn(&str) -> bool) -> Need {
    match route {
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

/// The right that the route of a request requires.
pub fn right_of(parts: &Parts) -> Right {
    let route = parts.extensions.get::<MatchedPath>();
    match need(route.map(MatchedPath::as_str), |_| false) {
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
            .collect();
        let (mut served, mut functions) = (BTreeSet::new(), 0);
        for (_, path) in every_route() {
            if path.starts_with("/api/") {
                functions += 1;
            } else {
                served.insert(path);
            }
        }
        let served: BTreeSet<&str> = served.iter().map(String::as_str).collect();
        assert!(functions > 30, "only {functions} functions were found");
        assert_eq!(served, known, "left: served; right: in the table");
    }

    #[test]
    fn what_nobody_entered_is_for_owners_alone() {
        assert_eq!(need(Some("/new-route"), |_| false), Need::May(Right::Own));
        assert_eq!(need(Some("/c/{id}/new"), |_| false), Need::May(Right::Own));
        assert_eq!(need(None, |_| false), Need::May(Right::Read));
    }
}
