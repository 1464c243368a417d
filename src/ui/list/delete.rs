//! The confirmation of a deletion: open while the URL says so.

use super::asked::query_with;
use super::text;
use crate::api::{ConversationSummary, DeleteConversations};
use crate::store::{Call, link, use_go, use_query};
use crate::ui::parts::{self, Dialog, Icon, Outcome, varying};
use crate::ui::shell::ServerForm;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// Asks for confirmation before these conversations are deleted; closed while there are none. Both answers lead back to
/// the page on which the reader is.
#[component]
pub fn DeleteDialog(
    shown: RwSignal<Vec<ConversationSummary>>,
    ids: Memo<Vec<String>>,
) -> impl IntoView {
    let delete = Call::of::<DeleteConversations>();
    let home = link("");
    let path = use_location().pathname;
    let query = use_query();
    // Not a memo: it would be gone when this page is left, which changes the path.
    let here = move || format!("{}{}", path.get(), query_with(query.get(), "", ""));
    let back = move || {
        let here = here();
        let back = here.strip_prefix(home.as_str());
        back.unwrap_or_default().to_owned()
    };
    let go = use_go(false);
    let close = move |()| go(&untrack(here));
    let title = Signal::derive(move || {
        let ids = ids.get();
        if ids.len() > 1 {
            return text::delete_several(ids.len());
        }
        let title = shown.with(|all| {
            let found = all.iter().find(|one| ids.contains(&one.id));
            found
                .map(|one| one.title.clone())
                .filter(|title| !title.is_empty())
        });
        match title {
            Some(title) => text::delete_named(title),
            None => parts::text::delete_this().to_owned(),
        }
    });
    let several = move || ids.with(|ids| ids.len() > 1);
    let open = Signal::derive(move || ids.with(|ids| !ids.is_empty()));
    view! {
        <Dialog open close=Callback::new(close) title>
            <p>{varying(move || if several() { text::delete_several_text() } else { text::delete_text() })}</p>
            <ServerForm action=delete>
                <input type="hidden" name="ids" value=move || ids.with(|ids| ids.join(","))/>
                <input type="hidden" name="back" value=back/>
                <Outcome action=delete done=text::deleted()/>
                <div class="dialog__actions">
                    <a class="button" href=here>
                        {parts::text::cancel()}
                    </a>
                    <button class="button button--danger" type="submit">
                        <Icon name="trash"/>
                        " "
                        {parts::text::delete()}
                    </button>
                </div>
            </ServerForm>
        </Dialog>
    }
    .into_any()
}
