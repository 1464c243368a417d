//! Why a socket was closed: the connection was lost, or the login has ended.

use super::{drop_socket, lost, with};
use crate::{
    api::{ApiErrorKind, read_me},
    store::me::is_visitor,
};
use leptos::{prelude::*, task::spawn_local};
use web_sys::CloseEvent;

/// Close code of a connection whose login has ended (`server/live.rs`).
const SIGNED_OUT: u16 = 4401;

/// A socket was closed, or never opened.
pub(super) fn closed(event: &CloseEvent) {
    if event.code() == SIGNED_OUT {
        return go_to_login();
    }
    lost();
    // A browser does not say why a socket was refused, so check whether the login has ended.
    if with(|connection| connection.attempts == 1) {
        spawn_local(async {
            if let Err(error) = read_me().await
                && error.kind == ApiErrorKind::SignedOut
            {
                go_to_login();
            }
        });
    }
}

/// The login has ended: the page goes to the login and from there back here. Typed text is kept on the device.
/// For a visitor whose link has ended, the page is reloaded, and says so.
fn go_to_login() {
    drop_socket();
    let location = window().location();
    if is_visitor() {
        // Without a page there is nothing to reload.
        let _ = location.reload();
        return;
    }
    let here = [location.pathname(), location.search()]
        .map(Result::unwrap_or_default)
        .concat();
    let next = String::from(js_sys::encode_uri_component(&here));
    let login = with(|connection| format!("{}login?next={next}", connection.base));
    // Only a malformed address is refused.
    let _ = location.set_href(&login);
}
