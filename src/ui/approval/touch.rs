//! What an approval needs that needs a touch of a passkey: the field for what was signed, and why it cannot be.
//!
//! Only the browser's own dialog needs a script (`public/passkey.js`): it stops the form, asks for the touch, and sends the form
//! with it. Without a script the server refuses the approval, and the card says so before.

use super::text;
use crate::{
    api::{ApiError, BeginTouch, read_can_touch},
    people::{CanTouch, PasskeysHere, Right},
    store::{Call, Fetched, fetched, link, may},
    ui::parts::{answered, varying},
};
use leptos::{ev, prelude::*, reactive::owner::WeakOwner};

/// Whether the user can touch in this browser.
pub(super) type Touching = Fetched<Result<CanTouch, ApiError>>;

/// The page that asks, and what it asked.
#[derive(Clone)]
struct OnPage {
    page: WeakOwner,
    asked: StoredValue<Option<Touching>>,
}

/// Has all approvals below ask once.
pub fn provide_touching() {
    let page = Owner::current().unwrap_or_default().downgrade();
    let asked = StoredValue::new(None::<Touching>);
    provide_context(OnPage { page, asked });
    if is_browser() {
        // They may have added a passkey in another tab.
        let again = window_event_listener(ev::focus, move |_| {
            let touching = asked.try_get_value().flatten();
            let cannot = |touching: &Touching| {
                let can = touching.try_get_untracked().flatten();
                can.is_some_and(|can| !matches!(can, Ok(CanTouch::Yes)))
            };
            if let Some(touching) = touching.filter(cannot) {
                touching.refetch();
            }
        });
        on_cleanup(move || again.remove());
    }
}

/// Asks the server whether the user can touch, if the page has not asked.
pub(super) fn touching() -> Touching {
    let ask = || fetched(|| (), |()| read_can_touch());
    let Some(OnPage { page, asked }) = use_context() else {
        return ask();
    };
    asked.get_value().unwrap_or_else(|| {
        let touching = page.upgrade().map_or_else(ask, |page| page.with(ask));
        asked.set_value(Some(touching));
        touching
    })
}

/// The field for what was signed, and what became of the browser's dialog. A form with it has a button with `data-touch`.
#[component]
pub(super) fn TouchField() -> impl IntoView {
    let asks = Call::<String>::of::<BeginTouch>().address();
    any_view! {
        <input type="hidden" name="touch" data-asks=asks />
        <p
            class="approval__remark approval__touch"
            role="alert"
            data-touch-says=""
            data-refused=text::touch_refused()
            data-changed=text::touch_changed()
            data-failed=text::touch_failed()
            data-none=text::touch_unknown()
            hidden
        ></p>
        <script type="module" src=link("passkey.js")></script>
    }
}

/// What a user sees who can touch; everybody else sees why they cannot.
#[component]
pub(super) fn IfTouching(
    touching: Touching,
    draw: impl Fn() -> AnyView + Clone + Send + 'static,
) -> impl IntoView {
    let waiting = draw.clone();
    any_view! {
        <Transition fallback=move || varying(waiting)>
            {answered(
                touching,
                move |can| match can {
                    // The server decides.
                    Ok(CanTouch::Yes) | Err(_) => draw(),
                    Ok(can) => any_view! { <CannotTouch can /> },
                },
            )}
        </Transition>
    }
}

/// Why somebody cannot touch, and what to do.
#[component]
fn CannotTouch(can: CanTouch) -> impl IntoView {
    let adds = matches!(can, CanTouch::NoPasskey | CanTouch::Elsewhere(_)) && may(Right::Read);
    let why = match can {
        CanTouch::Yes => String::new(),
        CanTouch::NoAccount => text::touch_needs_account().to_owned(),
        CanTouch::NoPasskey => text::touch_needs_passkey().to_owned(),
        CanTouch::Elsewhere(place) => text::touch_elsewhere(place),
        CanTouch::NotHere(PasskeysHere::NeedName) => text::touch_needs_name().to_owned(),
        CanTouch::NotHere(_) => text::touch_needs_tls().to_owned(),
    };
    any_view! {
        <p class="approval__remark approval__touch">
            {why}
        </p>
        {adds
            .then(|| view! { <a class="button" href=link("account")>{text::add_passkey()}</a> })}
    }
}
