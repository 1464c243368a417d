//! Accounts: who is let in where, what they see, and that a revoked right ends at once.

#[path = "../../../src/people/tests/authenticator.rs"]
mod authenticator;
mod closing;
mod copies;
mod costs;
mod endless;
mod exchange;
mod front_door;
mod hanging_up;
mod hidden;
pub mod house;
mod links;
mod login;
mod matrix;
mod presence;
mod searching;
mod second_factor;
mod spellings;
mod touching;
mod weight;
