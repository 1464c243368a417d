//! The tabs that switch between the panels.

use super::address::panel_address;
use super::text;
use crate::conversation::{Task, TaskStatus};
use crate::store::{use_conversation, use_query};
use crate::text::Text;
use crate::ui::parts::{Icon, varying};
use crate::ui::timeline;
use leptos::prelude::*;

/// The panels: name in the URL, title, icon. A phone has them in a menu.
const VIEWS: [(&str, Text, &str); 7] = [
    ("terminal", text::terminal, "terminal"),
    ("files", text::files, "folder"),
    ("changes", text::changes, "diff"),
    ("browser", text::browser, "globe"),
    ("tasks", text::tasks, "list"),
    ("info", text::info, "info"),
    ("model", text::model_view, "file"),
];

/// The panel that has no tab: it is in the menu of the conversation.
pub const OUTLINE: &str = "outline";

/// The panel that the URL names; "timeline" if it names none or an unknown one.
pub(super) fn panel_name() -> Memo<&'static str> {
    let query = use_query();
    Memo::new(move |_| {
        query.with(|query| {
            let asked = query.get_str("panel").unwrap_or_default();
            let mut known = VIEWS.iter().map(|(name, ..)| *name).chain([OUTLINE]);
            known.find(|name| *name == asked).unwrap_or("timeline")
        })
    })
}

/// Links to all panels of the conversation, in its header.
#[component]
pub fn PanelTabs() -> impl IntoView {
    any_view! {
        <nav class="panels" aria-label=text::panels()>
            {links("panels__tab")}
        </nav>
    }
}

/// The same in its menu, where the header has no room for them.
#[component]
pub fn PanelItems() -> impl IntoView {
    any_view! {
        <nav class="menu__panels" aria-label=text::panels()>
            {links("menu__item")}
        </nav>
    }
}

/// A link to the timeline and to each panel.
fn links(class: &'static str) -> impl IntoView {
    let store = use_conversation();
    let chosen = panel_name();
    let current = move |name: &'static str| move || (chosen.get() == name).then_some("page");
    let can_read_files = store
        .backend
        .with_value(|backend| backend.capabilities.files);
    let tasks = store.of_session(|session| {
        let is_done = |task: &&Task| task.status == TaskStatus::Done;
        let done = session.tasks.iter().filter(is_done).count();
        (done, session.tasks.len())
    });
    let count = move || {
        let (done, all) = tasks.get();
        (all > 0).then(|| view! { " " <span class="count">{format!("{done}/{all}")}</span> })
    };
    let known = VIEWS
        .into_iter()
        .filter(move |(name, ..)| can_read_files || !matches!(*name, "files" | "changes"));
    let panel = move |(name, title, icon): (&'static str, Text, &'static str)| {
        view! {
            <a
                class=class
                href=panel_address(name, &[])
                data-noscroll=""
                title=title()
                aria-current=current(name)
            >
                <Icon name=icon />
                <span class="panels__name">{title()}</span>
                {(name == "tasks").then(|| varying(count))}
            </a>
        }
    };
    view! {
        <a class=class data-timeline="" href="?" data-noscroll="" aria-current=current("timeline")>
            <Icon name="clock" />
            <span class="panels__name">{timeline::text::timeline()}</span>
        </a>
        {known.map(panel).collect_view()}
    }
}
