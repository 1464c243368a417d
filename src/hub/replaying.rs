//! Replay: a conversation as it was after one of its events. Only reads the journal, so it works without the backend.

use super::{HubError, HubResult, Reader, check_id, permit, view};
use crate::conversation::Kind;
use crate::journal::{Moment, Page};
use crate::live::{MarkView, Pace, ReplayView, RowsView, TrackView, for_visitors};
use crate::people::Caller;
use crate::render::{CardView, RowView, StepState, notice_in_words, reason_in_words};

/// Rows of a place: what fits on a large screen, twice.
const ROWS: u32 = 60;
/// The longest pause of a replay, in milliseconds.
const IDLE: i64 = 2_000;
/// Parts of the slider: a mark of each kind in each part is as dense as a narrow screen can show.
const PARTS: u32 = 100;

impl Reader {
    /// A conversation as it was after the event `at`, as a user may see it; without `at`, after its first mark. With the
    /// newest rows of `kind`, and the row `whole` in full.
    pub async fn replay(
        &self,
        by: &Caller,
        id: &str,
        at: Option<i64>,
        kind: Option<Kind>,
        whole: Option<i64>,
    ) -> HubResult<ReplayView> {
        check_id(id)?;
        let known = self.journal.conversation(id).await?;
        if known.is_none_or(|known| known.seq == 0) {
            // Nobody has opened it yet: its history is read now.
            self.open(id).await?;
        }
        self.journal.fold_for_replay(id).await?;
        let _drawing = permit(&self.drawing).await;
        let moment = self.journal.moment(id, at, kind, ROWS).await?;
        let moment = moment.ok_or(HubError::NotFound("conversation"))?;
        let Moment {
            page,
            family,
            session,
            meta,
            ..
        } = moment;
        let pending = session.pending.as_ref();
        Ok(ReplayView {
            id: id.to_owned(),
            title: view::title(&session.title, &meta.title),
            at: moment.at,
            newest: moment.newest,
            time: moment.time,
            mark: moment.mark,
            previous: moment.around.0,
            next: moment.around.1,
            ahead: paces(moment.time, &moment.ahead),
            timeline: self.rows_then(by, id, page, whole).await?,
            panel: self.rows_then(by, id, family, whole).await?,
            waiting: pending.map_or(0, |pending| pending.calls.len()),
            reason: reason_in_words(&session.reason).into_owned(),
            notice: session.notice.as_ref().map(notice_in_words),
            status: session.status,
            metrics: session.metrics,
            tasks: session.tasks,
            model: (*session.model).clone(),
        })
    }

    /// The marks of a conversation along the slider.
    pub async fn replay_track(&self, id: &str) -> HubResult<TrackView> {
        check_id(id)?;
        self.journal.fold_for_replay(id).await?;
        let _drawing = permit(&self.drawing).await;
        let track = self.journal.track(id, PARTS).await?;
        let marks = track.marks.into_iter();
        Ok(TrackView {
            newest: track.newest,
            marks: marks
                .map(|(seq, mark, count)| MarkView { seq, mark, count })
                .collect(),
        })
    }

    /// Rows of then as a user may see them.
    async fn rows_then(
        &self,
        by: &Caller,
        id: &str,
        page: Page,
        whole: Option<i64>,
    ) -> HubResult<RowsView> {
        let asked = page.rows.iter().position(|row| Some(row.id) == whole);
        let in_full = match asked {
            Some(at) => self.renderer.whole_row(id, page.rows[at].clone()).await?,
            None => None,
        };
        let mut rows = self.renderer.rows(id, page.rows).await?;
        if let Some((at, in_full)) = asked.zip(in_full) {
            rows[at] = in_full;
        }
        rows.iter_mut().for_each(as_of_then);
        Ok(RowsView {
            rows: match by.visit() {
                Some(_) => for_visitors(rows),
                None => rows,
            },
            older: page.older,
            later: false,
        })
    }
}

/// Removes what was not known then, and what acts.
fn as_of_then(row: &mut RowView) {
    match &mut row.card {
        // Names and waits come from the answer.
        CardView::Step(step) if matches!(step.state, StepState::Waiting | StepState::Running) => {
            row.by = None;
            row.by_rule = false;
            row.amended = false;
            row.touched = false;
            step.waited = None;
        }
        CardView::Notice(notice) => notice.remedy = None,
        _ => {}
    }
}

/// The pauses between events. An event from before another one comes at once.
fn paces(time: i64, ahead: &[(i64, i64)]) -> Vec<Pace> {
    let mut latest = time;
    let pace = |(seq, at): &(i64, i64)| {
        let pause = at.saturating_sub(latest).clamp(0, IDLE);
        latest = latest.max(*at);
        Pace {
            seq: *seq,
            pause: u32::try_from(pause).unwrap_or(0),
        }
    };
    ahead.iter().map(pace).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_cut_and_no_event_goes_back_in_time() {
        let ahead = [(2, 1_500), (3, 90_000), (4, 0), (5, 80_000), (6, 90_010)];
        let pauses: Vec<u32> = paces(1_000, &ahead).iter().map(|pace| pace.pause).collect();
        assert_eq!(pauses, [500, 2_000, 0, 0, 10]);
    }
}
