//! The texts of an exported page. Those of its rows repeat the words of the timeline.

crate::text::texts! {
    // mod.rs
    skip = "Skip to the conversation";
    exported(time) = "Exported from Handrail, {time} UTC.";
    masked = "Secrets of known kinds are masked; others may remain.";
    not_masked = "Secrets are not masked.";
    nothing = "No activity";
    end = "End of the conversation";

    // mod.rs: the bar with the replay. The script has the other words.
    replay = "Replay";
    position = "Position in the conversation";
    play = "Play";
    previous = "Previous";
    next = "Next";
    previous_mark = "Previous mark";
    next_mark = "Next mark";
    speed = "Speed";
    keys = "Left and right arrow keys step through the conversation; with Shift they go to the messages, failures and decisions. Space plays and pauses on the slider.";

    // rows.rs
    you = "You";
    agent = "Agent";
    environment = "Environment";
    hook = "Hook";
    reasoning = "Reasoning";
    attached_image(number) = "Attached image {number}";
    attached_files = "Attached files";
    image_left_out = "An image is left out: the file would be too large.";
    cut = "Shortened. The JSON export has all of it.";
    waiting = "Waiting for approval";
    approved = "Approved";
    rejected = "Rejected";
    not_executed = "Not executed";
    outcome_unknown = "Outcome unknown";
    failed = "failed";
    running = "running";
    risk_medium = "Medium risk";
    risk_high = "High risk";
    triggered_by(word) = "triggered by “{word}”";

    // blocks.rs
    code = "Code";
    hidden_characters = "Contains hidden or look-alike characters (highlighted below)";
    output(shown, lines) = "Output: {shown} of {lines} lines";
    all_lines(count) = "All {count} lines";
    fewer_lines = "Fewer lines";
    lines_shown(shown, total) = "{shown} of {total} lines";
    task_todo = "to do";
    task_in_progress = "in progress";
    task_done = "done";
}
