//! Sends a user's commands in the protocol of 1.x, each at most once.
//!
//! On this server *any* command to go on is an approval: a message that starts a run, or "run" itself, executes the
//! pending calls (`docs/protocol/v1.md` section 3). A message is therefore only stored, and "run" is a separate request,
//! sent when the server has just reported that nothing is pending and no call is open. The server delays a command while
//! a tool runs, so commands are sent concurrently, limited only by [`super::WAITING`]. Of the requests that can let a pending
//! call run there is one at a time, and its response is awaited even if the connection is lost meanwhile: a "run" that is
//! still on its way would approve the call that another one leads to.
//!
//! Invariant: of this module only [`Command::Approve`] lets a pending call run, and only exactly the open calls.

use super::Server;
use super::dto::content;
use super::events::Events;
use super::halts::{Halts, LaterHalts};
use super::refusal::{Refusal, WAITS, delivery};
use super::unanswered::{asked_about, unanswered};
use crate::backend::http::{Call, TimeoutClass};
use crate::backend::replies::ReplyGuard;
use crate::backend::{Answer, BackendError, Command, Delivery, Order, for_order};
use crate::conversation::PositionOffset;
use crate::request_id::{carried, within};
use crate::wire::v1::{ConversationInfo, ExecutionStatus};
use futures_util::{StreamExt, stream::FuturesUnordered};
use reqwest::Method;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

const STOPPED: &str = "The user stopped the agent.";
const NOT_CARRIED_OUT: &str = "This action was not executed, and no one has approved it. If it is still needed, propose it again.";
/// Longest time from the last event of a run to its end.
const TAIL: Duration = Duration::from_secs(35);
/// Interval of retries in the meantime.
const AGAIN: Duration = Duration::from_millis(300);
/// Delay before a command that came at the wrong moment may be retried; its cause arrives as an event meanwhile.
const BEFORE_AGAIN: Duration = Duration::from_secs(1);

/// Executes commands concurrently while it is polled.
pub(super) async fn serve(
    server: Arc<Server>,
    conversation: String,
    orders: &mut mpsc::Receiver<Order>,
) -> std::convert::Infallible {
    let sender = CommandSender {
        server,
        conversation,
    };
    let mut under_way = FuturesUnordered::new();
    let halts = Halts::default();
    loop {
        tokio::select! {
            Some(order) = orders.recv() => {
                // If the caller has stopped waiting, it was told so and may have retried.
                if !order.done.is_closed() {
                    let asker = ReplyGuard(Some(order.done));
                    let sender = &sender;
                    let later = halts.after(&order.command);
                    under_way.push(async move {
                        let work = for_order(sender.carry_out(order.command, later));
                        asker.tell(within(order.request, work).await);
                    });
                }
            }
            Some(()) = under_way.next() => {}
            else => std::future::pending().await,
        }
    }
}

/// Sends commands to one conversation.
#[derive(Clone)]
pub(super) struct CommandSender {
    pub(super) server: Arc<Server>,
    pub(super) conversation: String,
}

impl CommandSender {
    async fn carry_out(&self, command: Command, later: LaterHalts) -> Delivery {
        let outcome = match command {
            Command::Say {
                text,
                images,
                files,
            } => match self.say(&with_files(text, &files), &images).await {
                Ok(()) => self.set_going(later).await.map_err(Refusal::unread),
                Err(refusal) => Err(refusal),
            },
            Command::Approve { keys } => {
                self.alone(|sender| async move { sender.approve(keys).await })
                    .await
            }
            Command::Reject { reason } => {
                let reason = reason.filter(|reason| !reason.trim().is_empty());
                self.reject(reason.as_deref()).await
            }
            Command::Pause => self.pause().await,
            Command::Resume => self.resume(later).await,
            Command::Stop => self.stop().await,
        };
        match outcome {
            Ok(()) => Delivery::Confirmed,
            Err(Refusal::NotNow) => {
                sleep(BEFORE_AGAIN).await;
                Delivery::NotYet(WAITS.to_owned())
            }
            Err(Refusal::Not(why)) => Delivery::NotSent(why),
            Err(Refusal::Unread(why)) => Delivery::Unknown(why),
            Err(Refusal::Backend(error)) => delivery(error),
        }
    }

    /// Stores a message unless a call is pending. The run that reads it is another request.
    async fn say(&self, text: &str, images: &[String]) -> Result<(), Refusal> {
        if self.is_waiting().await? {
            return Err(Refusal::NotNow);
        }
        let content = content(text, images);
        let message = json!({ "role": "user", "content": content, "run": false });
        self.waiting_for_the_step("events", message).await?;
        Ok(())
    }

    /// Carries out what can let a pending call run: one at a time, and to its end even if the caller is gone.
    async fn alone<W>(&self, work: impl FnOnce(Self) -> W) -> Result<(), Refusal>
    where
        W: Future<Output = Result<(), Refusal>> + Send + 'static,
    {
        let turn = self.server.runs.take(&self.conversation).await;
        let work = work(self.clone());
        let carried_out = tokio::spawn(carried(for_order(async move {
            let _turn = turn;
            work.await
        })));
        carried_out
            .await
            .unwrap_or_else(|error| Err(BackendError::Unexpected(error.to_string()).into()))
    }

    /// Approves these calls if they are exactly the open ones.
    async fn approve(&self, mut keys: Vec<String>) -> Result<(), Refusal> {
        if !self.is_waiting().await? {
            return Err(Refusal::Not("The action is no longer pending.".to_owned()));
        }
        let mut open = asked_about(&self.newest().await?);
        open.sort();
        keys.sort();
        if open != keys {
            let why = "The pending action has changed. Review it again.";
            return Err(Refusal::Not(why.to_owned()));
        }
        self.answer(json!({ "accept": true })).await
    }

    /// Without a reason the server stores a default one, which is not shown as a user's.
    async fn reject(&self, reason: Option<&str>) -> Result<(), Refusal> {
        let mut answer = json!({ "accept": false });
        if let Some(reason) = reason {
            answer["reason"] = reason.into();
        }
        self.answer(answer).await
    }

    async fn answer(&self, answer: Value) -> Result<(), Refusal> {
        let route = ["events", "respond_to_confirmation"];
        self.post(&route, answer, TimeoutClass::Slow).await?;
        Ok(())
    }

    /// Pauses after the current step.
    async fn pause(&self) -> Result<(), Refusal> {
        self.waiting_for_the_step("pause", Value::Null).await?;
        Ok(())
    }

    async fn resume(&self, later: LaterHalts) -> Result<(), Refusal> {
        if self.is_waiting().await? {
            return Err(Refusal::Not(WAITS.to_owned()));
        }
        self.set_going(later).await
    }

    /// Interrupts the agent at once; pending calls are rejected.
    async fn stop(&self) -> Result<(), Refusal> {
        if self.is_waiting().await? {
            return self.reject(Some(STOPPED)).await;
        }
        Ok(self.interrupt().await?)
    }

    /// Interrupts at once. The answer comes late while the server cannot report its events to an app server.
    async fn interrupt(&self) -> Answer<()> {
        let (route, nothing) = (["interrupt"], Value::Null);
        self.post(&route, nothing, TimeoutClass::Slow)
            .await
            .map(drop)
    }

    /// Interrupts a run before its sandbox is paused; what is pending stays pending.
    pub(super) async fn interrupt_run(&self) -> Answer<()> {
        let info = self.server.conversation(&self.conversation).await?;
        match info["execution_status"] == "running" {
            true => self.interrupt().await,
            false => Ok(()),
        }
    }

    /// Starts a run unless one is running, a call is pending, or a person has halted the agent meanwhile. If a run is just
    /// ending, waits for its end.
    async fn set_going(&self, later: LaterHalts) -> Result<(), Refusal> {
        let until = Instant::now() + TAIL;
        loop {
            let later = later.clone();
            match self
                .alone(|sender| async move { sender.run(later).await })
                .await
            {
                Err(Refusal::Backend(BackendError::Refused(_))) if Instant::now() < until => {
                    sleep(AGAIN).await;
                }
                Err(Refusal::Backend(BackendError::RateLimited(_))) => {
                    return Err(Refusal::Not(
                        "OpenHands already runs its maximum of conversations. Resume this one later.".to_owned(),
                    ));
                }
                outcome => return outcome,
            }
        }
    }

    async fn run(&self, later: LaterHalts) -> Result<(), Refusal> {
        // A run reads stored messages before its next step; a pending call needs a user first.
        use ExecutionStatus::{Deleting, Running, WaitingForConfirmation};
        if let Some(Running | WaitingForConfirmation | Deleting) = self.status().await? {
            return Ok(());
        }
        if !later.any() {
            self.reject_what_is_open().await?;
        }
        if !later.any() {
            self.post(&["run"], Value::Null, TimeoutClass::Slow).await?;
        }
        Ok(())
    }

    /// Rejects open calls that are not pending (a fork, a crash, another policy), because a run would execute them.
    async fn reject_what_is_open(&self) -> Result<(), Refusal> {
        if unanswered(&self.newest().await?).is_empty() {
            return Ok(());
        }
        self.reject(Some(NOT_CARRIED_OUT)).await
    }

    async fn is_waiting(&self) -> Result<bool, Refusal> {
        Ok(self.status().await? == Some(ExecutionStatus::WaitingForConfirmation))
    }

    /// The current status of the conversation; never a cached one.
    async fn status(&self) -> Result<Option<ExecutionStatus>, Refusal> {
        let info = self.server.conversation(&self.conversation).await;
        let info = ConversationInfo::read(info.map_err(Refusal::before)?);
        let none = || Refusal::before(BackendError::unexpected("no conversation"));
        Ok(info.ok_or_else(none)?.execution_status)
    }

    /// The newest events, newest first.
    async fn newest(&self) -> Result<Vec<Value>, Refusal> {
        let (rest, offset) = (self.server.rest.clone(), PositionOffset::default());
        let events = Events::of(rest, &self.conversation, offset);
        events.newest().await.map_err(Refusal::before)
    }

    /// Sends a command that the server executes after the current step: with a permit and a long timeout.
    pub(super) async fn waiting_for_the_step(&self, route: &str, body: Value) -> Answer<Value> {
        let _permit = self.server.locks.take(&self.conversation).await;
        self.post(&[route], body, TimeoutClass::Transfer).await
    }

    async fn post(&self, route: &[&str], body: Value, class: TimeoutClass) -> Answer<Value> {
        let mut call = Call::conversation(Method::POST, &self.conversation, route)?;
        if !body.is_null() {
            call = call.json(body);
        }
        self.server.rest.json(call.within(class)).await
    }
}

/// Appends the names of uploaded files to a message's text, because messages have no field for them.
fn with_files(text: String, files: &[String]) -> String {
    if files.is_empty() {
        return text;
    }
    format!("{text}\n\n(In the workspace: {})", files.join(", "))
}
