//! Attachments of a message: images as `data:` URLs, other files in the workspace.

use crate::api::{ApiError, read};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{File, FileReader, FormData, ProgressEvent, XmlHttpRequest};

/// An attachment of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Attachment {
    /// Its id on this page.
    pub number: usize,
    /// Name of the file.
    pub name: String,
    /// The image as a `data:` URL; `None` for a file in the workspace.
    pub image: Option<String>,
    /// Size in bytes as sent: an image's `data:` URL is longer than its file.
    pub size: usize,
    /// Progress of its upload.
    pub progress: Progress,
}

/// Progress of an upload.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    /// Percentage sent.
    Going(u8),
    /// Uploaded, to this path.
    There(String),
    /// Failed, with the reason.
    Failed(String),
}

/// Reads an image; `None` if the browser cannot.
pub fn read_as_data_url(file: &File, done: impl FnOnce(Option<String>) + 'static) {
    let Ok(reader) = FileReader::new() else {
        return done(None);
    };
    let this = reader.clone();
    let loaded = Closure::once_into_js(move || {
        done(this.result().ok().and_then(|result| result.as_string()));
    });
    reader.set_onloadend(Some(loaded.unchecked_ref()));
    let _ = reader.read_as_data_url(file);
}

/// Uploads a file to `url`. `report` receives the progress, and finally success or failure.
///
/// `fetch` does not report the progress of an upload; `XMLHttpRequest` does.
pub fn upload(url: &str, file: &File, report: impl Fn(Progress) + Clone + 'static) {
    if begin(url, file, report.clone()).is_err() {
        report(Progress::Failed(
            "The browser could not upload the file.".to_owned(),
        ));
    }
}

fn begin(
    url: &str,
    file: &File,
    report: impl Fn(Progress) + Clone + 'static,
) -> Result<(), JsValue> {
    let form = FormData::new()?;
    form.append_with_blob_and_filename("files", file, &file.name())?;
    let request = XmlHttpRequest::new()?;
    request.open("POST", url)?;

    let going = report.clone();
    let progress = Closure::<dyn FnMut(ProgressEvent)>::new(move |event: ProgressEvent| {
        if event.total() > 0.0 {
            // The last percent is left for the server's processing.
            going(Progress::Going(
                (event.loaded() / event.total() * 99.0) as u8,
            ));
        }
    });
    request
        .upload()?
        .set_onprogress(Some(progress.as_ref().unchecked_ref()));

    let this = request.clone();
    let ended = Closure::once_into_js(move || {
        drop(progress);
        report(outcome(&this));
    });
    request.set_onloadend(Some(ended.unchecked_ref()));
    request.send_with_opt_form_data(Some(&form))
}

fn outcome(request: &XmlHttpRequest) -> Progress {
    let status = request.status().unwrap_or(0);
    let text = request.response_text().ok().flatten().unwrap_or_default();
    if status == 0 {
        return Progress::Failed("The connection was lost.".to_owned());
    }
    // The server returns the names, or an `ApiError`.
    if let Some(name) = read::<Vec<String>>(&text)
        .ok()
        .and_then(|names| names.into_iter().next())
    {
        return Progress::There(name);
    }
    Progress::Failed(match read::<ApiError>(&text) {
        Ok(error) => error.text,
        Err(_) => format!("The upload failed with status {status}."),
    })
}
