//! A file with linkable line numbers, or the reason why it is not shown.

use super::super::address::file_address;
use super::super::plain::plain;
use super::text;
use crate::api::FileShown;
use crate::render::FileView;
use crate::ui::parts::{CopyButton, EmptyState, Icon, named_icon};
use crate::ui::timeline;
use leptos::prelude::*;

/// A marker of the renderer that is not part of the file: a file with such markers has no copy button.
const MARK: &str = "hidden-char";

/// The contents of the file at `path`.
#[component]
pub fn FileShownView(
    /// The id of the conversation.
    id: String,
    path: String,
    shown: FileShown,
) -> impl IntoView {
    match shown {
        FileShown::Text(view) => any_view! { <Lines id view/> },
        FileShown::Binary {
            bytes: Some(bytes),
            picture: true,
        } => any_view! { <Preview id path bytes/> },
        FileShown::Binary {
            bytes: Some(bytes), ..
        } => {
            let hint = text::binary_size(&path, size(bytes));
            let address = file_address(&id, &path);
            any_view! { <EmptyState title=text::binary() text=hint>{download_button(address)}</EmptyState> }
        }
        FileShown::Binary { bytes: None, .. } => {
            let hint = text::binary_hint(path);
            any_view! { <EmptyState title=text::binary() text=hint/> }
        }
        FileShown::TooLarge(bytes) => {
            let hint = text::too_large_hint(&path, size(bytes));
            let address = file_address(&id, &path);
            any_view! { <EmptyState title=text::too_large() text=hint>{download_button(address)}</EmptyState> }
        }
        FileShown::Missing => {
            let hint = text::missing_hint(path);
            any_view! { <EmptyState title=text::missing() text=hint/> }
        }
    }
}

fn download_button(address: String) -> AnyView {
    any_view! {
        <a class="button" href=address download="">
            {named_icon("download", text::download())}
        </a>
    }
}

/// A picture. The server detects its type by its bytes.
#[component]
fn Preview(id: String, path: String, bytes: u64) -> impl IntoView {
    let address = file_address(&id, &path);
    any_view! {
        <figure class="block block-file">
            <figcaption class="block__head">
                <span class="block__label mono">{path.clone()}</span>
                <span class="muted number">{size(bytes)}</span>
                <span class="grow"></span>
                <a class="button button--quiet button--small" href=address.clone() download="">
                    <Icon name="download"/>
                    <span class="visually-hidden">{text::download_file()}</span>
                </a>
            </figcaption>
            <img class="file-picture" src=address alt=path loading="lazy"/>
        </figure>
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
    let note = if shown < total as usize {
        timeline::text::lines_shown(shown, total)
    } else {
        text::lines(total as usize)
    };
    let whole = !cut && !lines.iter().any(|line| line.contains(MARK));
    let copy = whole.then(|| {
        let lines = StoredValue::new(lines.clone());
        let source = Signal::derive(move || {
            lines.with_value(|lines| {
                lines
                    .iter()
                    .map(|line| plain(line) + "\n")
                    .collect::<String>()
            })
        });
        view! { <CopyButton text=source/> }
    });
    let target = path.clone();
    Effect::new(move |_| {
        let target = target.clone();
        // The lines are inserted into the page by the next frame.
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
                <CopyButton text=path.clone() label=text::copy_path()/>
                {copy}
                <a class="button button--quiet button--small" href=file_address(&id, &path) download="">
                    <Icon name="download"/>
                    <span class="visually-hidden">{text::download_file()}</span>
                </a>
            </figcaption>
            <div class="block__body">{lines.collect_view()}</div>
            {cut.then(|| view! { <p class="remark remark--info">{text::cut()}</p> })}
        </figure>
    }
}

/// Scrolls to the line in the URL's fragment: the browser evaluated the fragment before the file was loaded.
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

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => text::bytes(bytes),
        1_000..1_000_000 => text::kilobytes(bytes / 1_000),
        _ => {
            let tenths = (bytes + 50_000) / 100_000;
            text::megabytes(tenths / 10, tenths % 10)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_said_as_people_say_them() {
        assert_eq!(size(999), "999 bytes");
        assert_eq!(size(2_500_000), "2.5 MB");
    }
}
