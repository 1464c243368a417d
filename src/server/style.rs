//! The page of all parts, in development builds only.
//!
//! The server renders it and nothing hydrates it, so no browser bundle contains it.

use super::Site;
use crate::app::Assets;
use crate::store::{draw_now, provide_base};
use crate::ui::parts::provide_toasts;
use crate::ui::style::Parts;
use axum::extract::{Query, Request, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use leptos::prelude::*;
use leptos_router::components::Router;

/// The query of the page.
#[derive(serde::Deserialize)]
pub struct Choice {
    theme: Option<String>,
}

/// Every part in every state: in one colour scheme with `?theme=`, else in both.
pub async fn page(
    State(site): State<Site>,
    Query(choice): Query<Choice>,
    request: Request,
) -> Response {
    let theme = match choice.theme.as_deref() {
        Some("light") => Some("light"),
        Some("dark") => Some("dark"),
        _ => None,
    };
    let context = site.context();
    let draw = leptos_axum::render_app_async_with_context(context, move || document(theme));
    draw(request).await
}

/// The style sheet of the page, beside that of all pages.
pub async fn sheet() -> Response {
    let sheet = include_str!("../../style/specimens.css");
    ([(header::CONTENT_TYPE, "text/css")], sheet).into_response()
}

fn document(theme: Option<&'static str>) -> impl IntoView {
    let Assets { base, css, .. } = expect_context();
    let sheet = format!("{base}style.css");
    let icon = format!("{base}icon.svg");
    draw_now();
    provide_base(base);
    provide_toasts();
    view! {
        <!DOCTYPE html>
        <html lang="en" data-theme=theme>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <title>"All parts · Handrail"</title>
                <link rel="stylesheet" href=css />
                <link rel="stylesheet" href=sheet />
                <link rel="icon" href=icon type="image/svg+xml" />
            </head>
            <body>
                <Router>
                    <Parts theme />
                </Router>
            </body>
        </html>
    }
}
