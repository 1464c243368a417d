//! A conversation as one HTML file that needs no server: its styles, its pictures and a short script are inside.
//!
//! All rows can be read without the script; with it they can be replayed. The policy in the head forbids every request,
//! and every script and style sheet but those two, so not even a fault in a row could make the file tell anybody that it
//! is read.

mod blocks;
mod pictures;
mod rows;
mod text;

use super::hidden::escape;
use super::{Html, Limits, render_row};
use crate::conversation::Row;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pictures::Pictures;
use rows::write_row;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::sync::LazyLock;

/// Bytes of pictures in one file, as they are written. Those that do not fit are left out with a remark.
const PICTURES: usize = 24 << 20;

/// The styles of a row on the timeline, in the layers of `style/main.css`, and those of this page.
static STYLE: LazyLock<String> = LazyLock::new(|| {
    let layers = [
        ("reset", include_str!("../../../style/reset.css")),
        ("tokens", include_str!("../../../style/tokens.css")),
        ("base", include_str!("../../../style/base.css")),
        ("parts", include_str!("../../../style/parts/button.css")),
        ("parts", include_str!("../../../style/parts/field.css")),
        ("parts", include_str!("../../../style/parts/label.css")),
        ("parts", include_str!("../../../style/parts/notice.css")),
        ("parts", include_str!("../../../style/parts/prose.css")),
        ("parts", include_str!("../../../style/parts/code.css")),
        ("parts", include_str!("../../../style/parts/block.css")),
        ("parts", include_str!("../../../style/parts/diff.css")),
        ("parts", include_str!("../../../style/parts/row.css")),
        ("parts", include_str!("../../../style/parts/step.css")),
        ("parts", include_str!("../../../style/parts/table.css")),
        ("document", include_str!("../../../style/document.css")),
    ];
    let mut style = "@layer reset, tokens, base, parts, document;\n".to_owned();
    for (layer, sheet) in layers {
        let _ = writeln!(style, "@layer {layer} {{\n{sheet}}}");
    }
    style
});
const SCRIPT: &str = include_str!("replay.js");

/// What a browser allows in the file.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(&STYLE),
        hash(SCRIPT)
    )
});

/// A file that is being written.
#[derive(Debug)]
pub struct Document {
    made_at: i64,
    /// Bytes that are left for pictures.
    room: usize,
    is_empty: bool,
    /// The day of the newest row that was written.
    day: String,
}

impl Document {
    /// A file that was made at this time, in milliseconds since the Unix epoch.
    pub fn new(made_at: i64) -> Self {
        Self {
            made_at,
            room: PICTURES,
            is_empty: true,
            day: String::new(),
        }
    }

    /// Its beginning.
    pub fn head(&self, title: &str, masked: bool) -> Html {
        let mut out = String::new();
        let mut escaped = String::new();
        escape(&mut escaped, title);
        let made = rows::time(self.made_at)
            .map_or_else(String::new, |(day, clock)| format!("{day} {clock}"));
        let masked = if masked {
            text::masked()
        } else {
            text::not_masked()
        };
        let (style, policy) = (&*STYLE, &*POLICY);
        let _ = write!(
            out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <link rel=\"icon\" href=\"data:,\">\n<title>{escaped}</title>\n<style>{style}</style>\n</head>\n<body>\n\
             <a class=\"skip-link\" href=\"#rows\">{skip}</a>\n\
             <header class=\"document__head\"><h1 class=\"document__title\">{escaped}</h1>\
             <p class=\"muted\">{exported} {masked}</p></header>\n",
            skip = text::skip(),
            exported = text::exported(made),
        );
        self.bar(&mut out);
        out.push_str("<main class=\"document__rows\" id=\"rows\" tabindex=\"-1\">\n");
        out
    }

    /// The bar with the replay, which the script shows.
    fn bar(&self, out: &mut String) {
        // Not all fonts have such signs, so they are drawn.
        let button = |name: &str, label: &str, path: &str| {
            format!(
                "<button type=\"button\" class=\"button\" data-do=\"{name}\" title=\"{label}\" aria-label=\"{label}\">\
                 <svg class=\"icon\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path d=\"{path}\"/></svg></button>"
            )
        };
        let speeds = ["1", "2", "5", "10"]
            .map(|speed| format!("<option value=\"{speed}\">{speed}×</option>"));
        let _ = write!(
            out,
            "<section class=\"replay\" id=\"replay\" aria-label=\"{replay}\" hidden>\n\
             <input class=\"replay__slider\" id=\"position\" type=\"range\" min=\"0\" max=\"0\" value=\"0\" step=\"1\" \
             aria-label=\"{position}\" aria-describedby=\"keys\">\n\
             <output class=\"replay__count number muted\" id=\"count\" for=\"position\"></output>\n\
             <div class=\"replay__buttons\">{}{}{}{}{}\
             <label class=\"replay__speed\"><span class=\"visually-hidden\">{speed}</span>\
             <select class=\"select\" id=\"speed\">{}</select></label>\
             </div>\n\
             <p class=\"visually-hidden\" id=\"keys\">{keys}</p>\n</section>\n",
            button(
                "previous-mark",
                text::previous_mark(),
                "M6 5v14M18 5v14L9 12z"
            ),
            button("previous", text::previous(), "m15 5-7 7 7 7"),
            button("play", text::play(), "M7 5v14l12-7z"),
            button("next", text::next(), "m9 5 7 7-7 7"),
            button("next-mark", text::next_mark(), "M18 5v14M6 5v14l9-7z"),
            speeds.concat(),
            replay = text::replay(),
            position = text::position(),
            speed = text::speed(),
            keys = text::keys(),
        );
    }

    /// The next rows.
    pub fn rows(&mut self, rows: &[Row]) -> Html {
        let (mut out, limits) = (String::new(), Limits::document());
        for row in rows {
            let mut view = render_row(row, "c", &limits);
            let mut pictures = Pictures::of(row, &mut self.room);
            write_row(&mut out, &mut view, &mut pictures, &mut self.day);
            self.is_empty = false;
        }
        out
    }

    /// Its end.
    pub fn end(&self) -> Html {
        let nothing = match self.is_empty {
            true => format!("<p class=\"muted\">{}</p>\n", text::nothing()),
            false => String::new(),
        };
        let end = text::end();
        format!(
            "{nothing}</main>\n<footer class=\"document__end muted\">{end}</footer>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"
        )
    }
}

#[cfg(test)]
mod tests;
