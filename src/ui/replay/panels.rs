//! The panels of the replay: terminal, files, browser, tasks and cost as they were.

use super::player::{Player, address};
use super::text;
use crate::render::{Block, CardView, RowView, StepView};
use crate::store::{Derived, Entry, use_query};
use crate::text::Text;
use crate::ui::panels::{self, Shown, StillCommand, Usage};
use crate::ui::parts::{EmptyState, Icon, Loading, status_word, varying};
use crate::ui::timeline::{self, BlockView, TaskList};
use leptos::prelude::*;

/// The panels: name in the URL, title, icon.
const VIEWS: [(&str, Text, &str); 6] = [
    ("timeline", timeline::text::timeline, "clock"),
    ("terminal", panels::text::terminal, "terminal"),
    ("files", panels::text::files, "folder"),
    ("browser", panels::text::browser, "globe"),
    ("tasks", panels::text::tasks, "list"),
    ("cost", text::cost, "dollar"),
];

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

/// Links to the panels, at the same place.
#[component]
pub(super) fn Tabs(player: Player) -> impl IntoView {
    any_view! {
        <nav class="panels" aria-label=panels::text::panels()>
            {links(player, "panels__tab")}
        </nav>
    }
}

/// The same in a menu, where the header has no room for them.
#[component]
pub(super) fn Items(player: Player) -> impl IntoView {
    any_view! {
        <nav class="menu__panels" aria-label=panels::text::panels()>
            {links(player, "menu__item")}
        </nav>
    }
}

fn links(player: Player, class: &'static str) -> impl IntoView {
    let at = player.at();
    let links = VIEWS.map(|(name, title, icon)| {
        view! {
            <a
                class=class
                title=title()
                href=move || address(at.get(), name)
                data-noscroll=""
                aria-current=move || (player.panel.get() == name).then_some("page")
            >
                <Icon name=icon/>
                <span class="panels__name">{title()}</span>
            </a>
        }
    });
    links.collect_view()
}

/// The open panel, if one is.
#[component]
pub(super) fn Panel(player: Player) -> impl IntoView {
    move || {
        let name = player.panel.get();
        let (_, title, _) = VIEWS.iter().skip(1).find(|(known, ..)| *known == name)?;
        let title = title();
        Some(view! {
            <section class="panel" aria-label=title>
                <header class="panel__head">
                    <h2 class="panel__title">{title}</h2>
                </header>
                <div
                    class="panel__body"
                    tabindex="0"
                    role="region"
                    aria-label=panels::text::content_of(title)
                >
                    {varying(move || {
                        if player.drawn.get() == name {
                            content(name, player)
                        } else {
                            any_view! { <Loading text=text::loading()/> }
                        }
                    })}
                </div>
            </section>
        })
    }
}

fn content(name: &str, player: Player) -> AnyView {
    match name {
        "terminal" => any_view! { <Terminal player/> },
        "files" => any_view! { <Files player/> },
        "browser" => any_view! { <Browser player/> },
        "tasks" => any_view! { <Tasks player/> },
        _ => any_view! { <Cost player/> },
    }
}

/// That there were more rows, if there were.
fn newest_only(player: Player) -> impl IntoView {
    let more = Memo::new(move |_| player.view.read().panel.older);
    move || {
        more.get()
            .then(|| view! { <p class="muted">{text::newest_only()}</p> })
    }
}

#[component]
fn Terminal(player: Player) -> impl IntoView {
    let rows = player.family;
    let entry = |entry: Entry| {
        let command = move || {
            let shown = Shown::of(entry.view.get());
            shown.map(|shown| view! { <StillCommand shown/> })
        };
        view! { {command} }
    };
    let none = Memo::new(move |_| rows.read().is_empty());
    any_view! {
        {newest_only(player)}
        {varying(move || none.get().then(|| view! { <p class="muted">{text::no_commands()}</p> }))}
        <div class="console">
            <For each=move || rows.get() key=|entry| entry.key children=entry/>
        </div>
    }
}

/// A file with the newest of its changes.
struct Changed {
    path: String,
    edits: usize,
    row: i64,
    step: StepView,
}

/// The changed files, the newest change first.
fn changed(rows: &[RowView]) -> Vec<Changed> {
    let mut files: Vec<Changed> = Vec::new();
    for row in rows.iter().rev() {
        let CardView::Step(step) = &row.card else {
            continue;
        };
        if !step
            .blocks
            .iter()
            .any(|block| matches!(block, Block::Diff(_)))
        {
            continue;
        }
        match files.iter_mut().find(|file| file.path == step.subject) {
            Some(file) => file.edits += 1,
            None => files.push(Changed {
                path: step.subject.clone(),
                edits: 1,
                row: row.id,
                step: step.clone(),
            }),
        }
    }
    files
}

#[component]
fn Files(player: Player) -> impl IntoView {
    let rows = Memo::new(move |_| player.view.read().panel.rows.clone());
    let files = move || {
        let files = rows.with(|rows| changed(rows));
        if files.is_empty() {
            return any_view! { <EmptyState title=text::no_files() text=text::no_files_hint()/> };
        }
        let files = files.into_iter().enumerate().map(|(place, file)| {
            let blocks = file.step.blocks.into_iter();
            let blocks = blocks.map(|block| view! { <BlockView block row=Some(file.row)/> });
            view! {
                <details class="replay__file" open=place == 0>
                    <summary class="replay__path">
                        <span class="mono truncate">{file.path}</span>
                        " "
                        <span class="number">{file.step.outcome}</span>
                        " "
                        <span class="muted number">{text::edits_so_far(file.edits)}</span>
                    </summary>
                    {blocks.collect_view()}
                </details>
            }
        });
        files.collect_view().into_any()
    };
    any_view! {
        {newest_only(player)}
        {files}
    }
}

#[component]
fn Browser(player: Player) -> impl IntoView {
    // The newest visit alone: that is what the browser showed.
    let newest = Memo::new(move |_| player.view.read().panel.rows.last().cloned());
    move || {
        let Some(shown) = newest.get().and_then(Shown::of) else {
            return any_view! { <p class="muted">{text::no_pages()}</p> };
        };
        let (id, outcome) = (shown.row.id, shown.outcome());
        let blocks = shown.step.blocks.into_iter();
        let blocks = blocks.map(|block| view! { <BlockView block row=Some(id)/> });
        any_view! {
            <p class="mono">{shown.step.subject}</p>
            <p class="muted">{outcome}</p>
            {blocks.collect_view()}
        }
    }
}

#[component]
fn Tasks(player: Player) -> impl IntoView {
    let tasks = Memo::new(move |_| player.view.read().tasks.clone());
    move || {
        let tasks = tasks.get();
        if tasks.is_empty() {
            any_view! { <p class="muted">{text::no_tasks()}</p> }
        } else {
            any_view! { <TaskList tasks/> }
        }
    }
}

#[component]
fn Cost(player: Player) -> impl IntoView {
    let metrics = Derived::new(move || player.view.read().metrics.clone());
    let status = move || {
        let view = player.view.read();
        let status = status_word(&view.status);
        match view.reason.as_str() {
            "" => status,
            reason => panels::text::status_with_reason(status, reason),
        }
    };
    let model = Memo::new(move |_| player.view.read().model.clone());
    any_view! {
        <dl class="facts">
            <div class="facts__row">
                <dt>{text::status()}</dt>
                <dd>{status}</dd>
            </div>
            {varying(move || {
                let model = model.get();
                (!model.is_empty())
                    .then(|| {
                        view! {
                            <div class="facts__row">
                                <dt>{text::model()}</dt>
                                <dd>{model}</dd>
                            </div>
                        }
                    })
            })}
        </dl>
        <Usage metrics/>
    }
}
