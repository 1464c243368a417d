//! The filters of the search page: plain form fields.

use super::text;
use crate::{
    api::{SearchAsk, SearchChoices},
    conversation::{Actor, Family},
    ui::parts::{self, Choice, TextField, title_or_default},
};
use leptos::prelude::*;

/// The fields, with the current values.
#[component]
pub(super) fn Filters(choices: SearchChoices, ask: SearchAsk) -> impl IntoView {
    let conversations = choices.conversations.into_iter();
    let conversations = conversations.map(|(id, title)| (id, title_or_default(&title)));
    let kinds = Family::ALL.map(|family| (family.as_str().to_owned(), family_in_words(family)));
    let sources = Actor::ALL.map(|source| (source.as_str().to_owned(), source_in_words(source)));
    let backends: Vec<(String, String)> = choices
        .backends
        .into_iter()
        .map(|label| (label.clone(), label))
        .collect();
    let several = backends.len() > 1 || !ask.backend.is_empty();
    any_view! {
        <div class="field-row">
            <Choice
                name="conversation"
                label=text::conversation()
                all=parts::text::all_conversations()
                chosen=ask.conversation
                among=conversations.collect()
            />
            <Choice name="kind" label=text::kind() all=text::all_kinds() chosen=ask.kind among=kinds.to_vec() />
            <Choice name="source" label=text::source() all=text::all_sources() chosen=ask.source among=sources.to_vec() />
            {several
                .then(|| {
                    view! {
                        <Choice
                            name="backend"
                            label=text::backend()
                            all=text::all_backends()
                            chosen=ask.backend
                            among=backends
                        />
                    }
                })}
            <TextField id="filter-person" name="person" label=text::person() hint=text::person_hint() value=ask.person />
            <TextField id="filter-path" name="path" label=text::path() hint=text::path_hint() value=ask.path />
            <Date name="from" label=text::from() value=ask.from />
            <Date name="to" label=text::to() value=ask.to />
        </div>
    }
}

#[component]
fn Date(name: &'static str, label: &'static str, value: String) -> impl IntoView {
    // A browser warns about a value that is no day; the answer of the search says what is wrong with it.
    let value = if is_day(&value) { value } else { String::new() };
    view! { <TextField id=format!("filter-{name}") name label kind="date" value/> }
}

/// Whether a text is written like a day: `2026-01-31`.
fn is_day(text: &str) -> bool {
    text.len() == "2026-01-31".len()
        && text.char_indices().all(|(place, letter)| match place {
            4 | 7 => letter == '-',
            _ => letter.is_ascii_digit(),
        })
}

fn family_in_words(family: Family) -> String {
    let words = match family {
        Family::Message => text::messages(),
        Family::Command => text::commands(),
        Family::Output => text::output(),
        Family::File => text::files(),
        Family::Tool => text::tools(),
        Family::Error => text::errors(),
        Family::Other => text::other(),
    };
    words.to_owned()
}

fn source_in_words(source: Actor) -> String {
    let words = match source {
        Actor::Human => text::people(),
        Actor::Agent => text::agents(),
        Actor::Environment => text::environment(),
        Actor::Hook => text::hooks(),
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::is_day;

    #[test]
    fn only_what_is_written_like_a_day_is_put_into_a_field_for_days() {
        assert!(is_day("2026-01-31"));
        for text in [
            "",
            "nonsense",
            "2026-1-31",
            "2026-01-31 ",
            "2026/01/31",
            "yyyy-mm-dd",
        ] {
            assert!(!is_day(text), "{text}");
        }
    }
}
