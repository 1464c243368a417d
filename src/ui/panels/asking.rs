//! With which model the agent works, when it has to ask, and asking it something beside its work: where the backend can.

use crate::api::{AskAgent, SetPolicy, SwitchProfile, list_profiles};
use crate::backend::Profile;
use crate::conversation::{Policy, Risk};
use crate::people::Right;
use crate::store::{fetched, may, use_conversation};
use crate::ui::parts::{Answered, ErrorNote, Field, Outcome};
use crate::ui::shell::ServerForm;
use leptos::prelude::*;

/// Which actions wait for an answer here, and who judges how dangerous they are.
#[component]
pub fn Asking() -> impl IntoView {
    let store = use_conversation();
    let can = store.backend.with_value(|backend| backend.capabilities);
    if !can.risk_policy {
        return ().into_any();
    }
    let set = ServerAction::<SetPolicy>::new();
    let policy = store.of_session(|session| session.policy.clone());
    let judged = store.of_session(|session| !session.analyzer.is_empty());
    let word = Memo::new(move |_| policy.with(word));
    let choices = [
        ("always", "Before each action"),
        ("low", "Before all but what is harmless"),
        ("medium", "From medium risk on"),
        ("high", "Only before what is dangerous"),
        ("never", "Never"),
    ];
    let choices = choices.map(|(value, label)| {
        view! {
            <option value=value selected=move || word.get() == value>
                {label}
            </option>
        }
    });
    let disabled = !may(Right::Operate);
    view! {
        <h3>"When the agent asks"</h3>
        <ServerForm action=set class="stack">
            <fieldset class="fieldset stack" disabled=disabled>
                <legend class="visually-hidden">"When the agent asks"</legend>
                <input type="hidden" name="id" value=store.id()/>
                <Field id="policy" label="Actions wait for an answer">
                    <select class="select" id="policy" name="policy">
                        {choices}
                    </select>
                </Field>
                <label class="check">
                    <input type="checkbox" name="judged" value="true" checked=move || judged.get()/>
                    <span>"The model judges the risk; what nobody judged counts as dangerous"</span>
                </label>
                <Outcome action=set done="It counts from the next action on."/>
                <div class="cluster cluster--end">
                    <button class="button button--small" type="submit">
                        "Save"
                    </button>
                </div>
            </fieldset>
        </ServerForm>
    }
    .into_any()
}

/// Another model for the rest of the work.
#[component]
pub fn ModelSwitch() -> impl IntoView {
    let store = use_conversation();
    let can = store.backend.with_value(|backend| backend.capabilities);
    if !can.profiles || !may(Right::Operate) {
        return ().into_any();
    }
    let profiles = fetched(move || store.id(), list_profiles);
    view! {
        <h3>"Model"</h3>
        <Answered answers=profiles waiting="Loading…" draw=|profiles| {
            view! { <Profiles profiles/> }.into_any()
        }/>
    }
    .into_any()
}

#[component]
fn Profiles(profiles: Vec<Profile>) -> impl IntoView {
    if profiles.is_empty() {
        let text = "Models to switch to are stored as profiles on the agent-server; it has none.";
        return view! { <p class="muted">{text}</p> }.into_any();
    }
    let store = use_conversation();
    let switch = ServerAction::<SwitchProfile>::new();
    let model = store.of_session(|session| session.model.clone());
    let choices = profiles
        .into_iter()
        .map(move |Profile { name, model: its }| {
            let label = format!("{name} ({its})");
            view! {
                <option value=name selected=move || model.with(|model| *model == its)>
                    {label}
                </option>
            }
        });
    view! {
        <ServerForm action=switch class="stack">
            <input type="hidden" name="id" value=store.id()/>
            <Field id="profile" label="Goes on with">
                <select class="select" id="profile" name="profile">
                    {choices.collect_view()}
                </select>
            </Field>
            <Outcome action=switch done="It counts from the next step on."/>
            <div class="cluster cluster--end">
                <button class="button button--small" type="submit">
                    "Switch"
                </button>
            </div>
        </ServerForm>
    }
    .into_any()
}

/// The policy in the word of the form.
fn word(policy: &Option<Policy>) -> &'static str {
    match policy {
        None | Some(Policy::Never) => "never",
        Some(Policy::Risky { threshold, .. }) => match threshold {
            Risk::Unknown | Risk::Low => "low",
            Risk::Medium => "medium",
            Risk::High => "high",
        },
        Some(Policy::Always | Policy::Other(_)) => "always",
    }
}

/// A question to the agent that leaves no trace in its work.
#[component]
pub fn SideQuestion() -> impl IntoView {
    let store = use_conversation();
    let can = store.backend.with_value(|backend| backend.capabilities);
    if !can.side_questions || !may(Right::Operate) {
        return ().into_any();
    }
    let ask = ServerAction::<AskAgent>::new();
    let (pending, value) = (ask.pending(), ask.value());
    view! {
        <h3>"A question beside the work"</h3>
        <p class="muted">"The agent answers from what it knows, goes on undisturbed, and forgets it."</p>
        <ServerForm action=ask class="stack">
            <input type="hidden" name="id" value=store.id()/>
            <Field id="side-question" label="Question">
                <input class="input" id="side-question" name="question" required autocomplete="off"/>
            </Field>
            <div role="status">
                {move || match value.get() {
                    _ if pending.get() => view! { <span class="muted">"Asking…"</span> }.into_any(),
                    None => ().into_any(),
                    Some(Ok(answer)) => view! { <p class="notice__text">{answer}</p> }.into_any(),
                    Some(Err(error)) => view! { <ErrorNote error/> }.into_any(),
                }}
            </div>
            <div class="cluster cluster--end">
                <button class="button button--small" type="submit" aria-busy=move || pending.get().then_some("true")>
                    "Ask"
                </button>
            </div>
        </ServerForm>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_that_we_do_not_know_reads_as_the_strictest() {
        assert_eq!(word(&Some(Policy::Other("Odd".to_owned()))), "always");
        assert_eq!(
            word(&Some(Policy::Risky {
                threshold: Risk::High,
                unknown: true
            })),
            "high"
        );
        assert_eq!(word(&None), "never");
    }
}
