//! A plot of stacked bars. It fills the width that it gets, and so do its bars.

use super::super::Html;
use super::super::hidden::{escape, escaped};
use std::fmt::Write;

/// Width of a bar with its gap, and height of the plot, in units of the drawing.
const BAR: usize = 10;
const HEIGHT: f64 = 100.0;
/// Of so few bars none is as wide as its place.
const FEW: usize = 12;
/// So many bars have a name each.
const NAMED: usize = 6;

/// A bar: its parts from the bottom up, and what a pointer that rests on it reads.
pub(super) struct Bar {
    pub parts: Vec<f64>,
    pub title: String,
}

/// A bar below a name: the `share`, from 0 to 1, of the width. The number stands beside it, so it says nothing aloud.
pub(super) fn share_bar(share: f64) -> Html {
    let width = scaled(share, 1.0);
    format!(
        r#"<svg class="share" viewBox="0 0 {HEIGHT} 1" preserveAspectRatio="none" aria-hidden="true"><rect class="plot__bar" width="{width:.1}" height="1"/></svg>"#
    )
}

/// Draws bars; `classes` name the parts. `label` says to a screen reader what is to be seen. Writing into a string cannot fail.
pub(super) fn plot(label: &str, classes: &[&str], bars: &[Bar]) -> Html {
    let width = bars.len().max(1) * BAR;
    let drawn = 0.8 * (BAR * bars.len().min(FEW)) as f64 / FEW as f64;
    let mut html = String::new();
    let _ = write!(
        html,
        r#"<svg class="plot" viewBox="0 0 {width} {HEIGHT}" preserveAspectRatio="none" role="img" aria-label=""#
    );
    escape(&mut html, label);
    html.push_str("\">");
    let sum = |bar: &Bar| bar.parts.iter().sum::<f64>();
    let highest = bars.iter().map(sum).fold(0.0, f64::max);
    for (at, bar) in bars.iter().enumerate() {
        html.push_str("<g><title>");
        escape(&mut html, &bar.title);
        html.push_str("</title>");
        let mut top = HEIGHT;
        for (part, class) in bar.parts.iter().zip(classes) {
            let height = scaled(*part, highest);
            if height > 0.0 {
                top -= height;
                let left = (at * BAR + BAR / 2) as f64 - drawn / 2.0;
                let _ = write!(
                    html,
                    r#"<rect class="plot__bar {class}" x="{left:.1}" y="{top:.1}" width="{drawn:.1}" height="{height:.1}"/>"#
                );
            }
        }
        html.push_str("</g>");
    }
    html.push_str("</svg>");
    html
}

/// A plot with the amounts at its left (the highest, the one in the middle, nothing) and below it the names of a few bars, or
/// else of the first, the middle and the last one. All are plain text.
pub(super) fn framed(plot: &str, amounts: &[String], names: &[String]) -> Html {
    let last = names.len().saturating_sub(1);
    let (bars, each) = match names.len() {
        ..=NAMED => (names.to_vec(), " plot-frame__dates--each"),
        _ => ([0, last / 2, last].map(|at| names[at].clone()).to_vec(), ""),
    };
    let spans = |texts: &[String]| -> String {
        let texts = texts.iter();
        texts
            .map(|text| format!("<span>{}</span>", escaped(text)))
            .collect()
    };
    format!(
        r#"<div class="plot-frame number"><div class="plot-frame__scale">{}</div>{plot}<div class="plot-frame__dates{each}">{}</div></div>"#,
        spans(amounts),
        spans(&bars)
    )
}

/// A value on the scale of the plot.
fn scaled(value: f64, highest: f64) -> f64 {
    match value / highest * HEIGHT {
        height if height.is_finite() => height.clamp(0.0, HEIGHT),
        _ => 0.0,
    }
}
