//! Who looks at the page: told by the server, and written in the page that it sent.

use crate::people::{Me, Right};
use leptos::prelude::*;

/// In how many conversations something waits for an answer, when the page was drawn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Waiting(pub usize);

/// When the page was drawn, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, Default)]
struct DrawnAt(i64);

/// Notes the current time as that of the page, and returns it. On the server, before the page is drawn.
pub fn draw_now() -> i64 {
    let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    let now = i64::try_from(now.as_millis()).unwrap_or_default();
    provide_context(DrawnAt(now));
    now
}

/// When the page was drawn, in milliseconds since the Unix epoch: the first rendering in the browser must show the same
/// times as the server's.
pub fn drawn_at() -> i64 {
    use_context::<DrawnAt>().unwrap_or_default().0
}

/// Makes all of them known to everything below.
pub fn provide_me() {
    if is_browser() {
        provide_context(Me {
            name: said("data-person").unwrap_or_default(),
            // Visitors have no role that a browser could read.
            role: said("data-role").and_then(|word| word.parse().ok()),
        });
        let waiting = said("data-waiting").and_then(|count| count.parse().ok());
        provide_context(Waiting(waiting.unwrap_or_default()));
        let drawn_at = said("data-drawn-at").and_then(|at| at.parse().ok());
        provide_context(DrawnAt(drawn_at.unwrap_or_default()));
    }
}

/// Who looks at the page.
pub fn me() -> Me {
    use_context().unwrap_or_default()
}

/// Whether they may. The server asks again: this only decides what is offered.
pub fn may(right: Right) -> bool {
    me().may(right)
}

/// In how many conversations something waited for an answer when the page was drawn.
pub fn waiting_at_first() -> usize {
    use_context::<Waiting>().unwrap_or_default().0
}

/// Whether who looks came by a link, and has no account to log in with. In the browser.
pub(super) fn is_visitor() -> bool {
    said("data-role").as_deref() == Some(crate::people::Role::Visitor.word())
}

/// What the page says of itself.
fn said(name: &str) -> Option<String> {
    document().document_element()?.get_attribute(name)
}
