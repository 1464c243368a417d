//! From the line into the journal and out to everyone who follows, in one go.
//!
//! Invariant: what a follower is handed is stored, and nothing else happens in between.

use super::follower::encode;
use super::keeper::{Keeper, notice};
use super::line::Held;
use super::now;
use crate::backend::{Arrived, Runtime};
use crate::conversation::{Body, Tone};
use crate::journal::{Appended, Entry};
use tokio::time::Instant;

impl Keeper {
    /// Stores what arrived and hands it out.
    pub(super) async fn take_in(&mut self, arrived: Vec<Arrived>) {
        let live = self.line.as_ref().is_some_and(Held::is_live);
        let newest = arrived.iter().filter_map(|one| one.item.pos).max();
        let complete = live && self.is_whole(newest.max(self.session.newest_pos));
        self.writing.settle(arrived.iter().map(|one| &one.item));
        let entries = arrived
            .into_iter()
            .map(|one| Entry {
                item: one.item,
                raw: one.raw,
            })
            .collect();
        let appended = self
            .hub
            .journal()
            .append(&self.described.id, entries, complete, now())
            .await;
        match appended {
            Ok(appended) => self.appended(appended, complete, live).await,
            Err(error) => {
                // Nothing is lost: upstream is asked again from the position that is surely complete.
                tracing::error!(conversation = self.id(), %error, "events could not be stored");
                self.hint = Some(notice(
                    Tone::Bad,
                    "Handrail cannot store what happens here. Is the disk full? It tries again by itself.",
                ));
                self.drop_line();
                self.looking.wait();
            }
        }
    }

    /// Whether everything up to `newest` is here with what is being stored now: nothing is on its way, and the line knows
    /// of no hole below. It is asked first: what it counted as handed on before is in the channel, or here.
    fn is_whole(&self, newest: Option<i64>) -> bool {
        let solid = self.line.as_ref().map_or(-1, Held::solid);
        self.arrivals.is_empty() && newest.is_none_or(|newest| newest <= solid)
    }

    async fn appended(&mut self, appended: Appended, complete: bool, live: bool) {
        let Appended {
            seq,
            new,
            rows,
            session,
            excerpt,
        } = appended;
        self.session = session;
        self.seq = seq;
        if complete {
            self.complete_to = self.session.newest_pos.or(self.complete_to);
        }
        if new.is_empty() {
            return;
        }
        for event in &new {
            tracing::debug!(conversation = self.id(), seq = event.seq, row = event.row, from = ?event.item.from, "event");
            match &event.item.body {
                Body::Title(title) => self.described.title.clone_from(title),
                // An agent that says how it is has a runtime: the backend is asked at once.
                Body::Status { .. } if self.runtime == Runtime::Starting => {
                    self.looking.rest_until = None;
                }
                _ => {}
            }
        }
        if let Some(excerpt) = excerpt {
            self.excerpt = excerpt;
        }
        if live {
            self.described.updated_at = now();
        }
        let stirs = |body: &Body| {
            !matches!(
                body,
                Body::Status { .. } | Body::Steered { .. } | Body::State(_) | Body::Nothing
            )
        };
        if new.iter().any(|event| stirs(&event.item.body)) {
            self.resumed_at = None;
            self.hint = None;
        }
        self.needed_at = Instant::now();
        // Before the rows go out: they say who wrote them.
        self.came_back(&new).await;
        let touched: Vec<i64> = rows.iter().map(|row| row.id).collect();
        self.followers.retain(|follower| !follower.is_left());
        if !self.followers.is_empty() && !rows.is_empty() {
            // A page that we cannot render now is told to start anew.
            match self.hub.render(&self.described.id, rows).await {
                Ok(rows) => {
                    let frame = encode(&self.rows_frame(rows));
                    self.followers.retain(|follower| follower.push(&frame));
                }
                Err(_) => self
                    .followers
                    .drain(..)
                    .for_each(|follower| follower.break_off()),
            }
        }
        self.newest.send_replace(self.seq);
        self.look_for_questions(&touched).await;
    }
}
