//! The title of the document.

use super::text;
use crate::store::link;
use leptos::prelude::*;
use leptos_meta::Title;

/// Sets the title, prefixed with the number of pending approvals (`waiting`), so that browser tabs show it.
#[component]
pub fn Head(
    /// The subject of the page.
    #[prop(into)]
    title: Signal<String>,
    /// The number of pending approvals.
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
    // The server writes the title after the page is rendered, when these signals may be disposed. It writes the title
    // unescaped, although titles come from agents.
    let text = escaped(&untrack(text));
    view! { <Title text /> }
}

/// A page with its title in the document and above it, and below the way back, if it has one.
#[component]
pub fn Page(
    #[prop(into)] title: String,
    #[prop(default = "page page--narrow")] class: &'static str,
    /// Address and label of the page that it belongs to.
    #[prop(optional)]
    back: Option<(Signal<String>, &'static str)>,
    children: Children,
) -> impl IntoView {
    any_view! {
        <Head title=title.clone() />
        <div class=class>
            {back.map(|(address, label)| {
                view! {
                    <p class="page__back">
                        <a class="button button--quiet button--small" href=move || address.get()>
                            "‹ "
                            {label}
                        </a>
                    </p>
                }
            })}
            <h1 class="page__title">{title}</h1>
            {children()}
        </div>
    }
}

/// The way back from a page about a conversation, for [`Page`].
pub fn back_to(id: Memo<String>) -> (Signal<String>, &'static str) {
    let address = Signal::derive(move || link(&format!("c/{}", id.get())));
    (address, text::conversation())
}

/// Escapes text for use within an element.
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
