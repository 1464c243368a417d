//! What is done with the selected conversations: the confirmation, open while the URL says so, and the way back.

use super::asked::query_with;
use super::text;
use crate::api::{
    ArchiveConversations, ConversationSummary, DeleteConversations, StopConversations,
};
use crate::store::{Call, link, use_go, use_query};
use crate::ui::parts::{self, Dialog, Outcome, named_icon, varying};
use crate::ui::shell::ServerForm;
use crate::words::words;
use leptos::html;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// What can be done with several conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Act {
    #[default]
    Delete,
    Stop,
    Archive,
    BringBack,
}

// By the values of the buttons.
words! { Act, word: Delete "", Stop "stop", Archive "archive", BringBack "back" }

impl Act {
    /// Icon and label of its button.
    pub(super) fn button(self) -> (&'static str, &'static str) {
        match self {
            Self::Delete => ("trash", parts::text::delete()),
            Self::Stop => ("stop", text::stop()),
            Self::Archive => ("archive", parts::text::archive()),
            Self::BringBack => ("archive", parts::text::bring_back()),
        }
    }

    /// The question about so many, and what it comes to.
    fn question(self, count: usize) -> (String, &'static str) {
        match self {
            Self::Delete if count == 1 => {
                (parts::text::delete_this().to_owned(), text::delete_text())
            }
            Self::Delete => (text::delete_several(count), text::delete_several_text()),
            Self::Stop => (text::stop_several(count), text::stop_several_text()),
            Self::Archive => (text::archive_several(count), text::archive_several_text()),
            Self::BringBack => (
                text::bring_several_back(count),
                text::bring_several_back_text(),
            ),
        }
    }
}

/// Asks for confirmation before something is done with these conversations; closed while there are none. Both answers
/// lead back to the page on which the reader is.
#[component]
pub fn ConfirmDialog(
    shown: RwSignal<Vec<ConversationSummary>>,
    ids: Memo<Vec<String>>,
) -> impl IntoView {
    let (delete, stop, archive) = (
        Call::of::<DeleteConversations>(),
        Call::of::<StopConversations>(),
        Call::of::<ArchiveConversations>(),
    );
    let query = use_query();
    let act = Memo::new(move |_| {
        let word = query.with(|query| query.get("act").unwrap_or_default());
        Act::from_word(&word).unwrap_or_default()
    });
    let (here, back) = here();
    let go = use_go(false);
    let close = {
        let here = here.clone();
        move |()| go(&untrack(&here))
    };
    let question = move || ids.with(|ids| act.get().question(ids.len()));
    let title = Signal::derive(move || {
        let named = ids.with(|ids| match (act.get(), ids.as_slice()) {
            (Act::Delete, [id]) => shown.with(|all| {
                let mut all = all.iter();
                let one = all.find(|one| one.id == *id && !one.title.is_empty());
                one.map(|one| text::delete_named(&one.title))
            }),
            _ => None,
        });
        named.unwrap_or_else(|| question().0)
    });
    let open = Signal::derive(move || ids.with(|ids| !ids.is_empty()));
    let (here, back) = (StoredValue::new(here), StoredValue::new(back));
    any_view! {
        <Dialog open close=Callback::new(close) title>
            <p>{varying(move || question().1)}</p>
            {varying(move || {
                let act = act.get();
                let (call, class) = match act {
                    Act::Delete => (delete, "button button--danger"),
                    Act::Stop => (stop, "button button--danger"),
                    Act::Archive | Act::BringBack => (archive, "button button--primary"),
                };
                let archived = (act == Act::Archive).to_string();
                let (icon, label) = act.button();
                any_view! {
                    <ServerForm action=call>
                        <input type="hidden" name="ids" value=move || ids.with(|ids| ids.join(","))/>
                        <input type="hidden" name="archived" value=archived/>
                        <input type="hidden" name="back" value=move || back.with_value(|back| back())/>
                        <Outcome action=call done=""/>
                        <div class="dialog__actions">
                            <a class="button" href=move || here.with_value(|here| here())>
                                {parts::text::cancel()}
                            </a>
                            <button class=class type="submit">
                                {named_icon(icon, label)}
                            </button>
                        </div>
                    </ServerForm>
                }
            })}
        </Dialog>
    }
}

/// The page on which the reader is without the list's own questions: its address, and as a form names it.
pub(super) fn here() -> (
    impl Fn() -> String + Clone + Send + Sync,
    impl Fn() -> String + Clone + Send + Sync,
) {
    let (home, path, query) = (link(""), use_location().pathname, use_query());
    // Not a memo: it would be gone when this page is left, which changes the path.
    let here = move || format!("{}{}", path.get(), query_with(query.get(), "", ""));
    let back = move || {
        let here = here();
        let back = here.strip_prefix(home.as_str());
        back.unwrap_or_default().to_owned()
    };
    (here, back)
}

/// What was just archived, and the way back.
#[component]
pub(super) fn Undo() -> impl IntoView {
    let archive = Call::of::<ArchiveConversations>();
    let query = use_query();
    let ids = Memo::new(move |_| query.with(|query| query.get("archived").unwrap_or_default()));
    let (_, back) = here();
    let back = StoredValue::new(back);
    // The row that had the focus is gone.
    let button = NodeRef::<html::Button>::new();
    Effect::new(move |_| {
        if let Some(button) = button.get() {
            // A button that is gone needs no focus.
            let _ = button.focus();
        }
    });
    varying(move || {
        let ids = ids.get();
        (!ids.is_empty()).then(|| {
            let count = ids.split(',').count();
            view! {
                <ServerForm action=archive class="banner">
                    <span class="banner__text" role="status">{text::archived(count)}</span>
                    <input type="hidden" name="ids" value=ids/>
                    <input type="hidden" name="back" value=move || back.with_value(|back| back())/>
                    <Outcome action=archive done=""/>
                    <button class="button button--small" type="submit" node_ref=button>
                        {text::undo()}
                    </button>
                </ServerForm>
            }
        })
    })
}

/// The item of a menu that archives a conversation, or brings it back.
#[component]
pub fn ArchiveItem(
    archive: Call,
    id: String,
    archived: Memo<bool>,
    /// The page that follows.
    #[prop(into)]
    back: Signal<String>,
) -> impl IntoView {
    any_view! {
        <ServerForm action=archive>
            <input type="hidden" name="ids" value=id/>
            <input type="hidden" name="archived" value=move || (!archived.get()).to_string()/>
            <input type="hidden" name="back" value=move || back.get()/>
            <Outcome action=archive done=""/>
            <button class="menu__item" type="submit">
                {named_icon("archive", varying(move || match archived.get() {
                    true => parts::text::bring_back(),
                    false => parts::text::archive(),
                }))}
            </button>
        </ServerForm>
    }
}
