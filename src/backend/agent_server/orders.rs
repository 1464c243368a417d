//! Orders of a person, said in the protocol of 1.x, each sent at most once.
//!
//! To this server *anything* is a yes: a message that runs, or "run", carries out what waits
//! (`protocol/v1.md` section 3). So a message is only ever stored, and "run" is a question of its own, asked when the
//! server has just said that nothing waits and no call is open. The server keeps an order waiting while a tool runs:
//! all of them are under way side by side, and none waits for another but for its turn ([`super::locks`]).
//!
//! Invariant: nothing that is sent here lets a call run that nobody has approved, but [`Command::Approve`] of exactly
//! the calls that are open.

use super::Server;
use super::events::Events;
use super::refusal::{Refusal, delivery};
use super::unanswered::unanswered;
use crate::backend::held::Asker;
use crate::backend::http::{Body, Call, Missing, Patience};
use crate::backend::{BackendError, Command, Delivery, Order};
use crate::conversation::Shift;
use crate::wire::v1::{ConversationInfo, ExecutionStatus};
use futures_util::{StreamExt, stream::FuturesUnordered};
use reqwest::Method;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep},
};

const WAITS: &str = "An action waits for your answer.";
const STOPPED: &str = "The user stopped the agent.";
const NOT_CARRIED_OUT: &str = "This action was not carried out, and nobody has approved it. If it is still needed, propose it again.";
/// How long a run takes at most to be over after its last event.
const TAIL: Duration = Duration::from_secs(35);
/// How often it is asked meanwhile.
const AGAIN: Duration = Duration::from_millis(300);
/// Rest before an order that came at the wrong moment may be tried again: what happened is on its way to us.
const BEFORE_AGAIN: Duration = Duration::from_secs(1);

/// Carries orders out, side by side, for as long as it is polled.
pub(super) async fn serve(
    server: Arc<Server>,
    conversation: String,
    orders: &mut mpsc::Receiver<Order>,
) -> std::convert::Infallible {
    let orderly = Orderly {
        server,
        conversation,
    };
    let mut under_way = FuturesUnordered::new();
    loop {
        tokio::select! {
            Some(order) = orders.recv() => {
                // Who does not wait any more has been told something, and may have asked again.
                if !order.done.is_closed() {
                    let asker = Asker(Some(order.done));
                    let orderly = &orderly;
                    under_way.push(async move { asker.tell(orderly.carry_out(order.command).await) });
                }
            }
            Some(()) = under_way.next() => {}
            else => std::future::pending().await,
        }
    }
}

/// Whoever sends orders to one conversation.
pub(super) struct Orderly {
    pub(super) server: Arc<Server>,
    pub(super) conversation: String,
}

impl Orderly {
    async fn carry_out(&self, command: Command) -> Delivery {
        let outcome = match command {
            Command::Say {
                text,
                images,
                files,
            } => self.say(&with_files(text, &files), &images).await,
            Command::Approve { keys } => self.approve(keys).await,
            Command::Reject { reason } => {
                let reason = reason.filter(|reason| !reason.trim().is_empty());
                self.reject(reason.as_deref()).await
            }
            Command::Pause => self.pause().await,
            Command::Resume => self.resume().await,
            Command::Stop => self.stop().await,
        };
        match outcome {
            Ok(()) => Delivery::Confirmed,
            Err(Refusal::NotNow) => {
                sleep(BEFORE_AGAIN).await;
                Delivery::NotYet(WAITS.to_owned())
            }
            Err(Refusal::Not(why)) => Delivery::NotSent(why),
            Err(Refusal::Backend(error)) => delivery(error),
        }
    }

    /// Stores a message, and has the agent read it unless something waits for an answer.
    async fn say(&self, text: &str, images: &[String]) -> Result<(), Refusal> {
        if self.is_waiting().await? {
            return Err(Refusal::NotNow);
        }
        let mut content = Vec::new();
        if !text.is_empty() {
            content.push(json!({ "type": "text", "text": text }));
        }
        if !images.is_empty() {
            content.push(json!({ "type": "image", "image_urls": images }));
        }
        let message = json!({ "role": "user", "content": content, "run": false });
        self.waiting_for_the_step("events", message).await?;
        if let Err(error) = self.set_going().await {
            // It is stored: to send it again would say it twice.
            tracing::warn!(
                conversation = self.conversation,
                ?error,
                "the agent was not told to read a message"
            );
        }
        Ok(())
    }

    /// Approves these calls if they are exactly those that are open.
    async fn approve(&self, mut keys: Vec<String>) -> Result<(), Refusal> {
        if !self.is_waiting().await? {
            return Err(Refusal::Not(
                "Nothing waits for an answer any more.".to_owned(),
            ));
        }
        let mut open = unanswered(&self.events().newest().await?);
        open.sort();
        keys.sort();
        if open != keys {
            return Err(Refusal::Not(
                "What waits has changed since you looked. Look again.".to_owned(),
            ));
        }
        self.answer(json!({ "accept": true })).await
    }

    /// Where nobody has said why, the server has words of its own, which are not shown as somebody's.
    async fn reject(&self, reason: Option<&str>) -> Result<(), Refusal> {
        let mut answer = json!({ "accept": false });
        if let Some(reason) = reason {
            answer["reason"] = reason.into();
        }
        self.answer(answer).await
    }

    async fn answer(&self, answer: Value) -> Result<(), Refusal> {
        self.post(
            &["events", "respond_to_confirmation"],
            answer,
            Patience::Slow,
        )
        .await?;
        Ok(())
    }

    /// After this step.
    async fn pause(&self) -> Result<(), Refusal> {
        self.waiting_for_the_step("pause", Value::Null).await?;
        Ok(())
    }

    async fn resume(&self) -> Result<(), Refusal> {
        if self.is_waiting().await? {
            return Err(Refusal::Not(WAITS.to_owned()));
        }
        self.set_going().await
    }

    /// Ends what runs, at once; what waits is rejected.
    async fn stop(&self) -> Result<(), Refusal> {
        if self.is_waiting().await? {
            return self.reject(Some(STOPPED)).await;
        }
        self.post(&["interrupt"], Value::Null, Patience::Quick)
            .await?;
        Ok(())
    }

    /// Has the agent go on if nothing runs and nothing waits. A run that is just ending is waited for.
    async fn set_going(&self) -> Result<(), Refusal> {
        let until = Instant::now() + TAIL;
        loop {
            let info = self.info().await?;
            // A run reads what was stored before its next step; while something waits a person comes first.
            if let Some(
                ExecutionStatus::Running
                | ExecutionStatus::WaitingForConfirmation
                | ExecutionStatus::Deleting,
            ) = info.execution_status
            {
                return Ok(());
            }
            self.reject_what_is_open().await?;
            match self.post(&["run"], Value::Null, Patience::Slow).await {
                Ok(_) => return Ok(()),
                Err(BackendError::Refused(_)) if Instant::now() < until => sleep(AGAIN).await,
                Err(BackendError::RateLimited(_)) => {
                    return Err(Refusal::Not(
                        "The backend works on as many conversations as it may; resume this one later.".to_owned(),
                    ));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// A call may be open although nothing waits: in a fork, after a crash, after a change of policy. Going on would
    /// carry it out.
    async fn reject_what_is_open(&self) -> Result<(), Refusal> {
        if unanswered(&self.events().newest().await?).is_empty() {
            return Ok(());
        }
        self.reject(Some(NOT_CARRIED_OUT)).await
    }

    async fn is_waiting(&self) -> Result<bool, BackendError> {
        Ok(self.info().await?.execution_status == Some(ExecutionStatus::WaitingForConfirmation))
    }

    /// How the conversation is, now: never from what is kept.
    async fn info(&self) -> Result<ConversationInfo, BackendError> {
        let path = ["api", "conversations", &self.conversation];
        let call = Call {
            missing: Missing::Thing("this conversation"),
            ..Call::get(&path)
        };
        let info = ConversationInfo::read(self.server.rest.json(call).await?);
        info.ok_or_else(|| BackendError::Unexpected("no conversation".to_owned()))
    }

    fn events(&self) -> Events {
        Events {
            rest: self.server.rest.clone(),
            conversation: self.conversation.clone(),
            shift: Shift::default(),
            zone: None,
        }
    }

    /// An order that the server carries out when the running step has ended: in its turn, and with patience.
    pub(super) async fn waiting_for_the_step(
        &self,
        route: &str,
        body: Value,
    ) -> Result<Value, BackendError> {
        let _place = self.server.locks.take(&self.conversation).await;
        self.post(&[route], body, Patience::Transfer).await
    }

    async fn post(
        &self,
        route: &[&str],
        body: Value,
        patience: Patience,
    ) -> Result<Value, BackendError> {
        let path = [&["api", "conversations", self.conversation.as_str()], route].concat();
        let call = Call {
            method: Method::POST,
            body: if body.is_null() {
                Body::None
            } else {
                Body::Json(body)
            },
            patience,
            missing: Missing::Thing("this conversation"),
            ..Call::get(&path)
        };
        self.server.rest.json(call).await
    }
}

/// A message has no place for files, which are in the workspace by now: they are named behind its text.
fn with_files(text: String, files: &[String]) -> String {
    if files.is_empty() {
        return text;
    }
    format!("{text}\n\n(In the workspace: {})", files.join(", "))
}
