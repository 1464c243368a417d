//! Secrets of known shapes are masked, and nothing beside them.

use super::*;
use proptest::prelude::*;

const KEY: &str = "the-key-of-our-backend";

fn masker() -> Masker {
    Masker::new([KEY.to_owned(), "short".to_owned()])
}

fn masked(text: &str) -> String {
    masker().text(text).into_owned()
}

#[test]
fn secrets_of_known_shapes_are_masked_and_nothing_beside_them() {
    let pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----";
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4";
    for (text, wanted) in [
        (format!("a {KEY}, b"), "a [masked:backend-key], b"),
        (
            "use sk-proj-abcdef0123456789abcd now".to_owned(),
            "use [masked:api-key] now",
        ),
        ("sk-ant-api03-abcdefghij".to_owned(), "[masked:api-key]"),
        (
            "(ghp_abcdefghijklmnopqrstuvwxyz0123)".to_owned(),
            "([masked:repository-token])",
        ),
        (
            "github_pat_11ABCDEFG0abcdefghij".to_owned(),
            "[masked:repository-token]",
        ),
        (
            "id AKIAIOSFODNN7EXAMPLE.".to_owned(),
            "id [masked:aws-key].",
        ),
        (
            "xoxb-123456789012-abcdef".to_owned(),
            "[masked:slack-token]",
        ),
        (format!("token {jwt}; x"), "token [masked:jwt]; x"),
        (format!("a\n{pem}\nb"), "a\n[masked:private-key]\nb"),
        (
            "-----BEGIN PRIVATE KEY-----\nMIIE".to_owned(),
            "[masked:private-key]",
        ),
        (
            "-H 'Authorization: Bearer abcd1234'".to_owned(),
            "-H 'Authorization: Bearer [masked:authorization]'",
        ),
        (
            "Bearer abcdefgh12345678".to_owned(),
            "Bearer [masked:authorization]",
        ),
        (
            "https://ada:hunter2@host/x?y".to_owned(),
            "https://ada:[masked:url-password]@host/x?y",
        ),
        (
            "export GITHUB_TOKEN=abc && ls".to_owned(),
            "export GITHUB_TOKEN=[masked:secret] && ls",
        ),
        (
            "DB_PASSWORD='a b c' run".to_owned(),
            "DB_PASSWORD='[masked:secret]' run",
        ),
        ("MY_API_KEY=xyz".to_owned(), "MY_API_KEY=[masked:secret]"),
        ("A_SECRET=\"q\"".to_owned(), "A_SECRET=\"[masked:secret]\""),
        (
            "{\"api_key\": \"abcdef\"}".to_owned(),
            "{\"api_key\": \"[masked:secret]\"}",
        ),
        (
            "password = 'hunter22'".to_owned(),
            "password = '[masked:secret]'",
        ),
        (
            "GET /?token=abcdefg&a=b".to_owned(),
            "GET /?token=[masked:secret]&a=b",
        ),
        (
            "X-Session-API-Key: 0123456789".to_owned(),
            "X-Session-API-Key: [masked:secret]",
        ),
    ] {
        assert_eq!(masked(&text), wanted, "{text}");
    }
}

#[test]
fn ordinary_words_code_and_references_stay() {
    for text in [
        "",
        "short",
        "the bearer token of the answer",
        "sk-learn and sk-a-long-class-name-of-css",
        "API_KEY=$API_KEY make",
        "TOKEN=${{ secrets.TOKEN }}",
        "API_KEY=",
        "token = tokens[index]",
        "password: see the wiki",
        "let key = map.key();",
        "monkey=banana keyboard=qwerty",
        "api_key=\"**********\"",
        "https://example.org/a:b@c",
        "git@github.com:ada/engine.git",
        "AKIA is a prefix, AKIAIOSFODNN7EXAMPLEX is longer",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "eyJust.a.sentence",
        "größe=😀 ключ=значение",
    ] {
        assert_eq!(masked(text), text);
    }
}

/// Two hundred ways in which secrets stand in texts: « and » around the secret, § within it, so that no scanner takes this file
/// for a leak.
const CORPUS: &str = include_str!("corpus.txt");
/// Shapes that were written without a look at the rules: 99 of the first 110 were masked then, and 60 of the other 79, which
/// are mostly options of commands. Of 204 more 185 were, and then
/// 144 of 172, with many options, sentences and languages; those that were missed are the last ones here.
const LATER: &str = include_str!("corpus_later.txt");

#[test]
fn everyday_secrets_are_masked_in_at_least_190_of_200_shapes() {
    nearly_all_are_masked(CORPUS, 200);
    nearly_all_are_masked(LATER, 189);
}

fn nearly_all_are_masked(corpus: &str, least: usize) {
    let (mut all, mut missed) = (0, Vec::new());
    for line in corpus.lines() {
        let line = line.replace('§', "").replace("\\n", "\n");
        let (before, rest) = line.split_once('«').expect("a secret begins");
        let (secret, after) = rest.split_once('»').expect("a secret ends");
        let text = masked(&format!("{before}{secret}{after}"));
        let secret = secret.trim_matches(['"', '\'']);
        // Neither as a whole nor by its better half.
        let half = &secret[secret.floor_char_boundary(secret.len() / 2)..];
        all += 1;
        if text.contains(secret) || text.contains(half) {
            missed.push(line);
        }
    }
    assert!(all >= least, "{all}");
    assert!(
        missed.len() * 20 <= all,
        "{} of {all}:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

#[test]
fn ordinary_code_is_not_masked() {
    let mut wrong = Vec::new();
    for line in include_str!("ordinary.txt").lines() {
        if masked(line) != line {
            wrong.push(format!("{line}\n    {}", masked(line)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_event_keeps_all_bytes_but_those_of_its_secrets() {
    let mut found = Vec::new();
    let raw = r#"{ "id":7,  "args" : {"command":"export A_TOKEN=x\"y\n","n":1.50, "api_key" : "abcdef", "token":"\u0061bcdefg"},"u":"\u00e9"}"#;
    let masked = masker().event(raw, |kind, secret| found.push((kind, secret.to_owned())));
    let wanted = r#"{ "id":7,  "args" : {"command":"export A_TOKEN=[masked:secret]\"y\n","n":1.50, "api_key" : "[masked:secret]", "token":"[masked:secret]"},"u":"\u00e9"}"#;
    assert_eq!(masked.as_deref(), Some(wanted));
    let secrets: Vec<&str> = found.iter().map(|(_, secret)| &**secret).collect();
    assert_eq!(secrets, ["x", "abcdef", "abcdefg"]);
    assert_eq!(masker().event(wanted, |_, _| panic!("masked twice")), None);
    for whole in [
        r#"{"id":1,"token":5,"text":"nothing"}"#,
        r#"{"api_key":null,"model":"a-long-model-name"}"#,
        r#"{"api_key":"**********","password":{"a":"abcdefgh"}}"#,
    ] {
        assert_eq!(masker().event(whole, |_, _| ()), None, "{whole}");
    }
}

#[test]
fn the_start_of_a_secret_is_short() {
    assert_eq!(start_of("ghp_abcdefghijkl"), "ghp_");
    assert_eq!(start_of("hunter2"), "hu");
    assert_eq!(start_of("ab"), "");
    assert_eq!(start_of("ééééééééééééé"), "éééé");
}

#[test]
fn a_long_text_of_beginnings_is_searched_to_its_end() {
    for piece in [
        "token=",
        "?token=$",
        "A_KEY=\\",
        "bearer ",
        "://",
        "-----BEGIN PRIVATE KEY",
        "eyJaaaaaaaa.",
        "\"'`:=",
        "sk-",
        "authorization: ",
        "\\\"",
        "password: ",
        "SG.",
        "a.",
        "a=",
        "\"key\":",
        "--token ",
        "$6$",
        "cookie: a=",
        "password:",
        "passwort: a1",
        "curl -b ",
        "chpasswd a:b ",
        "Private-Lines: 9\n",
    ] {
        // With a quadratic rule, this test would take minutes.
        let text = piece.repeat((1 << 17) / piece.len());
        let once = masked(&text);
        assert_eq!(masked(&once), once, "{piece}");
    }
}

/// Pieces that rules react to, in any order.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("ghp_abcdefghijklmnopqrstuvwxyz0123".to_owned()),
        Just("sk-abcdef0123456789abcd".to_owned()),
        Just("eyJhbGciOiJI.eyJzdWIi.SflKx".to_owned()),
        Just(KEY.to_owned()),
        Just("Authorization: Bearer ".to_owned()),
        Just("A_TOKEN=".to_owned()),
        Just("password".to_owned()),
        Just("-----BEGIN PRIVATE KEY-----".to_owned()),
        Just("-----END PRIVATE KEY-----".to_owned()),
        Just("https://u:".to_owned()),
        Just("AKIAIOSFODNN7EXAMPLE".to_owned()),
        "[ \"'=:@&?/\\\\.,;\n-]{1,2}",
        "[a-z0-9é😀$*]{1,8}",
        any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

#[test]
fn any_text_is_masked_in_little_memory_for_its_length() {
    let corpus = CORPUS.lines().map(|line| line.as_bytes().to_vec());
    let corpus: Vec<_> = corpus.collect();
    handrail_sim_os::fuzz(
        "masks",
        &corpus,
        |length| (8 << 20) + 200 * length,
        |input| {
            let text = String::from_utf8_lossy(input);
            let _ = (masker().text(&text), masker().event(&text, |_, _| ()));
        },
    );
}

proptest! {
    #[test]
    fn masking_any_text_never_panics_and_what_is_masked_stays(text in pieces()) {
        let once = masked(&text);
        prop_assert_eq!(masked(&once), once.clone());
        let json = serde_json::json!({ "a": text, "token": text }).to_string();
        if let Some(masked) = masker().event(&json, |_, secret| assert!(!secret.is_empty())) {
            let masked: serde_json::Value = serde_json::from_str(&masked).expect("it is JSON as before");
            prop_assert_eq!(masked["a"].as_str(), Some(&*once));
        } else {
            prop_assert_eq!(&once, &text);
        }
    }

    #[test]
    fn a_secret_between_any_words_is_never_left(before in "[a-z ]{0,20}", after in "[ .,;)][a-z ]{0,20}") {
        for secret in ["ghp_abcdefghijklmnopqrstuvwxyz0123", KEY, "xoxb-123456789012-abcdef"] {
            let text = format!("{before} {secret}{after}");
            prop_assert!(!masked(&text).contains(secret), "{}", text);
        }
    }

    #[test]
    fn any_bytes_are_searched_without_a_panic(raw in "\\PC*") {
        let _ = masker().event(&raw, |_, _| ());
        let _ = masker().text(&raw);
    }
}
