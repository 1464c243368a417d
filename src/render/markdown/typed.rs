//! What a person typed, as it was typed.
//!
//! A person writes `2*3*4`, `__init__` or `C:\\*` and means these characters, so nothing is taken as markup but blocks of
//! code between fences and addresses.

use super::{code_block_html, link, links};
use crate::render::{Html, hidden};

/// Renders what a person typed: every character, each line break, blocks of code, and links.
pub fn typed_html(text: &str) -> Html {
    let (mut out, mut prose) = (Html::new(), String::new());
    let mut rest = text;
    // No block is closed any more that so many backticks open, or more: else each opening would read all that follows.
    let mut unclosed = usize::MAX;
    while !rest.is_empty() {
        let (line, behind) = first_line(rest);
        match block(line, behind, &mut unclosed) {
            Some((language, code, after)) => {
                write_prose(&mut out, &prose);
                prose.clear();
                out.push_str(&code_block_html(&language, code));
                rest = after;
            }
            None => {
                prose.push_str(line);
                rest = behind;
            }
        }
    }
    write_prose(&mut out, &prose);
    out
}

fn first_line(text: &str) -> (&str, &str) {
    text.split_at(text.find('\n').map_or(text.len(), |at| at + 1))
}

/// The block of code that a line opens and a later one closes: its language, its code, and the text behind it.
fn block<'t>(
    line: &str,
    behind: &'t str,
    unclosed: &mut usize,
) -> Option<(String, &'t str, &'t str)> {
    let line = line.trim_end();
    let count = line.bytes().take_while(|byte| *byte == b'`').count();
    let language = &line[count..];
    if !(3..*unclosed).contains(&count) || language.contains('`') {
        return None;
    }
    let mut rest = behind;
    while !rest.is_empty() {
        let (line, after) = first_line(rest);
        let bare = line.trim_end();
        if bare.len() >= count && bare.bytes().all(|byte| byte == b'`') {
            let code = &behind[..behind.len() - rest.len()];
            return Some((language.trim().to_owned(), code, after));
        }
        rest = after;
    }
    *unclosed = count;
    None
}

/// Paragraphs, each with a direction of its own.
fn write_prose(out: &mut Html, text: &str) {
    for paragraph in text.split("\n\n") {
        let paragraph = paragraph.trim_matches('\n').trim_end();
        if paragraph.trim().is_empty() {
            continue;
        }
        out.push_str("<p class=\"typed\" dir=\"auto\">");
        let mut from = 0;
        for address in links::addresses(paragraph) {
            hidden::escape(out, &paragraph[from..address.start]);
            out.push_str(&linked(&paragraph[address.clone()]));
            from = address.end;
        }
        hidden::escape(out, &paragraph[from..]);
        out.push_str("</p>\n");
    }
}

/// A link as the sanitiser leaves it.
fn linked(address: &str) -> Html {
    let opens = " target=\"_blank\" rel=\"noopener noreferrer nofollow\">";
    link(address).replacen('>', opens, 1)
}
