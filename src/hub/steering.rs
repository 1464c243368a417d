//! The three controls and what becomes of orders: nobody who clicks waits for the running step.

use super::HubError;
use super::keeper::{Keeper, notice};
use super::managing::A_MOMENT;
use super::room::{Input, Reply, Sent};
use crate::backend::{Command, Delivery, Runtime};
use crate::conversation::Tone;
use crate::live::Steering;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

impl Keeper {
    pub(super) fn steer(&mut self, order: Steering, reply: Reply<()>) {
        let refusal = if matches!(self.runtime, Runtime::Stopped | Runtime::Error) {
            Some(HubError::Stopped)
        } else if self.session.pending.is_some() && order != Steering::Stop {
            Some(HubError::AnswerFirst)
        } else {
            None
        };
        let command = match order {
            Steering::Pause => Command::Pause,
            Steering::Resume => Command::Resume,
            Steering::Stop => Command::Stop,
        };
        let ordered = match refusal {
            Some(refusal) => Err(refusal),
            None => self.order(command).ok_or(HubError::LineDown),
        };
        match ordered {
            Ok(outcome) => self.report_steering(outcome, order, reply),
            // Who asked may be gone by now.
            Err(error) => drop(reply.send(Err(error))),
        }
    }

    /// Reports what becomes of a control. Some wait for the running step, and who clicked is not kept waiting for it.
    fn report_steering(
        &self,
        mut outcome: oneshot::Receiver<Delivery>,
        order: Steering,
        reply: Reply<()>,
    ) {
        let me = self.me.clone();
        self.hub.spawn(async move {
            let (delivery, reply) = match timeout(A_MOMENT, &mut outcome).await {
                Ok(delivery) => (delivery, Some(reply)),
                Err(_) => {
                    // Who asked and the task may be gone by now.
                    let _ = reply.send(Ok(()));
                    let _ = me.send(Input::Slow(order)).await;
                    (outcome.await, None)
                }
            };
            let lost = |_| Delivery::Unknown("the line was lost".to_owned());
            let delivery = delivery.unwrap_or_else(lost);
            let sent = Sent::Steering { order, reply };
            let _ = me.send(Input::Delivered { sent, delivery }).await;
        });
    }

    /// A control waits for the running step.
    pub(super) fn slow(&mut self, order: Steering) {
        let text = match order {
            Steering::Pause => "Pauses when the running step has ended.",
            Steering::Resume => "Goes on in a moment.",
            Steering::Stop => "Stops in a moment.",
        };
        self.hint = Some(notice(Tone::Info, text));
    }

    /// What became of an order.
    pub(super) async fn delivered(&mut self, sent: Sent, delivery: Delivery) {
        self.orders = self.orders.saturating_sub(1);
        match sent {
            Sent::Message { client_id } => self.message_sent(&client_id, delivery).await,
            Sent::Answer { answer, reply } => self.answered(answer, reply, delivery).await,
            Sent::Steering { order, reply } => {
                let outcome = match delivery {
                    Delivery::Confirmed => {
                        self.hint = None;
                        self.resumed_at = (order == Steering::Resume).then(Instant::now);
                        Ok(())
                    }
                    Delivery::NotSent(why) | Delivery::NotYet(why) => Err(HubError::NotSent(why)),
                    Delivery::Unknown(why) => Err(HubError::Indeterminate(why)),
                };
                match reply {
                    // Who asked may be gone by now.
                    Some(reply) => drop(reply.send(outcome)),
                    None => {
                        let failure = outcome.err().map(|error| error.for_people().1);
                        self.hint = failure.map(|why| notice(Tone::Bad, &why));
                    }
                }
            }
        }
    }
}
