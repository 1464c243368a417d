//! What OpenHands' classes accept: it leaves an event out whose fields do not fit when it reads its log back.

use serde_json::{Map, Value};

/// Actions: name, required fields, further fields.
const ACTIONS: [(&str, &str, &str); 21] = [
    ("null", "", ""),
    (
        "run",
        "command",
        "is_input thought blocking is_static cwd hidden confirmation_state security_risk",
    ),
    (
        "run_ipython",
        "code",
        "thought include_extra confirmation_state security_risk kernel_init_code",
    ),
    ("browse", "url", "thought security_risk return_axtree"),
    (
        "browse_interactive",
        "browser_actions",
        "thought browsergym_send_msg_to_user security_risk return_axtree",
    ),
    (
        "read",
        "path",
        "start end thought security_risk impl_source view_range",
    ),
    ("write", "path content", "start end thought security_risk"),
    (
        "edit",
        "path",
        "command file_text old_str new_str insert_line content start end thought security_risk impl_source",
    ),
    ("think", "", "thought"),
    ("finish", "", "final_thought outputs thought"),
    ("reject", "", "outputs thought"),
    ("delegate", "agent inputs", "thought"),
    ("recall", "recall_type", "query thought"),
    ("change_agent_state", "agent_state", "thought"),
    (
        "message",
        "content",
        "file_urls image_urls images_urls wait_for_response security_risk",
    ),
    ("system", "content", "tools openhands_version agent_class"),
    (
        "condensation",
        "",
        "forgotten_event_ids forgotten_events_start_id forgotten_events_end_id summary summary_offset",
    ),
    ("condensation_request", "", ""),
    ("call_tool_mcp", "name", "arguments thought security_risk"),
    ("task_tracking", "", "command task_list thought"),
    ("loop_recovery", "", "option"),
];

/// Fields that all actions accept: their name, and those of earlier versions.
const OF_ACTIONS: &str = "action timestamp keep_prompt task_completed translated_ipython_code";

/// Observations: name, required fields, further fields. `*` is any.
const OBSERVATIONS: [(&str, &str, &str); 19] = [
    ("null", "", ""),
    ("run", "command", "*"),
    ("run_ipython", "code", "image_urls"),
    (
        "browse",
        "url trigger_by_action",
        "screenshot screenshot_path set_of_marks error goal_image_urls open_pages_urls active_page_index dom_object \
         axtree_object extra_element_properties last_browser_action last_browser_action_error focused_element_bid \
         filter_visible_only",
    ),
    ("read", "path", "impl_source"),
    ("write", "path", ""),
    (
        "edit",
        "",
        "path prev_exist old_content new_content impl_source diff _diff_cache",
    ),
    ("delegate", "outputs", ""),
    ("success", "", ""),
    ("error", "", "error_id"),
    ("agent_state_changed", "agent_state", "reason"),
    ("user_rejected", "", ""),
    ("condense", "", ""),
    ("think", "", ""),
    (
        "recall",
        "recall_type",
        "repo_name repo_directory repo_branch repo_instructions runtime_hosts additional_agent_instructions date \
         custom_secrets_descriptions conversation_instructions working_dir microagent_knowledge",
    ),
    ("mcp", "", "name arguments"),
    ("download", "file_path", ""),
    ("task_tracking", "", "command task_list"),
    ("loop_detection", "", ""),
];

/// Whether OpenHands reads an action with these arguments.
pub(super) fn reads_action(name: &str, args: &Map<String, Value>) -> bool {
    fits(&ACTIONS, name, args, OF_ACTIONS)
}

/// Whether OpenHands reads an observation with these extras. Some have had more fields in earlier versions.
pub(super) fn reads_observation(name: &str, extras: &Map<String, Value>) -> bool {
    fits(
        &OBSERVATIONS,
        name,
        extras,
        "observation formatted_output_and_error",
    )
}

fn fits(
    classes: &[(&str, &str, &str)],
    name: &str,
    fields: &Map<String, Value>,
    of_all: &str,
) -> bool {
    let Some((_, required, further)) = classes.iter().find(|(known, ..)| *known == name) else {
        return false;
    };
    let has = |list: &str, field: &str| list.split_whitespace().any(|known| known == field);
    let accepts = |field: &str| has(required, field) || has(further, field) || has(of_all, field);
    let mut required_ones = required.split_whitespace();
    required_ones.all(|field| fields.contains_key(field))
        && (*further == "*" || fields.keys().all(|field| accepts(field)))
}
