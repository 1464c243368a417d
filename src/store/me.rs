//! The current user, as the server wrote them into the page.

use crate::clock::now;
use crate::people::{Me, Right};
use leptos::prelude::*;

/// Number of conversations with pending approvals when the page was rendered.
#[derive(Debug, Clone, Copy, Default)]
pub struct PendingCount(pub usize);

/// When the page was rendered, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, Default)]
struct DrawnAt(i64);

/// Sets the current time as that of the page, and returns it. On the server, before rendering.
pub fn draw_now() -> i64 {
    let now = now();
    provide_context(DrawnAt(now));
    now
}

/// When the page was rendered, in milliseconds since the Unix epoch: the first browser rendering must show the same
/// times as the server's.
pub fn drawn_at() -> i64 {
    use_context::<DrawnAt>().unwrap_or_default().0
}

/// Provides all of them to the components below.
pub fn provide_me() {
    if is_browser() {
        provide_context(Me {
            name: attribute("data-person").unwrap_or_default(),
            // Visitors have no role that a browser could parse.
            role: attribute("data-role").and_then(|word| word.parse().ok()),
        });
        let waiting = attribute("data-waiting").and_then(|count| count.parse().ok());
        provide_context(PendingCount(waiting.unwrap_or_default()));
        let drawn_at = attribute("data-drawn-at").and_then(|at| at.parse().ok());
        provide_context(DrawnAt(drawn_at.unwrap_or_default()));
    }
}

/// The current user.
pub fn me() -> Me {
    use_context().unwrap_or_default()
}

/// Whether the user has this right. Only affects what is offered: the server checks it again.
pub fn may(right: Right) -> bool {
    me().may(right)
}

/// Number of conversations with pending approvals when the page was rendered.
pub fn waiting_at_first() -> usize {
    use_context::<PendingCount>().unwrap_or_default().0
}

/// Whether the user came by a view-only link, and has no account to log in with. In the browser.
pub(super) fn is_visitor() -> bool {
    attribute("data-role").as_deref() == Some(crate::people::Role::Visitor.word())
}

/// Whether the page is a copy that the service worker kept (`worker/offline.js`). In the browser.
pub(super) fn is_kept_copy() -> bool {
    attribute(OFFLINE).is_some()
}

/// The attribute of the document element while the page is out of date: set on copies that the service worker kept, and
/// by the page itself.
pub const OFFLINE: &str = "data-offline";

/// An attribute of the document element.
fn attribute(name: &str) -> Option<String> {
    document().document_element()?.get_attribute(name)
}
