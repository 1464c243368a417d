//! The notice above the timeline: a current failure, or what the server is busy with.
//!
//! A failure is reported up to three times, in any order: by a frame without id, by a status with its reason, and by
//! more frames while it lasts. All reports become one row and one notice, until the next ordinary event.

use super::fingerprint::fingerprint;
use super::session::Trouble;
use super::{Body, LogItem, Notice, Session, Status, Tone};

/// Maximum number of different reports of one failure per row: the session must stay small.
const TROUBLES: usize = 16;

impl Session {
    /// Sets the notice for failures and server messages, and clears it at the next ordinary event.
    pub(super) fn take_notice(&mut self, item: &LogItem, row: Option<i64>, is_newest: bool) {
        let notice = |tone, (code, text): (String, String)| {
            Some(Notice {
                tone,
                code,
                text,
                remedy: None,
            })
        };
        match &item.body {
            Body::Progress { code, text } => {
                let is_up = code.ends_with("$READY") || code.ends_with("$RUNTIME_STARTED");
                self.notice = if is_up {
                    None
                } else {
                    notice(Tone::Info, (code.clone(), text.clone()))
                };
            }
            // A failure with an event and row of its own follows a status that said only "error".
            Body::RunError { code, text, remedy }
                if item.key.is_none() || (remedy.is_some() && is_newest) =>
            {
                if item.key.is_none() {
                    self.remember_trouble(item, row);
                }
                self.notice = Some(Notice {
                    tone: Tone::Bad,
                    code: code.clone(),
                    text: text.clone(),
                    remedy: *remedy,
                });
            }
            Body::Status {
                status: Status::Error,
                ..
            } if is_newest => {
                self.remember_trouble(item, row);
                // An earlier frame reports the same failure with more detail.
                if self
                    .notice
                    .as_ref()
                    .is_none_or(|notice| notice.tone != Tone::Bad)
                {
                    self.notice =
                        words_of_trouble(&item.body).and_then(|words| notice(Tone::Bad, words));
                }
            }
            Body::Title(_) | Body::State(_) => {}
            _ if is_newest => {
                self.notice = None;
                self.trouble = None;
            }
            _ => {}
        }
    }

    fn remember_trouble(&mut self, item: &LogItem, row: Option<i64>) {
        let (Some(row), Some(words)) = (row, words_of_trouble(&item.body)) else {
            return;
        };
        let same_row = self.trouble.take_if(|trouble| trouble.row == row);
        let mut trouble = same_row.unwrap_or_else(|| Trouble {
            row,
            said: Vec::new(),
        });
        trouble.said.push(fingerprint(&words));
        self.trouble = Some(trouble);
    }
}

impl Trouble {
    /// Whether this report is already included.
    pub(super) fn says(&self, body: &Body) -> bool {
        words_of_trouble(body).is_some_and(|words| self.said.contains(&fingerprint(&words)))
    }

    /// Whether the next report needs a new row.
    pub(super) fn is_full(&self) -> bool {
        self.said.len() >= TROUBLES
    }
}

/// Code and text of a failure. The reason of a status is one of the two.
pub(super) fn words_of_trouble(body: &Body) -> Option<(String, String)> {
    match body {
        Body::RunError { code, text, .. } => Some((code.clone(), text.clone())),
        Body::Status { reason, .. } => {
            let is_code = reason.contains('$') && !reason.contains(char::is_whitespace);
            Some(if is_code {
                (reason.clone(), String::new())
            } else {
                (String::new(), reason.clone())
            })
        }
        _ => None,
    }
}
