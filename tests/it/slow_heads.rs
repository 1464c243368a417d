//! Many connections that send nothing, or an incomplete request: they time out, and block no other client.
//!
//! The dialect of the backend does not matter: these connections end before any request to it.

use crate::process::{Process, command, run_in, started_by};
use crate::stage::quick;
use crate::tab::{LONG, Socket, socket};
use futures_util::{SinkExt, StreamExt};
use handrail::backend::rehearsal::Rehearsal;
use handrail::live::{FromBrowser, FromServer};
use reqwest::Client;
use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_tungstenite::tungstenite::Message;

/// Connections per attack.
const MANY: usize = 300;
/// Open file limit of the attacked program: lower than the number of connections.
const FILES: &str = "256";

struct House {
    _rehearsal: Rehearsal,
    folder: TempDir,
    process: Process,
}

/// A Handrail with a low open file limit.
async fn house(options: &[&str]) -> House {
    let rehearsal = Rehearsal::start(quick()).await.expect("a free port");
    let folder = TempDir::new().expect("a temporary folder");
    if options.contains(&"--tls") {
        run_in(folder.path(), &["tls", "init", "localhost", "127.0.0.1"]).await;
    }
    let backend = format!("http://{}", rehearsal.addr());
    let options = [&["--trust-local", "--backend", &backend], options].concat();
    let mut limited = Command::new("sh");
    limited.args(["-c", &format!("ulimit -n {FILES}; exec \"$@\""), "sh"]);
    let limited = started_by(limited, &command(folder.path(), &options));
    let process = Process::of(limited).await;
    House {
        _rehearsal: rehearsal,
        folder,
        process,
    }
}

async fn connected(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address)
        .await
        .expect("the system accepts it")
}

/// Sends a part of a request head, and no more.
async fn with_head<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, head: &str) -> S {
    // The write fails if the server has already closed the connection.
    let _ = stream.write_all(head.as_bytes()).await;
    stream
}

/// Waits until the server has closed the connection.
async fn hung_up(mut stream: impl AsyncRead + Unpin) {
    let mut rest = Vec::new();
    // A reset counts as a close, too.
    let ended = tokio::time::timeout(LONG, stream.read_to_end(&mut rest)).await;
    assert!(ended.is_ok(), "the server never closed it");
}

/// Sends one byte per second until the server has closed the connection.
async fn drips(stream: TcpStream) {
    let (reader, mut writer) = stream.into_split();
    let dripping = tokio::spawn(async move {
        while writer.write_all(b"x").await.is_ok() {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    hung_up(reader).await;
    dripping.abort();
}

/// Checks that a live connection responds.
async fn is_alive(connection: &mut Socket) {
    let ping = serde_json::to_string(&FromBrowser::Ping).expect("plain data");
    connection
        .send(Message::text(ping))
        .await
        .expect("it is open");
    let pong = async {
        loop {
            match connection
                .next()
                .await
                .expect("it is open")
                .expect("it is open")
            {
                Message::Text(text)
                    if serde_json::from_str::<FromServer>(&text)
                        .is_ok_and(|frame| frame == FromServer::Pong) =>
                {
                    return;
                }
                Message::Close(why) => panic!("it was closed: {why:?}"),
                _ => {}
            }
        }
    };
    tokio::time::timeout(LONG, pong).await.expect("a response");
}

async fn is_served(client: &Client, url: &str) {
    let response = tokio::time::timeout(Duration::from_secs(30), client.get(url).send()).await;
    let answer = response
        .expect("other users are served")
        .expect("other users are served");
    assert_eq!(answer.status(), 200, "{url}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endless_request_heads_time_out_and_block_no_other_client() {
    let house = house(&[]).await;
    let address = house.process.address;
    let origin = format!("http://{address}");
    let mut connection = socket(address, Some(&origin), None)
        .await
        .expect("the login is accepted");
    is_alive(&mut connection).await;
    let mut open = Vec::new();
    for number in 0..MANY {
        let head = ["", "G", "GET / HTTP/1.1\r\nhost: x\r\nx-"][number % 3];
        open.push(with_head(connected(address).await, head).await);
    }
    for _ in 0..5 {
        // A connection of its own for each request, as for another user.
        let client = Client::builder()
            .pool_max_idle_per_host(0)
            .build()
            .expect("a client");
        is_served(&client, &format!("{origin}/healthz")).await;
        is_served(&client, &format!("{origin}/inbox")).await;
    }
    is_alive(&mut connection).await;
    let dripping = with_head(connected(address).await, "GET / HTTP/1.1\r\nx-").await;
    let dripping = tokio::spawn(drips(dripping));
    for stream in open {
        hung_up(stream).await;
    }
    dripping.await.expect("it ends");
    is_alive(&mut connection).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_time_out_and_block_no_other_client() {
    let house = house(&["--tls"]).await;
    let address = house.process.address;
    let authority =
        std::fs::read(house.folder.path().join("tls/authority.pem")).expect("it was created");
    let mut roots = RootCertStore::empty();
    let certificate = CertificateDer::from_pem_slice(&authority).expect("it is one");
    roots.add(certificate).expect("it is one");
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("they fit")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connector = TlsConnector::from(Arc::new(config));
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for number in 0..MANY {
        let stream = connected(address).await;
        if number % 2 == 0 {
            before.push(stream);
            continue;
        }
        let name = "127.0.0.1".try_into().expect("an address");
        // The server may close a connection during the TLS handshake.
        if let Ok(Ok(stream)) = tokio::time::timeout(LONG, connector.connect(name, stream)).await {
            after.push(stream);
        }
    }
    let authority = reqwest::Certificate::from_pem(&authority).expect("it is one");
    for _ in 0..5 {
        let client = Client::builder()
            .add_root_certificate(authority.clone())
            .tls_built_in_root_certs(false)
            .build()
            .expect("a client");
        is_served(&client, &format!("https://{address}/healthz")).await;
    }
    for stream in before {
        hung_up(stream).await;
    }
    for stream in after {
        hung_up(stream).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn idle_connections_block_no_other_client() {
    let house = house(&[]).await;
    let address = house.process.address;
    let mut open = Vec::new();
    for number in 0..MANY {
        let request = format!("GET /healthz HTTP/1.1\r\nhost: {address}\r\n\r\n");
        let mut stream = with_head(connected(address).await, &request).await;
        let mut status = [0; 12];
        let read = tokio::time::timeout(LONG, stream.read_exact(&mut status)).await;
        read.expect("a response").expect("a response");
        assert_eq!(&status, b"HTTP/1.1 200", "{number}");
        open.push(stream);
    }
    is_served(&Client::new(), &format!("http://{address}/inbox")).await;
}
