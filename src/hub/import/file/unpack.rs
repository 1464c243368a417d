//! Unpacks archives: the zip that OpenHands 1.x exports, and the tar of its benchmarks, gzipped or not.
//!
//! An archive is whatever its author made it: the unpacked size and the number of files are limited before they take memory.

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Most bytes of all files of an archive: as many as an import that is not packed.
const MOST_BYTES: usize = 64 << 20;
/// Most files of an archive: as many as events of an import, and those beside them.
const MOST_FILES: usize = 101_000;

/// A file of an archive.
pub(super) struct File {
    /// Its path in the archive.
    pub name: String,
    pub bytes: Bytes,
}

/// What a file is.
pub(super) enum Unpacked {
    /// A text, perhaps unpacked.
    Text(Bytes),
    /// An archive with these files.
    Archive(Vec<File>),
}

/// Unpacks a file if it is packed.
///
/// # Errors
/// What is wrong with the archive, as a part of a sentence.
pub(super) fn unpack(file: Bytes) -> Result<Unpacked, String> {
    if file.starts_with(b"PK\x03\x04") || file.starts_with(b"PK\x05\x06") {
        return unzip(file).map(Unpacked::Archive);
    }
    let mut room = MOST_BYTES;
    let plain = match file.starts_with(&[0x1f, 0x8b]) {
        true => read(MultiGzDecoder::new(Cursor::new(file)), &mut room)?,
        false => file,
    };
    if plain.get(257..262) == Some(b"ustar") {
        return untar(&plain).map(Unpacked::Archive);
    }
    Ok(Unpacked::Text(plain))
}

fn unzip(file: Bytes) -> Result<Vec<File>, String> {
    let is_entry = |bytes: &&[u8]| *bytes == b"PK\x01\x02";
    if file.windows(4).filter(is_entry).count() > MOST_FILES {
        return Err(too_many());
    }
    let mut archive = ZipArchive::new(Cursor::new(file)).map_err(|error| damaged(&error))?;
    let (mut files, mut room) = (Vec::new(), MOST_BYTES);
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).map_err(|error| damaged(&error))?;
        // Windows itself writes its own separators.
        let name = entry.name().replace('\\', "/");
        if is_wanted(&name) {
            let bytes = read(&mut entry, &mut room)?;
            files.push(File { name, bytes });
        }
    }
    Ok(files)
}

fn untar(plain: &Bytes) -> Result<Vec<File>, String> {
    let mut archive = tar::Archive::new(Cursor::new(plain.clone()));
    let mut files = Vec::new();
    for entry in archive.entries().map_err(|error| damaged(&error))? {
        let entry = entry.map_err(|error| damaged(&error))?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if !entry.header().entry_type().is_file() || !is_wanted(&name) {
            continue;
        }
        let start = usize::try_from(entry.raw_file_position()).unwrap_or(usize::MAX);
        let size = usize::try_from(entry.size()).unwrap_or(usize::MAX);
        let end = start.checked_add(size).filter(|end| *end <= plain.len());
        let end = end.ok_or_else(|| damaged(&"a file ends too early"))?;
        if files.len() == MOST_FILES {
            return Err(too_many());
        }
        let bytes = plain.slice(start..end);
        files.push(File { name, bytes });
    }
    Ok(files)
}

/// Whether a file may be a trajectory or a part of one. Hidden files are notes of the packing system.
fn is_wanted(name: &str) -> bool {
    let last = split(name).1.to_lowercase();
    let is_json = [".json", ".jsonl"].iter().any(|end| last.ends_with(end));
    is_json && !last.starts_with('.') && !name.starts_with("__MACOSX/")
}

/// Reads to the end, within the room that is left.
fn read(mut from: impl Read, room: &mut usize) -> Result<Bytes, String> {
    let mut bytes = Vec::new();
    let most = u64::try_from(*room).unwrap_or(u64::MAX).saturating_add(1);
    let read = from.by_ref().take(most).read_to_end(&mut bytes);
    read.map_err(|error| damaged(&error))?;
    *room = room.checked_sub(bytes.len()).ok_or_else(|| {
        format!(
            "the archive has more than {} MB when it is unpacked",
            MOST_BYTES >> 20
        )
    })?;
    bytes.shrink_to_fit();
    Ok(bytes.into())
}

fn damaged(error: &dyn std::fmt::Display) -> String {
    format!("the archive cannot be unpacked ({error})")
}

fn too_many() -> String {
    format!("the archive has more than {MOST_FILES} files")
}

/// A conversation in an archive: its events in order, each in a file of its own, and the file that describes it.
#[derive(Default)]
pub(super) struct Folder {
    pub events: Vec<File>,
    pub about: Option<Bytes>,
}

/// The files of an archive by the conversations that they belong to, and those that are neither events nor beside them.
///
/// An app server writes `meta.json` and `event_000000_<id>.json`, an agent-server `<id>/events/event-00000-<id>.json` beside
/// `<id>/base_state.json`, and 0.x keeps `<id>/events/0.json` beside `<id>/metadata.json`.
pub(super) fn folders(files: Vec<File>) -> (BTreeMap<String, Folder>, Vec<File>) {
    let mut folders: BTreeMap<String, Folder> = BTreeMap::new();
    let mut others = Vec::new();
    for file in files {
        let (folder, last) = split(&file.name);
        if is_event(last) {
            let folder = match folder.rsplit_once('/') {
                Some((outer, "events")) => outer,
                None if folder == "events" => "",
                _ => folder,
            };
            folders
                .entry(folder.to_owned())
                .or_default()
                .events
                .push(file);
        } else {
            others.push(file);
        }
    }
    for file in &others {
        let (folder, last) = split(&file.name);
        if ["meta.json", "metadata.json"].contains(&last)
            && let Some(known) = folders.get_mut(folder)
        {
            known.about = Some(file.bytes.clone());
        }
    }
    others.retain(|file| !is_beside_events(&file.name));
    for folder in folders.values_mut() {
        folder
            .events
            .sort_by_cached_key(|file| (number(&file.name), file.name.clone()));
    }
    (folders, others)
}

fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('/').unwrap_or(("", name))
}

fn is_event(name: &str) -> bool {
    let name = name.to_lowercase();
    let stem = name.strip_suffix(".json").unwrap_or_default();
    let is_named = stem.starts_with("event_") || stem.starts_with("event-");
    let is_digit = |letter: char| letter.is_ascii_digit();
    stem.contains(is_digit) && (is_named || stem.chars().all(is_digit))
}

/// Whether OpenHands writes a file beside events: what it says of a conversation, and copies of events.
fn is_beside_events(name: &str) -> bool {
    let (folder, last) = split(name);
    ["meta.json", "metadata.json", "base_state.json"].contains(&last)
        || split(folder).1 == "event_cache"
}

/// The first number in the name of a file: its length and its digits, by which numbers of any size are in order.
fn number(path: &str) -> (usize, String) {
    let name = split(path).1;
    let digits = name.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let digits = digits.split(|letter: char| !letter.is_ascii_digit()).next();
    let digits = digits.unwrap_or_default().trim_start_matches('0');
    (digits.len(), digits.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_ordered_by_their_numbers_and_grouped_by_conversation() {
        let files = [
            "a/events/10.json",
            "a/events/9.json",
            "b/event_000001_f0.json",
            "b/event_000000_ff.json",
            "b/meta.json",
            "events/event-00000-1.json",
            "a/event_cache/0-25.json",
            "b/notes.json",
            "c/EVENT_99999999999999999999999_A.JSON",
            "c/event_2_b.json",
        ];
        let file = |name: &str| File {
            name: name.to_owned(),
            bytes: Bytes::new(),
        };
        let (folders, others) = folders(files.map(file).into());
        let names: Vec<(&str, Vec<&str>, bool)> = folders
            .iter()
            .map(|(name, folder)| {
                (
                    name.as_str(),
                    folder
                        .events
                        .iter()
                        .map(|file| file.name.as_str())
                        .collect(),
                    folder.about.is_some(),
                )
            })
            .collect();
        assert_eq!(
            names,
            [
                ("", vec!["events/event-00000-1.json"], false),
                ("a", vec!["a/events/9.json", "a/events/10.json"], false),
                (
                    "b",
                    vec!["b/event_000000_ff.json", "b/event_000001_f0.json"],
                    true
                ),
                (
                    "c",
                    vec!["c/event_2_b.json", "c/EVENT_99999999999999999999999_A.JSON"],
                    false
                ),
            ]
        );
        let others: Vec<&str> = others.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(others, ["b/notes.json"]);
    }
}
