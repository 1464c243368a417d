//! The shell around every page: top bar, list, connection banner, appearance, keyboard shortcuts.

mod appearance;
mod form;
mod frame;
mod from_address;
mod head;
mod own_pages;
mod palette;
mod shortcuts;
mod shortcuts_dialog;
pub(crate) mod text;

pub use appearance::{Appearance, Cookies, provide_appearance};
pub use form::{CallButton, ServerForm};
pub use frame::{Frame, Home, NotFound, is_auth_page};
pub use from_address::FromAddress;
pub use head::{Head, Page, back_to};
pub use palette::Palette;
pub use shortcuts_dialog::ShortcutsDialog;
