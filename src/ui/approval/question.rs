//! The card itself, which the inbox shows, too.

use super::{
    amend::Amend, answering::Answering, answers::Answers, deadline::Deadline, text, touch::touching,
};
use crate::{
    api::{ApprovalView, CareView, EscalationView, query_of},
    conversation::{Kind, Risk},
    people::{Right, Role},
    render::{Block, CardView, RowView, StepView},
    store::{link, may, me},
    ui::{
        parts::{ErrorNote, Icon, RiskBadge, varying},
        timeline::{StepInFull, provide_whole},
    },
};
use leptos::{html, prelude::*};

/// The pending actions in full, with the answer buttons.
#[component]
pub fn Question(
    /// The id of the conversation.
    conversation: String,
    /// The pending approval.
    approval: ApprovalView,
    /// Whether the current user may answer.
    answerable: Signal<bool>,
    /// The current user's role in the conversation.
    role: Signal<Option<Role>>,
    answering: Answering,
    /// What happens if nobody answers: that of `approval` unless it is given.
    #[prop(optional, into)]
    escalation: Option<Signal<Option<EscalationView>>>,
    /// Where the action runs, if that is known.
    #[prop(default = None)]
    place: Option<String>,
) -> impl IntoView {
    let rejecting = answering.rejecting;
    let approvable = {
        let approval = approval.clone();
        Signal::derive(move || approval.takes_approval_of(&me().name, role.get()))
    };
    let risk = approval.risk();
    let card = NodeRef::<html::Section>::new();
    let title_id = format!("approval-{conversation}");
    let labelled_by = title_id.clone();
    let ApprovalView {
        token,
        rows,
        caution,
        ruled,
        care,
        amend,
        escalation: first_escalation,
        touch,
        ..
    } = approval;
    let escalation = escalation.unwrap_or_else(|| Signal::stored(first_escalation));
    let counts = !care.as_ref().is_some_and(|care| care.two);
    let touching = touch.then(touching);
    let amend = amend.map(|command| {
        let (id, token) = (conversation.clone(), token.clone());
        move || {
            let (id, token, command) = (id.clone(), token.clone(), command.clone());
            answerable.get().then(
                || view! { <Amend id token command counts touching=touching.filter(|_| counts) /> },
            )
        }
    });
    let care = care.map(|care| {
        let remark = move || answerable.get().then(|| care_in_words(&care, role.get())).flatten();
        view! {
            {varying(move || remark().map(|remark| view! { <p class="approval__remark">{remark}</p> }))}
        }
    });
    let rule = ruled.then(|| {
        let query = query_of([("token", token.as_str())]);
        link(&format!("c/{conversation}/rule{query}"))
    });
    let title = title(&rows);
    let is_long = is_long(&rows);
    let low = RwSignal::new(false);
    let alone = rows.iter().filter_map(step).count() == 1;
    let steps = rows
        .into_iter()
        .map(|row| view! { <PendingAction conversation=conversation.clone() row alone /> });
    let steps = steps.collect_view();
    any_view! {
        <section
            class="approval"
            node_ref=card
            data-risk=risk_word(risk)
            data-low=move || low.get().then_some("")
            data-rejecting=move || rejecting.get().then_some("")
            aria-labelledby=labelled_by
        >
            <header class="approval__head">
                <h2 class="approval__title" id=title_id>
                    {title}
                </h2>
                <RiskBadge risk />
                {is_long.then(|| view! { <Pull low /> })}
                // Shown on a phone while another panel covers the timeline.
                <a class="button button--small approval__open" href="?" data-noscroll="">
                    {text::review()}
                </a>
            </header>
            <div class="approval__what" data-arms="whole" tabindex="0" role="group" aria-label=text::action()>
                {caution.map(|caution| view! { <p class="approval__remark">{caution}</p> })}
                {care}
                <Deadline escalation/>
                {touch.then(|| {
                    let needs = move || {
                        if answerable.get() { text::needs_touch() } else { text::needs_touch_of_approver() }
                    };
                    view! {
                        <p class="approval__remark">{needs}</p>
                        <noscript>
                            <p class="approval__remark">{text::touch_needs_script()}</p>
                        </noscript>
                    }
                })}
                {steps}
                {place.map(|place| {
                    view! {
                        <p class="approval__place muted">
                            {text::place()} " " {place}
                        </p>
                    }
                })}
                <div class="approval__others">
                    {varying(move || {
                        let rule = rule.clone().filter(|_| answerable.get());
                        rule.map(|rule| {
                            view! {
                                <a class="button button--quiet button--small" href=rule>
                                    {text::always_allow()}
                                </a>
                            }
                        })
                    })}
                    {amend.map(|amend| view! { {varying(amend)} })}
                </div>
            </div>
            {varying(move || {
                if answerable.get() {
                    any_view! {
                        <Answers id=conversation.clone() token=token.clone() answering approvable card touching />
                    }
                } else {
                    // Visitors of a shared link have no role.
                    let remark = if may(Right::Read) {
                        text::read_only()
                    } else {
                        text::read_only_visitor()
                    };
                    any_view! { <p class="approval__remark">{remark}</p> }
                }
            })}
        </section>
    }
}

/// Pulls the sheet of a phone down, to read the timeline behind it, and up again.
#[component]
fn Pull(low: RwSignal<bool>) -> impl IntoView {
    view! {
        <button
            type="button"
            class="button button--quiet button--small approval__pull"
            data-needs-script
            aria-label=text::whole_sheet()
            aria-expanded=move || if low.get() { "false" } else { "true" }
            on:click=move |_| low.update(|low| *low = !*low)
        >
            <Icon name="chevron" />
        </button>
    }
}

#[component]
fn PendingAction(conversation: String, row: RowView, alone: bool) -> impl IntoView {
    let id = row.id;
    // "Show all" replaces this row by the full one.
    let view = ArcRwSignal::new(row);
    let trouble = provide_whole(conversation, view.clone());
    any_view! {
        <div class="approval__action">
            {varying(move || {
                let RowView { kind, card, .. } = view.get();
                match card {
                    CardView::Step(step) => any_view! { <StepInFull id kind step alone /> },
                    _ => ().into_any(),
                }
            })}
            {varying(move || trouble.get().map(|error| view! { <ErrorNote error /> }))}
        </div>
    }
}

fn step(row: &RowView) -> Option<&StepView> {
    match &row.card {
        CardView::Step(step) => Some(step),
        _ => None,
    }
}

/// Who else has to approve, or that the reader may not.
fn care_in_words(care: &CareView, role: Option<Role>) -> Option<String> {
    if role.is_none_or(|role| role < care.least) {
        let remark = match care.least {
            Role::Owner => text::owners_only(),
            _ => text::operators_only(),
        };
        return Some(remark.to_owned());
    }
    care.two.then(|| match care.first.as_str() {
        "" => text::two_have_to().to_owned(),
        first if first.eq_ignore_ascii_case(&me().name) => text::second_after_you().to_owned(),
        first => text::second_after(first),
    })
}

/// Whether the card takes most of a phone's screen.
fn is_long(rows: &[RowView]) -> bool {
    let is_long = |block: &Block| match block {
        Block::Code { text, .. } => text.len() > 200 || text.lines().count() > 4,
        Block::Diff(_) | Block::File(_) => true,
        _ => false,
    };
    let mut steps = rows.iter().filter_map(step);
    rows.len() > 1 || steps.any(|step| step.thought.len() > 200 || step.blocks.iter().any(is_long))
}

/// The heading of the card.
fn title(rows: &[RowView]) -> String {
    let mut steps = rows.iter().filter(|row| step(row).is_some());
    match (steps.next(), steps.count()) {
        (Some(row), 0) => allow(row.kind).to_owned(),
        (Some(_), more) => text::allow_actions(more + 1),
        // The status arrived before the action itself.
        (None, _) => text::needs_approval().to_owned(),
    }
}

/// The heading for one action.
fn allow(kind: Kind) -> &'static str {
    match kind {
        Kind::Shell => text::allow_command(),
        Kind::Cell => text::allow_cell(),
        Kind::Read => text::allow_read(),
        Kind::Edit => text::allow_edit(),
        Kind::Browser => text::allow_browser(),
        Kind::Mcp => text::allow_tool(),
        _ => text::allow_action(),
    }
}

fn risk_word(risk: Risk) -> &'static str {
    match risk {
        Risk::Unknown => "unknown",
        Risk::Low => "low",
        Risk::Medium => "medium",
        Risk::High => "high",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_stands_before_the_action_is_known() {
        assert_eq!(title(&[]), "The agent needs approval");
    }
}
