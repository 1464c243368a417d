//! The title of the document.

use leptos::prelude::*;
use leptos_meta::Title;

/// Sets the title; `waiting` answers are counted in front of it, where a tab shows it.
#[component]
pub fn Head(
    /// What the page is about.
    #[prop(into)]
    title: Signal<String>,
    /// How many answers are needed.
    #[prop(optional, into)]
    waiting: Signal<u32>,
) -> impl IntoView {
    let text = move || {
        let count = match waiting.get() {
            0 => String::new(),
            count => format!("({count}) "),
        };
        format!("{count}{} · Handrail", title.get())
    };
    if is_browser() {
        return view! { <Title text /> };
    }
    // The server writes it when the page is drawn and these signals may be gone; and it writes it as it is, while titles
    // come from agents.
    let text = escaped(&untrack(text));
    view! { <Title text /> }
}

/// As text within an element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_title_cannot_leave_its_element() {
        assert_eq!(
            escaped("</title><script>1 && 2</script>"),
            "&lt;/title&gt;&lt;script&gt;1 &amp;&amp; 2&lt;/script&gt;"
        );
    }
}
