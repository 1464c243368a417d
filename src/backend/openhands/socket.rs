//! One Socket.IO connection: the fence around `rust_socketio`, and the only file that names it.
//!
//! Its happy path is good and its life cycle is not: after a refusal nothing can close it, a clean end is
//! signalled to nobody, a blocked write stops its watchdog, lost acknowledgements make it panic. So every
//! connection lives in a runtime of its own. `num_alive_tasks() == 0` is the one sure sign that its reader
//! has ended, however it ended, and dropping the runtime the one sure way to close its socket. Its
//! reconnecting is off: the supervisor owns that, with a fresh query each time.
//!
//! Invariant: no panic, no hang and no leak of the crate gets past [`run`]; dropping the future of [`run`]
//! closes the connection.

use super::ending::End;
use futures_util::FutureExt;
use rust_socketio::{
    Event, Payload, TransportType,
    asynchronous::{Client, ClientBuilder},
};
use serde_json::Value;
use std::time::Duration;
use tokio::{
    runtime::{Builder, Runtime},
    sync::{mpsc, oneshot, watch},
    time::{Instant, interval, timeout},
};
use url::Url;

/// The server closes without a word on larger packets (its `maxPayload`, less the frame around ours).
pub(super) const MOST_EMITTED: usize = (4 << 20) - 256;

/// How long each step of a connection may take.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    /// TCP, TLS, WebSocket and Engine.IO handshake.
    pub open: Duration,
    /// The answer to CONNECT: the whole replay comes before it (`protocol/v0.md` section 3).
    pub connect: Duration,
    /// One write. A peer that does not read stops the crate's own watchdog, so this one is ours.
    pub write: Duration,
    /// Our own consumer. It has to stay below the 20 s after which the server gives us up.
    pub stall: Duration,
    /// An acknowledgement: 0.62 sends none when it rejects what it got.
    pub ack: Duration,
}

/// What arrives.
#[derive(Debug)]
pub(super) enum Incoming {
    /// The server took us in. Events of the replay have come before.
    Connected,
    /// An event and its first argument.
    Event(String, Value),
}

/// What is to be sent.
pub(super) struct Emit {
    pub event: &'static str,
    pub data: Value,
    pub done: oneshot::Sender<Sent>,
}

/// What became of it. No answer at all means that the connection was lost over it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// The server carried it out and said so.
    Acknowledged,
    /// Nothing came back in time.
    NoAnswer,
    /// It is larger than the server takes; nothing was sent.
    TooLarge,
}

/// What the callbacks put through: they hold the crate's only reader, so they do nothing else.
enum Raw {
    Connect,
    Close,
    Error(String),
    Event(String, Payload),
    Stalled,
}

/// Ends task and socket when it goes out of scope.
struct Fenced(Option<Runtime>);

impl Drop for Fenced {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Holds one connection to `endpoint` until it ends, and says why.
///
/// Everything that arrives goes to `out`, events before [`Incoming::Connected`] too; `emits` is read only
/// after it, one at a time.
pub(super) async fn run(
    endpoint: &Url,
    query: &[(&str, &str)],
    limits: &Limits,
    out: mpsc::Sender<Incoming>,
    mut emits: mpsc::Receiver<Emit>,
) -> End {
    let mut url = endpoint.clone();
    url.query_pairs_mut().extend_pairs(query);
    let built = Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(1)
        .thread_name("rust_socketio")
        .enable_all()
        .build();
    let (fenced, handle) = match built {
        Ok(runtime) => {
            let handle = runtime.handle().clone();
            (Fenced(Some(runtime)), handle)
        }
        Err(error) => return End::Unreachable(error.to_string()),
    };
    let (raw, incoming) = mpsc::channel(256);
    let dial = handle.spawn(builder(&url, raw, limits.stall).connect());
    let client = match timeout(limits.open, dial).await {
        Err(_) => return End::Unreachable("no handshake in time".to_owned()),
        Ok(Err(_)) => return End::Unreachable("the handshake makes no sense".to_owned()),
        Ok(Ok(Err(error))) => return End::Unreachable(cause(&error)),
        Ok(Ok(Ok(client))) => client,
    };
    // The reader is the only task in this runtime.
    let alive = || handle.metrics().num_alive_tasks() > 0;
    let (up, is_up) = watch::channel(false);
    let end = tokio::select! {
        biased;
        end = receive(incoming, alive, out, up, limits) => end,
        end = send(&client, &mut emits, is_up, limits) => end,
    };
    // Polite, and its result means nothing: the fence closes the socket either way.
    let _ = timeout(Duration::from_millis(300), client.disconnect()).await;
    drop(fenced);
    end
}

/// The calls of the builder that work. The default transport is broken, the reconnecting cannot be stopped.
fn builder(url: &Url, raw: mpsc::Sender<Raw>, stall: Duration) -> ClientBuilder {
    let push = move |what: Raw| {
        let raw = raw.clone();
        async move {
            if raw.send_timeout(what, stall).await.is_err() {
                let _ = raw.try_send(Raw::Stalled);
            }
        }
        .boxed()
    };
    let (connect, close, error, any) = (push.clone(), push.clone(), push.clone(), push);
    ClientBuilder::new(url.as_str())
        .transport_type(TransportType::Websocket)
        .reconnect(false)
        .reconnect_on_disconnect(false)
        .on(Event::Connect, move |_, _| connect(Raw::Connect))
        .on(Event::Close, move |_, _| close(Raw::Close))
        .on(Event::Error, move |payload, _| {
            error(Raw::Error(text_of(payload)))
        })
        .on_any(move |event, payload, _| any(Raw::Event(event.as_str().to_owned(), payload)))
}

/// Hands on what arrives until the reader is gone.
async fn receive(
    mut incoming: mpsc::Receiver<Raw>,
    alive: impl Fn() -> bool,
    out: mpsc::Sender<Incoming>,
    up: watch::Sender<bool>,
    limits: &Limits,
) -> End {
    let connect_by = Instant::now() + limits.connect;
    let mut tick = interval(Duration::from_millis(250));
    let mut broken = None;
    loop {
        let raw = tokio::select! {
            biased;
            raw = incoming.recv() => raw,
            _ = tick.tick() => {
                if !alive() && incoming.is_empty() {
                    return broken.unwrap_or(End::Disconnected);
                }
                if !*up.borrow() && Instant::now() >= connect_by {
                    return End::NoAnswer;
                }
                continue;
            }
        };
        let arrived = match raw {
            // Every callback is gone, and the reader with them.
            None => return broken.unwrap_or(End::Disconnected),
            Some(Raw::Close) => return End::Disconnected,
            Some(Raw::Stalled) => return End::ConsumerStalled,
            Some(Raw::Error(said)) => match End::refusal(&said) {
                Some(end) => return end,
                // The reader ends right after; what came before it is still to be handed on.
                None => {
                    // The crate's one phrase for everything below it.
                    let nothing = said == "EngineIO Error";
                    let why = if nothing {
                        "it was cut off or went silent".to_owned()
                    } else {
                        said
                    };
                    broken = Some(End::Broken(why));
                    continue;
                }
            },
            Some(Raw::Connect) => {
                up.send_replace(true);
                Incoming::Connected
            }
            Some(Raw::Event(name, Payload::Text(mut values))) if !values.is_empty() => {
                Incoming::Event(name, values.swap_remove(0))
            }
            // Binary events are mangled by the crate, and 0.x sends none.
            Some(Raw::Event(..)) => continue,
        };
        if out.send_timeout(arrived, limits.stall).await.is_err() {
            return End::ConsumerStalled;
        }
    }
}

/// Sends one thing after the other. At most one acknowledgement is outstanding: the crate draws their ids
/// at random out of 999 and panics when one is drawn twice. For the same reason a connection whose
/// acknowledgement did not come is given up.
async fn send(
    client: &Client,
    emits: &mut mpsc::Receiver<Emit>,
    mut is_up: watch::Receiver<bool>,
    limits: &Limits,
) -> End {
    if is_up.wait_for(|up| *up).await.is_err() {
        return std::future::pending().await;
    }
    while let Some(Emit { event, data, done }) = emits.recv().await {
        if data.to_string().len() > MOST_EMITTED {
            let _ = done.send(Sent::TooLarge);
            continue;
        }
        let (ack, acked) = oneshot::channel();
        let mut ack = Some(ack);
        let on_ack = move |_: Payload, _: Client| {
            if let Some(ack) = ack.take() {
                let _ = ack.send(());
            }
            futures_util::future::ready(()).boxed()
        };
        // The crate only forgets an answer that comes late; our own time is shorter.
        let write = client.emit_with_ack(event, data, limits.ack * 4, on_ack);
        match timeout(limits.write, write).await {
            Err(_) => return End::WriteStalled,
            Ok(Err(error)) => return End::Broken(cause(&error)),
            Ok(Ok(())) => {}
        }
        match timeout(limits.ack, acked).await {
            Ok(Ok(())) => drop(done.send(Sent::Acknowledged)),
            _ => {
                let _ = done.send(Sent::NoAnswer);
                return End::AckMissing;
            }
        }
    }
    std::future::pending().await
}

fn text_of(payload: Payload) -> String {
    match payload {
        Payload::Text(values) => match values.into_iter().next() {
            Some(Value::String(text)) => text,
            Some(value) => value.to_string(),
            None => String::new(),
        },
        _ => String::new(),
    }
}

/// The innermost cause: the outer ones say "EngineIO Error", and some hold the URL with the key in it.
fn cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string();
    if text.contains("session_api_key") {
        "the handshake failed".to_owned()
    } else {
        text.chars().take(300).collect()
    }
}
