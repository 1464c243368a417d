//! The texts that this layer writes into rows: headings, labels and remarks beside what agents have said.

crate::text::texts! {
    // since.rs
    since_count(count) = { one: "1 new step or message", other: "{count} new steps and messages" };
    since_more(count) = "More than {count} new steps and messages";
    since_files(count) = { one: "Edited 1 file:", other: "Edited {count} files:" };
    since_tests = "Tests:";
    since_passed = "passed";
    since_failed(code) = "failed (exit code {code})";
    since_unknown = "result unknown";
    since_failures(count) = { one: "1 failure:", other: "{count} failures:" };
    since_approved = "Approved:";
    since_approved_by(name) = "Approved by {name}:";
    since_rejected = "Rejected:";
    since_rejected_by(name) = "Rejected by {name}:";
    since_answers(count) = { one: "1 earlier approval was answered", other: "{count} earlier approvals were answered" };
    since_cost = "Cost:";
    since_step = "step";

    // Several files
    and_more(number) = "and {number} more";
    because(words, reason) = "{words}: {reason}";
    result = "Result";

    // ansi
    lines_omitted(count, number) = { one: "… 1 line not shown", other: "… {number} lines not shown" };
    characters_omitted(count, number) = { one: "… 1 more character", other: "… {number} more characters" };

    // markdown
    copy = "Copy";
    task_done = "done";
    task_to_do = "to do";
    image_link(description, place) = "image: {description} ({place})";
    image_embedded = "embedded";

    // rows/mod.rs
    attached_image_unreadable = "an image that can't be shown";

    // rows/words.rs: the verb of a step.
    wait = "Wait";
    type_input = "Type";
    run = "Run";
    python = "Python";
    open = "Open";
    browse = "Browse";
    think = "Think";
    finish = "Finish";
    decline = "Decline";
    tasks = "Tasks";
    call = "Call";
    delegate = "Delegate";
    skill = "Skill";
    search = "Search";
    summarize = "Summarize";
    read = "Read";
    create = "Create";
    edit = "Edit";
    insert = "Insert";
    undo = "Undo";
    rewrite = "Rewrite";

    // rows/words.rs: the subject of a step.
    for_more_output = "for more output";
    view_tasks = "view the list";
    tasks_done(done, all) = "{done} of {all} done";
    delegated(agent, task) = "{agent}: {task}";
    searched(pattern, place) = "{pattern} in {place}";
    older_events = "older events";
    from_line(path, first) = "{path}, from line {first}";
    lines_of(path, first, last) = "{path}, lines {first} to {last}";
    after_line(path, line) = "{path}, after line {line}";
    at_start(path) = "{path}, at the beginning";

    // rows/words.rs: the outcome of a step.
    interrupted = "interrupted";
    still_running = "still running";
    exit_code(code) = "exit {code}";
    failed = "failed";
    changed_lines(added, removed) = "+{added} −{removed}";
    lines(count) = { one: "1 line", other: "{count} lines" };

    // rows/call.rs
    further_arguments = "Further arguments";
    input = "Input";
    command = "Command";
    file = "File";
    action = "Action";
    task_texts = "Tasks, unformatted";
    tool = "Tool";
    agent = "Agent";
    task = "Task";
    pattern = "Pattern";
    path = "Path";
    arguments = "Arguments";
    inserted_at_start = "Inserted at the beginning of the file";
    inserted_after(line) = "Inserted after line {line}";
    rewrites_file = "Rewrites the whole file, based on this draft";
    rewrites_from(first) = "Rewrites from line {first} to the end, based on this draft";
    rewrites_lines(first, last) = "Rewrites lines {first} to {last}, based on this draft";
    longer = "Only the beginning is shown.";
    not_shown = "This could not be shown. The export of the conversation as JSON has it.";
    no_newline = "no newline";
    created_without_newline = "The file does not end with a newline";
    only_name_or_mode = "The text is the same before and after: only the name or the mode of the file has changed";
    same_text = "The text is the same before and after";
    ends_in_crlf = "Lines end in CRLF (carriage return and line feed)";
    crlf_to_lf = "Line endings change from CRLF to LF";
    lf_to_crlf = "Line endings change from LF to CRLF";
    ends_mixed = "Some lines end in CRLF, others in LF";
    unreadable_characters = "Some characters could not be read (shown as U+FFFD). The text before and after may differ in them";
    passage = "Text to replace";
    empty_file = "The file becomes empty. It is created if it does not exist";
    empty_insert = "The inserted text is empty";
    empty_draft = "The new text is empty";
    hidden_characters = "Contains hidden or look-alike characters (highlighted below)";
    not_all_shown = "Only a part is shown. Show all of it before you decide.";
    kilobytes_not_shown(count) = {
        one: "1 KB is not shown. Show all of it before you decide.",
        other: "{count} KB are not shown. Show all of it before you decide."
    };

    // rows/result.rs
    screenshot = "Screenshot";
    screenshot_of(address) = "Screenshot of {address}";
    plot = "Plot from this cell";
    image = "Image in the result";
    image_unreadable = "This image can't be shown.";
    already_executed = "already executed";
    executed_before = "Already executed before approval";
    executed_before_failed = "Already executed before approval: failed";
    executed_again = "Executed again after approval";
    executed_again_failed = "Executed again after approval: failed";

    // rows/step.rs
    step_rejected = "Rejected";
    step_unknown = "It is not known whether this was executed";
    step_interrupted = "Interrupted";
    reported_again = "Reported again";
    hook_failed(event) = "Hook {event} failed";
    hook_said(event, output) = "Hook {event}: {output}";
    step_missing = "(step not in this log)";
    instructions = "Instructions";
    tools(count) = { one: "1 tool", other: "{count} tools" };

    // rows/notice.rs
    summarized(count) = { one: "1 older event was summarized", other: "{count} older events were summarized" };
    summarized_some = "Older events were summarized";
    hook = "Hook";
    hook_blocked = "A hook blocked the step";
    hook_ran = "A hook ran";
    run_stopped = "Stopped";
    run_paused = "Paused";
    note = "Note";
    event = "Event";
    unknown_event(kind) = "Unknown event: {kind}";
    reported_code(code) = "OpenHands reported the code {code}";
    reported_code_sentence(code) = "OpenHands reported the code {code}.";
    preparing = "Preparing the sandbox…";
    sentence(words) = "{words}.";
    error = "Error";
    run_failed = "The run failed";
    model_key = "The model rejected the API key";
    model_unavailable = "The model is unavailable";
    model_failed = "The model failed";
    model_credits = "The model account is out of credits";
    model_content = "The model rejected the content";
    model_limit = "Too many requests to the model";
    model_request = "The model rejected the request";
    model_context = "The conversation is too long for the model";
    model_retry = "OpenHands is retrying the model";
    sandbox_disconnected = "The sandbox disconnected";
    sandbox_gone = "The sandbox no longer exists";
    sandbox_not_started = "The sandbox did not start";
    git_login = "The Git provider rejected the login";
    memory_failed = "The agent's memory failed";
    step_limit = "The agent has reached its step limit";
    step_limit_of(steps) = "The agent has reached its limit of {steps} steps";
    cost_limit = "The agent has reached its cost limit";
    cost_limit_of(dollars) = "The agent has reached its cost limit of ${dollars}";
    model_advice = "The provider of the model had a fault. Retry in a minute; if it happens again, choose another model.";
    goes_on_by_message = "Send a message to continue.";
    too_many_conversations = "Stopped: too many conversations are running";
    agent_stopped = "Not executed: the agent was stopped";
}
