//! Who may approve what is rated high, and whether a second person has to: one form.

use super::deputies::Deputies;
use super::text;
use super::touches::TouchesPart;
use crate::api::{SaveAuthority, read_authority};
use crate::people::{Authority, Role};
use crate::store::{Call, fetched, link};
use crate::ui::parts::{self, Answered, Choice, Outcome, Toggle};
use crate::ui::shell::{Page, ServerForm};
use leptos::prelude::*;

/// `/settings/approvers`.
#[component]
pub fn ApproversPage() -> impl IntoView {
    let save = Call::of::<SaveAuthority>();
    let authority = fetched(|| (), |()| read_authority());
    save.on_success(move || authority.refetch());
    any_view! {
        <Page title=text::approvers() back=(Signal::stored(link("settings")), parts::text::settings())>
            <p class="card__hint">{text::approvers_hint()}</p>
            <Answered answers=authority waiting=text::loading() draw=move |authority| {
                any_view! { <AuthorityForm authority save/> }
            }/>
            <Outcome action=save/>
            <Deputies/>
            <TouchesPart/>
        </Page>
    }
}

#[component]
fn AuthorityForm(authority: Authority, save: Call) -> impl IntoView {
    let among = [
        (Role::Approver, text::from_approvers()),
        (Role::Operator, text::from_operators()),
        (Role::Owner, text::from_owners()),
    ];
    let among = among.map(|(role, label)| (role.word().to_owned(), label.to_owned()));
    any_view! {
        <section class="card stack">
            <h2 class="card__title">{text::rated_high()}</h2>
            <ServerForm action=save class="stack">
                <Choice
                    id="authority-least" name="least" label=text::may_approve() hint=text::may_approve_hint() all=""
                    chosen=authority.least.word().to_owned() among=among.to_vec()
                />
                <Toggle name="two" label=text::second_person() checked=authority.two/>
                <p class="field__hint">{text::second_person_hint()}</p>
                <Toggle name="unrated" label=text::unrated_too() checked=authority.unrated/>
                <button class="button button--primary" type="submit">{text::save()}</button>
            </ServerForm>
        </section>
    }
}
