//! Trying something out before it is kept.

use crate::api::{ApiError, ConnectionReport, TestConnection};
use crate::ui::parts::ErrorNote;
use leptos::form::FromFormData;
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use wasm_bindgen::JsCast;

/// Tries a connection, beside other buttons (`children`).
#[component]
pub fn TestBar(children: Children) -> impl IntoView {
    let test = ServerAction::<TestConnection>::new();
    view! {
        <Trial test nothing="Give an address first.">{children()}</Trial>
    }
}

/// A button that tries what stands in its form, and above it the clear answer. It needs a script; without one the
/// page says after saving whether the thing answers.
#[component]
pub fn Trial<F>(
    /// The call that tries it.
    test: ServerAction<F>,
    /// What is said when the form cannot be read.
    nothing: &'static str,
    /// Buttons beside it.
    children: Children,
) -> impl IntoView
where
    F: ServerFn<Output = ConnectionReport, Error = ApiError>
        + FromFormData
        + Clone
        + Send
        + Sync
        + serde::de::DeserializeOwned
        + 'static,
{
    let (pending, value) = (test.pending(), test.value());
    let unreadable = RwSignal::new(false);
    let try_it = move |event: leptos::ev::MouseEvent| {
        let button = event
            .current_target()
            .and_then(|target| target.dyn_into::<web_sys::HtmlButtonElement>().ok());
        let Some(form) = button.and_then(|button| button.form()) else {
            return;
        };
        let call = web_sys::FormData::new_with_form(&form)
            .ok()
            .and_then(|data| F::from_form_data(&data).ok());
        unreadable.set(call.is_none());
        if let Some(call) = call {
            test.dispatch(call);
        }
    };
    view! {
        <div role="status">
            {move || {
                if pending.get() {
                    return view! { <span class="muted">"Knocking…"</span> }.into_any();
                }
                if unreadable.get() {
                    return view! { <span class="field__error">{nothing}</span> }.into_any();
                }
                match value.get() {
                    None => ().into_any(),
                    Some(Err(error)) => view! { <ErrorNote error/> }.into_any(),
                    Some(Ok(report)) => {
                        let (class, title) = if report.good {
                            ("notice notice--good", "It answers")
                        } else {
                            ("notice notice--bad", "It cannot be used")
                        };
                        view! {
                            <div class=class>
                                <strong class="notice__title">{title}</strong>
                                <p class="notice__text">{report.text}</p>
                            </div>
                        }
                            .into_any()
                    }
                }
            }}
        </div>
        <div class="cluster cluster--end">
            <button
                class="button"
                type="button"
                data-needs-script
                aria-busy=move || pending.get().then_some("true")
                on:click=try_it
            >
                "Test"
            </button>
            {children()}
        </div>
    }
}
