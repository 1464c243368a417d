//! The events of a file are found, and a broken file is refused with the place of its fault.

use super::*;
use proptest::prelude::*;

fn read(file: &str) -> Result<Vec<&str>, String> {
    let places = events(file.as_bytes())?;
    Ok(places.into_iter().map(|place| &file[place]).collect())
}

#[test]
fn events_are_found_alone_and_in_an_object_exactly_as_they_stand() {
    let one = r#"{"id": 0, "action":"message", "args":{"content":"é \u00e9"} }"#;
    let two = r#"{"kind":"PauseEvent","id":"a"}"#;
    for file in [
        format!("[{one},{two}]"),
        format!("\u{feff}[\n {one} ,\n{two}\n]\n"),
        format!(r#"{{"history":[{one},{two}],"metrics":{{"a":[1,2]}}}}"#),
        format!(r#"{{"instance_id":"x","trajectory": [{one}, {two}], "events":[3]}}"#),
        format!(r#"{{"items":[{one},{two}],"next_page_id":null}}"#),
    ] {
        assert_eq!(
            read(&file).expect("it is a trajectory"),
            [one, two],
            "{file}"
        );
    }
}

#[test]
fn a_broken_file_is_told_with_the_place() {
    let deep = format!(
        "[{{\"action\":\"a\",\"args\":{}{}}}]",
        "[".repeat(200),
        "]".repeat(200)
    );
    for (file, place, what) in [
        ("", "Line 1, column 0 (event 1)", "ends too early"),
        ("[", "Line 1, column 1 (event 1)", "ends too early"),
        ("hello", "Line 1, column 1", "not valid JSON"),
        (
            "[\n{\"action\":\"a\"},\n{\"action\":}\n]",
            "Line 3, column 11 (event 2)",
            "not valid JSON",
        ),
        (
            "[{\"action\":\"a\"} {\"action\":\"b\"}]",
            "Line 1, column 17 (event 2)",
            "not valid JSON",
        ),
        (
            "[{\"action\":\"a\"}]\n[]",
            "Line 2, column 1",
            "not valid JSON",
        ),
        (
            "[\n{\"action\":\"a\"},\n  7]",
            "Line 3, column 3 (event 2)",
            "not an object",
        ),
        (
            "[{\"action\":\"\\ud800\"}]",
            "Line 1, column 2 (event 1)",
            "cannot be read",
        ),
        (&deep, "Line 1, column 2 (event 1)", "nested too deeply"),
        ("[]", "", "has no events"),
        ("{\"events\":[]}", "", "has no events"),
        ("{\"a\":1}", "", "no list of events"),
        ("{\"events\":{}}", "Line 1", "no trajectory"),
        ("[{\"a\":1},{}]", "", "None of the 2 entries"),
        ("3", "Line 1", "no trajectory"),
    ] {
        let error = read(file).expect_err(file);
        assert!(
            error.contains(place) && error.contains(what),
            "{file}: {error}"
        );
        assert!(error.contains("Nothing was imported"), "{error}");
        assert!(error.ends_with('.'), "{error}");
    }
    assert!(events(b"[{\"action\":\"\xff\"}]").is_err());
}

#[test]
fn a_file_with_too_many_events_is_refused_at_the_first_of_them() {
    let event = "{\"action\":\"a\"}";
    let list = vec![event; MOST_EVENTS + 1].join(",\n");
    let error = read(&format!("[{list}]")).expect_err("it is too long");
    assert!(
        error.contains("event 100001") && error.contains("more than 100000 events"),
        "{error}"
    );
}

proptest! {
    #[test]
    fn any_file_is_read_or_refused_with_a_sentence(file in "[\\[\\]{}:,\"a-c0-9 \n\\\\]{0,60}") {
        if let Err(error) = read(&file) {
            prop_assert!(error.ends_with('.'));
        }
    }

    #[test]
    fn a_file_that_is_cut_off_anywhere_is_never_accepted(at in 1..60_usize) {
        let whole = r#"[{"action":"message","args":{"content":"hello"}},{"observation":"x"}]"#;
        let cut = &whole[..whole.len() - at];
        prop_assert!(read(cut).is_err());
    }

    #[test]
    fn any_bytes_never_panic(file in proptest::collection::vec(any::<u8>(), 0..100)) {
        let _ = events(&file);
    }
}
