//! Exports of a conversation: all events as JSON, the timeline as Markdown, or as a page that replays it.
//!
//! All are streamed, so only one page is in memory, and few pages at a time are read, so that watchers do not wait.
//! Secrets are masked in the JSON of the events, before anything is made of it.

mod line;

pub use crate::render::Masker;
pub use line::event_in_words;

use super::markdown::markdown;
use super::view::title;
use super::{BackendRegistry, HubResult, compute, known, permit};
use crate::clock::now;
use crate::journal::{Edit, Journal};
use crate::live::{ExportView, SecretKind, SecretView, Secrets};
use crate::render::{Document, start_of};
use bytes::Bytes;
use futures_util::Stream;
use jiff::Timestamp;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Semaphore;

const PAGE: u32 = 100;
/// Rows of a page of HTML that are written at a time: each row may take a megabyte, and more with its pictures.
const ROWS: usize = 8;
/// Pages of exports that are rendered at a time, over all users.
pub(super) const PAGES_AT_ONCE: usize = 2;

/// What a Markdown file says about masking, as the page and the HTML file do.
const MASKED: &str = "\n*Secrets of known kinds are masked; others may remain.*\n";

/// Longest title in the name of a file, in characters.
const NAME: usize = 80;

/// Bytes of events that are searched for secrets to show them before an export.
const MOST_SEARCHED: usize = 32 << 20;
/// Most different secrets that are shown.
const MOST_SHOWN: usize = 100;

/// The name of a file, without its ending: of the title the letters, digits and a few signs, then the date (UTC).
fn file_name(title: &str, id: &str, at: i64) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || " -_.".contains(letter);
    let plain = |letter| if is_plain(letter) { letter } else { ' ' };
    let plain: String = title.chars().map(plain).take(NAME).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let name = words.join(" ");
    let name = name.trim_matches(['.', ' ']);
    let name = if name.is_empty() { id } else { name };
    match Timestamp::from_millisecond(at) {
        Ok(time) => format!("{name} {}", time.strftime("%Y-%m-%d")),
        Err(_) => name.to_owned(),
    }
}

/// What leaves a conversation as a file, and what its model received.
#[derive(Clone)]
pub struct Exports {
    pub(super) journal: Journal,
    pub(super) backends: Arc<BackendRegistry>,
    /// Limits how many pages of exports are made at a time.
    pub(super) making: Arc<Semaphore>,
}

impl Exports {
    /// The name of a file with this conversation, without its ending.
    pub async fn file_name(&self, id: &str, secrets: Secrets) -> HubResult<String> {
        Ok(file_name(&self.title_for(id, secrets).await?, id, now()))
    }

    /// All events as JSON, as they were kept, but for masked secrets.
    pub async fn trajectory(
        &self,
        id: &str,
        secrets: Secrets,
    ) -> HubResult<impl Stream<Item = HubResult<Bytes>> + Send + use<>> {
        known(&self.journal, id).await?;
        let (own, id, masker) = (self.clone(), id.to_owned(), self.masker_for(secrets));
        Ok(async_stream::try_stream! {
            yield Bytes::from_static(b"[");
            let mut after = 0;
            loop {
                let making = permit(&own.making).await;
                let events = own.journal.raw_events(&id, after).await?;
                let Some(last) = events.last() else { break };
                let (is_first, last, masker) = (after == 0, last.seq, masker.clone());
                let text = compute(move || {
                    let mut text = String::new();
                    for (at, event) in events.into_iter().enumerate() {
                        text.push_str(if is_first && at == 0 { "\n" } else { ",\n" });
                        let masked = masker.as_ref().and_then(|masker| masker.event(&event.raw, |_, _| ()));
                        text.push_str(masked.as_deref().unwrap_or(&event.raw));
                    }
                    text
                });
                let text = text.await?;
                drop(making);
                after = last;
                yield Bytes::from(text);
            }
            yield Bytes::from_static(b"\n]\n");
        })
    }

    /// The timeline as Markdown.
    pub async fn markdown(
        &self,
        id: &str,
        secrets: Secrets,
    ) -> HubResult<impl Stream<Item = HubResult<Bytes>> + Send + use<>> {
        let title = self.title_for(id, secrets).await?;
        let (own, id, edit) = (self.clone(), id.to_owned(), edit(self.masker_for(secrets)));
        Ok(async_stream::try_stream! {
            yield Bytes::from(format!("# {title}\n"));
            if secrets == Secrets::Mask {
                yield Bytes::from_static(MASKED.as_bytes());
            }
            let mut after = (i64::MIN, i64::MIN);
            loop {
                let making = permit(&own.making).await;
                let rows = own.journal.rows_after(&id, after, PAGE, edit.clone()).await?;
                let Some(last) = rows.last() else { break };
                after = (last.pos, last.id);
                let text = compute(move || markdown(&rows)).await?;
                drop(making);
                yield Bytes::from(text);
            }
        })
    }

    /// The timeline as one HTML file that needs no server.
    pub async fn html(
        &self,
        id: &str,
        secrets: Secrets,
    ) -> HubResult<impl Stream<Item = HubResult<Bytes>> + Send + use<>> {
        let title = self.title_for(id, secrets).await?;
        let (own, id, edit) = (self.clone(), id.to_owned(), edit(self.masker_for(secrets)));
        Ok(async_stream::try_stream! {
            let mut document = Document::new(now());
            yield Bytes::from(document.head(&title, secrets == Secrets::Mask));
            let mut after = (i64::MIN, i64::MIN);
            loop {
                let making = permit(&own.making).await;
                let rows = own.journal.rows_after(&id, after, PAGE, edit.clone()).await?;
                drop(making);
                let Some(last) = rows.last() else { break };
                after = (last.pos, last.id);
                let mut rows = rows.into_iter().peekable();
                while rows.peek().is_some() {
                    let making = permit(&own.making).await;
                    let some: Vec<_> = rows.by_ref().take(ROWS).collect();
                    let written = compute(move || {
                        let html = document.rows(&some);
                        (document, html)
                    });
                    let (back, html) = written.await?;
                    // Invariant: no permit is held while the client reads.
                    drop(making);
                    document = back;
                    yield Bytes::from(html);
                }
            }
            yield Bytes::from(document.end());
        })
    }

    /// The secrets that an export masks.
    pub async fn view(&self, id: &str) -> HubResult<ExportView> {
        let title = self.title_for(id, Secrets::Mask).await?;
        let mut search = Search::default();
        let (mut after, mut searched) = (0, 0);
        let masker = Arc::new(self.masker());
        loop {
            let _making = permit(&self.making).await;
            let events = self.journal.raw_events(id, after).await?;
            let Some(last) = events.last() else {
                break;
            };
            after = last.seq;
            searched += events.iter().map(|event| event.raw.len()).sum::<usize>();
            let masker = Arc::clone(&masker);
            search = compute(move || {
                for event in &events {
                    let _ = masker.event(&event.raw, |kind, secret| {
                        search.take(kind, secret, event.row)
                    });
                }
                search
            })
            .await?;
            search.is_cut |= searched >= MOST_SEARCHED;
            if search.is_cut {
                break;
            }
        }
        Ok(ExportView {
            title,
            secrets: search.shown,
            whole: !search.is_cut,
        })
    }

    /// Masks secrets, and the keys of the backends in use.
    pub fn masker(&self) -> Masker {
        let targets = self.backends.targets().into_iter();
        Masker::new(targets.filter_map(|target| target.key))
    }

    fn masker_for(&self, secrets: Secrets) -> Option<Arc<Masker>> {
        (secrets == Secrets::Mask).then(|| Arc::new(self.masker()))
    }

    /// The title for an export.
    pub(super) async fn title_for(&self, id: &str, secrets: Secrets) -> HubResult<String> {
        let known = known(&self.journal, id).await?;
        let title = title(&known.session.title, &known.meta.title);
        Ok(match (title.is_empty(), self.masker_for(secrets)) {
            (true, _) => "Conversation".to_owned(),
            (false, Some(masker)) => masker.text(&title).into_owned(),
            (false, None) => title,
        })
    }
}

/// Masks events before they are folded into rows.
fn edit(masker: Option<Arc<Masker>>) -> Option<Arc<Edit>> {
    let masker = masker?;
    Some(Arc::new(move |raw: &str| masker.event(raw, |_, _| ())))
}

/// The different secrets of a log.
#[derive(Default)]
struct Search {
    shown: Vec<SecretView>,
    /// Where each secret is in `shown`.
    places: HashMap<String, usize>,
    /// Not everything was searched, or not everything is shown.
    is_cut: bool,
}

impl Search {
    fn take(&mut self, kind: SecretKind, secret: &str, row: Option<(i64, i64)>) {
        if let Some(known) = self.places.get(secret) {
            let known = &mut self.shown[*known];
            known.count += 1;
            known.row = known.row.or(row);
        } else if self.shown.len() < MOST_SHOWN {
            self.places.insert(secret.to_owned(), self.shown.len());
            self.shown.push(SecretView {
                kind,
                start: start_of(secret),
                count: 1,
                row,
            });
        } else {
            self.is_cut = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_the_title_and_the_day() {
        let at = 1_763_694_245_678;
        for (title, name) in [
            (
                "Fix the *tally* in src/a.py",
                "Fix the tally in src a.py 2025-11-21",
            ),
            ("../../etc\u{202e}\r\n", "etc 2025-11-21"),
            ("Größe 😀", "Größe 2025-11-21"),
            ("", "c0ffee 2025-11-21"),
        ] {
            assert_eq!(file_name(title, "c0ffee", at), name);
        }
    }
}
