//! What a link carries behind its `#`, put into the form that waits for it (`public/from-address.js`).

use crate::store::link;
use leptos::{nonce::use_nonce, prelude::*};

/// Loads the script. The pages that need it load no program.
#[component]
pub fn FromAddress() -> impl IntoView {
    view! { <script type="module" src=link("from-address.js") nonce=use_nonce()></script> }
}
