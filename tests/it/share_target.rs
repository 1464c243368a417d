//! What other apps share, when it is too much, something else, or comes from another site.
//!
//! The dialect of the backend does not matter: nothing of it reaches the backend.

use crate::process::Process;
use crate::stage::quick;
use handrail::backend::rehearsal::Rehearsal;
use reqwest::multipart::Form;
use reqwest::{Client, redirect};
use tempfile::TempDir;

#[tokio::test]
async fn a_share_of_too_much_or_of_something_else_does_no_harm() {
    let rehearsal = Rehearsal::start(quick()).await.expect("a free port");
    let folder = TempDir::new().expect("a temporary folder");
    let process = Process::start(folder.path(), rehearsal.addr()).await;
    let client = Client::builder().redirect(redirect::Policy::none());
    let client = client.build().expect("a client");
    let origin = format!("http://{}", process.address);
    let share = async |form: Form, origin: &str| {
        let request = client.post(format!("http://{}/share", process.address));
        let request = request.header("origin", origin).multipart(form);
        request.send().await.expect("a response")
    };
    let text = |text: &str| Form::new().text("text", text.to_owned());

    let foreign = share(text("x"), "http://evil.example").await;
    assert_eq!(foreign.status(), 403);

    let long = share(text(&"ü".repeat(5_000)).text("other", "x"), &origin).await;
    assert_eq!(long.status(), 303);
    let place = long.headers().get("location").expect("it leads on");
    let (path, query) = place
        .to_str()
        .expect("ASCII")
        .split_once('?')
        .expect("a query");
    assert_eq!(path, "/share");
    let mut fields: Vec<_> = query.split('&').collect();
    fields.sort_unstable();
    assert_eq!(fields, ["cut=1", &format!("text={}", "%C3%BC".repeat(600))]);

    let huge = share(text(&"x".repeat(2_000_000)), &origin).await;
    assert_eq!(huge.status(), 413);
}
