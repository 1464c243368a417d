//! A person whose browser runs no script: opens pages, follows links, fills in fields and presses buttons.
//!
//! Without a script a page changes only when it is loaded again, so waiting for an agent means reloading. Whatever is
//! absent, ambiguous or disabled fails the test, and so does a response that a test does not allow.

use super::form::{self, Body, Sent};
use super::page::{Edit, Page, Upload, squeezed};
use super::part::{Kind, Named, Part};
use crate::tab::LONG;
use reqwest::header::{self, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use scraper::ElementRef;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use url::Url;

/// How long after a page was loaded its buttons for answers are there: a little longer than the server requires.
pub const ARMING: Duration = Duration::from_millis(730);

/// The longest pause between two loads of a page that a person waits at.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// A file that was saved.
#[derive(Debug)]
pub struct Download {
    pub name: String,
    pub kind: String,
    pub bytes: Vec<u8>,
}

impl Download {
    pub fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).expect("the file is a text")
    }
}

pub struct Visitor {
    client: Client,
    pub cookies: BTreeMap<String, String>,
    pub page: Page,
    /// Statuses of errors that the test expects.
    allowed: Vec<StatusCode>,
}

impl Visitor {
    /// A browser that has just been opened.
    pub fn at(address: SocketAddr) -> Self {
        let client = Client::builder().redirect(Policy::none()).build();
        let home = Url::parse(&format!("http://{address}/")).expect("it is an address");
        Self {
            client: client.expect("a plain client"),
            cookies: BTreeMap::new(),
            page: Page::new(home, StatusCode::OK, Instant::now(), String::new()),
            allowed: Vec::new(),
        }
    }

    /// Expects responses with this status.
    pub fn allow(&mut self, status: u16) {
        let status = StatusCode::from_u16(status).expect("it is a status");
        self.allowed.push(status);
    }

    // Going to pages.

    /// Types an address.
    pub async fn open(&mut self, path: &str) {
        let url = self.page.url.join(path).expect("it is an address");
        self.load(Method::GET, url, None, false).await;
    }

    pub async fn reload(&mut self) {
        let url = self.page.url.clone();
        self.load(Method::GET, url, None, false).await;
    }

    /// Follows a link.
    pub async fn follow(&mut self, link: impl Named) {
        let url = self.address(link);
        self.load(Method::GET, url, None, true).await;
    }

    /// Presses a button. The buttons of an approval appear only after a while.
    pub async fn press(&mut self, button: impl Named) {
        let part = button.part(Kind::Button);
        if self.page.one(&part).attr("data-arms").is_some() {
            self.arm().await;
        }
        self.press_at_once(part).await;
    }

    /// Presses a button as soon as it is there.
    pub async fn press_at_once(&mut self, button: impl Named) {
        let (method, url, body) = self.sent_by(button);
        self.load(method, url, body, true).await;
    }

    /// Presses a button twice: the browser sends the form twice, and shows the second response.
    pub async fn press_twice(&mut self, button: impl Named) {
        let button = button.part(Kind::Button);
        self.arm().await;
        let (method, url, body) = self.sent_by(&button);
        let first = self.send(method, url, body, true);
        let (method, url, body) = self.sent_by(&button);
        let second = self.send(method, url, body, true);
        let (asked_at, (_, second)) = (Instant::now(), tokio::join!(first, second));
        self.arrive(second, asked_at).await;
    }

    fn sent_by(&self, button: impl Named) -> (Method, Url, Option<Body>) {
        let button = self.page.one(&button.part(Kind::Button));
        match form::submitted_by(&self.page, button) {
            Sent::Get(url) => (Method::GET, url, None),
            Sent::Post(url, body) => (Method::POST, url, Some(body)),
        }
    }

    /// Waits until the page has been there for so long that an answer counts.
    pub async fn arm(&self) {
        let left = ARMING.saturating_sub(self.page.loaded_at.elapsed());
        tokio::time::sleep(left).await;
    }

    /// Saves what a link leads to.
    pub async fn download(&self, link: impl Named) -> Download {
        let url = self.address(link);
        saved(self.send(Method::GET, url, None, true).await).await
    }

    /// Saves what a button brings.
    pub async fn download_by(&self, button: impl Named) -> Download {
        let (method, url, body) = self.sent_by(button);
        saved(self.send(method, url, body, true).await).await
    }

    /// The response to a plain request of the browser.
    pub async fn get(&self, path: &str) -> Response {
        let url = self.page.url.join(path).expect("it is an address");
        self.send(Method::GET, url, None, false).await
    }

    /// Where a link leads.
    pub fn address(&self, link: impl Named) -> Url {
        let link = self.page.one(&link.part(Kind::Link));
        let address = link.attr("href").expect("links have addresses");
        let url = self.page.url.join(address).expect("it is an address");
        assert_eq!(url.origin(), self.page.url.origin(), "{link:?}");
        url
    }

    // Filling in.

    pub fn fill(&mut self, field: impl Named, text: &str) {
        let field = self.enabled(&field.part(Kind::Field));
        assert!(field.attr("readonly").is_none(), "{field:?}");
        let is_one_line = field.value().name() == "input";
        let text = if is_one_line {
            text.replace('\n', "")
        } else {
            text.to_owned()
        };
        let id = field.id();
        self.page.edits.insert(id, Edit::Text(text));
    }

    /// Chooses from a list, by the text of the choice.
    pub fn choose(&mut self, list: impl Named, option: &str) {
        let list = self.enabled(&list.part(Kind::Field));
        let is_meant = |element: &ElementRef<'_>| {
            let text = element.text().collect::<String>();
            element.value().name() == "option" && squeezed(&text) == option
        };
        let options: Vec<_> = list.descendent_elements().filter(is_meant).collect();
        let [chosen] = options[..] else {
            panic!("not one choice {option:?}: {}", list.html());
        };
        let (list, chosen) = (list.id(), chosen.id());
        self.page.edits.insert(list, Edit::Chosen(chosen));
    }

    /// Ticks a box, or one of several that exclude one another.
    pub fn tick(&mut self, control: impl Named) {
        let control = self.enabled(&control.part(Kind::Field));
        let mut changes = vec![(control.id(), true)];
        if control.attr("type") == Some("radio") {
            let group = self.page.select("input[type=radio]").into_iter();
            let group = group.filter(|other| other.attr("name") == control.attr("name"));
            changes.extend(
                group
                    .filter(|other| *other != control)
                    .map(|other| (other.id(), false)),
            );
        } else {
            assert_eq!(control.attr("type"), Some("checkbox"), "{control:?}");
        }
        let edits = changes
            .into_iter()
            .map(|(id, is_on)| (id, Edit::Ticked(is_on)));
        self.page.edits.extend(edits);
    }

    pub fn untick(&mut self, control: impl Named) {
        let control = self.enabled(&control.part(Kind::Field));
        assert_eq!(control.attr("type"), Some("checkbox"), "{control:?}");
        let id = control.id();
        self.page.edits.insert(id, Edit::Ticked(false));
    }

    /// Chooses files.
    pub fn attach(&mut self, field: impl Named, files: Vec<Upload>) {
        let field = self.enabled(&field.part(Kind::Field));
        assert_eq!(field.attr("type"), Some("file"), "{field:?}");
        let may_be_several = field.attr("multiple").is_some();
        assert!(
            files.len() < 2 || may_be_several,
            "{field:?} takes one file"
        );
        let id = field.id();
        self.page.edits.insert(id, Edit::Files(files));
    }

    /// Opens or closes what is folded, such as a menu.
    pub fn unfold(&mut self, summary: impl Named) {
        let summary = self.page.one(&summary.part(Kind::Summary));
        let details = summary
            .parent()
            .expect("a summary is inside of something")
            .id();
        if !self.page.toggled.remove(&details) {
            self.page.toggled.insert(details);
        }
    }

    fn enabled(&self, part: &Part) -> ElementRef<'_> {
        let control = self.page.one(part);
        assert!(!form::is_disabled(control), "{control:?} is disabled");
        control
    }

    // Reading.

    pub fn has(&self, part: impl Into<Part>) -> bool {
        !part.into().of(&self.page).is_empty()
    }

    /// Checks that the page shows something.
    #[track_caller]
    pub fn shows(&self, part: impl Into<Part>) {
        let part = part.into();
        assert!(
            self.has(&part),
            "there is no {part} at {}",
            self.page.report()
        );
    }

    /// Checks that the page does not show something.
    #[track_caller]
    pub fn lacks(&self, part: impl Into<Part>) {
        let part = part.into();
        assert!(
            !self.has(&part),
            "there is {part} at {}",
            self.page.report()
        );
    }

    pub fn count(&self, part: impl Into<Part>) -> usize {
        part.into().of(&self.page).len()
    }

    pub fn text(&self, part: impl Into<Part>) -> String {
        self.page.text(self.page.one(&part.into()))
    }

    pub fn texts(&self, part: impl Into<Part>) -> Vec<String> {
        let found = part.into().of(&self.page);
        found
            .into_iter()
            .map(|element| self.page.text(element))
            .collect()
    }

    pub fn attribute(&self, part: impl Into<Part>, name: &str) -> Option<String> {
        self.page.one(&part.into()).attr(name).map(str::to_owned)
    }

    /// What is in a field.
    pub fn value(&self, field: impl Named) -> String {
        form::value(&self.page, self.page.one(&field.part(Kind::Field)))
    }

    pub fn is_ticked(&self, control: impl Named) -> bool {
        form::is_ticked(&self.page, self.page.one(&control.part(Kind::Field)))
    }

    /// The element that the fragment of the address names: the browser shows the page from there.
    pub fn target(&self) -> String {
        let id = self
            .page
            .url
            .fragment()
            .expect("the address has a fragment");
        self.page.text(self.page.by_id(id))
    }

    /// Path and query of the address.
    pub fn path(&self) -> String {
        let url = &self.page.url;
        url.query().map_or_else(
            || url.path().to_owned(),
            |query| format!("{}?{query}", url.path()),
        )
    }

    // Waiting.

    /// Reloads the page until it shows something.
    pub async fn see(&mut self, part: impl Into<Part>) {
        let part = part.into();
        self.reload_until(&part.to_string(), |visitor| visitor.has(&part))
            .await;
    }

    /// Reloads the page until it no longer shows something.
    pub async fn gone(&mut self, part: impl Into<Part>) {
        let part = part.into();
        self.reload_until(&format!("no {part}"), |visitor| !visitor.has(&part))
            .await;
    }

    /// Reloads the page until it is as wanted.
    pub async fn reload_until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let (start, mut pause) = (Instant::now(), Duration::from_millis(20));
        while !is_so(self) {
            assert!(
                start.elapsed() < LONG,
                "timed out: {what} at {}",
                self.page.report()
            );
            tokio::time::sleep(pause).await;
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
            self.reload().await;
        }
    }

    // Requests.

    /// Loads a page. `is_followed` is whether the present page has led there.
    async fn load(&mut self, method: Method, url: Url, body: Option<Body>, is_followed: bool) {
        let asked_at = Instant::now();
        let fragment = url.fragment().map(str::to_owned);
        let response = self.send(method, url, body, is_followed).await;
        self.arrive(response, asked_at).await;
        if let Some(fragment) = fragment.filter(|_| self.page.url.fragment().is_none()) {
            self.page.url.set_fragment(Some(&fragment));
        }
        let target = self.page.url.fragment().map(str::to_owned);
        if let Some(target) = target.filter(|target| !target.is_empty()) {
            self.unfold_around(&target);
        }
    }

    /// Follows redirects, and shows the page at their end.
    async fn arrive(&mut self, mut response: Response, asked_at: Instant) {
        for _ in 0..10 {
            self.keep_cookies(response.headers());
            let (url, status) = (response.url().clone(), response.status());
            if !status.is_redirection() {
                return self.show(response, asked_at).await;
            }
            assert!(
                matches!(status.as_u16(), 302 | 303),
                "{url} answered {status}"
            );
            let place = response.headers()[header::LOCATION]
                .to_str()
                .expect("it is ASCII");
            let next = url.join(place).expect("it is an address");
            assert_eq!(next.origin(), url.origin(), "{url} leads away");
            response = self.send(Method::GET, next, None, true).await;
        }
        panic!("{} is in a circle of redirects", response.url());
    }

    async fn show(&mut self, response: Response, asked_at: Instant) {
        let (url, status) = (response.url().clone(), response.status());
        let kind = kind(response.headers());
        let text = response.text().await.expect("the page is whole");
        let is_expected = status.is_success() || self.allowed.contains(&status);
        assert!(is_expected, "{url} answered {status}: {text:.2000}");
        assert!(
            kind.starts_with("text/html"),
            "{url} is {kind}: {text:.200}"
        );
        self.page = Page::new(url, status, asked_at, text);
    }

    /// A browser unfolds what the target of an address is in.
    fn unfold_around(&mut self, id: &str) {
        let target = self.page.by_id(id);
        let around = target.ancestors().filter_map(ElementRef::wrap);
        let folded = around.filter(|one| one.value().name() == "details");
        let folded = folded.filter(|one| one.attr("open").is_none());
        let folded: Vec<_> = folded.map(|one| one.id()).collect();
        self.page.toggled.extend(folded);
    }

    async fn send(
        &self,
        method: Method,
        url: Url,
        body: Option<Body>,
        is_followed: bool,
    ) -> Response {
        let request = self.client.request(method.clone(), url.clone());
        let request = request
            .headers(self.headers(&method, is_followed))
            .timeout(LONG);
        let request = match body {
            None => request,
            Some(Body::Encoded(text)) => request
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .body(text),
            Some(Body::Multipart(form)) => request.multipart(form),
        };
        RequestBuilder::send(request)
            .await
            .expect("Handrail responds")
    }

    /// The headers of a browser.
    fn headers(&self, method: &Method, is_followed: bool) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let mut add = |name: &'static str, value: &str| {
            let value = value.parse().expect("browsers send such values");
            headers.insert(name, value);
        };
        add(
            "accept",
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
        );
        add("sec-fetch-mode", "navigate");
        add("sec-fetch-dest", "document");
        add(
            "sec-fetch-site",
            if is_followed { "same-origin" } else { "none" },
        );
        if is_followed {
            let mut from = self.page.url.clone();
            from.set_fragment(None);
            add("referer", from.as_str());
        }
        if method == Method::POST {
            add("origin", &self.page.url.origin().ascii_serialization());
        }
        if !self.cookies.is_empty() {
            let cookies = self
                .cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"));
            add("cookie", &cookies.collect::<Vec<_>>().join("; "));
        }
        headers
    }

    fn keep_cookies(&mut self, headers: &HeaderMap) {
        for cookie in headers.get_all(header::SET_COOKIE) {
            let cookie = cookie.to_str().expect("cookies are ASCII");
            let mut parts = cookie.split("; ");
            let (name, value) = parts
                .next()
                .and_then(|part| part.split_once('='))
                .expect("a cookie");
            let is_over = parts.any(|part| part.eq_ignore_ascii_case("max-age=0"));
            match is_over {
                true => self.cookies.remove(name),
                false => self.cookies.insert(name.to_owned(), value.to_owned()),
            };
        }
    }
}

fn kind(headers: &HeaderMap) -> String {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.map(|kind| kind.to_str().expect("it is ASCII"));
    kind.unwrap_or_default().to_owned()
}

async fn saved(response: Response) -> Download {
    let url = response.url().clone();
    assert_eq!(response.status(), 200, "{url}");
    let disposition = response.headers().get(header::CONTENT_DISPOSITION);
    let disposition = disposition.unwrap_or_else(|| panic!("{url} is not saved but opened"));
    let disposition = disposition.to_str().expect("it is ASCII");
    let name = disposition
        .split("filename=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let name = name
        .unwrap_or_else(|| panic!("{url} has no name: {disposition}"))
        .to_owned();
    assert!(
        disposition.starts_with("attachment;"),
        "{url}: {disposition}"
    );
    let kind = kind(response.headers());
    let bytes = response.bytes().await.expect("the file is whole").to_vec();
    Download { name, kind, bytes }
}
