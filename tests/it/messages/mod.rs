//! The model's view.

mod oracle;
