//! The pages about the reader and about what an owner manages.

use super::text;
use crate::people::Right;
use crate::store::{may, me};
use crate::ui::parts;

/// Their paths and names, as far as the reader may open them.
pub(super) fn pages_of_reader() -> impl Iterator<Item = (&'static str, &'static str)> {
    let (reads, owns, named) = (may(Right::Read), may(Right::Own), !me().name.is_empty());
    let all = [
        (reads && named, "account", text::account()),
        (reads, "notifications", text::notifications()),
        (may(Right::Answer), "rules", text::rules()),
        (owns, "settings", parts::text::settings()),
        (owns, "settings/connection", parts::text::backends()),
        (owns, "settings/approvers", text::approvers()),
        (owns, "settings/budgets", text::budgets()),
        (owns, "settings/retention", text::retention()),
        (owns && named, "people", text::people()),
        (owns, "audit", text::audit_log()),
        (reads, "install", text::install()),
    ];
    let allowed = all.into_iter().filter(|(may, ..)| *may);
    allowed.map(|(_, page, name)| (page, name))
}
