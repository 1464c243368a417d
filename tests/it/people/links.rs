//! Shared links: a visitor without an account watches one conversation, and nothing else.
//!
//! The dialect of the backend does not matter: links and their visitors are Handrail's own.

use super::house::{House, filled, name_of};
use super::matrix::ARGUMENTS;
use handrail::journal::{Journal, LinkRecord};
use handrail::live::{FromBrowser, FromServer};
use handrail::server::every_route;
use reqwest::{Method, header};
use sha2::{Digest, Sha256};
use std::time::{Duration, Instant, SystemTime};

/// Close codes of the live connection: an invalid message; a viewer who has lost access.
const NONSENSE: u16 = 1008;
const SIGNED_OUT: u16 = 4401;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_visitor_sees_one_conversation_and_nothing_else() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let id = house
        .create_conversation(&operator, "[[scenario:hello]]")
        .await;
    let private = house
        .create_conversation(&operator, "[[scenario:hello]] a very private matter")
        .await;
    let visitor = house.visit(&operator, &id).await;
    let mut tab = house.tab(&visitor, &id).await;
    let shown = |frame: FromServer| {
        if let Some(session) = frame.session() {
            assert!(session.about.is_empty() && session.outbox.is_empty());
        }
        match frame {
            FromServer::Rows { rows, .. } if !rows.is_empty() => Some(true),
            FromServer::Here { .. } => Some(false),
            _ => None,
        }
    };
    assert!(
        tab.until("rows", shown).await,
        "they are not told who is here"
    );
    let html = house.page(&format!("/c/{id}"), &visitor).await;
    assert_eq!(html.status(), 200);
    let html = html.text().await.expect("text");
    assert!(html.contains("rehearsal agent"), "{html}");
    let backend = house.served.process.address.ip().to_string();
    for hidden in [
        "private matter",
        &private,
        "app__list",
        "Settings",
        "Composer",
        &backend,
    ] {
        assert!(!html.contains(hidden), "{hidden}: {html}");
    }
    let arguments = ARGUMENTS.map(|(name, value)| match name {
        "id" => (name, private.as_str()),
        _ => (name, value),
    });
    let (mut requests, routes) = (0, every_route());
    for (method, path) in &routes {
        let answer = house
            .ask(
                method.clone(),
                &filled(path, &private),
                Some(&visitor),
                &arguments,
            )
            .await;
        if path.contains("{id}") {
            assert_eq!(answer.status(), 404, "{method} {path}");
        }
        let text = answer.text().await.expect("text");
        assert!(!text.contains("private matter"), "{method} {path}: {text}");
        requests += usize::from(path.contains("{id}") || name_of(path).is_some());
    }
    eprintln!("hidden from visitors in {requests} of {}", routes.len());
    tab.follow(&private).await;
    let gone = |frame| match frame {
        FromServer::Gone { conversation } => Some(conversation),
        _ => None,
    };
    assert_eq!(tab.until("it is not there", gone).await, private);
    tab.say(&FromBrowser::FollowList).await;
    assert_eq!(tab.closed().await, NONSENSE);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_visit_ends_within_a_second_when_its_link_is_revoked_or_expires() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let id = house
        .create_conversation(&operator, "[[scenario:hello]]")
        .await;
    let visitor = house.visit(&operator, &id).await;
    let mut tab = house.tab(&visitor, &id).await;
    let view = house.call("read_sharing", &operator, &[("id", &id)]).await;
    let view: serde_json::Value = view.json().await.expect("JSON");
    let number = view["links"][0]["number"].to_string();
    assert!(
        !view
            .to_string()
            .contains(visitor.split_once('=').expect("a cookie").1)
    );
    // A user who may not share the conversation may not revoke the link either.
    let approver = house.log_in("approver").await;
    let fields = [("id", id.as_str()), ("number", &number)];
    assert_eq!(
        house.call("end_link", &approver, &fields).await.status(),
        403
    );
    let since = Instant::now();
    assert_eq!(
        house.call("end_link", &operator, &fields).await.status(),
        200
    );
    assert_eq!(tab.closed().await, SIGNED_OUT);
    let revoked = since.elapsed();
    let page = house.page(&format!("/c/{id}"), &visitor).await;
    assert_eq!(page.status(), 410);
    let text = page.text().await.expect("text");
    assert!(
        text.contains("This link has expired or was revoked"),
        "{text}"
    );

    let reader = |raw: &str| {
        handrail::conversation::from_v0(&handrail::wire::v0::Incoming::read(raw.into()))
    };
    let journal = Journal::open_beside(house.served.folder.path(), reader)
        .await
        .expect("it exists");
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .expect("after 1970");
    let now = i64::try_from(now.as_millis()).expect("it fits");
    let record = LinkRecord {
        number: 0,
        conversation: id.clone(),
        by: String::new(),
        created_at: now,
        expires_at: now + 1500,
        used_at: None,
    };
    let maker = journal
        .person("operator")
        .await
        .expect("healthy")
        .expect("they exist");
    let hash = Sha256::digest(b"soon over").into();
    journal
        .add_link(maker.number, hash, record)
        .await
        .expect("healthy");
    let mut tab = house.tab("handrail-link=soon over", &id).await;
    assert_eq!(tab.closed().await, SIGNED_OUT);
    let until = SystemTime::UNIX_EPOCH + Duration::from_millis((now + 1500).unsigned_abs());
    let expired = until.elapsed().expect("a result");
    eprintln!("revoked: {revoked:?}, expired: {expired:?}");
    assert!(revoked < Duration::from_secs(1) && expired < Duration::from_secs(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_link_is_in_no_url_and_a_plain_form_shows_it_once() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let id = house
        .create_conversation(&operator, "[[scenario:hello]]")
        .await;
    let (address, page) = (house.served.process.address, format!("/c/{id}/sharing"));
    let form = house
        .request(
            Method::POST,
            &super::house::path_of("make_link"),
            Some(&operator),
            &[("id", &id), ("days", "7")],
        )
        .headers(super::house::page())
        .header(header::REFERER, format!("http://{address}{page}"));
    let answer = form.send().await.expect("a response");
    assert!(answer.status().is_redirection(), "{}", answer.status());
    let leads = answer.headers()[header::LOCATION].to_str().expect("ASCII");
    let cookie = answer.headers()[header::SET_COOKIE]
        .to_str()
        .expect("ASCII");
    assert!(
        cookie.contains(&format!("Path={page}; HttpOnly; SameSite=Strict")),
        "{cookie}"
    );
    let made = cookie.split(';').next().expect("a value");
    let secret = made.strip_prefix("handrail-made=").expect("its name");
    assert!(
        leads.trim_end_matches('?').ends_with(&page) && !leads.contains(secret),
        "{leads}"
    );
    let shown = house.page(&page, &format!("{operator}; {made}")).await;
    assert!(
        shown.headers()[header::SET_COOKIE]
            .to_str()
            .expect("ASCII")
            .starts_with("handrail-made=; Max-Age=0")
    );
    let html = shown.text().await.expect("text");
    assert!(
        html.contains(&format!("http://{address}/link#{secret}")),
        "{html}"
    );
    let again = house
        .page(&page, &operator)
        .await
        .text()
        .await
        .expect("text");
    assert!(!again.contains(secret));
    // For a logged-in user the link opens the conversation with their own rights, without a visitor session.
    let viewer = house.log_in("viewer").await;
    let followed = house
        .post("/link", Some(&viewer), &[("code", secret)])
        .await;
    assert_eq!(followed.headers()[header::LOCATION], *format!("/c/{id}"));
    assert!(!followed.headers().contains_key(header::SET_COOKIE));
    let wrong = house.post("/link", None, &[("code", "#wrong")]).await;
    assert_eq!(wrong.status(), 410);
    let entries = house
        .call("read_audit", &house.log_in("owner").await, &[])
        .await;
    let entries = entries.text().await.expect("text");
    assert!(entries.contains("create link") && !entries.contains(secret));
}
