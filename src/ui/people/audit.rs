//! The audit log, for owners: one row per action. The filter is in the URL.
//!
//! Long because filter, rows and their addresses belong together.

use super::audit_words::{ACTIONS, action_in_words};
use super::text;
use crate::api::{query_of, read_audit, read_audit_choices};
use crate::people::{AuditChoices, AuditLine, AuditView};
use crate::store::{fetched, link, use_query};
use crate::ui::parts::{
    self, Answered, Choice, EmptyState, Time, named_icon, span, title_or_default, use_clock,
    varying,
};
use crate::ui::shell::Page;
use crate::ui::timeline::row_address;
use leptos::prelude::*;
use leptos_router::components::Form;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlFormElement};

/// The filter.
#[derive(Debug, Clone, PartialEq, Default)]
struct Wanted {
    name: String,
    action: String,
    conversation: String,
    outcome: String,
    before: Option<i64>,
}

impl Wanted {
    /// The filter as a query string, for links.
    fn query(&self, before: Option<i64>) -> String {
        let before = before.map(|before| before.to_string()).unwrap_or_default();
        query_of([
            ("name", self.name.as_str()),
            ("action", self.action.as_str()),
            ("conversation", self.conversation.as_str()),
            ("outcome", self.outcome.as_str()),
            ("before", before.as_str()),
        ])
    }
}

/// `/audit`.
#[component]
pub fn AuditPage() -> impl IntoView {
    let query = use_query();
    let wanted = Memo::new(move |_| {
        let say = |name: &str| query.with(|query| query.get(name)).unwrap_or_default();
        Wanted {
            name: say("name"),
            action: say("action"),
            conversation: say("conversation"),
            outcome: say("outcome"),
            before: say("before").parse().ok(),
        }
    });
    let audit = fetched(
        move || wanted.get(),
        |one| {
            read_audit(
                one.name,
                one.action,
                one.conversation,
                one.outcome,
                one.before,
            )
        },
    );
    // The choices have an answer of their own, so that the form stays in place when the filter changes.
    let choices = fetched(|| (), |()| read_audit_choices());
    let [lines, table] = ["audit.jsonl", "audit.csv"].map(link);
    let lines = move || format!("{lines}{}", wanted.read().query(None));
    let table = move || format!("{table}{}", wanted.read().query(None));
    any_view! {
        <Page title=text::audit()>
            <div class="audit__tools">
                // In view where there is room for it, or while it applies.
                <details class="knowledge" open=wanted.with_untracked(|wanted| !wanted.query(None).is_empty())>
                    <summary>{parts::text::filters()}</summary>
                    // A choice filters at once; without a program, the button does.
                    <Form method="GET" action=link("audit") attr:class="field-row" attr:data-filters="" on:change=filter_at_once>
                        <Answered answers=choices waiting=text::filters_loading() draw=move |choices| {
                            any_view! { <Filters choices wanted/> }
                        }/>
                        <button class="button">{text::filter()}</button>
                    </Form>
                </details>
                <p class="cluster">{download(lines, "JSON Lines")} {download(table, "CSV")}</p>
            </div>
            <Answered answers=audit waiting=text::audit_loading() draw=move |view| {
                any_view! { <Lines view wanted=wanted.get_untracked()/> }
            }/>
        </Page>
    }
}

/// A link to the entries in a format.
fn download(
    address: impl Fn() -> String + Send + Sync + 'static,
    format: &'static str,
) -> impl IntoView {
    view! {
        <a class="button button--small" href=address download="" rel="external" aria-label=text::download_as(format)>
            {named_icon("download", format)}
        </a>
    }
}

/// Submits the form in which a choice has changed.
fn filter_at_once(event: Event) {
    let field = event.target().and_then(|field| field.dyn_into().ok());
    let form = field.and_then(|field: Element| field.closest("form").ok()?);
    if let Some(form) = form.and_then(|form| form.dyn_into::<HtmlFormElement>().ok()) {
        // A form that its browser refuses to submit stays as it is.
        let _ = form.request_submit();
    }
}

/// The choices of the filter.
#[component]
fn Filters(choices: AuditChoices, wanted: Memo<Wanted>) -> impl IntoView {
    let same = |text: String| (text.clone(), text);
    let people: Vec<(String, String)> = choices.people.into_iter().map(same).collect();
    let actions = ACTIONS.map(|(code, words)| (code.to_owned(), words().to_owned()));
    let outcomes = [
        ("done", text::outcome_done()),
        ("failed", text::outcome_failed()),
        ("unknown", text::outcome_unknown()),
    ];
    let outcomes = outcomes.map(|(word, label)| (word.to_owned(), label.to_owned()));
    let conversations: Vec<(String, String)> = choices
        .conversations
        .into_iter()
        .map(|(id, title)| (id, title_or_default(&title)))
        .collect();
    let chosen = wanted.get_untracked();
    any_view! {
        <Choice name="name" label=text::person() all=text::everyone() chosen=chosen.name among=people/>
        <Choice
            name="action"
            label=text::action()
            all=text::all_actions()
            chosen=chosen.action
            among=actions.to_vec()
        />
        <Choice
            name="outcome"
            label=text::outcome()
            all=text::all_outcomes()
            chosen=chosen.outcome
            among=outcomes.to_vec()
        />
        <Choice
            name="conversation"
            label=text::conversation()
            all=parts::text::all_conversations()
            chosen=chosen.conversation
            among=conversations
        />
    }
}

#[component]
fn Lines(view: AuditView, wanted: Wanted) -> impl IntoView {
    if view.lines.is_empty() {
        let (title, hint) = if wanted == Wanted::default() {
            (text::no_entries(), text::no_entries_hint())
        } else {
            (text::no_matches(), text::no_matches_hint())
        };
        return any_view! { <EmptyState title text=hint/> };
    }
    let older = view.older.map(|before| {
        view! {
            <a class="button" href=wanted.query(Some(before))>
                {parts::text::older()}
            </a>
        }
    });
    let clock = use_clock();
    let mut last = None;
    let days = view.lines.into_iter().map(move |entry| {
        let (at, before) = (entry.at, last.replace(entry.at));
        // The day is the reader's, which the server does not know.
        let heading = varying(move || {
            let day = clock.get().day(at);
            let is_new = before.is_none_or(|before| clock.get().day(before) != day);
            is_new.then(|| {
                view! {
                    <tr role="row" class="table__day">
                        <th role="rowheader" colspan="6">
                            {day}
                        </th>
                    </tr>
                }
            })
        });
        (heading, line(entry))
    });
    let days = days.collect_view();
    any_view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label=text::entries()>
            <table class="table table--stack audit" role="table">
                <thead role="rowgroup">
                    <tr role="row">
                        <th role="columnheader">{text::time()}</th>
                        <th role="columnheader">{text::person()}</th>
                        <th role="columnheader">{text::action()}</th>
                        <th role="columnheader">{text::conversation()}</th>
                        <th role="columnheader">{text::outcome()}</th>
                        <th role="columnheader">{text::duration()}</th>
                    </tr>
                </thead>
                <tbody role="rowgroup">{days}</tbody>
            </table>
        </div>
        {older}
    }
}

fn line(line: AuditLine) -> impl IntoView {
    // A conversation that is no longer known has no page to link to.
    let place = (!line.conversation.is_empty()).then(|| match line.title {
        Some(title) => {
            let address = link(&format!("c/{}", line.conversation));
            any_view! { <a href=address>{title_or_default(&title)}</a> }
        }
        None => {
            let id: String = line.conversation.chars().take(8).collect();
            any_view! { <span class="mono">{id}</span> }
        }
    });
    let step = line.step.map(|(pos, row)| {
        let address = link(&format!("c/{}", line.conversation));
        let address = format!("{address}{}", row_address(pos, row));
        view! { <a href=address>{text::audited_step()}</a> }
    });
    let (outcome, reason) = outcome_in_words(line.outcome);
    let facts = [
        (text::reason(), line.reason),
        (text::details(), line.detail),
        (text::address(), line.address),
        (text::entry_number(), line.number.to_string()),
        (text::content_hash(), line.digest),
    ];
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
    let facts: Vec<AnyView> = facts
        .map(|(name, value)| {
            any_view! {
                <dt class="muted">{name}</dt>
                <dd class="mono">{value}</dd>
            }
        })
        .collect();
    any_view! {
        <tr role="row">
            <td role="cell" data-label=text::time()>
                <Time at=line.at seconds=true/>
            </td>
            <td role="cell" data-label=text::person()>
                {line.name}
            </td>
            <td role="cell" data-label=text::action()>
                <details class="knowledge">
                    <summary>{action_in_words(&line.action)}</summary>
                    {step}
                    <dl>{facts}</dl>
                </details>
            </td>
            <td role="cell" data-label=text::conversation()>
                {place}
            </td>
            <td role="cell" data-label=text::outcome()>
                {outcome}
                {(!reason.is_empty()).then(|| view! { <br/> <span class="muted">{reason}</span> })}
            </td>
            <td role="cell" class="number" data-label=text::duration()>
                {line.millis.map(span)}
            </td>
        </tr>
    }
}

/// A recorded outcome in a word, and the reason if there is one.
fn outcome_in_words(outcome: Option<String>) -> (&'static str, String) {
    match outcome {
        None => (text::outcome_open(), String::new()),
        Some(outcome) if outcome == "done" => (text::outcome_done(), String::new()),
        Some(outcome) => match outcome.strip_prefix("unknown: ") {
            Some(reason) => (text::outcome_unknown(), reason.to_owned()),
            None => (text::outcome_failed(), outcome),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_goes_into_the_address_and_cannot_leave_its_place() {
        let wanted = Wanted {
            name: "a&b=c d".to_owned(),
            outcome: "done".to_owned(),
            ..Wanted::default()
        };
        let query = wanted.query(Some(7));
        assert_eq!(query, "?name=a%26b%3Dc%20d&outcome=done&before=7");
    }

    #[test]
    fn an_outcome_is_told_apart_from_its_reason() {
        let told = |outcome: &str| outcome_in_words(Some(outcome.to_owned()));
        assert_eq!(told("done"), ("Done", String::new()));
        assert_eq!(told("not now"), ("Failed", "not now".to_owned()));
        assert_eq!(
            told("unknown: it stopped"),
            ("Unknown", "it stopped".to_owned())
        );
        assert_eq!(outcome_in_words(None).0, "Not recorded yet");
    }
}
