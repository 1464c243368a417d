//! Who hears what comes down the line.

use super::{super::live::ListChange, send, with};
use crate::api::{FromBrowser, FromServer};
use std::rc::Rc;

/// Somebody who wants to hear.
#[derive(Clone)]
pub(super) struct Follower {
    number: u32,
    hears: Hears,
}

#[derive(Clone)]
enum Hears {
    Conversation {
        id: String,
        after: Rc<dyn Fn() -> i64>,
        hear: Rc<dyn Fn(FromServer)>,
    },
    List(Rc<dyn Fn(ListChange)>),
}

/// Names a follower, to end it.
pub struct FollowerNumber(u32);

/// Hears what happens in a conversation after `after()`.
pub fn follow(
    id: &str,
    after: impl Fn() -> i64 + 'static,
    hear: impl Fn(FromServer) + 'static,
) -> FollowerNumber {
    let hears = Hears::Conversation {
        id: id.to_owned(),
        after: Rc::new(after),
        hear: Rc::new(hear),
    };
    add(hears)
}

/// Hears what happens to the list.
pub fn follow_list(hear: impl Fn(ListChange) + 'static) -> FollowerNumber {
    add(Hears::List(Rc::new(hear)))
}

/// Says anew up to where a conversation is known.
pub fn follow_again(conversation: &str) {
    for follower in followers() {
        if matches!(&follower.hears, Hears::Conversation { id, .. } if id == conversation) {
            ask(&follower.hears);
        }
    }
}

/// Ends it; the server stops sending what nobody hears.
pub fn unfollow(FollowerNumber(number): FollowerNumber) {
    let gone = with(|line| {
        let at = line
            .followers
            .iter()
            .position(|follower| follower.number == number)?;
        let Hears::Conversation { id, .. } = line.followers.remove(at).hears else {
            return None;
        };
        let others = line.followers.iter().any(
            |follower| matches!(&follower.hears, Hears::Conversation { id: other, .. } if *other == id),
        );
        (!others).then_some(id)
    });
    if let Some(conversation) = gone {
        send(&FromBrowser::Unfollow { conversation });
    }
}

fn add(hears: Hears) -> FollowerNumber {
    let number = with(|line| {
        line.next_follower += 1;
        line.followers.push(Follower {
            number: line.next_follower,
            hears: hears.clone(),
        });
        line.next_follower
    });
    ask(&hears);
    FollowerNumber(number)
}

fn ask(hears: &Hears) {
    send(&match hears {
        Hears::Conversation { id, after, .. } => FromBrowser::Follow {
            conversation: id.clone(),
            after: after(),
        },
        Hears::List(_) => FromBrowser::FollowList,
    });
}

/// The line is up: says to the server what everybody wants to hear. `again`: it was up before.
pub(super) fn ask_all(again: bool) {
    for follower in followers() {
        ask(&follower.hears);
        if let (Hears::List(hear), true) = (&follower.hears, again) {
            hear(ListChange::Again);
        }
    }
}

/// Hands a frame to those who want it.
pub(super) fn tell(frame: &FromServer) {
    for follower in followers() {
        match (&follower.hears, frame) {
            (Hears::List(hear), FromServer::Summary { summary }) => {
                hear(ListChange::Summary(summary.clone()));
            }
            (Hears::List(hear), FromServer::Gone { conversation }) => {
                hear(ListChange::Gone(conversation.clone()));
            }
            (Hears::Conversation { id, hear, .. }, frame) if conversation_of(frame) == Some(id) => {
                hear(frame.clone());
            }
            _ => {}
        }
    }
}

fn conversation_of(frame: &FromServer) -> Option<&String> {
    match frame {
        FromServer::Verdict { conversation, .. }
        | FromServer::Rows { conversation, .. }
        | FromServer::Session { conversation, .. }
        | FromServer::Role { conversation, .. }
        | FromServer::Here { conversation, .. }
        | FromServer::Drafts { conversation, .. }
        | FromServer::Gone { conversation } => Some(conversation),
        FromServer::Summary { .. } | FromServer::Pong | FromServer::GoingAway => None,
    }
}

fn followers() -> Vec<Follower> {
    with(|line| line.followers.clone())
}
