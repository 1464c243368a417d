//! Handrail as a whole: the real layers, real sockets, the embedded rehearsal behind a bad network, and processes that
//! are killed. Tests wait for states rather than for fixed times.

mod api;
mod approvals;
mod backend_faults;
mod backup;
mod both;
mod chaos;
mod cluster;
mod conformance_v0;
mod disk;
mod doctor;
mod guards;
mod indeterminate;
mod insight;
mod layering;
mod log_secrets;
mod lost_connections;
mod messages;
mod names;
mod nodes;
mod notify;
mod openid;
mod operating;
mod people;
mod process;
mod proxies;
mod races;
mod retention;
mod share_target;
mod sharing;
mod slow_heads;
mod stage;
mod stopping;
mod tab;
mod tokens;
mod without_script;
