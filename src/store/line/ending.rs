//! Why a socket ended: its link is lost, which passes, or the login is over.

use super::{drop_socket, lost, with};
use crate::{
    api::{ApiErrorKind, read_me},
    store::me::is_visitor,
};
use leptos::{prelude::*, task::spawn_local};
use web_sys::CloseEvent;

/// Close code of a line whose login has ended (`server/live.rs`).
const SIGNED_OUT: u16 = 4401;

/// A socket was closed, or never opened.
pub(super) fn closed(event: &CloseEvent) {
    if event.code() == SIGNED_OUT {
        return go_to_login();
    }
    lost();
    // A browser does not say why a socket was refused. A login that has ended meanwhile is asked for.
    if with(|line| line.attempts == 1) {
        spawn_local(async {
            if let Err(error) = read_me().await
                && error.kind == ApiErrorKind::SignedOut
            {
                go_to_login();
            }
        });
    }
}

/// The login has ended: the page goes to the login and from there back here. What is typed is on the device.
/// A visitor's link has ended: the page is loaded again, and says so.
fn go_to_login() {
    drop_socket();
    let location = window().location();
    if is_visitor() {
        // Without a page there is nothing to load again.
        let _ = location.reload();
        return;
    }
    let here = [location.pathname(), location.search()]
        .map(Result::unwrap_or_default)
        .concat();
    let next = String::from(js_sys::encode_uri_component(&here));
    let login = with(|line| format!("{}login?next={next}", line.base));
    // Only a malformed address is refused.
    let _ = location.set_href(&login);
}
