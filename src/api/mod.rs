//! What browser and server say to each other: server functions for what is asked and done, frames for
//! what happens.
//!
//! The effect of a click comes back only through the live frames, never through the answer of the
//! function: there is one truth on the page. Each function works as a plain HTML form, too.

mod conversations;
mod error;
mod frames;
#[cfg(feature = "ssr")]
mod serve;
mod settings;
mod steering;
mod views;
mod workspace;

pub use conversations::*;
pub use error::{ApiError, ApiErrorKind};
pub use frames::{FromBrowser, FromServer, Verdict};
#[cfg(feature = "ssr")]
pub use serve::BasePath;
pub use settings::*;
pub use steering::*;
pub use views::*;
pub use workspace::*;
