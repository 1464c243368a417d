//! The texts by which 0.x tells a model where it works and what its microagents know.
//!
//! The words between the tags are OpenHands' own prompt: a model received exactly these.

use serde_json::{Map, Value};
use std::fmt::Write;

/// A microagent's knowledge that a word of the user has called up.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Knowledge {
    pub(super) name: String,
    pub(super) trigger: String,
    pub(super) content: String,
}

/// What the workspace is like; empty if there is nothing to say.
pub(super) fn workspace(extras: &Map<String, Value>) -> String {
    let text = |name: &str| extras.get(name).and_then(Value::as_str).unwrap_or_default();
    let table = |name: &str| extras.get(name).and_then(Value::as_object);
    let (name, directory, branch) = (
        text("repo_name"),
        text("repo_directory"),
        text("repo_branch"),
    );
    let has_repository = !name.is_empty() || !directory.is_empty();
    let secrets = table("custom_secrets_descriptions").filter(|all| !all.is_empty());
    let (instructions, told) = (text("repo_instructions"), text("conversation_instructions"));
    let is_worth_it = has_repository
        || !text("date").is_empty()
        || secrets.is_some()
        || !instructions.trim().is_empty()
        || !told.is_empty();
    if !is_worth_it {
        return String::new();
    }
    let mut out = String::new();
    if has_repository {
        let _ = write!(
            out,
            "\n<REPOSITORY_INFO>\nAt the user's request, repository {name} has been cloned to {directory} in the current working directory.\n"
        );
        if !branch.is_empty() {
            let _ = write!(
                out,
                "The repository has been checked out to branch \"{branch}\".\n\nIMPORTANT: You should work within the current branch \"{branch}\" unless:\n    1. the user explicitly instructs otherwise\n    2. the current branch is \"main\", \"master\", or another default branch where direct pushes may be unsafe\n"
            );
        }
        out.push_str("\n</REPOSITORY_INFO>\n");
    }
    out.push('\n');
    if !instructions.is_empty() {
        let _ = writeln!(
            out,
            "<REPOSITORY_INSTRUCTIONS>\n{instructions}\n</REPOSITORY_INSTRUCTIONS>"
        );
    }
    out.push_str("\n<RUNTIME_INFORMATION>\n");
    let mut section = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    section(match text("working_dir") {
        "" => String::new(),
        directory => format!("\nThe current working directory is {directory}\n"),
    });
    let hosts = table("runtime_hosts").filter(|all| !all.is_empty());
    section(hosts.map(hosts_in_words).unwrap_or_default());
    section(match text("additional_agent_instructions") {
        "" => String::new(),
        more => format!("\n{more}\n"),
    });
    section(secrets.map(secrets_in_words).unwrap_or_default());
    section(match text("date") {
        "" => String::new(),
        date => format!("\nToday's date is {date} (UTC).\n"),
    });
    out.push_str("</RUNTIME_INFORMATION>\n");
    if !told.is_empty() {
        let _ = writeln!(
            out,
            "<CONVERSATION_INSTRUCTIONS>\n{told}\n</CONVERSATION_INSTRUCTIONS>"
        );
    }
    out.trim().to_owned()
}

fn hosts_in_words(hosts: &Map<String, Value>) -> String {
    let mut out = "\nThe user has access to the following hosts for accessing a web application,\neach of which has a corresponding port:\n".to_owned();
    for (host, port) in hosts {
        let _ = writeln!(out, "* {host} (port {port})");
    }
    out.push_str("\nWhen starting a web server, use the corresponding ports. You should also\nset any options to allow iframes and CORS requests, and allow the server to\nbe accessed from any host (e.g. 0.0.0.0).\nFor example, if you are using vite.config.js, you should set server.host and server.allowedHosts to true\n");
    out
}

fn secrets_in_words(secrets: &Map<String, Value>) -> String {
    let mut out =
        "\n<CUSTOM_SECRETS>\nYou have access to the following environment variables\n".to_owned();
    for (name, about) in secrets {
        let about = about.as_str().unwrap_or_default();
        let _ = write!(out, "\n* **${name}**: {about}\n");
    }
    out.push_str("\n</CUSTOM_SECRETS>\n");
    out
}

/// What microagents know.
pub(super) fn knowledge<'a>(known: impl Iterator<Item = &'a Knowledge>) -> String {
    let mut out = String::new();
    for Knowledge {
        trigger, content, ..
    } in known
    {
        let _ = write!(
            out,
            "\n<EXTRA_INFO>\nThe following information has been included based on a keyword match for \"{trigger}\".\nIt may or may not be relevant to the user's request.\n\n{content}\n</EXTRA_INFO>\n"
        );
    }
    out.trim().to_owned()
}
