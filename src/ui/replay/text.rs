//! The texts of the replay.

crate::text::texts! {
    // page.rs
    title(title) = "Replay: {title}";
    loading = "Loading replay…";
    live = "Back to live";
    live_hint = "Back to the live conversation";
    not_loaded = "Couldn't load the replay";
    empty = "This conversation has no events yet.";
    nothing_yet = "The timeline was empty at this time.";
    earlier = "Earlier";
    timeline_then = "Timeline at this place";
    actions_waiting(count) = { one: "1 action was waiting for approval", other: "{count} actions were waiting for approval" };

    // controls.rs
    controls = "Replay controls";
    place = "Place in the conversation";
    event_of(at, newest) = "Event {at} of {newest}";
    go = "Go";
    play = "Play";
    pause = "Pause";
    previous_mark = "Previous mark";
    next_mark = "Next mark";
    previous_event = "Previous event";
    next_event = "Next event";
    speed = "Speed";
    times(speed) = "{speed}×";

    // track.rs
    message = "message";
    approval = "approval requested";
    error = "error";
    edit = "file changed";
    condensation = "context condensed";
    messages(count) = { one: "1 message", other: "{count} messages" };
    approvals(count) = { one: "1 approval", other: "{count} approvals" };
    errors(count) = { one: "1 error", other: "{count} errors" };
    edits(count) = { one: "1 edit", other: "{count} edits" };
    condensations(count) = { one: "1 condensation", other: "{count} condensations" };

    // panels.rs
    cost = "Cost";
    no_commands = "The agent had run no commands by then.";
    no_files = "No files had been changed by then";
    no_files_hint = "Changes that the agent makes with its editing tools appear here; changes by commands do not.";
    no_pages = "The agent had opened no pages by then.";
    no_tasks = "The agent had no task list at this time.";
    edits_so_far(count) = { one: "1 edit", other: "{count} edits" };
    newest_only = "Only the newest ones are shown. Go to an earlier place to see others.";
    status = "Status";
    model = "Model";
}
