//! Which approvals need a touch of a passkey: for all conversations, and for repositories of their own.

use super::text;
use crate::api::{SaveTouches, read_touches};
use crate::people::{PasskeysHere, Reach, TouchesView};
use crate::store::{Call, fetched};
use crate::ui::auth::why_no_passkeys;
use crate::ui::parts::{Answered, Choice, Outcome, TextField};
use crate::ui::shell::{CallButton, ServerForm};
use leptos::prelude::*;

/// A part of `/settings/approvers`.
#[component]
pub fn TouchesPart() -> impl IntoView {
    let save = Call::of::<SaveTouches>();
    let touches = fetched(|| (), |()| read_touches());
    save.on_success(move || touches.refetch());
    any_view! {
        <Answered answers=touches waiting=text::loading() draw=move |view| {
            any_view! { <TouchesForms view save/> }
        }/>
        <Outcome action=save/>
    }
}

#[component]
fn TouchesForms(view: TouchesView, save: Call) -> impl IntoView {
    let warning = warning(&view);
    let kind = if view.touches.any() {
        "notice notice--warning"
    } else {
        "card__hint"
    };
    let repositories = view.touches.repositories.into_iter();
    let repositories: Vec<_> = repositories
        .map(|(name, reach)| one_repository(name, reach, save))
        .collect();
    let any = !repositories.is_empty();
    any_view! {
        <section class="card stack">
            <h2 class="card__title">{text::touches()}</h2>
            <p class="card__hint">{text::touches_hint()}</p>
            {warning.map(|warning| view! { <p class=kind role="status">{warning}</p> })}
            <ServerForm action=save class="stack">
                <Choice
                    id="touch-everywhere" name="reach" label=text::touch_everywhere() all=""
                    chosen=view.touches.everywhere.word().to_owned() among=choices(Reach::Nothing)
                />
                <button class="button button--primary" type="submit">{text::apply_touches()}</button>
            </ServerForm>
            {any.then(|| view! { <ul class="stack">{repositories}</ul> })}
            <details>
                <summary class="button button--quiet">{text::touch_repository()}</summary>
                <ServerForm action=save class="stack">
                    <TextField id="touch-repository" name="repository" label=text::touch_of_repository() hint=text::touch_repository_hint() mono=true required=true/>
                    <Choice
                        id="touch-reach" name="reach" label=text::touch_needed_for() all=""
                        chosen=Reach::High.word().to_owned() among=choices(Reach::High)
                    />
                    <button class="button" type="submit">{text::add_touches()}</button>
                </ServerForm>
            </details>
        </section>
    }
}

/// A repository with its setting.
fn one_repository(name: String, reach: Reach, save: Call) -> impl IntoView + use<> {
    let remove = vec![
        ("repository", name.clone()),
        ("reach", Reach::Nothing.word().to_owned()),
    ];
    let label = text::remove_touches(&name);
    any_view! {
        <li class="cluster">
            <span class="grow">
                <strong>{name}</strong>
                <br/>
                <span class="muted">{in_words(reach)}</span>
            </span>
            <CallButton action=save fields=remove label=text::remove() name=label/>
        </li>
    }
}

/// What can be chosen, from the least on.
fn choices(least: Reach) -> Vec<(String, String)> {
    let all = Reach::ALL.into_iter().filter(|reach| *reach >= least);
    all.map(|reach| (reach.word().to_owned(), in_words(reach).to_owned()))
        .collect()
}

fn in_words(reach: Reach) -> &'static str {
    match reach {
        Reach::Nothing => text::touch_nothing(),
        Reach::High => text::touch_high(),
        Reach::Unrated => text::touch_unrated(),
        Reach::All => text::touch_all(),
    }
}

/// What would keep people from approving.
fn warning(view: &TouchesView) -> Option<String> {
    let is_short = view.able < view.needed;
    match why_no_passkeys(view.here) {
        Some(why) if view.here != PasskeysHere::Work && view.touches.any() => {
            Some(text::touches_not_here(why))
        }
        _ if !is_short => None,
        _ if view.able == 0 => Some(text::nobody_can_touch().to_owned()),
        _ => Some(text::one_can_touch().to_owned()),
    }
}
