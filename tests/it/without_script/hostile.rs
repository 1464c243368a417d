//! Hostile agents and addresses: their text stays text, and unknown addresses lead to a page that says so.

use super::handrail::Handrail;
use super::part::{button, css, heading};
use super::tasks::{approval, row};
use super::visitor::Visitor;
use scraper::{ElementRef, Html, Selector};

/// The elements within these parts that match a selector.
fn within<'page>(visitor: &'page Visitor, parts: &str, inside: &str) -> Vec<ElementRef<'page>> {
    visitor.page.select(&format!(":is({parts}) :is({inside})"))
}

/// Checks that nothing in these parts of an agent could execute, load something from elsewhere, or imitate a control.
fn is_harmless(visitor: &Visitor, parts: &str) {
    let within = |inside: &str| within(visitor, parts, inside);
    for kind in [
        // Our own form, in which an action is amended, has what the agent wrote as its text only.
        "script, iframe, object, embed, form:not([action*='/api/amend_action']), style, base, meta, link",
        "[style], [onerror], [onload], [ontoggle], [autofocus], [srcdoc]",
    ] {
        let found: Vec<_> = within(kind).iter().map(ElementRef::html).collect();
        assert!(found.is_empty(), "{found:?}");
    }
    for attribute in ["href", "src", "action"] {
        for element in within(&format!("[{attribute}]")) {
            let address = element
                .attr(attribute)
                .expect("it has one")
                .trim()
                .to_lowercase();
            let is_script = address.starts_with("javascript:") || address.starts_with("vbscript:");
            let is_data = address.starts_with("data:");
            let pictures = ["png", "jpeg", "gif", "webp"].map(|kind| format!("data:image/{kind}"));
            let is_picture = pictures.iter().any(|kind| address.starts_with(kind));
            assert!(
                !is_script && (!is_data || is_picture),
                "{attribute}: {address}"
            );
            let is_elsewhere = ["http:", "https:", "//"]
                .iter()
                .any(|start| address.starts_with(start));
            assert!(
                attribute != "src" || !is_elsewhere,
                "{attribute}: {address}"
            );
        }
    }
}

/// Checks that the page executes only our own scripts.
async fn runs_only_our_scripts(visitor: &Visitor) {
    let page = visitor.get(&visitor.path()).await;
    let policy = page.headers()["content-security-policy"]
        .to_str()
        .expect("it is ASCII");
    let scripts = policy
        .split("; ")
        .find_map(|rule| rule.strip_prefix("script-src "));
    let scripts = scripts.expect("the policy is about scripts");
    let nonce = scripts
        .split('\'')
        .find_map(|word| word.strip_prefix("nonce-"));
    let nonce = nonce.expect("our scripts have a nonce").to_owned();
    assert_eq!(
        scripts,
        format!("'self' 'nonce-{nonce}' 'wasm-unsafe-eval'")
    );
    let text = page.text().await.expect("it is whole");
    let page = Html::parse_document(&text);
    let inline = Selector::parse("script:not([src])").expect("it is a selector");
    for script in page.select(&inline) {
        assert_eq!(script.attr("nonce"), Some(&*nonce), "{}", script.html());
    }
}

#[tokio::test]
async fn hostile_output_never_executes_sends_requests_or_imitates_the_page() {
    let (mut visitor, _) = Visitor::saying("Try everything [[scenario:hostile]]").await;
    visitor.see(approval("attacker.invalid")).await;
    is_harmless(&visitor, ".timeline, .approval__what");
    assert_eq!(visitor.count(button("Approve")), 1);
    assert_eq!(visitor.count(button("Reject")), 1);
    runs_only_our_scripts(&visitor).await;
    for panel in ["Terminal", "Browser", "Files"] {
        visitor.panel(panel).await;
        let executed = "script, iframe, object, embed, [onerror], [onload]";
        assert!(within(&visitor, ".panel", executed).is_empty(), "{panel}");
    }
    visitor
        .see(css(".panel").containing("<img src=x onerror=window.hostile=1>.txt"))
        .await;
    visitor.panel("Timeline").await;
    visitor
        .reject_with("attacker.invalid", "<script>window.hostile=1</script>")
        .await;
    visitor.see_status("finished").await;
    visitor.see(row("<script>window.hostile=1</script>")).await;
    is_harmless(&visitor, ".timeline");
    runs_only_our_scripts(&visitor).await;
}

#[tokio::test]
async fn user_input_is_only_text_also_in_the_title() {
    let mut visitor = Visitor::alone().await;
    let text = "<img src=x onerror=\"window.hostile=1\"></title><script>window.hostile=1</script>";
    visitor.create_conversation(&format!("hello {text}")).await;
    visitor.see(row("hello <img src=x")).await;
    visitor
        .see(css(".conversation__title").containing("<img"))
        .await;
    assert!(
        visitor.page.title().contains("<img src=x"),
        "{}",
        visitor.page.title()
    );
    is_harmless(
        &visitor,
        ".timeline, .conversation__title, .conversation-row__link",
    );
    runs_only_our_scripts(&visitor).await;
}

#[tokio::test]
async fn words_in_the_address_are_only_text() {
    let mut visitor = Visitor::alone().await;
    let text = "\"><script>window.hostile=1</script>";
    visitor.say_hello().await;
    for (path, name) in [("/", "q"), ("/new", "message")] {
        let mut address = visitor.page.url.join(path).expect("it is an address");
        address.query_pairs_mut().append_pair(name, text);
        visitor.open(address.as_str()).await;
        runs_only_our_scripts(&visitor).await;
        match name {
            "q" => visitor.shows("No conversations found"),
            _ => assert_eq!(visitor.value("First message"), text),
        }
    }
}

#[tokio::test]
async fn an_unknown_page_says_so_and_leads_back() {
    let mut visitor = Visitor::alone().await;
    visitor.allow(404);
    visitor.open("/no/such/page").await;
    assert_eq!(visitor.page.status, 404);
    visitor.shows(heading("Page not found"));
    visitor.follow(css("main").link("All conversations")).await;
    visitor.shows("No conversations yet");
}

#[tokio::test]
async fn an_unknown_conversation_says_so_and_leads_back() {
    let mut visitor = Visitor::alone().await;
    visitor.allow(404);
    visitor.open("/c/0123456789abcdef0123456789abcdef").await;
    visitor.shows(heading("Conversation not found"));
    visitor.follow(css("main").link("All conversations")).await;
    visitor.shows("No conversations yet");
}

#[tokio::test]
async fn crafted_ids_are_refused_without_an_error() {
    let handrail = Handrail::start().await;
    let visitor = handrail.visitor();
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
        let page = visitor.get(&format!("/c/{id}")).await;
        assert!(!page.status().is_server_error(), "{id}: {}", page.status());
        assert!(
            !page
                .text()
                .await
                .expect("it is whole")
                .contains("root:x:0:0"),
            "{id}"
        );
        for file in [
            "trajectory.json",
            "export.md",
            "messages.json",
            "workspace",
            "event/1",
            "event/1/image/0",
        ] {
            let status = visitor.get(&format!("/c/{id}/{file}")).await.status();
            assert!(status.is_client_error(), "{id}/{file}: {status}");
        }
        assert!(visitor.get("/healthz").await.status().is_success(), "{id}");
    }
}

#[tokio::test]
async fn invalid_query_parameters_are_ignored() {
    let mut visitor = Visitor::alone().await;
    let id = visitor.say_hello().await;
    for query in [
        "panel=nothing",
        "before=x",
        "before=-9.99999999999999999999",
        "row=abc",
        "row=99999",
        "panel=files&file=../../etc/passwd",
        "panel=files&dir=..",
        "panel=browser&visit=7",
    ] {
        visitor.open(&format!("/c/{id}?{query}")).await;
        visitor.shows(css(".conversation__title"));
        visitor.lacks("root:x:0:0");
    }
}
