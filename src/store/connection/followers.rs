//! Subscriptions to the live connection.

use super::{send, with};
use crate::api::{ConversationSummary, FromBrowser, FromServer};
use std::rc::Rc;

/// Changes of the list.
#[derive(Debug, Clone)]
pub enum ListChange {
    /// A conversation is new or changed.
    Summary(Box<ConversationSummary>),
    /// A conversation was deleted.
    Gone(String),
    /// The connection was down: changes may have been missed, so load the list again.
    Again,
}

/// A subscriber.
#[derive(Clone)]
pub(super) struct Follower {
    number: u32,
    subscription: Subscription,
}

#[derive(Clone)]
enum Subscription {
    Conversation {
        id: String,
        after: Rc<dyn Fn() -> i64>,
        callback: Rc<dyn Fn(FromServer)>,
    },
    List(Rc<dyn Fn(ListChange)>),
}

/// Identifies a follower, to unsubscribe it.
pub struct FollowerNumber(u32);

/// Subscribes to the changes of a conversation after `after()`.
pub fn follow(
    id: &str,
    after: impl Fn() -> i64 + 'static,
    callback: impl Fn(FromServer) + 'static,
) -> FollowerNumber {
    let subscription = Subscription::Conversation {
        id: id.to_owned(),
        after: Rc::new(after),
        callback: Rc::new(callback),
    };
    add(subscription)
}

/// Subscribes to the changes of the list.
pub fn follow_list(callback: impl Fn(ListChange) + 'static) -> FollowerNumber {
    add(Subscription::List(Rc::new(callback)))
}

/// Tells the server the latest known position in a conversation again.
pub fn follow_again(conversation: &str) {
    for follower in followers() {
        if matches!(&follower.subscription, Subscription::Conversation { id, .. } if id == conversation)
        {
            ask(&follower.subscription);
        }
    }
}

/// Unsubscribes; the server stops sending when the last follower of a conversation is gone.
pub fn unfollow(FollowerNumber(number): FollowerNumber) {
    let gone = with(|connection| {
        let at = connection
            .followers
            .iter()
            .position(|follower| follower.number == number)?;
        let Subscription::Conversation { id, .. } = connection.followers.remove(at).subscription
        else {
            return None;
        };
        let others = connection.followers.iter().any(
            |follower| matches!(&follower.subscription, Subscription::Conversation { id: other, .. } if *other == id),
        );
        (!others).then_some(id)
    });
    if let Some(conversation) = gone {
        send(&FromBrowser::Unfollow { conversation });
    }
}

fn add(subscription: Subscription) -> FollowerNumber {
    let number = with(|connection| {
        connection.next_follower += 1;
        connection.followers.push(Follower {
            number: connection.next_follower,
            subscription: subscription.clone(),
        });
        connection.next_follower
    });
    ask(&subscription);
    FollowerNumber(number)
}

fn ask(subscription: &Subscription) {
    send(&match subscription {
        Subscription::Conversation { id, after, .. } => FromBrowser::Follow {
            conversation: id.clone(),
            after: after(),
        },
        Subscription::List(_) => FromBrowser::FollowList,
    });
}

/// Sends all subscriptions to the server when the connection opens. `again`: it was open before.
pub(super) fn ask_all(again: bool) {
    for follower in followers() {
        ask(&follower.subscription);
        if let (Subscription::List(callback), true) = (&follower.subscription, again) {
            callback(ListChange::Again);
        }
    }
}

/// Passes a frame to its followers.
pub(super) fn tell(frame: &FromServer) {
    for follower in followers() {
        match (&follower.subscription, frame) {
            (Subscription::List(callback), FromServer::Summary { summary }) => {
                callback(ListChange::Summary(summary.clone()));
            }
            (Subscription::List(callback), FromServer::Gone { conversation }) => {
                callback(ListChange::Gone(conversation.clone()));
            }
            (Subscription::Conversation { id, callback, .. }, frame)
                if conversation_of(frame) == Some(id) =>
            {
                callback(frame.clone());
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
    with(|connection| connection.followers.clone())
}
