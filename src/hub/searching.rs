//! Search over the events of all conversations that a person may see.

use super::{BackendRegistry, HubResult, List, Target, invalid};
use crate::clock::now;
use crate::conversation::{Actor, Family};
use crate::journal::{
    Cursor, Hit, Journal, JournalError, MOST_SEARCHED, MOST_WORDS, Neighbour, Search, SearchFilter,
    Words,
};
use crate::live::{BackendView, FoundView, HitView, SearchAsk, SearchChoices, WalkView};
use crate::people::Caller;
use crate::sync::KeyedSemaphore;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

/// Searches of one person at a time.
const SEARCHES: usize = 2;
/// Rows that a search answers; with fewer, longer words are looked for, too.
const FOUND: usize = 50;
/// Conversations that the filter offers.
const OFFERED: u32 = 100;
/// Longest text of a filter, in bytes.
const LONGEST_FILTER: usize = 300;
/// A day, in milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1000;
/// See [`Searches::at_its_time`]: longer than a search may take before it is given up, and may index before that what
/// has arrived.
pub(super) const STEP: Duration = Duration::from_millis(360);
/// The shortest pause between two slices of the index; a longer slice has a longer one, so that at most half of the
/// writing is for the index.
const LEAST_PAUSE: Duration = Duration::from_millis(10);
/// How long events gather before they are indexed together.
const GATHERING: Duration = Duration::from_millis(200);
/// How long after an error the index is filled again.
const AFTER_ERROR: Duration = Duration::from_secs(60);

/// The search over the events of all conversations.
pub struct Searches {
    pub(super) journal: Journal,
    pub(super) backends: Arc<BackendRegistry>,
    pub(super) list: Arc<List>,
    /// Limits concurrent searches per user.
    pub(super) running: KeyedSemaphore<i64, SEARCHES>,
}

impl Searches {
    /// What is found in the conversations that the caller may see.
    ///
    /// Errors: [`super::HubError::Invalid`] for a field that cannot be read, and while too many searches of the caller run;
    /// [`super::HubError::Journal`] with `TooSlow`.
    pub async fn search(&self, by: &Caller, ask: &SearchAsk) -> HubResult<FoundView> {
        if ask.is_empty() {
            return Ok(FoundView::default());
        }
        let search = search_of(ask)?;
        let _permit = self.search_permit(by)?;
        let found = self
            .journal
            .search(search, self.list.sharings.seen_by(by).await?);
        let found = self.at_its_time(by, found).await?;
        // What the caller may see can have changed meanwhile.
        let hits = found.hits.into_iter();
        let hits = hits.filter(|hit| self.list.sharings.sees(by, &hit.conversation));
        Ok(FoundView {
            hits: hits.map(hit_view).collect(),
            next: found.next.map(Cursor::in_address).unwrap_or_default(),
            back_to: found.back_to,
            cut: found.cut,
            indexed: found.indexed,
            behind_from: found.behind_from,
            in_part: self.in_part(&ask.backend),
        })
    }

    /// Labels of the backends that are recorded only in part; all, or the one that is asked for.
    fn in_part(&self, backend: &str) -> Vec<String> {
        let views = self.backends.connected().into_iter().map(|one| one.view());
        let is_meant =
            |view: &BackendView| view.in_part && (backend.is_empty() || view.label == backend);
        let views = views.filter(is_meant);
        views.map(|view| view.label).collect()
    }

    /// The hits of a search around an event, in conversations that the caller may see. Errors: As [`Self::search`].
    pub async fn walk(
        &self,
        by: &Caller,
        ask: &SearchAsk,
        at: (String, i64),
        longer: bool,
    ) -> HubResult<WalkView> {
        let search = search_of(ask)?;
        let _permit = self.search_permit(by)?;
        let walk = self
            .journal
            .walk(search, at, longer, self.list.sharings.seen_by(by).await?);
        let walk = self.at_its_time(by, walk).await?;
        let seen = |one: &Neighbour| self.list.sharings.sees(by, &one.conversation);
        let place = |one: Neighbour| (one.conversation, one.seq, one.row);
        Ok(WalkView {
            newer: walk.newer.filter(seen).map(place),
            older: walk.older.filter(seen).map(place),
            late: walk.late,
            end: walk.end,
        })
    }

    /// What the filters of a search offer to the caller.
    pub async fn search_choices(&self, by: &Caller) -> HubResult<SearchChoices> {
        let lines = self.list.newest_lines(by, OFFERED).await?;
        let lines = lines.into_iter().map(|one| (one.id, one.title));
        let backends = self.backends.targets();
        let backends = backends.iter().map(Target::label);
        Ok(SearchChoices {
            conversations: lines.collect(),
            backends: backends.collect(),
        })
    }

    /// The answer of a search, for a caller who does not see all conversations after a multiple of [`STEP`]: how long the
    /// index takes says how much is in those of others.
    async fn at_its_time<T>(
        &self,
        by: &Caller,
        search: impl Future<Output = Result<T, JournalError>>,
    ) -> HubResult<T> {
        let began = Instant::now();
        let answer = search.await;
        if !self.list.sharings.sees_all(by).await? {
            let steps = began.elapsed().as_micros() / STEP.as_micros() + 1;
            let steps = u32::try_from(steps).unwrap_or(u32::MAX);
            tokio::time::sleep_until(began + STEP * steps).await;
        }
        Ok(answer?)
    }

    fn search_permit(&self, by: &Caller) -> HubResult<OwnedSemaphorePermit> {
        let permit = self.running.try_take(by.person);
        permit.map_or_else(
            || invalid("Your other searches are still running. Wait a moment, then search again."),
            Ok,
        )
    }

    /// Keeps the search index filled, in slices, so that what arrives meanwhile waits for one slice at most.
    pub(super) async fn keep_index_filled(&self) {
        loop {
            let began = Instant::now();
            match self.journal.index_slice().await {
                Ok(true) => tokio::time::sleep(began.elapsed().max(LEAST_PAUSE)).await,
                Ok(false) => {
                    self.journal.appended().await;
                    tokio::time::sleep(GATHERING).await;
                }
                Err(error) => {
                    tracing::warn!(%error, "the search index could not be filled; this is tried again later");
                    tokio::time::sleep(AFTER_ERROR).await;
                }
            }
        }
    }
}

fn hit_view(hit: Hit) -> HitView {
    HitView {
        conversation: hit.conversation,
        title: hit.title,
        archived: hit.archived,
        seq: hit.seq,
        row: hit.row,
        at: hit.at,
        family: hit.family,
        from: hit.from,
        by: hit.by,
        text: hit.text,
        longer: hit.longer,
    }
}

/// The query of what a URL asks.
///
/// # Errors
/// [`super::HubError::Invalid`] with a sentence about the field that cannot be read.
fn search_of(ask: &SearchAsk) -> HubResult<Search> {
    let Some(words) = Words::of(&ask.q) else {
        return invalid(format!(
            "A search can have at most {MOST_WORDS} words and {MOST_SEARCHED} bytes. Use fewer words."
        ));
    };
    let fields = ask.fields();
    if fields.iter().any(|(_, value)| value.len() > LONGEST_FILTER) {
        return invalid("A filter of this search is too long. Use shorter filters.");
    }
    let after = given(&ask.after, "cursor", Cursor::of)?;
    let (from_day, to_day) = (
        given(&ask.from, "first day", day_of)?,
        given(&ask.to, "last day", day_of)?,
    );
    // An open end would look for days that have not come yet; clocks may differ by a day.
    let to_day = to_day.or_else(|| from_day.map(|_| now() / DAY + 1));
    let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    Ok(Search {
        words,
        filter: SearchFilter {
            conversation: text(&ask.conversation),
            backend: text(&ask.backend),
            family: given(&ask.kind, "kind", Family::from_word)?,
            source: given(&ask.source, "source", Actor::from_word)?,
            person: text(&ask.person),
            path: text(&ask.path),
            from_day,
            to_day,
        },
        after,
        limit: FOUND,
    })
}

/// The value of a field, if it is given.
fn given<T>(text: &str, name: &str, read: impl Fn(&str) -> Option<T>) -> HubResult<Option<T>> {
    match text.trim() {
        "" => Ok(None),
        text => match read(text) {
            None => invalid(format!(
                "The {name} of this search is not valid. Search again."
            )),
            value => Ok(value),
        },
    }
}

/// The day of a date such as 2026-11-21, in days since the Unix epoch.
fn day_of(date: &str) -> Option<i64> {
    let date: jiff::civil::Date = date.parse().ok()?;
    let epoch = jiff::civil::date(1970, 1, 1);
    Some(i64::from(date.since(epoch).ok()?.get_days()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_cannot_be_read_is_refused_and_not_left_out() {
        let of = |change: fn(&mut SearchAsk)| {
            let mut ask = SearchAsk {
                q: "flux".to_owned(),
                ..SearchAsk::default()
            };
            change(&mut ask);
            search_of(&ask)
        };
        assert!(of(|_| {}).is_ok());
        let search = of(|ask| ask.from = "2026-11-21".to_owned()).expect("a date");
        assert_eq!(search.filter.from_day, Some(20_778));
        assert!(search.filter.to_day.is_some());
        let changes: [fn(&mut SearchAsk); 6] = [
            |ask| ask.from = "yesterday".to_owned(),
            |ask| ask.kind = "else".to_owned(),
            |ask| ask.source = "else".to_owned(),
            |ask| ask.after = "1".to_owned(),
            |ask| ask.path = "x".repeat(301),
            |ask| ask.q = "a ".repeat(17),
        ];
        for change in changes {
            assert!(of(change).is_err());
        }
    }
}
