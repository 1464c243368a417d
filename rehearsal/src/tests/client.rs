//! A minimal WebSocket client that sees frames in wire order, and how a connection ends.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

use super::super::Rehearsal;

/// Long enough for a loaded machine; only a failing test waits this long.
const TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Debug, PartialEq)]
pub enum Frame {
    Text(String),
    Close(u16),
    /// The connection ended without a close frame.
    Lost,
}

pub struct Client {
    frames: UnboundedReceiver<Frame>,
    write: OwnedWriteHalf,
}

impl Client {
    /// Opens a WebSocket and consumes the open packet.
    pub async fn open(server: &Rehearsal, query: &str) -> Self {
        let stream = TcpStream::connect(server.addr()).await.unwrap();
        let (mut read, mut write) = stream.into_split();
        let request = format!(
            "GET /socket.io/?EIO=4&transport=websocket&{query} HTTP/1.1\r\nHost: {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
            server.addr()
        );
        write.write_all(request.as_bytes()).await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(read.read_u8().await.unwrap());
        }
        assert!(
            head.starts_with(b"HTTP/1.1 101"),
            "{}",
            String::from_utf8_lossy(&head)
        );
        let (sender, frames) = unbounded_channel();
        tokio::spawn(async move {
            loop {
                let frame = frame(&mut read).await.unwrap_or(Frame::Lost);
                let last = !matches!(frame, Frame::Text(_));
                if sender.send(frame).is_err() || last {
                    return;
                }
            }
        });
        let mut client = Self { frames, write };
        let open = client.text().await;
        assert!(
            open.starts_with("0{") && open.contains("\"maxPayload\":4194304"),
            "{open}"
        );
        client
    }

    /// Opens a WebSocket with this query and sends a CONNECT.
    pub async fn connect(server: &Rehearsal, query: &str) -> Self {
        let mut client = Self::open(server, query).await;
        client.send("40").await;
        client
    }

    /// Joins a conversation.
    pub async fn join(server: &Rehearsal, id: &str, latest: i64) -> Self {
        Self::connect(
            server,
            &format!("conversation_id={id}&latest_event_id={latest}"),
        )
        .await
    }

    pub async fn frame(&mut self) -> Frame {
        let frame = timeout(TIMEOUT, self.frames.recv())
            .await
            .expect("a frame in time");
        frame.expect("the connection has not ended yet")
    }

    /// Whether no more frames have arrived.
    pub fn is_silent(&mut self) -> bool {
        self.frames.try_recv().is_err()
    }

    pub async fn text(&mut self) -> String {
        match self.frame().await {
            Frame::Text(text) => text,
            other => panic!("{other:?} instead of a text"),
        }
    }

    /// The next payload of an `oh_event`; other frames are skipped.
    pub async fn payload(&mut self) -> Value {
        loop {
            let text = self.text().await;
            if let Some(array) = text.strip_prefix("42[\"oh_event\",") {
                return serde_json::from_str(&array[..array.len() - 1]).expect("JSON");
            }
        }
    }

    /// All payloads up to and including the first match.
    pub async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut payloads = Vec::new();
        loop {
            payloads.push(self.payload().await);
            if payloads.last().is_some_and(&wanted) {
                return payloads;
            }
        }
    }

    pub async fn until_state(&mut self, state: &str) -> Vec<Value> {
        self.until(|event| event["extras"]["agent_state"] == state)
            .await
    }

    /// Sends a text frame, masked with zeros.
    pub async fn send(&mut self, text: &str) {
        let mut frame = vec![0x81];
        match text.len() {
            length @ 0..126 => frame.push(0x80 | length as u8),
            length @ 126..0x1_0000 => {
                frame.push(0x80 | 126);
                frame.extend((length as u16).to_be_bytes());
            }
            length => {
                frame.push(0x80 | 127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        // The server may have closed the connection already.
        let _ = self.write.write_all(&frame).await;
    }

    pub async fn emit(&mut self, payload: Value) {
        self.send(&format!("42[\"oh_user_action\",{payload}]"))
            .await;
    }

    pub async fn say(&mut self, content: &str) {
        self.emit(json!({"action": "message", "args": {"content": content}}))
            .await;
    }

    pub async fn wish(&mut self, state: &str) {
        self.emit(json!({"action": "change_agent_state", "args": {"agent_state": state}}))
            .await;
    }
}

async fn frame(read: &mut OwnedReadHalf) -> std::io::Result<Frame> {
    let kind = read.read_u8().await? & 0x0f;
    let length = match read.read_u8().await? {
        126 => u64::from(read.read_u16().await?),
        127 => read.read_u64().await?,
        short => u64::from(short),
    };
    let mut payload = vec![0; length as usize];
    read.read_exact(&mut payload).await?;
    Ok(match kind {
        8 => Frame::Close(
            payload
                .first_chunk()
                .map_or(1005, |code| u16::from_be_bytes(*code)),
        ),
        _ => Frame::Text(String::from_utf8_lossy(&payload).into_owned()),
    })
}
