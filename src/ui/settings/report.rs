//! Connection tests before saving.

use super::text;
use crate::api::{ConnectionReport, TestConnection};
use crate::store::Call;
use crate::ui::parts::{ErrorNote, varying};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// The test button of a connection, beside other buttons (`children`).
#[component]
pub fn TestBar(children: Children) -> impl IntoView {
    let test = Call::of::<TestConnection>();
    view! {
        <Trial test nothing=text::address_first()>{children()}</Trial>
    }
}

/// A button that tests the input of its form, with the result above. It needs JavaScript; without it, the page shows
/// the result of the test after saving.
#[component]
pub fn Trial(
    /// The server call of the test.
    test: Call<ConnectionReport>,
    /// The message if the form is invalid.
    nothing: &'static str,
    /// The buttons beside the test button.
    children: Children,
) -> impl IntoView {
    let (pending, value) = (test.pending(), test.value());
    let unreadable = RwSignal::new(false);
    let try_it = move |event: leptos::ev::MouseEvent| {
        let button = event
            .current_target()
            .and_then(|target| target.dyn_into::<web_sys::HtmlButtonElement>().ok());
        let Some(form) = button.and_then(|button| button.form()) else {
            return;
        };
        let data = web_sys::FormData::new_with_form(&form).ok();
        let data = data.filter(|_| form.check_validity());
        unreadable.set(data.is_none());
        if let Some(data) = data {
            test.send_form(&data);
        }
    };
    view! {
        <div role="status">
            {varying(move || {
                if pending.get() {
                    return any_view! { <span class="muted">{text::testing()}</span> };
                }
                if unreadable.get() {
                    return any_view! { <span class="field__error">{nothing}</span> };
                }
                match value.get() {
                    None => ().into_any(),
                    Some(Err(error)) => any_view! { <ErrorNote error/> },
                    Some(Ok(report)) => {
                        let (class, title) = heading(&report);
                        any_view! {
                            <div class=class>
                                <strong class="notice__title">{title}</strong>
                                <p class="notice__text">{report.text}</p>
                                {report.missing.map(|missing| view! { <p class="notice__text">{missing}</p> })}
                            </div>
                        }
                    }
                }
            })}
        </div>
        <div class="cluster cluster--end">
            <button
                class="button"
                type="button"
                data-needs-script
                aria-busy=move || pending.get().then_some("true")
                on:click=try_it
            >
                {text::test()}
            </button>
            {children()}
        </div>
    }
}

/// The class and the heading of a report: a backend that answers properly is connected, even if it lacks something.
fn heading(report: &ConnectionReport) -> (&'static str, &'static str) {
    match (report.good, &report.missing) {
        (true, None) => ("notice notice--good", text::connected()),
        (true, Some(_)) => ("notice notice--warning", text::connected()),
        (false, _) => ("notice notice--bad", text::not_connected()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_lacks_a_model_is_connected() {
        let report = |good, missing: Option<&str>| ConnectionReport {
            good,
            text: "Found OpenHands 0.x, which answered in 3 ms.".to_owned(),
            missing: missing.map(str::to_owned),
        };
        let lacking = report(true, Some("No model is set up: open Settings."));
        assert_eq!(heading(&lacking), ("notice notice--warning", "Connected"));
        assert_eq!(heading(&report(true, None)).1, "Connected");
        assert_eq!(heading(&report(false, None)).1, "Connection failed");
    }
}
