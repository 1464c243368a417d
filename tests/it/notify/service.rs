//! A push service, an ntfy server and a receiver of webhooks in one: it checks what it is sent, and answers as a test
//! tells it to.

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};
use tokio::net::TcpListener;
use web_push_native::p256::SecretKey;
use web_push_native::p256::ecdsa::signature::Verifier as _;
use web_push_native::p256::ecdsa::{Signature, VerifyingKey};
use web_push_native::p256::elliptic_curve::sec1::ToEncodedPoint as _;
use web_push_native::{Auth, decrypt};

/// A request that arrived.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// The last part of its path.
    pub name: String,
    #[allow(dead_code, reason = "the benchmark reads it")]
    pub at: Instant,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// How a request is answered.
#[derive(Debug, Clone, Copy)]
pub enum Reply {
    Status(u16),
    /// Not within the time that a test takes.
    Never,
}

#[derive(Default)]
struct Desk {
    arrived: Vec<ReceivedRequest>,
    replies: HashMap<String, VecDeque<Reply>>,
}

/// The service.
#[derive(Clone)]
pub struct Service {
    pub address: SocketAddr,
    desk: Arc<Mutex<Desk>>,
}

impl Service {
    /// Starts it on a free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let service = Self {
            address: listener.local_addr().expect("it is bound"),
            desk: Arc::default(),
        };
        let router = Router::new()
            .route("/push/{name}", post(arrive))
            .route("/hook/{name}", post(arrive))
            .route(
                "/",
                post(async |state, headers, body| {
                    arrive(state, Path("ntfy".to_owned()), headers, body).await
                }),
            )
            .with_state(service.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        service
    }

    /// Its origin.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers the next requests of this name so; all others are accepted.
    pub fn answer(&self, name: &str, replies: &[Reply]) {
        let mut desk = self.desk.lock().expect("no test panics with it");
        let all = desk.replies.entry(name.to_owned()).or_default();
        all.extend(replies);
    }

    /// When everything has arrived, under whatever name.
    #[allow(dead_code, reason = "the benchmark asks")]
    pub fn times(&self) -> Vec<Instant> {
        let desk = self.desk.lock().expect("no test panics with it");
        desk.arrived.iter().map(|one| one.at).collect()
    }

    /// What has arrived under this name.
    pub fn arrived(&self, name: &str) -> Vec<ReceivedRequest> {
        let desk = self.desk.lock().expect("no test panics with it");
        let mut arrived = desk.arrived.clone();
        arrived.retain(|one| one.name == name);
        arrived
    }
}

async fn arrive(
    State(service): State<Service>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let reply = {
        let mut desk = service.desk.lock().expect("no test panics with it");
        let reply = desk.replies.get_mut(&name).and_then(VecDeque::pop_front);
        desk.arrived.push(ReceivedRequest {
            name,
            at: Instant::now(),
            headers,
            body,
        });
        reply.unwrap_or(Reply::Status(201))
    };
    match reply {
        Reply::Status(status) => {
            let status = StatusCode::from_u16(status).expect("a test knows its numbers");
            (status, "as the test wants it").into_response()
        }
        Reply::Never => {
            tokio::time::sleep(Duration::from_secs(3_600)).await;
            StatusCode::OK.into_response()
        }
    }
}

/// A browser with a subscription.
pub struct Phone {
    pub name: String,
    pub endpoint: String,
    secret: SecretKey,
    auth: [u8; 16],
    origin: String,
}

impl Phone {
    /// A subscription at the service.
    pub fn at(service: &Service, name: &str) -> Self {
        let seed: [u8; 32] = std::array::from_fn(|at| name.as_bytes()[at % name.len()]);
        Self {
            name: name.to_owned(),
            endpoint: format!("{}/push/{name}", service.origin()),
            secret: SecretKey::from_slice(&seed).expect("no letter is zero"),
            auth: [7; 16],
            origin: service.origin(),
        }
    }

    /// Its public key, as browsers write it.
    pub fn p256dh(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.secret.public_key().to_encoded_point(false).as_bytes())
    }

    /// Its authentication secret, as browsers write it.
    pub fn auth(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.auth)
    }

    /// The messages that have arrived for it, oldest first. Each is checked and decrypted.
    pub fn messages(&self, service: &Service) -> Vec<Value> {
        let arrived = service.arrived(&self.name);
        arrived.iter().map(|one| self.message(one)).collect()
    }

    fn message(&self, arrived: &ReceivedRequest) -> Value {
        let header = |name: &str| arrived.headers[name].to_str().expect("ASCII");
        assert_eq!(header("content-encoding"), "aes128gcm");
        let lasts: u64 = header("ttl").parse().expect("a number of seconds");
        assert!(lasts <= 24 * 60 * 60, "{lasts}");
        assert!(["high", "normal"].contains(&header("urgency")));
        let topic = header("topic");
        assert!(topic.len() <= 32 && topic.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let claims = verified(header("authorization")).expect("a valid signature");
        assert_eq!(claims["aud"], self.origin);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let now = now.expect("after 1970").as_secs();
        let until = claims["exp"].as_u64().expect("a time");
        assert!(now < until && until <= now + 24 * 60 * 60, "{until}");
        let subject = claims["sub"].as_str().expect("a text");
        assert!(
            subject.starts_with("https://") || subject.starts_with("mailto:"),
            "{subject}"
        );
        assert!(arrived.body.len() <= 4_096, "{}", arrived.body.len());
        let auth = Auth::clone_from_slice(&self.auth);
        let message =
            decrypt(arrived.body.to_vec(), &self.secret, &auth).expect("it is for this browser");
        serde_json::from_slice(&message).expect("JSON")
    }
}

/// The claims of a VAPID header; `None` if its signature is not by the key that it names.
pub fn verified(header: &str) -> Option<Value> {
    let (token, key) = header.strip_prefix("vapid t=")?.split_once(", k=")?;
    let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).ok();
    let (signed, signature) = token.rsplit_once('.')?;
    let (head, claims) = signed.split_once('.')?;
    let head: Value = serde_json::from_slice(&bytes(head)?).ok()?;
    if head["alg"] != "ES256" {
        return None;
    }
    let key = VerifyingKey::from_sec1_bytes(&bytes(key)?).ok()?;
    let signature = Signature::from_slice(&bytes(signature)?).ok()?;
    key.verify(signed.as_bytes(), &signature).ok()?;
    serde_json::from_slice(&bytes(claims)?).ok()
}

#[test]
fn the_example_of_rfc_8292_is_accepted_and_a_changed_one_is_not() {
    let token = "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3\
                 NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA";
    let key =
        "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs";
    let claims = verified(&format!("vapid t={token}, k={key}")).expect("a valid signature");
    assert_eq!(claims["aud"], "https://push.example.net");
    assert_eq!(claims["sub"], "mailto:push@example.com");
    let changed = token.replace("i3CYb7t4", "i3CYb7t5");
    assert_eq!(verified(&format!("vapid t={changed}, k={key}")), None);
}

#[test]
fn the_example_of_rfc_8291_is_decrypted() {
    let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("base64url");
    let secret = bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94");
    let secret = SecretKey::from_slice(&secret).expect("a key");
    let public = bytes(
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    );
    assert_eq!(
        web_push_native::p256::PublicKey::from_sec1_bytes(&public).expect("a key"),
        secret.public_key()
    );
    let auth = Auth::clone_from_slice(&bytes("BTBZMqHH6r4Tts7J_aSIgg"));
    let message = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_\
                   yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
    let message = decrypt(bytes(message), &secret, &auth).expect("it is for this key");
    assert_eq!(message, b"When I grow up, I want to be a watermelon");
}
