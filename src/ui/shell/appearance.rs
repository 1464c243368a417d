//! Colour scheme, text size, long lines and diffs: chosen in a menu and kept in cookies, so that the server renders the page
//! correctly from the start.

use super::text;
use crate::api::ChooseAppearance;
use crate::store::{Call, link, set_cookie, use_query};
use leptos::{ev::MouseEvent, prelude::*};
use leptos_router::hooks::use_location;

/// The `Cookie` header of the request. The server provides it as a context.
#[derive(Debug, Clone, Default)]
pub struct Cookies(pub String);

/// The user's appearance settings; `None` follows the system.
#[derive(Debug, Clone, Default)]
pub struct Appearance {
    /// `light` or `dark`.
    pub theme: Option<&'static str>,
    /// `small` or `large`.
    pub text: Option<&'static str>,
    /// `scroll`; otherwise long lines of code and output wrap.
    pub lines: Option<&'static str>,
    /// `side`: what replaced lines of a diff stands beside them, if the window is wide; otherwise below them.
    pub diffs: Option<&'static str>,
}

impl Appearance {
    /// Reads the settings from the request's cookies.
    pub fn of_request() -> Self {
        let cookies = use_context::<Cookies>().unwrap_or_default().0;
        Self::read(|name| {
            cookies.split(';').find_map(|cookie| {
                let (key, value) = cookie.trim().split_once('=')?;
                (key == name).then(|| value.to_owned())
            })
        })
    }

    /// Reads the settings from the attributes of the rendered page.
    fn of_page() -> Self {
        let page = document().document_element();
        Self::read(|name| page.as_ref()?.get_attribute(&format!("data-{name}")))
    }

    fn read(say: impl Fn(&str) -> Option<String>) -> Self {
        let known = |name, words: &[&'static str]| {
            let said = say(name)?;
            words.iter().copied().find(|word| *word == said)
        };
        Self {
            theme: known("theme", &["light", "dark"]),
            text: known("text", &["small", "large"]),
            lines: known("lines", &["scroll"]),
            diffs: known("diffs", &["side"]),
        }
    }
}

/// The settings as signals.
#[derive(Clone, Copy)]
struct Chosen {
    theme: RwSignal<Option<&'static str>>,
    text: RwSignal<Option<&'static str>>,
    lines: RwSignal<Option<&'static str>>,
    diffs: RwSignal<Option<&'static str>>,
}

/// Provides the settings to the appearance menu.
pub fn provide_appearance() {
    let appearance = if is_browser() {
        Appearance::of_page()
    } else {
        Appearance::of_request()
    };
    provide_context(Chosen {
        theme: RwSignal::new(appearance.theme),
        text: RwSignal::new(appearance.text),
        lines: RwSignal::new(appearance.lines),
        diffs: RwSignal::new(appearance.diffs),
    });
}

/// The choices, as menu items. Without a program the server keeps them.
#[component]
pub(super) fn AppearanceItems() -> impl IntoView {
    let Chosen {
        theme,
        text,
        lines,
        diffs,
    } = expect_context();
    let action = Call::of::<ChooseAppearance>().address();
    let (path, query) = (use_location().pathname, use_query());
    let back = move || {
        let path = path.get();
        let page = path.strip_prefix(&link("")).unwrap_or_default();
        query.with(|query| format!("{page}{}", query.to_query_string()))
    };
    view! {
        <form method="post" action=action>
            <input type="hidden" name="back" value=back/>
            <div class="menu__group" role="group" aria-label=text::theme()>
                <Choice name="theme" chosen=theme value=None label=text::match_system() />
                <Choice name="theme" chosen=theme value=Some("light") label=text::light() />
                <Choice name="theme" chosen=theme value=Some("dark") label=text::dark() />
            </div>
            <div class="menu__group" role="group" aria-label=text::text_size()>
                <Choice name="text" chosen=text value=Some("small") label=text::small_text() />
                <Choice name="text" chosen=text value=None label=text::normal_text() />
                <Choice name="text" chosen=text value=Some("large") label=text::large_text() />
            </div>
            <div class="menu__group" role="group" aria-label=text::long_lines()>
                <Choice name="lines" chosen=lines value=None label=text::wrap_lines() />
                <Choice name="lines" chosen=lines value=Some("scroll") label=text::scroll_lines() />
            </div>
            <div class="menu__group menu__group--wide" role="group" aria-label=text::diffs()>
                <Choice name="diffs" chosen=diffs value=None label=text::one_column() />
                <Choice name="diffs" chosen=diffs value=Some("side") label=text::side_by_side() />
            </div>
        </form>
    }
}

#[component]
fn Choice(
    name: &'static str,
    chosen: RwSignal<Option<&'static str>>,
    value: Option<&'static str>,
    label: &'static str,
) -> impl IntoView {
    let word = value.unwrap_or("system");
    let choose = move |event: MouseEvent| {
        event.prevent_default();
        chosen.set(value);
        set_cookie(name, word);
        if let Some(page) = document().document_element() {
            let attribute = format!("data-{name}");
            let _ = match value {
                Some(value) => page.set_attribute(&attribute, value),
                None => page.remove_attribute(&attribute),
            };
        }
    };
    let pressed = move || {
        if chosen.get() == value {
            "true"
        } else {
            "false"
        }
    };
    view! {
        <button class="menu__item" name="choice" value=format!("{name}={word}") aria-pressed=pressed on:click=choose>
            {label}
        </button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_choose_the_appearance_and_unknown_words_do_not() {
        Owner::new().with(|| {
            provide_context(Cookies(
                "a=b; theme=dark; text=huge; lines=scroll; diffs=side".to_owned(),
            ));
            let appearance = Appearance::of_request();
            assert_eq!((appearance.theme, appearance.text), (Some("dark"), None));
            assert_eq!(
                (appearance.lines, appearance.diffs),
                (Some("scroll"), Some("side"))
            );
        });
    }
}
