//! Opening a shared link to watch one conversation.
//!
//! Browsers never send the fragment of an address (the part after `#`) to a server. A short script
//! (`public/from-address.js`) copies it into this form and submits the form; without JavaScript the visitor pastes it.

use super::{Refusal, text};
use crate::store::link;
use crate::ui::parts::TextField;
use crate::ui::shell::{FromAddress, Page};
use leptos::prelude::*;

/// `/link`.
#[component]
pub fn LinkPage() -> impl IntoView {
    any_view! {
        <Page title=text::shared_conversation() class="page page--card">
            <Refusal/>
            <form class="stack" method="post" action=link("link") data-send="">
                <TextField
                    id="code" name="code" label=text::link() hint=text::link_hint() mono=true required=true
                    from_address=true
                />
                <button class="button button--primary button--large button--block">{text::open_conversation()}</button>
            </form>
            <FromAddress/>
        </Page>
    }
}
