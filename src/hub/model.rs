//! What the model received at a step of a conversation, made of the journal's events.

use super::{Exports, HubError, HubResult, check_id, compute, invalid, known, permit};
use crate::conversation::messages::{ModelLog, ModelRequest, Shape};
use crate::journal::digest;
use crate::render::{ModelView, model_view};
use serde::Serialize;
use serde_json::{Value, value::RawValue};

/// Bytes of events that are held for one request. A model reads a fraction of it.
const MOST_HELD: usize = 32 << 20;

/// Which request is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Asked {
    /// For which kind of model.
    pub shape: Shape,
    /// The `seq` of the last event that counts; `None` is the newest.
    pub step: Option<i64>,
}

/// A request, and how far the log was read for it.
struct Made {
    request: ModelRequest,
    /// The `seq` of the newest event that counts.
    newest: i64,
    /// Whether the log is too large to be read to its end.
    cut: bool,
}

/// A request as it is downloaded.
#[derive(Serialize)]
struct Sent<'a> {
    model: &'a str,
    messages: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'a RawValue>,
}

impl Exports {
    /// The request as JSON: model, messages, tools.
    ///
    /// # Errors
    /// [`HubError::NotFound`] if there is no such conversation or step.
    pub async fn model_request_json(&self, id: &str, asked: Asked) -> HubResult<String> {
        let model = known(&self.journal, id).await?.session.model.to_string();
        let _making = permit(&self.making).await;
        let made = self.model_request(id, asked).await?;
        compute(move || json_of(&made.request, asked.shape, &model)).await
    }

    /// The request as a page shows it, with what was added to it since the step `since`.
    ///
    /// # Errors
    /// [`HubError::NotFound`] if there is no such conversation or step.
    pub async fn model_view(
        &self,
        id: &str,
        asked: Asked,
        since: Option<i64>,
    ) -> HubResult<ModelView> {
        let model = known(&self.journal, id).await?.session.model.to_string();
        let _making = permit(&self.making).await;
        let made = self.model_request(id, asked).await?;
        let before = match since {
            Some(since) => {
                let step = Some(since);
                let earlier = self.model_request(id, Asked { step, ..asked }).await?;
                Some(earlier.request)
            }
            None => None,
        };
        compute(move || {
            let json = json_of(&made.request, asked.shape, &model);
            let mut view = model_view(made.request, before, asked.shape, json);
            if view.model.is_empty() {
                view.model = model;
            }
            view.newest = made.newest;
            view.cut = made.cut;
            view
        })
        .await
    }

    /// Errors: [`HubError::Invalid`] for a program of ACP: what it sends to its model, nobody sees.
    async fn model_request(&self, id: &str, asked: Asked) -> HubResult<Made> {
        check_id(id)?;
        if *known(&self.journal, id).await?.session.asks_nobody {
            return invalid(
                "This agent is a program of its own (ACP). OpenHands does not see what it sends to its model, so there \
                 is nothing to show here.",
            );
        }
        // The order of the backend's events, not that of their arrival.
        let last = match asked.step {
            Some(step) => {
                let pos = self.journal.position(id, step).await?;
                (pos.ok_or(HubError::NotFound("event"))?, step)
            }
            None => (i64::MAX, i64::MAX),
        };
        let mut log = ModelLog::new(|text| digest(text.as_bytes(), &[]));
        let (mut after, mut newest, mut cut) = (0, 0, false);
        while !cut {
            let events = self.journal.raw_events(id, after).await?;
            let Some(end) = events.last() else { break };
            after = end.seq;
            let counted = events
                .into_iter()
                .filter(|event| (event.pos, event.seq) <= last);
            let counted: Vec<_> = counted.collect();
            newest = counted.last().map_or(newest, |event| event.seq);
            log = compute(move || {
                for event in counted {
                    log.push(event.seq, event.pos, &event.raw);
                }
                log
            })
            .await?;
            cut = log.weight() > MOST_HELD;
        }
        let request = compute(move || log.request(asked.shape)).await?;
        Ok(Made {
            request,
            newest,
            cut,
        })
    }
}

fn json_of(request: &ModelRequest, shape: Shape, model: &str) -> String {
    let sent = Sent {
        model: request.model.as_deref().unwrap_or(model),
        messages: request.to_json(shape),
        tools: request.tools.as_deref(),
    };
    // Cannot fail: all of it is JSON.
    serde_json::to_string_pretty(&sent).unwrap_or_default()
}
