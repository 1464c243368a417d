//! Search over all conversations, and within one: a form, and the hits.
//!
//! Everything that is asked is in the URL, so that a search can be linked to, and works without JavaScript.

mod filters;
mod hit;
mod page;
mod results;
mod text;
mod within;

pub use hit::HitPage;
pub use page::SearchPage;
pub use within::Found;
