//! Somebody is logged in and may not see a page.

use crate::people::Role;
use crate::store::{link, me};
use crate::ui::shell::Head;
use leptos::prelude::*;

/// Stands where a page would be that one's role does not allow.
#[component]
pub fn NotAllowedPage() -> impl IntoView {
    let role = me().role.unwrap_or_default();
    if role == Role::Visitor {
        return view! {
            <Head title="Not allowed"/>
            <div class="page page--card">
                <h1 class="page__title">"Not allowed"</h1>
                <p>"Your link leads to one conversation and nowhere else. Open the link again."</p>
                <a class="button button--primary" href=link("login")>
                    "Log in"
                </a>
            </div>
        }
        .into_any();
    }
    view! {
        <Head title="Not allowed"/>
        <div class="page page--card">
            <h1 class="page__title">"Not allowed"</h1>
            <p>{format!("Your role ({role}) does not allow this page. Ask an owner for another one.")}</p>
            <a class="button button--primary" href=link("")>
                "All conversations"
            </a>
        </div>
    }
    .into_any()
}
