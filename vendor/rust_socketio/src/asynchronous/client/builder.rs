use futures_util::future::BoxFuture;
use native_tls::TlsConnector;
use rust_engineio::asynchronous::ClientBuilder as EngineIoClientBuilder;
use std::collections::HashMap;
use url::Url;

use crate::{error::Result, Event, Payload};

use super::client::Client;
use crate::asynchronous::socket::Socket as InnerSocket;

pub(crate) type DynAsyncCallback =
    Box<dyn for<'a> FnMut(Payload, Client) -> BoxFuture<'static, ()> + 'static + Send + Sync>;

/// A builder class for a `socket.io` socket. This handles setting up the client and
/// configuring the callbacks.
pub struct ClientBuilder {
    address: String,
    pub(crate) on: HashMap<Event, DynAsyncCallback>,
    pub(crate) on_text: Option<DynAsyncCallback>,
    tls_config: Option<TlsConnector>,
}

impl ClientBuilder {
    /// Create as client builder from a URL. URLs must be in the form
    /// `[ws or wss or http or https]://[domain]:[port]/[path]`. The
    /// path of the URL is optional and if no port is given, port 80
    /// will be used.
    pub fn new<T: Into<String>>(address: T) -> Self {
        Self {
            address: address.into(),
            on: HashMap::new(),
            on_text: None,
            tls_config: None,
        }
    }

    /// Registers a new callback for a certain [`crate::event::Event`]. The event is
    /// `error`, `open` or `close`.
    pub fn on<T: Into<Event>, F>(mut self, event: T, callback: F) -> Self
    where
        F: for<'a> std::ops::FnMut(Payload, Client) -> BoxFuture<'static, ()>
            + 'static
            + Send
            + Sync,
    {
        self.on.insert(event.into(), Box::new(callback));
        self
    }

    /// Registers a callback for the text of all events, `["name",value]`, which are not parsed. (Handrail)
    pub fn on_text<F>(mut self, callback: F) -> Self
    where
        F: for<'a> std::ops::FnMut(Payload, Client) -> BoxFuture<'static, ()>
            + 'static
            + Send
            + Sync,
    {
        self.on_text = Some(Box::new(callback));
        self
    }

    /// Uses a preconfigured TLS connector for secure communication.
    pub fn tls_config(mut self, tls_config: TlsConnector) -> Self {
        self.tls_config = Some(tls_config);
        self
    }

    /// Connects the socket to a certain endpoint. This returns a connected
    /// [`Client`] instance. This method returns an [`std::result::Result::Err`]
    /// value if something goes wrong during connection. Also starts a separate
    /// task to start polling for packets. Used with callbacks.
    pub async fn connect(self) -> Result<Client> {
        let mut url = Url::parse(&self.address)?;

        if url.path() == "/" {
            url.set_path("/socket.io/");
        }

        let mut builder = EngineIoClientBuilder::new(url);

        if let Some(tls_config) = &self.tls_config {
            builder = builder.tls_config(tls_config.to_owned());
        }

        let inner_socket = InnerSocket::new(builder.build_websocket().await?)?;

        let socket = Client::new(inner_socket, self)?;
        socket.connect().await?;
        socket.poll_stream();

        Ok(socket)
    }
}
