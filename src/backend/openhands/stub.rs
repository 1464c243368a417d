//! A server for the tests of this folder: a few REST routes, and Engine.IO frames written by hand, so that it
//! can misbehave in every way that a real one does and in some that it should not. One file: its parts make
//! no sense apart.

use crate::backend::http::Connection;
use axum::{
    Json, Router,
    extract::{
        Path, Query, Request, State, WebSocketUpgrade,
        ws::{Message, WebSocket},
    },
    http::{HeaderMap, StatusCode},
    middleware::{Next, from_fn_with_state},
    response::{Html, IntoResponse, Redirect, Response},
    routing::{any, get},
};
use serde_json::{Value, json};
use std::{
    collections::{BTreeSet, HashMap, VecDeque},
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
};
use tokio::sync::{broadcast, watch};

/// The conversation that exists.
pub(in crate::backend) const ID: &str = "0123456789abcdef0123456789abcdef";

/// How the next connection is treated.
#[derive(Debug, Clone)]
pub(super) enum Act {
    /// As it should be.
    Serve,
    /// CONNECT_ERROR with this, and the socket stays open.
    Refuse(Value),
    /// No answer to CONNECT.
    Mute,
    /// Events that are not acknowledged.
    Deaf,
    /// Served, but without the pings that it announces.
    Silent,
    /// One frame of this, in the middle of the replay.
    Frame(String),
    /// The upgrade is never answered.
    Hang,
    /// Up to and including CONNECT, then the connection is dropped.
    Drop,
}

/// A connection to a port of this machine.
pub(in crate::backend) fn at(port: u16) -> Connection {
    Connection {
        base_url: format!("http://127.0.0.1:{port}").parse().unwrap(),
        session_api_key: None,
    }
}

#[derive(Default)]
struct Inner {
    events: Mutex<Vec<Value>>,
    broken: Mutex<BTreeSet<i64>>,
    acts: Mutex<VecDeque<Act>>,
    /// What each connection asked for.
    joins: Mutex<Vec<HashMap<String, String>>>,
    /// What was emitted by the client.
    got: Mutex<Vec<Value>>,
    status: Mutex<Option<String>>,
    counts: Mutex<HashMap<&'static str, u64>>,
    live: Mutex<Option<broadcast::Sender<Live>>>,
    /// Every question is accepted, and none answered.
    frozen: AtomicBool,
    /// How often events were forgotten: the same ids come back at other moments.
    lives: AtomicI64,
}

#[derive(Debug, Clone)]
enum Live {
    Frame(String),
    Close,
}

/// The running server; it ends with the test's runtime.
#[derive(Clone)]
pub(in crate::backend) struct Stub {
    addr: SocketAddr,
    inner: Arc<Inner>,
    live: broadcast::Sender<Live>,
    /// How many connections have joined so far: a state to wait for.
    pub joined: watch::Receiver<usize>,
    /// How many are open.
    pub open: watch::Receiver<usize>,
}

impl Stub {
    pub(in crate::backend) async fn start() -> Self {
        let inner = Arc::new(Inner::default());
        let (live, _) = broadcast::channel(4096);
        *inner.live.lock().unwrap() = Some(live.clone());
        let (joined, watched) = watch::channel(0);
        let (opened, open) = watch::channel(0);
        let doors = Arc::new(Doors {
            joined,
            open: opened,
        });
        let app = Router::new()
            .route(
                "/count",
                get(|State((inner, _)): State<Shared>| async move { Json(inner.count("count")) }),
            )
            .route("/busy", any(busy))
            .route("/page", get(|| async { Html("<html>hello</html>") }))
            .route(
                "/moved",
                get(|| async { Redirect::permanent("http://127.0.0.1:1/") }),
            )
            .route(
                "/key",
                get(|headers: HeaderMap| async move {
                    Json(headers["x-session-api-key"].to_str().unwrap().to_owned())
                }),
            )
            .route("/alive", get(|| async { Json("ok") }))
            .route("/api/conversations/{id}", get(conversation))
            .route("/api/conversations/{id}/events", get(events))
            .route("/socket.io/", get(socket))
            .route_layer(from_fn_with_state(inner.clone(), freeze))
            .with_state((inner.clone(), doors));
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0))
            .await
            .unwrap();
        let addr = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self {
            addr,
            inner,
            live,
            joined: watched,
            open,
        }
    }

    pub(in crate::backend) fn connection(&self) -> Connection {
        at(self.addr.port())
    }

    /// Stores events up to this many.
    pub(super) fn grow(&self, count: i64) {
        let held = self.inner.events.lock().unwrap().len();
        for _ in held..usize::try_from(count).unwrap() {
            self.store(a_word());
        }
    }

    /// Stores one more, with the next id; answers it as it is stored.
    pub(super) fn store(&self, mut event: Value) -> Value {
        let mut events = self.inner.events.lock().unwrap();
        let (id, life) = (events.len(), self.inner.lives.load(Ordering::Relaxed));
        let (minute, second) = (id / 60 % 60, id % 60);
        event["id"] = id.into();
        event["timestamp"] = format!("2026-11-{:02}T00:{minute:02}:{second:02}", life + 1).into();
        events.push(event.clone());
        event
    }

    /// Stores one more and sends it to whoever is connected.
    pub(super) fn tell(&self, event: Value) {
        self.frame(format!("42{}", json!(["oh_event", self.store(event)])));
    }

    /// The agent says something.
    pub(super) fn say(&self) {
        self.tell(a_word());
    }

    /// Sends a frame as it is.
    pub(super) fn frame(&self, frame: String) {
        let _ = self.live.send(Live::Frame(frame));
    }

    /// From now on questions are accepted and not answered, as by a network that swallows everything.
    pub(super) fn freeze(&self, frozen: bool) {
        self.inner.frozen.store(frozen, Ordering::Relaxed);
    }

    /// Forgets all events from this one on.
    pub(super) fn forget(&self, first: i64) {
        let mut events = self.inner.events.lock().unwrap();
        events.truncate(usize::try_from(first).unwrap());
        self.inner.lives.fetch_add(1, Ordering::Relaxed);
    }

    /// Drops every connection.
    pub(super) fn cut(&self) {
        let _ = self.live.send(Live::Close);
    }

    /// The next connections are treated so; after them each is served.
    pub(super) fn next(&self, acts: impl IntoIterator<Item = Act>) {
        self.inner.acts.lock().unwrap().extend(acts);
    }

    /// Every page with this event fails.
    pub(super) fn break_page_of(&self, id: i64) {
        self.grow(id + 1);
        self.inner.broken.lock().unwrap().insert(id);
    }

    /// Every page fails, empty ones too.
    pub(super) fn break_every_page(&self) {
        self.inner.broken.lock().unwrap().insert(i64::MIN);
    }

    pub(super) fn set_status(&self, status: &str) {
        *self.inner.status.lock().unwrap() = Some(status.to_owned());
    }

    /// `latest_event_id` of each connection so far.
    pub(super) fn resumes(&self) -> Vec<i64> {
        self.inner
            .joins
            .lock()
            .unwrap()
            .iter()
            .map(|query| query["latest_event_id"].parse().unwrap())
            .collect()
    }

    pub(super) fn got(&self) -> Vec<Value> {
        self.inner.got.lock().unwrap().clone()
    }
}

type Shared = (Arc<Inner>, Arc<Doors>);

/// Who has come and who is still here.
struct Doors {
    joined: watch::Sender<usize>,
    open: watch::Sender<usize>,
}

impl Inner {
    fn count(&self, what: &'static str) -> u64 {
        let mut counts = self.counts.lock().unwrap();
        let count = counts.entry(what).or_default();
        *count += 1;
        *count
    }
}

fn a_word() -> Value {
    json!({"action": "message", "source": "agent", "args": {"content": "x"}})
}

async fn freeze(State(inner): State<Arc<Inner>>, request: Request, next: Next) -> Response {
    if inner.frozen.load(Ordering::Relaxed) {
        std::future::pending::<()>().await;
    }
    next.run(request).await
}

async fn busy(State((inner, _)): State<Shared>) -> Response {
    if inner.count("busy") % 2 == 1 {
        return (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "1")], "").into_response();
    }
    Json("now").into_response()
}

async fn conversation(State((inner, _)): State<Shared>, Path(id): Path<String>) -> Json<Value> {
    if id != ID {
        return Json(Value::Null);
    }
    let status = inner
        .status
        .lock()
        .unwrap()
        .clone()
        .unwrap_or_else(|| "RUNNING".to_owned());
    Json(json!({ "conversation_id": ID, "title": "T", "status": status }))
}

async fn events(
    State((inner, _)): State<Shared>,
    Query(query): Query<HashMap<String, i64>>,
) -> Response {
    let events = inner.events.lock().unwrap();
    let (start, limit) = (query["start_id"], query["limit"]);
    let end = query.get("end_id").copied().unwrap_or(i64::MAX);
    let wanted: Vec<&Value> = events
        .iter()
        .filter(|event| (start..=end).contains(&event["id"].as_i64().unwrap()))
        .collect();
    let limit = usize::try_from(limit).unwrap();
    let page = &wanted[..wanted.len().min(limit)];
    let broken = inner.broken.lock().unwrap();
    if broken.contains(&i64::MIN)
        || page
            .iter()
            .any(|event| broken.contains(&event["id"].as_i64().unwrap()))
    {
        return (StatusCode::INTERNAL_SERVER_ERROR, "Internal Server Error").into_response();
    }
    Json(json!({ "events": page, "has_more": wanted.len() > limit })).into_response()
}

async fn socket(
    State((inner, doors)): State<Shared>,
    Query(query): Query<HashMap<String, String>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let act = inner.acts.lock().unwrap().pop_front().unwrap_or(Act::Serve);
    if matches!(act, Act::Hang) {
        std::future::pending::<()>().await;
    }
    // Subscribed before anybody can know that we are here.
    let live = inner.live.lock().unwrap().as_ref().unwrap().subscribe();
    inner.joins.lock().unwrap().push(query.clone());
    upgrade.on_upgrade(move |socket| async move {
        doors.open.send_modify(|count| *count += 1);
        let _ = talk(socket, act, inner, query, live, &doors.joined).await;
        doors.open.send_modify(|count| *count -= 1);
    })
}

async fn talk(
    mut socket: WebSocket,
    act: Act,
    inner: Arc<Inner>,
    query: HashMap<String, String>,
    mut live: broadcast::Receiver<Live>,
    joined: &watch::Sender<usize>,
) -> Result<(), axum::Error> {
    let text = |text: &str| Message::Text(text.into());
    let ping = if matches!(act, Act::Silent) {
        100
    } else {
        25_000
    };
    let open = json!({ "sid": "s", "upgrades": [], "pingInterval": ping, "pingTimeout": ping, "maxPayload": 4 << 20 });
    socket.send(text(&format!("0{open}"))).await?;
    while let Some(Ok(message)) = socket.recv().await {
        if message.to_text().is_ok_and(|text| text == "40") {
            break;
        }
    }
    let since: i64 = query["latest_event_id"].parse().unwrap();
    let replay: Vec<Value> = inner
        .events
        .lock()
        .unwrap()
        .iter()
        .filter(|event| event["id"].as_i64() > Some(since))
        .cloned()
        .collect();
    match &act {
        Act::Refuse(why) => {
            socket.send(text(&format!("44{why}"))).await?;
            joined.send_modify(|count| *count += 1);
            // Open until the client goes: the server does not close it.
            while let Some(Ok(_)) = socket.recv().await {}
            return Ok(());
        }
        Act::Mute => {
            joined.send_modify(|count| *count += 1);
            while let Some(Ok(_)) = socket.recv().await {}
            return Ok(());
        }
        Act::Frame(frame) if !replay.is_empty() => socket.send(text(frame)).await?,
        _ => {}
    }
    for event in replay {
        socket
            .send(text(&format!("42{}", json!(["oh_event", event]))))
            .await?;
    }
    socket.send(text(r#"40{"sid":"s"}"#)).await?;
    joined.send_modify(|count| *count += 1);
    if matches!(act, Act::Drop) {
        return Ok(());
    }
    loop {
        tokio::select! {
            said = live.recv() => match said {
                Ok(Live::Frame(frame)) => socket.send(text(&frame)).await?,
                _ => return Ok(()),
            },
            message = socket.recv() => {
                let Some(Ok(message)) = message else { return Ok(()) };
                let Some(emitted) = message.to_text().ok().and_then(|text| text.strip_prefix("42")) else { continue };
                let digits = emitted.bytes().take_while(u8::is_ascii_digit).count();
                let (ack, body) = emitted.split_at(digits);
                inner.got.lock().unwrap().push(serde_json::from_str(body).unwrap());
                if !matches!(act, Act::Deaf) {
                    socket.send(text(&format!("43{ack}[]"))).await?;
                }
            }
        }
    }
}
