//! The pages that export a conversation to a file, and import one from a file.

mod export;
mod import;
mod text;

pub use export::ExportPage;
pub use import::ImportPage;
