//! The sharing of a conversation: everybody, named users, or only its creator; the role of each named user; links.

use super::{links::Links, text};
use crate::api::{EndLink, MakeLink, ShareConversation, ShareWith, Unshare, read_sharing};
use crate::people::{Audience, Role, Share, Sharing, SharingView};
use crate::store::{Call, fetched};
use crate::ui::parts::{self, Answered, Field, Outcome, TextField, empty_form};
use crate::ui::shell::{CallButton, Page, ServerForm, back_to};
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

/// The actions of the page. They live outside the refetched view, so that their results stay visible.
#[derive(Clone, Copy)]
struct AuditActions {
    audience: Call,
    share: Call,
    unshare: Call,
    make: Call<String>,
    end: Call,
}

/// `/c/:id/sharing`.
#[component]
pub fn SharingPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id").unwrap_or_default());
    let seen = fetched(move || id.get(), read_sharing);
    let actions = AuditActions {
        audience: Call::of::<ShareConversation>(),
        share: Call::of::<ShareWith>(),
        unshare: Call::of::<Unshare>(),
        make: Call::of::<MakeLink>(),
        end: Call::of::<EndLink>(),
    };
    for action in [
        actions.audience,
        actions.share,
        actions.unshare,
        actions.end,
    ] {
        action.on_success(move || seen.refetch());
    }
    actions.make.on_success(move || seen.refetch());
    any_view! {
        <Page back=back_to(id) title=text::sharing()>
            <Answered answers=seen waiting=text::sharing_loading() draw=move |view| {
                any_view! { <Settings id=id.get_untracked() view actions/> }
            }/>
        </Page>
    }
}

#[component]
fn Settings(id: String, view: SharingView, actions: AuditActions) -> impl IntoView {
    let Sharing { audience, with, .. } = view.sharing;
    any_view! {
        <AudienceForm id=id.clone() audience share=actions.audience/>
        <ByName id=id.clone() with names=view.names share=actions.share unshare=actions.unshare/>
        <Links id links=view.links secret=view.one_time_secret make=actions.make end=actions.end/>
    }
}

#[component]
fn AudienceForm(id: String, audience: Audience, share: Call) -> impl IntoView {
    let choices = [
        (Audience::All, "all", text::audience_all()),
        (Audience::Some, "some", text::audience_some()),
        (Audience::Creator, "starter", text::audience_creator()),
    ];
    let choices = choices.map(|(one, value, label)| {
        view! {
            <label class="check">
                <input type="radio" name="audience" value=value checked=one == audience/>
                <span>{label}</span>
            </label>
        }
    });
    any_view! {
        <section class="card">
            <h2 class="card__title" id="whom">
                {text::audience()}
            </h2>
            <ServerForm action=share class="stack">
                <input type="hidden" name="id" value=id/>
                <div class="stack" role="radiogroup" aria-labelledby="whom">
                    {choices.collect_view()}
                </div>
                <Outcome action=share/>
                <button class="button button--primary">{text::save()}</button>
            </ServerForm>
        </section>
    }
}

#[component]
fn ByName(
    id: String,
    with: Vec<Share>,
    /// Names to choose from; empty if the person may not see them.
    names: Vec<String>,
    share: Call,
    unshare: Call,
) -> impl IntoView {
    let name = NodeRef::<html::Input>::new();
    share.on_success(move || empty_form(name));
    let of = id.clone();
    let entries = with
        .into_iter()
        .map(move |share| entry(of.clone(), share, unshare));
    let roles = Role::ALL.into_iter().filter(|role| *role != Role::Owner);
    let roles = roles.map(|role| {
        let label = text::role_option(role, role.explained());
        view! { <option value=role.word()>{label}</option> }
    });
    any_view! {
        <section class="card">
            <h2 class="card__title">{text::people()}</h2>
            <p class="card__hint">{text::share_hint()}</p>
            <ul class="stack">{entries.collect_view()}</ul>
            <Outcome action=unshare done=text::removed()/>
            <ServerForm action=share class="stack">
                <input type="hidden" name="id" value=id/>
                <div class="field-row">
                    <TextField
                        id="share-name" name="name" label=parts::text::name() required=true longest="40"
                        list="share-names" node_ref=name
                    />
                    <datalist id="share-names">
                        {names.into_iter().map(|name| view! { <option value=name></option> }).collect_view()}
                    </datalist>
                    <Field id="share-role" label=text::role()>
                        <select class="select" id="share-role" name="role">
                            <option value="">{text::usual_role_option()}</option>
                            {roles.collect_view()}
                        </select>
                    </Field>
                </div>
                <Outcome action=share done=text::shared()/>
                <button class="button">{text::share()}</button>
            </ServerForm>
        </section>
    }
}

fn entry(id: String, share: Share, unshare: Call) -> impl IntoView {
    let Share { name, role } = share;
    let label = parts::text::remove_named(&name);
    let role = role.map_or(text::usual_role(), Role::word);
    view! {
        <li class="cluster">
            <strong class="grow">{name.clone()}</strong>
            <span class="chip">{role}</span>
            <CallButton action=unshare fields=vec![("id", id), ("name", name)] label=text::remove() name=label/>
        </li>
    }
}
