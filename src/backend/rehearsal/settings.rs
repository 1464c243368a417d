//! The settings of the server, with 0.62's way of storing them: a POST replaces everything it does not keep.

use serde_json::{Value, json};

/// What a POST leaves as it was when it does not name it.
const KEPT: [&str; 5] = [
    "llm_api_key",
    "llm_model",
    "llm_base_url",
    "search_api_key",
    "user_consents_to_analytics",
];

/// What is never shown.
const KEYS: [&str; 3] = ["llm_api_key", "search_api_key", "sandbox_api_key"];

/// Stored settings, or none yet.
pub struct Settings(Option<Value>);

impl Settings {
    /// The rehearsal's own: risky actions ask. None when the server shall look like a new one.
    pub fn new(stored: bool) -> Self {
        let mut settings = defaults();
        settings["confirmation_mode"] = true.into();
        settings["security_analyzer"] = "llm".into();
        settings["llm_model"] = "rehearsal/script".into();
        settings["llm_api_key"] = "rehearsal".into();
        Self(stored.then_some(settings))
    }

    /// As the server itself reads them.
    pub fn stored(&self) -> Option<Value> {
        self.0.clone()
    }

    /// As `GET /api/settings` shows them: keys masked.
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

    /// Takes a POST; the error is FastAPI's `detail`.
    pub fn store(&mut self, posted: &Value) -> Result<(), Value> {
        let wrong = |kind: &str, field: &str, message: &str, input: &Value| json!([{"type": kind, "loc": ["body", field], "msg": message, "input": input}]);
        let Some(posted) = posted.as_object() else {
            return Err(wrong(
                "model_attributes_type",
                "",
                "Input should be a valid dictionary",
                posted,
            ));
        };
        if let Some(input) = posted
            .get("max_iterations")
            .filter(|value| !value.is_i64() && !value.is_null())
        {
            let message = "Input should be a valid integer, unable to parse string as an integer";
            return Err(wrong("int_parsing", "max_iterations", message, input));
        }
        if let Some(input) = posted
            .get("confirmation_mode")
            .filter(|value| !value.is_boolean() && !value.is_null())
        {
            let message = "Input should be a valid boolean, unable to interpret input";
            return Err(wrong("bool_parsing", "confirmation_mode", message, input));
        }
        if let Some(input) = posted
            .get("condenser_max_size")
            .filter(|value| value.as_i64().is_some_and(|n| n < 20))
        {
            let message = "Value error, condenser_max_size must be at least 20";
            return Err(wrong("value_error", "condenser_max_size", message, input));
        }
        let mut settings = defaults();
        for (field, value) in settings.as_object_mut().into_iter().flatten() {
            let before = self
                .0
                .as_ref()
                .map_or(&Value::Null, |old| &old[field.as_str()]);
            match posted.get(field) {
                Some(new) if !new.is_null() => *value = new.clone(),
                _ if KEPT.contains(&field.as_str()) => *value = before.clone(),
                _ => {}
            }
        }
        self.0 = Some(settings);
        Ok(())
    }
}

fn defaults() -> Value {
    json!({
        "language": "en", "agent": "CodeActAgent", "max_iterations": null, "security_analyzer": null,
        "confirmation_mode": false, "llm_model": null, "llm_api_key": null, "llm_base_url": null,
        "remote_runtime_resource_factor": null, "secrets_store": {"provider_tokens": {}},
        "enable_default_condenser": true, "enable_sound_notifications": false,
        "enable_proactive_conversation_starters": true, "enable_solvability_analysis": true,
        "user_consents_to_analytics": null, "sandbox_base_container_image": null,
        "sandbox_runtime_container_image": null, "mcp_config": null, "search_api_key": null, "sandbox_api_key": null,
        "max_budget_per_task": null, "condenser_max_size": null, "email": null, "email_verified": null,
        "git_user_name": null, "git_user_email": null,
    })
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
