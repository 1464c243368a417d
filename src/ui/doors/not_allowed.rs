//! Somebody is told no: their role does not allow a page, or what they sent is not taken.

use super::Said;
use crate::people::Role;
use crate::store::{link, me};
use crate::ui::shell::Head;
use leptos::prelude::*;

/// Stands where a page would be.
#[component]
pub fn NotAllowedPage() -> impl IntoView {
    let Said(said) = use_context().unwrap_or_default();
    let role = me().role;
    let (title, text) = if !said.is_empty() {
        ("Not accepted", said)
    } else if role == Some(Role::Visitor) {
        let text =
            "Your link leads to one conversation and nowhere else. Open the link again, or log in.";
        ("Not allowed", text.to_owned())
    } else {
        let role = role.map_or("nobody", Role::word);
        let text =
            format!("Your role ({role}) does not allow this page. Ask an owner for another one.");
        ("Not allowed", text)
    };
    let way = match role {
        None | Some(Role::Visitor) => view! {
            <a class="button button--primary" href=link("login")>
                "Log in"
            </a>
        },
        Some(_) => view! {
            <a class="button button--primary" href=link("")>
                "All conversations"
            </a>
        },
    };
    view! {
        <Head title/>
        <div class="page page--card">
            <h1 class="page__title">{title}</h1>
            <p>{text}</p>
            {way}
        </div>
    }
    .into_any()
}
