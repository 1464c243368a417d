//! A page without a screen: it stores the received rows like the browser does, and checks them strictly.

use crate::stage::me;
use futures_util::stream::{BoxStream, SplitSink, StreamExt};
use futures_util::{FutureExt, SinkExt};
use handrail::hub::Hub;
use handrail::live::{ConversationView, FromBrowser, FromServer, SessionView, Verdict};
use handrail::render::RowView;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::{self, Message, client::IntoClientRequest};

/// How long any step may take before a test fails.
pub const LONG: Duration = Duration::from_secs(90);

pub type Socket = WebSocketStream<TcpStream>;

/// Opens the live connection like a page of `address`, or with another `Origin` and `Host`.
pub async fn socket(
    address: SocketAddr,
    origin: Option<&str>,
    host: Option<&str>,
) -> tungstenite::Result<Socket> {
    let mut request = format!("ws://{address}/live").into_client_request()?;
    let header = |text: &str| text.parse().expect("tests write header values");
    if let Some(origin) = origin {
        request.headers_mut().insert("origin", header(origin));
    }
    if let Some(host) = host {
        request.headers_mut().insert("host", header(host));
    }
    let stream = TcpStream::connect(address).await?;
    Ok(tokio_tungstenite::client_async(request, stream).await?.0)
}

/// Opens the live connection of the browser with this cookie.
pub async fn socket_as(address: SocketAddr, cookie: &str) -> tungstenite::Result<Socket> {
    let mut request = format!("ws://{address}/live").into_client_request()?;
    let header = |text: &str| text.parse().expect("tests write header values");
    let headers = request.headers_mut();
    headers.insert("origin", header(&format!("http://{address}")));
    headers.insert("cookie", header(cookie));
    let stream = TcpStream::connect(address).await?;
    Ok(tokio_tungstenite::client_async(request, stream).await?.0)
}

/// The connection of a page.
enum TabConnection {
    None,
    Hub(BoxStream<'static, FromServer>),
    Socket(SplitSink<Socket, Message>, BoxStream<'static, FromServer>),
}

/// A page that shows one conversation.
pub struct Tab {
    pub conversation: String,
    pub rows: BTreeMap<i64, RowView>,
    /// The cursor: everything up to it is known.
    pub seq: i64,
    pub session: Option<SessionView>,
    pub verdict: Option<Verdict>,
    /// Whether the server announced its shutdown.
    pub sent_away: bool,
    connection: TabConnection,
}

impl Tab {
    /// A page without any state.
    pub fn new(conversation: &str) -> Self {
        Self {
            conversation: conversation.to_owned(),
            rows: BTreeMap::new(),
            seq: 0,
            session: None,
            verdict: None,
            sent_away: false,
            connection: TabConnection::None,
        }
    }

    /// A page connected to a hub directly, without a socket.
    pub async fn over(hub: &Hub, conversation: &str) -> Self {
        let mut tab = Self::new(conversation);
        let follower = hub
            .reader
            .follow(me(), conversation, tab.seq)
            .await
            .expect("it can be followed");
        tab.connection = TabConnection::Hub(
            follower
                .map(|frame| serde_json::from_slice(&frame).expect("frames are JSON"))
                .boxed(),
        );
        tab
    }

    /// Connects or reconnects, and resumes after the cursor. Returns `false` if the network is down.
    pub async fn connect(&mut self, address: SocketAddr) -> bool {
        let origin = format!("http://{address}");
        let Ok(socket) = socket(address, Some(&origin), None).await else {
            return false;
        };
        let (sink, frames) = socket.split();
        let frames = frames.scan((), |(), message| std::future::ready(message.ok()));
        let frames = frames.filter_map(|message| {
            std::future::ready(match message {
                Message::Text(text) => {
                    Some(serde_json::from_str(&text).expect("frames are what the browser reads"))
                }
                _ => None,
            })
        });
        self.connection = TabConnection::Socket(sink, frames.boxed());
        (self.verdict, self.session, self.sent_away) = (None, None, false);
        let (conversation, after) = (self.conversation.clone(), self.seq);
        self.say(&FromBrowser::Follow {
            conversation,
            after,
        })
        .await
    }

    /// Sends a frame over the socket. Returns `false` if the network is down.
    pub async fn say(&mut self, frame: &FromBrowser) -> bool {
        let text = serde_json::to_string(frame).expect("frames are plain data");
        self.say_raw(Message::text(text)).await
    }

    /// Sends a message that no page would send.
    pub async fn say_raw(&mut self, message: Message) -> bool {
        match &mut self.connection {
            TabConnection::Socket(sink, _) => sink.send(message).await.is_ok(),
            _ => false,
        }
    }

    /// Takes a new snapshot, after a gap.
    pub fn show(&mut self, picture: ConversationView) {
        self.rows = picture.rows.into_iter().map(|row| (row.id, row)).collect();
        self.seq = picture.seq;
        self.session = Some(picture.session);
    }

    /// Handles the next frame; returns `None` when the connection has ended.
    pub async fn step(&mut self) -> Option<FromServer> {
        let frame = match &mut self.connection {
            TabConnection::None => None,
            TabConnection::Hub(frames) | TabConnection::Socket(_, frames) => frames.next().await,
        }?;
        self.take(&frame);
        Some(frame)
    }

    /// Handles all frames that have already arrived.
    pub fn drain(&mut self) {
        while let Some(Some(_)) = self.step().now_or_never() {}
    }

    fn take(&mut self, frame: &FromServer) {
        if let FromServer::Rows { conversation, .. } | FromServer::Session { conversation, .. } =
            frame
            && *conversation == self.conversation
            && let Some(session) = frame.session()
        {
            self.session = Some(session.clone());
        }
        match frame {
            FromServer::Rows {
                conversation,
                seq,
                rows,
                ..
            } if *conversation == self.conversation => {
                assert!(*seq > self.seq, "{seq} comes after {}", self.seq);
                for row in rows {
                    // A row older than the cursor was sent twice; a row newer than its frame means that another was
                    // left out.
                    assert!(
                        row.seq > self.seq && row.seq <= *seq,
                        "row {} of version {} came between {} and {seq}",
                        row.id,
                        row.seq,
                        self.seq
                    );
                    self.rows.insert(row.id, row.clone());
                }
                self.seq = *seq;
            }
            FromServer::Verdict {
                conversation,
                verdict,
            } if *conversation == self.conversation => self.verdict = Some(*verdict),
            FromServer::GoingAway => self.sent_away = true,
            _ => {}
        }
    }

    /// Waits until the page fulfils a condition.
    pub async fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let waiting = async {
            while !is_so(self) {
                assert!(
                    self.step().await.is_some(),
                    "the connection ended before: {what}"
                );
            }
        };
        if tokio::time::timeout(LONG, waiting).await.is_err() {
            panic!("timed out: {what}; {:#?}", self.session);
        }
    }

    /// Waits until the session state fulfils a condition, and returns it.
    pub async fn session(
        &mut self,
        what: &str,
        is_so: impl Fn(&SessionView) -> bool,
    ) -> SessionView {
        self.until(what, |tab| tab.session.as_ref().is_some_and(&is_so))
            .await;
        self.session.clone().expect("it was just looked at")
    }

    /// Whether the page contains a text.
    pub fn shows(&self, text: &str) -> bool {
        let mut rows = self.rows.values();
        rows.any(|row| {
            serde_json::to_string(row)
                .expect("plain data")
                .contains(text)
        })
    }

    /// The rows in page order.
    pub fn in_order(&self) -> Vec<RowView> {
        let mut rows: Vec<RowView> = self.rows.values().cloned().collect();
        rows.sort_by_key(|row| (row.pos, row.id));
        rows
    }
}
