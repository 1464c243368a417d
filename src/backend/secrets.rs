//! Secrets that a backend stores: both protocols write them alike.

use super::http::{Call, Rest, secret_name};
use super::json::{entries, filled, text};
use super::{Answer, SecretName};
use reqwest::Method;
use serde_json::{Value, json};

/// The names of the listed secrets.
pub(super) fn names(listed: &Value) -> Vec<SecretName> {
    let secret = |entry: &Value| {
        Some(SecretName {
            name: filled(&entry["name"])?,
            description: text(&entry["description"]),
        })
    };
    entries(listed).filter_map(secret).collect()
}

/// Stores a secret. Errors: an invalid name.
pub(super) async fn save(
    rest: &Rest,
    method: Method,
    path: &[&str],
    name: &str,
    value: &str,
    description: &str,
) -> Answer<()> {
    let name = secret_name(name)?;
    let body = json!({ "name": name, "value": value, "description": description });
    let call = Call::new(method, path).json(body);
    rest.json(call).await.map(drop)
}

/// Deletes a secret. Errors: an invalid name.
pub(super) async fn delete(rest: &Rest, path: &[&str], name: &str) -> Answer<()> {
    let path = [path, &[secret_name(name)?]].concat();
    let call = Call::new(Method::DELETE, &path).missing("this secret");
    rest.json(call).await.map(drop)
}
