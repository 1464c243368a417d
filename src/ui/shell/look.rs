//! Light or dark, and the size of text: chosen in a menu, kept in a cookie so that the server draws the
//! page right at once.

use crate::store::set_cookie;
use leptos::prelude::*;

/// The `Cookie` header of the request. The server provides it as a context.
#[derive(Debug, Clone, Default)]
pub struct Cookies(pub String);

/// How a person wants it to look; `None` is what the system says.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// `light` or `dark`.
    pub theme: Option<&'static str>,
    /// `small` or `large`.
    pub text: Option<&'static str>,
}

impl Look {
    /// As the request's cookies say.
    pub fn of_request() -> Self {
        let cookies = use_context::<Cookies>().unwrap_or_default().0;
        Self::read(|name| {
            cookies.split(';').find_map(|cookie| {
                let (key, value) = cookie.trim().split_once('=')?;
                (key == name).then(|| value.to_owned())
            })
        })
    }

    /// As the page says that the server sent.
    fn of_page() -> Self {
        let page = document().document_element();
        Self::read(|name| page.as_ref()?.get_attribute(&format!("data-{name}")))
    }

    fn read(say: impl Fn(&str) -> Option<String>) -> Self {
        let known = |name, words: [&'static str; 2]| {
            let said = say(name)?;
            words.into_iter().find(|word| *word == said)
        };
        Self {
            theme: known("theme", ["light", "dark"]),
            text: known("text", ["small", "large"]),
        }
    }
}

/// The look as signals.
#[derive(Clone, Copy)]
struct Chosen {
    theme: RwSignal<Option<&'static str>>,
    text: RwSignal<Option<&'static str>>,
}

/// Makes the look known to the menu that changes it.
pub fn provide_look() {
    let look = if is_browser() {
        Look::of_page()
    } else {
        Look::of_request()
    };
    provide_context(Chosen {
        theme: RwSignal::new(look.theme),
        text: RwSignal::new(look.text),
    });
}

/// The choices, as items of a menu.
#[component]
pub(super) fn LookItems() -> impl IntoView {
    let Chosen { theme, text } = expect_context();
    view! {
        <Choice name="theme" chosen=theme value=None label="Colours of the system" />
        <Choice name="theme" chosen=theme value=Some("light") label="Light" />
        <Choice name="theme" chosen=theme value=Some("dark") label="Dark" />
        <hr class="menu__rule" />
        <Choice name="text" chosen=text value=Some("small") label="Small text" />
        <Choice name="text" chosen=text value=None label="Normal text" />
        <Choice name="text" chosen=text value=Some("large") label="Large text" />
    }
}

#[component]
fn Choice(
    name: &'static str,
    chosen: RwSignal<Option<&'static str>>,
    value: Option<&'static str>,
    label: &'static str,
) -> impl IntoView {
    let choose = move |_| {
        chosen.set(value);
        set_cookie(name, value.unwrap_or("system"));
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
        <button type="button" class="menu__item" aria-pressed=pressed on:click=choose>
            {label}
        </button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_choose_the_look_and_unknown_words_do_not() {
        Owner::new().with(|| {
            provide_context(Cookies("a=b; theme=dark; text=huge".to_owned()));
            let look = Look::of_request();
            assert_eq!((look.theme, look.text), (Some("dark"), None));
        });
    }
}
