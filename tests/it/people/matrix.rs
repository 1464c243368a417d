//! Every route and function, with every role and every state of a session.
//!
//! The dialect of the backend does not matter: backends know no users, so Handrail alone checks each right.
//!
//! Long because of the list of functions.

use super::house::{House, filled, name_of};
use handrail::people::{Right, Role};
use handrail::server::{Need, every_route, needed};
use reqwest::{Method, StatusCode};

/// The right that each server function needs. The test below fails if a new function is missing here.
const FUNCTIONS: [(Right, &[&str]); 5] = [
    (
        Right::See,
        &[
            "open_conversation",
            "older_rows",
            "later_rows",
            "whole_row",
            "replay_at",
            "replay_track",
            "read_entrance",
            "choose_appearance",
        ],
    ),
    (
        Right::Read,
        &[
            "list_conversations",
            "pin_conversation",
            "sort_list",
            "read_inbox",
            "read_budget_items",
            "read_insight",
            "read_overall",
            "search_events",
            "read_search_choices",
            "walk_hits",
            "read_model",
            "read_export",
            "retry_connection",
            "draft",
            "list_files",
            "read_file",
            "read_review",
            "read_recorded_changes",
            "list_comments",
            "read_outline",
            "list_commits",
            "read_change",
            "list_microagents",
            "read_me",
            "read_account",
            "change_password",
            "unlink_identity",
            "end_device",
            "end_other_devices",
            "make_token",
            "end_token",
            "end_passkey",
            "renew_codes",
            "read_can_touch",
            "read_notifications",
            "subscribe_push",
            "add_ntfy",
            "add_webhook",
            "choose_notifications",
            "remove_notifications",
            "test_notifications",
        ],
    ),
    (
        Right::Answer,
        &[
            "answer_confirmation",
            "amend_action",
            "begin_touch",
            "answer_from_notification",
            "read_rules",
            "read_rule_choices",
            "make_rule",
            "end_rule",
            "stop_rules",
        ],
    ),
    (
        Right::Operate,
        &[
            "create_conversation",
            "read_budgets_here",
            "lift_budget",
            "fork_conversation",
            "read_last_message",
            "send_instead",
            "ask_agent",
            "set_policy",
            "list_profiles",
            "switch_profile",
            "rename_conversation",
            "tag_conversation",
            "delete_conversation",
            "delete_conversations",
            "archive_conversations",
            "stop_conversations",
            "start_conversation",
            "stop_conversation",
            "send_message",
            "send_message_with",
            "resolve_failed_message",
            "steer",
            "keep_draft",
            "keep_comment",
            "delete_comment",
            "resolve_comment",
            "send_comments",
            "share_draft",
            "read_sharing",
            "share_conversation",
            "share_with",
            "unshare",
            "make_link",
            "end_link",
        ],
    ),
    (
        Right::Own,
        &[
            "read_settings",
            "save_settings",
            "add_mcp_server",
            "remove_mcp_server",
            "test_mcp_server",
            "save_secret",
            "delete_secret",
            "read_connections",
            "remove_connection",
            "test_connection",
            "save_connection",
            "follow_everything",
            "read_nodes",
            "read_retention",
            "add_retention_rule",
            "remove_retention_rule",
            "automate_retention",
            "apply_retention",
            "read_people",
            "add_person",
            "change_role",
            "disable_person",
            "reset_password",
            "clear_lock",
            "make_invitation",
            "end_invitation",
            "require_passkeys",
            "reset_passkeys",
            "read_audit",
            "read_audit_choices",
            "resume_rules",
            "read_authority",
            "save_authority",
            "read_escalations",
            "save_escalation",
            "remove_escalation",
            "read_touches",
            "save_touches",
            "read_budgets",
            "save_budgets",
        ],
    ),
];

/// Arguments for all functions; each takes the ones it knows. None of the named objects exists.
pub const ARGUMENTS: [(&str, &str); 49] = [
    ("id", "none"),
    ("ids", "none"),
    ("text", "x"),
    ("row", "1"),
    ("limit", "1"),
    ("message", ""),
    ("title", "x"),
    ("client_id", "x"),
    ("again", "true"),
    ("token", "x"),
    ("decision", "approve"),
    ("reason", ""),
    ("order", "pause"),
    ("directory", ""),
    ("path", "x"),
    ("old", "wrong guess"),
    ("new", "wrong guess"),
    ("number", "0"),
    ("name", "-"),
    ("role", "viewer"),
    ("days", "0"),
    ("password", "short"),
    ("disabled", "true"),
    ("subject", "x"),
    ("kind", "x"),
    ("address", "x"),
    ("value", ""),
    ("description", ""),
    ("host", ""),
    ("port", "0"),
    ("key", ""),
    ("action", ""),
    ("conversation", ""),
    ("settings[model]", "x"),
    ("audience", "all"),
    ("names", ""),
    ("question", "x"),
    ("policy", "always"),
    ("profile", "default"),
    ("label", "x"),
    ("tags", "x"),
    ("ask[q]", "private"),
    ("seq", "1"),
    ("scope", "mine"),
    ("endpoint", "x"),
    ("p256dh", "x"),
    ("auth", "x"),
    ("least", "owner"),
    ("reach", "all"),
];

/// Whether a route lets somebody in: it refuses in its own way. See the tests of logins and of the second factor.
fn is_login(path: &str) -> bool {
    let path = path.trim_end_matches("/options").trim_end_matches("/code");
    ["/login", "/login/passkey", "/second-factor", "/passkey"].contains(&path)
}

/// The right that a route or function needs.
fn need_of(method: &Method, path: &str) -> Need {
    let Some(name) = name_of(path) else {
        return needed(method, path);
    };
    let found = FUNCTIONS.iter().find(|(_, names)| names.contains(&name));
    let (right, _) =
        found.unwrap_or_else(|| panic!("{name} is a new function: add its right to the table"));
    Need::May(*right)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_route_admits_exactly_the_right_roles() {
    let house = House::new().await;
    let ended = house.log_in("owner").await;
    assert_eq!(house.post("/logout", Some(&ended), &[]).await.status(), 303);
    let another = house.log_in("viewer").await;
    let strangers = [
        ("no cookie", None),
        ("a login that has ended", Some(ended.clone())),
        (
            "a made up cookie",
            Some("handrail=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".to_owned()),
        ),
        ("two cookies", Some(format!("{another}; {another}"))),
        (
            "a huge cookie",
            Some(format!("handrail={}", "x".repeat(7_000))),
        ),
    ];
    // Logout comes last, because it ends the session that the other requests need.
    let mut routes = every_route();
    routes.sort_by_key(|(_, path)| path == "/logout");
    let (mut requests, mut right) = (0, 0);
    let mut wrong = Vec::new();
    let mut check = |what: String, status: StatusCode, wanted: Option<StatusCode>| {
        requests += 1;
        let is_expected = match wanted {
            Some(wanted) => status == wanted,
            None => status != StatusCode::UNAUTHORIZED && status != StatusCode::FORBIDDEN,
        };
        if is_expected {
            right += 1;
        } else {
            wrong.push(format!("{what}: {status}"));
        }
    };
    for (who, cookie) in &strangers {
        for (method, path) in &routes {
            if is_login(path) {
                continue;
            }
            let answer = house
                .ask(
                    method.clone(),
                    &filled(path, "none"),
                    cookie.as_deref(),
                    &ARGUMENTS,
                )
                .await;
            let wanted = match need_of(method, path) {
                Need::Open => None,
                Need::NoOwner => Some(StatusCode::NOT_FOUND),
                Need::May(_) => Some(StatusCode::UNAUTHORIZED),
            };
            check(
                format!("{method} {path} with {who}"),
                answer.status(),
                wanted,
            );
        }
    }
    // A visitor, in the conversation of their link.
    let owner = house.log_in("owner").await;
    let id = house
        .create_conversation(&owner, "[[scenario:hello]]")
        .await;
    let visitor = house.visit(&owner, &id).await;
    let arguments = ARGUMENTS.map(|(name, value)| match name {
        "id" | "ids" | "conversation" => (name, id.as_str()),
        _ => (name, value),
    });
    for (method, path) in routes.iter().filter(|(_, path)| !is_login(path)) {
        let need = need_of(method, path);
        let (at, method) = (filled(path, &id), method.clone());
        let answer = house.ask(method, &at, Some(&visitor), &arguments).await;
        let wanted = match need {
            Need::Open | Need::May(Right::See) => None,
            Need::NoOwner => Some(StatusCode::NOT_FOUND),
            Need::May(_) => Some(StatusCode::FORBIDDEN),
        };
        check(format!("{path} as visitor"), answer.status(), wanted);
    }
    for role in Role::ALL {
        let cookie = house.log_in(role.word()).await;
        for (method, path) in routes.iter().filter(|(_, path)| !is_login(path)) {
            // Forbidden calls target a visible conversation; allowed calls target a missing one and change nothing.
            let may = !matches!(need_of(method, path), Need::May(right) if !role.may(right));
            let (there, arguments) = match may {
                true => ("none", &ARGUMENTS),
                false => (id.as_str(), &arguments),
            };
            let need = need_of(method, path);
            let (at, method) = (filled(path, there), method.clone());
            let answer = house
                .ask(method.clone(), &at, Some(&cookie), arguments)
                .await;
            let wanted = match need {
                Need::Open => None,
                Need::NoOwner => Some(StatusCode::NOT_FOUND),
                Need::May(right) => (!role.may(right)).then_some(StatusCode::FORBIDDEN),
            };
            check(
                format!("{method} {path} as {role}"),
                answer.status(),
                wanted,
            );
        }
    }
    eprintln!("{right} of {requests}, over {} routes", routes.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    let known: usize = FUNCTIONS.iter().map(|(_, names)| names.len()).sum();
    let there = routes
        .iter()
        .filter(|(_, path)| name_of(path).is_some())
        .count();
    assert_eq!(known, there, "a function is gone: remove it from the table");
}
