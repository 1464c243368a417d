//! Approvals: one action, two at a time, one that is being answered, and one for a reader who may not answer.

use super::{
    group,
    steps::{change, command, step},
    view_of,
};
use crate::store::Call;
use crate::{
    api::{AnswerConfirmation, ApprovalView, EscalationView},
    conversation::{Actor, Kind, Risk},
    people::Role,
    render::{CardView, RowView, StepState, StepView, markdown_html},
    ui::approval::{Answering, Question},
};
use leptos::prelude::*;

/// The approvals.
pub(super) fn approvals(theme: &'static str, first: i64) -> AnyView {
    let run = StepView {
        risk: Risk::High,
        thought: markdown_html("I would like to remove the old build."),
        blocks: vec![command("rm -rf build")],
        ..step("Run", "rm -rf build", StepState::Waiting)
    };
    let edit = StepView {
        risk: Risk::Medium,
        blocks: vec![change()],
        ..step("Edit", "src/tally.py", StepState::Waiting)
    };
    let browse = StepView {
        risk: Risk::Low,
        ..step("Open", "https://example.com/", StepState::Waiting)
    };
    let row = |id: i64, kind, step: &StepView| {
        view_of(first + id, Actor::Agent, kind, CardView::Step(step.clone()))
    };
    let (one, two) = (row(0, Kind::Shell, &run), row(1, Kind::Edit, &edit));
    let caution = "Already carried out; approving runs it again.";
    let specimens = view! {
        {question(format!("{theme}-one"), vec![one], None, (true, false))}
        {question(
            format!("{theme}-two"),
            vec![row(2, Kind::Shell, &run), two],
            Some(caution.to_owned()),
            (true, false),
        )}
        {question(format!("{theme}-busy"), vec![row(3, Kind::Browser, &browse)], None, (true, true))}
        {question(format!("{theme}-view"), vec![row(4, Kind::Edit, &edit)], None, (false, false))}
    };
    group("Approvals", specimens)
}

fn question(
    conversation: String,
    rows: Vec<RowView>,
    caution: Option<String>,
    (answerable, busy): (bool, bool),
) -> AnyView {
    let approval = ApprovalView {
        token: conversation.clone(),
        rows,
        caution,
        answering: busy,
        ruled: true,
        amend: None,
        care: None,
        // Every other one.
        escalation: answerable.then(|| EscalationView {
            told_at: Some(1_763_694_245_678),
            told: vec!["bea".to_owned()],
            rejects_at: Some(1_763_695_145_678),
            ..EscalationView::default()
        }),
        touch: false,
    };
    let answer = Call::of::<AnswerConfirmation>();
    any_view! {
        <Question
            conversation
            approval
            answerable=Signal::stored(answerable)
            role=Signal::stored(Some(Role::Owner))
            answering=Answering::alone(answer, Signal::stored(busy))
        />
    }
}
