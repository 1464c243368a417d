//! A plot of stacked bars, with a line if wanted. It fills the width that it gets.

use super::super::Html;
use super::super::hidden::{escape, escaped};
use std::fmt::Write;

/// Width of a bar with its gap, and height of the plot, in units of the drawing.
const BAR: usize = 10;
const HEIGHT: f64 = 100.0;
/// Bars that a plot has room for at least: a few bars are not as wide as the page.
const FEWEST: usize = 30;

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

/// Draws bars; `classes` name the parts. `line` has a value per bar, on a scale of its own. `label` says to a screen
/// reader what is to be seen. Writing into a string cannot fail.
pub(super) fn plot(label: &str, classes: &[&str], bars: &[Bar], line: &[f64]) -> Html {
    let width = bars.len().max(FEWEST) * BAR;
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
                let left = at * BAR + 1;
                let _ = write!(
                    html,
                    r#"<rect class="plot__bar {class}" x="{left}" y="{top:.1}" width="{}" height="{height:.1}"/>"#,
                    BAR - 2
                );
            }
        }
        html.push_str("</g>");
    }
    let last = line.iter().copied().fold(0.0, f64::max);
    if line.len() > 1 && last > 0.0 {
        html.push_str(
            r#"<polyline class="plot__line" vector-effect="non-scaling-stroke" points=""#,
        );
        for (at, value) in line.iter().enumerate() {
            let _ = write!(
                html,
                "{},{:.1} ",
                at * BAR + BAR / 2,
                HEIGHT - scaled(*value, last)
            );
        }
        html.push_str("\"/>");
    }
    html.push_str("</svg>");
    html
}

/// A plot with the amounts at its left (the highest, the one in the middle, nothing) and the names of its first, middle and
/// last bar below it, or of the first alone if so few bars do not reach its end. All are plain text.
pub(super) fn framed(
    plot: &str,
    amounts: [String; 3],
    count: usize,
    [first, middle, last]: [String; 3],
) -> Html {
    let bars = match count < FEWEST {
        true => [first, String::new(), String::new()],
        false => [first, middle, last],
    };
    let spans = |texts: [String; 3]| texts.map(|text| format!("<span>{}</span>", escaped(&text)));
    format!(
        r#"<div class="plot-frame number"><div class="plot-frame__scale">{}</div>{plot}<div class="plot-frame__dates">{}</div></div>"#,
        spans(amounts).concat(),
        spans(bars).concat()
    )
}

/// A value on the scale of the plot.
fn scaled(value: f64, highest: f64) -> f64 {
    match value / highest * HEIGHT {
        height if height.is_finite() => height.clamp(0.0, HEIGHT),
        _ => 0.0,
    }
}
