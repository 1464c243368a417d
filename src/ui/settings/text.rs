//! The texts of the settings.

crate::text::texts! {
    // Several sections
    address = "Address";
    none = "None";
    remove = "Remove";
    removed = "Removed";

    // page.rs
    backends_hint = "The OpenHands servers that run your agents.";
    manage_backends = "Manage backends";
    choose_backend = "Backend";
    loading = "Loading settings…";
    sections = "Sections";
    unread_hint = "The settings are unchanged. If Retry does not help, check the address and the key of this backend.";
    check_backend = "Check address and key";
    retry = "Retry";

    // connection.rs
    loading_backends = "Loading backends…";
    backend_saved = "Saved. Handrail now uses this backend.";
    backend_removed = "Removed. Its saved history is kept.";
    backends_fixed = "These backends were set when Handrail was started and can't be changed here.";
    is_rehearsal = "Scripted agents inside Handrail. Nothing is executed, and it costs nothing.";
    is_agent_server = "OpenHands agent-server 1.x";
    is_app_server = "OpenHands app server";
    app_server_is_open = "This app server has no key: whoever reaches its port, and any page open in a browser on its machine, can run commands in every sandbox. Set SESSION_API_KEY for it, and let it listen on 127.0.0.1 only.";
    is_openhands = "OpenHands 0.x";
    is_unknown = "Version not detected yet";
    in_use = "In use";
    records_everything = "Everything that runs here is recorded, searched and told about, up to 100 conversations at once.";
    records_opened = "What is opened in Handrail is recorded, and some of what runs besides. The rest may be missing from search and notifications, and is lost with its sandbox.";
    record_everything = "Record everything";
    record_opened = "Stop recording everything";
    address_and_key = "Address and key";
    address_hint = "For example http://127.0.0.1:8000. Include the base path, if there is one.";
    address_example = "http://127.0.0.1:8000";
    session_key = "Session API key";
    add_backend = "Add a backend";
    add_backend_hint = "OpenHands 0.x, OpenHands app server or agent-server 1.x. The version is detected automatically.";
    save_and_use = "Save and use";
    rehearsal = "Rehearsal";
    rehearsal_hint = "A demo inside Handrail: try everything with scripted agents. Nothing is executed, and it costs nothing.";
    use_rehearsal = "Use the rehearsal";

    // authority.rs
    approvers = "Approvers";
    approvers_hint = "Who may approve the actions that are rated high risk. Everybody who may answer can reject them. It applies to all conversations, and at once.";
    rated_high = "Actions rated high risk";
    save = "Save";
    may_approve = "May be approved by";
    may_approve_hint = "By the role in the conversation.";
    from_approvers = "Approvers, operators and owners";
    from_operators = "Operators and owners";
    from_owners = "Owners only";
    second_person = "A second person has to approve";
    second_person_hint = "Nothing is sent before. Both must be logged in with accounts of their own; rules and access tokens never count.";
    unrated_too = "Treat actions without a rating the same way";

    // deputies.rs
    no_answer = "When nobody answers";
    no_answer_hint = "Deputies are told of what they may approve anyway; nobody gets a right by it. While an approver has the conversation open, they are told later, by at most the same time again and half of the time until the rejection. Nothing is ever approved without a person.";
    no_escalation = "Actions wait until somebody answers. Nobody else is told.";
    in_all = "All repositories";
    in_others = "All other repositories";
    told_after(names, time) = "{names} told after {time}";
    rejected_after(time) = "rejected after {time}";
    keeps_waiting = "keeps waiting";
    deputy_gone = "a removed or disabled account";
    deputy_no_right(name) = "{name} (cannot approve: not told)";
    deputy_not_high(name) = "{name} (cannot approve high risk)";
    deputy_no_passkey(name) = "{name} (no passkey: not told of what needs one)";
    remove_escalation(place) = "Remove: {place}";
    set_escalation = "Set what happens";
    set_escalation_hint = "Replaces what is set for the same repository. Pending actions there start waiting again.";
    escalation_repository = "Repository";
    escalation_repository_hint = "As the list shows it, like acme/parser. Leave it blank for all without a setting of their own.";
    deputies = "Deputies";
    deputies_hint = "Names of up to 20 accounts, separated by commas. Leave it blank to tell nobody.";
    tell_after = "Tell them after (minutes)";
    then = "Then";
    keep_waiting = "Keep waiting";
    reject_it = "Reject the action";
    reject_after = "Reject after (minutes)";
    reject_after_hint = "Counted from when it was asked, and later than deputies are told. The agent gets the reason.";
    // touches.rs
    touches = "Approve with a passkey";
    touches_hint = "An approval of these actions needs a touch of one of the approver's own passkeys, which signs what is shown. The audit log keeps the signature. Rejecting never needs one; rules, access tokens, the API, the command-line client, notifications and browsers without JavaScript cannot approve these actions.";
    touch_everywhere = "Needed in all conversations for";
    touch_needed_for = "Needed for";
    touch_nothing = "Nothing";
    touch_high = "Actions rated high risk";
    touch_unrated = "Actions rated high risk, or without a rating";
    touch_all = "All actions";
    touch_repository = "Add a repository…";
    touch_of_repository = "Repository";
    touch_repository_hint = "As conversations name it, for example acme/shop. What is set for all conversations applies there, too.";
    apply_touches = "Apply";
    add_touches = "Add";
    remove_touches(repository) = "Remove {repository}";
    touches_not_here(why) = "At this address nobody can approve with a passkey. {why}";
    nobody_can_touch = "Nobody who may approve actions rated high risk has a passkey yet: such an action could only be rejected. Passkeys are added on the Account page.";
    one_can_touch = "Two people have to approve actions rated high risk, and only one of those who may has a passkey: such an action could only be rejected.";

    // budgets.rs
    budgets = "Budgets";
    budgets_hint = "Amounts in US dollars, as models report their costs; empty for none. At 80% the inbox says so. At 100% the agent is stopped, and whoever may lift the budget is asked. Costs that a model does not report are unknown and not counted.";
    each_conversation = "Each conversation";
    each_person = "Each person";
    each_repository = "Each repository";
    per_day(title) = "{title}, a day";
    per_month(title) = "{title}, a month";
    lifted_by = "Who may lift a budget for a conversation";
    lifted_by_owners = "Owners";
    lifted_by_creator = "Owners and the creator of the conversation";

    // nodes.rs
    nodes = "Nodes";
    loading_nodes = "Looking for nodes…";
    nodes_hint = "One node serves. The others forward what they are asked to it, and take over when it ends.";
    no_nodes = "One process serves, and there is none that could take over. How to run several is in the operating manual, under Several nodes.";
    no_second_node = "There is no other node that could take over.";
    node_serves = "Serves";
    node_waits = "Stands by";
    node_is_silent = "Not heard of since";
    node_version(version) = "Version {version}, started";
    carried_conversations(count) = { one: "1 conversation connected", other: "{count} conversations connected" };
    carried_readers(count) = { one: "1 page open", other: "{count} pages open" };

    // retention.rs
    retention = "Retention";
    loading_retention = "Looking what the rules would delete…";
    retention_hint = "Conversations for which a rule holds are deleted with their history and workspace files, here and in OpenHands. Pinned ones, those that work, and those with a pending approval or an unsent message are never deleted. The audit log stays.";
    would_delete = "What the rules would delete now";
    deletes_nothing = "Nothing: no conversation is old enough, or each is in use.";
    no_rules = "Nothing: there is no rule.";
    would_delete_count(count, megabytes) = { one: "1 conversation, {megabytes} MB.", other: "{count} conversations, {megabytes} MB." };
    more_later = "There are more, which the next run deletes.";
    oldest_first = "The oldest first:";
    used(megabytes) = "The database has {megabytes} MB in use. What is deleted is used again; the file does not become smaller.";
    delete_now(count) = { one: "Delete 1 conversation now", other: "Delete {count} conversations now" };
    delete_daily = "Delete daily";
    stop_daily = "Stop deleting daily";
    is_daily = "The rules are applied each day.";
    is_not_daily = "The rules are applied only when you say so. A new rule turns daily deletion off.";
    ran(count, megabytes) = { one: "Last run: 1 conversation deleted, {megabytes} MB.", other: "Last run: {count} conversations deleted, {megabytes} MB." };
    run_failed(count) = { one: "1 could not be deleted; it is tried again.", other: "{count} could not be deleted; they are tried again." };
    rules = "Rules";
    rule_unused(days) = { one: "Unused for 1 day", other: "Unused for {days} days" };
    rule_size(megabytes) = "while more than {megabytes} MB are in use";
    rule_repository(repository) = "in {repository}";
    rule_archived = "archived only";
    remove_rule(rule) = "Remove rule: {rule}";
    add_rule = "Add a rule";
    days = "Days without activity";
    only_above = "Only while more than so many MB are in use";
    only_above_hint = "The oldest go first, until no more are. Leave blank for no limit.";
    repository = "Only this repository or folder";
    repository_hint = "As the list shows it, for example acme/parser. Leave blank for all.";
    only_archived = "Only archived conversations";
    deleted = "Done";

    // report.rs
    test = "Test";
    testing = "Testing…";
    connected = "Connected";
    not_connected = "Connection failed";
    address_first = "Enter an address first";

    // key.rs
    key_set = "Saved. Leave blank to keep it.";
    key_not_set = "Not set";

    // model.rs: model
    model = "Model";
    model_hint = "As the provider names it, for example anthropic/claude-sonnet-4-5";
    model_of_acp(name) = "Agents here are programs of ACP ({name}), with a key of their own. Leave blank for the program's own model.";
    api_key = "API key";
    base_url = "Base URL";
    base_url_hint = "Leave blank for the provider's default";
    agent = "Agent";
    backend_default = "Backend default";

    // model.rs: approvals
    approvals = "Approvals";
    require_approval = "Require approval before actions run";
    analyzer = "Risk analyzer";
    analyzer_hint = "With an analyzer, only risky actions need approval. Without one, every action does.";
    no_analyzer = "None (every action needs approval)";

    // limits.rs
    limits = "Limits";
    max_steps = "Max steps";
    max_steps_hint = "Leave blank for the backend's default";
    budget = "Budget (USD)";
    budget_hint = "Per conversation. Leave blank for no limit.";
    summarize = "Summarize older events";
    summarize_after = "Summarize after this many events";
    summarize_after_hint = "At least 20. Leave blank for the backend's default.";

    // model.rs: commits and search
    commits_and_search = "Commits and search";
    commit_name = "Commit author";
    commit_email = "Commit email";
    search_key = "Search API key";

    // model.rs: saving
    save_settings = "Save settings";
    unsaved = "Unsaved changes";
    applies_to = "Applies to conversations started or resumed from now on.";

    // mcp.rs
    mcp_servers = "MCP servers";
    mcp_hint = "Extra tools for agents.";
    transport = "Transport";
    server_sent_events = "Server-sent events";
    local_program = "Program on the backend's machine";
    program = "Program";
    address_or_command = "Address or command line";
    program_name_hint = "Required for a program";
    key = "Key";
    key_hint = "If the server requires one";
    key_saved = "Key saved";
    add_server = "Add server";
    added = "Added";
    address_or_command_first = "Enter an address or a command line first";

    // secrets.rs
    secrets = "Secrets";
    secrets_hint = "Agents get them as environment variables. Saving an existing name overwrites it.";
    value = "Value";
    description = "Description";
    description_hint = "Tells the agent what the secret is for";
    secret_example = "API_TOKEN";
    save_secret = "Save secret";
    remove_secret(name) = "Remove secret {name}";
}
