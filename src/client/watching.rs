//! `watch`: events as they come, without a gap when the connection is lost.

use super::Output;
use super::http::{Failed, Server};
use super::listing::event as print;
use super::terminal::{json_line, one_line, say};
use crate::v1::{ConversationState, Event, StateEvent};
use futures_util::StreamExt as _;
use serde_json::Value;
use std::time::Duration;

/// Latest events that are printed first.
const LATEST: i64 = 10;
/// Longest line of a stream, in bytes.
const LONGEST: usize = 8 << 20;
/// Pauses between attempts to connect, in seconds.
const PAUSES: [u64; 5] = [1, 2, 5, 10, 30];

/// `watch`.
pub async fn watch(
    server: &Server,
    id: &str,
    after: Option<i64>,
    output: &Output,
) -> Result<(), String> {
    let mut after = match after {
        Some(after) => after,
        None => {
            let now: ConversationState = server.get(&["conversations", id], &[]).await?;
            (now.seq - LATEST).max(0)
        }
    };
    let mut failures = 0;
    loop {
        match follow(server, id, &mut after, output).await {
            Ok(()) => failures = 0,
            // The server has refused; it would again.
            Err(failed) if !failed.code.is_empty() && failed.code != "too_many" => {
                return Err(failed.text);
            }
            Err(failed) => {
                eprintln!("handrail: {} Trying again.", failed.text);
                failures += 1;
            }
        }
        let pause = PAUSES[usize::min(failures, PAUSES.len() - 1)];
        tokio::time::sleep(Duration::from_secs(pause)).await;
    }
}

/// Prints what comes until the stream ends.
async fn follow(server: &Server, id: &str, after: &mut i64, output: &Output) -> Result<(), Failed> {
    let response = server
        .stream(&["conversations", id, "events"], *after)
        .await?;
    let mut pieces = response.bytes_stream();
    let (mut buffer, mut name) = (Vec::new(), String::new());
    while let Some(piece) = pieces.next().await {
        // A lost connection: the next one continues.
        let Ok(piece) = piece else { return Ok(()) };
        buffer.extend_from_slice(&piece);
        if buffer.len() > LONGEST {
            return Err(Failed {
                code: "too_large".to_owned(),
                text: "an event is too large.".to_owned(),
            });
        }
        let mut from = 0;
        while let Some(end) = buffer[from..].iter().position(|byte| *byte == b'\n') {
            let line = String::from_utf8_lossy(&buffer[from..from + end]);
            from += end + 1;
            let line = line.trim_end_matches('\r');
            match line
                .split_once(':')
                .map(|(field, value)| (field, value.trim_start()))
            {
                Some(("event", value)) => value.clone_into(&mut name),
                Some(("data", data)) => {
                    if let Some(seq) = shown(&name, data, output) {
                        *after = seq;
                    }
                    name.clear();
                }
                _ => {}
            }
        }
        buffer.drain(..from);
    }
    Ok(())
}

/// Prints what was sent; returns the number of an event.
fn shown(name: &str, data: &str, output: &Output) -> Option<i64> {
    if output.json {
        let value: Value = serde_json::from_str(data).ok()?;
        let seq = value["seq"].as_i64();
        json_line(&serde_json::json!({ "event": name, "data": value }));
        return seq;
    }
    match name {
        "event" => {
            let event: Event = serde_json::from_str(data).ok()?;
            print(&event);
            Some(event.seq)
        }
        "state" => {
            let state: StateEvent = serde_json::from_str(data).ok()?;
            let waiting = if state.waiting {
                ", needs approval"
            } else {
                ""
            };
            say(&format!("-- {}{waiting}", one_line(&state.status, 40)));
            None
        }
        _ => None,
    }
}
