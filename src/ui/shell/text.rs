//! The texts of the frame around the pages.

crate::text::texts! {
    // The document (app.rs)
    description = "A dashboard for OpenHands coding agents";

    // frame.rs: top bar
    skip_link = "Skip to content";
    navigation = "Main";
    appearance = "Appearance";
    people = "People";
    audit_log = "Audit log";
    account = "Account";
    log_out = "Log out";

    // frame.rs: connection banner
    offline = "Offline. This page may be out of date. Reconnecting…";

    // frame.rs: home page and unknown pages
    none_selected = "No conversation selected";
    pick = "Pick a conversation, or start a new one.";
    page_not_found = "Page not found";

    // look.rs
    match_system = "Match system";
    light = "Light";
    dark = "Dark";
    small_text = "Small text";
    normal_text = "Normal text";
    large_text = "Large text";
    wrap_lines = "Wrap long lines";
    scroll_lines = "Scroll long lines";

    // notify.rs
    notify = "Notify me when approval is needed";
    notify_needs_https = "Notifications need HTTPS.";
    notify_refused = "Your browser blocks notifications from this page. Allow them in its site settings.";

    // palette.rs
    go_to = "Go to";
    go_to_placeholder = "Type the name of a page or conversation";
    found = "Results";
    nothing_found = "Nothing found";

    // shortcuts.rs
    open_palette = "Go to a page or conversation";
    keyboard_shortcuts = "Keyboard shortcuts";
    send = "Send message";
    send_on_computer = "Send message (on a computer)";
    new_line = "New line";
    go_to_message = "Go to the message field";
    go_to_approve = "Focus the Approve button; Enter then approves";
    go_to_reason = "Go to the reason for a rejection";
    go_to_pending = "Go to the next pending approval";
    move_in_inbox = "Next and previous approval in the inbox";
    go_to_newest = "Go to the newest entry";
    show_shortcuts = "Show this list";
}
