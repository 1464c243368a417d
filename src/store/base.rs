//! URLs of the app, below its base path.

use leptos::prelude::*;
use leptos_router::{NavigateOptions, hooks::use_navigate};

/// Base path of the app, beginning and ending in `/`.
#[derive(Clone)]
struct Base(String);

/// Makes [`link`] available to all components below.
pub fn provide_base(base: String) {
    provide_context(Base(base));
}

/// The URL of a page or file of the app: `link("c/abc")` is `/c/abc`, or `/tools/handrail/c/abc`
/// behind a proxy. Paths that already begin at a root or with a scheme stay unchanged.
///
/// Reads context: call it while a component runs, not in an event handler.
pub fn link(path: &str) -> String {
    if path.starts_with('/') || path.starts_with("data:") || path.contains("://") {
        return path.to_owned();
    }
    match use_context::<Base>() {
        Some(Base(base)) => format!("{base}{path}"),
        None => format!("/{path}"),
    }
}

/// Options for navigating to a URL from [`link`] without loading the page; `scroll` starts at its top.
pub fn use_go(scroll: bool) -> impl Fn(&str) + Clone {
    let navigate = use_navigate();
    move |address| {
        // The URL already includes the base path: the router must not add it again.
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
