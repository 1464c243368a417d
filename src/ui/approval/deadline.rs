//! What happens to a pending approval if nobody answers, and when.

use super::text;
use crate::api::EscalationView;
use crate::store::me;
use crate::ui::parts::{Time, varying};
use leptos::prelude::*;

/// The remark of a card; nothing if it waits without an end and nobody is told.
#[component]
pub(super) fn Deadline(escalation: Signal<Option<EscalationView>>) -> impl IntoView {
    view! {
        {varying(move || escalation.get().map(|escalation| remark(&escalation)))}
    }
}

fn remark(one: &EscalationView) -> Option<AnyView> {
    let at = |before: String, at: i64, after: &'static str| {
        any_view! {
            <span>{before} " " <Time at/> {after} " "</span>
        }
    };
    let said = |words: &'static str| any_view! { <span>{words} " "</span> };
    let deputies = match (one.told_at, one.tells_at) {
        (Some(told_at), _) => match passed_to(&one.told) {
            Some(names) => Some(at(text::passed_to(names), told_at, ".")),
            None => Some(said(text::no_deputy())),
        },
        (None, Some(tells_at)) if one.watched => Some(at(
            text::watched_until().to_owned(),
            tells_at,
            text::at_the_latest(),
        )),
        (None, Some(tells_at)) => Some(at(
            text::told_at().to_owned(),
            tells_at,
            text::unless_watched(),
        )),
        (None, None) => None,
    };
    let end = one
        .rejects_at
        .map(|rejects_at| match (one.overdue, one.second) {
            (true, _) => said(text::overdue()),
            (false, true) => at(
                text::rejected_at().to_owned(),
                rejects_at,
                text::unless_second(),
            ),
            (false, false) => at(
                text::rejected_at().to_owned(),
                rejects_at,
                text::unless_answered(),
            ),
        });
    let is_said = deputies.is_some() || end.is_some();
    is_said.then(|| any_view! { <p class="approval__remark">{end} {deputies}</p> })
}

/// The deputies, of whom the reader may be one.
fn passed_to(names: &[String]) -> Option<String> {
    let own = me().name;
    let name = |name: &String| match name.eq_ignore_ascii_case(&own) {
        true => text::you().to_owned(),
        false => name.clone(),
    };
    let mut names: Vec<String> = names.iter().map(name).collect();
    let last = names.pop()?;
    Some(match names.is_empty() {
        true => last,
        false => text::and(names.join(", "), last),
    })
}
