//! Copies the fragment of a link's URL into a form of the page (`public/from-address.js`).

use crate::store::link;
use leptos::{nonce::use_nonce, prelude::*};

/// Loads the script, on pages that do not load the WASM bundle.
#[component]
pub fn FromAddress() -> impl IntoView {
    view! { <script type="module" src=link("from-address.js") nonce=use_nonce()></script> }
}
