//! A person whose browser runs no script: opens pages, follows links and presses buttons, and reads what is shown.
//!
//! Without a script a page changes only when it is loaded again, so waiting for an agent means reloading. Whatever is
//! absent, ambiguous or disabled fails the test, and so does a response that a test does not allow.

use super::browser::{Asked, Browser, Download};
use super::form;
use super::handrail::Handrail;
use super::page::Page;
use super::part::{Kind, Named, Part};
use crate::tab::LONG;
use reqwest::{Response, StatusCode};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use url::Url;

/// How long after a page was loaded its buttons for answers are there: a little longer than the server requires.
const ARMING: Duration = Duration::from_millis(730);

/// The longest pause between two loads of a page.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

pub struct Visitor {
    pub browser: Browser,
    pub page: Page,
    /// Statuses of errors that the test expects.
    allowed: Vec<StatusCode>,
    /// The server that ends with this person.
    pub(super) own: Option<Handrail>,
}

impl Visitor {
    /// A browser that has just been opened.
    pub fn at(address: SocketAddr) -> Self {
        let home = Url::parse(&format!("http://{address}/")).expect("it is an address");
        Self {
            browser: Browser::new(),
            page: Page::new(home, StatusCode::OK, Instant::now(), String::new()),
            allowed: Vec::new(),
            own: None,
        }
    }

    /// Expects responses with this status.
    pub fn allow(&mut self, status: u16) {
        let status = StatusCode::from_u16(status).expect("it is a status");
        self.allowed.push(status);
    }

    /// Types an address.
    pub async fn open(&mut self, path: &str) {
        let url = self.page.url.join(path).expect("it is an address");
        let page = self.browser.load(Asked::get(url), None).await;
        self.show(page);
    }

    pub async fn reload(&mut self) {
        let url = self.page.url.clone();
        let page = self.browser.load(Asked::get(url), None).await;
        self.show(page);
    }

    /// Follows a link.
    pub async fn follow(&mut self, link: impl Named) {
        let asked = Asked::get(self.address(link));
        let page = self.browser.load(asked, Some(&self.page.url)).await;
        self.show(page);
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
        let asked = self.sent_by(button);
        let page = self.browser.load(asked, Some(&self.page.url)).await;
        self.show(page);
    }

    /// Presses a button twice: the browser sends the form twice, and shows the second response.
    pub async fn press_twice(&mut self, button: impl Named) {
        let button = button.part(Kind::Button);
        self.arm().await;
        let (asked_at, from) = (Instant::now(), Some(&self.page.url));
        let first = self.browser.send(self.sent_by(&button), from);
        let second = self.browser.send(self.sent_by(&button), from);
        let (_, second) = tokio::join!(first, second);
        let page = self.browser.follow(second, asked_at, from).await;
        self.show(page);
    }

    fn show(&mut self, page: Page) {
        let is_expected = page.status.is_success() || self.allowed.contains(&page.status);
        assert!(is_expected, "an unexpected status: {}", page.report());
        self.page = page;
    }

    /// Waits until the page has been there for so long that an answer counts.
    pub async fn arm(&self) {
        let left = ARMING.saturating_sub(self.page.loaded_at.elapsed());
        tokio::time::sleep(left).await;
    }

    /// Saves what a link leads to.
    pub async fn download(&self, link: impl Named) -> Download {
        let asked = Asked::get(self.address(link));
        Download::of(self.browser.send(asked, Some(&self.page.url)).await).await
    }

    /// Saves what a button brings.
    pub async fn download_by(&self, button: impl Named) -> Download {
        let asked = self.sent_by(button);
        Download::of(self.browser.send(asked, Some(&self.page.url)).await).await
    }

    /// The response to an address, which is not shown.
    pub async fn get(&self, path: &str) -> Response {
        let url = self.page.url.join(path).expect("it is an address");
        self.browser.send(Asked::get(url), None).await
    }

    /// Where a link leads.
    pub fn address(&self, link: impl Named) -> Url {
        let link = self.page.one(&link.part(Kind::Link));
        let address = link.attr("href").expect("links have addresses");
        let url = self.page.url.join(address).expect("it is an address");
        assert_eq!(url.origin(), self.page.url.origin(), "{link:?}");
        url
    }

    fn sent_by(&self, button: impl Named) -> Asked {
        let button = self.page.one(&button.part(Kind::Button));
        form::submitted_by(&self.page, button)
    }

    pub fn has(&self, part: impl Into<Part>) -> bool {
        !part.into().of(&self.page).is_empty()
    }

    /// Checks that the page shows something.
    #[track_caller]
    pub fn shows(&self, part: impl Into<Part>) {
        let part = part.into();
        assert!(self.has(&part), "no {part} at {}", self.page.report());
    }

    /// Checks that the page does not show something.
    #[track_caller]
    pub fn lacks(&self, part: impl Into<Part>) {
        let part = part.into();
        assert!(!self.has(&part), "{part} at {}", self.page.report());
    }

    pub fn count(&self, part: impl Into<Part>) -> usize {
        part.into().of(&self.page).len()
    }

    pub fn text(&self, part: impl Into<Part>) -> String {
        self.page.text(self.page.one(&part.into()))
    }

    pub fn texts(&self, part: impl Into<Part>) -> Vec<String> {
        let found = part.into().of(&self.page);
        let texts = found.into_iter().map(|element| self.page.text(element));
        texts.collect()
    }

    pub fn attribute(&self, part: impl Into<Part>, name: &str) -> Option<String> {
        self.page.one(&part.into()).attr(name).map(str::to_owned)
    }

    /// The text of the element that the fragment of the address names: the browser shows the page from there.
    pub fn target(&self) -> String {
        let id = self.page.url.fragment();
        let id = id.expect("the address has a fragment");
        self.page.text(self.page.by_id(id))
    }

    /// Path and query of the address.
    pub fn path(&self) -> String {
        let url = &self.page.url;
        match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        }
    }

    /// Reloads the page until it shows something.
    pub async fn see(&mut self, part: impl Into<Part>) {
        let part = part.into();
        let is_there = |visitor: &Self| visitor.has(&part);
        self.reload_until(&part.to_string(), is_there).await;
    }

    /// Reloads the page until it no longer shows something.
    pub async fn gone(&mut self, part: impl Into<Part>) {
        let part = part.into();
        let is_gone = |visitor: &Self| !visitor.has(&part);
        self.reload_until(&format!("no {part}"), is_gone).await;
    }

    /// Reloads the page until it is as wanted.
    pub async fn reload_until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        let (start, mut pause) = (Instant::now(), Duration::from_millis(20));
        while !is_so(self) {
            let is_late = start.elapsed() > LONG;
            assert!(!is_late, "timed out: {what} at {}", self.page.report());
            tokio::time::sleep(pause).await;
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
            self.reload().await;
        }
    }
}
