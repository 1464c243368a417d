//! The events of a file are found, and a broken file is refused with the place of its fault.
//!
//! Long because each form of a file has its test.

use super::*;
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use std::io::{Cursor, Write as _};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

fn all(file: impl Into<Bytes>) -> Result<Vec<(String, Vec<String>)>, String> {
    let text = |event: Bytes| String::from_utf8(event.into()).expect("it is a text");
    let found = trajectories(file.into())?.into_iter();
    Ok(found
        .map(|one| (one.name, one.events.into_iter().map(text).collect()))
        .collect())
}

/// The events of a file with one trajectory.
fn read(file: &str) -> Result<Vec<String>, String> {
    let mut all = all(file.to_owned())?;
    assert_eq!(all.len(), 1, "{all:?}");
    Ok(all.remove(0).1)
}

fn zipped(files: &[(&str, &str)], method: CompressionMethod) -> Bytes {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        let options = SimpleFileOptions::default().compression_method(method);
        archive
            .start_file(*name, options)
            .expect("it is written to memory");
        archive
            .write_all(text.as_bytes())
            .expect("it is written to memory");
    }
    archive
        .finish()
        .expect("it is written to memory")
        .into_inner()
        .into()
}

fn gzipped(bytes: &[u8]) -> Bytes {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(bytes).expect("it is written to memory");
    packed.finish().expect("it is written to memory").into()
}

#[test]
fn a_file_takes_time_in_proportion_to_its_length() {
    // A part of it must not be read once for each mark, or for each file beside.
    let marks = "--JSON Event-- ".repeat(200_000);
    assert!(all(marks).is_err());
    let event = |id: usize| format!(r#"{{"id":{id},"action":"message","args":{{}}}}"#);
    let events: Vec<(String, String)> = (0..1_500)
        .map(|id| (format!("a/event_{id}.json"), event(id)))
        .chain((0..900).map(|id| {
            (
                format!("other{id}.json"),
                format!("[{}]", event(10_000 + id)),
            )
        }))
        .collect();
    let files: Vec<(&str, &str)> = events
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let found = all(zipped(&files, CompressionMethod::Stored)).expect("it has events");
    assert_eq!(found.len(), 901);
}

#[test]
fn nothing_of_an_archive_is_left_out() {
    let event = |text: &str| format!(r#"{{"action":"message","args":{{"content":"{text}"}}}}"#);
    let (one, two, other) = (event("one"), event("two"), event("other"));
    // A file that was packed in parts.
    let parts = [
        gzipped(format!("{one}\n").as_bytes()),
        gzipped(two.as_bytes()),
    ]
    .concat();
    let found = all(parts).expect("it is whole");
    assert_eq!(found, [(String::new(), vec![one.clone(), two.clone()])]);
    // Events in files of their own, the same once more as a list, and other conversations beside them.
    let whole = format!("[{one},{two}]");
    let others = format!(r#"{{"instance_id":"x","history":[{other}]}}"#);
    let cache = format!("[{one}]");
    let archive = zipped(
        &[
            ("a/event_000000_1.json", &one),
            ("a/event_000001_2.json", &two),
            ("a/event_cache/0-25.json", &cache),
            ("a/base_state.json", "{}"),
            ("a/trajectory.json", &whole),
            ("output.jsonl", &others),
            ("notes.json", r#"{"a":1}"#),
        ],
        CompressionMethod::Stored,
    );
    let found = all(archive).expect("it has events");
    assert_eq!(
        found,
        [
            ("a".to_owned(), vec![one.clone(), two]),
            ("x".to_owned(), vec![other])
        ]
    );
    // The first list may be empty, and names may stand twice.
    let doubled = r#"{"action":"x","action":"message","args":{}}"#;
    let read = read(&format!(
        r#"{{"history":[],"trajectory":[{one},{doubled}]}}"#
    ));
    assert_eq!(read, Ok(vec![one.clone(), doubled.to_owned()]));
    // A terminal had colours, and the lines are indented.
    let printed = format!(
        "\u{1b}[1;32m  --JSON Event--\u{1b}[0m\n{one}\n\u{1b}[2m--JSON Event--\u{1b}[0m\n{one}\n"
    );
    assert_eq!(all(printed).expect("two events")[0].1.len(), 2);
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
            "[{\"action\":\"a\"}]\nx",
            "Line 2, column 1",
            "not valid JSON",
        ),
        (
            "{\"action\":\"a\"}\n{\"action\":",
            "Line 2, column 10 (event 2)",
            "ends too early",
        ),
        (
            "[\n{\"action\":\"a\"},\n  7]",
            "Line 3, column 3 (event 2)",
            "not an object",
        ),
        (
            "{\"history\":[{\"action\":\"a\"},[[]]]}",
            "Line 1, column 29 (event 2)",
            "not an object",
        ),
        ("[]", "", "has no events"),
        ("{\"events\":[]}", "", "has no events"),
        ("{\"a\":1}", "", "no list of events"),
        ("{\"events\":{}}", "", "no list of events"),
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

const A: &str = r#"{"action":"a"}"#;
const B: &str = r#"{"observation":"b"}"#;
const C: &str = r#"{"kind":"C"}"#;

#[test]
fn events_one_after_the_other_are_one_trajectory() {
    for file in [
        format!("{A}\n{B}\n\n{C}\n"),
        format!("{A}{B} {C}"),
        format!("{A}\r\n{B}\r\n{C}\r\n"),
        format!("\u{feff}{A}\r\n \r\n{B}\r\n\u{feff}{C}"),
    ] {
        assert_eq!(read(&file).expect(&file), [A, B, C]);
    }
}

#[test]
fn what_the_command_line_prints_is_read_between_its_other_words() {
    let file = format!(
        "[notice] Hello\n--JSON Event--\n{A}\nAgent is working {{}}\n--JSON Event--\r\n{B}\nGoodbye --JSON Event--\n"
    );
    assert_eq!(read(&file).expect("it is a log"), [A, B]);
    let utf16: Vec<u8> = format!("\u{feff}{file}")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(all(utf16).expect("it is a log")[0].1, [A, B]);
    let cut = format!("--JSON Event--\n{A}\n--JSON Event--\n{{\"action\":");
    assert!(
        read(&cut).is_err_and(|error| error.contains("Line 4, column 10 (event 2)")),
        "{:?}",
        read(&cut)
    );
}

#[test]
fn pairs_are_read_in_their_order() {
    let file = format!(
        r#"{{"instance_id":"p","history":[[{A},{B}],[{C},null],[{A},{{"observation":"null"}}]]}}"#
    );
    let expected = [A, B, C, A, r#"{"observation":"null"}"#].map(str::to_owned);
    assert_eq!(
        all(file).expect("it is a record"),
        [("p".to_owned(), expected.into())]
    );
    assert_eq!(
        read(&format!("[[{A},{B}]]")).expect("they are pairs"),
        [A, B]
    );
}

#[test]
fn records_on_lines_and_in_a_list_are_trajectories_of_their_own() {
    let (one, two) = (
        format!(r#"{{"instance_id":"1","history":[{A}]}}"#),
        format!(r#"{{"history":[{B},{C}],"instance_id":7}}"#),
    );
    let expected = [
        ("1".to_owned(), vec![A.to_owned()]),
        ("7".to_owned(), vec![B.to_owned(), C.to_owned()]),
    ];
    for file in [
        format!("{one}\n{two}\n"),
        format!("[{one},{two}]"),
        format!("{{\"run\":1}}\n{one}\n{two}"),
    ] {
        let found = all(file.clone()).expect(&file);
        assert_eq!(found, expected, "{file}");
    }
    let failed =
        format!("{{\"instance_id\":\"0\",\"history\":null,\"error\":\"x\"}}\n{one}\n{two}");
    assert_eq!(all(failed).expect("two have events"), expected);
    let empty = format!("{{\"instance_id\":\"0\",\"history\":[]}}\n{one}\n[{C}]");
    let names: Vec<String> = all(empty)
        .expect("two have events")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["1", ""]);
}

#[test]
fn an_exported_archive_is_a_trajectory_with_its_title() {
    let app = [
        ("event_000001_b.json", B),
        ("meta.json", r#"{"id":"x","title":"A title"}"#),
        ("event_000000_a.json", A),
    ];
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let found = all(zipped(&app, method)).expect("it is an export");
        assert_eq!(
            found,
            [("A title".to_owned(), vec![A.to_owned(), B.to_owned()])]
        );
    }
    let agent = [
        ("c1/base_state.json", "{}"),
        ("c1/events/event-00001-b.json", B),
        ("c1/events/event-00000-a.json", A),
        ("c2/events/event-00000-c.json", C),
        ("__MACOSX/c2/events/._event-00000-c.json", "\u{0}"),
    ];
    let found = all(zipped(&agent, CompressionMethod::Stored)).expect("it is an export");
    let expected = [
        ("c1".to_owned(), vec![A.to_owned(), B.to_owned()]),
        ("c2".to_owned(), vec![C.to_owned()]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn an_archive_of_a_benchmark_and_packed_lines_are_read() {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, text) in [
        ("workspace/conversations/c1/base_state.json", "{}"),
        ("workspace/conversations/c1/events/event-00000-a.json", A),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        archive
            .append_data(&mut header, name, text.as_bytes())
            .expect("it is written to memory");
    }
    let plain = archive.into_inner().expect("it is written to memory");
    let found = all(gzipped(&plain)).expect("it is an archive");
    assert_eq!(
        found,
        [("workspace/conversations/c1".to_owned(), vec![A.to_owned()])]
    );
    let found = all(gzipped(format!("{A}\n{B}").as_bytes())).expect("they are lines");
    assert_eq!(found[0].1, [A, B]);
    let lines = format!(r#"{{"instance_id":"1","history":[{A}]}}"#);
    let found = all(zipped(
        &[("run/output.jsonl", &lines), ("run/metadata.json", "{}")],
        CompressionMethod::Stored,
    ));
    assert_eq!(
        found.expect("it is an evaluation"),
        [("1".to_owned(), vec![A.to_owned()])]
    );
}

#[test]
fn archives_of_other_packers_are_the_same_conversations() {
    let windows = [
        (r"run 1\c1\events\event-00001-b.json", B),
        (
            r"run 1\c1\events\event-00000-a.json",
            "\u{feff}{\"action\":\"a\"}\r\n",
        ),
        (r"run 1\c1\meta.json", "\u{feff}{\"title\":\"Größe\"}"),
        (r"run 1\c1\base_state.json", "{}"),
    ];
    let found = all(zipped(&windows, CompressionMethod::Deflated)).expect("it is an export");
    let expected = [("Größe".to_owned(), vec![A.to_owned(), B.to_owned()])];
    assert_eq!(found, expected);
    let mut archive = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_ustar();
    header.set_size(A.len() as u64);
    let name = "c1/events/0.json";
    let added = archive.append_data(&mut header, name, A.as_bytes());
    added.expect("it is written to memory");
    let plain = archive.into_inner().expect("it is written to memory");
    assert_eq!(all(plain).expect("it is an archive")[0].1, [A]);
}

#[test]
fn a_trajectory_of_an_archive_that_ends_too_early_is_not_left_out() {
    let (one, cut) = (format!("[{B}]"), format!("[{A},{{\"action\":"));
    let files = [
        ("notes.json", "3"),
        ("one.json", one.as_str()),
        ("two.json", cut.as_str()),
    ];
    let error = all(zipped(&files, CompressionMethod::Stored)).expect_err("a part is missing");
    assert!(
        error.starts_with("two.json: Line 1") && error.contains("ends too early"),
        "{error}"
    );
    let found = all(zipped(&files[..2], CompressionMethod::Stored)).expect("one is whole");
    assert_eq!(found[0].1, [B]);
}

#[test]
fn a_broken_archive_is_told_with_its_file_and_an_endless_one_is_not_unpacked() {
    let broken = zipped(
        &[
            ("event_000000_a.json", A),
            ("event_000001_b.json", "{\n\"action\":"),
        ],
        CompressionMethod::Stored,
    );
    let error = all(broken).expect_err("it is broken");
    assert!(
        error.starts_with(
            "event_000001_b.json: Line 2, column 9 (event 2): the file ends too early."
        ),
        "{error}"
    );
    let error = all(zipped(
        &[("a.json", "{}"), ("b.txt", "x")],
        CompressionMethod::Stored,
    ))
    .expect_err("nothing is in it");
    assert!(error.contains("no list of events"), "{error}");
    let error =
        all(zipped(&[("b.txt", "x")], CompressionMethod::Stored)).expect_err("nothing is in it");
    assert!(error.contains("The archive has no events"), "{error}");
    let mut cut = zipped(&[("event_000000_a.json", A)], CompressionMethod::Stored).to_vec();
    cut.truncate(cut.len() - 10);
    assert!(all(cut).is_err_and(|error| error.contains("cannot be unpacked")));
    let endless = gzipped(&vec![b' '; (64 << 20) + 1]);
    assert!(endless.len() < 1 << 20);
    let error = all(endless).expect_err("it is too large");
    assert!(
        error.contains("more than 64 MB when it is unpacked") && error.ends_with('.'),
        "{error}"
    );
}

#[test]
fn what_python_writes_and_what_is_nested_deeply_is_read() {
    let deep = format!(
        "[{{\"action\":\"a\",\"args\":{}{}}}]",
        "[".repeat(9000),
        "]".repeat(9000)
    );
    assert!(read(&deep).is_ok());
    let read = read(r#"[{"action":"a\ud800","n":[NaN,-Infinity]}]"#).expect("Python writes this");
    assert_eq!(read, [r#"{"action":"a\ufffd","n":["NaN","-Infinity"]}"#]);
    assert!(all(&b"[{\"action\":\"\xff\"}]"[..]).is_ok());
}

#[test]
fn any_file_is_read_in_little_memory_for_its_length() {
    let text = format!("[{A},{B}]");
    let archive = zipped(
        &[("event_000000_a.json", A), ("meta.json", "{}")],
        CompressionMethod::Deflated,
    );
    let lines =
        format!("{{\"instance_id\":\"a\",\"history\":[[{A},{B}]]}}\n{{\"history\":[{A}]}}\n");
    let printed = format!("words\n--JSON Event--\n{A}\n--JSON Event--\n{B}\n");
    let corpus = [
        text.as_bytes(),
        &archive,
        &gzipped(lines.as_bytes()),
        lines.as_bytes(),
        printed.as_bytes(),
    ];
    let corpus = corpus.map(<[u8]>::to_vec);
    // A file may be unpacked to 64 MB, whatever its length.
    let most = |length| (160 << 20) + 100 * length;
    handrail_sim_os::fuzz("import", &corpus, most, |input| {
        if let Err(error) = trajectories(Bytes::copy_from_slice(input)) {
            assert!(error.ends_with('.'), "{error}");
        }
    });
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
        let _ = trajectories(file.into());
    }

    #[test]
    fn a_damaged_archive_is_read_or_refused_with_a_sentence(
        damage in proptest::collection::vec((0..400_usize, any::<u8>()), 0..6),
        is_tar in any::<bool>(),
    ) {
        let files = [("event_000000_a.json", A), ("event_000001_b.json", B)];
        let mut bytes = match is_tar {
            false => zipped(&files, CompressionMethod::Deflated).to_vec(),
            true => gzipped(format!("{A}\n{B}").as_bytes()).to_vec(),
        };
        for (at, byte) in damage {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        if let Err(error) = trajectories(bytes.into()) {
            prop_assert!(error.ends_with('.'), "{}", error);
        }
    }
}
