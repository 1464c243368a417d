//! What stands around every page: top bar, list, banner of the live line, look, keys.

mod form;
mod frame;
mod from_address;
mod head;
mod look;
mod shortcuts;

pub use form::ServerForm;
pub use frame::{Frame, Home, NotFound, is_door};
pub use from_address::FromAddress;
pub use head::Head;
pub use look::{Cookies, Look, provide_look};
pub use shortcuts::in_field;
