//! The OpenAPI document, made of the routes and types.

use super::problem::MEDIA;
use super::{reading, writing};
use crate::v1::{Event, Problem, StateEvent};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use utoipa::openapi::path::{ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{Object, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::server::Server;
use utoipa::openapi::{Content, Ref, ResponseBuilder};
use utoipa::{Modify, OpenApi};

/// The document.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Handrail",
        version = "1",
        description = "What Handrail does for programs: the same as its pages, with the same rights and the same audit log. Times are milliseconds since the Unix epoch."
    ),
    paths(
        reading::me, reading::list, writing::create, reading::conversation, reading::events, writing::send,
        reading::approval, writing::approve, writing::reject, writing::stop, reading::export, reading::evidence, reading::inbox,
        reading::search, reading::usage, reading::rules, reading::people,
    ),
    components(schemas(Event, Problem, StateEvent)),
    modifiers(&Around),
)]
struct Description;

/// What is not said of each route.
struct Around;

impl Modify for Around {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let token = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("An access token, made on the page Account."))
            .build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(token));
        document.security = Some(vec![SecurityRequirement::new("token", [] as [&str; 0])]);
        document.servers = Some(vec![Server::new("/api/v1")]);
        for path in document.paths.paths.values_mut() {
            let changes = path.post.as_mut();
            let changes =
                changes.map(|operation| (operation, "It was not done, or that is not known"));
            let reads = path.get.as_mut();
            let reads = reads.map(|operation| (operation, "It failed, and why"));
            for (operation, failed) in changes.into_iter().chain(reads) {
                let refused = problem("Nothing was done, and why");
                let answers = &mut operation.responses.responses;
                answers.insert("4XX".to_owned(), refused.into());
                answers.insert("5XX".to_owned(), problem(failed).into());
            }
            if let Some(change) = &mut path.post {
                let key = ParameterBuilder::new()
                    .name("Idempotency-Key")
                    .parameter_in(ParameterIn::Header)
                    .description(Some("A repetition with the same key has no effect"))
                    .schema(Some(Object::with_type(Type::String)))
                    .build();
                change.parameters.get_or_insert_default().push(key.into());
            }
        }
    }
}

fn problem(description: &str) -> utoipa::openapi::Response {
    let content = Content::new(Some(Ref::from_schema_name("Problem")));
    let response = ResponseBuilder::new().description(description);
    response.content(MEDIA, content).build()
}

/// The document, as it is served.
pub fn description() -> String {
    let mut text = Description::openapi()
        .to_pretty_json()
        .expect("a document is plain data");
    text.push('\n');
    text
}

/// The description of the API.
pub async fn get_description() -> Response {
    let json = [(header::CONTENT_TYPE, "application/json")];
    (json, description()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::needs::{API, API_PREFIX};
    use serde_json::Value;
    use std::collections::BTreeSet;

    /// The document in the repository.
    const GOLDEN: &str = "docs/openapi.json";

    #[test]
    fn the_document_in_the_repository_is_the_one_that_is_served() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(GOLDEN);
        let now = description();
        if std::env::var_os("HANDRAIL_WRITE_OPENAPI").is_some() {
            std::fs::write(&path, &now).expect("it can be written");
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            known == now,
            "{GOLDEN} is outdated: run HANDRAIL_WRITE_OPENAPI=1 cargo test --lib the_document_in_the_repository"
        );
    }

    #[test]
    fn every_kind_of_problem_is_described() {
        let document: Value = serde_json::from_str(&description()).expect("JSON");
        let code = &document["components"]["schemas"]["Problem"]["properties"]["code"];
        let said = code["description"].as_str().expect("a text");
        let described: BTreeSet<&str> = said.split('`').skip(1).step_by(2).collect();
        let served = super::super::problem::Code::ALL.map(|code| code.word());
        assert_eq!(described, BTreeSet::from(served));
    }

    #[test]
    fn every_route_is_described_and_nothing_else() {
        let document: Value = serde_json::from_str(&description()).expect("JSON");
        let paths = document["paths"].as_object().expect("an object");
        let described: BTreeSet<String> = paths
            .iter()
            .flat_map(|(path, methods)| {
                let methods = methods.as_object().expect("an object").keys();
                methods.map(move |method| format!("{} {path}", method.to_uppercase()))
            })
            .collect();
        let prefix = API_PREFIX.trim_end_matches('/');
        let served: BTreeSet<String> = API
            .iter()
            .map(|(method, path, ..)| {
                let path = path.strip_prefix(prefix).expect("it is of the API");
                format!("{method} {path}")
            })
            .collect();
        assert_eq!(described, served);
    }
}
