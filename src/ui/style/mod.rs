//! The page of all parts, each in every state: for development builds, and for the tests of the style sheets.
//!
//! The parts are the components of the other pages wherever a component can be drawn from values; what needs a live
//! conversation is drawn with the same markup. The texts are samples, so they stand beside the markup.

mod approvals;
mod controls;
mod labels;
mod messages;
mod notes;
mod passing;
mod plots;
mod steps;

use crate::{
    conversation::{Actor, Kind},
    render::{CardView, RowView},
    store::{Entry, RowKey},
    ui::timeline::RowCard,
};
use leptos::prelude::*;

/// A time in the past, in milliseconds since the Unix epoch.
const LONG_AGO: i64 = 1_763_694_245_678;

/// All parts, in one colour scheme or in both side by side.
#[component]
pub fn Parts(
    /// `light` or `dark`; `None` for both.
    theme: Option<&'static str>,
) -> impl IntoView {
    let themes = theme.map_or_else(|| vec!["light", "dark"], |theme| vec![theme]);
    let columns = themes.into_iter().map(column);
    any_view! {
        <main class="specimens">
            <h1 class="page__title">"All parts"</h1>
            <div class="specimens__columns">{columns.collect_view()}</div>
        </main>
    }
}

fn column(theme: &'static str) -> AnyView {
    // Row ids occur once on a page.
    let first = if theme == "dark" { 1_000 } else { 0 };
    any_view! {
        <div class="specimens__column" data-theme=theme>
            {controls::buttons()}
            {controls::fields(theme)}
            {controls::menus()}
            {controls::dialog()}
            {controls::tabs()}
            {passing::palette()}
            {passing::attachments()}
            {labels::badges()}
            {labels::chips()}
            {labels::table()}
            {labels::list(theme)}
            {passing::selection(theme)}
            {passing::hits()}
            {notes::notes()}
            {notes::banners()}
            {notes::toasts()}
            {notes::placeholders()}
            {messages::messages(first)}
            {messages::notices(first + 100)}
            {passing::undelivered()}
            {steps::steps(first + 200)}
            {steps::blocks(first + 300)}
            {plots::plots(first + 1)}
            {approvals::approvals(theme, first + 400)}
        </div>
    }
}

/// Specimens below a heading.
fn group(title: &'static str, specimens: impl IntoView + 'static) -> AnyView {
    any_view! {
        <section class="stack">
            <h2 class="card__title">{title}</h2>
            {specimens.into_any()}
        </section>
    }
}

fn view_of(id: i64, from: Actor, kind: Kind, card: CardView) -> RowView {
    RowView {
        id,
        pos: id,
        seq: id,
        at: if kind == Kind::Message { LONG_AGO } else { 0 },
        from,
        by: None,
        by_rule: false,
        amended: false,
        touched: false,
        kind,
        card,
    }
}

/// A row as on the timeline.
fn row(view: RowView, nested: bool) -> AnyView {
    let RowView { pos, id, .. } = view;
    let key = RowKey { pos, id };
    let view = ArcRwSignal::new(view);
    let entry = Entry { key, view };
    any_view! { <RowCard entry nested /> }
}
