//! Two nodes on one PostgreSQL, the one at `HANDRAIL_TEST_DATABASE`: approvals that are answered through both at the same moment
//! while nodes are killed, and pages that follow through both. `HANDRAIL_INTERLEAVINGS` sets how many approvals (10,000). If
//! `HANDRAIL_EARLIER_BUILD` is the program of an earlier build, both nodes are replaced by this one, too.
//!
//! Long because answering, checking and the faults meanwhile share one state.

use crate::cluster::{Cluster, holder, signal, sql};
use crate::house::House;
use crate::process::{Process, Served, create, started_by};
use crate::stage::{self, events_of};
use crate::tab::{Tab, socket_as};
use futures_util::{SinkExt, StreamExt};
use handrail::api::{AnswerConfirmation, SendMessage};
use handrail::backend::ConnectionState;
use handrail::backend::rehearsal::{Dialect, Fault, Options};
use handrail::live::{ApprovalView, FromBrowser};
use handrail::people::Role;
use rand::RngExt as _;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;

/// More approvals than are ever answered.
const ENOUGH: usize = usize::MAX / 2;
/// Conversations in which approvals are answered.
const ASKING: usize = 60;
/// What each agent is asked for: commands that all need approval.
const WORK: &str = "[[scenario:careful:2000]]";
/// Time after which an approval may be answered.
const VIEW: Duration = Duration::from_millis(710);
/// Longest time between two answers to one approval, in milliseconds.
const APART: u64 = 30;
/// Time between two faults.
const BETWEEN: Duration = Duration::from_secs(20);
/// Time after which an approval is answered again, or an agent that does nothing is asked to go on.
const PATIENCE: Duration = Duration::from_secs(15);

/// Pages, the conversations that they follow, and pages of one person, of which the server does not allow many more.
const FOLLOWERS: usize = 1_000;
const FOLLOWED: usize = 50;
const PAGES: usize = 40;
/// Events that are measured in each conversation, and events before them that are not.
const EVENTS: usize = 60;
const WARM_UP: usize = 5;
/// Bytes of an event.
const BYTES: usize = 300;

/// Measures, and prints two tables.
pub async fn run() {
    if std::env::var_os("HANDRAIL_TEST_DATABASE").is_none() {
        println!("left out: HANDRAIL_TEST_DATABASE has no address of a PostgreSQL");
        return;
    }
    upgrade().await;
    follow().await;
    interleave().await;
}

fn backend() -> Options {
    Options {
        // OpenHands 0.62 lets few agents work at a time.
        dialect: Dialect::AgentServer,
        ..stage::quick()
    }
}

/// The addresses of both nodes.
#[derive(Clone)]
struct Nodes(Arc<Mutex<[SocketAddr; 2]>>);

impl Nodes {
    fn of(pair: [&Process; 2]) -> Self {
        Self(Arc::new(Mutex::new(pair.map(|node| node.address))))
    }

    fn address(&self, which: usize) -> SocketAddr {
        self.0.lock().expect("nobody panics")[which % 2]
    }

    fn replace(&self, which: usize, address: SocketAddr) {
        self.0.lock().expect("nobody panics")[which] = address;
    }
}

/// What people have done to one action.
#[derive(Debug, Default, Clone, Copy)]
struct Done {
    /// Whether somebody tried to approve it.
    approval_tried: bool,
    /// Whether an approval was confirmed.
    approved: bool,
    /// Whether a rejection was confirmed.
    rejected: bool,
}

/// What people have done.
#[derive(Debug, Default)]
struct Deeds {
    /// To all actions, by conversation and command.
    answers: HashMap<(String, String), Done>,
    /// Conversations and texts of messages whose arrival was confirmed.
    messages: Vec<(String, String)>,
}

type Record = Arc<Mutex<Deeds>>;

async fn interleave() {
    let wanted =
        std::env::var("HANDRAIL_INTERLEAVINGS").map(|text| text.parse().expect("a number"));
    let wanted: usize = wanted.unwrap_or(10_000);
    let cluster = Cluster::with(backend()).await;
    let (first, second) = cluster.pair().await;
    let work = Work::begin(Nodes::of([&first, &second]), ASKING, wanted).await;
    let faults = disturb(&cluster, [first, second], &work).await;
    println!("\n{faults} faults. {}", work.end(&cluster).await);
}

/// Both nodes are replaced by this build, one after the other.
async fn upgrade() {
    let Some(earlier) = std::env::var_os("HANDRAIL_EARLIER_BUILD") else {
        println!("left out: HANDRAIL_EARLIER_BUILD has no path of another program");
        return;
    };
    let cluster = Cluster::with(backend()).await;
    let of_earlier = async |name: &str| {
        let command = started_by(Command::new("env"), &cluster.command(name, &[]));
        let mut arguments = command.get_args();
        let _ = arguments.next();
        let mut command = Command::new(&earlier);
        command.args(arguments);
        Process::of(started_by(Command::new("env"), &command)).await
    };
    let (first, second) = (of_earlier("a").await, of_earlier("b").await);
    let work = Work::begin(Nodes::of([&first, &second]), ASKING, ENOUGH).await;
    let files = files_of(first.address).await;
    assert!(!files.is_empty(), "the earlier build has pages");
    tokio::time::sleep(BETWEEN).await;
    second.terminate();
    second.ended().await;
    let second = cluster.start("b").await;
    work.nodes.replace(1, second.address);
    tokio::time::sleep(BETWEEN).await;
    let holder = cluster.holder().await;
    let begun = Instant::now();
    first.terminate();
    first.ended().await;
    cluster.taken_from(&holder).await;
    let taken = begun.elapsed();
    let first = cluster.start("a").await;
    work.nodes.replace(0, first.address);
    tokio::time::sleep(BETWEEN).await;
    let mut missing = 0;
    for node in [&first, &second] {
        for file in &files {
            let found = reqwest::get(format!("http://{}{file}", node.address)).await;
            missing += usize::from(!found.is_ok_and(|found| found.status().is_success()));
        }
    }
    println!(
        "\nUpgrade: another node serves {taken:.1?} after the end of the last one of the earlier build, of whose {} files {missing} \
         are missing. {}",
        files.len(),
        work.end(&cluster).await
    );
}

/// Paths of all files that pages of this node load, also later.
async fn files_of(node: SocketAddr) -> Vec<String> {
    let worker = reqwest::get(format!("http://{node}/service-worker.js")).await;
    let worker = worker.expect("it answers").text().await.expect("a text");
    let words = worker.split('"');
    words
        .filter(|word| word.starts_with("/pkg/"))
        .map(str::to_owned)
        .collect()
}

/// People who answer approvals, each of one conversation.
struct Work {
    nodes: Nodes,
    record: Record,
    given: Arc<AtomicUsize>,
    wanted: usize,
    people: Vec<JoinHandle<()>>,
    ids: Vec<String>,
    begun: Instant,
}

impl Work {
    async fn begin(nodes: Nodes, conversations: usize, wanted: usize) -> Self {
        let record = Record::default();
        let given = Arc::new(AtomicUsize::new(0));
        let begun = Instant::now();
        let (mut people, mut ids) = (Vec::new(), Vec::new());
        for number in 0..conversations {
            let id = create(nodes.address(number), &stage::unlike_others(WORK)).await;
            ids.push(id.clone());
            let answerer = Answerer {
                id,
                nodes: nodes.clone(),
                record: record.clone(),
                client: reqwest::Client::new(),
            };
            people.push(tokio::spawn(answerer.answer(given.clone(), wanted)));
        }
        Self {
            nodes,
            record,
            given,
            wanted,
            people,
            ids,
            begun,
        }
    }

    /// Whether enough approvals have been answered.
    fn is_done(&self) -> bool {
        self.given.load(Ordering::Relaxed) >= self.wanted
    }

    /// Ends the work, and says what has become of all answers and messages.
    async fn end(self, cluster: &Cluster) -> String {
        let answered = self.given.swap(ENOUGH, Ordering::Relaxed);
        for person in self.people {
            person.await.expect("no panic");
        }
        let took = self.begun.elapsed();
        // What was approved last is carried out.
        tokio::time::sleep(PATIENCE).await;
        let stats = cluster.rehearsal.stats();
        let mut arrived: HashMap<(String, String), usize> = HashMap::new();
        for id in &self.ids {
            for event in events_of(&cluster.rehearsal, id).await {
                for text in texts(&event) {
                    *arrived.entry((id.clone(), text)).or_default() += 1;
                }
            }
        }
        let not_sent = "SELECT text FROM handrail.outbox WHERE state <> 'done'";
        let not_sent = sql(&cluster.database, not_sent).await;
        let deeds = self.record.lock().expect("nobody panics");
        let (mut unapproved, mut against, mut twice, mut carried_out, mut never) = (0, 0, 0, 0, 0);
        for ((id, command), done) in &deeds.answers {
            let times = stats.executed(id, &format!("run {command}"));
            carried_out += usize::from(times > 0);
            unapproved += usize::from(times > 0 && !done.approval_tried);
            against += usize::from(times > 0 && done.rejected);
            twice += usize::from(times > 1);
            never += usize::from(times == 0 && done.approved);
        }
        let known = |id: &String, action: &String| {
            let command = action.trim_start_matches("run ").to_owned();
            deeds.answers.contains_key(&(id.clone(), command))
        };
        let unseen = stats.executions.iter().flat_map(|(id, actions)| {
            let others = actions.keys().filter(move |action| !known(id, action));
            others.collect::<Vec<_>>()
        });
        let unseen = unseen.count();
        let times = |message| arrived.get(message).copied().unwrap_or_default();
        let absent = deeds.messages.iter().filter(|message| times(message) == 0);
        let (told, lost): (Vec<_>, Vec<_>) = absent.partition(|(_, text)| not_sent.contains(text));
        let (told, lost) = (told.len(), lost.len());
        let doubled = deeds
            .messages
            .iter()
            .filter(|message| times(message) > 1)
            .count();
        format!(
            "{answered} approvals answered through two nodes in {took:.0?}: {carried_out} carried out, {unapproved} of them \
             unapproved, {against} after a confirmed rejection, {unseen} that nobody had seen, {twice} twice; {never} approved \
             and not carried out. {} messages confirmed: {told} not sent, as their pages say, {lost} lost, {doubled} doubled.",
            deeds.messages.len()
        )
    }
}

/// The texts of a message of a person.
fn texts(event: &Value) -> Vec<String> {
    if event["source"] != "user" {
        return Vec::new();
    }
    let content = event["llm_message"]["content"].as_array();
    let parts = content.into_iter().flatten();
    parts
        .filter_map(|part| Some(part["text"].as_str()?.to_owned()))
        .collect()
}

/// One person who answers the approvals of one conversation.
struct Answerer {
    id: String,
    nodes: Nodes,
    record: Record,
    client: reqwest::Client,
}

impl Answerer {
    /// Answers until enough have been answered in all.
    async fn answer(self, given: Arc<AtomicUsize>, wanted: usize) {
        let mut tab = Tab::new(&self.id);
        let mut before = None;
        while given.load(Ordering::Relaxed) < wanted {
            let Some(asked) = self.asked(&mut tab, before.as_deref()).await else {
                // Perhaps the answer never arrived, or the agent waits for a person.
                if before.take().is_none() {
                    self.say(0, "Go on.").await;
                }
                continue;
            };
            let command = asked.amend.clone().expect("it is a command");
            tokio::time::sleep(VIEW).await;
            self.answer_one(&asked.token, &command).await;
            given.fetch_add(1, Ordering::Relaxed);
            before = Some(asked.token);
        }
    }

    /// The pending approval, unless it is `before`; `None` if there is none for long.
    async fn asked(&self, tab: &mut Tab, before: Option<&str>) -> Option<ApprovalView> {
        let begun = Instant::now();
        loop {
            let session = tab.session.as_ref();
            let session = session.filter(|session| session.connection == ConnectionState::Live);
            let pending = session.and_then(|session| session.approval.as_ref());
            let pending = pending.filter(|one| !one.answering && Some(&*one.token) != before);
            if let Some(pending) = pending {
                return Some(pending.clone());
            }
            let left = PATIENCE.checked_sub(begun.elapsed())?;
            match tokio::time::timeout(left, tab.step()).await {
                Ok(Some(_)) => {}
                Ok(None) => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    let which = rand::rng().random_range(0..2);
                    let opened = tab.connect(self.nodes.address(which));
                    let _ = tokio::time::timeout(Duration::from_secs(5), opened).await;
                }
                Err(_) => return None,
            }
        }
    }

    /// Answers one approval in one of several ways, through both nodes at nearly the same moment.
    async fn answer_one(&self, token: &str, command: &str) {
        let (way, wait, first) = {
            let mut dice = rand::rng();
            let wait = dice.random_range(0..APART);
            (dice.random_range(0..6), wait, dice.random_range(0..2))
        };
        let wait = Duration::from_millis(wait);
        let later = async |answer: &str| {
            tokio::time::sleep(wait).await;
            self.decide(first + 1, token, command, answer).await;
        };
        match way {
            0 => self.decide(first, token, command, "approve").await,
            1 => drop(tokio::join!(
                self.decide(first, token, command, "approve"),
                later("approve")
            )),
            2 | 3 => drop(tokio::join!(
                self.decide(first, token, command, "approve"),
                later("reject")
            )),
            4 => drop(tokio::join!(
                self.decide(first, token, command, "reject"),
                later("approve")
            )),
            _ => {
                let words = async {
                    tokio::time::sleep(wait).await;
                    self.say(first + 1, "Rather go on.").await;
                };
                tokio::join!(self.decide(first, token, command, "approve"), words);
            }
        }
    }

    async fn say(&self, node: usize, text: &str) {
        let text = stage::unlike_others(text);
        let fields = [("id", self.id.as_str()), ("text", &text)];
        if self.send::<SendMessage>(node, &fields).await {
            let mut deeds = self.record.lock().expect("nobody panics");
            deeds.messages.push((self.id.clone(), text));
        }
    }

    async fn decide(&self, node: usize, token: &str, command: &str, decision: &str) {
        let note = |change: fn(&mut Done)| {
            let key = (self.id.clone(), command.to_owned());
            change(
                self.record
                    .lock()
                    .expect("nobody panics")
                    .answers
                    .entry(key)
                    .or_default(),
            );
        };
        let approves = decision == "approve";
        note(if approves {
            |done| done.approval_tried = true
        } else {
            |_| ()
        });
        let fields = [
            ("id", self.id.as_str()),
            ("token", token),
            ("decision", decision),
        ];
        if self.send::<AnswerConfirmation>(node, &fields).await {
            note(if approves {
                |done| done.approved = true
            } else {
                |done| done.rejected = true
            });
        }
    }

    /// Calls a server function; returns whether it was confirmed.
    async fn send<F: leptos::server_fn::ServerFn>(
        &self,
        node: usize,
        fields: &[(&str, &str)],
    ) -> bool {
        let origin = format!("http://{}", self.nodes.address(node));
        let asked = self
            .client
            .post(format!("{origin}{}", F::PATH))
            .header("origin", &origin);
        let asked = asked
            .header("accept", "application/json")
            .form(fields)
            .timeout(PATIENCE);
        asked
            .send()
            .await
            .is_ok_and(|answer| answer.status().is_success())
    }
}

/// Kills, stops, ends and cuts nodes until enough approvals have been answered; returns how often.
async fn disturb(cluster: &Cluster, pair: [Process; 2], work: &Work) -> usize {
    let mut pair = pair.map(Some);
    let mut serving = 0;
    let mut faults = 0;
    loop {
        let begun = Instant::now();
        while begun.elapsed() < BETWEEN {
            if work.is_done() {
                // They serve until everything is carried out.
                std::mem::forget(pair);
                return faults;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let node = pair[serving].take().expect("it runs");
        match faults % 4 {
            3 => {
                let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                           WHERE datname = current_database() AND pid <> pg_backend_pid()";
                sql(&cluster.database, cut).await;
                pair[serving] = Some(node);
            }
            way => {
                let holder = cluster.holder().await;
                match way {
                    0 => signal(&node, "-KILL"),
                    1 => signal(&node, "-STOP"),
                    _ => node.terminate(),
                }
                cluster.taken_from(&holder).await;
                if way == 1 {
                    signal(&node, "-CONT");
                }
                node.ended().await;
                let back = cluster.start(&format!("n{faults}")).await;
                work.nodes.replace(serving, back.address);
                pair[serving] = Some(back);
                serving = 1 - serving;
            }
        }
        faults += 1;
    }
}

/// What one page tells: its number, the last event that it has, and when.
type Told = (usize, i64, Instant);

/// The part of a frame that says which events a page has.
#[derive(Deserialize)]
struct Frame {
    rows: Option<Cursor>,
}

#[derive(Deserialize)]
struct Cursor {
    seq: i64,
}

/// A page that follows one conversation, through one node and, when that is lost, through the other.
struct Page {
    number: usize,
    id: String,
    cookie: String,
    nodes: Nodes,
    seq: i64,
}

impl Page {
    async fn follow(mut self, told: mpsc::UnboundedSender<Told>) {
        for node in self.number.. {
            if self.follow_through(node, &told).await.is_none() && told.is_closed() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Follows until the connection is lost: `None`.
    async fn follow_through(
        &mut self,
        node: usize,
        told: &mpsc::UnboundedSender<Told>,
    ) -> Option<()> {
        let mut socket = socket_as(self.nodes.address(node), &self.cookie)
            .await
            .ok()?;
        let follow = FromBrowser::Follow {
            conversation: self.id.clone(),
            after: self.seq,
        };
        let follow = serde_json::to_string(&follow).expect("plain data");
        socket.send(Message::text(follow)).await.ok()?;
        loop {
            let Message::Text(text) = socket.next().await?.ok()? else {
                continue;
            };
            if let Ok(Frame {
                rows: Some(Cursor { seq }),
            }) = serde_json::from_str(&text)
            {
                self.seq = seq;
                told.send((self.number, seq, Instant::now())).ok()?;
            }
        }
    }
}

async fn follow() {
    let cluster = Cluster::with(backend()).await;
    let folder = TempDir::new().expect("a temporary folder");
    let serving = Process::of(cluster.command_in(folder.path(), &[])).await;
    let code = folder.path().join("set-up-code");
    stage::soon("there is a set-up code", async || {
        code.exists().then_some(())
    })
    .await;
    let other = cluster.command_in(&cluster.folder.path().join("b"), &[]);
    let other = Process::of(other).await;
    let nodes = Nodes::of([&serving, &other]);
    let served = Served {
        process: serving,
        folder,
        rehearsal: cluster.rehearsal,
    };
    let house = House::of(served).await;
    let owner = house.log_in("owner").await;
    let mut ids = Vec::new();
    for _ in 0..FOLLOWED {
        let asked = stage::unlike_others("[[scenario:hello]]");
        ids.push(house.create_conversation(&owner, &asked).await);
    }
    let mut people = Vec::new();
    for number in 0..FOLLOWERS.div_ceil(PAGES) {
        let name = format!("watcher{number}");
        house.add(&owner, &name, Role::Viewer).await;
        people.push(house.log_in(&name).await);
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    let (told, mut heard) = mpsc::unbounded_channel();
    for number in 0..FOLLOWERS {
        let page = Page {
            number,
            // Two pages in a row are on different nodes.
            id: ids[number / 2 % FOLLOWED].clone(),
            cookie: people[number / PAGES].clone(),
            nodes: nodes.clone(),
            seq: 0,
        };
        tokio::spawn(page.follow(told.clone()));
    }
    let mut known = vec![0; FOLLOWERS];
    let mut took: [Vec<Duration>; 2] = Default::default();
    let faults = house.served.rehearsal.faults();
    // What is there when they begin.
    current(&mut heard, &mut known, 1, Instant::now()).await;
    for number in 0..WARM_UP + EVENTS {
        // Until nothing is on its way.
        while let Ok(Some((page, seq, _))) =
            tokio::time::timeout(Duration::from_millis(100), heard.recv()).await
        {
            known[page] = seq;
        }
        let begun = Instant::now();
        faults.inject(&Fault::HugeEvent { bytes: BYTES });
        let got = current(&mut heard, &mut known, 1, begun).await;
        if number >= WARM_UP {
            for (page, time) in got.into_iter().enumerate() {
                took[page % 2].push(time);
            }
        }
    }
    println!("| pages on | pages | p50 | p99 |\n|---|---|---|---|");
    for (which, mut all) in ["the node that serves", "the other node"]
        .into_iter()
        .zip(took)
    {
        all.sort();
        let at = |percent: usize| all[(all.len() * percent / 100).min(all.len() - 1)];
        println!(
            "| {which} | {} | {:.1?} | {:.1?} |",
            FOLLOWERS / 2,
            at(50),
            at(99)
        );
    }
    let before = holder(&cluster.database).await;
    let begun = Instant::now();
    house.served.process.kill();
    let taken = async {
        while holder(&cluster.database).await == before {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        begun.elapsed()
    };
    // Only a connected agent tells something: a page is current with its first event through the node that took over.
    let telling = async {
        loop {
            faults.inject(&Fault::HugeEvent { bytes: BYTES });
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    };
    let current = current(&mut heard, &mut known, 1, begun);
    let (taken, mut got) = tokio::select! {
        both = async { tokio::join!(taken, current) } => both,
        () = telling => unreachable!("it goes on"),
    };
    got.sort();
    println!(
        "\nThe node that serves is killed: another has the lease after {taken:.1?}; half of all pages are current after {:.1?}, all \
         after {:.1?}.",
        got[FOLLOWERS / 2],
        got[FOLLOWERS - 1]
    );
}

/// Waits until each page has `more` events than before; returns how long it took for each.
async fn current(
    heard: &mut mpsc::UnboundedReceiver<Told>,
    known: &mut [i64],
    more: i64,
    begun: Instant,
) -> Vec<Duration> {
    let wanted: Vec<i64> = known.iter().map(|seq| seq + more).collect();
    let mut times = vec![Duration::ZERO; known.len()];
    let mut missing = known.len();
    while missing > 0 {
        let next = tokio::time::timeout(crate::tab::LONG, heard.recv()).await;
        let Ok(next) = next else {
            panic!("{missing} pages do not become current");
        };
        let (page, seq, at) = next.expect("they follow");
        let was_behind = known[page] < wanted[page];
        known[page] = seq;
        if was_behind && seq >= wanted[page] {
            times[page] = at - begun;
            missing -= 1;
        }
    }
    times
}
