//! Who looks at the page: told by the server, and written in the page that it sent.

use crate::people::{Me, Right};
use leptos::prelude::*;

/// Makes it known to everything below.
pub fn provide_me() {
    if is_browser() {
        provide_context(of_page());
    }
}

/// Who looks at the page.
pub fn me() -> Me {
    use_context().unwrap_or_default()
}

/// Whether they may. The server asks again: this only decides what is offered.
pub fn may(right: Right) -> bool {
    me().may(right)
}

fn of_page() -> Me {
    let page = document().document_element();
    let say = |name: &str| page.as_ref()?.get_attribute(name);
    Me {
        name: say("data-person").unwrap_or_default(),
        role: say("data-role").and_then(|word| word.parse().ok()),
    }
}
