//! The texts of the timeline.

crate::text::texts! {
    // alive.rs
    runs = "Running a command";
    runs_code = "Running code";
    reads = "Reading a file";
    edits = "Editing a file";
    browses = "Using the browser";
    calls = "Calling a tool";
    delegates = "A sub-agent is at work";
    works = "Working";
    thinks = "Thinking";
    writes = "Writing";

    // block_code.rs
    code = "Code";
    hidden_characters = "Contains hidden or look-alike characters (highlighted below)";

    // block_file.rs, and the file viewer.
    lines_shown(shown, total) = "{shown} of {total} lines";

    // block_diff.rs and block_terminal.rs
    all_lines(count) = "All {count} lines";
    fewer_lines = "Fewer lines";
    output_shown(shown, total) = "Output: {shown} of {total} lines";

    // card_chips.rs
    triggered_by(word) = "triggered by “{word}”";

    // card_message.rs and drafts.rs
    agent = "Agent";
    environment = "Environment";
    hook = "Hook";
    person = "Person";
    you = "You";
    link = "link";
    quote = "Quote";
    reasoning = "Reasoning";
    attached_image(number) = "Attached image {number}";
    attached_files = "Attached files";
    thinking = "thinking…";
    writing = "writing…";

    // card_notice.rs
    check_settings = "Check the model and its API key in Settings, then retry.";
    ask_for_settings = "Ask an owner of Handrail to check the model and its API key.";
    retry = "Retry";

    // card_step.rs, and the panels.
    approved_by(name) = "Approved by {name}";
    approved_by_person = "Approved";
    approved_as_amended(name) = "Approved as amended by {name}";
    approved_as_own_amendment = "Approved as amended";
    with_passkey(approved) = "{approved} with a passkey";
    allowed_by_rule(name) = "Allowed by rule, {name}";
    allowed_by_own_rule = "Allowed by rule";
    rejected_by(name) = "Rejected by {name}";
    reviewed_by(name) = "Reviewed by {name}";
    reviewed = "Reviewed";
    by_you = "you";
    because(record, reason) = "{record}: {reason}";
    waited(time) = "waited {time}";
    open_conversation = "Open conversation";
    running = "running";
    waiting = "Waiting for approval";
    approved = "approved";
    failed = "failed";
    rejected = "Rejected";
    not_executed = "Not executed";
    outcome_unknown = "Outcome unknown";

    // folds.rs
    read_files(count) = { one: "read 1 file", other: "read {count} files" };
    thought_once = "thought once";
    thought_twice = "thought twice";
    thought(count) = "thought {count} times";

    // The menu of a conversation.
    search_label = "Search this conversation";
    beginning = "Go to the beginning";

    // more.rs
    show_all = "Show all";

    // past.rs and view.rs
    timeline = "Timeline";
    timeline_earlier = "Timeline, earlier part";
    loading_earlier = "Loading earlier activity…";
    later = "Later";
    earlier = "You're viewing earlier activity";
    newest = "Newest ↓";
    new_rows(count) = "{count} new ↓";
    unread = "Earlier activity can't be loaded right now.";
    empty = "No activity yet";

    // since.rs
    since_you_left = "Since you left";
    new_since = "New since you left";
    go_to_new = "Go to where you left";
    since_up(count) = "{count} since you left ↑";

    // tasks.rs
    task_todo = "to do";
    task_in_progress = "in progress";
    task_done = "done";
    task_status(status) = " ({status})";
}
