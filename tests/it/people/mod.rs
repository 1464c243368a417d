//! People: who is let in where, what they see, and that a right which is taken away is gone at once.

mod closing;
mod front_door;
mod hidden;
pub mod house;
mod links;
mod login;
mod matrix;
mod presence;
