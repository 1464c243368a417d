//! Buttons, fields, menus, a dialog and tabs.

use super::group;
use crate::ui::parts::{CopyButton, Dialog, Field, Menu, Submit, TextField, Toggle, named_icon};
use leptos::prelude::*;

/// Every kind of button, each also disabled and busy.
pub(super) fn buttons() -> AnyView {
    let kinds = [
        ("button", "Plain"),
        ("button button--primary", "Primary"),
        ("button button--approve", "Approve"),
        ("button button--danger", "Reject"),
        ("button button--quiet", "Quiet"),
        ("button button--small", "Small"),
        ("button button--large", "Large"),
    ];
    let kinds = kinds.into_iter().map(|(class, label)| {
        view! {
            <div class="cluster">
                <button type="button" class=class>{label}</button>
                <button type="button" class=class disabled=true>{label}</button>
                <Submit busy=Signal::stored(true) label class />
            </div>
        }
    });
    let specimens = view! {
        {kinds.collect_view()}
        <div class="cluster">
            <button type="button" class="button button--danger button--large" data-arms="" aria-disabled="true">
                <span>"Arming"</span>
            </button>
            <button type="button" class="button button--danger button--large" data-arms="">
                <span>"Armed"</span>
            </button>
            <span class="too-early__text">"That press came too early"</span>
        </div>
        <div class="cluster">
            <a class="button" href="?">
                "Link"
            </a>
            <Submit busy=Signal::stored(false) label="Icon" class="button" icon="plus" />
            <CopyButton text="Copied from the page of all parts" />
            <span class="button-group">
                <button type="button" class="button" aria-pressed="true">
                    "One"
                </button>
                <button type="button" class="button" aria-pressed="false">
                    "Two"
                </button>
            </span>
        </div>
    };
    group("Buttons", specimens)
}

/// Fields: empty, filled, with a hint, invalid and disabled.
pub(super) fn fields(theme: &'static str) -> AnyView {
    let id = move |name: &str| format!("{theme}-{name}");
    let specimens = view! {
        <TextField id=id("empty") name="empty" label="Empty" example="acme/parser" />
        <TextField id=id("filled") name="filled" label="Filled" value="acme/parser" />
        <TextField id=id("hint") name="hint" label="With a hint" hint="The agent works on a copy of this branch" value="main" />
        <Field id=id("invalid") label="Invalid">
            <input
                class="input"
                id=id("invalid")
                value="no such address"
                aria-invalid="true"
                aria-describedby=id("error")
            />
            <p class="field__error" id=id("error")>
                "The address must begin with http:// or https://"
            </p>
        </Field>
        <Field id=id("disabled") label="Disabled">
            <input class="input" id=id("disabled") value="Set by the administrator" disabled=true />
        </Field>
        <Field id=id("select") label="Choice">
            <select class="select" id=id("select")>
                <option>"Viewer"</option>
                <option>"Approver"</option>
            </select>
        </Field>
        <Field id=id("text") label="Text">
            <textarea class="input textarea" id=id("text") rows="2">
                "Two lines of a longer text, which a person has typed into a field that grows with it."
            </textarea>
        </Field>
        <Field id=id("file") label="File">
            <input class="input" id=id("file") type="file" />
        </Field>
        <Toggle name="on" label="On" checked=true />
        <Toggle name="off" label="Off" checked=false />
        <progress class="progress" value="40" max="100" aria-label="Upload"></progress>
    };
    group("Fields", specimens)
}

/// A closed menu and an open one.
pub(super) fn menus() -> AnyView {
    // The component has a name in common with all others, of which one at most is open.
    let specimens = view! {
        <div>
            <Menu label="Closed" class="menu">
                <button type="button" class="menu__item">
                    "Rename…"
                </button>
            </Menu>
        </div>
        <details class="menu" open=true>
            <summary class="button button--quiet">"Open"</summary>
            <div class="menu__list">
                <button type="button" class="menu__item">
                    {named_icon("pencil", "Rename…")}
                </button>
                <button type="button" class="menu__item" aria-pressed="true">
                    "Chosen"
                </button>
                <a class="menu__item" href="?" aria-current="page">
                    "Current"
                </a>
                <hr class="menu__rule" />
                <button type="button" class="menu__item menu__item--danger">
                    {named_icon("trash", "Delete…")}
                </button>
            </div>
        </details>
    };
    group("Menus", specimens)
}

/// An open dialog, which is not modal without a script.
pub(super) fn dialog() -> AnyView {
    let specimens = view! {
        <Dialog open=Signal::stored(true) close=Callback::new(|()| {}) title="Delete this conversation?">
            <p>"The conversation and its workspace are removed for good."</p>
            <div class="dialog__actions">
                <button type="button" class="button">
                    "Cancel"
                </button>
                <button type="button" class="button button--danger">
                    "Delete"
                </button>
            </div>
        </Dialog>
    };
    group("Dialog", specimens)
}

/// The tabs of a conversation, and links to the pages.
pub(super) fn tabs() -> AnyView {
    let specimens = view! {
        <nav class="panels" aria-label="Sample panels">
            <a class="panels__tab" href="?" aria-current="page">
                "Timeline"
            </a>
            <a class="panels__tab" href="?">
                {named_icon("terminal", "Terminal")}
            </a>
            <a class="panels__tab" href="?">
                {named_icon("list", "Tasks")}
                " "
                <span class="count">"2/3"</span>
            </a>
        </nav>
        <nav class="nav" aria-label="Sample pages">
            <a class="nav__link" href="?" aria-current="page">
                "Usage"
            </a>
            <a class="nav__link" href="?">
                "Inbox"
                <span class="count">"3"</span>
            </a>
        </nav>
    };
    group("Tabs and navigation", specimens)
}
