//! The parts of a conversation's actor: values that decide what to do.
//!
//! No part does input or output, reads a clock, or knows another part. The actor (`actor/`) asks them and acts.

pub(super) mod approval;
pub(super) mod controls;
pub(super) mod link;
pub(super) mod log;
pub(super) mod outbox;
