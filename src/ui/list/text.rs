//! The texts of the list of conversations.

crate::text::texts! {
    // row.rs: before the title, for who does not see the dot.
    unread = "Unread:";

    // page.rs
    search_label = "Search conversations";
    search_placeholder = "Search titles, repositories and tags";
    search_everything = "Search messages and output";
    loading = "Loading conversations…";
    none_yet = "No conversations yet";
    none_yet_text = "Describe a task to start an agent.";
    none_yet_to_read = "They appear here when somebody starts one, or shares one with you.";
    none_found = "No conversations found";
    none_found_text(search) = "No title, repository or tag contains “{search}”.";
    show_all = "Show all conversations";
    outdated(trouble) = "{trouble} Showing saved conversations.";
    left_out(count, backend) = {
        one: "1 conversation of {backend} can't be shown: its ID has unsupported characters or is too long. It is unchanged; open it in OpenHands itself.",
        other: "{count} conversations of {backend} can't be shown: their IDs have unsupported characters or are too long. They are unchanged; open them in OpenHands itself."
    };

    reading_on(count, backend) = {
        one: "1 conversation of {backend} has been read so far. The rest of its list is still being read.",
        other: "{count} conversations of {backend} have been read so far. The rest of its list is still being read."
    };
    in_part = "Not everything that runs is recorded.";
    in_part_of(backends) = "Not everything that runs on {backends} is recorded.";
    record_everything = "Record everything";
    unfollowed(count, backend) = {
        one: "1 conversation of {backend} waits to be recorded: 100 are followed at once.",
        other: "{count} conversations of {backend} wait to be recorded: 100 are followed at once."
    };
    newest = "Show newest";
    more_shown(count) = { one: "1 more conversation is shown", other: "{count} more conversations are shown" };
    none_shown_text = "No conversation matches this filter.";

    // asked.rs
    pinned = "Pinned";
    needs_attention = "Needs you";
    every = "All";
    unknown = "Unknown";
    unanswered = "Approval not answered";
    mine = "Mine";
    sort_activity = "Newest activity first";
    sort_created = "Newest first";
    sort_title = "Title, A to Z";
    sort_repository = "By repository";
    sort_backend = "By backend";
    nowhere = "No repository";

    // groups.rs
    at_least(count) = "{count}+";
    failed(count) = "{count} failed";
    asking_and_failed(asking, failed) = "{asking} to approve, {failed} failed";

    // tools.rs
    narrow = "Filter by place";
    repository = "Repository or folder";
    tag = "Tag";
    backend = "Backend";
    any_backend = "Any";
    apply = "Filter";
    remove_filter(what) = "Remove filter {what}";
    options(filter) = "List options: {filter}";
    given = "Applied filters";
    choose = "Select several";

    // rehearsal.rs
    rehearsal = "Rehearsal";
    nothing_executed = ": scripted agents, nothing is executed";
    connect = "Connect OpenHands";

    // row.rs
    pin = "Pin";
    unpin = "Unpin";
    renamed = "Renamed";
    choose_this(title) = "Select {title}";

    // confirm.rs
    stop = "Stop";
    undo = "Undo";
    archived(count) = { one: "Archived", other: "{count} conversations archived" };
    archive_several(count) = { one: "Archive 1 conversation?", other: "Archive {count} conversations?" };
    archive_several_text = "They leave the list and its counts. The filter “Archived” and the search still find them.";
    bring_several_back(count) = { one: "Bring 1 conversation back?", other: "Bring {count} conversations back?" };
    bring_several_back_text = "They stand in the list again.";
    stop_several(count) = { one: "Stop 1 conversation?", other: "Stop {count} conversations?" };
    stop_several_text = "What their agents do now ends, and their sandboxes stop. Their histories stay.";
    delete_named(title) = "Delete “{title}”?";
    delete_text = "Its history and workspace files will be permanently deleted, here and in OpenHands.";
    delete_several(count) = { one: "Delete 1 conversation?", other: "Delete {count} conversations?" };
    delete_several_text = "Their histories and workspace files will be permanently deleted, here and in OpenHands.";
}
