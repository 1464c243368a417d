//! The effect of each step.
//!
//! Long because it is one case per step of a plan.

use crate::clock;
use crate::page::{Coming, ListPage, Page};
use crate::people::{PEOPLE, caller};
use crate::plan::Action;
use crate::run::{End, Run};
use crate::world::{Conversation, Dialect, State, lock};
use handrail::hub::HubError;

/// Statements that a bad disk may fail: operation and table.
const FAULTS: [(&str, &str); 10] = [
    ("INSERT", "event"),
    ("INSERT", "event"),
    ("UPDATE", "approval"),
    ("UPDATE", "conversation"),
    ("INSERT", "approval"),
    ("UPDATE", "approval"),
    ("INSERT", "outbox"),
    ("UPDATE", "outbox"),
    ("INSERT", "audit"),
    ("INSERT", "sharing"),
];

impl Run {
    /// Executes an action; returns whether and how it ends Handrail's life.
    pub fn take(&mut self, action: Action) -> Option<End> {
        let at = self.dice.place(self.plan.conversations);
        let dialect = if self.dice.percent(50) {
            Dialect::Zero
        } else {
            Dialect::One
        };
        let now = clock::now();
        let later = |milliseconds: u64| now + milliseconds * 1_000_000;
        match action {
            Action::Act => {
                let mut world = lock(&self.world);
                for _ in 0..1 + self.dice.below(6) {
                    world.act(at, &mut self.dice);
                }
            }
            Action::Ask => lock(&self.world).ask(at, &mut self.dice),
            Action::Burst => {
                let count = 20 + self.dice.below(self.plan.burst);
                lock(&self.world).burst(at, count);
            }
            Action::Others => self.others(at),
            Action::Open => self.opens(at),
            Action::Leave => {
                if let Some(page) = self.some_page() {
                    self.pages.remove(page);
                }
            }
            Action::Slow => {
                let until = later(self.dice.below(20_000));
                if let Some(page) = self.some_page() {
                    self.pages[page].slow_until = until;
                }
            }
            Action::Say => self.says(at),
            Action::SayAgain => self.says_again(),
            Action::Answer => self.answers(false),
            Action::Answers => self.answers(true),
            Action::Steer => self.steers(at),
            Action::Settle => self.advance_until_idle(),
            Action::Share => self.shares(at),
            Action::Delete => self.deletes(at),
            Action::Start | Action::Stop => self.starts_or_stops(at, action == Action::Start),
            Action::HangUp => {
                let waiting = self
                    .clicks
                    .iter_mut()
                    .rev()
                    .find(|click| !click.over && click.reply().is_none());
                if let Some(click) = waiting {
                    click.task.abort();
                    click.over = true;
                }
            }
            Action::NetDown => {
                let until = later(self.dice.below(8_000));
                let mut world = lock(&self.world);
                world.net(dialect).down_until = until;
                world.stir(dialect);
            }
            Action::HalfOpen => {
                let until = later(self.dice.below(20_000));
                lock(&self.world).net(dialect).half_open_until = until;
            }
            Action::Cut => lock(&self.world).cut(dialect),
            Action::Latency => {
                let most = [0, 3, 40, 900][self.dice.place(4)];
                lock(&self.world).net(dialect).latency = most;
            }
            Action::Trouble => {
                let trouble = [0, 20, 60, 100][self.dice.place(4)];
                lock(&self.world).net(dialect).trouble = trouble;
            }
            Action::DiskFails => self.fails(),
            Action::DiskHeals => self.heal(),
            Action::DiskSlow => {
                let most = [0, 2, 30, 700][self.dice.place(4)];
                lock(&self.world).disk_latency = most;
            }
            Action::Kill => return Some(End::Killed),
            Action::Restart => return Some(End::Restarted),
            Action::ServerRestart => self.server_restarts(dialect),
            Action::Edit => self.edits(dialect),
            Action::Create => self.creates(dialect),
            // The rest is done by `takes_time`.
            Action::OpenList => {}
            Action::Flood | Action::Backlog | Action::Purge => self.world_is_calm(),
            // The clock jumps in `breathe`.
            Action::Pass => self.jump(),
        }
        None
    }

    /// Removes all faults of networks and disk for now.
    pub fn world_is_calm(&mut self) {
        self.heal();
        let mut world = lock(&self.world);
        world.disk_latency = 0;
        for net in &mut world.nets {
            (
                net.down_until,
                net.half_open_until,
                net.latency,
                net.trouble,
            ) = (0, 0, 0, 0);
        }
    }

    /// The part of an action that takes time.
    pub async fn takes_time(&mut self, action: Action) {
        match action {
            Action::OpenList => {
                let person = self.dice.place(PEOPLE.len());
                let list = ListPage::open(self.hub(), person).await;
                self.lists.retain(|list| list.person != person);
                self.lists.push(list);
            }
            Action::Flood => self.flood().await,
            Action::Backlog => self.backlog().await,
            Action::Purge => self.purge().await,
            _ => {}
        }
    }

    /// The first conversation with a page and these properties.
    fn followed(&self, fits: impl Fn(&Conversation) -> bool) -> Option<usize> {
        let world = lock(&self.world);
        let followed = self.pages.iter().filter(|page| page.follower.is_some());
        let mut places = followed.map(|page| page.at);
        places.find(|at| {
            let one = &world.conversations[*at];
            one.up && !one.gone && one.state != State::Asking && fits(one)
        })
    }

    /// Emits single events while no page reads.
    async fn flood(&mut self) {
        clock::pass(5_000).await;
        self.refresh_pages();
        let at = self.followed(|_| true).unwrap_or_default();
        for _ in 0..2_200 {
            lock(&self.world).burst(at, 1);
            clock::pass(1).await;
        }
    }

    /// Emits more events than the actor stores at once, the oldest last, while the disk is slow. The journal is checked
    /// between the batches.
    async fn backlog(&mut self) {
        clock::pass(5_000).await;
        self.refresh_pages();
        let Some(at) = self.followed(|one| one.dialect == Dialect::Zero) else {
            return;
        };
        {
            let mut world = lock(&self.world);
            (world.disk_latency, world.oldest_is_late) = (400, true);
            world.burst(at, 900);
        }
        for _ in 0..200 {
            clock::pass(20).await;
            self.check_journal();
        }
        lock(&self.world).oldest_is_late = false;
        self.world_is_calm();
    }

    /// Deletes conversations while a user watches the list and a slow disk delays the reading of lists. No page is
    /// checked meanwhile, because an actor may wait long for this disk.
    async fn purge(&mut self) {
        let list = ListPage::open(self.hub(), 0).await;
        self.lists.retain(|list| list.person != 0);
        self.lists.push(list);
        lock(&self.world).disk_latency = 3_000;
        for at in 0..self.plan.conversations {
            let wait = self.dice.below(12_000);
            clock::pass(wait).await;
            for other in 0..self.plan.conversations {
                lock(&self.world).burst(other, 1);
            }
            if self.dice.percent(60) {
                self.deletes(at);
            }
        }
        clock::pass(20_000).await;
        self.world_is_calm();
        clock::pass(5_000).await;
        self.started.clear();
    }

    fn jump(&mut self) {
        let most = if self.plan.escalates { 130_000 } else { 35_000 };
        self.pass = [20, 400, 1_500, 8_000, most][self.dice.place(5)];
    }

    fn some_page(&mut self) -> Option<usize> {
        let count = self.pages.len();
        (count > 0).then(|| self.dice.place(count))
    }

    fn others(&mut self, at: usize) {
        let mut world = lock(&self.world);
        let mark = world.mark('f');
        let one = &mut world.conversations[at];
        if one.state != State::Asking {
            one.receives(&format!("From elsewhere: {mark}"));
            return;
        }
        // The protocol of 0.x does not say which action an approval in flight applies to.
        if one.dialect == Dialect::Zero {
            return;
        }
        if self.dice.percent(50) {
            let marks: Vec<String> = one.asked.iter().map(|call| call.mark.clone()).collect();
            one.foreign.extend(marks);
            world.carry_out(at);
        } else {
            one.no(None);
        }
        world.conversations[at].changed.send_replace(());
    }

    /// A user opens a conversation.
    fn opens(&mut self, at: usize) {
        let person = self.dice.place(PEOPLE.len());
        let id = lock(&self.world).conversations[at].id.clone();
        let mut page = Page::new(person, at, &id);
        page.gap = self.dice.percent(50);
        self.pages.truncate(5);
        self.pages.push(page);
        self.reopen(self.pages.len() - 1);
    }

    /// Subscribes a page, with a new snapshot if its state is outdated.
    pub fn reopen(&mut self, place: usize) {
        let hub = self.hub().clone();
        let page = &mut self.pages[place];
        let by = caller(page.person);
        if hub.sharings.role_in(&by, &page.id).is_none() {
            return;
        }
        let coming = Coming::default();
        page.coming = Some(coming.clone());
        let (id, after, picture) = (page.id.clone(), page.seq, page.gap);
        let world = self.world.clone();
        tokio::spawn(async move {
            let opened = async {
                let shown = if picture {
                    Some(hub.reader.open(&id).await?)
                } else {
                    None
                };
                let shown = shown
                    .map(|shown| hub.reader.as_seen_by(&by, shown))
                    .transpose()?;
                if shown.is_some() && hub.sharings.role_in(&by, &id).is_none() {
                    let what = format!("{} sees {id} without access", by.name);
                    lock(&world).is_wrong(what);
                }
                let after = shown.as_ref().map_or(after, |shown| shown.seq);
                let follower = hub.reader.follow(&by, &id, after).await?;
                Ok::<_, HubError>((shown, follower))
            };
            let opened = opened.await.ok();
            *coming.lock().expect("the lock is not poisoned") = Some(opened);
        });
    }

    fn server_restarts(&mut self, dialect: Dialect) {
        let mut world = lock(&self.world);
        world.cut(dialect);
        world.net(dialect).down_until = clock::now() + self.dice.below(3_000) * 1_000_000;
        let ours = world
            .conversations
            .iter_mut()
            .filter(|one| one.dialect == dialect && !one.gone);
        for one in ours {
            one.runtime_is(false);
        }
    }

    /// Makes one statement fail from now on.
    fn fails(&mut self) {
        let (what, table) = FAULTS[self.dice.place(FAULTS.len())];
        let name = format!("bad_{}_{table}", what.to_lowercase());
        // Some disks fail intermittently, and some become full in the middle of many events.
        let when = if table == "event" {
            self.dice.below(3)
        } else {
            0
        };
        let mut world = lock(&self.world);
        let now_and_then = match when {
            0 => String::new(),
            1 => "WHEN new.seq % 3 = 0".to_owned(),
            _ => {
                let newest =
                    world.newest_seq() + i64::try_from(self.dice.below(500)).expect("it is small");
                format!("WHEN new.seq > {newest}")
            }
        };
        let sql = format!(
            "CREATE TRIGGER IF NOT EXISTS {name} BEFORE {what} ON {table} {now_and_then}
             BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
        );
        world.note(format_args!(
            "the disk fails: {what} {table} {now_and_then}"
        ));
        world.journal().execute_batch(&sql).expect("it is SQL");
        world.outbox_is_stale |= table == "outbox";
        self.faults.insert(name);
        drop(world);
        self.disk_failed = true;
    }

    /// Repairs the disk.
    pub fn heal(&mut self) {
        for name in std::mem::take(&mut self.faults) {
            let sql = format!("DROP TRIGGER IF EXISTS {name}");
            lock(&self.world)
                .journal()
                .execute_batch(&sql)
                .expect("it is SQL");
        }
    }
}
