//! One Socket.IO connection; isolates `rust_socketio`, and is the only file that uses it.
//!
//! The crate's life cycle is unreliable: nothing can close a rejected connection, a clean end is reported to nobody, a
//! blocked write stops its watchdog, and lost acknowledgements make it panic. Every connection therefore has its own
//! runtime. `num_alive_tasks() == 0` is the only reliable sign that the reader has ended, and dropping the runtime the
//! only reliable way to close the socket. The supervisor reconnects, not the crate, with a new query each time.
//!
//! Invariant: no panic, hang or leak of the crate gets past [`run`]; dropping its future closes the connection.
//!
//! Long because nothing else may use the crate.

use super::refusal::refusal;
use crate::backend::ending::End;
use crate::backend::http::tls;
use crate::backend::live_stream::{room, weight};
use crate::backend::permit::Permit;
use crate::backend::timing::Limits;
use crate::wire::read_json;
use futures_util::FutureExt;
use rust_socketio::asynchronous::{Client, ClientBuilder};
use rust_socketio::{Event, Payload};
use serde_json::Value;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, interval, timeout};
use url::Url;

/// Size limit of an event's JSON, in bytes: the server's `maxPayload` less the frame. It closes silently on larger ones.
pub(super) const MOST_EMITTED: usize = (4 << 20) - 256;

/// Stack size of the connection's threads, in bytes: there are two per connection, and maybe a hundred connections.
const STACK: usize = 1 << 20;

#[derive(Debug)]
pub(super) enum Incoming {
    /// The server accepted the connection. The events of the replay come before.
    Connected,
    /// An event and its first argument.
    Event(String, Value),
}

pub(super) struct Emit {
    pub event: &'static str,
    pub data: Value,
    pub done: oneshot::Sender<Sent>,
}

/// The outcome of an emit. A dropped channel means that the connection was lost.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// The server accepted the event and acknowledged it.
    Acknowledged,
    /// No acknowledgement within the timeout.
    NoAnswer,
    /// The event exceeds the server's size limit; nothing was sent.
    TooLarge,
    /// Nothing may be sent, for this reason.
    Held(String),
}

/// What the callbacks forward. They block the crate's only reader, so they do nothing else.
enum Raw {
    Connect,
    Close,
    Error(String),
    Event(String, Value),
    Stalled,
}

/// Shuts the runtime down on drop, which ends its tasks and closes the socket.
struct Fenced(Option<Runtime>);

impl Drop for Fenced {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Opens a socket to `url` in a runtime of its own, and returns when the connection has ended.
///
/// Received messages go to `out`, events even before [`Incoming::Connected`], which the first of `emits` waits for.
pub(super) async fn run(
    url: &Url,
    limits: &Limits,
    out: mpsc::Sender<Incoming>,
    mut emits: mpsc::Receiver<Emit>,
    permit: &Permit,
) -> End {
    // To join starts a conversation that was stopped.
    if let Err(held) = permit.check().await {
        return End::Unreachable(held.to_string());
    }
    let built = Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(1)
        .thread_stack_size(STACK)
        .thread_name("rust_socketio")
        .enable_all()
        .build();
    let runtime = match built {
        Ok(runtime) => runtime,
        Err(error) => return End::Unreachable(error.to_string()),
    };
    let handle = runtime.handle().clone();
    let fenced = Fenced(Some(runtime));
    let (raw, incoming) = mpsc::channel(256);
    let dial = handle.spawn(builder(url, raw, limits.stall).connect());
    let client = match timeout(limits.open, dial).await {
        Err(_) => return End::Unreachable("the handshake timed out".to_owned()),
        Ok(Err(_)) => return End::Unreachable("the handshake is not valid".to_owned()),
        Ok(Ok(Err(error))) => return End::Unreachable(cause(&error)),
        Ok(Ok(Ok(client))) => client,
    };
    // The reader is the only task in this runtime.
    let alive = || handle.metrics().num_alive_tasks() > 0;
    let (up, is_up) = watch::channel(false);
    let end = tokio::select! {
        biased;
        end = receive(incoming, alive, out, up, limits) => end,
        end = send(&client, &mut emits, is_up, limits, permit) => end,
    };
    // Best effort: dropping `fenced` closes the socket either way.
    let _ = timeout(Duration::from_millis(300), client.disconnect()).await;
    drop(fenced);
    end
}

/// Configures the crate.
fn builder(url: &Url, raw: mpsc::Sender<Raw>, stall: Duration) -> ClientBuilder {
    let push = move |what: Raw| {
        let raw = raw.clone();
        async move {
            let bytes = match &what {
                Raw::Event(_, value) => weight(value),
                _ => 0,
            };
            match timeout(stall, room(&raw, bytes)).await {
                Ok(Some(room)) => room.send(what),
                Ok(None) => {}
                Err(_) => drop(raw.try_send(Raw::Stalled)),
            }
        }
        .boxed()
    };
    let (connect, close, error, any) = (push.clone(), push.clone(), push.clone(), push);
    let builder = ClientBuilder::new(url.as_str());
    let builder = match tls::connector() {
        Some(connector) => builder.tls_config(connector),
        None => builder,
    };
    builder
        .on(Event::Connect, move |_, _| connect(Raw::Connect))
        .on(Event::Close, move |_, _| close(Raw::Close))
        .on(Event::Error, move |said, _| {
            error(Raw::Error(text_of(said)))
        })
        .on_text(move |text, _| match event(&text_of(text)) {
            Some((name, value)) => any(Raw::Event(name, value)),
            // No event, or one without data. The stored events tell whether one is missing.
            None => futures_util::future::ready(()).boxed(),
        })
}

/// Forwards messages until the reader has ended.
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
            // All callbacks are gone, and so is the reader.
            None => return broken.unwrap_or(End::Disconnected),
            Some(Raw::Close) => return End::Disconnected,
            Some(Raw::Stalled) => return End::ConsumerStalled,
            Some(Raw::Error(said)) => match refusal(&said) {
                Some(end) => return end,
                // The reader ends right after this error; forward what arrived before.
                None => {
                    // The crate's message for any error in the transport.
                    let why = match said.as_str() {
                        "EngineIO Error" => "it was closed or timed out",
                        said => said,
                    };
                    broken = Some(End::Broken(why.to_owned()));
                    continue;
                }
            },
            Some(Raw::Connect) => {
                up.send_replace(true);
                Incoming::Connected
            }
            Some(Raw::Event(name, value)) => Incoming::Event(name, value),
        };
        let bytes = match &arrived {
            Incoming::Event(_, value) => weight(value),
            Incoming::Connected => 0,
        };
        match timeout(limits.stall, room(&out, bytes)).await {
            Ok(Some(room)) => room.send(arrived),
            _ => return End::ConsumerStalled,
        }
    }
}

/// Sends events one by one, with at most one outstanding acknowledgement: the crate chooses ack ids at random from 999
/// and panics if one repeats. For the same reason a missing acknowledgement ends the connection.
async fn send(
    client: &Client,
    emits: &mut mpsc::Receiver<Emit>,
    mut is_up: watch::Receiver<bool>,
    limits: &Limits,
    permit: &Permit,
) -> End {
    if is_up.wait_for(|up| *up).await.is_err() {
        return std::future::pending().await;
    }
    while let Some(Emit { event, data, done }) = emits.recv().await {
        if data.to_string().len() > MOST_EMITTED {
            let _ = done.send(Sent::TooLarge);
            continue;
        }
        if let Err(held) = permit.check().await {
            let _ = done.send(Sent::Held(held.to_string()));
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
        // The crate merely drops a late acknowledgement; our own timeout is shorter.
        let write = client.emit_with_ack(event, data, limits.ack * 4, on_ack);
        match timeout(limits.write.min(permit.remaining()), write).await {
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

/// The name of an event and its first argument, within the limits of [`read_json`]; the crate hands over its text.
fn event(text: &str) -> Option<(String, Value)> {
    let Value::Array(parts) = read_json(text.as_bytes())? else {
        return None;
    };
    let mut parts = parts.into_iter();
    match (parts.next()?, parts.next()?) {
        (Value::String(name), value) => Some((name, value)),
        _ => None,
    }
}

fn text_of(payload: Payload) -> String {
    let Payload::Text(values) = payload;
    match values.into_iter().next() {
        Some(Value::String(text)) => text,
        value => value.map(|value| value.to_string()).unwrap_or_default(),
    }
}

/// The innermost cause of an error: the outer ones only say "EngineIO Error", and some contain the URL with the key.
fn cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let text = cause.to_string();
    match text.contains("session_api_key") {
        true => "the handshake failed".to_owned(),
        false => text.chars().take(300).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_is_read_as_python_writes_it_and_a_flood_of_values_stays_text() {
        let read = event(r#"["oh_event",{"id":3,"content":"caf\udce9","score":NaN}]"#);
        let expected = json!({"id": 3, "content": "caf\u{fffd}", "score": "NaN"});
        assert_eq!(read, Some(("oh_event".to_owned(), expected)));
        let flood = format!("[{}{{}}]", "{\"a\":0},".repeat(200_000));
        let (_, value) =
            event(&format!(r#"["oh_event",{{"id":4,"args":{flood}}}]"#)).expect("an event");
        assert_eq!((&value["id"], &value["args"]), (&json!(4), &json!(flood)));
        for none in [
            "",
            "{}",
            "[]",
            "[\"oh_event\"]",
            "[1,2]",
            "[\"oh_event\",nan]",
        ] {
            assert_eq!(event(none), None, "{none}");
        }
    }
}
