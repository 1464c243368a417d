//! Facts about a conversation: model, sandbox, cost, instructions.

use super::approval_policy::{Asking, ModelSwitch, SideQuestion};
use super::family::{Family, Rows};
use super::panel::Frame;
use super::tags::TagForm;
use super::text;
use super::usage::{Usage, fact};
use super::workspace::{Asked, use_workspace};
use crate::api::{list_microagents, own_place};
use crate::backend::{ConnectionState, Microagent, Runtime};
use crate::conversation::Kind;
use crate::render::{Block, CardView, RowView};
use crate::store::use_conversation;
use crate::ui::parts::{self, EmptyState, answered, status_word, varying};
use crate::ui::timeline::BlockView;
use leptos::prelude::*;

const INSTRUCTIONS: Family = Family {
    kind: Kind::System,
    panel: "info",
    empty: (text::no_instructions, text::no_instructions_hint),
};

/// The facts of the conversation.
#[component]
pub fn InfoPanel() -> impl IntoView {
    let metrics = use_conversation().derived(|session| session.metrics.clone());
    view! {
        <Frame title=text::info()>
            <Facts/>
            <TagForm/>
            <Usage metrics/>
            <ModelSwitch/>
            <Asking/>
            <SideQuestion/>
            <h3>{text::instructions()}</h3>
            <Rows family=INSTRUCTIONS show=instructions/>
            <h3>{text::microagents()}</h3>
            <Microagents/>
        </Frame>
    }
}

#[component]
fn Facts() -> impl IntoView {
    let store = use_conversation();
    let status = store.of_session(|session| match session.reason.as_str() {
        "" => status_word(&session.status),
        reason => text::status_with_reason(status_word(&session.status), reason),
    });
    let runtime = store.of_session(|session| match session.runtime {
        Runtime::Starting | Runtime::Preparing => parts::text::starting(),
        Runtime::Running => parts::text::running(),
        Runtime::Paused => parts::text::paused(),
        Runtime::Stopped => parts::text::stopped(),
        Runtime::Error => parts::text::failed(),
        Runtime::Gone => text::sandbox_gone(),
    });
    let connection = store.of_session(|session| connection_text(&session.connection));
    let about = store.of_session(|session| session.about.join(" · "));
    let backend = store.backend.with_value(|backend| backend.label.clone());
    let (repository, branch) = store.repository.get_value();
    let can = store.backend.with_value(|backend| backend.capabilities);
    let place = if can.folders {
        text::folder()
    } else {
        text::repository()
    };
    let told = own_place(repository.as_deref(), &store.id()).map(str::to_owned);
    let own = repository.filter(|_| told.is_none());
    let model = store.of_session(|session| session.model.clone());
    view! {
        <dl class="facts">
            {fact(text::backend(), move || backend.clone())}
            {fact(text::agent(), move || about.get())}
            {varying(move || {
                let model = model.get();
                (!model.is_empty()).then(|| fact(text::model(), move || model.clone()))
            })}
            {fact(text::status(), move || status.get())}
            {can.runtimes.then(|| fact(text::sandbox(), move || runtime.get().to_owned()))}
            {fact(text::connection(), move || connection.get())}
            {told.map(|told| fact(place, move || told.clone()))}
            {branch.map(|branch| fact(text::branch(), move || branch.clone()))}
        </dl>
        <details class="knowledge">
            <summary>{text::details()}</summary>
            <dl class="facts">
                {own.map(|own| fact(place, move || own.clone()))}
                {fact(text::conversation(), move || store.id())}
            </dl>
        </details>
    }
}

fn connection_text(connection: &ConnectionState) -> String {
    match connection {
        ConnectionState::Idle => text::idle().to_owned(),
        ConnectionState::Connecting => text::connecting().to_owned(),
        ConnectionState::Live => text::connected().to_owned(),
        ConnectionState::Reconnecting { attempt, why, .. } => text::reconnecting(attempt, why),
        ConnectionState::Refused { why, .. } => text::refused(why),
    }
}

/// The system prompt.
fn instructions(rows: Memo<Vec<RowView>>) -> AnyView {
    any_view! {
        <For each=move || rows.get() key=|row| (row.id, row.seq) let(row)>
            {told(row)}
        </For>
    }
}

fn told(row: RowView) -> AnyView {
    let blocks = |blocks: Vec<Block>| {
        blocks
            .into_iter()
            .map(|block| view! { <BlockView block row=Some(row.id)/> })
            .collect_view()
    };
    match row.card {
        CardView::Notice(notice) => any_view! {
            <div class="prose" inner_html=notice.html></div>
            {blocks(notice.blocks)}
        },
        CardView::Step(step) => blocks(step.blocks).into_any(),
        CardView::Message(message) => {
            any_view! { <div class="prose" inner_html=message.html></div> }
        }
        CardView::Chips(_) => ().into_any(),
    }
}

/// Instructions that are sent to the agent when certain words occur in a message.
#[component]
fn Microagents() -> impl IntoView {
    let workspace = use_workspace();
    let known = workspace.asked(|| (), |id, ()| list_microagents(id));
    view! {
        <Transition fallback=move || workspace.waiting()>
            {answered(known, move |answer| match answer {
                Ok(Asked::Down) => any_view! { <p class="muted">{text::microagents_later()}</p> },
                answer => workspace.shown(answer, microagents),
            })}
        </Transition>
    }
}

fn microagents(all: Vec<Microagent>) -> AnyView {
    if all.is_empty() {
        return any_view! { <EmptyState title=text::no_microagents() text=text::no_microagents_hint()/> };
    }
    all.into_iter().map(microagent).collect_view().into_any()
}

fn microagent(one: Microagent) -> impl IntoView {
    let triggers = one
        .triggers
        .into_iter()
        .map(|word| view! { <li class="chip">{word}</li> })
        .collect_view();
    view! {
        <details class="knowledge">
            <summary>
                {one.name} " " <span class="muted">{one.kind}</span>
            </summary>
            <ul class="chips">{triggers}</ul>
            <pre class="block__body">{one.content}</pre>
        </details>
    }
}
