//! The texts of the widgets, and those that several folders share.

crate::text::texts! {
    // Several folders.
    actions = "Actions";
    filters = "Filters";
    archive = "Archive";
    archived = "Archived";
    bring_back = "Bring back";
    all_conversations = "All conversations";
    backends = "Backends";
    cancel = "Cancel";
    close = "Close";
    conversations = "Conversations";
    delete = "Delete";
    delete_item = "Delete…";
    delete_this = "Delete this conversation?";
    inbox = "Inbox";
    insight = "Usage";
    usage = "Usage";
    name = "Name";
    new_conversation = "New conversation";
    not_allowed = "Not allowed";
    older = "Older";
    more = "More";
    asks_nobody = "This agent asks nobody: it is a program of its own (ACP), and OpenHands answers each of its permission requests with yes, whatever the approval policy says.";
    sandbox_starting = "Starting the sandbox…";
    sandbox_preparing = "Preparing the repository and the agent…";
    remove_named(name) = "Remove {name}";
    rename = "Rename";
    retry_now = "Retry now";
    search = "Search";
    settings = "Settings";
    start_sandbox = "Start sandbox";
    title = "Title";
    trouble_of(backend, trouble) = "{backend}: {trouble}";
    untitled = "Untitled conversation";

    // arming.rs
    too_early = "That press came too early. Press again.";

    // badges.rs: the risk of an action.
    risk_unknown = "Risk not rated";
    risk_low = "Low risk";
    risk_medium = "Medium risk";
    risk_high = "High risk";

    // badges.rs: the status of an agent.
    starting = "Starting";
    ready = "Ready";
    running = "Running";
    your_turn = "Your turn";
    needs_approval = "Needs approval";
    approved = "Approved";
    rejected = "Rejected";
    paused = "Paused";
    stopped = "Stopped";
    finished = "Finished";
    declined = "Declined";
    failed = "Failed";
    stuck = "Stuck";
    rate_limited = "Rate limited";
    deleting = "Deleting";

    // copy.rs
    copy = "Copy";
    copied = "Copied";
    not_copied = "Couldn't copy. Select the text instead.";

    // field.rs
    saved = "Saved";

    // budget.rs
    budget_conversation_day = "The conversation's budget for today";
    budget_conversation_month = "The conversation's budget for this month";
    budget_person_day = "The creator's budget for today";
    budget_person_month = "The creator's budget for this month";
    budget_repository_day = "The repository's budget for today";
    budget_repository_month = "The repository's budget for this month";
    budget_used_up(name, spent, amount) = "{name} is used up: {spent} of {amount}.";
    budget_nearly(name, spent, amount) = "{name} is nearly used up: {spent} of {amount}.";
    budget_days = "Days and months begin at midnight UTC.";
    budget_unknown = "Some costs are unknown and not counted.";
    budget_lift = "Continue anyway";

    working = "Working…";

    // notes.rs: what an error is about.
    invalid = "Invalid input";
    not_found = "Not found";
    conflict = "Nothing was done";
    backend_away = "OpenHands is unavailable";
    backend_refuses = "OpenHands refused the request";
    indeterminate = "May not have gone through";
    signed_out = "Not logged in";
    no_connection = "No connection to Handrail";
    full = "Nothing can be stored";
    away = "The database is away";
    internal = "Internal error";

    // one_time_secret.rs
    copy_now = "Copy it now. You won't see it again.";

    // time.rs
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";
    utc(time) = "{time} UTC";
    date_and_time(date, clock) = "{date}, {clock}";
    now = "now";
    whole_minutes(minutes) = "{minutes} min";
    whole_hours(hours) = "{hours} h";
    day_before = "yesterday";
    days(days) = "{days} days";
    ago(time) = "{time} ago";
    today = "Today";
    yesterday = "Yesterday";
    millis(millis) = "{millis} ms";
    tenths(seconds, tenths) = "{seconds}.{tenths} s";
    seconds(seconds) = "{seconds} s";
    minutes(minutes, seconds) = "{minutes} min {seconds} s";
    hours(hours, minutes) = "{hours} h {minutes} min";

    // ui/lazy.rs
    loading = "Loading…";
    not_loaded = "Couldn't load this part of the page. Reload the page.";
}
