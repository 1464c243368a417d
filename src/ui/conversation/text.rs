//! The texts of a conversation's page, except those of its timeline, composer, approvals and panels.

crate::text::texts! {
    // announce.rs
    approval_needed = "Approval needed";
    approval_needed_to(verb, subject) = "Approval needed: {verb} {subject}";
    agent_finished = "The agent has finished";
    agent_waiting = "The agent is waiting for a message";
    agent_failed = "The agent stopped with an error";
    sandbox_failed_short = "The sandbox has failed";
    agent_paused = "The agent is paused";
    agent_stopped = "The agent has stopped";

    // banners.rs
    rate_limited = "The model's provider refuses more requests, and OpenHands has stopped retrying. Send a message to continue.";
    refused(why) = "OpenHands refused the connection: {why}";
    refused_key = "OpenHands refused the connection: the session API key is wrong.";
    refused_unknown = "OpenHands refused the connection: it doesn't know this conversation.";
    refused_settings = "OpenHands refused the connection: no model is set up yet.";
    budget_stopped = "The agent was stopped.";
    budget_question = "Continue for the rest of the period?";
    budget_ask_owner = "An owner may lift it.";
    budget_ask_creator = "The creator of this conversation or an owner may lift it.";
    disconnected(why, attempt) = "Lost connection to OpenHands. {why} Reconnecting now (attempt {attempt}).";
    disconnected_for(why, attempt, seconds) = "Lost connection to OpenHands. {why} Reconnecting in {seconds} s (attempt {attempt}).";
    sandbox_paused = "Sandbox paused. Its last half minute may be missing here until you resume it.";
    resume_sandbox = "Resume sandbox";
    sandbox_stopped = "Sandbox stopped. You can still read the conversation.";
    sandbox_failed = "The sandbox failed.";
    sandbox_gone = "The sandbox no longer exists. You can still read the conversation.";
    imported = "Imported. No agent works in this conversation.";
    connecting = "Connecting to OpenHands…";
    deleted = "This conversation was deleted.";
    retry = "Retry";
    start = "Start";
    start_again = "Start again";
    try_again = "Try again";

    // controls.rs
    pause = "Pause";
    pause_hint = "Pauses after this step";
    pausing = "Pausing after this step…";
    resume = "Resume";
    resume_hint = "Resumes where it left off";
    stop = "Stop";
    stop_hint = "Stops now and kills the running command";
    stop_hint_later = "Stops the agent now; the running command may still finish";

    // dialogs.rs
    rename_title = "Rename conversation";
    delete_hint = "and its workspace files will be permanently deleted, here and in OpenHands.";

    // head.rs
    context(percent) = "context {percent}%";
    rename_item = "Rename…";
    replay = "Replay";
    share = "Share…";
    share_now = "Share";
    export = "Export…";
    download_workspace(format) = "Download the workspace ({format})";
    fork = "Fork conversation";
    edit_last = "Edit last message";
    stop_sandbox = "Stop sandbox";

    // here.rs
    also_here(names) = "Also here: {names}";
    visitors(count) = { one: "1 visitor", other: "{count} visitors" };

    // page.rs
    skip_to_approval = "Skip to the approval";
    note_viewer = "View only: your role can't message agents";
    note_approver = "You can approve and reject, but not send messages";
    note_gone = "The agent cannot continue: its sandbox no longer exists";
    unsent = "Message that was not sent";
    note_imported = "Imported: this conversation can only be read";
    note_visitor = "Shared link: view only";
    loading = "Loading conversation…";
    not_found = "Conversation not found";
    not_loaded = "Couldn't load the conversation";

    // pinned.rs
    tasks(done, all) = "Tasks: {done} of {all} done";
    missing(what) = "Still missing: {what}";
    goal_reached = "Goal reached";
    goal_running(round) = "Goal: {round}";
    goal_capped(round) = "Goal not reached: {round}";
    goal_interrupted(round) = "Goal interrupted: {round}";
    goal_other(status, round) = "Goal {status}: {round}";
    round(number) = "round {number}";
    round_of(number, rounds) = "round {number} of {rounds}";
}
