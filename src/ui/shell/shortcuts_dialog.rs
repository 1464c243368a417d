//! The dialog that lists the keyboard shortcuts.

use super::text;
use crate::text::Text;
use crate::ui::parts::{self, Dialog};
use leptos::prelude::*;

/// Each key and its effect.
const KEYS: [(&str, Text); 15] = [
    ("⌘/Ctrl + Enter", text::send),
    ("⌘/Ctrl + K", text::open_palette),
    ("Enter", text::send_on_computer),
    ("Shift + Enter", text::new_line),
    ("m", text::go_to_message),
    ("a", text::go_to_approve),
    ("r", text::go_to_reason),
    ("p", text::go_to_pending),
    ("j, k", text::move_in_inbox),
    ("/", parts::text::search),
    ("n", parts::text::new_conversation),
    ("End", text::go_to_newest),
    ("Space", text::play_replay),
    ("[, ], ←, →", text::move_in_replay),
    ("?", text::show_shortcuts),
];

/// Lists the shortcuts.
#[component]
pub fn ShortcutsDialog(open: RwSignal<bool>) -> impl IntoView {
    let title = Signal::stored(text::keyboard_shortcuts().to_owned());
    let lines = KEYS.map(|(key, does)| {
        view! {
            <div class="facts__row">
                <dt>
                    <kbd class="key">{key}</kbd>
                </dt>
                <dd>{does()}</dd>
            </div>
        }
    });
    any_view! {
        <Dialog open close=Callback::new(move |()| open.set(false)) title>
            <dl class="facts">{lines.collect_view()}</dl>
            <div class="dialog__actions">
                <button type="button" class="button" on:click=move |_| open.set(false)>
                    {parts::text::close()}
                </button>
            </div>
        </Dialog>
    }
}
