//! The page of a refusal: the user's role does not allow a page, or the server rejects a request.

use super::{Said, text};
use crate::people::Role;
use crate::store::{link, me};
use crate::ui::parts;
use crate::ui::shell::Page;
use leptos::prelude::*;

/// Replaces the requested page.
#[component]
pub fn NotAllowedPage() -> impl IntoView {
    let Said(said) = use_context().unwrap_or_default();
    let role = me().role;
    let (title, reason) = if said.is_empty() {
        let reason = match role {
            None => text::no_role().to_owned(),
            Some(Role::Visitor) => text::visitor().to_owned(),
            Some(role) => text::role(role.word()),
        };
        (parts::text::not_allowed(), reason)
    } else {
        (text::request_failed(), said)
    };
    let way = match role {
        None | Some(Role::Visitor) => view! {
            <a class="button button--primary" href=link("login")>
                {text::log_in()}
            </a>
        },
        Some(_) => view! {
            <a class="button button--primary" href=link("")>
                {parts::text::all_conversations()}
            </a>
        },
    };
    any_view! {
        <Page title class="page page--card">
            <p>{reason}</p>
            {way}
        </Page>
    }
}
