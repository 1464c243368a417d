//! Masks secrets in the JSON of events, so that every format of an export is made of masked events.
//!
//! Only the text of strings is replaced. All other bytes stay as they are: an event without a secret is exactly the one
//! that arrived.

mod named;
mod prose;
mod scan;
mod shapes;

use super::SecretKind;
use scan::secrets;
use shapes::{MASKED, Secret, is_placeholder, is_value, names_secret};
use std::borrow::Cow;

/// Shortest key that is looked for by its exact text, in bytes. A shorter one occurs in ordinary words.
const SHORTEST_KEY: usize = 8;
/// Times that a text is searched at most.
const ROUNDS: usize = 8;
/// Longest value that a name alone makes a secret, in bytes.
const LONGEST_FIELD: usize = 4096;

/// Replaces secrets in texts and in events.
#[derive(Debug, Clone, Default)]
pub struct Masker {
    known: Vec<String>,
}

impl Masker {
    /// Masks these keys beside everything that looks like a secret.
    pub fn new(known: impl IntoIterator<Item = String>) -> Self {
        let mut known: Vec<String> = known
            .into_iter()
            .filter(|key| key.len() >= SHORTEST_KEY)
            .collect();
        known.sort();
        known.dedup();
        Self { known }
    }

    /// A text with its secrets masked.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let masked = self.mask(text, &mut |_, _| ());
        masked.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// The text without its secrets; `None` if it has none. Behind a mask, something may look like a secret that did not
    /// before, so the text is searched until there is nothing more.
    fn mask(&self, text: &str, found: &mut impl FnMut(SecretKind, &str)) -> Option<String> {
        let mut masked: Option<String> = None;
        for _ in 0..ROUNDS {
            let text = masked.as_deref().unwrap_or(text);
            let secrets = secrets(text, &self.known);
            if secrets.is_empty() {
                break;
            }
            for (kind, range) in &secrets {
                found(*kind, &text[range.clone()]);
            }
            masked = Some(without(text, &secrets));
        }
        masked
    }

    /// The JSON of an event with its secrets masked; `None` if it has none. `found` is called for each secret.
    pub fn event(&self, raw: &str, mut found: impl FnMut(SecretKind, &str)) -> Option<String> {
        let (mut masked, mut kept, mut from) = (String::new(), 0, 0);
        let mut is_named = false;
        while let Some(start) = raw[from..].find('"').map(|at| from + at) {
            if !raw[from..start]
                .bytes()
                .all(|byte| byte == b':' || byte.is_ascii_whitespace())
            {
                is_named = false;
            }
            let end = end_of_string(raw, start);
            let literal = &raw[start..end];
            from = end;
            let text: Cow<'_, str> = match literal.get(1..literal.len().saturating_sub(1)) {
                Some(plain) if !plain.contains('\\') => Cow::Borrowed(plain),
                _ => match serde_json::from_str(literal) {
                    Ok(text) => Cow::Owned(text),
                    Err(_) => Cow::Borrowed(literal),
                },
            };
            let is_key = raw[end..].trim_start().starts_with(':');
            let is_secret = is_named && !is_key && is_secret_field(&text);
            is_named = is_key && names_secret(&text);
            let text = if is_secret {
                found(SecretKind::Named, &text);
                without(&text, &[(SecretKind::Named, 0..text.len())])
            } else {
                match self.mask(&text, &mut found) {
                    Some(text) => text,
                    None => continue,
                }
            };
            masked.push_str(&raw[kept..start]);
            masked.push_str(&serde_json::to_string(&text).expect("a string is plain data"));
            kept = end;
        }
        (kept > 0).then(|| masked + &raw[kept..])
    }
}

/// Whether the value of a field whose name says so is a secret, perhaps behind a scheme ("Bearer …").
fn is_secret_field(value: &str) -> bool {
    value.len() <= LONGEST_FIELD
        && value.len() >= 6
        && is_value(value)
        && !value.contains(MASKED)
        && !is_placeholder("", value)
        && value.split_whitespace().count() <= 2
}

/// End of the string that begins at `start`, behind its closing quotation mark.
fn end_of_string(raw: &str, start: usize) -> usize {
    let mut is_escaped = false;
    let end = raw.as_bytes()[start + 1..].iter().position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(raw.len(), |end| start + 1 + end + 1)
}

/// A text with marks in place of these secrets.
fn without(text: &str, found: &[Secret]) -> String {
    let (mut out, mut kept) = (String::with_capacity(text.len()), 0);
    for (kind, range) in found {
        out.push_str(&text[kept..range.start]);
        out.push_str(MASKED);
        out.push_str(kind.word());
        out.push(']');
        kept = range.end;
    }
    out + &text[kept..]
}

/// The first characters of a secret, for its owner to recognise: at most four, and at most a third of it.
pub fn start_of(secret: &str) -> String {
    let most = (secret.chars().count() / 3).min(4);
    secret.chars().take(most).collect()
}

#[cfg(test)]
mod tests;
