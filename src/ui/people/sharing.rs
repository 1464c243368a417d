//! Who sees a conversation: everybody, some, or its starter; some people by name and in which role; links.

use super::{after, links::Links};
use crate::api::{EndLink, MakeLink, ShareConversation, ShareWith, Unshare, read_sharing};
use crate::people::{Audience, Role, Share, Sharing, SharingView};
use crate::store::{fetched, link};
use crate::ui::parts::{Answered, Field, Outcome};
use crate::ui::shell::{Head, ServerForm};
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

/// What can be done here. It lives beside what is read again afterwards, so that what became of it stays to be seen.
#[derive(Clone, Copy)]
struct Deeds {
    audience: ServerAction<ShareConversation>,
    share: ServerAction<ShareWith>,
    unshare: ServerAction<Unshare>,
    make: ServerAction<MakeLink>,
    end: ServerAction<EndLink>,
}

/// `/c/:id/sharing`.
#[component]
pub fn SharingPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id").unwrap_or_default());
    let seen = fetched(move || id.get(), read_sharing);
    let deeds = Deeds {
        audience: ServerAction::new(),
        share: ServerAction::new(),
        unshare: ServerAction::new(),
        make: ServerAction::new(),
        end: ServerAction::new(),
    };
    after(deeds.audience, move || seen.refetch());
    after(deeds.share, move || seen.refetch());
    after(deeds.unshare, move || seen.refetch());
    after(deeds.make, move || seen.refetch());
    after(deeds.end, move || seen.refetch());
    view! {
        <Head title="Who sees this"/>
        <div class="page page--narrow">
            <p class="page__back">
                <a class="button button--quiet button--small" href=move || link(&format!("c/{}", id.get()))>
                    "‹ The conversation"
                </a>
            </p>
            <h1 class="page__title">"Who sees this"</h1>
            <Answered answers=seen waiting="Reading who sees it…" draw=move |view| {
                view! { <Settings id=id.get_untracked() view deeds/> }.into_any()
            }/>
        </div>
    }
    .into_any()
}

#[component]
fn Settings(id: String, view: SharingView, deeds: Deeds) -> impl IntoView {
    let Sharing { audience, with, .. } = view.sharing;
    view! {
        <Whom id=id.clone() audience share=deeds.audience/>
        <ByName id=id.clone() with share=deeds.share unshare=deeds.unshare/>
        <Links id links=view.links made=view.made make=deeds.make end=deeds.end/>
    }
    .into_any()
}

#[component]
fn Whom(id: String, audience: Audience, share: ServerAction<ShareConversation>) -> impl IntoView {
    let choices = [
        (Audience::All, "all", "Everybody who may log in"),
        (
            Audience::Some,
            "some",
            "The people below, who began it, and owners",
        ),
        (Audience::Starter, "starter", "Who began it, and owners"),
    ];
    let choices = choices.map(|(one, value, label)| {
        view! {
            <label class="check">
                <input type="radio" name="audience" value=value checked=one == audience/>
                <span>{label}</span>
            </label>
        }
    });
    view! {
        <section class="card">
            <h2 class="card__title" id="whom">
                "For whom it is"
            </h2>
            <ServerForm action=share class="stack">
                <input type="hidden" name="id" value=id/>
                <div class="stack" role="radiogroup" aria-labelledby="whom">
                    {choices.collect_view()}
                </div>
                <Outcome action=share done="Saved"/>
                <div class="cluster cluster--end">
                    <button class="button button--primary">"Save"</button>
                </div>
            </ServerForm>
        </section>
    }
    .into_any()
}

#[component]
fn ByName(
    id: String,
    with: Vec<Share>,
    share: ServerAction<ShareWith>,
    unshare: ServerAction<Unshare>,
) -> impl IntoView {
    let name = NodeRef::<html::Input>::new();
    after(share, move || {
        // As new: an empty field that was used before is drawn as wrong.
        if let Some(form) = name.get_untracked().and_then(|input| input.form()) {
            form.reset();
        }
    });
    let of = id.clone();
    let entries = with
        .into_iter()
        .map(move |share| entry(of.clone(), share, unshare));
    let roles = Role::ALL.into_iter().filter(|role| *role != Role::Owner);
    let roles = roles.map(|role| {
        let text = format!("{role}: {}", role.explained());
        view! { <option value=role.word()>{text}</option> }
    });
    view! {
        <section class="card">
            <h2 class="card__title">"People"</h2>
            <p class="card__hint">
                "A role that you give here counts in this conversation alone, whether it is more or less than theirs."
            </p>
            <ul class="stack">{entries.collect_view()}</ul>
            <Outcome action=unshare done="Taken off"/>
            <ServerForm action=share class="stack">
                <input type="hidden" name="id" value=id/>
                <div class="field-row">
                    <Field id="share-name" label="Name">
                        <input
                            class="input"
                            id="share-name"
                            name="name"
                            node_ref=name
                            required
                            maxlength="40"
                            autocomplete="off"
                            autocapitalize="off"
                            spellcheck="false"
                        />
                    </Field>
                    <Field id="share-role" label="Role here">
                        <select class="select" id="share-role" name="role">
                            <option value="">"the one they have"</option>
                            {roles.collect_view()}
                        </select>
                    </Field>
                </div>
                <Outcome action=share done="Shared"/>
                <div class="cluster cluster--end">
                    <button class="button">"Share"</button>
                </div>
            </ServerForm>
        </section>
    }
    .into_any()
}

fn entry(id: String, share: Share, unshare: ServerAction<Unshare>) -> impl IntoView {
    let Share { name, role } = share;
    let label = format!("Take {name} off");
    let role = role.map_or("the role they have", Role::word);
    view! {
        <li class="cluster">
            <strong class="grow">{name.clone()}</strong>
            <span class="chip">{role}</span>
            <ServerForm action=unshare>
                <input type="hidden" name="id" value=id/>
                <input type="hidden" name="name" value=name/>
                <button class="button button--small" aria-label=label>"Take off"</button>
            </ServerForm>
        </li>
    }
}
