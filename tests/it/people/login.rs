//! Login with a password, and requests with a token.
//!
//! The dialect of the backend does not matter: passwords and tokens are Handrail's own.

use super::house::{House, PASSWORD, page, path_of};
use reqwest::{Method, header};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_script_authenticates_with_a_token_and_needs_no_page() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let fields = [("name", "a script"), ("role", "viewer"), ("days", "1")];
    let made = house
        .post(&path_of("make_token"), Some(&operator), &fields)
        .await;
    let token: String = made.json().await.expect("a text");
    let id = house
        .create_conversation(&operator, "[[scenario:hello]]")
        .await;
    let address = house.served.process.address;
    let call = |name: &str, token: String| {
        house
            .client
            .post(format!("http://{address}{}", path_of(name)))
            .bearer_auth(token)
            .form(&[("ask[q]", ""), ("id", &*id), ("order", "stop")])
            .send()
    };
    let status = async |name: &str, token: &str| {
        call(name, token.to_owned())
            .await
            .expect("a response")
            .status()
    };
    assert_eq!(status("list_conversations", &token).await, 200);
    assert_eq!(status("steer", &token).await, 403);
    assert_eq!(status("list_conversations", "handrail_x").await, 401);
    // Without a token and without a browser's headers the request is refused, even with a cookie.
    let bare = house
        .client
        .post(format!("http://{address}{}", path_of("read_me")))
        .header(header::COOKIE, &operator);
    assert_eq!(bare.send().await.expect("a response").status(), 403);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_redirects_only_to_own_paths() {
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
        let answer = request
            .headers(page())
            .send()
            .await
            .expect("it is received");
        assert_eq!(answer.status(), 413, "{size}");
        let text = answer.text().await.expect("text");
        assert!(text.contains("the request is larger than 16 KiB"), "{text}");
    }
    let answer = house.post("/login", None, &[("name", "viewer")]).await;
    assert_eq!(answer.status(), 422);
    let text = answer.text().await.expect("text");
    assert!(text.contains("the form was incomplete"), "{text}");
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
        // The name need not be typed again, and a lock says how long it lasts.
        let text = answer.text().await.expect("text");
        assert!(text.contains("value=\"ghost\""), "{text}");
        let is_locked = text.contains(" seconds, then try again");
        assert_eq!(is_locked, wanted == 429, "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_function_accepts_more_than_a_mebibyte_only_with_images() {
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_known_browser_can_log_in_while_others_guess_passwords() {
    let house = House::new().await;
    let right = [("name", "viewer"), ("password", PASSWORD)];
    let before = house.post("/login", None, &right).await;
    let given = before.headers().get_all(header::SET_COOKIE).iter();
    let mut given = given.filter_map(|cookie| cookie.to_str().ok());
    let known = given.find(|cookie| cookie.starts_with("handrail-device="));
    let known = known.expect("the browser becomes known");
    for word in ["HttpOnly", "SameSite=Lax", "Max-Age=34560000"] {
        assert!(known.contains(word), "{known}");
    }
    let known = known.split(';').next().expect("it has a value").to_owned();
    for (round, name) in [
        " viewer",
        "viewer ",
        "\u{a0}viewer",
        "VIEWER\t",
        "viewer",
        "  viewer",
    ]
    .into_iter()
    .enumerate()
    {
        let wrong = [("name", name), ("password", "wrong guess")];
        let answer = house.post("/login", None, &wrong).await;
        let wanted = if round < 5 { 401 } else { 429 };
        assert_eq!(answer.status(), wanted, "{name:?}");
    }
    assert_eq!(house.post("/login", None, &right).await.status(), 429);
    let here = house.post("/login", Some(&known), &right).await;
    assert_eq!(here.status(), 303);
    // The cookie that identifies a known browser is not a session.
    let page = house.get("/account", Some(&known)).await;
    assert_eq!(page.status(), 401);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_read_token_cannot_change_the_account_of_its_user() {
    let house = House::new().await;
    let (viewer, phone) = (house.log_in("viewer").await, house.log_in("viewer").await);
    let fields = [("name", "a script"), ("role", "viewer"), ("days", "1")];
    let made = house.call("make_token", &viewer, &fields).await;
    let token: String = made.json().await.expect("a text");
    let address = house.served.process.address;
    let call = async |name: &str| {
        let call = house
            .client
            .post(format!("http://{address}{}", path_of(name)))
            .bearer_auth(&token)
            .form(&[
                ("number", "1"),
                ("old", PASSWORD),
                ("new", "battery staple"),
                ("name", "x"),
                ("role", "viewer"),
                ("days", "1"),
            ]);
        call.send().await.expect("a response")
    };
    for name in [
        "end_other_devices",
        "end_device",
        "end_token",
        "make_token",
        "unlink_identity",
        "change_password",
        "read_account",
    ] {
        let refused = call(name).await;
        assert_eq!(refused.status(), 403, "{name}");
        let text = refused.text().await.expect("a sentence");
        assert!(
            text.contains("An access token or a link is not enough"),
            "{name}: {text}"
        );
    }
    for cookie in [&viewer, &phone] {
        assert_eq!(house.get("/account", Some(cookie)).await.status(), 200);
    }
    assert_eq!(call("read_me").await.status(), 200);
    let fields = [("old", PASSWORD), ("new", "battery staple")];
    let changed = house.call("change_password", &viewer, &fields).await;
    assert_eq!(changed.status(), 200);
    assert_eq!(
        call("read_me").await.status(),
        401,
        "tokens end with the password"
    );
}
