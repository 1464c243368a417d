//! The texts of an approval's card.

crate::text::texts! {
    // The heading.
    needs_approval = "The agent needs approval";
    allow_action = "Allow this action?";
    allow_browser = "Allow this browser action?";
    allow_cell = "Run this code?";
    allow_command = "Run this command?";
    allow_edit = "Allow this edit?";
    allow_read = "Allow read access?";
    allow_tool = "Allow this tool call?";
    allow_actions(count) = { one: "Allow this action?", other: "Allow these {count} actions?" };

    // The card.
    review = "Review";
    action = "Action awaiting approval";
    whole_sheet = "Whole action";
    read_only = "Your role is read-only. An approver must answer.";
    read_only_visitor = "An approver must answer.";
    owners_only = "Only owners may approve this. You can reject it.";
    operators_only = "Only operators and owners may approve this. You can reject it.";
    two_have_to = "Two people have to approve this.";
    second_after(name) = "Approved by {name}. A second person has to approve.";
    second_after_you = "You approved this. A second person has to approve.";
    rejected_at = "Rejected at";
    unless_answered = " unless somebody answers.";
    unless_second = " unless a second person answers.";
    overdue = "Nobody answered in time. It is rejected as soon as OpenHands can be reached.";
    passed_to(names) = "Passed to {names} at";
    and(names, last) = "{names} and {last}";
    you = "you";
    no_deputy = "None of the deputies can answer this.";
    told_at = "Deputies are told at";
    unless_watched = " unless an approver has this open.";
    watched_until = "An approver has this open. Deputies are told at";
    at_the_latest = " at the latest.";
    approve_with_passkey = "Approve with passkey";
    needs_touch = "Approving this needs one of your passkeys.";
    needs_touch_of_approver = "An approver's passkey is needed to approve this.";
    touch_refused = "Nothing was sent. The passkey dialog was closed, or took too long. You can try again.";
    touch_changed = "Nothing was sent. What you were about to approve changed while the passkey dialog was open. Review it again.";
    touch_failed = "Nothing was sent. Handrail could not be reached. Try again.";
    touch_unknown = "Nothing was sent. This browser has no passkeys at this address. Use another browser, or reject.";
    touch_needs_script = "Approving this needs a browser with JavaScript and a passkey. Rejecting needs neither.";
    touch_needs_account = "Approving this needs a passkey, and so an account and a login with a browser. You can reject it.";
    touch_needs_passkey = "Approving this needs a passkey, and you have none. You can reject it.";
    touch_elsewhere(place) = "Approving this needs a passkey, and yours belong to {place}. Open Handrail there, or reject.";
    touch_needs_tls = "Approving this needs a passkey, and browsers have none without HTTPS. Open Handrail at its https address, or reject.";
    touch_needs_name = "Approving this needs a passkey, and browsers have none for bare IP addresses. Open Handrail by its host name, or reject.";
    add_passkey = "Add a passkey to approve this";
    offline = "Offline. Approving and rejecting need a connection.";
    armed = "You can approve or reject now";
    approve = "Approve";
    show_rest = "Show the rest";
    more_below(count) = "{count} more below";
    reject = "Reject";
    reject_with_reason = "Reject with reason";
    amend = "Approve this instead…";
    amended = "What the agent should run";
    amend_hint = "Rejects the pending action and asks for this one. If the agent asks for exactly this within 10 minutes, it is approved once, unless owners want a passkey for it.";
    amend_hint_with_passkey = "Rejects the pending action and asks for this one. If the agent asks for exactly this within 10 minutes, it is approved once.";
    send_amendment_with_passkey = "Reject and ask for this, with passkey";
    amend_hint_for_two = "Rejects the pending action and asks for this one. Two people have to approve it, as usual.";
    send_amendment = "Reject and ask for this";
    amend_sent = "Sent";
    always_allow = "Always allow…";
    place = "Where:";
    reason = "Reason for rejecting (optional)";
    reason_placeholder = "Why not? (optional, sent to the agent)";
}
