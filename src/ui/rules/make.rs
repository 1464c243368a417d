//! The page that makes a rule from a pending approval: what it could allow, and what each would have answered.

use super::text;
use crate::api::{
    DryRun, MakeRule, RefusedView, RuleChoice, RuleChoices, query_of, read_rule_choices,
};
use crate::conversation::Risk;
use crate::rules::Scope;
use crate::store::{Call, fetched, link, use_query};
use crate::ui::parts::{Answered, Field, Outcome, Time, Toggle, title_or_default};
use crate::ui::shell::{Page, ServerForm, back_to};
use crate::ui::timeline::row_address;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

/// `/c/:id/rule?token=…&scope=…`.
#[component]
pub fn RulePage() -> impl IntoView {
    let params = use_params_map();
    let query = use_query();
    let id = Memo::new(move |_| params.read().get("id").unwrap_or_default());
    let said = move |name: &str| query.with(|query| query.get(name)).unwrap_or_default();
    // The query is empty as soon as the page is left, while it is still there.
    let kept = move |name: &'static str| {
        Memo::new(move |before: Option<&String>| match said(name) {
            left if left.is_empty() => before.cloned().unwrap_or_default(),
            word => word,
        })
    };
    let (token, scope) = (kept("token"), kept("scope"));
    let choices = fetched(
        move || (id.get(), token.get(), scope.get()),
        |(id, token, scope)| read_rule_choices(id, token, scope),
    );
    let make = Call::of::<MakeRule>();
    any_view! {
        <Page back=back_to(id) title=text::always_allow()>
            <Answered answers=choices waiting=text::choices_loading() draw=move |view| {
                any_view! { <Choices id=id.get_untracked() token=token.get_untracked() view make/> }
            }/>
            <Outcome action=make done=text::created()/>
            <p>
                <a class="button button--quiet button--small" href=link("rules")>
                    {text::all_rules()}
                </a>
            </p>
        </Page>
    }
}

#[component]
fn Choices(id: String, token: String, view: RuleChoices, make: Call<i64>) -> impl IntoView {
    if !view.reason.is_empty() {
        return any_view! { <p class="notice notice--info">{view.reason}</p> };
    }
    let word = word_of(&view.scope);
    let scopes = scopes(&id, &token, &view);
    let subjects = view.choices.into_iter().enumerate();
    let subjects = subjects
        .map(|(at, choice)| subject(at, choice))
        .collect_view();
    let highest = match view.highest {
        Risk::Unknown | Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    };
    let ratings = [
        ("low", text::low()),
        ("medium", text::medium()),
        ("high", text::high()),
    ];
    // What is rated high is answered only by a rule that was made for it.
    let ratings = ratings
        .into_iter()
        .filter(move |(word, _)| *word != "high" || highest == "high");
    let ratings = ratings.map(move |(word, label)| {
        view! { <option value=word selected=word == highest>{label}</option> }
    });
    let ends = [
        ("1", text::in_a_day()),
        ("7", text::in_a_week()),
        ("30", text::in_a_month()),
        ("90", text::in_a_quarter()),
        ("0", text::without_end()),
    ];
    let ends = ends.map(|(days, label)| {
        view! { <option value=days selected=days == "30">{label}</option> }
    });
    any_view! {
        <p class="muted">{title_or_default(&view.title)}</p>
        <p>{text::hint()}</p>
        <section class="card stack">
            <h2 class="card__title">{text::where_title()}</h2>
            <nav class="chips" aria-label=text::where_title()>{scopes}</nav>
        </section>
        <ServerForm action=make class="stack">
            <input type="hidden" name="id" value=id/>
            <input type="hidden" name="scope" value=word/>
            <section class="card stack">
                <h2 class="card__title" id="what">
                    {text::which()}
                </h2>
                <div class="stack" role="radiogroup" aria-labelledby="what">
                    {subjects}
                </div>
            </section>
            <section class="card stack">
                <h2 class="card__title">{text::conditions()}</h2>
                <div class="field-row">
                    <Field id="rule-highest" label=text::highest()>
                        <select class="select" id="rule-highest" name="highest">
                            {ratings.collect_view()}
                        </select>
                    </Field>
                    <Field id="rule-days" label=text::days()>
                        <select class="select" id="rule-days" name="days">
                            {ends.collect_view()}
                        </select>
                    </Field>
                </div>
                <Toggle name="unrated" label=text::unrated() checked=view.unrated/>
            </section>
            <p class="muted">{text::pending_stays()}</p>
            <div class="cluster cluster--end">
                <button class="button button--primary">{text::create()}</button>
            </div>
        </ServerForm>
    }
}

/// The word of a scope in addresses and forms.
fn word_of(scope: &Scope) -> &'static str {
    match scope {
        Scope::Conversation(_) => "conversation",
        Scope::Own => "own",
        Scope::Repository(_) => "repository",
        Scope::All => "all",
    }
}

/// Links to the same page for each scope.
fn scopes(id: &str, token: &str, view: &RuleChoices) -> impl IntoView + use<> {
    let current = word_of(&view.scope);
    let repository = view.repository.clone();
    let all = [
        (true, "conversation", text::this_conversation().to_owned()),
        (!repository.is_empty(), "repository", repository),
        (view.own, "own", text::own_conversations().to_owned()),
        (true, "all", text::all_conversations().to_owned()),
    ];
    let page = link(&format!("c/{id}/rule"));
    let token = token.to_owned();
    let links = all.into_iter().filter(|(may, ..)| *may).map(move |(_, word, label)| {
        let query = query_of([("token", token.as_str()), ("scope", word)]);
        let address = format!("{page}{query}");
        view! {
            <a class="chip chip--button" href=address data-noscroll="" aria-current=(word == current).then_some("true")>
                {label}
            </a>
        }
    });
    links.collect_view()
}

/// A choice, with what it would have answered.
fn subject(at: usize, choice: RuleChoice) -> impl IntoView {
    let RuleChoice { what, subject, run } = choice;
    let hint = format!("would-{at}");
    let label = text::allow(what);
    view! {
        <div class="stack">
            <label class="check">
                <input type="radio" name="subject" value=subject checked=at == 0 aria-describedby=hint.clone()/>
                <span>{label}</span>
            </label>
            <div class="field__hint" id=hint>
                {would(run)}
            </div>
        </div>
    }
}

fn would(run: DryRun) -> impl IntoView {
    let apart = [
        (run.unrated > 0).then(|| text::of_them_unrated(run.unrated)),
        (run.medium > 0).then(|| text::of_them_medium(run.medium)),
    ];
    let apart: String = apart.into_iter().flatten().collect();
    let answered = text::would(run.answered, run.asked, run.days);
    let more = (run.refused as usize).saturating_sub(run.rejected.len());
    let refused = (run.refused > 0).then(|| {
        let rejected = run.rejected.into_iter().map(refused).collect_view();
        view! {
            <p>{text::rejected(run.refused as usize)}</p>
            <ul>
                {rejected}
                {(more > 0).then(|| view! { <li>{text::and_more(more)}</li> })}
            </ul>
        }
    });
    view! {
        <p>{format!("{answered}{apart}.")}</p>
        {refused}
        {run.is_behind.then(|| view! { <p>{text::behind()}</p> })}
    }
}

/// A link to a question that a person has rejected.
fn refused(one: RefusedView) -> impl IntoView {
    let address = link(&format!(
        "c/{}{}",
        one.conversation,
        row_address(one.pos, one.row)
    ));
    view! {
        <li>
            <a href=address>
                {one.what}
            </a>
            " · "
            {title_or_default(&one.title)}
            " · "
            <Time at=one.at relative=true/>
        </li>
    }
}
