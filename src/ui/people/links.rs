//! Shared links, which let visitors watch a conversation without an account.

use super::text;
use crate::people::LinkView;
use crate::store::Call;
use crate::ui::parts::{OneTimeSecret, Outcome, TextField, Time};
use crate::ui::shell::{CallButton, ServerForm};
use leptos::prelude::*;

/// The links, and a form to create one.
#[component]
pub(super) fn Links(
    id: String,
    links: Vec<LinkView>,
    /// The link that a submit without JavaScript has created, or empty.
    secret: String,
    /// Creates a link.
    make: Call<String>,
    /// Revokes a link.
    end: Call,
) -> impl IntoView {
    let none = links.is_empty();
    let of = id.clone();
    let entries = links
        .into_iter()
        .map(move |link| entry(of.clone(), link, end));
    any_view! {
        <section class="card">
            <h2 class="card__title">{text::links()}</h2>
            <p class="card__hint">{text::links_hint()}</p>
            {none.then(|| view! { <p class="muted">{text::no_links()}</p> })}
            <ul class="stack">{entries.collect_view()}</ul>
            <Outcome action=end done=text::link_revoked()/>
            <ServerForm action=make class="stack">
                <input type="hidden" name="id" value=id/>
                <TextField
                    id="link-days" name="days" label=text::days() hint=text::link_days_hint() kind="number" value="7"
                    required=true least="1" most="90"
                />
                <button class="button">{text::create_link()}</button>
            </ServerForm>
            <OneTimeSecret action=make secret/>
        </section>
    }
}

fn entry(id: String, link: LinkView, end: Call) -> impl IntoView {
    let label = text::revoke_link(&link.by);
    view! {
        <li class="cluster">
            <span class="grow">
                {text::link_created(&link.by)} <Time at=link.created_at relative=true/>
                <br/>
                <span class="muted">
                    {text::link_expires()} <Time at=link.expires_at/>
                    {link.used_at.map(|at| view! { {text::last_used()} <Time at relative=true/> })}
                </span>
            </span>
            <CallButton action=end fields=vec![("id", id), ("number", link.number.to_string())] label=text::revoke() name=label/>
        </li>
    }
}
