//! A provider, a Handrail, and browsers that are redirected between them.

use super::provider::{CLIENT, Identity, Provider, SECRET};
use crate::people::house::House;
use reqwest::{Response, StatusCode, header};
use tempfile::TempDir;
use url::Url;

/// A provider, and a Handrail configured to trust it.
pub struct Street {
    pub provider: Provider,
    pub house: House,
    _secret: TempDir,
}

impl Street {
    pub async fn new(more: &[&str]) -> Self {
        let provider = Provider::start().await;
        let folder = TempDir::new().expect("a temporary folder");
        let file = folder.path().join("secret");
        std::fs::write(&file, SECRET).expect("it can be written");
        let (issuer, file) = (provider.issuer(), file.to_str().expect("a text"));
        let options = [
            "--oidc-issuer",
            &issuer,
            "--oidc-client-id",
            CLIENT,
            "--oidc-client-secret-file",
            file,
        ];
        let house = House::with(&[&options, more].concat()).await;
        Self {
            provider,
            house,
            _secret: folder,
        }
    }

    /// Starts a flow; returns the browser's cookie and the URL of the redirect.
    pub async fn start_login(&self, query: &str, cookie: Option<&str>) -> (String, Url) {
        let answer = self
            .house
            .get(&format!("/login/openid{query}"), cookie)
            .await;
        assert_eq!(answer.status(), 303);
        let sent = answer.headers()[header::LOCATION].to_str().expect("ASCII");
        (cookie_of(&answer), sent.parse().expect("an address"))
    }

    /// Starts linking an account, from its account page.
    pub async fn link(&self, cookie: &str) -> (String, Url) {
        let proof = self.proof(cookie).await;
        self.start_login(&format!("?link={proof}"), Some(cookie))
            .await
    }

    /// The proof for linking, from the account page of this session.
    pub async fn proof(&self, cookie: &str) -> String {
        let account = self.house.call("read_account", cookie, &[]).await;
        let account: serde_json::Value = account.json().await.expect("JSON");
        account["openid"][1].as_str().expect("a text").to_owned()
    }

    /// Follows the redirect back to Handrail.
    pub async fn come_back(&self, cookie: &str, query: &str) -> Response {
        let path = format!("/login/openid/callback?{query}");
        self.house.get(&path, Some(cookie)).await
    }

    /// Runs a complete login.
    pub async fn log_in(&self, identity: &Identity) -> Response {
        let (cookie, sent) = self.start_login("?next=/inbox", None).await;
        let query = self.provider.authorize(&sent, identity);
        self.come_back(&cookie, &query).await
    }

    /// The current user of this session.
    pub async fn me(&self, cookie: &str) -> serde_json::Value {
        let me = self.house.call("read_me", cookie, &[]).await;
        me.json().await.expect("JSON")
    }
}

pub fn cookie_of(answer: &Response) -> String {
    let cookie = answer.headers()[header::SET_COOKIE]
        .to_str()
        .expect("ASCII");
    assert!(cookie.contains("HttpOnly; SameSite=Lax"), "{cookie}");
    cookie.split(';').next().expect("it has a value").to_owned()
}

/// Checks that the login was refused with an error page.
pub async fn is_refused(answer: Response, status: StatusCode) {
    assert_eq!(answer.status(), status);
    assert!(!answer.headers().contains_key(header::SET_COOKIE));
    let text = answer.text().await.expect("text");
    assert!(text.contains("role=\"alert\""), "{text}");
}

pub fn ada() -> Identity {
    Identity {
        subject: "1",
        name: "ada lovelace",
        address: "Ada@example.com",
        verified: true,
        groups: vec!["devs"],
    }
}
