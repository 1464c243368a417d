//! What pages and lists show at the end of a run.

use crate::clock;
use crate::page::{ListPage, Page};
use crate::people::PEOPLE;
use crate::run::Run;
use crate::world::{World, lock};
use handrail::backend::{ConnectionState, Runtime};
use handrail::live::SessionView;
use handrail::render::{CardView, RowView, StepState};
use handrail::store::{Entry, RowKey};
use leptos::prelude::{GetUntracked, untrack};
use rusqlite::OptionalExtension;

/// How long after the report of a start pages must show it, in nanoseconds.
const SETTLED: u64 = 10_000_000_000;

/// Number of newest rows that are compared.
const MOST_ROWS: u32 = 1_000;

/// Whether two pages show the same row. The author of an answer may differ while the action is pending: pages learn it
/// with the outcome.
fn is_same(shown: &RowView, row: &RowView) -> bool {
    let waits = matches!(&row.card, CardView::Step(step) if step.state == StepState::Waiting);
    shown == row
        || (waits
            && RowView {
                by: row.by.clone(),
                by_rule: row.by_rule,
                touched: row.touched,
                ..shown.clone()
            } == *row)
}

/// The places on both sides of each gap between the rows that a page knows.
fn gaps(known: &[Entry]) -> Vec<(RowKey, RowKey)> {
    let ends = known.windows(2).map(|pair| (pair[0].key, pair[1].key));
    ends.filter(|(last, next)| next.pos > last.pos + 1)
        .collect()
}

impl Run {
    /// Checks what pages show now: nothing that was deleted, and no sandbox as stopped that was started.
    pub fn check_shown(&mut self) {
        let mut world = lock(&self.world);
        self.started.retain(|at, started| {
            let conversation = &world.conversations[*at];
            conversation.up && !conversation.gone && conversation.starts == started.start
        });
        let mut wrong = None;
        // A list with a gap, or one whose stream has ended, is read anew before it is shown again.
        for list in self.lists.iter().filter(|list| !list.gap) {
            let back = |at: &&usize| list.shown.contains_key(&world.conversations[**at].id);
            if let Some(at) = self.deleted.iter().find(back) {
                wrong = Some(format!(
                    "{} was deleted but reappears in a list",
                    world.conversations[*at].id
                ));
            }
        }
        // A page that does not read shows what it has read before, and an actor may wait for a slow disk.
        let now = clock::now();
        let reads = |page: &Page| page.follower.is_some() && page.slow_until <= now;
        let told = |page: &Page| self.started.get(&page.at);
        let is_started = |page: &&Page| {
            reads(page) && told(page).is_some_and(|told| told.since + SETTLED <= now)
        };
        // A page that says why the backend cannot be asked shows what was known last.
        let is_stopped = |session: &SessionView| {
            let is_cut_off = matches!(session.connection, ConnectionState::Reconnecting { .. });
            session.runtime == Runtime::Stopped && !is_cut_off
        };
        for page in self.pages.iter().filter(is_started) {
            if page.session.as_ref().is_some_and(is_stopped) {
                wrong = Some(format!(
                    "{} was started, but a page shows it as stopped",
                    page.id
                ));
            }
        }
        world.is_wrong(wrong);
    }

    /// Checks that access matches the last change of sharing, and that deleted conversations are gone.
    pub async fn check_access(&mut self) {
        let mut wrong = None;
        for ((at, name), shared) in &self.shared {
            if self.deleted.contains(at) || lock(&self.world).conversations[*at].gone {
                continue;
            }
            let id = lock(&self.world).conversations[*at].id.clone();
            let sharing = self.hub().sharings.of(&id);
            if sharing.with.iter().any(|share| share.name == *name) != *shared {
                wrong = Some(format!(
                    "sharing did not change at once: {id} with {name}: reported {shared}, stored {sharing:?}"
                ));
            }
        }
        for (person, (name, ..)) in PEOPLE.iter().enumerate() {
            let listed = ListPage::open(self.hub(), person).await;
            for id in listed.shown.keys() {
                let world = lock(&self.world);
                let is_deleted = world.by_id(id).is_none_or(|at| self.deleted.contains(&at));
                if is_deleted && !world.is_idle(id) {
                    wrong = Some(format!("{id} was deleted but is in the list"));
                }
            }
            let idle = listed.shown.keys().filter(|id| id.starts_with("idle"));
            let (idle, all) = (idle.count(), lock(&self.world).idle);
            if idle != all && !listed.is_being_read {
                wrong = Some(format!(
                    "{name} sees {idle} of {all} conversations in which nothing happens"
                ));
            }
            for list in self.lists.iter_mut().filter(|list| list.person == person) {
                list.drain();
                let shown: Vec<&String> = list.shown.keys().collect();
                let there: Vec<&String> = listed.shown.keys().collect();
                if !list.gap && shown != there {
                    wrong = Some(format!(
                        "{name} sees the list {shown:?} instead of {there:?}"
                    ));
                }
            }
        }
        if let Some(wrong) = wrong {
            lock(&self.world).is_wrong(wrong);
        }
    }

    /// Whether a page does not show the stored approval that waits. Without a sandbox nothing is pending.
    pub fn hides_an_approval(&self, world: &World, page: &Page) -> Option<String> {
        let session = page.session.as_ref()?;
        if self.disk_failed || !matches!(session.runtime, Runtime::Running | Runtime::Starting) {
            return None;
        }
        let open = "SELECT token FROM approval JOIN conversation ON number = conversation
                    WHERE id = ?1 AND state = 'open' ORDER BY asked_at DESC";
        let mut statement = world.journal().prepare_cached(open).expect("it is SQL");
        let token = statement.query_row([&page.id], |row| row.get::<_, String>(0));
        let token = token.optional().expect("a healthy journal")?;
        let shown = session.approval.as_ref().map(|approval| &approval.token);
        (shown != Some(&token))
            .then(|| format!("a page of {} shows {shown:?} instead of {token}", page.id))
    }

    /// Checks that every page shows the same rows as a newly opened one.
    pub async fn check_pages(&mut self) {
        let mut wrong = None;
        for at in 0..self.plan.conversations {
            let (id, gone) = {
                let world = lock(&self.world);
                (
                    world.conversations[at].id.clone(),
                    world.conversations[at].gone,
                )
            };
            if gone || self.deleted.contains(&at) {
                continue;
            }
            self.refresh_pages();
            let fresh = self
                .hub()
                .reader
                .rows(&id, None, None, MOST_ROWS)
                .await
                .expect("a healthy journal")
                .rows;
            for page in self
                .pages
                .iter()
                .filter(|page| page.at == at && page.follower.is_some())
            {
                let shown: Vec<RowView> = untrack(|| page.store.all())
                    .into_iter()
                    .map(|entry| entry.view.get_untracked())
                    .collect();
                let key = |row: &RowView| (row.pos, row.id);
                let (oldest, compared) = (shown.first().map(key), fresh.first().map(key));
                let shown = shown.iter().filter(|row| Some(key(row)) >= compared);
                let there = fresh.iter().filter(|row| Some(key(row)) >= oldest);
                let (count, of) = (shown.clone().count(), there.clone().count());
                let differs = shown.zip(there).find(|(shown, row)| !is_same(shown, row));
                if let Some((shown, row)) = differs {
                    let gaps = gaps(&untrack(|| page.store.all()));
                    wrong = Some(format!(
                        "a page of {id} with gaps at {gaps:?} shows {shown:?} instead of {row:?}"
                    ));
                } else if count != of {
                    wrong = Some(format!("a page of {id} shows {count} rows of {of}"));
                }
            }
        }
        if let Some(wrong) = wrong {
            lock(&self.world).is_wrong(wrong);
        }
    }
}
