//! What happens when nobody answers: what is set, by repository, and a form to set it.

use super::text;
use crate::api::{
    DeputyTrouble, DeputyView, EscalationItem, RemoveEscalation, SaveEscalation, read_escalations,
};
use crate::people::lasting;
use crate::store::{Call, fetched};
use crate::ui::parts::{Answered, Choice, Outcome, TextField};
use crate::ui::shell::{CallButton, ServerForm};
use leptos::prelude::*;

/// The section of `/settings/approvers`.
#[component]
pub(super) fn Deputies() -> impl IntoView {
    let save = Call::of::<SaveEscalation>();
    let remove = Call::of::<RemoveEscalation>();
    let escalations = fetched(|| (), |()| read_escalations());
    for change in [save, remove] {
        change.on_success(move || escalations.refetch());
    }
    any_view! {
        <section class="card stack">
            <h2 class="card__title">{text::no_answer()}</h2>
            <p class="card__hint">{text::no_answer_hint()}</p>
            <Answered answers=escalations waiting=text::loading() draw=move |items| listed(items, remove)/>
            <Outcome action=remove done=text::removed()/>
            <p class="field__hint">{text::set_escalation_hint()}</p>
            <ServerForm action=save class="stack">
                <TextField
                    id="escalation-repository" name="repository" label=text::escalation_repository()
                    hint=text::escalation_repository_hint() mono=true longest="200"
                />
                <div class="field-row">
                    <TextField
                        id="escalation-deputies" name="deputies" label=text::deputies() hint=text::deputies_hint()
                        longest="1000"
                    />
                    <TextField
                        id="escalation-tell" name="tell_after" label=text::tell_after() kind="number" least="1"
                        most="10080"
                    />
                </div>
                <div class="field-row">
                    <Choice
                        id="escalation-then" name="then" label=text::then() all="" chosen="wait".to_owned()
                        among=vec![
                            ("wait".to_owned(), text::keep_waiting().to_owned()),
                            ("reject".to_owned(), text::reject_it().to_owned()),
                        ]
                    />
                    <TextField
                        id="escalation-reject" name="reject_after" label=text::reject_after()
                        hint=text::reject_after_hint() kind="number" least="1" most="10080"
                    />
                </div>
                <Outcome action=save/>
                <button class="button button--primary" type="submit">{text::set_escalation()}</button>
            </ServerForm>
        </section>
    }
}

fn listed(items: Vec<EscalationItem>, remove: Call) -> AnyView {
    if items.is_empty() {
        return any_view! { <p>{text::no_escalation()}</p> };
    }
    let is_only = items.len() == 1;
    let items = items.into_iter().map(|item| {
        let place = match (item.repository.as_str(), is_only) {
            ("", true) => text::in_all().to_owned(),
            ("", false) => text::in_others().to_owned(),
            (name, _) => name.to_owned(),
        };
        let words = format!("{place}: {}", in_words(&item));
        let fields = vec![("repository", item.repository)];
        let name = text::remove_escalation(&place);
        view! {
            <li class="cluster">
                <span class="grow">{words}</span>
                <CallButton action=remove fields label=text::remove() name/>
            </li>
        }
    });
    any_view! { <ul class="stack">{items.collect_view()}</ul> }
}

fn in_words(item: &EscalationItem) -> String {
    let mut words = Vec::new();
    if !item.deputies.is_empty() {
        let names: Vec<String> = item.deputies.iter().map(deputy).collect();
        words.push(text::told_after(names.join(", "), lasting(item.tell_after)));
    }
    words.push(match item.reject_after {
        Some(minutes) => text::rejected_after(lasting(minutes)),
        None => text::keeps_waiting().to_owned(),
    });
    words.join(", ")
}

fn deputy(deputy: &DeputyView) -> String {
    match deputy.trouble {
        None => deputy.name.clone(),
        Some(DeputyTrouble::NoAccount) => text::deputy_gone().to_owned(),
        Some(DeputyTrouble::NoRight) => text::deputy_no_right(&deputy.name),
        Some(DeputyTrouble::NotHigh) => text::deputy_not_high(&deputy.name),
        Some(DeputyTrouble::NoPasskey) => text::deputy_no_passkey(&deputy.name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_said_in_words() {
        let ada = DeputyView {
            name: "ada".to_owned(),
            trouble: None,
        };
        let vic = DeputyView {
            name: "vic".to_owned(),
            trouble: Some(DeputyTrouble::NoRight),
        };
        let mut item = EscalationItem {
            deputies: vec![ada, vic],
            tell_after: 5,
            reject_after: Some(20),
            ..EscalationItem::default()
        };
        assert_eq!(
            in_words(&item),
            "ada, vic (cannot approve: not told) told after 5 minutes, rejected after 20 minutes"
        );
        (item.deputies, item.reject_after) = (Vec::new(), None);
        assert_eq!(in_words(&item), "keeps waiting");
    }
}
