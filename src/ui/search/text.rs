//! The texts of search.

crate::text::texts! {
    // page.rs and within.rs
    title = "Search";
    label = "Search all conversations";
    label_within = "Search this conversation";
    placeholder = "Messages and output…";
    hint = "Whole words come first; the last word may be the beginning of a longer one. Put a phrase in double quotes.";
    hint_title = "Search everything you can see";
    searching = "Searching…";
    everywhere = "Search all conversations";
    place = "Search";
    place_within = "In this conversation";

    // filters.rs
    clear = "Clear filters";
    loading_filters = "Loading filters…";
    conversation = "Conversation";
    backend = "Backend";
    all_backends = "All backends";
    kind = "Kind";
    all_kinds = "All kinds";
    source = "Source";
    all_sources = "All sources";
    person = "Person";
    person_hint = "Who wrote the message or answered the approval";
    path = "File";
    path_hint = "A file name, or a part of a path";
    from = "From (UTC)";
    to = "To (UTC)";
    messages = "Messages";
    commands = "Commands";
    output = "Output";
    files = "Files";
    tools = "Other tools";
    errors = "Errors and rejections";
    other = "Other";
    people = "People";
    agents = "Agents";
    environment = "Environment";
    hooks = "Hooks";

    // results.rs
    count(count) = { one: "1 result", other: "{count} results" };
    first(count) = "{count} results, and more";
    kind_message = "Message";
    kind_command = "Command";
    kind_output = "Output";
    kind_file = "File";
    kind_tool = "Tool";
    kind_error = "Error";
    kind_other = "Other";
    longer = "Longer words";
    nothing_found = "No results";
    nothing_found_hint = "Try fewer or shorter words, or clear the filters.";
    nothing_so_far = "No results so far";
    searched_back = "Searched everything that Handrail received since";
    goes_on = "Continue the search";
    more = "More results";
    cut = "Too many words begin like the last one: only some of them were searched. Type more letters.";
    in_part(backends) = "Not everything that runs on {backends} is recorded, and what is not can't be found.";
    indexing(percent) = "Older activity is still being indexed ({percent}% done) and can't be found yet.";
    indexing_since = "Still being indexed, and not found yet: activity since";

    // hit.rs
    hits = "Search results";
    back = "All results";
    previous = "Previous hit";
    next = "Next hit";
    walk_late = "The search for more hits took too long. Go back to all results to continue.";
    around = "Timeline around a search result";
    loading_hit = "Loading activity…";
}
