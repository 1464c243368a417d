//! The interface between browser and server: server functions for requests and commands, frames for
//! updates.
//!
//! The effect of a command to an agent arrives in the live frames; other functions return their result. Each function
//! works as a plain HTML form, too.
//!
//! # Errors
//! All server functions fail with an [`ApiError`] if the caller lacks the right, or if the hub, the accounts or the
//! backend cannot do what is requested.

mod answer;
mod budgets;
mod conversations;
#[cfg(feature = "ssr")]
mod cookies;
mod deputies;
mod error;
mod insight;
mod model;
mod notifications;
mod passkeys;
mod people;
mod replay;
mod review;
mod rules;
mod search;
#[cfg(feature = "ssr")]
mod serve;
mod settings;
mod share;
mod sharing;
mod steering;
mod touches;
mod workspace;

pub use crate::live::*;
pub use budgets::*;
pub use conversations::*;
pub use deputies::*;
pub use error::ApiError;
pub use insight::*;
pub use model::*;
pub use notifications::*;
pub use passkeys::*;
pub use people::*;
pub use replay::*;
pub use review::*;
pub use rules::*;
pub use search::*;
pub use settings::*;
pub use share::*;
pub use sharing::*;
pub use steering::*;
pub use touches::*;
pub use workspace::*;
#[cfg(feature = "ssr")]
pub use {
    cookies::{SecretCookie, SecretCookies},
    serve::{BasePath, SignOn, check_right_in, here, refusal, status_of, wants_page},
};
