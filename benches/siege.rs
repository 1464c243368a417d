//! Handrail under attack, with a hard memory limit: a hostile backend, twenty users who send the most expensive
//! requests as fast as they can, logins, and idle connections. Meanwhile one user follows a conversation and another
//! approves actions, on an honest backend.
//!
//! The attackers, both backends and Handrail share the machine, so the times are upper bounds. `HANDRAIL_SIEGE_SECONDS`
//! sets the duration in seconds (600).
//!
//! Long because attackers, honest users and the memory limit share one process and its counters.

use crate::house::{House, PASSWORD};
use crate::{house, stage};
use futures_util::{SinkExt, StreamExt};
use handrail::backend::rehearsal::{Fault, Faults, Rehearsal};
use handrail::live::{FromBrowser, FromServer};
use handrail::people::Role;
use reqwest::{Method, multipart};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::Message;
use tokio_util::sync::CancellationToken;

/// Address space that Handrail may allocate beyond its size at the start of the attack, in bytes.
const LIMIT: u64 = 768 << 20;
/// Users who send the most expensive requests.
const CROWD: usize = 20;
const LOGINS: u32 = 1000;
/// Connections that send nothing.
const SILENT: usize = 300;
/// Output of the hostile backend: number of pieces, and bytes per piece.
const PIECES: u32 = 250;
const PIECE: usize = 1 << 20;
/// Its largest events: their number, and bytes per event.
const LARGE_EVENTS: u32 = 5;
const LARGE: usize = 50 << 20;
/// Nesting depth of its JSON.
const DEPTH: usize = 100_000;
/// Bytes of each side of its largest edit, slightly below the frame limit.
const EDIT: usize = 2_000_000;
/// Bytes of an upload.
const UPLOAD: usize = 24 << 20;
/// Small values of an event and of an imported file: 8 MB of JSON that would take gigabytes as values.
const VALUES: usize = 1_200_000;
/// Users of the crowd who also hold bodies and responses: each sends files that do not end, and reads exports slowly.
const SLOW: usize = 10;
/// Bytes of such a file that arrive at once; after that one every few seconds.
const HELD: usize = 5 << 20;
/// The pause between two bytes of a slow sender, and between two small reads of a slow reader.
const SLOW_PAUSE: Duration = Duration::from_secs(5);
/// Interval between two events of the honest backend.
const BEAT: Duration = Duration::from_millis(200);
/// How long the user reads a question before they approve it.
const REACTION_TIME: Duration = Duration::from_millis(1200);
/// How long Handrail has to release memory.
const AFTERWARDS: Duration = Duration::from_secs(60);

/// Measures, and prints a table.
pub fn run() {
    // Measurements run on a thread of their own, so that the attackers' work does not count as Handrail's.
    let quiet = runtime(1);
    let loud = runtime(2);
    let honest = quiet.block_on(async { Rehearsal::start(stage::quick()).await });
    let honest = honest.expect("a free port");
    let address = format!("http://{}", honest.addr());
    let options = ["--trusted-proxy", "127.0.0.1", "--backend", &address];
    let siege = loud.block_on(Siege::prepare(&options, &address));
    let siege = Arc::new(siege);
    let id = siege.house.served.process.id();
    limit(id);
    let beginning = Memory::of(id);
    let over = CancellationToken::new();
    let attack = {
        let (siege, over) = (Arc::clone(&siege), over.clone());
        loud.spawn(async move { siege.attack(&over).await })
    };
    let seconds =
        std::env::var("HANDRAIL_SIEGE_SECONDS").map(|text| text.parse().expect("a number"));
    let seconds = Duration::from_secs(seconds.unwrap_or(600));
    let faults = honest.faults();
    let (watched, approved) = quiet.block_on(async {
        let ended = over.clone();
        let end = async {
            tokio::time::sleep(seconds).await;
            ended.cancel();
        };
        let (watched, approved, ()) =
            tokio::join!(siege.watch(faults, &over), siege.approve(&over), end);
        (watched, approved)
    });
    let most = Memory::of(id);
    loud.block_on(attack).expect("the attack does not panic");
    std::thread::sleep(AFTERWARDS);
    let end = Memory::of(id);

    println!("| what | p50 | p99 | most | count |\n|---|---|---|---|---|");
    report("live delivery to an honest watcher", watched);
    report("an approval", approved);
    println!("\n| memory of Handrail | resident | address space |\n|---|---|---|");
    for (when, memory) in [
        ("at the beginning", beginning),
        ("when the attack ends", most),
        ("a minute later", end),
    ] {
        println!(
            "| {when} | {} MiB | {} MiB |",
            memory.resident >> 20,
            memory.space >> 20
        );
    }
    println!(
        "| the most ever | {} MiB | {} MiB |",
        end.most_resident >> 20,
        end.most_space >> 20
    );
    println!("\n| done meanwhile | answer | times |\n|---|---|---|");
    for ((what, answer), times) in &*siege.done.lock().unwrap_or_else(PoisonError::into_inner) {
        println!("| {what} | {answer} | {times} |");
    }
}

fn runtime(threads: usize) -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let builder = builder.worker_threads(threads).enable_all();
    builder.build().expect("there are threads")
}

/// Sets a hard limit on the address space of the process.
fn limit(process: u32) {
    let most = Memory::of(process).space + LIMIT;
    let given = Command::new("prlimit")
        .args(["--pid", &process.to_string(), &format!("--as={most}")])
        .status();
    assert!(given.expect("there is a prlimit").success());
}

/// Memory use of a process, in bytes.
#[derive(Clone, Copy)]
struct Memory {
    resident: u64,
    space: u64,
    most_resident: u64,
    most_space: u64,
}

impl Memory {
    fn of(process: u32) -> Self {
        let status = std::fs::read_to_string(format!("/proc/{process}/status"));
        let status = status.expect("Handrail runs");
        let line = |name: &str| {
            let mut lines = status.lines();
            let line = lines.find_map(|line| line.strip_prefix(name)?.split_whitespace().next());
            1024 * line
                .expect("it has the line")
                .parse::<u64>()
                .expect("a number")
        };
        Self {
            resident: line("VmRSS:"),
            space: line("VmSize:"),
            most_resident: line("VmHWM:"),
            most_space: line("VmPeak:"),
        }
    }
}

struct Siege {
    house: House,
    owner: String,
    /// Session cookies of the crowd.
    crowd: Vec<String>,
    /// The conversation on the hostile backend.
    hostile: String,
    /// Conversations on the honest backend: one to follow, one with approvals.
    watched: String,
    asking: String,
    /// Number of requests by kind and response.
    done: Mutex<BTreeMap<(String, String), u32>>,
}

impl Siege {
    async fn prepare(options: &[&str], honest: &str) -> Self {
        let house = House::with(options).await;
        let owner = house.log_in("owner").await;
        let mut crowd = Vec::new();
        for number in 0..CROWD {
            let name = format!("crowd{number}");
            house.add(&owner, &name, Role::Operator).await;
            crowd.push(house.log_in(&name).await);
        }
        let honest = format!("OpenHands at {honest}");
        let hostile = format!("OpenHands at http://{}", house.served.rehearsal.addr());
        let create_conversation = async |message: &str, backend: &str| -> String {
            let fields = [("message", message), ("backend", backend)];
            let made = house.call("create_conversation", &owner, &fields).await;
            assert_eq!(made.status(), 200, "{message}");
            made.json().await.expect("it is an id")
        };
        let hostile = create_conversation("[[scenario:tour]]", &hostile).await;
        let watched = create_conversation("[[scenario:hello]]", &honest).await;
        let asking = create_conversation("[[scenario:confirm]]", &honest).await;
        Self {
            house,
            owner,
            crowd,
            hostile,
            watched,
            asking,
            done: Mutex::default(),
        }
    }

    fn count(&self, what: &str, answer: impl Display) {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        *done
            .entry((what.to_owned(), answer.to_string()))
            .or_default() += 1;
    }

    /// Emits events and measures when the follower receives them.
    async fn watch(&self, faults: &Faults, over: &CancellationToken) -> Vec<Duration> {
        let mut connection = self.house.tab(&self.owner, &self.watched).await;
        let followed = |frame: FromServer| {
            let session = frame.session()?;
            stage::is_at_rest(session).then_some(())
        };
        connection.until("the work is done", followed).await;
        let mut took = Vec::new();
        while !over.is_cancelled() {
            let began = Instant::now();
            faults.inject(&Fault::HugeEvent { bytes: 300 });
            let rows = |frame| match frame {
                FromServer::Rows { conversation, .. } => {
                    (conversation == self.watched).then_some(())
                }
                _ => None,
            };
            connection.until("a row", rows).await;
            took.push(began.elapsed());
            connection.say(&FromBrowser::Ping).await;
            tokio::time::sleep(BEAT).await;
        }
        took
    }

    /// Approves every pending action, and measures how long Handrail takes for it.
    async fn approve(&self, over: &CancellationToken) -> Vec<Duration> {
        let mut connection = self.house.tab(&self.owner, &self.asking).await;
        let (mut took, mut said) = (Vec::new(), 0_u32);
        let (mut known, mut changed) = (None, Instant::now());
        while !over.is_cancelled() {
            connection.say(&FromBrowser::Ping).await;
            if let Ok(frame) = tokio::time::timeout(BEAT, connection.next()).await
                && let Some(session) = frame.expect("the connection is open").session()
            {
                (known, changed) = (Some(session.clone()), Instant::now());
            }
            // The user reads the question first.
            let Some(session) = known
                .as_ref()
                .filter(|_| changed.elapsed() >= REACTION_TIME)
            else {
                continue;
            };
            changed = Instant::now();
            if let Some(approval) = session.approval.as_ref().filter(|one| !one.answering) {
                let fields = [
                    ("id", &*self.asking),
                    ("token", &approval.token),
                    ("decision", "approve"),
                ];
                let began = Instant::now();
                let answer = self
                    .house
                    .call("answer_confirmation", &self.owner, &fields)
                    .await;
                if answer.status() == 200 {
                    took.push(began.elapsed());
                }
                self.count("approve", answer.status());
            } else if stage::is_over(session) {
                said += 1;
                let fields = [
                    ("id", &*self.asking),
                    ("text", "[[scenario:confirm]]"),
                    ("client_id", &format!("again{said}")),
                ];
                let answer = self.house.call("send_message", &self.owner, &fields).await;
                self.count("ask for more to approve", answer.status());
            }
        }
        took
    }

    async fn attack(self: &Arc<Self>, over: &CancellationToken) {
        let mut attackers = Vec::new();
        let mut start = |attacker: JoinHandle<()>| attackers.push(attacker);
        let siege = || (Arc::clone(self), over.clone());
        let (one, ended) = siege();
        start(tokio::spawn(async move { one.print(&ended).await }));
        let (one, ended) = siege();
        start(tokio::spawn(
            async move { one.follow_hostile(&ended).await },
        ));
        for number in 0..CROWD {
            let (one, ended) = siege();
            start(tokio::spawn(async move { one.crowd(number, &ended).await }));
        }
        for number in 0..SLOW {
            for path in ["/import", "/c/{id}/upload"] {
                let (one, ended) = siege();
                start(tokio::spawn(async move {
                    one.send_slowly(number, path, &ended).await
                }));
            }
            let (one, ended) = siege();
            start(tokio::spawn(async move {
                one.read_slowly(number, &ended).await
            }));
        }
        let (one, ended) = siege();
        start(tokio::spawn(async move { one.log_in(&ended).await }));
        for _ in 0..SILENT {
            let (one, ended) = siege();
            start(tokio::spawn(async move { one.say_nothing(&ended).await }));
        }
        for attacker in attackers {
            attacker.await.expect("an attacker does not panic");
        }
    }

    /// Follows the hostile conversation, and reopens the connection when it is closed.
    async fn follow_hostile(&self, over: &CancellationToken) {
        while !over.is_cancelled() {
            let mut connection = self.house.tab(&self.crowd[0], &self.hostile).await;
            let mut pinged = Instant::now();
            while !over.is_cancelled() {
                if let Ok(Err(_)) = tokio::time::timeout(BEAT, connection.next()).await {
                    break;
                }
                if pinged.elapsed() > REACTION_TIME {
                    let ping = serde_json::to_string(&FromBrowser::Ping).expect("plain data");
                    if connection.0.send(Message::text(ping)).await.is_err() {
                        break;
                    }
                    pinged = Instant::now();
                }
            }
        }
    }

    /// The output of the hostile backend.
    async fn print(&self, over: &CancellationToken) {
        let faults = self.house.served.rehearsal.faults();
        let deep = format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
        let deep = format!(
            r#"42["oh_event",{{"id":900000,"timestamp":"2026-01-01T00:00:00","source":"agent","message":"deep","action":"think","args":{{"thought":{deep}}}}}]"#
        );
        let words = |word: &str| format!("{word} ").repeat(EDIT / 4);
        let edit = format!(
            r#"42["oh_event",{{"id":900001,"timestamp":"2026-01-01T00:00:00","source":"agent","message":"edit","action":"edit","args":{{"path":"/workspace/big.txt","command":"str_replace","old_str":"{}","new_str":"{}","impl_source":"oh_aci","thought":""}}}}]"#,
            words("old"),
            words("new")
        );
        faults.inject(&Fault::GarbageFrame { frame: Some(edit) });
        self.count("print an edit of 2 MB of words", "done");
        let values = format!(
            r#"42["oh_event",{{"id":900002,"timestamp":"2026-01-01T00:00:00","source":"agent","message":"values","observation":"mcp","content":"","extras":{{"values":[{}]}}}}]"#,
            objects()
        );
        faults.inject(&Fault::GarbageFrame {
            frame: Some(values),
        });
        self.count("print an event of 1.2 million values", "done");
        for number in 0..PIECES.max(LARGE_EVENTS) {
            if over.is_cancelled() {
                return;
            }
            faults.inject(&Fault::HugeEvent { bytes: PIECE });
            faults.inject(&Fault::GarbageFrame {
                frame: Some(deep.clone()),
            });
            if number.is_multiple_of(PIECES / LARGE_EVENTS) {
                faults.inject(&Fault::HugeEvent { bytes: LARGE });
                self.count("print 50 MB at once", "done");
            }
            self.count("print 1 MB, and JSON 100,000 deep", "done");
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }

    /// One user of the crowd: the most expensive requests, one after the other.
    async fn crowd(&self, number: usize, over: &CancellationToken) {
        let cookie = &self.crowd[number];
        let id = &*self.hostile;
        let words: Vec<String> = (0..4000).map(|word| format!("w{}", word % 997)).collect();
        let words = words.join(" ");
        let mut turn = number;
        while !over.is_cancelled() {
            turn += 1;
            let get = |path: String| self.house.request(Method::GET, &path, Some(cookie), &[]);
            let post = |name: &str, fields: &[(&str, &str)]| {
                self.house
                    .request(Method::POST, &house::path_of(name), Some(cookie), fields)
            };
            let (what, request) = match turn % 11 {
                0 => (
                    "search with 4,000 words",
                    post(
                        "search_events",
                        &[("ask[conversation]", id), ("ask[q]", &words)],
                    ),
                ),
                1 => (
                    "search",
                    post("search_events", &[("ask[q]", "x* ver1.1 a huge event")]),
                ),
                2 => (
                    "search the list",
                    post("list_conversations", &[("ask[q]", "a e i")]),
                ),
                3 => ("export as JSON", get(format!("/c/{id}/trajectory.json"))),
                4 => ("export as Markdown", get(format!("/c/{id}/export.md"))),
                5 => ("open the changes", get(format!("/c/{id}?panel=changes"))),
                6 => (
                    "open a diff",
                    post("read_change", &[("id", id), ("path", "tally.py")]),
                ),
                7 => (
                    "open the page",
                    get(format!("/c/{id}")).headers(house::page()),
                ),
                8 => (
                    "files of an unknown conversation",
                    get(format!("/c/{turn:032x}?panel=files")),
                ),
                9 => {
                    let file = format!(
                        r#"[{{"id":0,"source":"user","action":"message","args":{{"content":"x","values":[{}]}}}}]"#,
                        objects()
                    );
                    let form = multipart::Form::new()
                        .part("file", multipart::Part::text(file).file_name("values.json"));
                    let address = self.house.served.process.address;
                    let request = self.house.client.post(format!("http://{address}/import"));
                    let request = request.multipart(form).header("cookie", cookie);
                    let request = request.header("origin", format!("http://{address}"));
                    ("import 1.2 million values", request)
                }
                _ => {
                    let part = multipart::Part::bytes(vec![b'x'; UPLOAD]).file_name("large.bin");
                    let form = multipart::Form::new().part("file", part);
                    let path = format!("/c/{id}/upload");
                    let request = get(path.clone())
                        .build()
                        .expect("it is a request")
                        .url()
                        .clone();
                    let address = self.house.served.process.address;
                    let request = self.house.client.post(request).multipart(form);
                    let request = request.header("origin", format!("http://{address}"));
                    ("upload 24 MB", request.header("cookie", cookie))
                }
            };
            let answer = tokio::time::timeout(Duration::from_secs(60), self.swallow(request)).await;
            match answer {
                Ok(Ok(status)) => self.count(what, status),
                Ok(Err(error)) => {
                    self.count(
                        what,
                        if error.is_connect() {
                            "no connection"
                        } else {
                            "broken off"
                        },
                    );
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                Err(_) => self.count(what, "given up after 60 s"),
            }
        }
    }

    /// Reads a response and discards it.
    async fn swallow(&self, request: reqwest::RequestBuilder) -> reqwest::Result<u16> {
        let answer = request.send().await?;
        let status = answer.status().as_u16();
        let mut pieces = answer.bytes_stream();
        while let Some(piece) = pieces.next().await {
            piece?;
        }
        Ok(status)
    }

    /// Opens a connection and sends the head of a request of a user of the crowd.
    async fn begin(&self, number: usize, head: &str) -> Option<TcpStream> {
        let address = self.house.served.process.address;
        let cookie = &self.crowd[number];
        let mut stream = TcpStream::connect(address).await.ok()?;
        let head = format!(
            "{head}host: {address}\r\norigin: http://{address}\r\ncookie: {cookie}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.ok()?;
        Some(stream)
    }

    /// Sends a file whose end never arrives, again and again.
    async fn send_slowly(&self, number: usize, path: &str, over: &CancellationToken) {
        let path = path.replace("{id}", &self.hostile);
        let what = format!(
            "send a file slowly to {}",
            path.rsplit('/').next().unwrap_or_default()
        );
        let head = format!(
            "POST {path} HTTP/1.1\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: {UPLOAD}\r\n"
        );
        let begins = "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"x\"\r\n\r\n";
        while !over.is_cancelled() {
            if let Some(mut stream) = self.begin(number, &head).await {
                let body = [begins.as_bytes(), &vec![b'x'; HELD]].concat();
                let send = async {
                    stream.write_all(&body).await?;
                    loop {
                        tokio::time::sleep(SLOW_PAUSE).await;
                        stream.write_all(b"x").await?;
                    }
                };
                let ended: Option<std::io::Result<()>> = over.run_until_cancelled(send).await;
                if ended.is_some() {
                    self.count(&what, "hung up on");
                }
            }
            let _ = over.run_until_cancelled(tokio::time::sleep(BEAT)).await;
        }
    }

    /// Reads an export at a few bytes a second, again and again.
    async fn read_slowly(&self, number: usize, over: &CancellationToken) {
        let head = format!("GET /c/{}/export.html HTTP/1.1\r\n", self.hostile);
        while !over.is_cancelled() {
            if let Some(mut stream) = self.begin(number, &head).await {
                let mut piece = [0; 64];
                let read = async {
                    while stream.read(&mut piece).await.is_ok_and(|read| read > 0) {
                        tokio::time::sleep(SLOW_PAUSE).await;
                    }
                };
                if over.run_until_cancelled(read).await.is_some() {
                    self.count("read an export slowly", "hung up on");
                }
            }
            let _ = over.run_until_cancelled(tokio::time::sleep(BEAT)).await;
        }
    }

    /// Logs in repeatedly, each time from another address.
    async fn log_in(&self, over: &CancellationToken) {
        static ADDRESS: AtomicU32 = AtomicU32::new(0);
        let workers = (0..8).map(|_| async {
            while !over.is_cancelled() {
                let number = ADDRESS.fetch_add(1, Ordering::Relaxed);
                if number >= LOGINS {
                    return;
                }
                let [_, a, b, c] = number.to_be_bytes();
                let name = format!("crowd{}", number as usize % CROWD);
                let form = [("name", &*name), ("password", PASSWORD)];
                let request = self.house.request(Method::POST, "/login", None, &form);
                let request = request.header("x-forwarded-for", format!("10.{a}.{b}.{c}"));
                match request.send().await {
                    Ok(answer) => self.count("log in", answer.status().as_u16()),
                    Err(_) => self.count("log in", "broken off"),
                }
            }
        });
        futures_util::future::join_all(workers).await;
    }

    /// Connects from an address of its own, sends nothing until the server closes the connection, and connects again.
    async fn say_nothing(&self, over: &CancellationToken) {
        let from: SocketAddr = "127.0.0.9:0".parse().expect("an address");
        while !over.is_cancelled() {
            let socket = TcpSocket::new_v4().expect("there are sockets");
            socket.bind(from).expect("it is of loopback");
            match socket.connect(self.house.served.process.address).await {
                Ok(mut stream) => {
                    let mut nothing = [0; 64];
                    let said = async {
                        while stream.read(&mut nothing).await.is_ok_and(|read| read > 0) {}
                    };
                    tokio::select! {
                        () = said => self.count("say nothing", "hung up on"),
                        () = over.cancelled() => {}
                    }
                }
                Err(_) => self.count("say nothing", "no connection"),
            }
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    }
}

/// Many small objects as the inside of a JSON list.
fn objects() -> String {
    let mut all = "{},".repeat(VALUES);
    all.pop();
    all
}

fn report(what: &str, mut took: Vec<Duration>) {
    took.sort();
    let at =
        |percent: usize| took.get((took.len() * percent / 100).min(took.len().saturating_sub(1)));
    let most = took.last();
    println!(
        "| {what} | {:.1?} | {:.1?} | {:.1?} | {} |",
        at(50).unwrap_or(&Duration::ZERO),
        at(99).unwrap_or(&Duration::ZERO),
        most.unwrap_or(&Duration::ZERO),
        took.len()
    );
}
