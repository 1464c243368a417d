//! `approve` and `reject`: what is answered is printed first, and the answer carries the token of exactly that.

use super::Answer;
use super::http::{Failed, Server};
use super::terminal::{harmless, one_line, say};
use crate::v1::{Approval, Approve, Done, Pending, Reject};
use serde::Serialize;
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

/// An answer counts when its action was shown for a while: it is sent again after this time.
const SOON: Duration = Duration::from_millis(750);
/// How often it is sent.
const TIMES: usize = 4;

/// `approve`.
pub async fn approve(server: &Server, answer: &Answer) -> Result<(), String> {
    let approval = asked(server, answer, "Approve").await?;
    let body = Approve {
        token: approval.token.clone(),
    };
    send(server, &answer.id, "approve", &body).await?;
    say(&format!(
        "Approved. Token: {}",
        one_line(&approval.token, 64)
    ));
    Ok(())
}

/// `reject`.
pub async fn reject(server: &Server, answer: &Answer, reason: &str) -> Result<(), String> {
    let approval = asked(server, answer, "Reject").await?;
    let body = Reject {
        token: approval.token.clone(),
        reason: reason.to_owned(),
    };
    send(server, &answer.id, "reject", &body).await?;
    say(&format!(
        "Rejected. Token: {}",
        one_line(&approval.token, 64)
    ));
    Ok(())
}

/// What waits, after it was printed and the user wants to answer it.
async fn asked(server: &Server, answer: &Answer, what: &str) -> Result<Approval, String> {
    let is_approval = what == "Approve";
    let path = ["conversations", &answer.id, "approval"];
    let pending: Pending = server.get(&path, &[]).await?;
    let approval = pending
        .approval
        .ok_or("nothing needs approval in this conversation.")?;
    print(&approval);
    if approval.shown.is_none() && is_approval {
        return Err(
            "nothing was sent: this cannot be shown here in full. Reject it, or look at its page."
                .to_owned(),
        );
    }
    match &answer.token {
        Some(token) if *token == approval.token => {}
        Some(_) => {
            return Err(format!(
                "nothing was sent: something else waits now, with the token {}",
                one_line(&approval.token, 64)
            ));
        }
        None if !std::io::stdin().is_terminal() => {
            return Err(format!(
                "nothing was sent: without a terminal, say what you answer with --token {}",
                one_line(&approval.token, 64)
            ));
        }
        None => {
            eprint!("{what} this? [y/N] ");
            let _ = std::io::stderr().flush();
            let mut line = String::new();
            let _ = std::io::stdin().read_line(&mut line);
            if !matches!(line.trim(), "y" | "Y" | "yes") {
                return Err("nothing was sent.".to_owned());
            }
        }
    }
    Ok(approval)
}

fn print(approval: &Approval) {
    match &approval.shown {
        Some(shown) => say(&harmless(shown)),
        None => say("This is too large to be shown here, or could not be stored."),
    }
    for action in &approval.actions {
        let line = format!("{} {}", action.verb, action.subject);
        say(&format!(
            "\n{}  [risk: {}]",
            one_line(&line, 200),
            one_line(&action.risk, 10)
        ));
    }
    if let Some(caution) = &approval.caution {
        say(&format!("\nNote: {}", harmless(caution)));
    }
    say(&format!("\nToken: {}", one_line(&approval.token, 64)));
}

async fn send(
    server: &Server,
    id: &str,
    word: &str,
    body: &impl Serialize,
) -> Result<Done, Failed> {
    let path = ["conversations", id, word];
    let mut tried = 1;
    loop {
        match server.post(&path, body).await {
            Err(failed) if failed.code == "too_soon" && tried < TIMES => {
                tried += 1;
                tokio::time::sleep(SOON).await;
            }
            outcome => return outcome,
        }
    }
}
