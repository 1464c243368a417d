//! Which conversations are deleted by rule: what the rules would delete now, the rules, and a form to add one.

use super::text;
use crate::api::{
    AddRetentionRule, ApplyRetention, AutomateRetention, RemoveRetentionRule, RetentionRule,
    RetentionRun, RetentionView, read_retention,
};
use crate::store::{Call, fetched, link};
use crate::ui::parts::{
    self, Answered, Outcome, TextField, Time, Toggle, named_icon, title_or_default,
};
use crate::ui::shell::{CallButton, Page, ServerForm};
use leptos::prelude::*;

/// `/settings/retention`.
#[component]
pub fn RetentionPage() -> impl IntoView {
    let add = Call::of::<AddRetentionRule>();
    let remove = Call::of::<RemoveRetentionRule>();
    let automate = Call::of::<AutomateRetention>();
    let apply = Call::of::<ApplyRetention>();
    let retention = fetched(|| (), |()| read_retention());
    for change in [add, remove, automate] {
        change.on_success(move || retention.refetch());
    }
    apply.on_success(move || retention.refetch());
    any_view! {
        <Page title=text::retention() back=(Signal::stored(link("settings")), parts::text::settings())>
            <p class="card__hint">{text::retention_hint()}</p>
            <Outcome action=apply done=text::deleted()/>
            <Outcome action=automate/>
            <Outcome action=remove done=text::removed()/>
            <Answered answers=retention waiting=text::loading_retention() draw=move |view| {
                shown(view, remove, automate, apply)
            }/>
            <NewRule add/>
        </Page>
    }
}

fn shown(view: RetentionView, remove: Call, automate: Call, apply: Call<RetentionRun>) -> AnyView {
    let rules = view.rules.clone().into_iter().enumerate();
    let rules: Vec<_> = rules
        .map(|(at, rule)| one_rule(at + 1, &rule, remove))
        .collect();
    let (any, automatic) = (!rules.is_empty(), view.automatic);
    any_view! {
        <Preview view apply/>
        {any
            .then(|| {
                view! {
                    <section class="card stack">
                        <h2 class="card__title">{text::rules()}</h2>
                        <ul class="stack">{rules}</ul>
                        <Daily automatic automate/>
                    </section>
                }
            })}
    }
}

/// What the rules would delete now, and the button for it.
#[component]
fn Preview(view: RetentionView, apply: Call<RetentionRun>) -> impl IntoView {
    let RetentionView {
        rules,
        plan,
        count,
        used,
        ran,
        ..
    } = view;
    let listed = plan.conversations.into_iter().map(|(id, title, at)| {
        view! {
            <li>
                <a href=link(&format!("c/{id}"))>{title_or_default(&title)}</a>
                " "
                <span class="muted">
                    <Time at relative=true/>
                </span>
            </li>
        }
    });
    let listed = listed.collect_view();
    let would = match count {
        0 if rules.is_empty() => any_view! { <p>{text::no_rules()}</p> },
        0 => any_view! { <p>{text::deletes_nothing()}</p> },
        count => any_view! {
            <p>
                <strong>{text::would_delete_count(count, megabytes(plan.bytes))}</strong>
                {plan.more.then(|| format!(" {}", text::more_later()))}
            </p>
            <p>{text::oldest_first()}</p>
            <ul>{listed}</ul>
            <ServerForm action=apply>
                <input type="hidden" name="seen" value=count/>
                <button class="button button--danger">{text::delete_now(count)}</button>
            </ServerForm>
        },
    };
    let ran = ran.map(|ran| {
        view! {
            <p class="muted">
                {text::ran(ran.deleted, megabytes(ran.bytes))} " "
                {(ran.failed > 0).then(|| text::run_failed(ran.failed))} " " <Time at=ran.at relative=true/>
            </p>
        }
    });
    any_view! {
        <section class="card stack">
            <h2 class="card__title">{text::would_delete()}</h2>
            {would}
            {ran}
            <p class="muted">{text::used(megabytes(used))}</p>
        </section>
    }
}

/// Whether the rules are applied each day.
#[component]
fn Daily(automatic: bool, automate: Call) -> impl IntoView {
    let (hint, label) = match automatic {
        true => (text::is_daily(), text::stop_daily()),
        false => (text::is_not_daily(), text::delete_daily()),
    };
    let fields = vec![("automatic", (!automatic).to_string())];
    any_view! {
        <p class="muted">{hint}</p>
        <CallButton action=automate fields label/>
    }
}

/// A rule with its number, counted from 1.
fn one_rule(number: usize, rule: &RetentionRule, remove: Call) -> impl IntoView + use<> {
    let words = in_words(rule);
    let fields = vec![("number", number.to_string())];
    let name = text::remove_rule(&words);
    view! {
        <li class="cluster">
            <span class="grow">{words}</span>
            <CallButton action=remove fields label=text::remove() name/>
        </li>
    }
}

fn in_words(rule: &RetentionRule) -> String {
    let days = usize::try_from(rule.days).unwrap_or(usize::MAX);
    let mut words = vec![text::rule_unused(days)];
    if rule.megabytes > 0 {
        words.push(text::rule_size(rule.megabytes));
    }
    if !rule.repository.is_empty() {
        words.push(text::rule_repository(&rule.repository));
    }
    if rule.archived {
        words.push(text::rule_archived().to_owned());
    }
    words.join(", ")
}

/// A form to add a rule.
#[component]
fn NewRule(add: Call) -> impl IntoView {
    any_view! {
        <section class="card stack">
            <h2 class="card__title">{text::add_rule()}</h2>
            <ServerForm action=add class="stack">
                <div class="field-row">
                    <TextField
                        id="rule-days" name="days" label=text::days() kind="number" value="90".to_owned() least="1"
                        required=true
                    />
                    <TextField
                        id="rule-size" name="megabytes" label=text::only_above() hint=text::only_above_hint()
                        kind="number" least="1"
                    />
                </div>
                <TextField
                    id="rule-repository" name="repository" label=text::repository() hint=text::repository_hint() mono=true
                />
                <Toggle name="archived" label=text::only_archived() checked=false/>
                <Outcome action=add done=text::added()/>
                <button class="button" type="submit">
                    {named_icon("plus", text::add_rule())}
                </button>
            </ServerForm>
        </section>
    }
}

/// Bytes in megabytes, as text.
fn megabytes(bytes: u64) -> String {
    match bytes {
        0..=9_999_999 => format!("{:.1}", bytes as f64 / 1e6),
        bytes => (bytes / 1_000_000).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_said_in_words() {
        let mut rule = RetentionRule {
            days: 90,
            ..RetentionRule::default()
        };
        assert_eq!(in_words(&rule), "Unused for 90 days");
        rule.megabytes = 500;
        rule.repository = "acme/parser".to_owned();
        rule.archived = true;
        assert_eq!(
            in_words(&rule),
            "Unused for 90 days, while more than 500 MB are in use, in acme/parser, archived only"
        );
        assert_eq!(
            (megabytes(340_000_000), megabytes(1_250_000)),
            ("340".to_owned(), "1.2".to_owned())
        );
    }
}
