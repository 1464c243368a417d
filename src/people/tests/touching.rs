//! Touches of passkeys: each proves exactly one approval, by one person, once and in time.
//!
//! Long because the cases share an authenticator.

use super::authenticator::Authenticator;
use super::passkeys::{ORIGIN, place, registered};
use super::*;
use crate::clock::now;
use crate::journal::NewTouch;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::Digest as _;

const SHOWN: &str = "5b11618c2e44027877d0cd0921ed166b9f176f50587fc91e7534dd2946db77d6";
const TOKEN: &str = "a3c024f01cccb3b63457d848b0d2f89c1f744a3d";

const WHAT: ToTouch<'static> = ToTouch {
    token: TOKEN,
    shown: SHOWN,
    amended: "",
};

/// What a page sends after its browser was asked for `what`, and a key has answered at `origin`.
async fn given(people: &People, by: &Caller, key: &mut Authenticator, what: ToTouch<'_>) -> String {
    given_at(people, by, key, what, ORIGIN).await
}

async fn given_at(
    people: &People,
    by: &Caller,
    key: &mut Authenticator,
    what: ToTouch<'_>,
    origin: &str,
) -> String {
    let asked = people.begin_touch(&place(), by, what).await;
    let asked = asked.expect("they have a passkey");
    let sealed = serde_json::from_str::<Value>(&asked).expect("JSON")["asked"].take();
    let answer: Value = serde_json::from_str(&key.get(origin, &asked)).expect("JSON");
    json!({ "asked": sealed, "answer": answer }).to_string()
}

async fn finish(
    people: &People,
    by: &Caller,
    what: ToTouch<'_>,
    given: &str,
) -> Result<NewTouch, PeopleError> {
    people.finish_touch(&place(), by, what, given).await
}

/// What is wrong, as the person is told.
fn why(outcome: Result<NewTouch, PeopleError>) -> &'static str {
    match outcome {
        Ok(_) => "nothing",
        Err(PeopleError::NeedsLogin) => "no login",
        Err(PeopleError::Invalid(text)) if text.contains("was used") => "not for this",
        Err(PeopleError::Passkey(_)) => "not accepted",
        Err(PeopleError::Invalid(text)) if text.contains("no passkey") => "no passkey",
        Err(error) => panic!("{error:?}"),
    }
}

#[tokio::test]
async fn a_touch_proves_exactly_what_was_shown_to_whom() {
    let (people, _folder) = people().await;
    let (_, ada) = logged_in(&people, "approver").await;
    let (mut key, _) = registered(&people, &ada).await;
    let page = given(&people, &ada, &mut key, WHAT).await;
    let touch = finish(&people, &ada, WHAT, &page)
        .await
        .expect("it is right");
    assert_eq!((touch.person, touch.token.as_str()), (ada.person, TOKEN));
    let proof: Proof = serde_json::from_str(&touch.proof).expect("JSON");
    proof
        .check(ada.person, TOKEN)
        .expect("anybody can check it");
    // Nothing in it can be exchanged.
    assert!(proof.check(ada.person + 1, TOKEN).is_err());
    assert!(proof.check(ada.person, "another").is_err());
    let other = |change: fn(&mut Proof)| {
        let mut other = proof.clone();
        change(&mut other);
        other.check(ada.person, TOKEN)
    };
    assert!(other(|proof| proof.shown = SHOWN.replace('5', "6")).is_err());
    assert!(other(|proof| proof.amended = Some(SHOWN.to_owned())).is_err());
    assert!(other(|proof| proof.nonce.push('A')).is_err());
    assert!(other(|proof| proof.place = "evil.lan".to_owned()).is_err());
    for damaged in ["", "AAAA", "!"] {
        let mut all = [proof.clone(), proof.clone(), proof.clone()];
        all[0].signature = damaged.to_owned();
        all[1].client_data = damaged.to_owned();
        all[2].authenticator_data = damaged.to_owned();
        assert!(all.iter().all(|one| one.check(ada.person, TOKEN).is_err()));
    }
    assert!(touch.proof.len() < 2_000, "{}", touch.proof.len());
}

#[tokio::test]
async fn a_touch_is_good_for_nothing_else() {
    let (people, _folder) = people().await;
    let (_, ada) = logged_in(&people, "approver").await;
    // A login from before there was a second factor.
    let (_, again) = logged_in(&people, "approver").await;
    let (_, bob) = logged_in(&people, "operator").await;
    let (mut key, _) = registered(&people, &ada).await;
    let (mut foreign, _) = registered(&people, &bob).await;
    let page = given(&people, &ada, &mut key, WHAT).await;
    let others = [
        ToTouch {
            token: "another",
            ..WHAT
        },
        ToTouch {
            shown: "another",
            ..WHAT
        },
        ToTouch {
            amended: "make one",
            ..WHAT
        },
    ];
    for other in others {
        assert_eq!(
            why(finish(&people, &ada, other, &page).await),
            "not for this"
        );
    }
    assert_eq!(
        why(finish(&people, &bob, WHAT, &page).await),
        "not for this"
    );
    assert_eq!(
        why(finish(&people, &again, WHAT, &page).await),
        "not for this",
        "another login"
    );
    let elsewhere = Place::new(true, "other.lan").expect("they work there");
    let moved = people.finish_touch(&elsewhere, &ada, WHAT, &page).await;
    assert_eq!(why(moved), "not for this");
    let script = Caller {
        credential: Credential::Token(1),
        ..ada.clone()
    };
    assert_eq!(why(finish(&people, &script, WHAT, &page).await), "no login");
    // None of it has used the touch up; then it is used once, also of two at the same time.
    let (one, other) = tokio::join!(
        finish(&people, &ada, WHAT, &page),
        finish(&people, &ada, WHAT, &page)
    );
    assert_eq!(u8::from(one.is_ok()) + u8::from(other.is_ok()), 1);
    assert_eq!(
        why(finish(&people, &ada, WHAT, &page).await),
        "not for this"
    );
    // The answer of another person's key, and what was asked for one thing with the answer for another.
    let page = given(&people, &ada, &mut foreign, WHAT).await;
    assert_eq!(
        why(finish(&people, &ada, WHAT, &page).await),
        "not accepted"
    );
    let [asked, answered] = [WHAT, others[1]].map(|what| {
        let (people, ada) = (&people, &ada);
        async move {
            people
                .begin_touch(&place(), ada, what)
                .await
                .expect("it is asked")
        }
    });
    let (asked, answered) = (asked.await, answered.await);
    let answer: Value = serde_json::from_str(&key.get(ORIGIN, &answered)).expect("JSON");
    let sealed = serde_json::from_str::<Value>(&asked).expect("JSON")["asked"].take();
    let mixed = json!({ "asked": sealed, "answer": answer }).to_string();
    assert_eq!(
        why(finish(&people, &ada, WHAT, &mixed).await),
        "not accepted"
    );
}

#[tokio::test]
async fn a_touch_ends_after_two_minutes_and_is_sealed() {
    let (people, _folder) = people().await;
    let (_, ada) = logged_in(&people, "approver").await;
    let (mut key, _) = registered(&people, &ada).await;
    let purpose = "a touch of a passkey";
    for (age, is_good) in [(120_001, false), (-60_000, false), (110_000, true)] {
        let page = given(&people, &ada, &mut key, WHAT).await;
        let mut page: Value = serde_json::from_str(&page).expect("JSON");
        let sealed = page["asked"].as_str().expect("a text");
        let mut asked: Value = people.0.sealer.open(purpose, sealed).expect("ours");
        asked["began"] = (now() - age).into();
        page["asked"] = people.0.sealer.seal(purpose, &asked).into();
        let touch = finish(&people, &ada, WHAT, &page.to_string()).await;
        assert_eq!(touch.is_ok(), is_good, "{age}");
        if let Ok(touch) = touch {
            assert!(touch.until < now() + 10_001, "the rest of the two minutes");
        }
    }
    let page = given(&people, &ada, &mut key, WHAT).await;
    for other in [
        "",
        "{}",
        "x",
        &page.replacen("\"asked\":\"", "\"asked\":\"A", 1),
        &format!("{page}{}", " ".repeat(9_000)),
    ] {
        assert_eq!(
            why(finish(&people, &ada, WHAT, other).await),
            "not for this"
        );
    }
    assert!(finish(&people, &ada, WHAT, &page).await.is_ok());
}

#[tokio::test]
async fn a_browser_and_an_authenticator_that_lie_are_refused() {
    let (people, _folder) = people().await;
    let (_, ada) = logged_in(&people, "approver").await;
    let (mut key, _) = registered(&people, &ada).await;
    for origin in [
        "https://evil.example",
        "http://box.lan",
        "https://a.box.lan",
    ] {
        let page = given_at(&people, &ada, &mut key, WHAT, origin).await;
        assert_eq!(
            why(finish(&people, &ada, WHAT, &page).await),
            "not accepted",
            "{origin}"
        );
    }
    key.verifies = false;
    let page = given(&people, &ada, &mut key, WHAT).await;
    assert_eq!(
        why(finish(&people, &ada, WHAT, &page).await),
        "not accepted",
        "no user"
    );
    key.verifies = true;
    let text = |text: &str| URL_SAFE_NO_PAD.encode(text);
    for (field, value) in [
        ("signature", text("unsigned")),
        ("signature", String::new()),
        (
            "clientDataJSON",
            text(r#"{"type":"webauthn.get","challenge":"","origin":"https://box.lan"}"#),
        ),
        ("authenticatorData", text(&"a".repeat(37))),
    ] {
        let page = given(&people, &ada, &mut key, WHAT).await;
        let mut page: Value = serde_json::from_str(&page).expect("JSON");
        page["answer"]["response"][field] = value.into();
        let touch = finish(&people, &ada, WHAT, &page.to_string()).await;
        assert_eq!(why(touch), "not accepted", "{field}");
    }
    // What the browser says is signed: another challenge, or another kind.
    let page = given(&people, &ada, &mut key, WHAT).await;
    for (old, new) in [
        ("webauthn.get", "webauthn.gat"),
        ("\"crossOrigin\":false", "\"crossOrigin\":true"),
    ] {
        let page = given(&people, &ada, &mut key, WHAT).await;
        let mut page: Value = serde_json::from_str(&page).expect("JSON");
        let client = page["answer"]["response"]["clientDataJSON"]
            .as_str()
            .expect("a text");
        let client =
            String::from_utf8(URL_SAFE_NO_PAD.decode(client).expect("ours")).expect("JSON");
        assert!(client.contains(old), "{client}");
        page["answer"]["response"]["clientDataJSON"] = text(&client.replace(old, new)).into();
        let touch = finish(&people, &ada, WHAT, &page.to_string()).await;
        assert_eq!(why(touch), "not accepted", "{new}");
    }
    finish(&people, &ada, WHAT, &page)
        .await
        .expect("it is right");
    // Another key under the same id.
    let mut copy = Authenticator::like(&key);
    let page = given(&people, &ada, &mut copy, WHAT).await;
    assert_eq!(
        why(finish(&people, &ada, WHAT, &page).await),
        "not accepted",
        "another key"
    );
}

#[tokio::test]
async fn what_is_asked_for_instead_is_signed_as_it_is_approved() {
    let (people, _folder) = people().await;
    let (_, ada) = logged_in(&people, "approver").await;
    let (mut key, _) = registered(&people, &ada).await;
    let typed = |amended| ToTouch { amended, ..WHAT };
    let page = given(&people, &ada, &mut key, typed("make one\nmake two\n")).await;
    let touch = finish(&people, &ada, typed(" make one\r\nmake two"), &page).await;
    let touch = touch.expect("a form ends lines in its own way");
    let approved = "make one\nmake two";
    assert_eq!(touch.amended, approved);
    let proof: Proof = serde_json::from_str(&touch.proof).expect("JSON");
    let hash = data_encoding::HEXLOWER.encode(&sha2::Sha256::digest(approved));
    assert_eq!(proof.amended, Some(hash));
}

#[tokio::test]
async fn a_counter_that_goes_back_is_a_copy() {
    let (people, _folder) = people().await;
    let (_, ada) = logged_in(&people, "approver").await;
    let (mut key, _) = registered(&people, &ada).await;
    key.counter = 7;
    let page = given(&people, &ada, &mut key, WHAT).await;
    let touch = finish(&people, &ada, WHAT, &page)
        .await
        .expect("it counts on");
    assert_ne!(
        touch.before, touch.after,
        "the new state is stored with the answer"
    );
    let stored = people
        .journal()
        .touch_passkey(touch.passkey, touch.after, now());
    stored.await.expect("healthy");
    key.counter = 7;
    let page = given(&people, &ada, &mut key, WHAT).await;
    assert_eq!(
        why(finish(&people, &ada, WHAT, &page).await),
        "not accepted"
    );
    key.counter = 9;
    let page = given(&people, &ada, &mut key, WHAT).await;
    assert!(finish(&people, &ada, WHAT, &page).await.is_ok());
}

#[tokio::test]
async fn who_cannot_touch_is_told_why() {
    let (people, _folder) = people().await;
    let (_, ada) = logged_in(&people, "approver").await;
    let can = async |place: Result<&Place, PasskeysHere>, by: &Caller| {
        people.can_touch(place, by).await.expect("healthy")
    };
    let (here, elsewhere) = (
        place(),
        Place::new(true, "other.lan").expect("they work there"),
    );
    assert_eq!(can(Ok(&here), &ada).await, CanTouch::NoPasskey);
    let begun = people.begin_touch(&here, &ada, WHAT).await;
    assert!(matches!(begun, Err(PeopleError::Invalid(_))));
    registered(&people, &ada).await;
    assert_eq!(can(Ok(&here), &ada).await, CanTouch::Yes);
    assert_eq!(
        can(Ok(&elsewhere), &ada).await,
        CanTouch::Elsewhere("box.lan".to_owned())
    );
    let lan = PasskeysHere::NeedTls;
    assert_eq!(can(Err(lan), &ada).await, CanTouch::NotHere(lan));
    let machine = Caller::at_the_machine();
    assert_eq!(can(Ok(&here), &machine).await, CanTouch::NoAccount);
    assert!(matches!(
        people.begin_touch(&here, &machine, WHAT).await,
        Err(PeopleError::NeedsLogin)
    ));
}

#[test]
fn the_challenge_never_changes() {
    let challenge = |person, token, shown, amended, nonce| {
        data_encoding::HEXLOWER.encode(&challenge_of(person, token, shown, amended, nonce))
    };
    // printf 'handrail touch 1\nSHOWN\nTOKEN\n7\n\nNONCE\n' | sha256sum
    let known = challenge(7, "TOKEN", "SHOWN", "", "NONCE");
    assert_eq!(
        known,
        "e99aadd411d6de7d1c4a6e2cc3ef4adbc0b6119361f7f01e2949db2920e2c644"
    );
    for other in [
        challenge(8, "TOKEN", "SHOWN", "", "NONCE"),
        challenge(7, "TOKE", "SHOWN", "", "NONCE"),
        challenge(7, "TOKEN", "SHOW", "", "NONCE"),
        challenge(7, "TOKEN", "SHOWN", "N", "ONCE"),
        challenge(7, "TOKEN", "SHOWN", "", "NONC"),
    ] {
        assert_ne!(other, known);
    }
}
