//! What people read in notifications.

crate::text::texts! {
    needs_approval = "Needs approval";
    passed_to_you = "Needs approval, passed to you: nobody has answered";
    your_turn = "Your turn";
    finished = "Finished";
    failed = "Failed";
    stuck = "May be stuck";
    settled = "No longer needs approval";
    risk_low = "Low risk";
    risk_medium = "Medium risk";
    risk_high = "High risk";
    risk_unknown = "Unrated risk";
    untitled = "Untitled conversation";
    open = "Open";
    approve = "Approve";
    reject = "Reject";
    test_title = "Handrail";
    test_text = "Notifications work";

    // Answers from a notification.
    approved = "Approved";
    rejected = "Rejected";
    not_from_here = "This notification is no longer valid in this browser. Open the conversation.";
    approving_off = "Approving from notifications is turned off for this browser. Open the conversation.";
    not_low = "Only low-risk actions can be approved from a notification. Open the conversation.";
    too_old = "This notification is more than 10 minutes old. Open the conversation to approve.";

    // Channels.
    needs_login = "Log in to change notifications. An access token or a link is not enough.";
    too_many = "You have too many places to notify. Remove one first.";
    not_known(host) = "Handrail does not send to {host}. Whoever runs Handrail can allow it with --push-host.";
    bad_address = "This is not a valid address. Enter it like https://ntfy.sh/my-topic.";
    bad_topic = "An ntfy topic has 1 to 64 letters, digits, - or _. Enter it like https://ntfy.sh/my-topic.";
    bad_token = "The access token contains characters that are not allowed.";
    bad_keys = "The browser sent an invalid subscription. Turn notifications off and on again.";
    owners_only = "Only owners can add webhooks.";
    blocked = "Link-local and cloud metadata addresses are blocked. Use another address.";

    // Outcomes of an attempt.
    unreachable(host, why) = "{host} could not be reached: {why}";
    no_answer(host) = "{host} did not respond in time";
    answered(host, status, why) = "{host} responded with {status}{why}";
    no_right = "You can no longer see the conversation.";
    no_owner = "Webhooks of people who are not owners are not sent.";
    expired = "It could not be delivered in time";
    gone = "This browser's subscription has ended. Turn notifications on again in that browser.";
    accepted(host, status) = "{host} accepted it ({status}). It should appear within seconds.";
}
