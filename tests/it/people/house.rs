//! A Handrail with one user per role, and requests to it.

use crate::process::Served;
use crate::tab::{LONG, Socket, socket_as};
use futures_util::{SinkExt, StreamExt};
use handrail::api::{FromBrowser, FromServer};
use handrail::people::Role;
use handrail::server::every_route;
use reqwest::header::{self, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response};
use std::collections::BTreeMap;
use std::sync::LazyLock;
use tokio_tungstenite::tungstenite::Message;

pub const PASSWORD: &str = "correct horse";

/// A Handrail with one user per role.
pub struct House {
    pub served: Served,
    pub client: Client,
}

/// A client without redirects and without connection reuse: the server closes the connection of a request that it
/// refuses before reading all of it.
pub fn client() -> Client {
    let builder = Client::builder()
        .redirect(Policy::none())
        .pool_max_idle_per_host(0);
    builder.build().expect("a plain client")
}

impl House {
    pub async fn new() -> Self {
        Self::with(&[]).await
    }

    /// A server with further options.
    pub async fn with(options: &[&str]) -> Self {
        Self::of(Served::start_with(options).await).await
    }

    /// Sets up this server, which must be new.
    pub async fn of(served: Served) -> Self {
        let client = client();
        let house = Self { served, client };
        let code = std::fs::read_to_string(house.served.folder.path().join("set-up-code"))
            .expect("it is offered");
        let form = [
            ("code", code.trim()),
            ("name", "owner"),
            ("password", PASSWORD),
        ];
        assert_eq!(house.post("/set-up", None, &form).await.status(), 303);
        let owner = house.log_in("owner").await;
        for role in Role::ALL.into_iter().filter(|role| *role != Role::Owner) {
            house.add(&owner, role.word(), role).await;
        }
        house
    }

    /// Creates an account.
    pub async fn add(&self, owner: &str, name: &str, role: Role) {
        let fields = [
            ("name", name),
            ("role", role.word()),
            ("password", PASSWORD),
        ];
        let added = self.call("add_person", owner, &fields).await;
        assert_eq!(added.status(), 200, "{name}");
    }

    /// The cookie of a new session.
    pub async fn log_in(&self, name: &str) -> String {
        let answer = self
            .post("/login", None, &[("name", name), ("password", PASSWORD)])
            .await;
        assert_eq!(answer.status(), 303, "{name}");
        let cookie = answer.headers()[header::SET_COOKIE]
            .to_str()
            .expect("ASCII");
        for word in ["HttpOnly", "SameSite=Lax", "Path=/"] {
            assert!(cookie.contains(word), "{cookie}");
        }
        cookie.split(';').next().expect("it has a value").to_owned()
    }

    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        cookie: Option<&str>,
        form: &[(&str, &str)],
    ) -> Response {
        let request = self.request(method, path, cookie, form);
        request.send().await.expect("a response")
    }

    pub fn request(
        &self,
        method: Method,
        path: &str,
        cookie: Option<&str>,
        form: &[(&str, &str)],
    ) -> RequestBuilder {
        let address = self.served.process.address;
        let mut request = self
            .client
            .request(method.clone(), format!("http://{address}{path}"))
            .header(header::ORIGIN, format!("http://{address}"))
            .header(header::ACCEPT, "application/json");
        if let Some(cookie) = cookie {
            request = request.header(header::COOKIE, cookie);
        }
        if method == Method::POST {
            request = if JSON.iter().any(|name| path == path_of(name)) {
                request.json(&json_of(form))
            } else {
                request.form(form)
            };
        }
        request
    }

    pub async fn post(&self, path: &str, cookie: Option<&str>, form: &[(&str, &str)]) -> Response {
        self.ask(Method::POST, path, cookie, form).await
    }

    /// Calls a server function.
    pub async fn call(&self, name: &str, cookie: &str, fields: &[(&str, &str)]) -> Response {
        self.post(&path_of(name), Some(cookie), fields).await
    }

    /// Starts a conversation and returns its id.
    pub async fn create_conversation(&self, cookie: &str, message: &str) -> String {
        let fields = [("message", message)];
        let made = self.call("create_conversation", cookie, &fields);
        made.await.json().await.expect("an id")
    }

    /// Creates a shared link and opens it; returns the visitor's cookie.
    pub async fn visit(&self, cookie: &str, id: &str) -> String {
        let fields = [("id", id), ("days", "7")];
        let made = self.call("make_link", cookie, &fields).await;
        let whole: String = made.json().await.expect("a link");
        let followed = self.post("/link", None, &[("code", &whole)]).await;
        assert_eq!(followed.status(), 303, "{whole}");
        let cookie = followed.headers()[header::SET_COOKIE].to_str();
        let cookie = cookie.expect("ASCII").split(';').next();
        cookie.expect("it has a value").to_owned()
    }

    /// Requests a page like a browser.
    pub async fn page(&self, path: &str, cookie: &str) -> Response {
        let request = self.request(Method::GET, path, Some(cookie), &[]);
        request.headers(page()).send().await.expect("a response")
    }

    /// The live connection of a tab that follows a conversation.
    pub async fn tab(&self, cookie: &str, id: &str) -> PageConnection {
        let socket = socket_as(self.served.process.address, cookie).await;
        let mut connection = PageConnection(socket.expect("the login is accepted"));
        connection.follow(id).await;
        connection
    }

    pub async fn get(&self, path: &str, cookie: Option<&str>) -> Response {
        self.ask(Method::GET, path, cookie, &[]).await
    }
}

/// The headers of a browser that requests a page.
pub fn page() -> HeaderMap {
    HeaderMap::from_iter([(header::ACCEPT, HeaderValue::from_static("text/html"))])
}

/// The live connection of a tab.
pub struct PageConnection(pub Socket);

impl PageConnection {
    pub async fn say(&mut self, frame: &FromBrowser) {
        let text = serde_json::to_string(frame).expect("plain data");
        self.0.send(Message::text(text)).await.expect("it is open");
    }

    pub async fn follow(&mut self, id: &str) {
        let conversation = id.to_owned();
        let follow = FromBrowser::Follow {
            conversation,
            after: 0,
        };
        self.say(&follow).await;
    }

    /// The next message; after a close, its code.
    pub async fn next(&mut self) -> Result<FromServer, u16> {
        loop {
            match self.0.next().await {
                Some(Ok(Message::Text(text))) => {
                    return Ok(serde_json::from_str(&text).expect("frames are JSON"));
                }
                Some(Ok(Message::Close(Some(frame)))) => return Err(frame.code.into()),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(0),
            }
        }
    }

    /// Waits for a message that `found` accepts, and returns its result.
    pub async fn until<T>(&mut self, what: &str, found: impl Fn(FromServer) -> Option<T>) -> T {
        let waiting = async {
            loop {
                let frame = self.next().await;
                let frame = frame.unwrap_or_else(|code| panic!("closed with {code}: {what}"));
                if let Some(found) = found(frame) {
                    return found;
                }
            }
        };
        let found = tokio::time::timeout(LONG, waiting).await;
        found.unwrap_or_else(|_| panic!("timed out: {what}"))
    }

    /// Waits for the close and returns its code.
    pub async fn closed(&mut self) -> u16 {
        let waiting = async {
            loop {
                if let Err(code) = self.next().await {
                    return code;
                }
            }
        };
        let code = tokio::time::timeout(LONG, waiting).await;
        code.expect("it is closed")
    }
}

/// Functions that take their arguments as JSON.
pub const JSON: [&str; 6] = [
    "older_rows",
    "later_rows",
    "read_outline",
    "send_message_with",
    "subscribe_push",
    "answer_from_notification",
];

pub fn json_of(form: &[(&str, &str)]) -> serde_json::Value {
    let fields: BTreeMap<&str, &str> = form.iter().copied().collect();
    let mut json = serde_json::json!({
        "limit": 1, "before": null, "after": null, "kind": null, "images": [], "files": [], "channel": 0,
    });
    for name in [
        "id",
        "text",
        "client_id",
        "conversation",
        "token",
        "decision",
        "endpoint",
        "p256dh",
        "auth",
    ] {
        json[name] = fields.get(name).copied().unwrap_or_default().into();
    }
    json
}

/// The path of a server function.
pub fn path_of(name: &str) -> String {
    // To list the routes renders all pages.
    static PATHS: LazyLock<Vec<String>> =
        LazyLock::new(|| every_route().into_iter().map(|(_, path)| path).collect());
    let path = PATHS.iter().find(|path| name_of(path) == Some(name));
    let path = path.unwrap_or_else(|| panic!("there is no function {name}"));
    path.clone()
}

/// The name of the function at a path, without the trailing number.
pub fn name_of(path: &str) -> Option<&str> {
    let name = path
        .strip_prefix("/api/")
        .filter(|name| !name.starts_with("v1/"))?;
    Some(name.trim_end_matches(|letter: char| letter.is_ascii_digit()))
}

/// Fills in a route pattern.
pub fn filled(pattern: &str, id: &str) -> String {
    pattern
        .replace("{id}", id)
        .replace("{seq}", "1")
        .replace("{number}", "0")
        .replace("{*name}", "none.js")
}
