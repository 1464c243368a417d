//! Calls of server functions by forms and buttons.
//!
//! A call knows its server function only by address and response: the browser sends what the form contains, and only the
//! server knows the types of the arguments. Leptos' own `ServerAction` generates code for each function and its
//! arguments, which was a tenth of the first load.

use super::link;
use crate::api::{ApiError, read};
use leptos::prelude::*;
use leptos::server::ServerActionError;
use leptos::server_fn::ServerFn;
use leptos::server_fn::error::{FromServerFnError, ServerFnErrorErr, ServerFnUrlError};
use leptos::server_fn::redirect::{REDIRECT_HEADER, call_redirect_hook};
use leptos::server_fn::request::browser::Request;
use leptos::task::spawn_local;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsCast;
use web_sys::{FormData, HtmlButtonElement, HtmlFormElement, SubmitEvent, UrlSearchParams};

/// Content type of a form.
const FORM: &str = "application/x-www-form-urlencoded";

/// Content type of responses, and of what is not a form.
const JSON: &str = "application/json";

/// A server function that a page calls, and the outcome of its last call.
pub struct Call<T: Send + Sync + 'static = ()> {
    address: StoredValue<String>,
    in_flight: RwSignal<u32>,
    pending: Memo<bool>,
    button: RwSignal<Option<String>>,
    outcome: RwSignal<Option<Result<T, ApiError>>>,
}

impl<T: Send + Sync + 'static> Clone for Call<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync + 'static> Copy for Call<T> {}

impl<T: DeserializeOwned + Send + Sync + 'static> Call<T> {
    /// A call of `F`. When a form was submitted without JavaScript, the page starts with its error.
    pub fn of<F: ServerFn<Output = T, Error = ApiError>>() -> Self {
        Self::at(F::url())
    }

    fn at(path: &'static str) -> Self {
        let failed = use_context::<ServerActionError>()
            .filter(|failed| failed.path() == path)
            .map(|failed| Err(ServerFnUrlError::<ApiError>::decode_err(failed.err())));
        let in_flight = RwSignal::new(0);
        Self {
            address: StoredValue::new(link(path.trim_start_matches('/'))),
            in_flight,
            pending: Memo::new(move |_| in_flight.get() > 0),
            button: RwSignal::new(None),
            outcome: RwSignal::new(failed),
        }
    }

    /// The address that a form posts to.
    pub fn address(self) -> String {
        self.address.get_value()
    }

    /// Whether a response is awaited.
    pub fn pending(self) -> Memo<bool> {
        self.pending
    }

    /// The outcome of the last call that has ended.
    pub fn value(self) -> RwSignal<Option<Result<T, ApiError>>> {
        self.outcome
    }

    /// Runs `then` after each success; returns their number so far. Browser only.
    pub fn on_success(self, then: impl Fn() + 'static) -> Signal<u32> {
        let times = RwSignal::new(0);
        Effect::new(move |_| {
            if self.value().with(|value| matches!(value, Some(Ok(_)))) {
                times.update(|times| *times += 1);
                then();
            }
        });
        times.into()
    }

    /// The value of the button that has sent the form last. Notifies each time; browser only.
    pub fn button(self) -> Option<String> {
        self.button.get()
    }

    /// Sends the form of a submit event with the value of its button. Browser only.
    pub fn submit(self, event: &SubmitEvent) {
        let form = event
            .target()
            .map(JsCast::unchecked_into::<HtmlFormElement>);
        let button = event
            .submitter()
            .and_then(|button| button.dyn_into::<HtmlButtonElement>().ok());
        let data = form.and_then(|form| FormData::new_with_form(&form).ok());
        let Some(data) = data else {
            return;
        };
        if let Some(button) = button.filter(|button| !button.name().is_empty()) {
            let _ = data.append_with_str(&button.name(), &button.value());
            self.button.set(Some(button.value()));
        }
        self.send_form(&data);
    }

    /// Sends the fields of a form. Browser only.
    pub fn send_form(self, data: &FormData) {
        let fields = UrlSearchParams::new_with_str_sequence_sequence(data);
        let body = fields.map(|fields| String::from(fields.to_string()));
        self.send(FORM, body.unwrap_or_default());
    }

    /// Sends JSON, for functions that take no form. Browser only.
    pub fn send_json(self, body: String) {
        self.send(JSON, body);
    }

    fn send(self, kind: &'static str, body: String) {
        self.in_flight.update(|count| *count += 1);
        let address = self.address();
        spawn_local(async move {
            let response = post(&address, kind, body).await;
            let outcome = response.and_then(|text| {
                read(&text)
                    .map_err(|error| ServerFnErrorErr::Deserialization(error.to_string()))
                    .map_err(ApiError::from_server_fn_error)
            });
            // The page may have been left meanwhile.
            let _ = self.outcome.try_set(Some(outcome));
            let _ = self.in_flight.try_update(|count| *count -= 1);
        });
    }
}

/// Posts a body, and follows the redirection of the response. Returns the text of the response.
async fn post(address: &str, kind: &str, body: String) -> Result<String, ApiError> {
    let unreachable = |error: &dyn std::fmt::Display| ServerFnErrorErr::Request(error.to_string());
    let answer = async {
        let request = Request::post(address)
            .header("Content-Type", kind)
            .header("Accept", JSON);
        let request = request.body(body).map_err(|error| unreachable(&error))?;
        let response = request.send().await.map_err(|error| unreachable(&error))?;
        let text = response.text().await.map_err(|error| unreachable(&error))?;
        Ok((response, text))
    };
    let (response, text) = answer.await.map_err(ApiError::from_server_fn_error)?;
    if !response.ok() {
        return Err(ApiError::de(text.into()));
    }
    let headers = response.headers();
    if headers.get(REDIRECT_HEADER).is_some()
        && let Some(place) = headers.get("Location")
    {
        call_redirect_hook(&place);
    }
    Ok(text)
}
