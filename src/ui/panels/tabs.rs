//! The tabs that switch between the panels.

use super::address::panel_address;
use super::text;
use crate::conversation::TaskStatus;
use crate::store::use_conversation;
use crate::text::Text;
use crate::ui::parts::Icon;
use crate::ui::timeline;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

/// The panels: name in the URL, title, icon.
const VIEWS: [(&str, Text, &str); 6] = [
    ("terminal", text::terminal, "terminal"),
    ("files", text::files, "folder"),
    ("changes", text::changes, "diff"),
    ("browser", text::browser, "globe"),
    ("tasks", text::tasks, "list"),
    ("info", text::info, "info"),
];

/// The panel that the URL names; "timeline" if it names none or an unknown one.
pub fn panel_name() -> Memo<&'static str> {
    let query = use_query_map();
    Memo::new(move |_| {
        query.with(|query| {
            let asked = query.get_str("panel").unwrap_or_default();
            let known = VIEWS.iter().find(|(name, ..)| *name == asked);
            known.map_or("timeline", |(name, ..)| *name)
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
        (name == "tasks").then_some(move || {
            let (done, all) = tasks.get();
            (all > 0).then(|| view! { " " <span class="count">{format!("{done}/{all}")}</span> })
        })
    };
    view! {
        <nav class="panels" aria-label=text::panels()>
            <a class="panels__tab" href="?" data-noscroll="" aria-current=current("timeline")>
                {timeline::text::timeline()}
            </a>
            {VIEWS
                .into_iter()
                .filter(|(name, ..)| can_read_files || !matches!(*name, "files" | "changes"))
                .map(|(name, title, icon)| {
                    view! {
                        <a
                            class="panels__tab"
                            href=panel_address(name, &[])
                            data-noscroll=""
                            aria-current=current(name)
                        >
                            <Icon name=icon/>
                            " "
                            {title()}
                            {count(name)}
                        </a>
                    }
                })
                .collect_view()}
        </nav>
    }
    .into_any()
}
