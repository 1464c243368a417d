//! Presence: the other users who have this conversation open.

use super::text;
use crate::ui::parts::varying;
use crate::{
    api::HereView,
    store::{me, use_conversation},
};
use leptos::prelude::*;

/// The list of other users, in the header.
#[component]
pub(super) fn Here() -> impl IntoView {
    let store = use_conversation();
    let me = me().name;
    let others = Memo::new(move |_| others(&store.here.read(), &me));
    any_view! {
        <p class="conversation__here muted truncate">
            {varying(move || Some(others.get()).filter(|others| !others.is_empty()).map(text::also_here))}
        </p>
    }
}

/// All present users except the current one: "alan, vera, 2 visitors".
fn others(here: &HereView, me: &str) -> String {
    let names = here.names.iter().filter(|name| *name != me).cloned();
    let visitors = (here.visitors > 0).then(|| text::visitors(here.visitors as usize));
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
        assert_eq!(others(&here(&["ada", "vera"], 1), "ada"), "vera, 1 visitor");
        assert_eq!(others(&here(&[], 2), ""), "2 visitors");
    }
}
