//! The second factor over HTTP: half a login reaches nothing, and each way to complete it.
//!
//! The dialect of the backend does not matter: logins are Handrail's own. Passkeys need a name, so this browser uses
//! `localhost`, and an authenticator in software.
//!
//! Long because the cases share that browser.

use super::authenticator::Authenticator;
use super::house::{House, PASSWORD, filled, name_of, page, path_of};
use super::matrix::ARGUMENTS;
use crate::backup::printed;
use crate::tab::socket_as;
use futures_util::StreamExt;
use handrail::server::{Need, every_route, needed};
use reqwest::{Method, RequestBuilder, Response, header};
use std::collections::BTreeMap;
use tokio_tungstenite::tungstenite::Message;

/// A browser at `http://localhost`, with its cookies.
pub(super) struct Browser<'a> {
    house: &'a House,
    cookies: BTreeMap<String, String>,
}

impl<'a> Browser<'a> {
    fn new(house: &'a House) -> Self {
        Self {
            house,
            cookies: BTreeMap::new(),
        }
    }

    /// One that is logged in with the password.
    pub(super) async fn logged_in(house: &'a House, name: &str) -> Self {
        let mut browser = Self::new(house);
        let leads = browser.log_in(name).await;
        assert_eq!(leads, "/", "{name}");
        browser
    }

    pub(super) fn origin(&self) -> String {
        format!(
            "http://localhost:{}",
            self.house.served.process.address.port()
        )
    }

    pub(super) fn cookie(&self) -> String {
        let pairs = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        pairs.collect::<Vec<_>>().join("; ")
    }

    fn at_localhost(&self, request: RequestBuilder) -> RequestBuilder {
        let origin = self.origin();
        let host = origin.trim_start_matches("http://").to_owned();
        let mut request = request.build().expect("a request");
        let text = |text: &str| text.parse().expect("ASCII");
        request.headers_mut().insert(header::ORIGIN, text(&origin));
        request.headers_mut().insert(header::HOST, text(&host));
        RequestBuilder::from_parts(self.house.client.clone(), request)
    }

    pub(super) async fn send(&mut self, request: RequestBuilder) -> Response {
        let response = self.at_localhost(request).send().await.expect("a response");
        for set in response.headers().get_all(header::SET_COOKIE) {
            let set = set.to_str().expect("ASCII");
            let (pair, attributes) = set.split_once(';').expect("attributes");
            let (name, value) = pair.split_once('=').expect("a pair");
            match attributes.contains("Max-Age=0") {
                true => self.cookies.remove(name),
                false => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
        response
    }

    pub(super) async fn post(&mut self, path: &str, form: &[(&str, &str)]) -> Response {
        let cookie = self.cookie();
        let request = self.house.request(Method::POST, path, Some(&cookie), form);
        self.send(request).await
    }

    pub(super) async fn call(&mut self, name: &str, form: &[(&str, &str)]) -> Response {
        self.post(&path_of(name), form).await
    }

    /// The text of a page.
    pub(super) async fn read(&mut self, path: &str) -> String {
        let cookie = self.cookie();
        let request = self.house.request(Method::GET, path, Some(&cookie), &[]);
        let response = self.send(request.headers(page())).await;
        response.text().await.expect("a text")
    }

    /// Sends the password; where that leads.
    async fn log_in(&mut self, name: &str) -> String {
        let form = [("name", name), ("password", PASSWORD)];
        leads(&self.post("/login", &form).await)
    }

    /// Registers a passkey.
    pub(super) async fn register(&mut self, key: &mut Authenticator) -> Response {
        let asked = self.post("/passkey/options", &[]).await;
        assert_eq!(asked.status(), 200);
        let answer = key.create(&self.origin(), &asked.text().await.expect("JSON"));
        self.post("/passkey", &[("name", "a key"), ("answer", &answer)])
            .await
    }

    /// Answers with a passkey, after the password or alone.
    async fn answer(&mut self, key: &mut Authenticator, second: bool) -> Response {
        let (form, path): (&[(&str, &str)], _) = match second {
            true => (&[("second", "true")], "/second-factor"),
            false => (&[], "/login/passkey"),
        };
        let asked = self.post("/login/passkey/options", form).await;
        assert_eq!(asked.status(), 200);
        let answer = key.get(&self.origin(), &asked.text().await.expect("JSON"));
        self.post(path, &[("answer", &answer), ("next", "/inbox")])
            .await
    }

    /// The recovery codes that the account page shows.
    async fn codes(&mut self) -> Vec<String> {
        let text = self.read("/account").await;
        let is_code = |word: &&str| {
            word.len() == 19
                && word.split('-').count() == 4
                && word.split('-').all(|part| part.len() == 4)
        };
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
        let mut codes: Vec<String> = words.filter(is_code).map(str::to_owned).collect();
        codes.sort();
        codes.dedup();
        codes
    }

    async fn is_in(&mut self) -> bool {
        self.call("read_me", &[]).await.status() == 200
    }
}

fn leads(response: &Response) -> String {
    assert_eq!(response.status(), 303);
    let to = response.headers()[header::LOCATION].to_str();
    to.expect("ASCII").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn half_a_login_reaches_no_route_and_is_completed_by_the_passkey() {
    let house = House::new().await;
    let mut key = Authenticator::new();
    let mut laptop = Browser::logged_in(&house, "owner").await;
    assert_eq!(leads(&laptop.register(&mut key).await), "/account");
    let codes = laptop.codes().await;
    assert_eq!(codes.len(), 10, "{codes:?}");
    assert!(laptop.codes().await.is_empty(), "they are shown once");

    let mut phone = Browser::new(&house);
    assert_eq!(phone.log_in("owner").await, "/second-factor?next=%2F");
    assert!(
        !phone.cookies.contains_key("handrail"),
        "{:?}",
        phone.cookies
    );
    let half = phone.cookie();
    for (method, path) in every_route() {
        let need =
            name_of(&path).map_or_else(|| needed(&method, &path), |_| needed(&method, "/api/any"));
        if !matches!(need, Need::May(_)) {
            continue;
        }
        let request = house.request(
            method.clone(),
            &filled(&path, "none"),
            Some(&half),
            &ARGUMENTS,
        );
        let answer = phone
            .at_localhost(request)
            .send()
            .await
            .expect("a response");
        assert_eq!(answer.status(), 401, "{method} {path}");
    }
    assert!(
        socket_as(house.served.process.address, &half)
            .await
            .is_err()
    );
    // Whoever has half a login cannot replace the other half.
    let refused = phone.post("/passkey/options", &[]).await;
    assert_eq!(refused.status(), 401);
    let text = phone.read("/second-factor").await;
    assert!(
        text.contains("Use a passkey of owner") && text.contains("Recovery code"),
        "{text}"
    );
    let mut other = Authenticator::new();
    assert_eq!(phone.answer(&mut other, true).await.status(), 401);
    let refused = phone.post("/second-factor", &[("answer", "")]).await;
    assert_eq!(refused.status(), 400);
    let text = refused.text().await.expect("a text");
    assert!(
        text.contains("passkeys need JavaScript") && text.contains("Use a passkey of"),
        "{text}"
    );
    assert_eq!(leads(&phone.answer(&mut key, true).await), "/inbox");
    assert!(phone.is_in().await);
    assert!(!phone.cookies.contains_key("handrail-half"));

    // Alone, and without a password.
    let mut tablet = Browser::new(&house);
    assert!(
        tablet
            .read("/login")
            .await
            .contains("Log in with a passkey")
    );
    assert_eq!(leads(&tablet.answer(&mut key, false).await), "/inbox");
    assert!(tablet.is_in().await);

    // A code stands in for it, once.
    let mut found = Browser::new(&house);
    found.log_in("owner").await;
    let wrong = found.post("/second-factor/code", &[("code", "none")]).await;
    assert_eq!(wrong.status(), 401);
    let text = wrong.text().await.expect("a text");
    assert!(
        text.contains("Each code works once") && text.contains("Recovery code"),
        "{text}"
    );
    let code = [("code", codes[0].as_str()), ("next", "//evil")];
    assert_eq!(leads(&found.post("/second-factor/code", &code).await), "/");
    assert!(found.is_in().await);
    let mut again = Browser::new(&house);
    again.log_in("owner").await;
    assert_eq!(again.post("/second-factor/code", &code).await.status(), 401);
    assert!(!again.is_in().await);
    assert!(
        found
            .read("/account")
            .await
            .contains("9 recovery codes left")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_required_passkey_shuts_out_sessions_sockets_and_tokens_until_it_is_there() {
    let house = House::new().await;
    let mut owner = Browser::logged_in(&house, "owner").await;
    let mut viewer = Browser::logged_in(&house, "viewer").await;
    let fields = [("name", "a script"), ("role", "viewer"), ("days", "1")];
    let token: String = viewer
        .call("make_token", &fields)
        .await
        .json()
        .await
        .expect("a text");
    let script = async || {
        let address = house.served.process.address;
        let call = house
            .client
            .post(format!("http://{address}{}", path_of("read_me")));
        call.bearer_auth(&token)
            .send()
            .await
            .expect("a response")
            .status()
    };
    assert_eq!(script().await, 200);
    let at_an_address = owner.cookie();
    let refused = house
        .call("require_passkeys", &at_an_address, &[("viewer", "true")])
        .await;
    let text = refused.text().await.expect("a text");
    assert!(text.contains("do not work at this address"), "{text}");
    let text = owner
        .call("require_passkeys", &[("owner", "true")])
        .await
        .text()
        .await;
    assert!(
        text.expect("a text")
            .contains("Add a passkey to your own account first")
    );

    let mut socket = socket_as(house.served.process.address, &viewer.cookie())
        .await
        .expect("logged in");
    let required = owner.call("require_passkeys", &[("viewer", "true")]).await;
    assert_eq!(required.status(), 200);
    let closed = async {
        loop {
            if let Some(Ok(Message::Close(Some(frame)))) = socket.next().await {
                return u16::from(frame.code);
            }
        }
    };
    let closed = tokio::time::timeout(std::time::Duration::from_secs(10), closed).await;
    assert_eq!(closed.expect("it is closed"), 4401);
    assert!(!viewer.is_in().await && owner.is_in().await);
    assert_eq!(script().await, 401);

    let mut phone = Browser::new(&house);
    assert_eq!(phone.log_in("viewer").await, "/second-factor?next=%2F");
    assert!(!phone.is_in().await);
    let text = phone.read("/second-factor").await;
    assert!(
        text.contains("Your role requires a passkey") && text.contains("Create passkey"),
        "{text}"
    );
    let mut key = Authenticator::new();
    assert_eq!(leads(&phone.register(&mut key).await), "/account");
    assert!(phone.is_in().await);
    assert_eq!(phone.codes().await.len(), 10);
    assert_eq!(script().await, 200);
    let removed = phone.call("end_passkey", &[("number", "1")]).await;
    assert!(
        removed
            .text()
            .await
            .expect("a text")
            .contains("Your role requires a passkey")
    );

    // Lost: the command removes it, and the next login begins anew.
    let data = house.served.folder.path();
    let said = printed(data, &["user", "reset", "viewer"]).await;
    assert!(said.contains("no passkeys any more"), "{said}");
    assert!(!phone.is_in().await);
    assert_eq!(phone.answer(&mut key, false).await.status(), 401);
    let password = said
        .trim()
        .rsplit(' ')
        .next()
        .expect("a password")
        .to_owned();
    let form = [("name", "viewer"), ("password", password.as_str())];
    let entered = phone.post("/login", &form).await;
    assert_eq!(leads(&entered), "/second-factor?next=%2F");
    let audit = printed(data, &["audit", "export"]).await;
    for action in [
        "require passkeys",
        "add passkey",
        "reset passkeys",
        "reset password",
    ] {
        assert!(audit.contains(&format!("\"{action}\"")), "{action}");
    }
    let said = printed(data, &["user", "require-passkeys"]).await;
    assert!(said.contains("No role requires"), "{said}");
    assert_eq!(leads(&phone.post("/login", &form).await), "/");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn passkeys_are_offered_only_where_they_work() {
    let house = House::new().await;
    let text = house.page("/login", "").await.text().await.expect("a text");
    assert!(!text.contains("Log in with a passkey"), "{text}");
    let viewer = house.log_in("viewer").await;
    for path in ["/account", "/passkey"] {
        let text = house
            .page(path, &viewer)
            .await
            .text()
            .await
            .expect("a text");
        assert!(text.contains("Passkeys need a host name"), "{path}: {text}");
        assert!(!text.contains("passkey.js"), "{path}");
    }
    // Nor do the routes answer there.
    for path in ["/passkey/options", "/login/passkey/options"] {
        let refused = house.post(path, Some(&viewer), &[]).await;
        assert_eq!(refused.status(), 401, "{path}");
    }
    let mut browser = Browser::logged_in(&house, "viewer").await;
    assert!(browser.read("/account").await.contains("Add a passkey"));
    let text = browser.read("/passkey").await;
    assert!(
        text.contains("passkey.js") && text.contains("Passkeys need JavaScript"),
        "{text}"
    );
    let mut key = Authenticator::new();
    browser.register(&mut key).await;
    // At the address, the page says where they work.
    let form = [("name", "viewer"), ("password", PASSWORD)];
    let half = house.post("/login", None, &form).await;
    let set = half.headers()[header::SET_COOKIE].to_str().expect("ASCII");
    let cookie = set.split(';').next().expect("a pair");
    let text = house
        .page("/second-factor", cookie)
        .await
        .text()
        .await
        .expect("a text");
    assert!(text.contains("Your passkeys work at localhost"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invited_person_makes_an_account_with_a_password_or_a_passkey() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let invite = async |name: &str| -> String {
        let fields = [("name", name), ("role", "approver"), ("days", "7")];
        let made = house.call("make_invitation", &owner, &fields).await;
        assert_eq!(made.status(), 200);
        made.json().await.expect("a link")
    };
    let open = async |browser: &mut Browser<'_>, link: &str| {
        browser
            .post("/invitation", &[("code", link)])
            .await
            .status()
    };
    let link = invite("").await;
    assert!(link.contains("/invitation#"), "{link}");
    let mut ada = Browser::new(&house);
    assert_eq!(open(&mut ada, &link).await, 303);
    let text = ada.read("/invitation").await;
    assert!(text.contains("owner invites you as approver"), "{text}");
    let taken = [("name", "viewer"), ("password", PASSWORD)];
    let taken = ada.post("/invitation/accept", &taken).await;
    assert_eq!(taken.status(), 400);
    let text = taken.text().await.expect("a text");
    assert!(
        text.contains("That name is taken") && text.contains("value=\"viewer\""),
        "{text}"
    );
    let form = [("name", "ada"), ("password", PASSWORD)];
    assert_eq!(leads(&ada.post("/invitation/accept", &form).await), "/");
    assert!(ada.is_in().await);
    let mut late = Browser::new(&house);
    assert_eq!(open(&mut late, &link).await, 410, "it was used");

    let link = invite("grace").await;
    let mut grace = Browser::new(&house);
    assert_eq!(open(&mut grace, &link).await, 303);
    let text = grace.read("/invitation").await;
    assert!(text.contains("Your name is grace"), "{text}");
    let next = grace
        .post("/invitation/accept", &[("passkey", "true")])
        .await;
    assert_eq!(leads(&next), "/passkey");
    assert!(!grace.is_in().await);
    let mut key = Authenticator::new();
    assert_eq!(leads(&grace.register(&mut key).await), "/account");
    assert!(grace.is_in().await);
    assert_eq!(open(&mut late, &link).await, 410);

    // Revoked, and of a server that was restored, it is none.
    let link = invite("").await;
    let text = house
        .page("/people", &owner)
        .await
        .text()
        .await
        .expect("a text");
    assert!(text.contains("Anyone with the link"), "{text}");
    let revoked = house
        .call("end_invitation", &owner, &[("number", "3")])
        .await;
    assert_eq!(revoked.status(), 200);
    assert_eq!(open(&mut late, &link).await, 410);
    for round in 0..4 {
        let wanted = if round < 3 { 410 } else { 429 };
        assert_eq!(open(&mut late, "nonsense").await, wanted, "{round}");
    }
}
