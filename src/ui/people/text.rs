//! The texts of accounts, people, sharing and the audit log.
//!
//! Long because the audit log names every action.

crate::text::texts! {
    // Several pages.
    role = "Role";
    role_option(role, rights) = "{role}: {rights}";
    days = "Days";
    revoke = "Revoke";
    last_used = ", last used ";
    new_password = "New password";
    password_hint = "At least 8 characters";

    // account.rs
    account = "Account";
    account_loading = "Loading account…";
    no_account = "Handrail is running in local mode, so there are no accounts.";
    own_role(role, rights) = "Role: {role} ({rights})";
    link_hint(provider) = "Link your {provider} account to log in with it.";
    linked_hint(provider) = "You can also log in with {provider}.";
    created_hint(provider) = "Your account was created when you first logged in with {provider}.";
    link(provider) = "Link {provider}";
    unlink = "Unlink";
    unlinked = "Unlinked";
    password = "Password";
    password_change_hint = "Changing it logs you out on all other devices.";
    current_password = "Current password";
    password_changed = "Password changed";
    change_password = "Change password";

    // passkeys.rs
    passkeys = "Passkeys";
    passkeys_hint = "A passkey logs you in alone, and is needed after your password.";
    no_passkeys = "No passkeys";
    add_passkey = "Add a passkey";
    passkey_added(place) = "for {place}, added ";
    remove_passkey(name) = "Remove {name}";
    passkey_removed = "Passkey removed";
    codes_left(count) = { one: "1 recovery code left. Each works once in place of a passkey.", other: "{count} recovery codes left. Each works once in place of a passkey." };
    renew_codes = "New recovery codes";

    // devices.rs
    devices = "Devices";
    logged_out = "Device logged out";
    log_out_others = "Log out all other devices";
    logged_out_others = "All other devices logged out";
    log_out = "Log out";
    log_out_device(device) = "Log out {device}";
    device_seen(address) = "from {address}, last used ";
    device_strong = ", logged in with a passkey";
    this_device = "This device";
    device(browser, system) = "{browser} on {system}";
    unknown_device = "Unknown browser";

    // notifications.rs
    notifications = "Notifications";
    notifications_loading = "Loading notifications…";
    save_choices = "Save choices";
    this_browser = "This browser";
    here_on = "Notifications are on. They appear even if Handrail is closed, unless you are looking at it.";
    here_off = "Get notified when an agent needs you, even if Handrail is closed.";
    turn_on = "Turn on notifications";
    turn_on_again = "Turn on again";
    turned_on = "Notifications turned on";
    push_needs_https = "Notifications need HTTPS. Handrail can make a certificate: handrail tls init.";
    push_missing = "This browser has no push notifications. On an iPhone or iPad, add Handrail to the Home Screen first and open it there.";
    push_blocked = "Your browser blocks notifications from Handrail. Allow them in its site settings.";
    push_failed = "The browser could not reach its push service. Check its internet connection, then try again.";
    place_added = "Added";
    place_removed = "Removed";
    testing = "Sending a test…";
    kind_push = "Browser";
    kind_ntfy = "ntfy";
    kind_webhook = "Webhook";
    remove_place(name) = "Remove {name}";
    test = "Send a test";
    last_sent = "Last notified ";
    never_sent = "Not notified yet";
    retrying(count) = { one: ". 1 notification is being retried", other: ". {count} notifications are being retried" };
    given_up(count) = { one: ". 1 notification was not delivered", other: ". {count} notifications were not delivered" };
    choose = "Choose what to be notified of";
    occasions = "Notify when";
    on_needs_approval = "an action needs approval";
    on_your_turn = "it is your turn";
    on_finished = "the agent has finished";
    on_failed = "the agent has failed";
    on_stuck = "the agent may be stuck";
    scope = "Conversations";
    scope_mine = "Mine";
    scope_shared = "Mine, and shared with me by name";
    scope_all = "All that I can see";
    scope_hint = "A conversation without a known creator counts as yours.";
    quiet_hours = "Quiet hours";
    quiet_hint = "An approval that is still pending at their end is notified then.";
    quiet_from = "From";
    quiet_until = "Until";
    zone = "Time zone";
    zone_example = "Europe/Berlin";
    shows_text = "Show the command or message, also on the lock screen";
    approves = "Let me approve low-risk actions from the notification";
    ntfy_hint = "Sends to a topic of ntfy.sh, or of a server that your administrator allows. Anyone who knows the topic can read along.";
    topic = "Topic address";
    ntfy_token = "Access token";
    ntfy_token_hint = "Only for protected topics";
    add_ntfy = "Add topic";
    webhook_hint = "Sends a signed request to a program of yours, at least once. The sequence number tells repetitions apart.";
    add_webhook = "Add webhook";

    // tokens.rs
    tokens = "Access tokens";
    tokens_hint_start = "For scripts. Send one in the header ";
    tokens_hint_end = ". It allows no more than its role. Changing your password revokes all tokens.";
    no_tokens = "No tokens";
    token_revoked = "Token revoked";
    revoke_named(name) = "Revoke {name}";
    token_expires(role) = "{role}, expires ";
    api_token_expires(scopes) = "API: {scopes}, expires ";
    scopes = "For the API only";
    scopes_hint = "Choose what a program may do at /api/v1. It can do nothing else then, and its role is not used. Choose nothing for a token that may do all that its role allows.";
    scope_read = "read: conversations, inbox, search, usage";
    scope_send = "send: create conversations, send messages, stop agents";
    scope_approve = "approve: approve and reject actions";
    scope_admin = "admin: read what only owners may";
    create_token = "Create token";

    // everybody.rs
    people = "People";
    people_loading = "Loading people…";
    view_audit = "View audit log";
    accounts = "Accounts";
    search_accounts = "Find a person";
    no_such_accounts = "No account has that in its name.";
    no_accounts = "No accounts. Anyone at this computer has full access.";
    add_person = "Add a person";
    reset_passkeys = "Remove passkeys";
    passkeys_reset = "Passkeys removed. They need to log in again.";
    add = "Add";
    added = "Person added";
    initial_password = "Initial password";
    initial_password_hint = "At least 8 characters. They can change it.";
    locked = "Locked";
    locked_hint = "Too many wrong passwords. Locks expire by themselves.";
    locked_until(count) = { one: ": 1 wrong password, locked until ", other: ": {count} wrong passwords, locked until " };
    unlock = "Unlock";
    unlock_named(subject) = "Unlock {subject}";
    unlocked = "Unlocked";

    // invitations.rs
    invite = "Invite a person";
    invite_hint = "Send them the link. They choose their name, and a password or a passkey.";
    name_if_fixed = "Name, if they may not choose it";
    create_invitation = "Create invitation";
    somebody = "Anyone with the link";
    invitation_of(role, by) = "{role}, by {by}, expires ";
    revoke_invitation(whom) = "Revoke the invitation of {whom}";
    invitation_revoked = "Invitation revoked";
    required_passkeys = "Required passkeys";
    required_passkeys_hint = "People with these roles log in with a passkey only. Who has none creates one at the next login. Sessions without one end.";

    // person.rs
    disabled = "disabled";
    role_of(name) = "Role of {name}";
    change_role_of(name) = "Save the role of {name}";
    last_seen = "Last seen";
    never = "Never";
    manage(name) = "Manage {name}";
    role_changed = "Role changed";
    new_password_of(name) = "New password of {name}";
    set_password = "Set password";
    password_set = "Password set. They need to log in again.";
    disable = "Disable";
    enable = "Re-enable";
    done = "Account updated";

    // sharing.rs
    sharing = "Sharing";
    sharing_loading = "Loading sharing…";
    audience = "Who can see this conversation";
    audience_all = "Everyone with an account";
    audience_some = "Creator, owners and the people below";
    audience_creator = "Only the creator and owners";
    save = "Save";
    share_hint = "The role you set here applies only to this conversation.";
    usual_role_option = "Their usual role";
    usual_role = "usual role";
    share = "Share";
    shared = "Shared";
    remove = "Remove";
    removed = "Removed";

    // links.rs
    links = "Links";
    links_hint = "Anyone with a link can view this conversation, without an account and read-only.";
    no_links = "No links";
    link_revoked = "Link revoked";
    link_days_hint = "Expires after 1–90 days";
    create_link = "Create link";
    link_created(name) = "Created by {name} ";
    link_expires = "expires ";
    revoke_link(name) = "Revoke the link created by {name}";

    // audit.rs
    audit = "Audit log";
    filters_loading = "Loading filters…";
    audit_loading = "Loading audit log…";
    person = "Person";
    action = "Action";
    conversation = "Conversation";
    filter = "Filter";
    everyone = "Everyone";
    all_actions = "All actions";
    all_outcomes = "All outcomes";
    download_as(format) = "Download as {format}";
    no_entries = "No entries yet";
    no_entries_hint = "Actions are listed here: when, by whom, and with what outcome.";
    no_matches = "No results";
    no_matches_hint = "No action matches all of these filters.";
    entries = "Entries";
    time = "Time";
    outcome = "Outcome";
    duration = "Duration";
    details = "Details";
    reason = "Reason";
    audited_step = "Show the action";
    address = "Address";
    entry_number = "Entry";
    content_hash = "SHA-256";
    outcome_done = "Done";
    outcome_failed = "Failed";
    outcome_unknown = "Unknown";
    outcome_open = "Not recorded yet";

    // audit_words.rs: the actions in the audit log.
    act_create = "Start conversation";
    act_send = "Send message";
    act_send_again = "Resend message";
    act_discard = "Discard message";
    act_approve = "Approve";
    act_reject = "Reject";
    act_first_approval = "First of two approvals";
    act_second_approval = "Second of two approvals";
    act_save_budgets = "Change budgets";
    act_lift_budget = "Lift budget";
    act_stop_by_budget = "Stop: budget used up";
    act_amend = "Ask for this instead";
    act_approve_as_amended = "Approve as amended";
    act_approve_with_passkey = "Approve with a passkey";
    act_amend_with_passkey = "Amend with a passkey";
    act_save_touches = "Change what needs a passkey";
    act_save_authority = "Change who may approve";
    act_approve_by_rule = "Approve by rule";
    act_create_rule = "Create rule";
    act_end_rule = "End rule";
    act_stop_rules = "Stop all rules";
    act_resume_rules = "Resume rules";
    act_pause = "Pause";
    act_resume = "Resume";
    act_stop = "Stop";
    act_side_question = "Ask a side question";
    act_upload = "Upload files";
    act_set_policy = "Change approval policy";
    act_switch_model = "Switch model";
    act_rename = "Rename conversation";
    act_set_tags = "Change tags";
    act_delete = "Delete conversation";
    act_archive = "Archive conversation";
    act_bring_back = "Bring conversation back";
    act_fork = "Fork conversation";
    act_import = "Import conversation";
    act_start_sandbox = "Start sandbox";
    act_stop_sandbox = "Stop sandbox";
    act_share = "Change who can see it";
    act_share_with = "Share with a person";
    act_unshare = "Stop sharing with a person";
    act_create_link = "Create link";
    act_revoke_link = "Revoke link";
    act_save_settings = "Save settings";
    act_add_server = "Add MCP server";
    act_test_server = "Test MCP server";
    act_remove_server = "Remove MCP server";
    act_save_secret = "Save secret";
    act_delete_secret = "Remove secret";
    act_test_backend = "Test backend";
    act_save_backend = "Save backend";
    act_remove_backend = "Remove backend";
    act_save_retention = "Change retention rules";
    act_apply_retention = "Delete by retention rules";
    act_follow = "Record everything on backend";
    act_unfollow = "Stop recording everything on backend";
    act_set_up = "Set up Handrail";
    act_log_in = "Log in";
    act_log_out = "Log out";
    act_log_out_device = "Log out a device";
    act_log_out_others = "Log out other devices";
    act_change_password = "Change own password";
    act_reset_password = "Set a person's password";
    act_link_identity = "Link single sign-on";
    act_unlink_identity = "Unlink single sign-on";
    act_create_token = "Create token";
    act_revoke_token = "Revoke token";
    act_add_person = "Add person";
    act_add_passkey = "Add passkey";
    act_remove_passkey = "Remove passkey";
    act_renew_codes = "New recovery codes";
    act_reset_passkeys = "Remove a person's passkeys";
    act_require_passkeys = "Require passkeys";
    act_create_invitation = "Create invitation";
    act_revoke_invitation = "Revoke invitation";
    act_accept_invitation = "Accept invitation";
    act_change_role = "Change role";
    act_disable = "Disable person";
    act_enable = "Re-enable person";
    act_unlock = "Unlock";
    act_add_notifications = "Add notifications";
    act_remove_notifications = "Remove notifications";
}
