//! Addresses of ours, under the path that the app lives at.

use leptos::prelude::*;
use leptos_router::{NavigateOptions, hooks::use_navigate};

/// The path that the app lives at, beginning and ending in `/`.
#[derive(Clone)]
struct Base(String);

/// Makes [`link`] known to everything below.
pub fn provide_base(base: String) {
    provide_context(Base(base));
}

/// The address of a page or file of ours: `link("c/abc")` is `/c/abc`, or `/tools/handrail/c/abc`
/// behind a proxy. Addresses that already begin at a root or with a scheme stay as they are.
///
/// Reads context: call it while a component runs, not in a handler.
pub fn link(path: &str) -> String {
    if path.starts_with('/') || path.starts_with("data:") || path.contains("://") {
        return path.to_owned();
    }
    match use_context::<Base>() {
        Some(Base(base)) => format!("{base}{path}"),
        None => format!("/{path}"),
    }
}

/// How to go to an address of [`link`] without loading the page; `scroll` begins at its top.
pub fn use_go(scroll: bool) -> impl Fn(&str) + Clone {
    let navigate = use_navigate();
    move |address| {
        // The address has the base path already: the router must not put it before it once more.
        let options = NavigateOptions {
            resolve: false,
            scroll,
            ..NavigateOptions::default()
        };
        navigate(address, options);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_under_the_base_path() {
        Owner::new().with(|| {
            assert_eq!(link("c/1"), "/c/1");
            provide_base("/tools/".to_owned());
            assert_eq!(link("c/1"), "/tools/c/1");
            assert_eq!(link(""), "/tools/");
            assert_eq!(link("data:image/png;base64,"), "data:image/png;base64,");
        });
    }
}
