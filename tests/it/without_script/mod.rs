//! Every task works without JavaScript: the pages that the server sends, and the forms that they contain, suffice.
//!
//! A visitor ([`visitor`]) asks for pages over HTTP and uses what is on them by its name, as a person does. There is no
//! browser, so nothing here depends on layout; what does is tested in `end2end` with JavaScript turned off.

mod backend;
mod browser;
mod filling;
mod form;
mod handrail;
mod page;
mod part;
mod shown;
mod tasks;
mod visitor;

mod addresses;
mod agent_server;
mod approvals;
mod approvers;
mod backend_troubles;
mod budgets;
mod deputies;
mod exchange;
mod files;
mod first_visit;
mod hostile;
mod insight;
mod list;
mod people;
mod presses;
mod reading;
mod real;
mod records;
mod reviewing;
mod rules;
mod search;
mod settings;
mod shell;
mod starting;
mod troubles;
mod unread;
mod working;
