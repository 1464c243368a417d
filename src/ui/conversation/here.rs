//! Who else watches this conversation now.

use crate::{
    api::HereView,
    store::{me, use_conversation},
};
use leptos::prelude::*;

/// The others, in the head.
#[component]
pub(super) fn Here() -> impl IntoView {
    let store = use_conversation();
    let me = me().name;
    let others = Memo::new(move |_| others(&store.here.read(), &me));
    view! {
        <p class="conversation__here muted truncate">
            {move || Some(others.get()).filter(|others| !others.is_empty()).map(|others| format!("Also here: {others}"))}
        </p>
    }
    .into_any()
}

/// Everybody but who looks: "alan, vera, 2 visitors".
fn others(here: &HereView, me: &str) -> String {
    let names = here.names.iter().filter(|name| *name != me).cloned();
    let visitors = match here.visitors {
        0 => None,
        1 => Some("a visitor".to_owned()),
        more => Some(format!("{more} visitors")),
    };
    names.chain(visitors).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_not_told_that_one_is_here_oneself() {
        let here = |names: &[&str], visitors| HereView {
            names: names.iter().map(|name| String::from(*name)).collect(),
            visitors,
        };
        assert_eq!(others(&here(&["ada"], 0), "ada"), "");
        assert_eq!(others(&here(&["ada", "vera"], 1), "ada"), "vera, a visitor");
        assert_eq!(others(&here(&[], 2), ""), "2 visitors");
    }
}
