//! One run: the steps of a plan across several lives of Handrail, with the invariants after each step. The file is long
//! because everything that a run owns is made and ended here.

use crate::backend::{Both, SETTING, stored};
use crate::budgets::budgets;
use crate::clock;
use crate::connection;
use crate::deadlines::setting;
use crate::dice::Dice;
use crate::page::{ListPage, Page};
use crate::people::{Click, PEOPLE, Reply, What, caller};
use crate::plan::{Plan, Step};
use crate::world::{Counts, Dialect, HIGH, LOW, Shared, UNRATED, World, lock};
use futures_util::FutureExt;
use handrail::conversation::{LogItem, Risk};
use handrail::hub::Hub;
use handrail::journal::{Journal, NewRule, work_here};
use handrail::people::Authority;
use handrail::rules::{Conditions, Pattern, Rest, Scope, Subject};
use handrail_sim_os as os;
use leptos::prelude::Owner;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

/// The outcome of a run.
pub struct Outcome {
    pub trace: u64,
    pub counts: Counts,
    pub wrong: Option<String>,
    pub lines: Vec<String>,
}

impl Outcome {
    /// The outcome of a run that panicked.
    pub fn panicked(why: String) -> Self {
        let wrong = Some(format!("it panicked: {why}"));
        Self {
            trace: 0,
            counts: Counts::default(),
            wrong,
            lines: Vec::new(),
        }
    }
}

thread_local! {
    /// The world whose disk is simulated.
    static DISK: RefCell<Option<Shared>> = const { RefCell::new(None) };
}

/// The latency of the next disk operation.
fn disk_latency() -> Duration {
    DISK.with_borrow(|world| {
        let world = world.as_ref()?;
        // A caller that holds the lock inspects the journal for a check, which takes no time.
        let mut world = world.try_lock().ok()?;
        match world.disk_latency {
            0 => None,
            most => Some(Duration::from_millis(world.dice.below(most + 1))),
        }
    })
    .unwrap_or_default()
}

/// Parses a stored event, like the server.
fn read_event(raw: &str) -> LogItem {
    let dialect = if raw.contains(r#""kind":""#) {
        Dialect::One
    } else {
        Dialect::Zero
    };
    let mut item = connection::read(dialect, raw, 0).item;
    if dialect == Dialect::One {
        item.pos = None;
    }
    item
}

/// The folder for the files of runs: in memory, if possible.
pub fn shelf() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    };
    place.join(format!("handrail-sim-{}", std::process::id()))
}

/// An otherwise empty journal with all users.
fn template(shelf: &Path) -> PathBuf {
    let folder = shelf.join("template");
    if folder.join("handrail.db").exists() {
        return folder;
    }
    std::fs::create_dir_all(&folder).expect("the disk has space");
    let made = async {
        let journal = Journal::open(&folder, read_event)
            .await
            .expect("the disk has space");
        for (name, role) in PEOPLE {
            let made = journal
                .add_person(name, role.word(), String::new(), false, 0)
                .await;
            made.expect("the disk has space").expect("the name is free");
        }
        let kept = journal.keep_setting(SETTING, &stored()).await;
        kept.expect("the disk has space");
    };
    // All of it runs on this thread, so there is nothing to wait for.
    made.now_or_never().expect("it never waits");
    folder
}

/// A rule of an operator for all commands that agents ask for. It ends after a while, and people go on. Where two people
/// have to approve what is not rated, either, it covers just that, and never answers.
fn rule(needs_two: bool) -> NewRule {
    let echo = Pattern {
        words: vec!["echo".to_owned()],
        rest: Rest::Anything,
    };
    let conditions = Conditions {
        subject: Subject::Commands(vec![echo]),
        highest: Risk::Low,
        unrated: needs_two,
    };
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = i64::try_from(now.expect("it is later").as_millis()).expect("a time");
    NewRule {
        person: 2,
        maker: PEOPLE[1].0.to_owned(),
        scope: serde_json::to_string(&Scope::All).expect("plain data"),
        conditions: serde_json::to_string(&conditions).expect("plain data"),
        made_at: 0,
        expires_at: Some(now + 60_000),
    }
}

/// Copies a journal in its current state: what a killed process leaves behind.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("the disk has space");
    for name in ["handrail.db", "handrail.db-wal"] {
        if from.join(name).exists() {
            std::fs::copy(from.join(name), to.join(name)).expect("the disk has space");
        }
    }
}

/// A start of a sandbox that Handrail has reported.
pub struct Started {
    /// When a page could show it at the earliest: the report, or the last start of Handrail.
    pub since: u64,
    /// Which of the sandbox's starts it is.
    pub start: u32,
}

/// Why a life of Handrail ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    Killed,
    Restarted,
    /// All steps are done, or an invariant was violated.
    Over,
}

/// The state of a run.
pub struct Run {
    pub world: Shared,
    pub plan: Plan,
    pub next: usize,
    pub folder: PathBuf,
    pub hub: Option<Hub>,
    pub pages: Vec<Page>,
    pub lists: Vec<ListPage>,
    pub clicks: Vec<Click>,
    /// Every approval that a page has shown, with its conversation and the marks of its actions.
    pub tokens: BTreeMap<String, (usize, BTreeSet<String>)>,
    /// The tokens for which an approval was in the journal. A later answer may have replaced it: an approval of unknown
    /// outcome can be answered once more.
    pub approved: BTreeSet<String>,
    /// The tokens that a rule has answered, each with the marks of its actions.
    pub ruled: BTreeMap<String, BTreeSet<String>>,
    /// Which conversation is shared with which user, as far as that is certain.
    pub shared: BTreeMap<(usize, String), bool>,
    /// Conversations that Handrail has reported as deleted.
    pub deleted: BTreeSet<usize>,
    /// Conversations that Handrail has reported as started, and that nothing has stopped since.
    pub started: BTreeMap<usize, Started>,
    /// Statements that currently fail.
    pub faults: BTreeSet<String>,
    pub dice: Dice,
    /// How far the clock jumps after this step, in milliseconds.
    pub pass: u64,
    /// Whether the disk has failed at least once.
    pub disk_failed: bool,
}

/// Runs a plan on this thread, which must not be used for anything else.
pub fn run(plan: Plan, words: bool, shelf: &Path) -> Outcome {
    os::begin(plan.seed);
    work_here(disk_latency);
    // The browser's code stores its signals in an owner.
    let owner = Owner::new();
    owner.set();
    let template = template(shelf);
    let world: Shared = Arc::new(Mutex::new(World::new(plan.seed, plan.conversations, words)));
    DISK.set(Some(world.clone()));
    let home = shelf.join(format!("run-{}", plan.seed));
    let mut folder = home.join("0");
    copy(&template, &folder);
    let mut run = Run {
        dice: Dice::of(plan.seed ^ 0xabcd),
        world: world.clone(),
        plan,
        next: 0,
        folder: folder.clone(),
        hub: None,
        pages: Vec::new(),
        lists: Vec::new(),
        clicks: Vec::new(),
        tokens: BTreeMap::new(),
        approved: BTreeSet::new(),
        ruled: BTreeMap::new(),
        shared: BTreeMap::new(),
        deleted: BTreeSet::new(),
        started: BTreeMap::new(),
        faults: BTreeSet::new(),
        pass: 0,
        disk_failed: false,
    };
    for at in 0..run.plan.conversations {
        let one = &mut lock(&world).conversations[at];
        one.rating = match (run.plan.needs_two, run.plan.is_ruled) {
            (false, _) => LOW,
            (true, false) => HIGH,
            (true, true) => UNRATED,
        };
        one.spent = run.plan.has_budget.then_some(0);
        one.begin();
    }
    for life in 1.. {
        lock(&world).counts.lives += 1;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            // Tasks woken by other threads wait until this thread is idle.
            .global_queue_interval(u32::MAX >> 1)
            .build()
            .expect("a runtime");
        let end = runtime.block_on(run.live());
        if end == End::Killed {
            let next = home.join(life.to_string());
            copy(&folder, &next);
            folder = next;
        }
        run.dies();
        drop(runtime);
        clock::died();
        let mut world = lock(&world);
        world.journal_is_closed();
        if end == End::Over || world.wrong.is_some() {
            break;
        }
        run.folder.clone_from(&folder);
    }
    DISK.set(None);
    let _ = std::fs::remove_dir_all(&home);
    let mut world = lock(&world);
    Outcome {
        trace: world.trace.hash(),
        counts: world.counts,
        wrong: world.wrong.clone(),
        lines: world.trace.lines.take().unwrap_or_default(),
    }
}

impl Run {
    pub fn hub(&self) -> &Hub {
        self.hub.as_ref().expect("Handrail is running")
    }

    /// One life of Handrail.
    async fn live(&mut self) -> End {
        clock::live();
        lock(&self.world).journal_is(&self.folder);
        self.heal();
        lock(&self.world).note(format_args!("Handrail starts"));
        let journal = Journal::open(&self.folder, read_event)
            .await
            .expect("the disk works");
        if self.plan.is_ruled && self.next == 0 {
            let made = journal.add_rule(rule(self.plan.needs_two)).await;
            made.expect("the disk works").expect("it is the first");
        }
        let min_view_time = Duration::from_millis(self.plan.min_view_time);
        let both = Both {
            world: self.world.clone(),
            are_edited: self.plan.are_edited,
        };
        let hub = Hub::new(journal, both, "/", min_view_time).await;
        self.hub = Some(hub.expect("a healthy journal"));
        if self.plan.needs_two && self.next == 0 {
            let two = Authority {
                two: true,
                unrated: true,
                ..Authority::default()
            };
            let saved = self.hub().policies.authority.save(&caller(0), two).await;
            saved.expect("the disk works");
        }
        if self.plan.escalates && self.next == 0 {
            let saved = self
                .hub()
                .policies
                .deputies
                .save(&caller(0), setting())
                .await;
            saved.expect("the disk works");
        }
        if self.plan.has_budget && self.next == 0 {
            let saved = self
                .hub()
                .policies
                .budgets
                .save(&caller(0), budgets())
                .await;
            saved.expect("the disk works");
        }
        // A new life knows only what was stored, until it has asked the backend.
        for started in self.started.values_mut() {
            started.since = clock::now();
        }
        self.breathe().await;
        while let Some(step) = self.plan.steps.get(self.next).copied() {
            self.next += 1;
            if let Some(end) = self.step(step).await {
                return end;
            }
            self.breathe().await;
            self.refresh_pages();
            self.return_pages();
            self.check_journal();
            if lock(&self.world).wrong.is_some() {
                return End::Over;
            }
        }
        self.comes_to_rest().await;
        End::Over
    }

    async fn step(&mut self, step: Step) -> Option<End> {
        {
            let mut world = lock(&self.world);
            world.counts.steps += 1;
            world.note(format_args!("step {}: {:?}", self.next - 1, step.action));
        }
        self.dice = Dice::of(step.dice);
        let end = self.take(step.action);
        self.takes_time(step.action).await;
        match end {
            Some(End::Restarted) => {
                let hub = self.hub().clone();
                hub.shutdown().await;
                self.refresh_pages();
            }
            Some(End::Killed) => self.check_journal(),
            _ => {}
        }
        end
    }

    /// Lets pending tasks run for a random time, which varies their interleaving.
    async fn breathe(&mut self) {
        clock::pass(std::mem::take(&mut self.pass)).await;
        match self.dice.below(10) {
            0..=1 => {}
            2..=6 => {
                for _ in 0..self.dice.below(12) {
                    tokio::task::yield_now().await;
                }
            }
            _ => clock::pass(1 + self.dice.below(60)).await,
        }
        // Updates the thread's clock.
        clock::now();
    }

    /// Ends this life: pages lose their connections, and clicks get no response.
    fn dies(&mut self) {
        self.pages.iter_mut().for_each(Page::lose);
        self.lists.clear();
        lock(&self.world).outbox_is_stale = false;
        for click in &mut self.clicks {
            click.over = true;
        }
        self.hub = None;
    }

    /// Pages handle their frames, users get their responses, and users without access lose their pages.
    pub fn refresh_pages(&mut self) {
        let (now, hub) = (clock::now(), self.hub().clone());
        for page in &mut self.pages {
            let learnt = page.drain(now);
            let mut world = lock(&self.world);
            world.counts.frames += learnt.frames;
            if let Some(wrong) = learnt.wrong {
                world.is_wrong(wrong);
            }
            for (token, marks) in learnt.tokens {
                self.tokens.entry(token).or_insert((page.at, marks));
            }
            if page.follower.is_some()
                && hub
                    .sharings
                    .role_in(&caller(page.person), &page.id)
                    .is_none()
            {
                *page = Page::new(page.person, page.at, &page.id);
            }
        }
        for list in &mut self.lists {
            list.drain();
        }
        self.check_shown();
        self.take_outcomes();
    }

    fn take_outcomes(&mut self) {
        let mut started = Vec::new();
        for click in self.clicks.iter_mut().filter(|click| !click.over) {
            let reply = click.reply();
            let Some(reply) = reply else { continue };
            click.over = true;
            let mut world = lock(&self.world);
            world.note(format_args!(
                "{} is told {reply:?} about {:?}",
                PEOPLE[click.person].0, click.what
            ));
            match &click.what {
                What::Share { name, shared } => {
                    let key = (click.at, name.clone());
                    match reply {
                        Reply::Done => drop(self.shared.insert(key, *shared)),
                        Reply::Unsure(_) => drop(self.shared.remove(&key)),
                        Reply::Refused(_) => {}
                    }
                }
                What::Delete if reply == Reply::Done => drop(self.deleted.insert(click.at)),
                What::Start if reply == Reply::Done => started.push((click.at, click.when)),
                _ => {}
            }
        }
        // A stop that was clicked shortly before may come after it.
        let minute = 60_000_000_000;
        for (at, when) in started {
            let is_stop = |click: &Click| click.at == at && matches!(click.what, What::Stop);
            let mut stops = self.clicks.iter().filter(|click| is_stop(click));
            if stops.all(|stop| stop.when + minute < when) {
                let start = lock(&self.world).conversations[at].starts;
                let since = clock::now();
                self.started.insert(at, Started { since, start });
            }
        }
    }
}
