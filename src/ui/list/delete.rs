//! "Really delete?": open while the URL says so.

use crate::api::{ConversationSummary, DeleteConversation};
use crate::store::{link, use_go};
use crate::ui::parts::{Dialog, Icon, Outcome};
use crate::ui::shell::ServerForm;
use leptos::prelude::*;

/// Asks before the conversation `id` is removed; `id` is empty when nobody wants that.
#[component]
pub fn DeleteDialog(shown: RwSignal<Vec<ConversationSummary>>, id: Memo<String>) -> impl IntoView {
    let delete = ServerAction::<DeleteConversation>::new();
    let home = link("");
    let go = use_go(true);
    let close = {
        let home = home.clone();
        move |()| go(&home)
    };
    let title = Signal::derive(move || {
        let title = shown.with(|all| {
            let found = all.iter().find(|one| id.with(|id| one.id == *id));
            found
                .map(|one| one.title.clone())
                .filter(|title| !title.is_empty())
        });
        match title {
            Some(title) => format!("Delete “{title}”?"),
            None => "Delete this conversation?".to_owned(),
        }
    });
    let open = Signal::derive(move || id.with(|id| !id.is_empty()));
    view! {
        <Dialog open close=Callback::new(close) title>
            <p>
                "Its history and the files of its workspace are removed for good, here and at the backend."
            </p>
            <ServerForm action=delete>
                <input type="hidden" name="id" value=move || id.get()/>
                <Outcome action=delete done="Deleted"/>
                <div class="dialog__actions">
                    <a class="button" href=home>
                        "Cancel"
                    </a>
                    <button class="button button--danger" type="submit">
                        <Icon name="trash"/>
                        " Delete"
                    </button>
                </div>
            </ServerForm>
        </Dialog>
    }
    .into_any()
}
