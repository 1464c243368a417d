//! A file: its lines with their numbers, each of which can be linked to; or why it is not shown.

use super::super::address::encoded;
use crate::api::FileShown;
use crate::render::FileView;
use crate::store::link;
use crate::ui::parts::{CopyButton, EmptyState, Icon};
use leptos::prelude::*;

/// Marks of the renderer that are not in the file: such a file is not copied as it is shown.
const MARK: &str = "hidden-char";

/// What the file at `path` is.
#[component]
pub fn FileShownView(
    /// The conversation.
    id: String,
    path: String,
    shown: FileShown,
) -> impl IntoView {
    match shown {
        FileShown::Text(view) => view! { <Lines id view/> }.into_any(),
        FileShown::Binary => {
            let text = format!("{path} is not text. Download the workspace to see it.");
            view! { <EmptyState title="Not shown" text/> }.into_any()
        }
        FileShown::TooLarge(bytes) => {
            let text = format!(
                "{path} has {}. Download the workspace to see it.",
                size(bytes)
            );
            view! { <EmptyState title="Too large to show" text/> }.into_any()
        }
        FileShown::Missing => {
            let text = format!("{path} is not in the workspace (any more).");
            view! { <EmptyState title="Not there" text/> }.into_any()
        }
    }
}

#[component]
fn Lines(id: String, view: FileView) -> impl IntoView {
    let FileView {
        path,
        first,
        lines,
        total,
        cut,
    } = view;
    let shown = lines.len();
    let note = match (shown < total as usize, total) {
        (true, _) => format!("{shown} of {total} lines"),
        (false, 1) => "1 line".to_owned(),
        (false, _) => format!("{total} lines"),
    };
    let whole = !cut && !lines.iter().any(|line| line.contains(MARK));
    let copy = whole.then(|| {
        let lines = StoredValue::new(lines.clone());
        let text = Signal::derive(move || {
            lines.with_value(|lines| {
                lines
                    .iter()
                    .map(|line| plain(line) + "\n")
                    .collect::<String>()
            })
        });
        view! { <CopyButton text/> }
    });
    let target = path.clone();
    Effect::new(move |_| {
        let target = target.clone();
        // The lines are on their way into the page; at the next frame they are there.
        request_animation_frame(move || go_to_line(&target));
    });
    let lines = (first..).zip(lines).map(|(number, html)| {
        let line = format!("L{number}");
        view! {
            <div class="line" id=line.clone()>
                <a class="line__number" href=format!("#{line}") rel="external" tabindex="-1">
                    {number}
                </a>
                <code class="line__text" inner_html=html></code>
            </div>
        }
    });
    view! {
        <figure class="block block-file">
            <figcaption class="block__head">
                <span class="block__label mono">{path.clone()}</span>
                <span class="muted number">{note}</span>
                <span class="grow"></span>
                <CopyButton text=path.clone() label="Copy path"/>
                {copy}
                <a class="button button--quiet button--small" href=file_address(&id, &path) download="">
                    <Icon name="download"/>
                    <span class="visually-hidden">"Download this file"</span>
                </a>
            </figcaption>
            <div class="block__body">{lines.collect_view()}</div>
            {cut.then(|| view! { <p class="remark remark--info">"There is more. Download the workspace to see all of it."</p> })}
        </figure>
    }
}

/// Where a file can be had as it is.
fn file_address(id: &str, path: &str) -> String {
    link(&format!("c/{id}/file?path={}", encoded(path)))
}

/// Brings the line of the address into view: the file came after the address was looked at.
fn go_to_line(path: &str) {
    let location = window().location();
    let (Ok(hash), Ok(query)) = (location.hash(), location.search()) else {
        return;
    };
    let here =
        js_sys::decode_uri_component(&query).is_ok_and(|query| String::from(query).contains(path));
    let line = hash
        .strip_prefix('#')
        .filter(|line| here && line.starts_with('L'));
    if let Some(line) = line.and_then(|line| document().get_element_by_id(line)) {
        line.scroll_into_view();
    }
}

/// The text of a highlighted line: without tags, the few entities of the renderer resolved.
fn plain(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    let mut in_tag = false;
    for character in html.chars() {
        match character {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            _ if in_tag => {}
            _ => out.push(character),
        }
    }
    // The ampersand last: `&amp;lt;` is the text `&lt;`.
    for (entity, text) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&amp;", "&"),
    ] {
        out = out.replace(entity, text);
    }
    out
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => {
            let tenths = (bytes + 50_000) / 100_000;
            format!("{}.{} MB", tenths / 10, tenths % 10)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_highlighted_line_is_copied_as_it_was_written() {
        assert_eq!(
            plain(r#"<span class="hl-a">if</span> a &lt; b &amp;&amp; c == &quot;&amp;lt;&quot;"#),
            r#"if a < b && c == "&lt;""#
        );
    }

    #[test]
    fn sizes_are_said_as_people_say_them() {
        assert_eq!(size(999), "999 bytes");
        assert_eq!(size(2_500_000), "2.5 MB");
    }
}
