//! Rows of an exported page.

use super::blocks::{write_block, write_cut};
use super::pictures::Pictures;
use super::text;
use crate::conversation::{Actor, Kind, Risk, Tone};
use crate::render::hidden::{escape, escaped};
use crate::render::{
    CardView, ChipsView, Html, MessageView, NoticeView, RowView, StepState, StepView,
};
use jiff::Timestamp;
use std::fmt::Write;

/// The day and the time of day (UTC); `None` if there is none.
pub(super) fn time(at: i64) -> Option<(String, String)> {
    let time = Timestamp::from_millisecond(at).ok().filter(|_| at != 0)?;
    let written = |format| time.strftime(format).to_string();
    Some((written("%Y-%m-%d"), written("%H:%M:%S")))
}

fn write_time(out: &mut String, at: i64, class: &str) {
    if let Some((day, clock)) = time(at) {
        let _ = write!(
            out,
            "<time class=\"{class} number\" datetime=\"{day}T{clock}Z\">{clock}</time>"
        );
    }
}

/// Writes a row. `day` is that of the row before; a row of another day begins with its date.
pub(super) fn write_row(
    out: &mut String,
    row: &mut RowView,
    pictures: &mut Pictures<'_>,
    day: &mut String,
) {
    let whole = match &mut row.card {
        CardView::Step(step) => step.say_once(),
        _ => false,
    };
    let is_notice = matches!(row.card, CardView::Notice(_));
    let class = match (row.from, is_notice) {
        (Actor::Human, false) => "human",
        (Actor::Agent, _) => "agent",
        (Actor::Environment, _) | (Actor::Human, true) => "environment",
        (Actor::Hook, _) => "hook",
    };
    let mark = if is_mark(row) { " data-mark" } else { "" };
    let _ = write!(
        out,
        "<article class=\"row row--{class}\" id=\"row-{}\" data-at=\"{}\"{mark}>",
        row.id, row.at
    );
    if let Some((date, _)) = time(row.at).filter(|(date, _)| date != day) {
        let _ = write!(out, "<p class=\"day-rule\"><span>{date}</span></p>");
        *day = date;
    }
    match &row.card {
        CardView::Message(message) => write_message(out, row, message, pictures),
        CardView::Step(step) => write_step(out, row, (step, whole), pictures),
        CardView::Notice(notice) => write_notice(out, notice, pictures),
        CardView::Chips(chips) => write_chips(out, chips),
    }
    out.push_str("</article>\n");
}

/// Whether a replay stops at the row: messages of people, failures, decisions and the end.
fn is_mark(row: &RowView) -> bool {
    match &row.card {
        CardView::Message(_) => row.from == Actor::Human,
        CardView::Step(step) => {
            row.kind == Kind::Finish
                || matches!(
                    step.state,
                    StepState::Failed
                        | StepState::Rejected
                        | StepState::Waiting
                        | StepState::NotExecuted
                        | StepState::Unknown
                )
        }
        CardView::Notice(notice) => notice.tone == Tone::Bad,
        CardView::Chips(_) => false,
    }
}

fn write_message(
    out: &mut String,
    row: &RowView,
    message: &MessageView,
    pictures: &mut Pictures<'_>,
) {
    let who = match row.from {
        Actor::Human => text::you(),
        Actor::Agent => text::agent(),
        Actor::Environment => text::environment(),
        Actor::Hook => text::hook(),
    };
    let _ = write!(
        out,
        "<header class=\"row__head\"><span class=\"row__who\">{who}</span>"
    );
    write_time(out, row.at, "row__time");
    out.push_str("</header>");
    write_reasoning(out, &message.reasoning);
    write_prose(out, "row__text prose", &message.html);
    if !message.images.is_empty() {
        out.push_str("<ul class=\"images\">");
        for (number, address) in (1..).zip(&message.images) {
            out.push_str("<li>");
            let alt = text::attached_image(number);
            pictures.write(out, address, &alt, " class=\"images__image\"");
            out.push_str("</li>");
        }
        out.push_str("</ul>");
    }
    if !message.files.is_empty() {
        let _ = write!(
            out,
            "<ul class=\"chips\" aria-label=\"{}\">",
            text::attached_files()
        );
        for file in &message.files {
            let _ = write!(out, "<li class=\"chip mono\">{}</li>", escaped(file));
        }
        out.push_str("</ul>");
    }
    if !message.recall.is_empty() {
        write_chips(out, &message.recall);
    }
    if message.cut {
        write_cut(out);
    }
}

fn write_step(
    out: &mut String,
    row: &RowView,
    (step, whole): (&StepView, bool),
    pictures: &mut Pictures<'_>,
) {
    write_prose(out, "step__thought prose", &step.thought);
    write_reasoning(out, &step.reasoning);
    let (before, after) = match step.state {
        StepState::Running => ("", text::running()),
        StepState::Waiting => (text::waiting(), ""),
        StepState::Approved => ("", text::approved()),
        StepState::Done => ("", ""),
        StepState::Failed => ("", text::failed()),
        StepState::Rejected => (text::rejected(), ""),
        StepState::NotExecuted => (text::not_executed(), ""),
        StepState::Unknown => (text::outcome_unknown(), ""),
    };
    let open = if step.folded { "" } else { " open" };
    let whole = if whole { " data-whole" } else { "" };
    let _ = write!(
        out,
        "<details class=\"step\" data-state=\"{}\" data-kind=\"{}\"{whole}{open}><summary class=\"step__head\">",
        step.state.word(),
        row.kind.as_str()
    );
    if !before.is_empty() {
        let _ = write!(out, "<span class=\"step__outcome\">{before}</span>");
    }
    let outcome = if step.outcome.is_empty() {
        after
    } else {
        &step.outcome
    };
    let _ = write!(
        out,
        "<span class=\"step__verb\">{}</span> <span class=\"step__subject\">{}</span> {}<span class=\"step__outcome\">{}</span>",
        escaped(&step.verb),
        escaped(&step.subject),
        risk(step.risk),
        escaped(outcome)
    );
    write_time(out, row.at, "step__time");
    out.push_str("</summary><div class=\"step__body\">");
    for block in &step.blocks {
        write_block(out, block, pictures);
    }
    out.push_str("</div></details>");
}

/// The label of a risk that the timeline shows.
fn risk(risk: Risk) -> String {
    let (class, word) = match risk {
        Risk::Unknown | Risk::Low => return String::new(),
        Risk::Medium => ("medium", text::risk_medium()),
        Risk::High => ("high", text::risk_high()),
    };
    format!("<span class=\"risk risk--{class}\">{word}</span> ")
}

fn write_notice(out: &mut String, notice: &NoticeView, pictures: &mut Pictures<'_>) {
    let _ = write!(
        out,
        "<div class=\"notice notice--{}\"><strong class=\"notice__title\">{}</strong>",
        notice.tone.word(),
        escaped(&notice.title)
    );
    write_prose(out, "notice__text prose", &notice.html);
    for block in &notice.blocks {
        write_block(out, block, pictures);
    }
    out.push_str("</div>");
}

fn write_chips(out: &mut String, chips: &ChipsView) {
    let mut labels = "<span class=\"chips\">".to_owned();
    for chip in &chips.chips {
        let _ = write!(labels, "<span class=\"chip\">{}</span>", escaped(chip));
    }
    labels.push_str("</span>");
    if chips.knowledge.is_empty() {
        let _ = write!(out, "<div class=\"knowledge\">{labels}</div>");
        return;
    }
    let _ = write!(
        out,
        "<details class=\"knowledge\"><summary>{labels}</summary>"
    );
    for (name, trigger, html) in &chips.knowledge {
        let mut head = escaped(name);
        if !trigger.is_empty() {
            head.push_str(" <span class=\"muted\">");
            escape(&mut head, &text::triggered_by(trigger));
            head.push_str("</span>");
        }
        let _ = write!(
            out,
            "<section class=\"knowledge__item\"><p class=\"knowledge__name\"><strong>{head}</strong></p><div class=\"prose\">{html}</div></section>"
        );
    }
    out.push_str("</details>");
}

fn write_reasoning(out: &mut String, html: &Html) {
    if !html.is_empty() {
        let label = text::reasoning();
        let _ = write!(
            out,
            "<details class=\"reasoning\"><summary>{label}</summary><div class=\"prose\">{html}</div></details>"
        );
    }
}

fn write_prose(out: &mut String, class: &str, html: &Html) {
    if !html.is_empty() {
        let _ = write!(out, "<div class=\"{class}\">{html}</div>");
    }
}
