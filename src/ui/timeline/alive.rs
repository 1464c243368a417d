//! What the agent is doing now, and for how long.

use super::text;
use crate::{
    conversation::{Kind, Status},
    render::{CardView, RowView, StepState},
    store::{ConversationStore, use_conversation},
    ui::parts::{Elapsed, varying},
};
use leptos::prelude::*;

/// What goes on: a step of the agent, or a call of its model.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Doing {
    says: &'static str,
    /// Its beginning, milliseconds since the Unix epoch; 0 if unknown.
    since: i64,
    /// Whether a step of the timeline says it, too.
    is_step: bool,
}

fn doing_now(store: ConversationStore) -> Memo<Option<Doing>> {
    let works = store.of_session(|session| {
        let is_at_work = matches!(session.status, Status::Running | Status::Confirmed);
        is_at_work && session.approval.is_none()
    });
    let writes = Memo::new(move |_| {
        let drafts = store.drafts.read();
        drafts.iter().any(|draft| !draft.text.is_empty())
    });
    Memo::new(move |_| {
        let newest = store.timeline.last().filter(|_| works.get())?;
        Some(doing(&newest.view.read(), writes.get()))
    })
}

/// `writes`: the text of a message arrives.
fn doing(newest: &RowView, writes: bool) -> Doing {
    if let CardView::Step(step) = &newest.card
        && matches!(step.state, StepState::Running | StepState::Approved)
    {
        let says = match newest.kind {
            Kind::Shell => text::runs(),
            Kind::Cell => text::runs_code(),
            Kind::Read => text::reads(),
            Kind::Edit => text::edits(),
            Kind::Browser => text::browses(),
            Kind::Mcp => text::calls(),
            Kind::SubAgent => text::delegates(),
            _ => text::works(),
        };
        return Doing {
            says,
            since: newest.at,
            is_step: true,
        };
    }
    let took = match &newest.card {
        CardView::Step(step) => step.took.unwrap_or_default() + step.waited.unwrap_or_default(),
        _ => 0,
    };
    Doing {
        says: if writes {
            text::writes()
        } else {
            text::thinks()
        },
        since: if newest.at == 0 { 0 } else { newest.at + took },
        is_step: false,
    }
}

/// The last line of the timeline, unless the newest step says the same.
#[component]
pub(super) fn LastLine() -> impl IntoView {
    let store = use_conversation();
    let doing = doing_now(store);
    let streams = Memo::new(move |_| !store.drafts.read().is_empty());
    varying(move || {
        let doing = doing
            .get()
            .filter(|doing| !doing.is_step && !streams.get())?;
        Some(view! { <p class="doing doing--last">{said(doing)}</p> })
    })
}

/// The same in the header.
#[component]
pub fn DoingNow() -> impl IntoView {
    let doing = doing_now(use_conversation());
    varying(move || {
        let doing = doing.get()?;
        Some(view! { <span class="doing conversation__doing">{said(doing)}</span> })
    })
}

fn said(doing: Doing) -> impl IntoView {
    let elapsed = (doing.since > 0).then(|| view! { <Elapsed since=doing.since /> });
    view! {
        <span class="truncate">{doing.says}</span>
        {elapsed}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{conversation::Actor, render::MessageView};

    #[test]
    fn after_a_message_the_model_is_called() {
        let newest = RowView {
            id: 1,
            pos: 1,
            seq: 1,
            at: 9,
            from: Actor::Human,
            by: None,
            by_rule: false,
            amended: false,
            touched: false,
            kind: Kind::Message,
            card: CardView::Message(MessageView::default()),
        };
        let says = |writes| doing(&newest, writes).says;
        assert_eq!((says(false), says(true)), ("Thinking", "Writing"));
        assert_eq!(doing(&newest, false).since, 9);
    }
}
