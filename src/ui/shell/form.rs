//! A form that calls a server function: as a plain form without JavaScript, in place with it.
//!
//! Like `leptos::form::ActionForm`, but it respects the base path of the app.

use crate::store::link;
use leptos::{
    ev::SubmitEvent,
    form::FromFormData,
    prelude::*,
    server_fn::{
        Http, ServerFn,
        client::Client,
        codec::PostUrl,
        error::{FromServerFnError, ServerFnErrorErr},
        request::ClientReq,
    },
};
use serde::de::DeserializeOwned;
use web_sys::FormData;

/// A form that calls a server function; the names of its inputs are those of the arguments.
#[component]
pub fn ServerForm<F, Output>(
    /// The server call.
    action: ServerAction<F>,
    /// The class of the form.
    #[prop(optional)]
    class: &'static str,
    /// Runs after the call was sent; only with JavaScript.
    #[prop(optional)]
    on_sent: Option<Callback<()>>,
    /// The inputs and buttons.
    children: Children,
) -> impl IntoView
where
    F: DeserializeOwned
        + ServerFn<Protocol = Http<PostUrl, Output>>
        + Clone
        + Send
        + Sync
        + 'static,
    F::Client: Client<F::Error>,
    <<F::Client as Client<F::Error>>::Request as ClientReq<F::Error>>::FormData: From<FormData>,
    F::Output: Send + Sync + 'static,
    F::Error: FromServerFnError + Send + Sync + 'static,
{
    let address = link(F::url().trim_start_matches('/'));
    let submit = move |event: SubmitEvent| {
        if event.default_prevented() {
            return;
        }
        event.prevent_default();
        match F::from_event(&event) {
            Ok(call) => {
                action.dispatch(call);
                if let Some(on_sent) = on_sent {
                    on_sent.run(());
                }
            }
            Err(error) => action.value().set(Some(Err(F::Error::from_server_fn_error(
                ServerFnErrorErr::Args(error.to_string()),
            )))),
        }
    };
    view! {
        <form class=class method="post" action=address on:submit=submit>
            {children()}
        </form>
    }
    .into_any()
}
