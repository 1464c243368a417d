//! Requests as a browser sends them: with its headers, its cookies, and redirects followed.

use super::page::Page;
use reqwest::header::{self, HeaderMap};
use reqwest::multipart::Form;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use url::Url;

/// No response takes that long.
const SLOWEST: Duration = Duration::from_secs(30);

/// Something that is asked for.
pub struct Asked {
    pub method: Method,
    pub url: Url,
    pub body: Body,
}

pub enum Body {
    None,
    Encoded(String),
    Multipart(Form),
}

impl Asked {
    pub fn get(url: Url) -> Self {
        Self {
            method: Method::GET,
            url,
            body: Body::None,
        }
    }
}

/// A file that was saved.
#[derive(Debug)]
pub struct Download {
    pub name: String,
    pub kind: String,
    pub bytes: Vec<u8>,
}

impl Download {
    /// The file in a response that is to be saved.
    pub async fn of(response: Response) -> Self {
        let url = response.url().clone();
        assert_eq!(response.status(), 200, "{url}");
        let disposition = text(response.headers(), "content-disposition");
        assert!(
            disposition.starts_with("attachment;"),
            "{url}: {disposition}"
        );
        let name = disposition.split("filename=\"").nth(1);
        let name = name.and_then(|rest| rest.split('"').next());
        let name = name.unwrap_or_else(|| panic!("{url} has no name: {disposition}"));
        Self {
            name: name.to_owned(),
            kind: text(response.headers(), "content-type"),
            bytes: response.bytes().await.expect("the file is whole").to_vec(),
        }
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).expect("the file is a text")
    }
}

pub struct Browser {
    client: Client,
    pub cookies: BTreeMap<String, String>,
}

impl Browser {
    pub fn new() -> Self {
        let client = Client::builder().redirect(Policy::none()).build();
        Self {
            client: client.expect("a plain client"),
            cookies: BTreeMap::new(),
        }
    }

    /// Loads a page. `from` is the page that leads there, if any.
    pub async fn load(&mut self, asked: Asked, from: Option<&Url>) -> Page {
        let (asked_at, fragment) = (Instant::now(), asked.url.fragment().map(str::to_owned));
        let response = self.send(asked, from).await;
        let mut page = self.follow(response, asked_at, from).await;
        if page.url.fragment().is_none() {
            page.url.set_fragment(fragment.as_deref());
        }
        page.unfold_target();
        page
    }

    /// Follows redirects to the page at their end.
    pub async fn follow(
        &mut self,
        mut response: Response,
        asked_at: Instant,
        from: Option<&Url>,
    ) -> Page {
        for _ in 0..10 {
            self.keep_cookies(response.headers());
            let (url, status) = (response.url().clone(), response.status());
            if !status.is_redirection() {
                let kind = text(response.headers(), "content-type");
                let source = response.text().await.expect("the page is whole");
                assert!(
                    kind.starts_with("text/html"),
                    "{url} is {kind}: {source:.200}"
                );
                return Page::new(url, status, asked_at, source);
            }
            assert!(
                matches!(status.as_u16(), 302 | 303),
                "{url} answered {status}"
            );
            let place = text(response.headers(), "location");
            let next = url.join(&place).expect("it is an address");
            assert_eq!(next.origin(), url.origin(), "{url} leads away");
            response = self.send(Asked::get(next), from).await;
        }
        panic!("{} is in a circle of redirects", response.url());
    }

    /// The response to one request.
    pub async fn send(&self, asked: Asked, from: Option<&Url>) -> Response {
        let headers = self.headers(&asked, from);
        let request = self.client.request(asked.method, asked.url.clone());
        let request = match asked.body {
            Body::None => request,
            Body::Encoded(text) => request
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(text),
            Body::Multipart(form) => request.multipart(form),
        };
        let response = request.headers(headers).timeout(SLOWEST).send().await;
        response.unwrap_or_else(|error| panic!("{} does not answer: {error}", asked.url))
    }

    /// The headers of a browser.
    fn headers(&self, asked: &Asked, from: Option<&Url>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let mut add = |name: &'static str, value: &str| {
            let value = value.parse().expect("browsers send such values");
            headers.insert(name, value);
        };
        add("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
        add("sec-fetch-mode", "navigate");
        add("sec-fetch-dest", "document");
        let site = from.map_or("none", |_| "same-origin");
        add("sec-fetch-site", site);
        if let Some(from) = from {
            let mut referrer = from.clone();
            referrer.set_fragment(None);
            add("referer", referrer.as_str());
        }
        if asked.method == Method::POST {
            add("origin", &asked.url.origin().ascii_serialization());
        }
        if !self.cookies.is_empty() {
            let cookies = self.cookies.iter();
            let cookies = cookies.map(|(name, value)| format!("{name}={value}"));
            add("cookie", &cookies.collect::<Vec<_>>().join("; "));
        }
        headers
    }

    fn keep_cookies(&mut self, headers: &HeaderMap) {
        for cookie in headers.get_all(header::SET_COOKIE) {
            let cookie = cookie.to_str().expect("cookies are ASCII");
            let mut parts = cookie.split("; ");
            let pair = parts.next().and_then(|pair| pair.split_once('='));
            let (name, value) = pair.expect("cookies have a name and a value");
            let is_over = parts.any(|part| part.eq_ignore_ascii_case("max-age=0"));
            match is_over {
                true => self.cookies.remove(name),
                false => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
    }
}

/// The value of a header, or nothing.
fn text(headers: &HeaderMap, name: &str) -> String {
    let value = headers.get(name);
    let value = value.map(|value| value.to_str().expect("it is ASCII"));
    value.unwrap_or_default().to_owned()
}
