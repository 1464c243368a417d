//! The texts of the page for a new conversation.

crate::text::texts! {
    // page.rs
    loading = "Loading options…";
    import = "Import a conversation from a file";

    // rules.rs
    stops_oldest(limit) = "OpenHands runs {limit} conversations at once by default. Starting another stops the oldest.";
    stops_oldest_now(running, limit) = "{running} conversations are running. OpenHands runs {limit} at once by default: starting another stops the oldest. Its history is kept, but its files may be lost.";
    pauses_oldest(limit) = "OpenHands runs {limit} sandboxes at once by default. Starting another pauses the oldest, which can be resumed.";
    pauses_oldest_now(running, limit) = "{running} conversations are running. OpenHands runs {limit} sandboxes at once by default: starting another pauses the oldest in the middle of its work. It can be resumed.";

    // form.rs
    first_message = "First message";
    first_message_hint = "⌘/Ctrl + Enter to start";
    first_message_placeholder = "What should the agent do?";
    instructions_summary = "Instructions for the agent";
    instructions = "Instructions";
    instructions_hint = "Sent before the first message and kept in context";
    start = "Start";
    started = "Started";
    run_on = "Run on";
    choose_folder = "Choose a folder";
    folder = "Folder";
    folder_example = "/home/me/project";
    folder_hint = "Absolute path on the OpenHands machine. Leave blank to create a new folder.";
    choose_repository = "Repository and branch";
    repository = "Repository";
    repository_example = "owner/name";
    repository_hint = "Leave blank to start in an empty folder";
    branch = "Branch";
    branch_hint = "Leave blank for the default branch";

    // suggestions.rs
    suggestions = "Try a demo";
    more_suggestions = "More demos";
    suggestions_hint = "Each one starts a conversation with a scripted agent. Nothing is executed, and it costs nothing.";
    tour = "Tour: a bit of everything";
    confirm = "Approve a command, an edit and a web page";
    risk = "Approve high-risk actions only";
    model_key = "The model rejects the API key";
    model_busy = "The model is busy";
    quick_steps = "200 quick steps";
    slow_command = "A command that takes 20 seconds";
    images = "Images";
    mcp_tools = "MCP tools";
    delegate = "The agent delegates to another one";
    condensation = "The history is summarized";
    hostile = "Hostile output (injection tests)";

    // budgets.rs
    budget_conversation = "Budget of each conversation";
    budget_repository = "Budget of each repository";
    budget_of(name, words) = "{name}: {words}.";
    budget_own_day(spent, amount) = "You have spent {spent} of {amount} today.";
    budget_own_month(spent, amount) = "You have spent {spent} of {amount} this month.";
    a_day(amount) = "{amount} a day";
    a_month(amount) = "{amount} a month";
    and(day, month) = "{day} and {month}";
}
