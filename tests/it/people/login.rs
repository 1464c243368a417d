//! Logging in, and coming with a token.

use super::house::{House, PASSWORD, page, path_of};
use reqwest::{Method, header};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_comes_with_a_token_and_needs_no_page() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let fields = [("name", "a script"), ("role", "viewer"), ("days", "1")];
    let made = house
        .post(&path_of("make_token"), Some(&operator), &fields)
        .await;
    let token: String = made.json().await.expect("it is a text");
    let address = house.served.process.address;
    let call = |name: &str, token: String| {
        house
            .client
            .post(format!("http://{address}{}", path_of(name)))
            .bearer_auth(token)
            .form(&[("search", ""), ("id", "none"), ("order", "stop")])
            .send()
    };
    let status = async |name: &str, token: &str| {
        call(name, token.to_owned())
            .await
            .expect("it answers")
            .status()
    };
    assert_eq!(status("list_conversations", &token).await, 200);
    assert_eq!(status("steer", &token).await, 403);
    assert_eq!(status("list_conversations", "handrail_x").await, 401);
    // Without a token or a word of a browser nobody knows who asks, cookie or not.
    let bare = house
        .client
        .post(format!("http://{address}{}", path_of("read_me")))
        .header(header::COOKIE, &operator);
    assert_eq!(bare.send().await.expect("it answers").status(), 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_leads_to_a_path_of_ours_and_nowhere_else() {
    let house = House::new().await;
    for (next, leads) in [
        ("/c/none?panel=files", "/c/none?panel=files"),
        ("//evil", "/"),
        ("\\\\evil", "/"),
        ("https:///a%40b", "/"),
        ("javascript:alert(1)", "/"),
    ] {
        let form = [("name", "viewer"), ("password", PASSWORD), ("next", next)];
        let answer = house.post("/login", None, &form).await;
        assert_eq!(answer.headers()[header::LOCATION], leads, "{next}");
    }
    for size in [20_000, 10_000_000] {
        let huge = "x".repeat(size);
        let form = [("name", "viewer"), ("password", huge.as_str())];
        let request = house.request(Method::POST, "/login", None, &form);
        let answer = request.headers(page()).send().await.expect("it is heard");
        assert_eq!(answer.status(), 413, "{size}");
        let text = answer.text().await.expect("text");
        assert!(text.contains("This is larger than 16 KiB"), "{text}");
    }
    for round in 0..6 {
        let answer = house
            .post(
                "/login",
                None,
                &[("name", "ghost"), ("password", "\0\u{fffd}")],
            )
            .await;
        let wanted = if round < 5 { 401 } else { 429 };
        assert_eq!(answer.status(), wanted, "{round}");
        assert_eq!(
            answer.headers().contains_key(header::RETRY_AFTER),
            wanted == 429
        );
        assert!(!answer.headers().contains_key(header::SET_COOKIE));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_takes_a_mebibyte_and_more_only_with_pictures() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let status = async |name: &str, size: usize| {
        let text = "x".repeat(size);
        let fields = [("id", "none"), ("text", text.as_str()), ("search", &text)];
        house.call(name, &operator, &fields).await.status()
    };
    for (name, size, fits) in [
        ("list_conversations", 500_000, true),
        ("list_conversations", 600_000, false),
        ("older_rows", 900_000, true),
        ("older_rows", 1_100_000, false),
        ("send_message_with", 4_000_000, true),
        ("send_message_with", 6_000_000, false),
    ] {
        let answer = status(name, size).await;
        assert_eq!(answer != 413, fits, "{name} with {size} bytes: {answer}");
    }
}
