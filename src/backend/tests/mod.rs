//! What the tests of all backends share, and checks against real servers.

mod real_servers;
pub(in crate::backend) mod support;
