//! Facts about a conversation: who works, where, for how much, with which instructions.

use super::asking::{Asking, ModelSwitch, SideQuestion};
use super::family::{Family, Rows};
use super::panel::Frame;
use super::tags::TagForm;
use super::usage::Usage;
use super::workspace::{Asked, use_workspace};
use crate::api::list_microagents;
use crate::backend::{LineState, Microagent, Runtime};
use crate::conversation::Kind;
use crate::render::{Block, CardView, RowView};
use crate::store::use_conversation;
use crate::ui::parts::{EmptyState, answered, status_word};
use crate::ui::timeline::BlockView;
use leptos::prelude::*;

const INSTRUCTIONS: Family = Family {
    kind: Kind::System,
    panel: "info",
    empty: (
        "No instructions yet",
        "The agent tells its instructions and tools when it starts.",
    ),
};

/// The facts of the conversation.
#[component]
pub fn InfoPanel() -> impl IntoView {
    view! {
        <Frame title="Info">
            <Facts/>
            <TagForm/>
            <Usage/>
            <ModelSwitch/>
            <Asking/>
            <SideQuestion/>
            <h3>"Instructions and tools"</h3>
            <Rows family=INSTRUCTIONS show=instructions/>
            <h3>"Microagents"</h3>
            <Microagents/>
        </Frame>
    }
}

#[component]
fn Facts() -> impl IntoView {
    let store = use_conversation();
    let status = store.of_session(|session| match session.reason.as_str() {
        "" => status_word(&session.status),
        reason => format!("{}: {reason}", status_word(&session.status)),
    });
    let runtime = store.of_session(|session| match session.runtime {
        Runtime::Starting => "Starting",
        Runtime::Running => "Up",
        Runtime::Stopped => "Stopped",
        Runtime::Error => "Failed",
    });
    let line = store.of_session(|session| line_in_words(&session.line));
    let about = store.of_session(|session| session.about.join(" · "));
    let backend = store.backend.with_value(|backend| backend.label.clone());
    let (repository, branch) = store.repository.get_value();
    let can = store.backend.with_value(|backend| backend.capabilities);
    let place = if can.folders { "Folder" } else { "Repository" };
    let model = store.of_session(|session| session.model.clone());
    view! {
        <dl class="facts">
            {fact("Backend", move || backend.clone())}
            {fact("Agent", move || about.get())}
            {move || {
                let model = model.get();
                (!model.is_empty()).then(|| fact("Model", move || model.clone()))
            }}
            {fact("Status", move || status.get())}
            {can.runtimes.then(|| fact("Runtime", move || runtime.get().to_owned()))}
            {fact("Line to the backend", move || line.get())}
            {repository.map(|repository| fact(place, move || repository.clone()))}
            {branch.map(|branch| fact("Branch", move || branch.clone()))}
            {fact("Conversation", move || store.id())}
        </dl>
    }
}

fn fact(name: &'static str, value: impl Fn() -> String + Send + Sync + 'static) -> impl IntoView {
    let value = move || {
        Some(value())
            .filter(|value| !value.is_empty())
            .unwrap_or_else(|| "not known".to_owned())
    };
    view! {
        <div class="facts__row">
            <dt>{name}</dt>
            <dd>{value}</dd>
        </div>
    }
}

fn line_in_words(line: &LineState) -> String {
    match line {
        LineState::Idle => "Not held: the conversation is stopped".to_owned(),
        LineState::Connecting => "Connecting".to_owned(),
        LineState::Live => "Live".to_owned(),
        LineState::Reconnecting { attempt, why, .. } => {
            format!("Reconnecting, attempt {attempt}: {why}")
        }
        LineState::Refused { why, .. } => format!("Refused: {why}"),
    }
}

/// What the agent was told before everything else.
fn instructions(rows: Memo<Vec<RowView>>) -> AnyView {
    view! {
        <For each=move || rows.get() key=|row| (row.id, row.seq) let(row)>
            {told(row)}
        </For>
    }
    .into_any()
}

fn told(row: RowView) -> AnyView {
    let blocks = |blocks: Vec<Block>| {
        blocks
            .into_iter()
            .map(|block| view! { <BlockView block row=Some(row.id)/> })
            .collect_view()
    };
    match row.card {
        CardView::Notice(notice) => view! {
            <div class="prose" inner_html=notice.html></div>
            {blocks(notice.blocks)}
        }
        .into_any(),
        CardView::Step(step) => blocks(step.blocks).into_any(),
        CardView::Message(message) => {
            view! { <div class="prose" inner_html=message.html></div> }.into_any()
        }
        CardView::Chips(_) => ().into_any(),
    }
}

/// Texts that the agent gets when certain words are said.
#[component]
fn Microagents() -> impl IntoView {
    let workspace = use_workspace();
    let known = workspace.asked(|| (), |id, ()| list_microagents(id));
    view! {
        <Transition fallback=move || workspace.waiting()>
            {answered(known, move |answer| match answer {
                Ok(Asked::Down) => view! { <p class="muted">"They are known while the runtime is up."</p> }.into_any(),
                answer => workspace.shown(answer, microagents),
            })}
        </Transition>
    }
}

fn microagents(all: Vec<Microagent>) -> AnyView {
    if all.is_empty() {
        return view! { <EmptyState title="None" text="Neither the repository nor OpenHands brought any."/> }
            .into_any();
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
