//! A test server: a few REST routes and hand-written Engine.IO frames, so that it can misbehave in every way that a real
//! server does, and in more. It is one file because its parts only make sense together.

use crate::backend::http::Connection;
use axum::{
    Json, Router,
    extract::{
        Path, Query, Request, State, WebSocketUpgrade,
        ws::{Message, WebSocket},
    },
    http::{HeaderMap, Method, StatusCode},
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

/// The only conversation.
pub(in crate::backend) const ID: &str = "0123456789abcdef0123456789abcdef";

/// How the next connection is handled.
#[derive(Debug, Clone)]
pub(in crate::backend) enum Act {
    /// Normally.
    Serve,
    /// Sends CONNECT_ERROR with this value and leaves the socket open.
    Refuse(Value),
    /// Does not respond to CONNECT.
    Mute,
    /// Does not acknowledge events.
    Deaf,
    /// Serves, but sends none of the announced pings.
    Silent,
    /// Sends this frame in the middle of the replay.
    Frame(String),
    /// Never responds to the upgrade.
    Hang,
    /// Drops the connection after CONNECT.
    Drop,
}

/// An address on this machine.
pub(in crate::backend) fn at(port: u16) -> Connection {
    Connection {
        base_url: format!("http://127.0.0.1:{port}").parse().unwrap(),
        session_api_key: None,
        permit: Default::default(),
    }
}

#[derive(Default)]
struct Inner {
    events: Mutex<Vec<Value>>,
    broken: Mutex<BTreeSet<i64>>,
    acts: Mutex<VecDeque<Act>>,
    /// The query of each connection.
    joins: Mutex<Vec<HashMap<String, String>>>,
    /// Events that the client emitted.
    got: Mutex<Vec<Value>>,
    status: Mutex<Option<String>>,
    counts: Mutex<HashMap<&'static str, u64>>,
    live: Mutex<Option<broadcast::Sender<Live>>>,
    /// Requests are accepted and never answered.
    frozen: AtomicBool,
    /// How often events were deleted; new events then have the same ids and other timestamps.
    lives: AtomicI64,
}

#[derive(Debug, Clone)]
enum Live {
    Frame(String),
    Close,
}

/// A running test server; ends with the test's runtime.
#[derive(Clone)]
pub(in crate::backend) struct Stub {
    addr: SocketAddr,
    inner: Arc<Inner>,
    live: broadcast::Sender<Live>,
    /// Number of connections that have joined so far; tests wait for it.
    pub joined: watch::Receiver<usize>,
    /// Number of open connections.
    pub open: watch::Receiver<usize>,
}

impl Stub {
    pub(in crate::backend) async fn start() -> Self {
        let inner = Arc::new(Inner::default());
        let (live, _) = broadcast::channel(4096);
        *inner.live.lock().unwrap() = Some(live.clone());
        let (joined, watched) = watch::channel(0);
        let (opened, open) = watch::channel(0);
        let sockets = Arc::new(SocketCounts {
            joined,
            open: opened,
        });
        let app = Router::new()
            .route(
                "/count",
                get(|State((inner, _)): State<Shared>| async move { Json(inner.count("count")) }),
            )
            .route("/counted", any(counted))
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
            .route(
                "/openapi.json",
                get(|| async { Json(json!({ "info": { "version": "0.62.0" } })) }),
            )
            .route("/api/conversations/{id}", get(conversation))
            .route("/api/conversations/{id}/events", get(events))
            .route("/socket.io/", get(socket))
            .route_layer(from_fn_with_state(inner.clone(), freeze))
            .with_state((inner.clone(), sockets));
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

    /// Stores events until there are this many.
    pub(in crate::backend) fn grow(&self, count: i64) {
        let stored = self.inner.events.lock().unwrap().len();
        for _ in stored..usize::try_from(count).unwrap() {
            self.store(a_word());
        }
    }

    /// Stores an event with the next id, and returns it as stored.
    pub(in crate::backend) fn store(&self, mut event: Value) -> Value {
        let mut events = self.inner.events.lock().unwrap();
        let (id, life) = (events.len(), self.inner.lives.load(Ordering::Relaxed));
        let (minute, second) = (id / 60 % 60, id % 60);
        event["id"] = id.into();
        event["timestamp"] = format!("2026-11-{:02}T00:{minute:02}:{second:02}", life + 1).into();
        events.push(event.clone());
        event
    }

    /// Stores an event and sends it to all connected clients.
    pub(in crate::backend) fn tell(&self, event: Value) {
        self.frame(format!("42{}", json!(["oh_event", self.store(event)])));
    }

    /// Stores and sends a message of the agent.
    pub(in crate::backend) fn say(&self) {
        self.tell(a_word());
    }

    /// Sends a raw frame.
    pub(in crate::backend) fn frame(&self, frame: String) {
        let _ = self.live.send(Live::Frame(frame));
    }

    /// While set, requests are accepted and never answered, as on a network that drops all packets.
    pub(in crate::backend) fn freeze(&self, frozen: bool) {
        self.inner.frozen.store(frozen, Ordering::Relaxed);
    }

    /// Deletes all events from this id on.
    pub(in crate::backend) fn forget(&self, first: i64) {
        let mut events = self.inner.events.lock().unwrap();
        events.truncate(usize::try_from(first).unwrap());
        self.inner.lives.fetch_add(1, Ordering::Relaxed);
    }

    /// Drops all connections.
    pub(in crate::backend) fn cut(&self) {
        let _ = self.live.send(Live::Close);
    }

    /// Handles the next connections like this; later ones normally.
    pub(in crate::backend) fn next(&self, acts: impl IntoIterator<Item = Act>) {
        self.inner.acts.lock().unwrap().extend(acts);
    }

    /// Makes every page with this event fail.
    pub(in crate::backend) fn break_page_of(&self, id: i64) {
        self.grow(id + 1);
        self.inner.broken.lock().unwrap().insert(id);
    }

    /// Makes every page fail, even empty ones.
    pub(in crate::backend) fn break_every_page(&self) {
        self.inner.broken.lock().unwrap().insert(i64::MIN);
    }

    pub(in crate::backend) fn set_status(&self, status: &str) {
        *self.inner.status.lock().unwrap() = Some(status.to_owned());
    }

    /// `latest_event_id` of each connection so far.
    pub(in crate::backend) fn resumes(&self) -> Vec<i64> {
        self.inner
            .joins
            .lock()
            .unwrap()
            .iter()
            .map(|query| query["latest_event_id"].parse().unwrap())
            .collect()
    }

    pub(in crate::backend) fn got(&self) -> Vec<Value> {
        self.inner.got.lock().unwrap().clone()
    }
}

type Shared = (Arc<Inner>, Arc<SocketCounts>);

/// Counts of connections.
struct SocketCounts {
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

/// How many orders have arrived.
async fn counted(State((inner, _)): State<Shared>, method: Method) -> Json<u64> {
    if method != Method::GET {
        inner.count("counted");
    }
    Json(inner.counts.lock().unwrap()["counted"])
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
    State((inner, sockets)): State<Shared>,
    Query(query): Query<HashMap<String, String>>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let act = inner.acts.lock().unwrap().pop_front().unwrap_or(Act::Serve);
    if matches!(act, Act::Hang) {
        std::future::pending::<()>().await;
    }
    // Subscribe before anyone can see this connection.
    let live = inner.live.lock().unwrap().as_ref().unwrap().subscribe();
    inner.joins.lock().unwrap().push(query.clone());
    upgrade.on_upgrade(move |socket| async move {
        sockets.open.send_modify(|count| *count += 1);
        let _ = talk(socket, act, inner, query, live, &sockets.joined).await;
        sockets.open.send_modify(|count| *count -= 1);
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
            // Wait until the client closes; the real server does not close it, either.
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
