//! The page of all rules.

use super::{scope_in_words, text};
use crate::api::{EndRule, ResumeRules, RuleState, RuleView, RulesView, StopRules, read_rules};
use crate::rules::Scope;
use crate::store::{Call, fetched, link};
use crate::ui::parts::{Answered, EmptyState, Outcome, Time};
use crate::ui::shell::{CallButton, Page};
use leptos::prelude::*;

/// What the page can do. Outside of the refetched view, so that the outcomes stay visible.
#[derive(Clone, Copy)]
struct Calls {
    end: Call,
    stop: Call,
    resume: Call,
}

/// `/rules`.
#[component]
pub fn RulesPage() -> impl IntoView {
    let rules = fetched(|| (), |()| read_rules());
    let calls = Calls {
        end: Call::of::<EndRule>(),
        stop: Call::of::<StopRules>(),
        resume: Call::of::<ResumeRules>(),
    };
    for call in [calls.end, calls.stop, calls.resume] {
        call.on_success(move || rules.refetch());
    }
    any_view! {
        <Page title=text::rules()>
            <p class="muted">{text::about()}</p>
            <Answered answers=rules waiting=text::loading() draw=move |view| {
                any_view! { <Book view calls/> }
            }/>
            <Outcome action=calls.end done=text::ended()/>
            <Outcome action=calls.resume done=text::resumed()/>
        </Page>
    }
}

#[component]
fn Book(view: RulesView, calls: Calls) -> impl IntoView {
    let in_force = view
        .rules
        .iter()
        .any(|rule| rule.state == RuleState::InForce);
    let switch = match view.stopped {
        true => {
            let resume = view.may_resume.then(|| {
                view! { <CallButton action=calls.resume fields=Vec::new() label=text::resume() says=true class="button"/> }
            });
            let hint = (!view.may_resume)
                .then(|| view! { <p class="muted">{text::stopped_for_owner()}</p> });
            any_view! {
                <p class="notice notice--warning" role="status">{text::stopped()}</p>
                {hint}
                <div class="cluster">{resume}</div>
            }
        }
        false if in_force => any_view! {
            <div class="cluster">
                <CallButton action=calls.stop fields=Vec::new() label=text::stop_all() says=true class="button button--danger"/>
            </div>
        },
        false => ().into_any(),
    };
    let none = view.rules.is_empty();
    let rules = view.rules.into_iter().map(|rule| entry(rule, calls.end));
    any_view! {
        {switch}
        {none.then(|| view! { <EmptyState title=text::none() text=text::none_text()/> })}
        <ul class="stack">{rules.collect_view()}</ul>
    }
}

fn entry(rule: RuleView, end: Call) -> impl IntoView {
    let conversation = match &rule.scope {
        Scope::Conversation(id) => Some(link(&format!("c/{id}"))),
        _ => None,
    };
    let conversation =
        conversation.map(|address| view! { " " <a href=address>{text::open_conversation()}</a> });
    let made = match rule.maker.as_str() {
        "" => text::made().to_owned(),
        name => text::made_by(name),
    };
    let until = match rule.expires_at {
        Some(at) => any_view! { {text::ends()} <Time at/> },
        None => text::no_end().into_any(),
    };
    let state = match &rule.state {
        RuleState::InForce => None,
        RuleState::Expired => Some(text::expired().to_owned()),
        RuleState::RightLost => Some(text::right_lost().to_owned()),
        RuleState::Ended(name) => Some(text::ended_by(name)),
    };
    let used = match rule.used_at {
        Some(at) => {
            let count = usize::try_from(rule.used).unwrap_or_default();
            any_view! { {text::used(count)} <Time at relative=true/> }
        }
        None => text::never_used().into_any(),
    };
    let in_force = if state.is_none() { "in-force" } else { "ended" };
    let number = rule.number;
    let may_end = rule.may_end.then(|| {
        view! {
            <CallButton
                action=end
                fields=vec![("number", number.to_string())]
                label=text::end()
                name=text::end_rule(number)
            />
        }
    });
    view! {
        <li class="cluster rule" data-state=in_force>
            <span class="grow">
                <strong>{text::allow(&rule.what)}</strong>
                " "
                {scope_in_words(&rule.scope)}
                {conversation}
                <br/>
                <span class="muted">
                    {rule.ratings} " · " {made} <Time at=rule.made_at relative=true/> {until}
                </span>
                <br/>
                <span class="muted">{used}</span>
                {state.map(|state| view! { " " <span class="chip">{state}</span> })}
            </span>
            {may_end}
        </li>
    }
}
