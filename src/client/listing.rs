//! Commands that print what a server knows.

use super::Output;
use super::http::Server;
use super::terminal::{harmless, json, one_line, say, time};
use crate::v1::{ConversationState, Conversations, Event, Events, Found, Inbox, Usage};

/// Latest events of a conversation that is shown.
const LATEST: i64 = 30;
/// Pages of a list that are printed.
const MOST_PAGES: usize = 20;

/// `ls`.
pub async fn list(server: &Server, words: &str, show: &str, output: &Output) -> Result<(), String> {
    let mut all = Conversations {
        conversations: Vec::new(),
        next: None,
    };
    for _ in 0..MOST_PAGES {
        let cursor = all.next.take().unwrap_or_default();
        let query = [("q", words), ("show", show), ("cursor", &cursor)];
        let page: Conversations = server.get(&["conversations"], &query).await?;
        all.conversations.extend(page.conversations);
        all.next = page.next;
        if all.next.is_none() {
            break;
        }
    }
    if output.json {
        json(&all);
        return Ok(());
    }
    for one in &all.conversations {
        let title = match one.title.as_str() {
            "" => &one.excerpt,
            title => title,
        };
        let status = one_line(&one.status, 22);
        say(&format!(
            "{}  {status:<22}  {}",
            one_line(&one.id, 64),
            one_line(title, 100)
        ));
    }
    if all.next.is_some() {
        say("There are more. Narrow the list, for example: handrail ls WORDS");
    }
    Ok(())
}

/// `inbox`.
pub async fn inbox(server: &Server, output: &Output) -> Result<(), String> {
    let inbox: Inbox = server.get(&["inbox"], &[]).await?;
    if output.json {
        json(&inbox);
        return Ok(());
    }
    if inbox.waiting.is_empty() {
        say("Nothing needs approval.");
    }
    for entry in &inbox.waiting {
        let title = one_line(&entry.conversation.title, 100);
        let mine = if entry.answerable {
            ""
        } else {
            "  (not for you)"
        };
        say(&format!(
            "{}  {title}{mine}",
            one_line(&entry.conversation.id, 64)
        ));
        for action in &entry.actions {
            let what = one_line(&format!("{} {}", action.verb, action.subject), 160);
            say(&format!("    {what}  [{}]", one_line(&action.risk, 10)));
        }
    }
    Ok(())
}

/// `show`.
pub async fn show(server: &Server, id: &str, output: &Output) -> Result<(), String> {
    let state: ConversationState = server.get(&["conversations", id], &[]).await?;
    let after = (state.seq - LATEST).max(0).to_string();
    let query = [("after", after.as_str())];
    let events: Events = server.get(&["conversations", id, "events"], &query).await?;
    if output.json {
        json(&serde_json::json!({ "conversation": state, "events": events.events }));
        return Ok(());
    }
    say(&one_line(&state.title, 200));
    let facts = [
        ("status", state.status.as_str()),
        ("reason", &state.reason),
        ("model", &state.model),
        (
            "repository",
            state.repository.as_deref().unwrap_or_default(),
        ),
        ("branch", state.branch.as_deref().unwrap_or_default()),
        ("backend", &state.backend),
        ("created by", &state.creator),
    ];
    for (name, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
        say(&format!("{name}: {}", one_line(value, 200)));
    }
    say(&format!("cost: ${:.4}\n", state.cost));
    events.events.iter().for_each(event);
    if state.waiting {
        say(&format!(
            "\nAn action needs approval: handrail approve {}",
            one_line(id, 64)
        ));
    }
    Ok(())
}

/// Prints an event, unless it says nothing.
pub fn event(event: &Event) {
    if event.text.trim().is_empty() {
        return;
    }
    let text = harmless(event.text.trim_end()).replace('\n', "\n    ");
    let (kind, source) = (one_line(&event.kind, 20), one_line(&event.source, 20));
    say(&format!(
        "{} {source} {kind}\n    {text}",
        time(event.received_at)
    ));
}

/// `search`.
pub async fn search(server: &Server, words: &str, output: &Output) -> Result<(), String> {
    let found: Found = server.get(&["search"], &[("q", words)]).await?;
    if output.json {
        json(&found);
        return Ok(());
    }
    if found.hits.is_empty() {
        say("Nothing was found.");
    }
    for hit in &found.hits {
        say(&format!(
            "{}#{}  {}  {}\n    {}",
            one_line(&hit.conversation, 64),
            hit.seq,
            time(hit.at),
            one_line(&hit.title, 80),
            one_line(&hit.text, 200)
        ));
    }
    Ok(())
}

/// `usage`.
pub async fn usage(server: &Server, days: u32, output: &Output) -> Result<(), String> {
    let days = days.to_string();
    let usage: Usage = server.get(&["usage"], &[("days", &days)]).await?;
    if output.json {
        json(&usage);
        return Ok(());
    }
    let whose = if usage.everybody { "everybody" } else { "you" };
    say(&format!(
        "{} days, {whose}: ${:.4}",
        usage.days, usage.total.cost
    ));
    for (what, sums) in [("model", &usage.by_model), ("person", &usage.by_person)] {
        for sum in sums {
            let name = match sum.name.as_str() {
                "" => "unknown".to_owned(),
                name => one_line(name, 40),
            };
            say(&format!(
                "  {what} {name}: ${:.4}, {} tokens in, {} out",
                sum.cost, sum.prompt_tokens, sum.completion_tokens
            ));
        }
    }
    Ok(())
}
