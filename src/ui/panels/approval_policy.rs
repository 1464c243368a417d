//! The model, the approval policy and side questions, where the backend supports them.

use super::text;
use crate::api::{AskAgent, SetPolicy, SwitchProfile, list_profiles};
use crate::backend::Profile;
use crate::conversation::{Policy, Risk};
use crate::people::Right;
use crate::store::{Call, fetched, use_conversation};
use crate::ui::parts::{self, Answered, ErrorNote, Field, Outcome, Submit, TextField, varying};
use crate::ui::shell::ServerForm;
use leptos::prelude::*;

/// Which actions need approval in this conversation, and who rates their risk.
#[component]
pub fn Asking() -> impl IntoView {
    let store = use_conversation();
    let can = store.backend.with_value(|backend| backend.capabilities);
    if !can.risk_policy {
        return ().into_any();
    }
    let asks_nobody = store.of_session(|session| session.asks_nobody);
    any_view! {
        <h3>{text::approval_policy()}</h3>
        {varying(move || match asks_nobody.get() {
            true => any_view! { <p class="notice__text">{parts::text::asks_nobody()}</p> },
            false => any_view! { <PolicyForm/> },
        })}
    }
}

#[component]
fn PolicyForm() -> impl IntoView {
    let store = use_conversation();
    let set = Call::of::<SetPolicy>();
    let policy = store.derived(|session| session.policy.clone());
    let judged = store.of_session(|session| !session.analyzer.is_empty());
    let word = Memo::new(move |_| policy.with(word));
    let choices = [
        ("always", text::every_action()),
        ("low", text::low_risk()),
        ("medium", text::medium_risk()),
        ("high", text::high_risk()),
        ("never", text::no_action()),
    ];
    let choices = choices.map(|(value, label)| {
        view! {
            <option value=value selected=move || word.get() == value>
                {label}
            </option>
        }
    });
    let operates = store.may(Right::Operate);
    any_view! {
        <ServerForm action=set class="stack">
            <fieldset class="fieldset stack" disabled=move || !operates.get()>
                <legend class="visually-hidden">{text::approval_policy()}</legend>
                <input type="hidden" name="id" value=store.id()/>
                <Field id="policy" label=text::require_approval()>
                    <select class="select" id="policy" name="policy">
                        {choices}
                    </select>
                </Field>
                <label class="check">
                    <input type="checkbox" name="judged" value="true" checked=move || judged.get()/>
                    <span>{text::model_rates()}</span>
                </label>
                <Outcome action=set done=text::policy_saved()/>
                <button class="button button--small">{text::save()}</button>
            </fieldset>
        </ServerForm>
    }
}

/// Switches the model for the rest of the conversation.
#[component]
pub fn ModelSwitch() -> impl IntoView {
    let store = use_conversation();
    let can = store.backend.with_value(|backend| backend.capabilities);
    if !can.profiles || !store.may(Right::Operate).get_untracked() {
        return ().into_any();
    }
    // Profiles are for the models of OpenHands' own agent.
    let own = store.of_session(|session| !session.asks_nobody);
    let profiles = fetched(move || store.id(), list_profiles);
    varying(move || {
        own.get().then(|| {
            view! {
                <h3>{text::model()}</h3>
                <Answered answers=profiles waiting=parts::text::loading() draw=|profiles| {
                    any_view! { <Profiles profiles/> }
                }/>
            }
        })
    })
    .into_any()
}

#[component]
fn Profiles(profiles: Vec<Profile>) -> impl IntoView {
    if profiles.is_empty() {
        return any_view! { <p class="muted">{text::no_profiles()}</p> };
    }
    let store = use_conversation();
    let switch = Call::of::<SwitchProfile>();
    let model = store.of_session(|session| session.model.clone());
    let choices = profiles
        .into_iter()
        .map(move |Profile { name, model: its }| {
            let label = text::named_model(&name, &its);
            view! {
                <option value=name selected=move || model.with(|model| *model == its)>
                    {label}
                </option>
            }
        });
    any_view! {
        <ServerForm action=switch class="stack">
            <input type="hidden" name="id" value=store.id()/>
            <Field id="profile" label=text::continue_with()>
                <select class="select" id="profile" name="profile">
                    {choices.collect_view()}
                </select>
            </Field>
            <Outcome action=switch done=text::model_switched()/>
            <button class="button button--small">{text::switch()}</button>
        </ServerForm>
    }
}

/// The form value of a policy.
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

/// A side question to the agent that leaves no trace in its work.
#[component]
pub fn SideQuestion() -> impl IntoView {
    let store = use_conversation();
    let can = store.backend.with_value(|backend| backend.capabilities);
    if !can.side_questions || !store.may(Right::Operate).get_untracked() {
        return ().into_any();
    }
    // A program of ACP does not answer them.
    let answers = store.of_session(|session| !session.asks_nobody);
    varying(move || answers.get().then(|| view! { <QuestionForm/> })).into_any()
}

#[component]
fn QuestionForm() -> impl IntoView {
    let store = use_conversation();
    let ask = Call::of::<AskAgent>();
    let (pending, value) = (ask.pending(), ask.value());
    any_view! {
        <h3>{text::side_question()}</h3>
        <p class="muted">{text::side_question_hint()}</p>
        <ServerForm action=ask class="stack">
            <input type="hidden" name="id" value=store.id()/>
            <TextField id="side-question" name="question" label=text::question() prose=true required=true/>
            <div role="status">
                {varying(move || match value.get() {
                    _ if pending.get() => any_view! { <span class="muted">{text::answer_pending()}</span> },
                    None => ().into_any(),
                    Some(Ok(answer)) => any_view! { <p class="notice__text">{answer}</p> },
                    Some(Err(error)) => any_view! { <ErrorNote error/> },
                })}
            </div>
            <Submit busy=pending label=text::ask() class="button button--small"/>
        </ServerForm>
    }
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
