//! The texts of the inbox.

crate::text::texts! {
    // page.rs
    loading = "Loading pending approvals…";
    none = "No pending approvals";
    approvals(count) = { one: "1 pending approval", other: "{count} pending approvals" };
    for_you(count, all) = { one: "{all}, 1 for you", other: "{all}, {count} for you" };
    order = "High risk first, then longest waiting";
    unanswered = "Ended without an answer";
    unanswered_name = "Approvals that ended without an answer";
    all_waiting = "These are the newest. Show all in the list";
    all_done = "All caught up";
    all_done_text = "Actions that need approval appear here at once.";

    index = "Pending approvals";
    approved = "Approved";
    approved_first = "Approved. A second person has to approve";
    rejected = "Rejected";
    open = "Open";

    // budgets.rs
    budgets = "Budgets";
    lift_in(title) = "Continue anyway: {title}";
    lifted = "Lifted for the rest of the period";

    // item.rs
    passed_to_you = "Passed to you";
    started_by(name) = "started by {name}";
}
