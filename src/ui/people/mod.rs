//! Accounts: the user's own account, the sharing of a conversation, and for owners all accounts and the audit log.
//!
//! Each form works without JavaScript; with it, the result appears in place.

mod account;
mod audit;
mod audit_words;
mod devices;
mod everybody;
mod invitations;
mod links;
mod notifications;
mod passkeys;
mod person;
mod sharing;
mod text;
mod tokens;

pub use account::AccountPage;
pub use audit::AuditPage;
pub use everybody::PeoplePage;
pub use notifications::NotificationsPage;
pub use sharing::SharingPage;

use crate::api::ApiError;
use crate::people::{AccountView, PeopleView};
use crate::store::Fetched;

/// The data of the user's own account, refetched after each change.
type Account = Fetched<Result<AccountView, ApiError>>;

/// The data of the page of all people, refetched after each change.
type People = Fetched<Result<PeopleView, ApiError>>;
