use std::{pin::Pin, sync::Arc};

use futures_util::{future::BoxFuture, stream, Stream, StreamExt};
use log::trace;
use rand::{thread_rng, Rng};
use tokio::{
    sync::RwLock,
    time::{Duration, Instant},
};

use super::builder::{ClientBuilder, DynAsyncCallback};
use crate::{
    asynchronous::socket::Socket as InnerSocket,
    error::{Error, Result},
    packet::{Packet, PacketId},
    Event, Payload,
};

/// Who waits for the acknowledgement of an event.
struct Ack {
    id: i32,
    timeout: Duration,
    time_started: Instant,
    callback: DynAsyncCallback,
}

/// A socket which handles communication with the server. It's initialized with
/// a specific address and connects to the default namespace `"/"`.
#[derive(Clone)]
pub struct Client {
    /// The inner socket client to delegate the methods to.
    socket: Arc<RwLock<InnerSocket>>,
    outstanding_acks: Arc<RwLock<Vec<Ack>>>,
    // namespace, for multiplexing messages
    nsp: String,
    builder: Arc<RwLock<ClientBuilder>>,
}

impl Client {
    /// Creates a socket with a certain address to connect to.
    pub(crate) fn new(socket: InnerSocket, builder: ClientBuilder) -> Result<Self> {
        Ok(Client {
            socket: Arc::new(RwLock::new(socket)),
            nsp: String::from("/"),
            outstanding_acks: Arc::new(RwLock::new(Vec::new())),
            builder: Arc::new(RwLock::new(builder)),
        })
    }

    /// Connects the client to a server. Afterwards the `emit_*` methods can be
    /// called to interact with the server.
    pub(crate) async fn connect(&self) -> Result<()> {
        // Connect the underlying socket
        self.socket.read().await.connect().await?;

        // construct the opening packet
        let open_packet = Packet::new(PacketId::Connect, self.nsp.clone(), None, None);

        self.socket.read().await.send(open_packet).await?;

        Ok(())
    }

    /// Drives the stream in a task so messages are processed
    pub(crate) fn poll_stream(&self) {
        let client_clone = self.clone();

        tokio::runtime::Handle::current().spawn(async move {
            let mut stream = client_clone.as_stream().await;
            // Consume the stream until it returns None and the stream is closed.
            while let Some(item) = stream.next().await {
                if let Err(e) = item {
                    trace!("Network error occurred: {}", e);
                }
            }
        });
    }

    /// Disconnects this client from the server by sending a `socket.io` closing
    /// packet.
    pub async fn disconnect(&self) -> Result<()> {
        let disconnect_packet = Packet::new(PacketId::Disconnect, self.nsp.clone(), None, None);

        self.socket.read().await.send(disconnect_packet).await?;
        self.socket.read().await.disconnect().await?;

        Ok(())
    }

    /// Sends a message to the server but `alloc`s an `ack` to check whether the
    /// server responded in a given time span. This message takes an event, which
    /// could either be one of the common events like "message" or "error" or a
    /// custom event like "foo", as well as a data parameter.
    /// It also requires a timeout `Duration` in which the client needs to answer.
    /// If the ack is acked in the correct time span, the specified callback is
    /// called. The callback consumes a [`Payload`] which represents the data send
    /// by the server.
    ///
    /// Please note that the requirements on the provided callbacks are similar to the ones
    /// for [`crate::asynchronous::ClientBuilder::on`].
    #[inline]
    pub async fn emit_with_ack<F, E, D>(
        &self,
        event: E,
        data: D,
        timeout: Duration,
        callback: F,
    ) -> Result<()>
    where
        F: for<'a> std::ops::FnMut(Payload, Client) -> BoxFuture<'static, ()>
            + 'static
            + Send
            + Sync,
        E: Into<Event>,
        D: Into<Payload>,
    {
        let id = thread_rng().gen_range(0..999);
        let socket_packet =
            Packet::new_from_payload(data.into(), event.into(), &self.nsp, Some(id));

        let ack = Ack {
            id,
            time_started: Instant::now(),
            timeout,
            callback: Box::new(callback),
        };

        // add the ack to the tuple of outstanding acks
        self.outstanding_acks.write().await.push(ack);

        self.socket.read().await.send(socket_packet).await
    }

    async fn callback<P: Into<Payload>>(&self, event: &Event, payload: P) -> Result<()> {
        let mut builder = self.builder.write().await;
        if let Some(callback) = builder.on.get_mut(event) {
            callback(payload.into(), self.clone()).await;
        }

        Ok(())
    }

    /// Handles the incoming acks and classifies what callbacks to call and how.
    #[inline]
    async fn handle_ack(&self, socket_packet: &Packet) -> Result<()> {
        let mut to_be_removed = Vec::new();
        if let Some(id) = socket_packet.id {
            for (index, ack) in self.outstanding_acks.write().await.iter_mut().enumerate() {
                if ack.id == id {
                    to_be_removed.push(index);

                    if ack.time_started.elapsed() < ack.timeout {
                        // Handrail: not parsed, see `on_text`.
                        let payload = socket_packet.data.clone().unwrap_or_default();
                        (ack.callback)(payload.into(), self.clone()).await;
                    } else {
                        trace!("Received an Ack that is now timed out (elapsed time was longer than specified duration)");
                    }
                }
            }
            for index in to_be_removed {
                self.outstanding_acks.write().await.remove(index);
            }
        }
        Ok(())
    }

    /// Handrail: the text is whatever the server wrote; the caller parses it, within limits of its own.
    async fn handle_event(&self, packet: &Packet) {
        let mut builder = self.builder.write().await;
        if let (Some(data), Some(callback)) = (&packet.data, builder.on_text.as_mut()) {
            callback(data.to_owned().into(), self.clone()).await;
        }
    }

    /// Handles the incoming messages and classifies what callbacks to call and how.
    /// This method is later registered as the callback for the `on_data` event of the
    /// engineio client.
    #[inline]
    async fn handle_socketio_packet(&self, packet: &Packet) -> Result<()> {
        if packet.nsp == self.nsp {
            match packet.packet_type {
                PacketId::Ack | PacketId::BinaryAck => {
                    if let Err(err) = self.handle_ack(packet).await {
                        self.callback(&Event::Error, err.to_string()).await?;
                        return Err(err);
                    }
                }
                // Handrail: nobody reads them.
                PacketId::BinaryEvent => {}
                PacketId::Connect => {
                    self.callback(&Event::Connect, String::new()).await?;
                }
                PacketId::Disconnect => {
                    self.callback(&Event::Close, String::new()).await?;
                }
                PacketId::ConnectError => {
                    self.callback(
                        &Event::Error,
                        String::from("Received an ConnectError frame: ")
                            + packet
                                .data
                                .as_ref()
                                .unwrap_or(&String::from("\"No error message provided\"")),
                    )
                    .await?;
                }
                PacketId::Event => self.handle_event(packet).await,
            }
        }
        Ok(())
    }

    /// Returns the packet stream for the client.
    pub(crate) async fn as_stream<'a>(
        &'a self,
    ) -> Pin<Box<dyn Stream<Item = Result<Packet>> + Send + 'a>> {
        let socket_clone = (*self.socket.read().await).clone();

        stream::unfold(socket_clone, |mut socket| async {
            // wait for the next payload
            let packet: Option<std::result::Result<Packet, Error>> = socket.next().await;
            match packet {
                // end the stream if the underlying one is closed
                None => None,
                Some(Err(err)) => {
                    // call the error callback
                    match self.callback(&Event::Error, err.to_string()).await {
                        Err(callback_err) => Some((Err(callback_err), socket)),
                        Ok(_) => Some((Err(err), socket)),
                    }
                }
                Some(Ok(packet)) => match self.handle_socketio_packet(&packet).await {
                    Err(callback_err) => Some((Err(callback_err), socket)),
                    Ok(_) => Some((Ok(packet), socket)),
                },
            }
        })
        .boxed()
    }
}
