//! Rules: which pending actions are approved without asking a person.
//!
//! An action is read once ([`Reading`]), without knowing any rule, and a rule either covers what was read or does not. What
//! was not understood is covered by no rule. The types are compiled for the browser, too, which describes rules; only the
//! server reads actions.
//!
//! Invariant: whether a rule covers an action depends on nothing but this rule and this action: rules never add up.
//! Invariant: when in doubt, nothing is covered.

mod covers;
mod path;
mod programs;
mod reading;
mod rule;
mod text;
mod words;

#[cfg(feature = "ssr")]
mod command;
#[cfg(feature = "ssr")]
mod read;
#[cfg(feature = "ssr")]
mod suggest;
#[cfg(all(test, feature = "ssr"))]
mod tests;

pub use reading::{Reading, ReadingOf, Reason, Understood, VERSION};
pub use rule::{Conditions, Pattern, Rest, RuleError, Scope, Subject};

#[cfg(feature = "ssr")]
pub use {
    command::{MOST_BYTES, command_line},
    read::read,
    suggest::suggestions,
};
