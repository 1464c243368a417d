//! A form that a passkey answers.
//!
//! Only the browser's own dialog needs a script (`public/passkey.js`), which shows the form: without it the page says so.

use super::text;
use crate::people::PasskeysHere;
use crate::store::link;
use leptos::{nonce::use_nonce, prelude::*};

/// What the browser does with a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Does {
    /// It makes one.
    Create,
    /// It logs in with one.
    Get,
}

/// The form, whose button opens the browser's dialog.
#[component]
pub(super) fn PasskeyForm(
    /// Where the answer is sent.
    action: &'static str,
    does: Does,
    label: &'static str,
    /// The page to open afterwards.
    next: String,
    /// Whether half a login is completed.
    #[prop(optional)]
    second: bool,
    /// Whether it is what the page is for.
    #[prop(default = true)]
    is_first: bool,
    /// Further fields.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let (word, options) = match does {
        Does::Create => ("create", "passkey/options"),
        Does::Get => ("get", "login/passkey/options"),
    };
    let class = match is_first {
        true => "button button--primary button--large button--block",
        false => "button button--large button--block",
    };
    any_view! {
        <form class="stack" method="post" action=link(action) data-passkey=word data-options=link(options) hidden>
            <input type="hidden" name="next" value=next/>
            <input type="hidden" name="answer"/>
            {second.then(|| view! { <input type="hidden" name="second" value="true"/> })}
            {children.map(|children| children())}
            <p class="field__error" role="alert" data-refused=text::passkey_refused() data-known=text::passkey_known() hidden></p>
            <button class=class>{label}</button>
        </form>
        <p class="muted" data-no-passkeys="" hidden>
            {text::no_passkeys()}
        </p>
        <noscript>
            <p class="muted">{text::passkeys_need_script()}</p>
        </noscript>
        <script type="module" src=link("passkey.js") nonce=use_nonce()></script>
    }
}

/// Why passkeys do not work at this address; nothing if they do.
pub(in crate::ui) fn why_no_passkeys(here: PasskeysHere) -> Option<&'static str> {
    match here {
        PasskeysHere::Work => None,
        PasskeysHere::NeedTls => Some(text::passkeys_need_tls()),
        PasskeysHere::NeedName => Some(text::passkeys_need_name()),
    }
}
