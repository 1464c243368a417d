//! The tabs that switch between the panels.

use super::address::panel_address;
use super::text;
use crate::conversation::TaskStatus;
use crate::store::{use_conversation, use_query};
use crate::text::Text;
use crate::ui::parts::{self, Icon, Menu, varying};
use crate::ui::timeline;
use leptos::prelude::*;

/// The panels: name in the URL, title, icon. A phone has those from [`ASIDE`] on in a menu.
const VIEWS: [(&str, Text, &str); 7] = [
    ("terminal", text::terminal, "terminal"),
    ("files", text::files, "folder"),
    ("changes", text::changes, "diff"),
    ("browser", text::browser, "globe"),
    ("tasks", text::tasks, "list"),
    ("info", text::info, "info"),
    ("model", text::model_view, "file"),
];

/// The number of panels whose tabs have room on a phone.
const ASIDE: usize = 3;

/// The panel that the URL names; "timeline" if it names none or an unknown one.
pub(super) fn panel_name() -> Memo<&'static str> {
    let query = use_query();
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
        let shown = move || {
            let (done, all) = tasks.get();
            (all > 0).then(|| view! { " " <span class="count">{format!("{done}/{all}")}</span> })
        };
        (name == "tasks").then(|| varying(shown))
    };
    let known = VIEWS
        .into_iter()
        .enumerate()
        .filter(move |(_, (name, ..))| can_read_files || !matches!(*name, "files" | "changes"));
    let wide_only = known.clone().filter(|(at, _)| *at >= ASIDE);
    view! {
        <nav class="panels" aria-label=text::panels()>
            <a class="panels__tab" href="?" data-noscroll="" aria-current=current("timeline")>
                {timeline::text::timeline()}
            </a>
            {known
                .map(|(at, (name, title, icon))| {
                    let class = if at < ASIDE { "panels__tab" } else { "panels__tab panels__tab--wide" };
                    view! {
                        <a
                            class=class
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
            <Menu label=parts::text::more() class="menu menu--end panels__more" button="panels__tab">
                {wide_only
                    .map(|(_, (name, title, icon))| {
                        view! {
                            <a
                                class="menu__item"
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
            </Menu>
        </nav>
    }
    .into_any()
}
