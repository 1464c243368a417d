//! Attachments of a message: images are sent inside the message, other files are uploaded to the workspace.
//!
//! OpenHands accepts messages of at most 3 MiB, images included. A larger selection is refused when it is made, not
//! when the message is sent.

use super::text;
use crate::store::{Attachment, Progress, link, read_as_data_url, upload, use_conversation};
use crate::ui::parts::{self, varying};
use leptos::prelude::*;
use web_sys::{DataTransfer, File, FileList};

/// Maximum size of all images together, in bytes as sent.
const LIMIT: usize = 3 * 1024 * 1024;

/// The attachments of the message in the composer.
#[derive(Clone, Copy)]
pub(super) struct Attachments {
    list: RwSignal<Vec<Attachment>>,
    next: RwSignal<usize>,
    /// Why a file was refused.
    pub(super) refused: RwSignal<Option<String>>,
    upload_address: StoredValue<String>,
}

impl Attachments {
    pub(super) fn new() -> Self {
        let address = link(&format!("c/{}/upload", use_conversation().id()));
        Self {
            list: RwSignal::new(Vec::new()),
            next: RwSignal::new(0),
            refused: RwSignal::new(None),
            upload_address: StoredValue::new(address),
        }
    }

    /// Adds the files of the file picker.
    pub(super) fn take(self, files: Option<FileList>) {
        self.refused.set(None);
        let files = files
            .into_iter()
            .flat_map(|files| (0..files.length()).filter_map(move |at| files.get(at)));
        for file in files {
            self.add(file);
        }
    }

    /// Adds dropped or pasted files; returns `false` if there were none.
    pub(super) fn take_data(self, data: Option<DataTransfer>) -> bool {
        let files = data
            .and_then(|data| data.files())
            .filter(|files| files.length() > 0);
        let any = files.is_some();
        if any {
            self.take(files);
        }
        any
    }

    fn add(self, file: File) {
        let number = self.next.get_untracked();
        self.next.set(number + 1);
        let name = file.name();
        if !file.type_().starts_with("image/") {
            self.push(number, name, Progress::Going(0));
            let address = self.upload_address.get_value();
            upload(&address, &file, move |progress| {
                self.change(number, |file| file.progress = progress)
            });
            return;
        }
        self.push(number, name.clone(), Progress::Going(0));
        read_as_data_url(&file, move |url| {
            let Some(url) = url else {
                return self.refuse(number, text::unreadable(name));
            };
            if self.image_bytes() + url.len() > LIMIT {
                return self.refuse(number, text::too_large(name));
            }
            self.change(number, |file| {
                file.size = url.len();
                file.image = Some(url);
                file.progress = Progress::There(name);
            });
        });
    }

    fn push(self, number: usize, name: String, progress: Progress) {
        let attachment = Attachment {
            number,
            name,
            image: None,
            size: 0,
            progress,
        };
        self.list.update(|list| list.push(attachment));
    }

    fn change(self, number: usize, change: impl FnOnce(&mut Attachment)) {
        // The page may have been closed before the upload ends.
        let _ = self.list.try_update(|list| {
            if let Some(file) = list.iter_mut().find(|file| file.number == number) {
                change(file);
            }
        });
    }

    fn refuse(self, number: usize, why: String) {
        self.remove(number);
        self.refused.set(Some(why));
    }

    fn remove(self, number: usize) {
        self.list
            .update(|list| list.retain(|file| file.number != number));
    }

    fn image_bytes(self) -> usize {
        self.list
            .read_untracked()
            .iter()
            .map(|file| file.size)
            .sum()
    }

    /// Whether an upload is still in progress.
    pub(super) fn going(self) -> bool {
        self.list
            .read()
            .iter()
            .any(|file| matches!(file.progress, Progress::Going(_)))
    }

    pub(super) fn is_empty(self) -> bool {
        self.list.read().is_empty()
    }

    /// The images, and the names of the uploaded files.
    pub(super) fn to_send(self) -> (Vec<String>, Vec<String>) {
        let list = self.list.read_untracked();
        let images = list.iter().filter_map(|file| file.image.clone()).collect();
        let files = list
            .iter()
            .filter(|file| file.image.is_none())
            .filter_map(|file| match &file.progress {
                Progress::There(name) => Some(name.clone()),
                _ => None,
            });
        (images, files.collect())
    }

    /// Clears the list after the message was sent.
    pub(super) fn clear(self) {
        self.list.set(Vec::new());
        self.refused.set(None);
    }
}

/// The list of attachments, each with its progress and a button to remove it.
#[component]
pub(super) fn AttachmentList(attachments: Attachments) -> impl IntoView {
    any_view! {
        {varying(move || {
            (!attachments.is_empty())
                .then(|| {
                    let files = attachments.list.get().into_iter();
                    view! {
                        <ul class="composer__files" aria-label=text::attachments()>
                            {files.map(|file| view! { <AttachmentView file attachments /> }).collect_view()}
                        </ul>
                    }
                })
        })}
        {varying(move || {
            attachments.refused.get().map(|why| view! { <p class="field__error" role="alert">{why}</p> })
        })}
    }
}

/// The upload progress of a file; nothing once the upload is complete.
pub fn how_far(name: &str, progress: Progress) -> AnyView {
    match progress {
        Progress::Going(percent) => {
            let label = text::uploading(name);
            any_view! { <progress class="progress" max="100" value=percent.to_string() aria-label=label></progress> }
        }
        Progress::Failed(why) => {
            any_view! { <span class="field__error" role="alert">{why}</span> }
        }
        Progress::There(_) => ().into_any(),
    }
}

#[component]
fn AttachmentView(file: Attachment, attachments: Attachments) -> impl IntoView {
    let Attachment {
        number,
        name,
        image,
        progress,
        ..
    } = file;
    let label = parts::text::remove_named(&name);
    let thumb = image.map(|url| view! { <img class="composer__thumb" src=url alt="" /> });
    let progress = how_far(&name, progress);
    any_view! {
        <li class="chip">
            {thumb}
            <span class="truncate">{name}</span>
            {progress}
            <button
                type="button"
                class="chip__remove"
                aria-label=label
                on:click=move |_| attachments.remove(number)
            >
                "×"
            </button>
        </li>
    }
}
