//! Links with which a conversation can be watched without an account.

use crate::api::{EndLink, MakeLink};
use crate::people::LinkView;
use crate::ui::parts::{Field, Made, Outcome, Time};
use crate::ui::shell::ServerForm;
use leptos::prelude::*;

/// The links, and a form for one more.
#[component]
pub(super) fn Links(
    id: String,
    links: Vec<LinkView>,
    /// The one that a plain form has made just now, or empty.
    made: String,
    /// Makes one.
    make: ServerAction<MakeLink>,
    /// Revokes one.
    end: ServerAction<EndLink>,
) -> impl IntoView {
    let none = links.is_empty();
    let of = id.clone();
    let entries = links
        .into_iter()
        .map(move |link| entry(of.clone(), link, end));
    view! {
        <section class="card">
            <h2 class="card__title">"Links"</h2>
            <p class="card__hint">
                "Whoever has a link watches this conversation without an account. They can do nothing, and see nothing else."
            </p>
            {none.then(|| view! { <p class="muted">"None."</p> })}
            <ul class="stack">{entries.collect_view()}</ul>
            <Outcome action=end done="It leads nowhere now"/>
            <ServerForm action=make class="stack">
                <input type="hidden" name="id" value=id/>
                <Field id="link-days" label="Days" hint="1 to 90; then it ends by itself.">
                    <input
                        class="input number"
                        type="number"
                        id="link-days"
                        name="days"
                        min="1"
                        max="90"
                        value="7"
                        required
                        aria-describedby="link-days-hint"
                    />
                </Field>
                <div class="cluster cluster--end">
                    <button class="button">"Make a link"</button>
                </div>
            </ServerForm>
            <Made action=make made/>
        </section>
    }
    .into_any()
}

fn entry(id: String, link: LinkView, end: ServerAction<EndLink>) -> impl IntoView {
    let label = format!("Revoke the link made by {}", link.by);
    view! {
        <li class="cluster">
            <span class="grow">
                {format!("Made by {} ", link.by)} <Time at=link.created_at relative=true/>
                <br/>
                <span class="muted">
                    "until " <Time at=link.expires_at/>
                    {link.used_at.map(|at| view! { ", last used " <Time at relative=true/> })}
                </span>
            </span>
            <ServerForm action=end>
                <input type="hidden" name="id" value=id/>
                <input type="hidden" name="number" value=link.number/>
                <button class="button button--small" aria-label=label>"Revoke"</button>
            </ServerForm>
        </li>
    }
}
