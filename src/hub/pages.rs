//! The list of conversations: a page of it, from the journal and from what has just changed.

use super::list::sight;
use super::{Catalogue, Connected, HubError, HubResult, NEW_DRAFT, check_id, known, lock};
use crate::journal::{Archived, LineFilter, LineOrder, Place, RoomState, Sight};
use crate::live::{ConversationSummary, ListAsk, ListView, OWN_ORDER, PAGE, Position, Show, Sort};
use crate::people::{AuditAction, Caller, Right};
use std::collections::HashSet;
use std::time::Duration;
use tokio::time::timeout;

/// How long the very first list waits for the backend.
const FIRST: Duration = Duration::from_secs(2);
/// Running conversations of a backend that are counted.
const MOST_RUNNING: u32 = 1_000;

impl Catalogue {
    /// A page of the conversations that are asked for and that the caller may see. Returns the known state at once; the
    /// backends are polled in the background.
    pub async fn page(&self, by: &Caller, ask: impl Into<ListAsk>) -> HubResult<ListView> {
        let mut ask = ask.into();
        if ask.sort == OWN_ORDER {
            let chosen = self.journal.setting(&order_key(by)).await?;
            ask.sort = chosen.unwrap_or_default();
        }
        let list = &self.list;
        list.is_viewed();
        // Until a backend has responded once, nothing may be known about it.
        let _ = timeout(FIRST, self.backends.polled_once()).await;
        self.list.lines_written().await;
        let connected = self.backends.connected();
        let mut view = ListView {
            backends: connected.iter().map(Connected::view).collect(),
            sort: ask.sort.clone(),
            disk: self.scarce_room(by),
            ..ListView::default()
        };
        let labels = view.backends.iter().map(|one| one.label.clone()).collect();
        let running = self.journal.running(labels, MOST_RUNNING).await?;
        for (backend, running) in view.backends.iter_mut().zip(running) {
            backend.running = running;
        }
        let Some((sight, filter)) = filter(by, &ask) else {
            return Ok(view);
        };
        let after = Position::read(&ask.before);
        let mut at_top = Vec::new();
        if after.is_none() {
            let limit = PAGE as u32 + 1;
            let top = self
                .journal
                .lines_at_top(sight.clone(), filter.clone(), (by.person, limit));
            let (needing, mut pinned) = top.await?;
            view.more_need_you = needing.len() > PAGE;
            pinned.truncate(PAGE);
            let needing = needing.into_iter().take(PAGE);
            let needing = self.list.summaries(needing).into_iter();
            // What the caller cannot answer, or has approved already, stands in its place.
            at_top.extend(needing.filter(|one| self.list.calls(by, one)));
            at_top.extend(self.list.summaries(pinned));
        }
        if !ask.open.is_empty() && self.list.sharings.sees(by, &ask.open) {
            let open = self.journal.lines_of(vec![ask.open.clone()]).await?;
            let open = self.list.summaries(open).into_iter();
            at_top.extend(open.filter(|one| ask.takes(one, by.signature())));
        }
        let order = Sort::of(&ask.sort);
        let place = |Position { text, at, id }| Place { text, at, id };
        let page = (after.map(place), PAGE as u32 + 1);
        let lines = self.journal.lines(sight, filter, line_order(order), page);
        let mut page = self.list.summaries(lines.await?);
        if page.len() > PAGE {
            page.truncate(PAGE);
            let last = page.last().map(|last| Position::of(last, order));
            view.older = last.map(|last| last.in_address()).unwrap_or_default();
        }
        // A slow disk keeps what has just changed from the journal, not from the page.
        let late = match ask.before.is_empty() {
            true => lock(&list.recent).late(PAGE),
            false => Vec::new(),
        };
        let is_asked = |one: &ConversationSummary| {
            let is_in_use = view.backends.iter().any(|known| known.label == one.backend);
            (is_in_use || one.is_imported())
                && self.list.sharings.sees(by, &one.id)
                && ask.takes(one, by.signature())
        };
        at_top.extend(late.into_iter().filter(is_asked));
        let mut ids = HashSet::new();
        let all = at_top.into_iter().chain(page);
        let mut all: Vec<_> = all.filter(|one| ids.insert(one.id.clone())).collect();
        // A full disk keeps the changes from the journal, not from the page.
        lock(&list.recent).bring_up_to_date(&mut all);
        let ids: Vec<_> = all.iter().map(|one| one.id.clone()).collect();
        let seen = self.unread.seen_of(by, ids.clone()).await?;
        for one in &mut all {
            one.seen = seen.get(&one.id).copied();
            one.quiet = !self.list.calls(by, one);
        }
        view.pinned = self.journal.pinned(by.person, ids).await?;
        view.conversations = all;
        let draft = self.journal.draft(NEW_DRAFT, by.person).await;
        view.draft = draft.unwrap_or_default();
        Ok(view)
    }

    /// What an owner has to know about the room on the disk, in whole sentences.
    fn scarce_room(&self, by: &Caller) -> String {
        let (room, state) = self.journal.room();
        match state {
            _ if !by.may(Right::Own) => String::new(),
            RoomState::Enough => String::new(),
            RoomState::Low => format!(
                "Handrail's disk is nearly full: {room} are free. Free some space before nothing can be stored any more."
            ),
            RoomState::Reserve => format!(
                "Handrail stores nothing any more: only {room} are free on its disk. Everything can still be read. Free some space; it continues by itself."
            ),
        }
    }

    /// Sorts the caller's list from now on, on all devices.
    pub async fn sort_list(&self, by: &Caller, order: Sort) -> HubResult {
        let key = order_key(by);
        Ok(self.journal.keep_setting(&key, order.word()).await?)
    }

    /// Pins a conversation to the top of the caller's list, or unpins it.
    pub async fn pin(&self, by: &Caller, id: &str, pinned: bool) -> HubResult {
        check_id(id)?;
        Ok(self.journal.pin(id, by.person, pinned).await?)
    }

    /// Archives a conversation, or brings it back. A pending approval is never hidden: a later one brings it back.
    ///
    /// Errors: [`HubError::AnswerFirst`] while an approval is pending.
    pub async fn set_archived(&self, by: &Caller, id: &str, archived: bool) -> HubResult {
        known(&self.journal, id).await?;
        let entry = self.list.line_of(id).await?;
        if archived && entry.is_some_and(|entry| entry.asks()) {
            return Err(HubError::AnswerFirst);
        }
        let action = match archived {
            true => "archive",
            false => "bring back",
        };
        let kept = self.list.keep_archived(id, archived);
        self.audit
            .record(by, AuditAction::new(action).within(id), kept)
            .await
    }
}

/// Whose list it is and what is asked, for the journal; `None` if nothing can match.
fn filter(by: &Caller, ask: &ListAsk) -> Option<(Sight, LineFilter)> {
    let show = Show::of(&ask.show);
    let state = match show {
        Show::All | Show::Mine | Show::Unanswered | Show::Archived => "",
        state => state.word(),
    };
    let archived = match show {
        Show::Archived => Archived::Only,
        _ if ask.is_search() => Archived::Too,
        _ => Archived::No,
    };
    let sight = match (show, sight(by)?) {
        (Show::Mine, _) if by.signature().is_empty() => return None,
        (Show::Mine, _) => Sight::CreatedBy(by.signature().to_owned()),
        (_, sight) => sight,
    };
    let filter = LineFilter {
        words: ask.q.trim().to_lowercase(),
        state: state.to_owned(),
        lapsed: show == Show::Unanswered,
        archived,
        place: ask.repository.clone(),
        tag: ask.tag.clone(),
        backend: ask.backend.clone(),
    };
    Some((sight, filter))
}

/// The setting with the order that a person has chosen.
fn order_key(by: &Caller) -> String {
    format!("order of {}", by.person)
}

fn line_order(sort: Sort) -> LineOrder {
    match sort {
        Sort::Activity => LineOrder::Change,
        Sort::Created => LineOrder::Creation,
        Sort::Title => LineOrder::Title,
        Sort::Repository => LineOrder::Home,
        Sort::Backend => LineOrder::Backend,
    }
}
