//! What was done by whom, for owners. The filter is in the address.

use crate::api::read_audit;
use crate::people::{AuditLine, AuditView};
use crate::store::{fetched, link};
use crate::ui::parts::{Answered, EmptyState, Field, Time};
use crate::ui::shell::Head;
use leptos::prelude::*;
use leptos_router::components::Form;
use leptos_router::hooks::use_query_map;
use std::fmt::Write as _;

/// What is wanted.
#[derive(Debug, Clone, PartialEq, Default)]
struct Wanted {
    name: String,
    action: String,
    conversation: String,
    before: Option<i64>,
}

impl Wanted {
    /// As a query, for links.
    fn query(&self, before: Option<i64>) -> String {
        let mut query = String::from("?");
        for (key, value) in [
            ("name", &self.name),
            ("action", &self.action),
            ("conversation", &self.conversation),
        ] {
            if !value.is_empty() {
                // Writing into a text does not fail.
                let _ = write!(query, "{key}={}&", escaped(value));
            }
        }
        if let Some(before) = before {
            let _ = write!(query, "before={before}");
        }
        query
    }
}

/// `/audit`.
#[component]
pub fn AuditPage() -> impl IntoView {
    let query = use_query_map();
    let wanted = Memo::new(move |_| {
        let say = |name: &str| query.with(|query| query.get(name)).unwrap_or_default();
        Wanted {
            name: say("name"),
            action: say("action"),
            conversation: say("conversation"),
            before: say("before").parse().ok(),
        }
    });
    let audit = fetched(
        move || wanted.get(),
        |one| read_audit(one.name, one.action, one.conversation, one.before),
    );
    let [lines, table] = ["audit.jsonl", "audit.csv"].map(link);
    let lines = move || format!("{lines}{}", wanted.read().query(None));
    let table = move || format!("{table}{}", wanted.read().query(None));
    view! {
        <Head title="Audit"/>
        <div class="page">
            <h1 class="page__title">"Audit"</h1>
            <Form method="GET" action=link("audit") attr:class="field-row">
                <Field id="audit-name" label="Who">
                    <input class="input" id="audit-name" name="name" value=move || wanted.read().name.clone()/>
                </Field>
                <Field id="audit-action" label="What">
                    <input
                        class="input"
                        id="audit-action"
                        name="action"
                        placeholder="approve"
                        value=move || wanted.read().action.clone()
                    />
                </Field>
                <Field id="audit-conversation" label="Conversation">
                    <input
                        class="input mono"
                        id="audit-conversation"
                        name="conversation"
                        value=move || wanted.read().conversation.clone()
                    />
                </Field>
                <button class="button">"Filter"</button>
            </Form>
            <p class="cluster">
                <a class="button button--small" href=lines download="" rel="external">
                    "Download as JSON lines"
                </a>
                <a class="button button--small" href=table download="" rel="external">
                    "Download as a table (CSV)"
                </a>
            </p>
            <Answered answers=audit waiting="Reading the audit…" draw=move |view| {
                view! { <Lines view wanted=wanted.get_untracked()/> }.into_any()
            }/>
        </div>
    }
    .into_any()
}

#[component]
fn Lines(view: AuditView, wanted: Wanted) -> impl IntoView {
    if view.lines.is_empty() {
        let (title, text) = if wanted == Wanted::default() {
            (
                "Nothing was done yet",
                "What people do is listed here: when, who, and what became of it.",
            )
        } else {
            (
                "Nothing found",
                "Name and action are compared whole: approve, log in, save settings.",
            )
        };
        return view! { <EmptyState title text/> }.into_any();
    }
    let older = view.older.map(|before| {
        view! {
            <a class="button" href=wanted.query(Some(before))>
                "Older"
            </a>
        }
    });
    view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label="Entries">
            <table class="table">
                <thead>
                    <tr>
                        <th>"When"</th>
                        <th>"Who"</th>
                        <th>"What"</th>
                        <th>"Outcome"</th>
                        <th>"Where"</th>
                        <th>"From"</th>
                    </tr>
                </thead>
                <tbody>{view.lines.into_iter().map(line).collect_view()}</tbody>
            </table>
        </div>
        {older}
    }
    .into_any()
}

fn line(line: AuditLine) -> impl IntoView {
    let place = (!line.conversation.is_empty()).then(|| {
        let address = link(&format!("c/{}", line.conversation));
        let name: String = line.conversation.chars().take(8).collect();
        view! { <a class="mono" href=address>{name}</a> }
    });
    let hash = (!line.digest.is_empty()).then(|| format!("SHA-256 {}", line.digest));
    view! {
        <tr>
            <td><Time at=line.at/></td>
            <td>{line.name}</td>
            <td title=hash>
                {line.action}
                {(!line.detail.is_empty()).then(|| view! { <br/> <span class="muted">{line.detail}</span> })}
            </td>
            <td>{line.outcome}</td>
            <td>{place}</td>
            <td class="mono">{line.address}</td>
        </tr>
    }
}

/// As the value of a query: all but plain letters and digits as their bytes.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_goes_into_the_address_and_cannot_leave_its_place() {
        let wanted = Wanted {
            name: "a&b=c d".to_owned(),
            ..Wanted::default()
        };
        assert_eq!(wanted.query(Some(7)), "?name=a%26b%3Dc%20d&before=7");
    }
}
