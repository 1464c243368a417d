//! Exports and imports of conversations.

use crate::words::words;
use serde::{Deserialize, Serialize};

/// Whether an export contains the secrets of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Secrets {
    /// They are masked.
    #[default]
    Mask,
    /// They are kept: the events are exactly those in the journal.
    Keep,
}

/// What an export masks.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ExportView {
    /// The title, or empty.
    pub title: String,
    /// The secrets, in the order of the log.
    pub secrets: Vec<SecretView>,
    /// Whether all events were searched. If not, the export still masks all of them.
    pub whole: bool,
}

/// A secret in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecretView {
    /// What it is.
    pub kind: SecretKind,
    /// Its first characters, at most four; of a short one fewer.
    pub start: String,
    /// How often it occurs.
    pub count: usize,
    /// Position and id of the row of its first occurrence that is on the timeline.
    pub row: Option<(i64, i64)>,
}

/// Kinds of secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SecretKind {
    /// The key of one of the backends in use.
    BackendKey,
    /// A key of a model provider, or another key with a known beginning.
    ApiKey,
    /// A token of a code host.
    RepositoryToken,
    /// An access key id of AWS.
    AwsKey,
    /// A token of Slack.
    SlackToken,
    /// A JSON Web Token.
    Jwt,
    /// A private key in PEM format.
    PrivateKey,
    /// The credentials of an Authorization header.
    Authorization,
    /// The password in a URL.
    UrlPassword,
    /// The value of a variable, option or field whose name says that it is a secret.
    Named,
}

words! {
    SecretKind, word: BackendKey "backend-key", ApiKey "api-key", RepositoryToken "repository-token",
    AwsKey "aws-key", SlackToken "slack-token", Jwt "jwt", PrivateKey "private-key", Authorization "authorization",
    UrlPassword "url-password", Named "secret"
}
