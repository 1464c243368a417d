//! Handrail as an installed app: how to install it, what other apps share with it, and the page without a network.

mod install;
mod offline;
mod share;
mod text;

pub use install::InstallPage;
pub use offline::OfflinePage;
pub use share::SharePage;
#[cfg(feature = "ssr")]
pub(crate) use text::queue_full;
