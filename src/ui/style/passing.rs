//! What is there for a while only: the palette, a selection in the list, attachments, messages that wait for an answer
//! of their author, hits of a search, and what helps after a failure.

use super::group;
use crate::ui::parts::{EmptyState, named_icon};
use leptos::prelude::*;

/// Items of a menu, of which one is current.
fn items<const COUNT: usize>(names: [&'static str; COUNT], current: usize) -> impl IntoView {
    let items = names.into_iter().enumerate().map(|(number, name)| {
        let current = (number == current).then_some("true");
        view! { <a class="menu__item" href="?" aria-current=current>{name}</a> }
    });
    items.collect_view()
}

/// The palette with results, which is not modal without a script, and without any.
pub(super) fn palette() -> AnyView {
    let lines = ["Inbox", "Repair the parser", "Search for “parser”"];
    let lines = items(lines, 1);
    let specimens = view! {
        <dialog class="dialog" open=true aria-label="Sample palette">
            <input class="input" type="text" autocomplete="off" aria-label="Go to" placeholder="Page or conversation" />
            <span class="visually-hidden" role="status">
                "Repair the parser"
            </span>
            <nav aria-label="Found">{lines}</nav>
        </dialog>
    };
    group("Palette", specimens)
}

/// The list while several conversations are selected, and the question before they are deleted is one press away.
pub(super) fn selection(theme: &'static str) -> AnyView {
    let rows = [("Repair the parser", true), ("Write the manual", false)];
    let rows = rows.into_iter().map(|(title, checked)| {
        view! {
            <li class="conversation-row">
                <label class="conversation-row__pick">
                    <input type="checkbox" checked=checked />
                    <span class="visually-hidden">{format!("Select {title}")}</span>
                </label>
                <a class="conversation-row__link" href="?">
                    <span class="conversation-row__title">{title}</span>
                    <span class="conversation-row__meta">"Run make test"</span>
                </a>
            </li>
        }
    });
    let filters = items(["All", "Needs approval", "Done"], 0);
    let specimens = view! {
        <nav aria-label="Sample filters">{filters}</nav>
        <form class="cluster" id=format!("{theme}-chosen")>
            <button type="button" class="button button--small button--danger">
                {named_icon("trash", "Delete…")}
            </button>
            <a class="button button--small" href="?">
                "Cancel"
            </a>
        </form>
        <ul class="conversation-list__rows">{rows.collect_view()}</ul>
        <EmptyState title="No conversation matches this filter." text="">
            <a class="button" href="?">
                "Show all conversations"
            </a>
        </EmptyState>
    };
    group(
        "A selection in the list, and a filter without results",
        specimens,
    )
}

/// Files of a message: there, on its way and failed; and one that was refused.
pub(super) fn attachments() -> AnyView {
    let file = |name: &'static str, state: AnyView| {
        view! {
            <li class="chip">
                <span class="truncate">{name}</span>
                {state}
                <button type="button" class="chip__remove" aria-label=format!("Remove {name}")>
                    "×"
                </button>
            </li>
        }
    };
    let going = view! { <progress class="progress" max="100" value="40" aria-label="Uploading data.csv"></progress> };
    let failed = view! { <span class="field__error">"The upload failed"</span> };
    let specimens = view! {
        <ul class="composer__files" aria-label="Sample attachments">
            {file("notes.txt", ().into_any())}
            {file("data.csv", going.into_any())}
            {file("a-long-name-of-a-file-that-does-not-fit.tar.gz", failed.into_any())}
        </ul>
        <p class="field__error">"huge.png is too large. An image may have 2 MB."</p>
    };
    group("Attachments", specimens)
}

/// Messages whose author must decide, and one that waits on the device for the network.
pub(super) fn undelivered() -> AnyView {
    let undelivered = [
        ("sending", "Sending…", vec![]),
        ("sent", "Sent", vec![]),
        (
            "failed",
            "Not sent. Disconnected from OpenHands.",
            vec!["Send again", "Discard"],
        ),
        (
            "indeterminate",
            "May not have been sent",
            vec!["Send again", "Discard"],
        ),
        ("waiting", "Waiting for the network", vec!["Remove"]),
    ];
    let rows = undelivered.into_iter().map(|(word, says, buttons)| {
        let buttons = buttons.into_iter().enumerate().map(|(number, label)| {
            let quiet = if number == 1 { " button--quiet" } else { "" };
            view! {
                <button type="button" class=format!("button button--small{quiet}")>
                    {label}
                </button>
            }
        });
        view! {
            <article class="row row--human row--own" data-delivery=word>
                <header class="row__head">
                    <span class="row__who">"You"</span>
                </header>
                <div class="row__text">
                    <p class="row__plain">"Are you there?"</p>
                </div>
                <div class="row__delivery">
                    <span>{says}</span>
                    <div class="cluster">{buttons.collect_view()}</div>
                </div>
            </article>
        }
    });
    let specimens = view! {
        {rows.collect_view()}
        <article class="row row--environment">
            <div class="notice notice--bad">
                <strong class="notice__title">"The model rejected the API key"</strong>
                <div class="notice__text prose">
                    <p>"Check the key in the settings."</p>
                </div>
                <div class="cluster notice__remedy">
                    <a class="button button--small" href="?">
                        "Settings"
                    </a>
                    <button type="button" class="button button--small">
                        "Retry"
                    </button>
                </div>
            </div>
        </article>
    };
    group(
        "Undelivered messages, and a failure with its remedy",
        specimens,
    )
}

/// Hits of a search.
pub(super) fn hits() -> AnyView {
    let specimens = view! {
        <h2 class="results__head">
            <a href="?">"Repair the parser"</a>
            <span class="chip">"Archived"</span>
            <span class="muted">"1 result"</span>
        </h2>
        <ol class="results">
            <li class="result">
                <a class="result__link" href="?">
                    <span class="result__meta muted">"Command · 3 min ago"</span>
                    <span class="result__text">
                        "run " <mark>"make"</mark> " test, and look at what it says of the parser"
                    </span>
                </a>
            </li>
        </ol>
    };
    group("Hits of a search", specimens)
}
