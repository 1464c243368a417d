//! Data that a page loads: a resource whose response is in the page, or comes from a server function.
//!
//! Both are read the same way ([`read`]). With two, the program would contain the code that reads every view twice.

use crate::api::{Unreadable, read};
use leptos::prelude::*;
use leptos::server::codee::{Decoder, Encoder};
use serde::{Serialize, de::DeserializeOwned};

/// Data that a page loads.
pub type Fetched<T> = Resource<T, Json>;

/// Calls `ask` whenever `source` changes; a response of the server's rendering is included in its page.
///
/// The server runs a component inside of another one's response more than once. Its HTML and the data beside it come from
/// different runs, so all of them get the same response: the browser could not hydrate the page otherwise.
pub fn fetched<T, S, F>(
    source: impl Fn() -> S + Send + Sync + 'static,
    ask: impl Fn(S) -> F + Send + Sync + 'static,
) -> Fetched<T>
where
    T: Serialize + DeserializeOwned + Send + Sync + 'static,
    S: PartialEq + Clone + Send + Sync + 'static,
    F: Future<Output = T> + Send + 'static,
{
    #[cfg(feature = "ssr")]
    let ask = once::of_request(ask);
    Fetched::new_with_options(source, ask, false)
}

/// Makes the responses that [`fetched`] gets while the server renders a page available to all components below.
pub fn provide_fetched() {
    #[cfg(feature = "ssr")]
    provide_context(once::Responses::new());
}

#[cfg(feature = "ssr")]
mod once {
    use super::Json;
    use crate::sync::lock;
    use leptos::prelude::*;
    use leptos::reactive::computed::ScopedFuture;
    use leptos::reactive::owner::WeakOwner;
    use leptos::server::codee::{Decoder, Encoder};
    use serde::{Serialize, de::DeserializeOwned};
    use std::any::{Any, TypeId};
    use std::pin::Pin;
    use std::sync::{Arc, Mutex};
    use tokio::sync::OnceCell;

    /// A response as JSON; empty until it is there, and `None` if it cannot be written.
    type Response = Arc<OnceCell<Option<String>>>;

    /// The type of the function, of which every closure has its own, the source and the response.
    type Asked = (TypeId, Box<dyn Any + Send>, Response);

    /// The responses of one request.
    #[derive(Clone)]
    pub(super) struct Responses {
        all: Arc<Mutex<Vec<Asked>>>,
        /// The owner of the page's contexts, which lives as long as the request.
        page: WeakOwner,
    }

    impl Responses {
        /// No responses yet, for the page of the current owner.
        pub(super) fn new() -> Self {
            let page = Owner::current().unwrap_or_default();
            Self {
                all: Arc::default(),
                page: page.downgrade(),
            }
        }

        fn of<S: PartialEq + Send + 'static>(&self, asked: TypeId, source: S) -> Response {
            let mut all = lock(&self.all);
            let known = all.iter().find(|(known, of, _)| {
                *known == asked && of.downcast_ref::<S>().is_some_and(|of| *of == source)
            });
            if let Some((.., response)) = known {
                return Arc::clone(response);
            }
            let response = Response::default();
            all.push((asked, Box::new(source), Arc::clone(&response)));
            response
        }
    }

    /// The same as `ask`, but within one request it asks only once for each source.
    pub(super) fn of_request<T, S, F, A>(
        ask: A,
    ) -> impl Fn(S) -> Pin<Box<dyn Future<Output = T> + Send>> + Send + Sync + 'static
    where
        T: Serialize + DeserializeOwned + Send + Sync + 'static,
        S: PartialEq + Clone + Send + Sync + 'static,
        F: Future<Output = T> + Send + 'static,
        A: Fn(S) -> F + Send + Sync + 'static,
    {
        let responses = use_context::<Responses>();
        let ask = Arc::new(ask);
        move |source| {
            let ask = Arc::clone(&ask);
            let known = responses.as_ref();
            let known = known.and_then(|responses| {
                let page = responses.page.upgrade()?;
                Some((page, responses.of(TypeId::of::<A>(), source.clone())))
            });
            Box::pin(async move {
                let Some((page, response)) = known else {
                    return ask(source).await;
                };
                // The component may be gone before the response is there: the request must not need its contexts, and
                // those of the page say who asks.
                let text = response.get_or_init(|| {
                    let answer = page.with(|| ScopedFuture::new_untracked(ask(source.clone())));
                    async { Json::encode(&answer.await).ok() }
                });
                let text = text.await.as_deref();
                match text.and_then(|text| <Json as Decoder<T>>::decode(text).ok()) {
                    Some(answer) => answer,
                    None => ask(source).await,
                }
            })
        }
    }
}

/// JSON.
pub struct Json;

impl<T: Serialize> Encoder<T> for Json {
    type Error = serde_json::Error;
    type Encoded = String;

    fn encode(value: &T) -> Result<String, serde_json::Error> {
        serde_json::to_string(value)
    }
}

impl<T: DeserializeOwned> Decoder<T> for Json {
    type Error = Unreadable;
    type Encoded = str;

    fn decode(text: &str) -> Result<T, Unreadable> {
        read(text)
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::once::{Responses, of_request};
    use leptos::prelude::*;
    use leptos::reactive::computed::ScopedFuture;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test]
    async fn each_run_of_a_component_gets_the_same_response() {
        let asked = Arc::new(AtomicUsize::new(0));
        // What a component does: each run has a closure of the same type.
        let run = || {
            let asked = Arc::clone(&asked);
            of_request(move |source: &'static str| {
                let count = asked.fetch_add(1, Ordering::Relaxed);
                async move { format!("{source} {count}") }
            })
        };
        let (owner, other) = (Owner::new(), Owner::new());
        let (first, second) = owner.with(|| {
            provide_context(Responses::new());
            (run(), run())
        });
        assert_eq!(first("a").await, "a 0");
        assert_eq!(second("a").await, "a 0");
        assert_eq!(second("b").await, "b 1");
        let of_other = other.with(|| {
            provide_context(Responses::new());
            run()
        });
        assert_eq!(of_other("a").await, "a 2");
    }

    #[tokio::test]
    async fn a_component_that_is_gone_leaves_the_response_of_the_page() {
        let page = Owner::new();
        page.with(|| {
            provide_context("ada".to_owned());
            provide_context(Responses::new());
        });
        let component = page.child();
        let inner = component.child();
        let who = inner.with(|| of_request(|()| async { use_context::<String>() }));
        drop(component);
        let answer = inner.with(|| ScopedFuture::new_untracked(who(())));
        assert_eq!(answer.await.as_deref(), Some("ada"));
    }
}
