//! What kinds of secrets are masked.

use crate::words::words;
use serde::{Deserialize, Serialize};

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
