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
    // Asked here: when the server writes the title there is no owner left to tell the two apart.
    let in_browser = is_browser();
    let text = move || {
        let count = match waiting.get() {
            0 => String::new(),
            count => format!("({count}) "),
        };
        let text = format!("{count}{} · Handrail", title.get());
        // leptos_meta writes the title into the server's HTML as it is, and titles come from agents.
        if in_browser { text } else { escaped(&text) }
    };
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
