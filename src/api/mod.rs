//! What browser and server say to each other: server functions for what is asked and done, frames for
//! what happens.
//!
//! The effect of a click comes back only through the live frames, never through the answer of the
//! function: there is one truth on the page. Each function works as a plain HTML form, too.

mod conversations;
#[cfg(feature = "ssr")]
mod cookies;
mod error;
mod people;
#[cfg(feature = "ssr")]
mod serve;
mod settings;
mod sharing;
mod steering;
mod workspace;

pub use crate::live::*;
pub use conversations::*;
pub use error::ApiError;
pub use people::*;
pub use settings::*;
pub use sharing::*;
pub use steering::*;
pub use workspace::*;
#[cfg(feature = "ssr")]
pub use {
    cookies::{SecretCookie, SecretCookies},
    serve::{BasePath, SignOn, allowed_there, refusal, status_of, wants_page},
};
