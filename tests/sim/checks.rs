//! The invariants, and the conditions after everything has settled.
//!
//! No event is lost, doubled or out of order; queues keep their limits; nothing is executed without an approval;
//! revoked access ends at once. Nothing stops for good (`ways_on.rs`).
//!
//! Long because it has all invariants, to be read together.

use crate::clock;
use crate::page::{ListPage, Page};
use crate::people::{PEOPLE, Reply, What, caller};
use crate::run::Run;
use crate::world::{Conversation, Kind, State, World, lock};
use rusqlite::OptionalExtension;
use std::collections::BTreeMap;

/// Time limit for settling, in seconds of the run.
const REST: u64 = 240;

/// The journal's state of a conversation.
struct Kept {
    number: i64,
    seq: i64,
    complete_to: Option<i64>,
}

impl World {
    /// The number of a conversation that the journal has.
    pub fn kept_id(&self, id: &str) -> Option<i64> {
        self.kept(id).map(|kept| kept.number)
    }

    fn kept(&self, id: &str) -> Option<Kept> {
        let mut statement = self
            .journal()
            .prepare_cached("SELECT number, seq, complete_to FROM conversation WHERE id = ?1")
            .expect("it is SQL");
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Kept {
                number: row.get(0)?,
                seq: row.get(1)?,
                complete_to: row.get(2)?,
            })
        };
        statement
            .query_row([id], read)
            .optional()
            .expect("a healthy journal")
    }

    fn count(&self, sql: &str, number: i64, to: i64) -> i64 {
        let mut statement = self.journal().prepare_cached(sql).expect("it is SQL");
        statement
            .query_row([number, to], |row| row.get(0))
            .expect("a healthy journal")
    }
}

fn to_be_kept(one: &Conversation, through: i64) -> i64 {
    let through = usize::try_from(through + 1).unwrap_or(0).min(one.log.len());
    let kept = one.log[..through]
        .iter()
        .filter(|event| event.kind != Kind::Null);
    i64::try_from(kept.count()).expect("logs are short")
}

impl Run {
    /// Checks that no event is missing below the complete position, and that sequence numbers are unique and without
    /// gaps.
    pub fn check_journal(&mut self) {
        let mut world = lock(&self.world);
        let conversations = if world.journal_has_changed() {
            self.approved.extend(world.approved());
            self.ruled.extend(world.ruled());
            world.conversations.len()
        } else {
            0
        };
        for at in 0..conversations {
            let one = &world.conversations[at];
            let Some(kept) = world.kept(&one.id) else {
                continue;
            };
            let count = world.count(
                "SELECT count(*) FROM event WHERE conversation = ?1 AND seq > ?2",
                kept.number,
                0,
            );
            let mut wrong = None;
            if count != kept.seq {
                wrong = Some(format!(
                    "events are lost or doubled: {} has {count} events and the newest is {}",
                    one.id, kept.seq
                ));
            }
            if let Some(through) = kept.complete_to {
                let there = "SELECT count(*) FROM event WHERE conversation = ?1 AND key IS NOT NULL AND pos <= ?2";
                let (there, wanted) = (
                    world.count(there, kept.number, through),
                    to_be_kept(one, through),
                );
                if there != wanted {
                    wrong = Some(format!(
                        "events are lost: {} is marked complete through {through}, with {there} of {wanted} events",
                        one.id
                    ));
                }
            }
            world.is_wrong(wrong);
        }
        self.check_messages(&mut world);
        if conversations > 0 {
            self.check_deadlines(&mut world);
        }
    }

    /// Checks that no message was delivered more often than users requested.
    fn check_messages(&self, world: &mut World) {
        let mut wanted: BTreeMap<(usize, &str), u32> = BTreeMap::new();
        let texts: BTreeMap<&str, &str> = self
            .clicks
            .iter()
            .filter_map(|click| match &click.what {
                What::Say { client_id, text } => Some((client_id.as_str(), text.as_str())),
                _ => None,
            })
            .collect();
        for click in &self.clicks {
            match &click.what {
                What::Say { text, .. } => {
                    wanted.entry((click.at, text)).or_insert(1);
                }
                What::Create { text } => {
                    let places = 0..world.conversations.len();
                    wanted.extend(places.map(|at| ((at, text.as_str()), 1)));
                }
                What::Settle {
                    client_id,
                    again: true,
                } if !matches!(click.reply(), Some(Reply::Refused(_))) => {
                    *wanted
                        .entry((click.at, texts[client_id.as_str()]))
                        .or_insert(1) += 1;
                }
                _ => {}
            }
        }
        let mut wrong = None;
        for (at, one) in world.conversations.iter().enumerate() {
            for (text, received) in one
                .received
                .iter()
                .filter(|(text, _)| text.starts_with("Please"))
            {
                let most = wanted.get(&(at, text.as_str())).copied().unwrap_or(0);
                if *received > most {
                    wrong = Some(format!(
                        "a message is doubled: {} received {text:?} {received} times, but {most} were sent",
                        one.id
                    ));
                }
            }
        }
        world.is_wrong(wrong);
    }

    /// Removes all faults. Then every event must arrive everywhere, and the state must stay stable.
    pub async fn comes_to_rest(&mut self) {
        self.world_is_calm();
        lock(&self.world).note(format_args!("all trouble ends"));
        for page in &mut self.pages {
            page.slow_until = 0;
        }
        let count = lock(&self.world).conversations.len();
        for at in 0..count {
            let id = lock(&self.world).conversations[at].id.clone();
            self.pages.push(Page::new(0, at, &id));
        }
        let list = ListPage::open(self.hub(), 1).await;
        self.lists.push(list);
        let until = clock::now() + REST * 1_000_000_000;
        let mut why = String::new();
        while clock::now() < until {
            clock::pass(700).await;
            self.refresh_pages();
            self.return_pages();
            match self.is_at_rest() {
                Ok(()) => {
                    why.clear();
                    break;
                }
                Err(not_yet) => why = not_yet,
            }
        }
        if !why.is_empty() {
            lock(&self.world).is_wrong(format!("after {REST} s without faults {why}"));
        }
        if lock(&self.world).wrong.is_some() {
            return;
        }
        self.check_journal();
        self.check_events();
        self.check_answers();
        self.check_amendments();
        self.check_replies();
        self.check_access().await;
        self.check_pages().await;
        self.check_nothing_waits().await;
        self.check_budgets().await;
        self.check_ways_on().await;
    }

    /// Reconnects pages that have lost their connection.
    pub fn return_pages(&mut self) {
        for place in 0..self.pages.len() {
            let page = &self.pages[place];
            if page.follower.is_none() && page.coming.is_none() && !page.gone {
                self.reopen(place);
            }
        }
    }

    fn is_at_rest(&self) -> Result<(), String> {
        let world = lock(&self.world);
        if let Some(click) = self.clicks.iter().find(|click| !click.over) {
            return Err(format!(
                "{} waits for {:?}",
                PEOPLE[click.person].0, click.what
            ));
        }
        for (at, one) in world.conversations.iter().enumerate() {
            if one.gone || self.deleted.contains(&at) {
                continue;
            }
            let Some(kept) = world.kept(&one.id) else {
                return Err(format!("{} is unknown", one.id));
            };
            let wanted = to_be_kept(one, i64::MAX - 1);
            let there = world.count(
                "SELECT count(*) FROM event WHERE conversation = ?1 AND key IS NOT NULL AND seq > ?2",
                kept.number,
                0,
            );
            if there != wanted {
                return Err(format!("{} has {there} of {wanted} events", one.id));
            }
            // The outcome of a command is missing if the disk failed to store it; the next start reports that.
            let under_way = world.count(
                "SELECT (SELECT count(*) FROM approval WHERE conversation = ?1 AND state = 'sent')
                   + (SELECT count(*) FROM outbox WHERE conversation = ?1 AND state = 'sending') + ?2",
                kept.number,
                0,
            );
            if under_way > 0 && !self.disk_failed {
                return Err(format!(
                    "{} has {under_way} commands without an outcome",
                    one.id
                ));
            }
            if one.unread
                && one.state != State::Paused
                && !self.is_given_up(at)
                && !self.disk_failed
            {
                return Err(format!(
                    "{} has a message that the agent has not read",
                    one.id
                ));
            }
            let waiting = world.count(
                "SELECT count(*) FROM outbox WHERE conversation = ?1
                   AND (state = 'waiting' OR (client_id = 'opening' AND state <> 'done')) AND ?2 = 0",
                kept.number,
                0,
            );
            if waiting > 0 && one.state != State::Asking && !self.disk_failed {
                return Err(format!("{} has {waiting} messages that wait", one.id));
            }
            for page in self.pages.iter().filter(|page| page.at == at) {
                let sees = self
                    .hub()
                    .sharings
                    .role_in(&caller(page.person), &page.id)
                    .is_some();
                if sees
                    && !page.gone
                    && (page.follower.is_none() || page.seq < self.last_shown(&world, kept.number))
                {
                    return Err(format!(
                        "a page of {} is at {} of {}",
                        one.id, page.seq, kept.seq
                    ));
                }
                if let Some(wrong) = self.hides_an_approval(&world, page).filter(|_| sees) {
                    return Err(wrong);
                }
                if let Some(wrong) = self.is_stuck(one, page).filter(|_| sees) {
                    return Err(wrong);
                }
            }
        }
        Ok(())
    }

    /// Whether a user has discarded a message that may have arrived.
    fn is_given_up(&self, at: usize) -> bool {
        self.clicks
            .iter()
            .any(|click| click.at == at && matches!(click.what, What::Settle { again: false, .. }))
    }

    /// The newest change of a row; events without a row do not move a page's cursor.
    fn last_shown(&self, world: &World, number: i64) -> i64 {
        world.count(
            "SELECT ifnull(max(seq), 0) FROM timeline_row WHERE conversation = ?1 AND seq > ?2",
            number,
            0,
        )
    }

    /// Checks that the journal has each event of the model unchanged, and no other.
    fn check_events(&self) {
        let mut world = lock(&self.world);
        let mut wrong = None;
        for (at, one) in world.conversations.iter().enumerate() {
            if one.gone || self.deleted.contains(&at) {
                continue;
            }
            let Some(kept) = world.kept(&one.id) else {
                continue;
            };
            let mut statement = world
                .journal()
                .prepare_cached("SELECT key, pos, raw FROM event WHERE conversation = ?1 AND key IS NOT NULL ORDER BY pos")
                .expect("it is SQL");
            let mut rows = statement.query([kept.number]).expect("a healthy journal");
            let mut wanted = one
                .log
                .iter()
                .enumerate()
                .filter(|(_, event)| event.kind != Kind::Null);
            while let Some(row) = rows.next().expect("a healthy journal") {
                let key: String = row.get_unwrap(0);
                let pos: i64 = row.get_unwrap(1);
                let raw: String = row.get_unwrap(2);
                let same = wanted.next().is_some_and(|(place, event)| {
                    let said = *event.raw == *raw
                        || event.live.as_ref().is_some_and(|live| **live == *raw);
                    event.key == key && i64::try_from(place) == Ok(pos) && said
                });
                if !same {
                    wrong = Some(format!(
                        "an event is lost or out of order: {} has stored {key} at {pos} as {raw}",
                        one.id
                    ));
                    break;
                }
            }
        }
        world.is_wrong(wrong);
    }
}
