//! Small labels, a table, and the rows of the list.

use super::group;
use crate::{
    api::ConversationSummary,
    backend::Runtime,
    conversation::{Risk, Status},
    store::drawn_at,
    ui::{
        list::LooseRows,
        parts::{RiskBadge, StatusBadge, status_word},
    },
};
use leptos::prelude::*;

fn statuses() -> Vec<Status> {
    vec![
        Status::Loading,
        Status::Idle,
        Status::Running,
        Status::AwaitingInput,
        Status::AwaitingConfirmation,
        Status::Confirmed,
        Status::UserRejected,
        Status::Paused,
        Status::Stopped,
        Status::Finished,
        Status::Declined,
        Status::Error,
        Status::Stuck,
        Status::RateLimited,
        Status::Deleting,
        Status::Other("migrating".to_owned()),
    ]
}

/// The badge of every status, and every risk.
pub(super) fn badges() -> AnyView {
    let badge = |status: Status| view! { <StatusBadge status=Signal::stored(status) /> };
    let risks = [Risk::Unknown, Risk::Low, Risk::Medium, Risk::High];
    let risks = risks.into_iter().map(|risk| view! { <RiskBadge risk /> });
    let specimens = view! {
        <div class="cluster">{statuses().into_iter().map(badge).collect_view()}</div>
        <div class="cluster">{risks.collect_view()}</div>
    };
    group("Statuses and risks", specimens)
}

/// Chips, counts, keys and people.
pub(super) fn chips() -> AnyView {
    let specimens = view! {
        <div class="chips">
            <span class="chip">"acme/parser"</span>
            <span class="chip">"urgent"</span>
            <span class="chip mono">"notes.txt"</span>
            <button type="button" class="chip chip--button" aria-pressed="false">
                "All"
            </button>
            <button type="button" class="chip chip--button" aria-pressed="true">
                "Running"
            </button>
            <span class="chip">
                "removable"
                <button type="button" class="chip__remove" aria-label="Remove removable">
                    "×"
                </button>
            </span>
        </div>
        <div class="cluster">
            <span class="count">"7"</span>
            <kbd class="key">"Ctrl"</kbd>
            <span class="people">
                <span class="avatar">"AL"</span>
                <span class="avatar">"GH"</span>
            </span>
            <code>"code"</code>
            <mark>"found"</mark>
            <span class="muted">"muted"</span>
        </div>
        <p class="prose">"A text with a " <a href="?">"link"</a> " in it"</p>
    };
    group("Chips, counts, keys and people", specimens)
}

/// A table, which stacks its cells on a phone.
pub(super) fn table() -> AnyView {
    let people = [("ada", "Owner"), ("grace", "Approver"), ("alan", "Viewer")];
    let people = people.into_iter().map(|(name, role)| {
        view! {
            <tr>
                <td data-label="Name">{name}</td>
                <td data-label="Role">{role}</td>
                <td data-label="Actions">
                    <button type="button" class="button button--small">
                        "Revoke"
                    </button>
                </td>
            </tr>
        }
    });
    let specimens = view! {
        <div class="table-scroll">
            <table class="table table--stack">
                <thead>
                    <tr>
                        <th scope="col">"Name"</th>
                        <th scope="col">"Role"</th>
                        <th scope="col">"Actions"</th>
                    </tr>
                </thead>
                <tbody>{people.collect_view()}</tbody>
            </table>
        </div>
    };
    group("Table", specimens)
}

/// A row of the list for every status.
pub(super) fn list(theme: &'static str) -> AnyView {
    let summary = |(number, status): (usize, Status)| ConversationSummary {
        id: format!("{theme}{number}"),
        title: format!("{}: repair the parser", status_word(&status)),
        runtime: Runtime::Running,
        waiting: u32::from(status == Status::AwaitingConfirmation),
        archived: status == Status::Stopped,
        status,
        excerpt: "Run make test".to_owned(),
        cost: 0.42,
        repository: Some("acme/parser".to_owned()),
        branch: Some("main".to_owned()),
        backend: "OpenHands".to_owned(),
        updated_at: drawn_at(),
        newest: 1,
        seen: (number % 4 == 3).then_some(0),
        ..ConversationSummary::default()
    };
    let conversations: Vec<_> = statuses().into_iter().enumerate().map(summary).collect();
    group("Rows of the list", view! { <LooseRows conversations /> })
}
