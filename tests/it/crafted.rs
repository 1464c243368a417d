//! Crafted requests to Handrail's own addresses: ids that are paths, scripts or no text at all, and shares of other apps
//! that are too large or come from elsewhere.
//!
//! The dialect of the backend does not matter: Handrail refuses them itself.

use crate::process::Process;
use crate::stage::quick;
use handrail::backend::rehearsal::Rehearsal;
use reqwest::multipart::Form;
use reqwest::{Client, Response, redirect};
use tempfile::TempDir;

struct House {
    _rehearsal: Rehearsal,
    _folder: TempDir,
    process: Process,
    client: Client,
}

async fn house() -> House {
    let rehearsal = Rehearsal::start(quick()).await.expect("a free port");
    let folder = TempDir::new().expect("a temporary folder");
    let process = Process::start(folder.path(), rehearsal.addr()).await;
    let client = Client::builder().redirect(redirect::Policy::none());
    House {
        _rehearsal: rehearsal,
        _folder: folder,
        process,
        client: client.build().expect("a client"),
    }
}

impl House {
    async fn status(&self, path: &str) -> u16 {
        let address = format!("http://{}{path}", self.process.address);
        let answer = self.client.get(address).send().await;
        answer.expect("a response").status().as_u16()
    }

    /// Shares like another app, from this origin.
    async fn share(&self, form: Form, origin: &str) -> Response {
        let address = format!("http://{}/share", self.process.address);
        let request = self.client.post(address).header("origin", origin);
        request.multipart(form).send().await.expect("a response")
    }
}

#[tokio::test]
async fn crafted_ids_are_refused_without_an_error() {
    let house = house().await;
    let long = "a".repeat(2_000);
    for id in [
        "..%2f..%2fetc%2fpasswd",
        "%00",
        &long,
        "%3Cscript%3E",
        "'%20OR%201=1--",
        "..%5c..%5c",
        "%F0%9F%92%A9",
        "%ff%fe",
    ] {
        let page = house.status(&format!("/c/{id}")).await;
        assert!((400..500).contains(&page), "{id}: {page}");
        for part in [
            "trajectory.json",
            "export.md",
            "export.html",
            "messages.json",
            "workspace",
            "file?path=x",
            "event/1",
            "event/1/image/0",
            "replay",
            "insight",
            "export",
            "sharing",
        ] {
            let status = house.status(&format!("/c/{id}/{part}")).await;
            assert!((400..500).contains(&status), "{id}, {part}: {status}");
        }
        assert_eq!(house.status("/healthz").await, 200, "after {id}");
    }
}

#[tokio::test]
async fn a_share_of_too_much_or_of_something_else_does_no_harm() {
    let house = house().await;
    let origin = format!("http://{}", house.process.address);
    let text = |text: &str| Form::new().text("text", text.to_owned());
    let foreign = house.share(text("x"), "http://evil.example").await;
    assert_eq!(foreign.status(), 403);
    let long = text(&"ü".repeat(5_000)).text("other", "x");
    let long = house.share(long, &origin).await;
    assert_eq!(long.status(), 303);
    let place = long.headers().get("location").expect("it leads on");
    let place = place.to_str().expect("ASCII");
    let expected = format!("/share?text={}&cut=1", "%C3%BC".repeat(600));
    let pairs = |address: &str| {
        let (path, query) = address.split_once('?').expect("a query");
        let mut pairs: Vec<_> = query.split('&').map(str::to_owned).collect();
        pairs.sort();
        (path.to_owned(), pairs)
    };
    assert_eq!(pairs(place), pairs(&expected));
    let huge = house.share(text(&"x".repeat(2_000_000)), &origin).await;
    assert_eq!(huge.status(), 413);
}
