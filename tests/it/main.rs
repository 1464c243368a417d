//! Handrail as a whole: the real layers, real sockets, the embedded rehearsal behind a bad network, and
//! processes that are killed. No test sleeps: each waits for a state.

mod approvals;
mod backend_faults;
mod chaos;
mod conformance_v0;
mod disk;
mod doors;
mod doubts;
mod interleavings;
mod layering;
mod lost_lines;
mod openid;
mod people;
mod process;
mod sharing;
mod stage;
mod stopping;
mod tab;
