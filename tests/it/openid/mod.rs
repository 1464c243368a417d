//! Login with OpenID Connect, with a provider that follows the specification and with one that does not.
//!
//! Long because the cases share one provider.
//!
//! The dialect of the backend does not matter: a login makes no request to it.

mod provider;
mod street;

use provider::{Fault, Identity};
use reqwest::{Method, StatusCode, header};
use street::{Street, ada, cookie_of, is_refused};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invited_user_gets_one_account_and_keeps_it() {
    let allow = [
        "--oidc-allow",
        "ada@example.com=approver,group:ops=operator",
    ];
    let street = Street::new(&allow).await;
    let first = street.log_in(&ada()).await;
    assert_eq!(
        (first.status(), &first.headers()[header::LOCATION]),
        (StatusCode::SEE_OTHER, &"/inbox".parse().expect("ASCII"))
    );
    let cookie = cookie_of(&first);
    let me = street.me(&cookie).await;
    assert_eq!(
        (&me["name"], &me["role"]),
        (&"adalovelace".into(), &"approver".into())
    );
    // A different name and address: only the subject identifies the account.
    let renamed = Identity {
        name: "owner",
        groups: vec!["ops"],
        address: "other@example.com",
        ..ada()
    };
    let again = cookie_of(&street.log_in(&renamed).await);
    assert_eq!(street.me(&again).await["name"], "adalovelace");
    assert_ne!(cookie, again, "each login has a secret of its own");
    // Another subject with the same name is another account.
    let other = Identity {
        subject: "2",
        ..ada()
    };
    let other = cookie_of(&street.log_in(&other).await);
    assert_eq!(street.me(&other).await["name"], "adalovelace2");
    let owner = street.house.log_in("owner").await;
    let audit = street
        .house
        .call("read_audit", &owner, &[("action", "log in")])
        .await;
    let audit = audit.text().await.expect("text");
    assert!(
        audit.contains(&format!("by {}", street.provider.issuer())),
        "{audit}"
    );
    // An invitation that has been withdrawn, and a disabled account.
    let uninvited = Identity {
        address: "elsewhere@example.com",
        groups: vec![],
        ..ada()
    };
    is_refused(street.log_in(&uninvited).await, StatusCode::FORBIDDEN).await;
    let fields = [("name", "adalovelace"), ("disabled", "true")];
    street.house.call("disable_person", &owner, &fields).await;
    is_refused(street.log_in(&ada()).await, StatusCode::FORBIDDEN).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_responses_of_a_provider_are_rejected() {
    let street = Street::new(&["--oidc-allow", "@example.com=operator"]).await;
    for fault in [
        Fault::Nonce,
        Fault::NoNonce,
        Fault::Audience,
        Fault::FurtherAudience,
        Fault::NoAlgorithm,
        Fault::SymmetricAlgorithm,
        Fault::ForeignKey,
        Fault::Expired,
        Fault::Issuer,
        Fault::AccessToken,
        Fault::NoToken,
        Fault::Nonsense,
    ] {
        street.provider.breaks(fault);
        let answer = street.log_in(&ada()).await;
        assert_eq!(answer.status(), 400, "{fault:?}");
        is_refused(answer, StatusCode::BAD_REQUEST).await;
    }
    street.provider.breaks(Fault::None);
    let (cookie, sent) = street.start_login("", None).await;
    let query = street.provider.authorize(&sent, &ada());
    let elsewhere = query.replace("iss=", "iss=http%3A%2F%2Fevil.example&x=");
    is_refused(
        street.come_back(&cookie, &elsewhere).await,
        StatusCode::BAD_REQUEST,
    )
    .await;
    let (cookie, sent) = street.start_login("", None).await;
    let query = street.provider.authorize(&sent, &ada());
    let denied = query.replace("code=", "error=access_denied&x=");
    is_refused(
        street.come_back(&cookie, &denied).await,
        StatusCode::BAD_REQUEST,
    )
    .await;
    assert_eq!(
        street.log_in(&ada()).await.status(),
        303,
        "it keeps the rules again"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_callback_is_valid_once_and_only_in_its_browser() {
    let street = Street::new(&["--oidc-allow", "@example.com=operator"]).await;
    let (victim, sent_victim) = street.start_login("", None).await;
    let (attacker, sent_attacker) = street.start_login("", None).await;
    assert_ne!(sent_victim.query(), sent_attacker.query());
    let query = street.provider.authorize(&sent_attacker, &ada());
    for cookie in [victim.as_str(), "handrail-openid=made-up", "theme=dark"] {
        is_refused(
            street.come_back(cookie, &query).await,
            StatusCode::BAD_REQUEST,
        )
        .await;
    }
    let code = query.split('&').next().expect("a code first");
    let stateless = street.come_back(&attacker, code).await;
    is_refused(stateless, StatusCode::BAD_REQUEST).await;
    // Each attempt has consumed its flow.
    is_refused(
        street.come_back(&attacker, &query).await,
        StatusCode::BAD_REQUEST,
    )
    .await;
    let (cookie, sent) = street.start_login("", None).await;
    let query = street.provider.authorize(&sent, &ada());
    assert_eq!(street.come_back(&cookie, &query).await.status(), 303);
    is_refused(
        street.come_back(&cookie, &query).await,
        StatusCode::BAD_REQUEST,
    )
    .await;
    // The code of another flow has another PKCE challenge.
    let (cookie, sent) = street.start_login("", None).await;
    let (_, stolen) = street.start_login("", None).await;
    let own = street.provider.authorize(&sent, &ada());
    let theirs = street.provider.authorize(&stolen, &ada());
    let code = theirs.split('&').next().expect("a code first");
    let own_code = own.split('&').next().expect("a code first");
    let injected = own.replace(own_code, code);
    is_refused(
        street.come_back(&cookie, &injected).await,
        StatusCode::BAD_REQUEST,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unverified_address_grants_no_access() {
    let street = Street::new(&["--oidc-allow", "@example.com=operator"]).await;
    let unverified = Identity {
        verified: false,
        name: "owner",
        ..ada()
    };
    is_refused(street.log_in(&unverified).await, StatusCode::FORBIDDEN).await;
    // A verified address does not open the account of a user with the same name either.
    let named = Identity {
        name: "owner",
        ..ada()
    };
    let cookie = cookie_of(&street.log_in(&named).await);
    let me = street.me(&cookie).await;
    assert_eq!(
        (&me["name"], &me["role"]),
        (&"owner2".into(), &"operator".into())
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_invitations_users_link_their_existing_accounts() {
    let street = Street::new(&[]).await;
    is_refused(street.log_in(&ada()).await, StatusCode::FORBIDDEN).await;
    let viewer = street.house.log_in("viewer").await;
    let (flow, sent) = street.link(&viewer).await;
    let query = street.provider.authorize(&sent, &ada());
    // The browser that started the flow completes it.
    let linked = street.come_back(&format!("{viewer}; {flow}"), &query).await;
    assert_eq!(linked.headers()[header::LOCATION], "/account");
    let cookie = cookie_of(&street.log_in(&ada()).await);
    assert_eq!(street.me(&cookie).await["name"], "viewer");
    let account = street.house.call("read_account", &cookie, &[]).await;
    let account: serde_json::Value = account.json().await.expect("JSON");
    assert_eq!(account["linked"], "by_oneself");
    // The identity is taken: no other account can link it, and after a logout no flow links anything.
    let operator = street.house.log_in("operator").await;
    let (flow, sent) = street.link(&operator).await;
    let query = street.provider.authorize(&sent, &ada());
    let taken = street
        .come_back(&format!("{operator}; {flow}"), &query)
        .await;
    is_refused(taken, StatusCode::CONFLICT).await;
    let (flow, sent) = street.link(&operator).await;
    let query = street.provider.authorize(
        &sent,
        &Identity {
            subject: "3",
            ..ada()
        },
    );
    is_refused(street.come_back(&flow, &query).await, StatusCode::FORBIDDEN).await;
    // The user who linked the identity can unlink it; then it opens no account, and a second attempt finds no link.
    let unlink = || street.house.call("unlink_identity", &viewer, &[]);
    assert_eq!(unlink().await.status(), StatusCode::OK);
    is_refused(street.log_in(&ada()).await, StatusCode::FORBIDDEN).await;
    let again = unlink().await.text().await.expect("text");
    assert!(again.contains("The linked login was not found"), "{again}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn linking_starts_only_on_the_account_page() {
    let street = Street::new(&[]).await;
    let (viewer, again) = (
        street.house.log_in("viewer").await,
        street.house.log_in("viewer").await,
    );
    let operator = street.house.log_in("operator").await;
    let others = [street.proof(&operator).await, street.proof(&again).await];
    // As from a link on another site over plain http, where browsers do not mark requests as cross-site.
    for proof in ["", "x", &others[0], &others[1]] {
        let path = format!("/login/openid?link={proof}");
        let answer = street.house.get(&path, Some(&viewer)).await;
        assert!(
            answer.headers().get(header::SET_COOKIE).is_none(),
            "{proof}"
        );
        is_refused(answer, StatusCode::BAD_REQUEST).await;
    }
    let own = street.proof(&viewer).await;
    let path = format!("/login/openid?link={own}");
    let elsewhere = street.house.request(Method::GET, &path, Some(&viewer), &[]);
    let elsewhere = elsewhere
        .header("sec-fetch-site", "cross-site")
        .send()
        .await;
    is_refused(elsewhere.expect("a response"), StatusCode::BAD_REQUEST).await;
    assert_eq!(
        street.house.get(&path, Some(&viewer)).await.status(),
        StatusCode::SEE_OTHER
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_account_created_by_invitation_keeps_its_only_login() {
    let street = Street::new(&["--oidc-allow", "ada@example.com=approver"]).await;
    let cookie = cookie_of(&street.log_in(&ada()).await);
    let account = street.house.call("read_account", &cookie, &[]).await;
    let account: serde_json::Value = account.json().await.expect("JSON");
    assert_eq!(account["linked"], "from_the_start");
    let unlink = street.house.call("unlink_identity", &cookie, &[]).await;
    let refusal = unlink.text().await.expect("text");
    assert!(
        refusal.contains("The linked login was not found"),
        "{refusal}"
    );
    let again = cookie_of(&street.log_in(&ada()).await);
    assert_eq!(street.me(&again).await["name"], "adalovelace");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreachable_or_changed_provider_does_not_affect_password_logins() {
    let street = Street::new(&["--oidc-allow", "@example.com=operator"]).await;
    street.provider.is_renamed(true);
    let answer = street.house.get("/login/openid", None).await;
    is_refused(answer, StatusCode::BAD_GATEWAY).await;
    street.provider.is_renamed(false);
    let (cookie, sent) = street.start_login("", None).await;
    let query = street.provider.authorize(&sent, &ada());
    street.provider.stop().await;
    let answer = street.come_back(&cookie, &query).await;
    is_refused(answer, StatusCode::BAD_GATEWAY).await;
    let page = street
        .house
        .get("/login", None)
        .await
        .text()
        .await
        .expect("text");
    assert!(page.contains("Log in with OpenID Connect"), "{page}");
    assert!(!street.house.log_in("owner").await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_waits_for_a_silent_provider_keeps_nobody_from_logging_in_with_a_password() {
    let street = Street::new(&["--oidc-allow", "@example.com=operator"]).await;
    street.provider.is_silent();
    let start = || {
        let request = street
            .house
            .request(Method::GET, "/login/openid", None, &[]);
        let request = request.header(header::ACCEPT, "text/html");
        tokio::spawn(async move { request.send().await.map(|answer| answer.status()) })
    };
    let starts: Vec<_> = (0..140).map(|_| start()).collect();
    // Those beyond the limit are told so at once; the others wait until a time limit, and would hold every permit.
    let began = std::time::Instant::now();
    let (first, _, waiting) = futures_util::future::select_all(starts).await;
    let told = first.expect("no panic").expect("a response");
    assert_eq!(told, StatusCode::BAD_GATEWAY);
    assert!(began.elapsed() < std::time::Duration::from_secs(10));
    assert!(waiting.iter().any(|one| !one.is_finished()));
    assert!(!street.house.log_in("owner").await.is_empty());
}
