//! The page for a new conversation.

use super::{budgets::BudgetsNote, form::MessageForm, rules::Rule, suggestions::Suggestions, text};
use crate::api::{BackendView, ListAsk, ListView, list_conversations};
use crate::conversation::Tone;
use crate::store::{fetched, link, use_query};
use crate::ui::list::RehearsalNotice;
use crate::ui::parts::{self, Answered, Banner};
use crate::ui::shell::Page;
use leptos::prelude::*;

/// `/new`; `?message=` prefills the message.
#[component]
pub fn NewPage() -> impl IntoView {
    let query = use_query();
    let message = Memo::new(move |_| query.with(|query| query.get("message")).unwrap_or_default());
    let list = fetched(|| (), |()| list_conversations(ListAsk::default()));
    any_view! {
        <Page title=parts::text::new_conversation() class="page page--narrow new-page">
            <Answered answers=list waiting=text::loading() draw=move |view| {
                any_view! { <Loaded view message=message.get()/> }
            }/>
            <p>
                <a href=link("import")>{text::import()}</a>
            </p>
        </Page>
    }
}

#[component]
fn Loaded(view: ListView, message: String) -> impl IntoView {
    let ListView {
        backends, draft, ..
    } = view;
    let message = if message.is_empty() { draft } else { message };
    let rules: Vec<Rule> = backends.iter().map(Rule::of).collect();
    let rehearses = backends.iter().any(|one| one.rehearsal);
    let several = backends.len() > 1;
    let trouble = |one: &BackendView| {
        let trouble = one.trouble.clone()?;
        Some(if several {
            parts::text::trouble_of(&one.label, trouble)
        } else {
            trouble
        })
    };
    let troubles: Vec<String> = backends.iter().filter_map(trouble).collect();
    view! {
        {troubles.into_iter().map(|text| view! { <Banner tone=Tone::Warning text said=true/> }).collect_view()}
        {rehearses.then(|| view! { <RehearsalNotice/> })}
        <MessageForm message backends rules/>
        <BudgetsNote/>
        {rehearses.then(|| view! { <Suggestions/> })}
    }
}
