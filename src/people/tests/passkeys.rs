//! Passkeys: what an answer must prove, and that half a login gives nothing.
//!
//! Long because the cases share an authenticator.

use super::authenticator::Authenticator;
use super::*;
use crate::clock::now;
use serde_json::Value;

pub(super) const ORIGIN: &str = "https://box.lan";

pub(super) fn place() -> Place {
    Place::new(true, "box.lan").expect("they work there")
}

/// An attempt from a browser of which nothing is known.
fn new() -> NewLogin<'static> {
    login("", "")
}

/// Registers a passkey of a person who is logged in; returns it with the recovery codes.
pub(super) async fn registered(people: &People, by: &Caller) -> (Authenticator, Vec<String>) {
    let mut key = Authenticator::new();
    let who = Registrant::Caller(by);
    let (asked, challenge) = people
        .begin_passkey(&place(), who)
        .await
        .expect("logged in");
    let answer = key.create(ORIGIN, &asked);
    let made = people
        .finish_passkey(&place(), who, (&challenge, &answer), "a key", new())
        .await
        .expect("a right answer");
    assert!(made.login.is_none());
    (key, made.codes)
}

/// Half a login with the right password.
async fn half(people: &People, name: &str) -> Half {
    match people.log_in(login(name, PASSWORD)).await {
        Err(PeopleError::SecondFactor(sealed)) => people.half(&sealed).expect("it is ours"),
        other => panic!("{name}: {other:?}"),
    }
}

/// What a browser answers to complete half a login, or alone.
async fn answer(people: &People, key: &mut Authenticator, half: Option<&Half>) -> (String, String) {
    let begun = people.begin_passkey_login(&place(), half).await;
    let (asked, challenge) = begun.expect("they work there");
    let answer = key.get(ORIGIN, &asked);
    (challenge, answer)
}

async fn finish(
    people: &People,
    half: Option<&Half>,
    (challenge, answer): &(String, String),
) -> Result<LoginSecrets, PeopleError> {
    let given = (challenge.as_str(), answer.as_str());
    people
        .log_in_with_passkey(&place(), half, given, new())
        .await
}

fn is_refused<T>(outcome: &Result<T, PeopleError>) -> bool {
    matches!(outcome, Err(PeopleError::Passkey(_)))
}

fn is_expired<T>(outcome: &Result<T, PeopleError>) -> bool {
    matches!(outcome, Err(PeopleError::Expired))
}

#[tokio::test]
async fn a_passkey_follows_the_password_or_logs_in_alone() {
    let (people, _folder) = people().await;
    let (before, viewer) = logged_in(&people, "viewer").await;
    let (mut key, codes) = registered(&people, &viewer).await;
    assert_eq!(codes.len(), 10);
    assert!(
        is_in(&people, &before).await,
        "the session in which it was added goes on"
    );
    let half = half(&people, "viewer").await;
    let given = answer(&people, &mut key, Some(&half)).await;
    let second = finish(&people, Some(&half), &given)
        .await
        .expect("it is right");
    assert!(is_in(&people, &second.login).await);
    let given = answer(&people, &mut key, None).await;
    let alone = finish(&people, None, &given).await.expect("it is right");
    assert!(is_in(&people, &alone.login).await);
    let account = people.account(&viewer, 0).await.expect("healthy");
    assert_eq!(
        account
            .devices
            .iter()
            .filter(|device| device.strong)
            .count(),
        3
    );
    assert_eq!((account.passkeys.len(), account.codes), (1, 10));
    assert!(account.passkeys[0].used_at.is_some());
    // The half login that is completed and every other secret are no logins.
    let sealed = people.half_of(&people.named("viewer").await.expect("they are there"));
    assert!(!is_in(&people, &sealed).await);
}

#[tokio::test]
async fn a_challenge_is_answered_once_in_its_browser_at_its_place_and_in_time() {
    let (people, _folder) = people().await;
    let (_, viewer) = logged_in(&people, "viewer").await;
    let (mut key, _) = registered(&people, &viewer).await;
    let (one, other) = (half(&people, "viewer").await, half(&people, "viewer").await);
    let given = answer(&people, &mut key, Some(&one)).await;
    for session in [None, Some(&other)] {
        assert!(is_expired(&finish(&people, session, &given).await));
    }
    let elsewhere = Place::new(true, "other.lan").expect("they work there");
    let moved = people
        .log_in_with_passkey(&elsewhere, Some(&one), (&given.0, &given.1), new())
        .await;
    assert!(is_expired(&moved));
    let purpose = "a passkey's login";
    for began in [now() - 10 * 60_000 - 1, now() + 60_000] {
        let mut challenge: Value = people.0.sealer.open(purpose, &given.0).expect("ours");
        challenge["began"] = began.into();
        let old = people.0.sealer.seal(purpose, &challenge);
        let late = finish(&people, Some(&one), &(old, given.1.clone())).await;
        assert!(is_expired(&late), "{began}");
    }
    finish(&people, Some(&one), &given)
        .await
        .expect("it is right");
    assert!(
        is_expired(&finish(&people, Some(&one), &given).await),
        "it was used"
    );
    // The challenge of another half login is good, but this half is complete.
    let given = answer(&people, &mut key, Some(&other)).await;
    finish(&people, Some(&other), &given)
        .await
        .expect("it is right");
    let alone = answer(&people, &mut key, None).await;
    finish(&people, None, &alone).await.expect("it is right");
    assert!(
        is_expired(&finish(&people, None, &alone).await),
        "it was used"
    );
}

#[tokio::test]
async fn of_two_answers_at_once_one_counts() {
    let (people, _folder) = people().await;
    let (_, viewer) = logged_in(&people, "viewer").await;
    let (mut key, _) = registered(&people, &viewer).await;
    let given = answer(&people, &mut key, None).await;
    let (one, other) = tokio::join!(finish(&people, None, &given), finish(&people, None, &given));
    assert_eq!(u8::from(one.is_ok()) + u8::from(other.is_ok()), 1);
}

#[tokio::test]
async fn an_answer_proves_the_origin_the_user_the_account_and_that_there_is_no_copy() {
    let (people, _folder) = people().await;
    let (_, viewer) = logged_in(&people, "viewer").await;
    let (_, operator) = logged_in(&people, "operator").await;
    let (mut key, _) = registered(&people, &viewer).await;
    let (mut foreign, _) = registered(&people, &operator).await;
    let half = half(&people, "viewer").await;
    let begun = people.begin_passkey_login(&place(), Some(&half)).await;
    let (asked, challenge) = begun.expect("they work there");
    for origin in [
        "https://evil.example",
        "https://box.lan:8443",
        "http://box.lan",
        "https://a.box.lan",
    ] {
        let given = (challenge.clone(), key.get(origin, &asked));
        assert!(
            is_refused(&finish(&people, Some(&half), &given).await),
            "{origin}"
        );
    }
    key.verifies = false;
    let given = (challenge.clone(), key.get(ORIGIN, &asked));
    assert!(
        is_refused(&finish(&people, Some(&half), &given).await),
        "nobody was verified"
    );
    key.verifies = true;
    clear(&people).await;
    let given = (challenge.clone(), foreign.get(ORIGIN, &asked));
    assert!(
        is_refused(&finish(&people, Some(&half), &given).await),
        "another account"
    );
    let mut stranger = Authenticator::new();
    let given = (challenge.clone(), stranger.get(ORIGIN, &asked));
    assert!(
        is_refused(&finish(&people, Some(&half), &given).await),
        "no account"
    );
    let given = (challenge, "{}".to_owned());
    assert!(is_refused(&finish(&people, Some(&half), &given).await));
    clear(&people).await;
    // A counter that goes back is a copy.
    key.counter = 7;
    let given = answer(&people, &mut key, Some(&half)).await;
    finish(&people, Some(&half), &given)
        .await
        .expect("it counts on");
    key.counter = 7;
    let given = answer(&people, &mut key, None).await;
    assert!(
        is_refused(&finish(&people, None, &given).await),
        "it does not count on"
    );
    key.counter = 9;
    key.names_user = false;
    let given = answer(&people, &mut key, None).await;
    assert!(
        is_refused(&finish(&people, None, &given).await),
        "it says nobody"
    );
    key.names_user = true;
    let given = answer(&people, &mut key, None).await;
    finish(&people, None, &given).await.expect("it is right");
}

/// Clears all locks, so that a test may go on failing.
async fn clear(people: &People) {
    let journal = people.journal();
    let everything = journal.locked(0).await.expect("healthy");
    for guess in everything {
        people
            .forget_guesses(&guess.subject)
            .await
            .expect("healthy");
    }
    let stranger = Guesser::stranger("viewer", FROM);
    people
        .guessed_right(stranger.for_second_factor())
        .await
        .expect("healthy");
}

#[tokio::test]
async fn half_a_login_ends_with_the_password_that_was_right() {
    let (people, _folder) = people().await;
    let machine = Caller::at_the_machine();
    let (_, viewer) = logged_in(&people, "viewer").await;
    let (mut key, codes) = registered(&people, &viewer).await;
    for step in 0..2 {
        let half = half(&people, "viewer").await;
        let given = answer(&people, &mut key, Some(&half)).await;
        match step {
            0 => people.reset_password(&machine, "viewer", PASSWORD).await,
            _ => people.set_disabled(&machine, "viewer", true).await,
        }
        .expect("they are there");
        assert!(
            finish(&people, Some(&half), &given).await.is_err(),
            "{step}"
        );
        let recovered = people.log_in_with_code(&half, &codes[0], new()).await;
        assert!(is_expired(&recovered), "{step}: {recovered:?}");
    }
    let alone = answer(&people, &mut key, None).await;
    assert!(is_refused(&finish(&people, None, &alone).await), "disabled");
}

#[tokio::test]
async fn a_recovery_code_works_once_after_the_password_and_is_guessed_slowly() {
    let (people, folder) = people().await;
    let (_, viewer) = logged_in(&people, "viewer").await;
    let (_, codes) = registered(&people, &viewer).await;
    let recover = async |code: &str| {
        let half = half(&people, "viewer").await;
        people.log_in_with_code(&half, code, new()).await
    };
    let entered = recover(&codes[0].to_uppercase()).await.expect("it is one");
    assert!(is_in(&people, &entered.login).await);
    let again = recover(&codes[0]).await;
    assert!(matches!(again, Err(PeopleError::WrongCode)), "{again:?}");
    let account = people.account(&viewer, 0).await.expect("healthy");
    assert_eq!(account.codes, 9);
    let text = std::fs::read(folder.path().join("handrail.db-wal")).expect("it is there");
    let letters = codes[1].replace('-', "");
    for code in [codes[1].as_bytes(), letters.as_bytes()] {
        assert!(!text.windows(code.len()).any(|part| part == code));
    }
    // The right password each time does not clear the count.
    let mut refused = 0;
    for _ in 0..6 {
        match recover("aaaa-aaaa-aaaa-aaaa").await {
            Err(PeopleError::WrongCode) => refused += 1,
            Err(PeopleError::Wait(1..=30)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(refused, 4, "and one before");
    let locked = recover(&codes[2]).await;
    assert!(matches!(locked, Err(PeopleError::Wait(_))), "{locked:?}");
    let new_codes = people
        .renew_codes(&viewer)
        .await
        .expect("there is a passkey");
    clear(&people).await;
    let old = recover(&codes[2]).await;
    assert!(matches!(old, Err(PeopleError::WrongCode)), "{old:?}");
    recover(&new_codes[0]).await.expect("it is one");
}

#[tokio::test]
async fn a_role_that_requires_a_passkey_lets_nobody_in_without_one() {
    let (people, _folder) = people().await;
    let (owner_secret, owner) = logged_in(&people, "owner").await;
    let (before, viewer) = logged_in(&people, "viewer").await;
    let token = people
        .make_token(&viewer, "a script", Role::Viewer, 7)
        .await
        .expect("fine");
    let script = of_token(&people, &token).await.expect("it is good");
    let own = people.require_passkeys(&owner, &[Role::Owner]).await;
    assert!(
        matches!(own, Err(PeopleError::Invalid(_))),
        "it would shut out the owner"
    );
    let mut changed = people.changed();
    changed.mark_unchanged();
    people
        .require_passkeys(&owner, &[Role::Viewer])
        .await
        .expect("another role");
    assert!(changed.has_changed().expect("it is watched"));
    assert!(!is_in(&people, &before).await && is_in(&people, &owner_secret).await);
    for caller in [&viewer, &script] {
        assert!(!people.still(caller).await.expect("healthy"));
    }
    assert!(of_token(&people, &token).await.is_none());
    // Whoever has none registers one, and nothing else completes the login.
    let first = half(&people, "viewer").await;
    let pending = people
        .pending_login(&first, Some(&place()))
        .await
        .expect("good");
    assert!(pending.registers);
    let recovered = people
        .log_in_with_code(&first, "aaaa-aaaa-aaaa-aaaa", new())
        .await;
    assert!(matches!(recovered, Err(PeopleError::WrongCode)));
    let person = people.named("viewer").await.expect("they are there");
    let weak = people.begin_login(&person, &new(), false).await;
    assert!(matches!(weak, Err(PeopleError::Wrong)), "{weak:?}");
    let mut key = Authenticator::new();
    let who = Registrant::Half(&first);
    let (asked, challenge) = people.begin_passkey(&place(), who).await.expect("none yet");
    let answered = key.create(ORIGIN, &asked);
    let late = half(&people, "viewer").await;
    let others = people
        .finish_passkey(
            &place(),
            Registrant::Half(&late),
            (&challenge, &answered),
            "",
            new(),
        )
        .await;
    assert!(is_expired(&others), "of another half login");
    let made = people
        .finish_passkey(&place(), who, (&challenge, &answered), "", new())
        .await
        .expect("it is right");
    assert_eq!(made.codes.len(), 10);
    let secret = made.login.expect("the login is complete").login;
    let viewer = people.of_browser(&secret, FROM).await.expect("healthy");
    let viewer = viewer.expect("they have just logged in");
    assert!(of_token(&people, &token).await.is_some());
    // From now on, half a login registers nothing: it would replace the second factor.
    let refused = people
        .begin_passkey(&place(), Registrant::Half(&late))
        .await;
    assert!(is_expired(&refused));
    let number = people.account(&viewer, 0).await.expect("healthy").passkeys[0].number;
    let last = people.end_passkey(&viewer, number).await;
    assert!(matches!(last, Err(PeopleError::Invalid(_))), "{last:?}");
    people.require_passkeys(&owner, &[]).await.expect("healthy");
    people
        .end_passkey(&viewer, number)
        .await
        .expect("it is theirs");
    logged_in(&people, "viewer").await;
}

#[tokio::test]
async fn a_login_at_another_service_is_followed_by_the_passkey_too() {
    let (people, _folder) = people().await;
    let identity = Identity {
        issuer: "https://id.example".to_owned(),
        subject: "7".to_owned(),
        name: "eve".to_owned(),
        invited: Some(Role::Viewer),
    };
    let enter = async || people.log_in_as(&identity, "a browser", "", FROM).await;
    let entered = enter().await.expect("invited");
    let machine = Caller::at_the_machine();
    let required = people.require_passkeys(&machine, &[Role::Viewer]).await;
    required.expect("healthy");
    assert!(!is_in(&people, &entered.login).await);
    let half = enter().await;
    assert!(
        matches!(half, Err(PeopleError::SecondFactor(_))),
        "{half:?}"
    );
}

#[tokio::test]
async fn while_the_disk_is_full_a_passkey_logs_in_and_no_code_does() {
    let (people, _folder) = people().await;
    let (_, viewer) = logged_in(&people, "viewer").await;
    let (mut key, codes) = registered(&people, &viewer).await;
    people.journal().fill(true).await;
    let given = answer(&people, &mut key, None).await;
    let entered = finish(&people, None, &given).await.expect("it is right");
    assert!(is_in(&people, &entered.login).await);
    let half = half(&people, "viewer").await;
    let recovered = people.log_in_with_code(&half, &codes[0], new()).await;
    // It could not be used up.
    assert!(
        matches!(recovered, Err(PeopleError::Journal(_))),
        "{recovered:?}"
    );
    people.journal().fill(false).await;
}

#[tokio::test]
async fn a_person_has_a_bounded_number_of_passkeys_each_once_with_a_short_name() {
    let (people, _folder) = people().await;
    let (_, viewer) = logged_in(&people, "viewer").await;
    let (_, operator) = logged_in(&people, "operator").await;
    let who = Registrant::Caller(&viewer);
    let mut key = Authenticator::new();
    let register = async |key: &mut Authenticator, who: Registrant<'_>, name: &str| {
        let (asked, challenge) = people
            .begin_passkey(&place(), who)
            .await
            .expect("logged in");
        let answer = key.create(ORIGIN, &asked);
        people
            .finish_passkey(&place(), who, (&challenge, &answer), name, new())
            .await
    };
    let long = register(&mut key, who, &"x".repeat(61)).await;
    assert!(matches!(long, Err(PeopleError::Invalid(_))), "{long:?}");
    register(&mut key, who, "").await.expect("it is new");
    let taken = register(&mut key, Registrant::Caller(&operator), "").await;
    assert!(matches!(taken, Err(PeopleError::Invalid(_))), "{taken:?}");
    for _ in 1..20 {
        let more = register(&mut Authenticator::new(), who, "another").await;
        assert!(more.expect("it is new").codes.is_empty(), "there are codes");
    }
    let many = register(&mut Authenticator::new(), who, "one more").await;
    assert!(matches!(many, Err(PeopleError::Invalid(_))), "{many:?}");
    let machine = Caller::at_the_machine();
    people
        .reset_passkeys(&machine, "viewer")
        .await
        .expect("they are there");
    logged_in(&people, "viewer").await;
    assert!(!people.still(&viewer).await.expect("healthy"));
}

#[tokio::test]
async fn how_a_person_logs_in_is_changed_by_a_recent_login_only() {
    let (people, folder) = people().await;
    let (_, viewer) = logged_in(&people, "viewer").await;
    registered(&people, &viewer).await;
    let number = people.account(&viewer, 0).await.expect("a login").passkeys[0].number;
    let database = rusqlite::Connection::open(folder.path().join(crate::journal::DATABASE_FILE))
        .expect("it exists");
    let aged = database.execute("UPDATE login SET begun_at = begun_at - 1000000", []);
    assert!(aged.expect("it can be written") > 0);
    let begun = people
        .begin_passkey(&place(), Registrant::Caller(&viewer))
        .await;
    assert!(
        matches!(begun, Err(PeopleError::NeedsRecentLogin)),
        "{begun:?}"
    );
    let codes = people.renew_codes(&viewer).await;
    assert!(
        matches!(codes, Err(PeopleError::NeedsRecentLogin)),
        "{codes:?}"
    );
    let ended = people.end_passkey(&viewer, number).await;
    assert!(
        matches!(ended, Err(PeopleError::NeedsRecentLogin)),
        "{ended:?}"
    );
}
