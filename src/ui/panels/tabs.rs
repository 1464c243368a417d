//! The tabs that switch between the panels.

use super::address::panel_address;
use super::text;
use crate::conversation::TaskStatus;
use crate::store::{use_conversation, use_query};
use crate::text::Text;
use crate::ui::parts::{Icon, Menu, varying};
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

/// Links to all panels of the conversation.
#[component]
pub fn PanelTabs() -> impl IntoView {
    let store = use_conversation();
    let chosen = panel_name();
    let current = move |name: &'static str| move || (chosen.get() == name).then_some("page");
    let can_read_files = store
        .backend
        .with_value(|backend| backend.capabilities.files);
    let tasks = store.of_session(|session| {
        let done = session
            .tasks
            .iter()
            .filter(|task| task.status == TaskStatus::Done)
            .count();
        (done, session.tasks.len())
    });
    let count = move |name: &str| {
        let shown = move || {
            let (done, all) = tasks.get();
            (all > 0).then(|| view! { " " <span class="count">{format!("{done}/{all}")}</span> })
        };
        (name == "tasks").then(|| varying(shown))
    };
    let known = VIEWS
        .into_iter()
        .filter(move |(name, ..)| can_read_files || !matches!(*name, "files" | "changes"));
    let timeline = move |class: &'static str| {
        view! {
            <a class=class href="?" data-noscroll="" aria-current=current("timeline")>
                {timeline::text::timeline()}
            </a>
        }
    };
    let panel = move |class: &'static str,
                      (name, title, icon): (&'static str, Text, &'static str)| {
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
                {count(name)}
            </a>
        }
    };
    view! {
        <nav class="panels" aria-label=text::panels()>
            {timeline("panels__tab panels__tab--timeline")}
            {known.clone().map(|view| panel("panels__tab", view)).collect_view()}
            <Menu label=text::panels() class="menu menu--end panels__more">
                {timeline("menu__item")}
                {known.map(|view| panel("menu__item", view)).collect_view()}
            </Menu>
        </nav>
    }
    .into_any()
}
