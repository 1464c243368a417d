//! The texts of the frame around the pages.

crate::text::texts! {
    // The document (app.rs)
    description = "A dashboard for OpenHands coding agents";

    // frame.rs: sidebar
    skip_link = "Skip to content";
    at_least(count) = "{count}+";
    navigation = "Main";
    appearance = "Appearance";
    list = "List";
    you = "You";
    own_pages = "Account and settings";
    approvers = "Approvers";
    budgets = "Budgets";
    retention = "Retention";
    people = "People";
    rules = "Rules";
    audit_log = "Audit log";
    account = "Account";
    notifications = "Notifications";
    log_out = "Log out";
    back = "Back";
    conversation = "Conversation";
    install = "Install the app";

    // frame.rs: connection banner
    offline = "Offline. This page may be out of date. Reconnecting…";
    last_update = "Last update:";

    // app.rs: messages that the service worker keeps
    message_waits = "Waiting for the network";
    message_refused = "Not sent.";
    copy_message = "Copy";
    remove_message = "Remove";
    open_conversation = "Open conversation";
    leave_messages = "Messages on this device have not been sent yet. Log out and delete them?";

    // app.rs: a page whose program has ended
    page_is_dead = "This page no longer updates.";
    reload_page = "Reload";

    // frame.rs: home page and unknown pages
    none_waiting = "Nothing needs your approval";
    some_waiting(count) = { one: "1 conversation needs your approval", other: "{count} conversations need your approval" };
    review = "Review";
    pick = "Pick a conversation, or start a new one.";
    pick_to_read = "Pick a conversation.";
    pick_keys = "Keys: n for a new conversation, / to search, ? for all shortcuts";
    pick_keys_to_read = "Keys: / to search, ? for all shortcuts";
    page_not_found = "Page not found";

    // appearance.rs
    theme = "Theme";
    text_size = "Text size";
    long_lines = "Long lines";
    match_system = "Match system";
    light = "Light";
    dark = "Dark";
    small_text = "Small text";
    normal_text = "Normal text";
    large_text = "Large text";
    wrap_lines = "Wrap long lines";
    scroll_lines = "Scroll long lines";
    diffs = "Diffs";
    one_column = "One column";
    side_by_side = "Side by side";

    // palette.rs
    go_to = "Go to";
    go_to_button(name) = "Go to “{name}”";
    in_group(group, name) = "{group}: {name}";
    go_to_placeholder = "Page, conversation, action or words";
    search_for(words) = "Search for “{words}”";
    found = "Results";
    nothing_found = "Nothing found";

    // shortcuts.rs, shortcuts_dialog.rs
    open_palette = "Go to a page or conversation";
    keyboard_shortcuts = "Keyboard shortcuts";
    send = "Send message";
    send_on_computer = "Send message (on a computer)";
    new_line = "New line";
    go_to_message = "Go to the message field";
    go_to_approve = "Focus the Approve button; Enter then approves";
    go_to_reason = "Focus the Reject button; Enter then asks for the reason";
    go_to_pending = "Go to the next pending approval";
    move_in_inbox = "Next and previous approval in the inbox";
    go_to_newest = "Go to the newest entry";
    play_replay = "Play or pause a replay";
    move_in_replay = "Previous or next mark or event of a replay";
    show_shortcuts = "Show this list";
}
