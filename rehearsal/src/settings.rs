//! The server's settings, stored like in 0.62: a POST replaces all fields except [`KEPT`].

use serde_json::{Value, json};

use crate::embedded;

/// Fields that keep their value if a POST does not contain them.
const KEPT: [&str; 5] = [
    "llm_api_key",
    "llm_model",
    "llm_base_url",
    "search_api_key",
    "user_consents_to_analytics",
];

/// Fields that are never returned.
const KEYS: [&str; 3] = ["llm_api_key", "search_api_key", "sandbox_api_key"];

/// The stored settings, or `None` before the first POST.
pub struct Settings(Option<Value>);

impl Settings {
    /// The rehearsal's defaults: risky actions need approval. Empty if the server should look new.
    pub fn new(stored: bool) -> Self {
        let mut settings = defaults();
        settings["confirmation_mode"] = true.into();
        settings["security_analyzer"] = "llm".into();
        settings["llm_model"] = "rehearsal/script".into();
        settings["llm_api_key"] = "rehearsal".into();
        Self(stored.then_some(settings))
    }

    pub fn stored(&self) -> Option<Value> {
        self.0.clone()
    }

    /// The body of `GET /api/settings`, with masked keys.
    pub fn shown(&self) -> Option<Value> {
        let mut shown = self.0.clone()?;
        for key in KEYS {
            let set = shown[key].as_str().is_some_and(|key| !key.is_empty());
            if key != "sandbox_api_key" {
                shown[format!("{key}_set")] = set.into();
            }
            shown[key] = Value::Null;
        }
        shown["provider_tokens_set"] = json!({});
        Some(shown)
    }

    /// Stores a POST. Errors: FastAPI's `detail` if a field has the wrong type.
    pub fn store(&mut self, posted: &Value) -> Result<(), Value> {
        let wrong = |kind: &str, field: &str, message: &str, input: &Value| {
            Err(json!([{"type": kind, "loc": ["body", field], "msg": message, "input": input}]))
        };
        if !posted.is_object() {
            let message = "Input should be a valid dictionary";
            return wrong("model_attributes_type", "", message, posted);
        }
        let iterations = &posted["max_iterations"];
        if !iterations.is_i64() && !iterations.is_null() {
            let message = "Input should be a valid integer, unable to parse string as an integer";
            return wrong("int_parsing", "max_iterations", message, iterations);
        }
        let mode = &posted["confirmation_mode"];
        if !mode.is_boolean() && !mode.is_null() {
            let message = "Input should be a valid boolean, unable to interpret input";
            return wrong("bool_parsing", "confirmation_mode", message, mode);
        }
        let size = &posted["condenser_max_size"];
        if size.as_i64().is_some_and(|size| size < 20) {
            let message = "Value error, condenser_max_size must be at least 20";
            return wrong("value_error", "condenser_max_size", message, size);
        }
        let mut settings = defaults();
        for (field, value) in settings.as_object_mut().into_iter().flatten() {
            match (&posted[field.as_str()], &self.0) {
                (Value::Null, Some(before)) if KEPT.contains(&field.as_str()) => {
                    *value = before[field.as_str()].clone();
                }
                (Value::Null, _) => {}
                (new, _) => *value = new.clone(),
            }
        }
        self.0 = Some(settings);
        Ok(())
    }
}

fn defaults() -> Value {
    embedded(include_str!("settings.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_post_forgets_what_it_does_not_name_except_the_model_and_the_keys() {
        let mut settings = Settings::new(true);
        settings
            .store(&json!({"git_user_name": "demo", "llm_api_key": "k"}))
            .unwrap();
        settings
            .store(&json!({"language": "de", "no_such_field": 1}))
            .unwrap();
        let shown = settings.shown().unwrap();
        assert_eq!(shown["language"], "de");
        assert_eq!(shown["git_user_name"], Value::Null);
        assert_eq!(shown["confirmation_mode"], false);
        assert_eq!(shown["llm_model"], "rehearsal/script");
        assert_eq!(
            (&shown["llm_api_key"], &shown["llm_api_key_set"]),
            (&Value::Null, &json!(true))
        );
        assert!(shown["no_such_field"].is_null());
    }

    #[test]
    fn wrong_types_are_named() {
        let detail = Settings::new(false)
            .store(&json!({"max_iterations": "many"}))
            .unwrap_err();
        assert_eq!(detail[0]["loc"], json!(["body", "max_iterations"]));
    }
}
