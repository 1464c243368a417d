//! An OpenID provider that follows the specification, or violates it in one point.

use axum::extract::{Form, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use rcgen::{KeyPair, PKCS_ED25519, PublicKeyData, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::net::TcpListener;
use url::Url;

pub const CLIENT: &str = "handrail";
pub const SECRET: &str = "a secret & more";

/// A violation of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    None,
    Nonce,
    NoNonce,
    Audience,
    FurtherAudience,
    NoAlgorithm,
    SymmetricAlgorithm,
    ForeignKey,
    Expired,
    Issuer,
    AccessToken,
    NoToken,
    Nonsense,
}

/// A user with an account at the provider.
#[derive(Debug, Clone, Default)]
pub struct Identity {
    pub subject: &'static str,
    pub name: &'static str,
    pub address: &'static str,
    pub verified: bool,
    pub groups: Vec<&'static str>,
}

/// The provider.
pub struct Provider {
    inner: Arc<Inner>,
    serving: tokio::task::JoinHandle<()>,
}

struct Inner {
    issuer: String,
    key: KeyPair,
    foreign: KeyPair,
    state: Mutex<ProviderState>,
}

struct ProviderState {
    fault: Fault,
    /// The discovery document names another issuer.
    renamed: bool,
    /// Requests for the discovery document are not answered.
    silent: bool,
    codes: HashMap<String, (HashMap<String, String>, Identity)>,
}

impl Provider {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it listens");
        let key = || KeyPair::generate_for(&PKCS_ED25519).expect("it is random");
        let inner = Arc::new(Inner {
            issuer: format!("http://{address}"),
            key: key(),
            foreign: key(),
            state: Mutex::new(ProviderState {
                fault: Fault::None,
                renamed: false,
                silent: false,
                codes: HashMap::new(),
            }),
        });
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(describe))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .with_state(Arc::clone(&inner));
        let serving = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("it serves");
        });
        Self { inner, serving }
    }

    pub fn issuer(&self) -> String {
        self.inner.issuer.clone()
    }

    pub fn breaks(&self, fault: Fault) {
        self.inner.held().fault = fault;
    }

    pub fn is_renamed(&self, renamed: bool) {
        self.inner.held().renamed = renamed;
    }

    pub fn is_silent(&self) {
        self.inner.held().silent = true;
    }

    /// Stops the provider. Its connections hold the shared state, so all have ended when nothing else holds it.
    pub async fn stop(&self) {
        self.serving.abort();
        while Arc::strong_count(&self.inner) > 1 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Authenticates a redirected user; returns the query of the redirect back.
    pub fn authorize(&self, sent: &Url, identity: &Identity) -> String {
        let request: HashMap<String, String> = sent.query_pairs().into_owned().collect();
        assert_eq!(sent.path(), "/authorize");
        assert_eq!(request["response_type"], "code");
        assert_eq!(request["code_challenge_method"], "S256");
        assert_eq!(request["client_id"], CLIENT);
        assert!(request["scope"].split(' ').any(|scope| scope == "openid"));
        let mut held = self.inner.held();
        let code = format!("code-{}", held.codes.len());
        let state = request["state"].clone();
        held.codes.insert(code.clone(), (request, identity.clone()));
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query
            .append_pair("code", &code)
            .append_pair("state", &state);
        query.append_pair("iss", &self.inner.issuer).finish()
    }
}

impl Inner {
    fn held(&self) -> MutexGuard<'_, ProviderState> {
        self.state.lock().expect("the lock is not poisoned")
    }

    fn sign(&self, fault: Fault, claims: &Value) -> String {
        let algorithm = match fault {
            Fault::NoAlgorithm => "none",
            Fault::SymmetricAlgorithm => "HS256",
            _ => "EdDSA",
        };
        let header = json!({ "alg": algorithm, "typ": "JWT", "kid": "1" });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", part(&header), part(claims));
        let signature = match fault {
            Fault::NoAlgorithm => Vec::new(),
            // Signed with public data only: the public key as the secret.
            Fault::SymmetricAlgorithm => {
                Sha256::digest([self.key.der_bytes(), text.as_bytes()].concat()).to_vec()
            }
            Fault::ForeignKey => self.foreign.sign(text.as_bytes()).expect("a key"),
            _ => self.key.sign(text.as_bytes()).expect("a key"),
        };
        format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
    }
}

async fn describe(State(provider): State<Arc<Inner>>) -> Json<Value> {
    let silent = provider.held().silent;
    if silent {
        std::future::pending::<()>().await;
    }
    let issuer = &provider.issuer;
    let named = if provider.held().renamed {
        "http://127.0.0.1:1"
    } else {
        issuer
    };
    Json(json!({
        "issuer": named,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["EdDSA", "HS256", "none"],
    }))
}

async fn keys(State(provider): State<Arc<Inner>>) -> Json<Value> {
    let public = URL_SAFE_NO_PAD.encode(provider.key.der_bytes());
    Json(json!({ "keys": [
        { "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": "1", "x": public }
    ] }))
}

async fn token(
    State(provider): State<Arc<Inner>>,
    headers: HeaderMap,
    Form(form): Form<HashMap<String, String>>,
) -> Response {
    let refused = |why: &str| {
        let error = json!({ "error": "invalid_grant", "error_description": why });
        (StatusCode::BAD_REQUEST, Json(error)).into_response()
    };
    let secret: String = url::form_urlencoded::byte_serialize(SECRET.as_bytes()).collect();
    let known = format!("Basic {}", STANDARD.encode(format!("{CLIENT}:{secret}")));
    if headers
        .get(header::AUTHORIZATION)
        .is_none_or(|given| *given != *known)
    {
        return refused("the client is not who it says");
    }
    let mut held = provider.held();
    let fault = held.fault;
    let Some((request, identity)) = held.codes.remove(&form["code"]) else {
        return refused("the code is used up");
    };
    drop(held);
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    if challenge != request["code_challenge"] || form["redirect_uri"] != request["redirect_uri"] {
        return refused("another browser has asked");
    }
    if fault == Fault::Nonsense {
        return (StatusCode::OK, "<html>").into_response();
    }
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("after 1970")
        .as_secs();
    let hash = Sha256::digest("access");
    let mut claims = json!({
        "iss": provider.issuer,
        "sub": identity.subject,
        "aud": [CLIENT],
        "iat": now,
        "exp": now + 300,
        "nonce": request["nonce"],
        "preferred_username": identity.name,
        "email": identity.address,
        "email_verified": identity.verified,
        "groups": identity.groups,
    });
    match fault {
        Fault::Nonce => claims["nonce"] = json!("another"),
        Fault::NoNonce => claims["nonce"] = Value::Null,
        Fault::Audience => claims["aud"] = json!(["somebody else"]),
        Fault::FurtherAudience => claims["aud"] = json!([CLIENT, "somebody else"]),
        Fault::Issuer => claims["iss"] = json!("http://127.0.0.1:1"),
        Fault::Expired => claims["exp"] = json!(now - 300),
        Fault::AccessToken => claims["at_hash"] = json!(URL_SAFE_NO_PAD.encode(&hash[..16])),
        _ => {}
    }
    let mut answer = json!({
        "access_token": "another access token",
        "token_type": "Bearer",
        "expires_in": 300,
        "id_token": provider.sign(fault, &claims),
    });
    if fault == Fault::NoToken {
        answer["id_token"] = Value::Null;
    }
    Json(answer).into_response()
}
