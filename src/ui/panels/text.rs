//! The texts of the panels; those of the file panel are in `files/text.rs`.

crate::text::texts! {
    // tabs.rs and panel.rs
    panels = "Panels";
    terminal = "Terminal";
    files = "Files";
    changes = "Changes";
    browser = "Browser";
    tasks = "Tasks";
    info = "Info";
    content_of(panel) = "{panel} content";
    refresh = "Refresh";

    // outline.rs
    outline = "Outline";
    no_outline = "No messages yet";
    no_outline_hint = "What people write is listed here.";
    without_text = "Message without text";

    // family.rs
    newest = "Newest";

    // approval_policy.rs
    approval_policy = "Approval policy";
    require_approval = "Require approval for";
    every_action = "Every action";
    low_risk = "Low risk and above";
    medium_risk = "Medium risk and above";
    high_risk = "High-risk actions only";
    no_action = "No actions";
    model_rates = "Let the model rate risk (unrated actions count as high risk)";
    policy_saved = "Applies from the next action";
    save = "Save";
    model = "Model";
    no_profiles = "OpenHands has no model profiles to switch to.";
    named_model(name, model) = "{name} ({model})";
    continue_with = "Continue with";
    model_switched = "Applies from the next step";
    switch = "Switch";
    side_question = "Side question";
    side_question_hint = "The agent answers without interrupting its work. The question is not added to the conversation.";
    question = "Question";
    answer_pending = "Asking…";
    ask = "Ask";

    // browser.rs
    no_pages = "No pages visited yet";
    no_pages_hint = "Pages that the agent opens in its browser appear here.";

    // changes
    changed_files(count) = { one: "1 file", other: "{count} files" };
    in_files(count) = { one: "in 1 of them", other: "in {count} of them" };
    all_changes = "All changes";
    whole_change = "The whole change";
    recorded_changes = "These are the agent's edits on record. What its commands changed is not among them.";
    newest_recorded_changes = "These are the agent's newest edits on record. What its commands changed is not among them.";
    comment = "Comment for the agent";
    comment_anywhere = "Comment on a line";
    of_file(path) = "of {path}";
    comment_hint = "Select a line number to comment on the line.";
    line = "Line";
    text_of_line = "Text that has the line";
    after_change = "after the change";
    before_change = "before the change";
    comment_gone = "This line is not among the changes that are shown here.";
    keep_comment = "Save comment";
    cancel_comment = "Cancel";
    edit_comment = "Edit";
    delete_comment = "Delete";
    resolve_comment = "Resolve";
    reopen_comment = "Reopen";
    comment_draft = "Draft, only you see it";
    comment_leaving = "In the outbox";
    comment_sent = "Sent";
    comment_resolved = "Resolved";
    other_comments = "Other comments";
    old_place(number) = "line {number} before the change";
    new_place(number) = "line {number}";
    send_comments(count) = { one: "Send 1 comment", other: "Send {count} comments" };
    comments_wait(count) = { one: "Your comment can be sent once the pending action is answered.", other: "Your {count} comments can be sent once the pending action is answered." };
    change_cut = "Only the beginning of this change is shown. Download the workspace to see all of it.";
    no_changes = "No changes";
    no_changes_hint = "Changes are tracked only inside a Git repository.";
    empty_commit_hint = "This commit changed no files.";
    added = "added";
    deleted = "deleted";
    renamed = "renamed";
    modified = "modified";
    uncommitted = "Uncommitted changes";
    commit(hash) = "Commit {hash}";

    // info.rs
    no_instructions = "No instructions yet";
    no_instructions_hint = "Shown once the agent has started.";
    instructions = "Instructions and tools";
    microagents = "Microagents";
    status_with_reason(status, reason) = "{status}: {reason}";
    backend = "Backend";
    agent = "Agent";
    status = "Status";
    sandbox = "Sandbox";
    connection = "Connection";
    folder = "Folder";
    repository = "Repository";
    branch = "Branch";
    conversation = "Conversation";
    details = "Details";
    unknown = "Unknown";
    idle = "Not connected";
    connecting = "Connecting";
    connected = "Connected";
    reconnecting(attempt, why) = "Reconnecting, attempt {attempt}: {why}";
    refused(why) = "Refused: {why}";
    microagents_later = "Available while the sandbox is running.";
    no_microagents = "No microagents";
    no_microagents_hint = "Neither the repository nor OpenHands provides any.";

    // model.rs
    model_view = "Model's view";
    model_loading = "Making the request…";
    model_options = "Options";
    calls_as = "Tool calls";
    calls_native = "Function calling";
    calls_plain = "Plain text";
    content_as = "Content";
    content_list = "List of parts";
    content_string = "One string";
    max_chars = "Longest observation, in characters";
    usual_limit = "30000; 0 for no limit";
    at_step = "Up to event";
    newest_step = "Newest";
    since_step = "Compare with event";
    with_vision = "The model sees images";
    show = "Show";
    download_request = "Download JSON";
    copy_request = "Copy JSON";
    messages(count, number) = { one: "1 message", other: "{number} messages" };
    up_to_event(seq) = "up to event {seq}";
    prompt_of(tokens) = "newest prompt: {tokens} tokens";
    tools_of(names) = "Tools: {names}";
    added_since(count, number, gone) = { one: "1 message added since then, {gone} replaced", other: "{number} messages added since then, {gone} replaced" };
    not_all_shown(count, number) = { one: "1 older message is not shown. The download has it.", other: "{number} older messages are not shown. The download has them." };
    log_too_large = "The conversation is too large to read to its end. This is the state at the event above.";
    not_known = "OpenHands doesn't report temperature, token limits, or cache marks, so they are not part of this request.";
    not_known_plain = "OpenHands also describes the tools in its instructions and adds an example conversation. Those texts are not shown.";
    not_known_tools = "The agent-server reports the names of its tools, but not their schemas.";
    refused_request = "OpenHands itself refuses to make this request. What can be shown of it is shown.";
    left_out(seq, why) = "Event {seq} is not in the request: {why}";
    system = "System";
    user = "User";
    assistant = "Assistant";
    tool_result(tool) = "Tool {tool}";
    call_of(tool) = "Calls {tool}";
    new_message = "new";
    size_of(count, number) = { one: "1 character", other: "{number} characters" };
    text_cut(count, number) = { one: "1 more character in the download", other: "{number} more characters in the download" };
    image_sent(what) = "Image: {what}";
    image_not_sent(what) = "Image, not sent to this model: {what}";
    hidden_here = "This text has hidden characters. They are marked.";
    known_here = "What the model knew here";
    compare_here = "Compare with here";
    event_json = "Event as JSON";
    standard_prompt = "The log has no instructions. OpenHands puts its standard prompt here, whose text only OpenHands has.";
    repeated = "OpenHands puts the first message here again.";
    summary_here = "Summary of events that were forgotten.";
    approximate = "The journal doesn't have the model's own words. This call is put together from the action.";
    unmarked = "The model received this screenshot with marks on it, which are not stored.";
    other_text = "OpenHands writes a text here that can't be reproduced exactly.";
    not_read_back = "OpenHands can't read it back.";
    no_message_for_it = "OpenHands has no message for it.";
    no_call_for_it = "The agent's action belongs to no call of the model.";
    two_calls = "Plain text has no form for several calls in one answer. They are shown as with function calling.";
    not_json = "The arguments of this call are not a JSON object. The call is shown as with function calling.";

    // tags.rs
    tags = "Tags";
    one_per_line = "Tags, one per line";
    tags_hint = "A word or key=value, such as urgent or team=infra.";
    save_tags = "Save tags";

    // tasks.rs
    no_tasks = "No tasks";
    no_tasks_hint = "When the agent plans its work in steps, its task list appears here.";

    // terminal.rs
    no_commands = "No commands yet";
    no_commands_hint = "Commands that the agent runs appear here, with their output.";

    // usage.rs, and the header of the conversation.
    usage = "Cost and tokens";
    cost = "Cost";
    cost_of(cost, budget) = "{cost} of {budget}";
    context = "Context";
    tokens(count) = "{count} tokens";
    context_used(used, window, percent) = "{used} of {window} tokens ({percent}%)";
    input_tokens = "Input tokens";
    output_tokens = "Output tokens";
    cache_reads = "Cache reads";
    cache_writes = "Cache writes";
    cost_and_tokens(cost, tokens) = "{cost}, {tokens} tokens";

    // workspace.rs
    command_running = "Waiting for the current command to finish… Without JavaScript, reload the page later.";
    workspace_loading = "Loading workspace…";
    sandbox_coming = "The sandbox is starting";
    sandbox_coming_hint = "Files will be available in a moment.";
    sandbox_gone = "The sandbox no longer exists";
    sandbox_gone_hint = "Its files went with it. What the agent did is in the timeline.";
    sandbox_down = "The sandbox is not running";
    sandbox_down_hint = "Files aren't available until it runs. Start it to bring them back.";
    sandbox_down_viewer_hint = "Files aren't available until it runs. An operator can start it.";
    sandbox_started = "Starting…";
}
