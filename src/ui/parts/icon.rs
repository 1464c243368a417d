//! The icons: line drawings on a grid of 24, drawn for Handrail and inlined, so that nothing is loaded.
//!
//! An icon never stands alone: the control that contains it has a text, so the icon is hidden from screen readers.

use leptos::prelude::*;

/// An icon in the colour and size of the surrounding text. An unknown name gives an empty icon.
#[component]
pub fn Icon(name: &'static str) -> impl IntoView {
    view! {
        <svg
            class="icon"
            viewBox="0 0 24 24"
            width="16"
            height="16"
            fill="none"
            stroke="currentColor"
            stroke-width="2"
            stroke-linecap="round"
            stroke-linejoin="round"
            aria-hidden="true"
            inner_html=shape(name)
        ></svg>
    }
}

/// An icon before a label.
pub fn named_icon(name: &'static str, label: impl IntoView) -> impl IntoView {
    view! {
        <Icon name/>
        " "
        {label}
    }
}

fn shape(name: &str) -> &'static str {
    match name {
        "menu" => r#"<path d="M4 6h16M4 12h16M4 18h16"/>"#,
        "send" => r#"<path d="M4 12 20 4l-5 16-4-7z"/><path d="m11 13 9-9"/>"#,
        "stop" => r#"<rect x="6" y="6" width="12" height="12" rx="1"/>"#,
        "pause" => r#"<path d="M9 5v14M15 5v14"/>"#,
        "play" => r#"<path d="M7 5v14l12-7z"/>"#,
        "previous" => r#"<path d="M6 5v14M18 5v14L9 12z"/>"#,
        "next" => r#"<path d="M18 5v14M6 5v14l9-7z"/>"#,
        "check" => r#"<path d="m5 13 4 4L19 7"/>"#,
        "x" => r#"<path d="m6 6 12 12M18 6 6 18"/>"#,
        "search" => r#"<circle cx="10" cy="10" r="6"/><path d="m15 15 5 5"/>"#,
        "file" => r#"<path d="M6 3h8l4 4v14H6z"/><path d="M14 3v5h4"/>"#,
        "folder" => r#"<path d="M3 19V5h6l2 3h10v11z"/>"#,
        "terminal" => r#"<path d="m5 7 5 5-5 5M12 18h7"/>"#,
        "globe" => {
            r#"<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18"/>"#
        }
        "inbox" => r#"<path d="M4 13h4l2 3h4l2-3h4M4 13l3-8h10l3 8v6H4z"/>"#,
        "chart" => r#"<path d="M5 20V11M12 20V4M19 20v-6"/>"#,
        "list" => r#"<path d="M9 6h11M9 12h11M9 18h11M4 6h1M4 12h1M4 18h1"/>"#,
        "settings" => {
            r#"<path d="M4 7h8M18 7h2M4 17h2M12 17h8"/><circle cx="15" cy="7" r="3"/><circle cx="9" cy="17" r="3"/>"#
        }
        "plus" => r#"<path d="M12 5v14M5 12h14"/>"#,
        "copy" => r#"<rect x="9" y="9" width="11" height="11" rx="1"/><path d="M5 15H4V4h11v1"/>"#,
        "download" => r#"<path d="M12 4v11M7 11l5 5 5-5M4 20h16"/>"#,
        "upload" => r#"<path d="M12 16V5M7 9l5-5 5 5M4 20h16"/>"#,
        "chevron" => r#"<path d="m9 5 7 7-7 7"/>"#,
        "warning" => r#"<path d="M12 4 2.5 20h19zM12 10v4M12 17v.5"/>"#,
        "info" => r#"<circle cx="12" cy="12" r="9"/><path d="M12 11v5M12 7.5V8"/>"#,
        "external" => r#"<path d="M14 4h6v6M20 4 11 13M10 6H4v14h14v-6"/>"#,
        "diff" => r#"<path d="M12 4v8M8 8h8M8 19h8"/>"#,
        "dollar" => r#"<path d="M12 3v18M16.5 7.5C15 5.5 8 5 8 8.5s8.5 3 8.5 7-7.5 3.5-9 1"/>"#,
        "clock" => r#"<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 3"/>"#,
        "user" => r#"<circle cx="12" cy="8" r="4"/><path d="M4 21c1-9 15-9 16 0"/>"#,
        "pin" => r#"<path d="M9 4h6v6l3 4H6l3-4zM12 14v6"/>"#,
        "archive" => r#"<path d="M4 5h16v4H4zM6 9v10h12V9M10 13h4"/>"#,
        "trash" => r#"<path d="M4 7h16M9 7V4h6v3M6 7l1 14h10l1-14M10 11v6M14 11v6"/>"#,
        "pencil" => r#"<path d="m4 20 1-5L16 4l4 4L9 19z"/><path d="m13 7 4 4"/>"#,
        _ => "",
    }
}
