//! The notice above the timeline: a current failure, or what the server is busy with.
//!
//! A failure is reported up to three times, in any order: by a frame without id, by a status with its reason, and by
//! more frames while it lasts. All its reports become one row and one notice, until the next ordinary event. Another
//! failure has a row and a notice of its own.

use super::fingerprint::fingerprint;
use super::session::Trouble;
use super::{Body, LogItem, Notice, Session, Status, Tone};

/// Maximum number of different reports of one failure per row: the session must stay small.
const TROUBLES: usize = 16;
/// How much of a failure's text is compared, in bytes.
const COMPARED: usize = 1000;
/// Code of Handrail's own report that a sandbox no longer exists, although its agent was at work.
pub const SANDBOX_GONE: &str = "SandboxGone";
/// Code of Handrail's own report that a sandbox has not started for minutes.
pub const SANDBOX_NOT_STARTED: &str = "SandboxNotStarted";

/// Code of 0.x's report that a conversation was stopped to make room for another one.
pub const TOO_MANY_CONVERSATIONS: &str = "AGENT_ERROR$TOO_MANY_CONVERSATIONS";

/// The code of a failure that says nothing more than that.
const GENERAL: &str = "STATUS$ERROR";

/// The status of an agent whose sandbox has ended, by the code of the report about that.
pub(super) fn end_of_sandbox(code: &str) -> Option<Status> {
    match code {
        SANDBOX_GONE => Some(Status::Stopped),
        SANDBOX_NOT_STARTED => Some(Status::Error),
        _ => None,
    }
}

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
                let is_other = self.trouble.as_ref().map(|trouble| trouble.row) != row;
                self.remember_trouble(item, row);
                // An earlier frame reports the same failure with more detail.
                if (is_other && row.is_some())
                    || self
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
            code: String::new(),
            text: String::new(),
        });
        trouble.said.push(fingerprint(&words));
        let (code, text) = words;
        if is_general(&trouble.code) && !code.is_empty() {
            trouble.code = beginning(&code).to_owned();
        }
        if trouble.text.is_empty() {
            trouble.text = beginning(&text).to_owned();
        }
        self.trouble = Some(trouble);
    }
}

impl Trouble {
    /// Whether this report is already included.
    pub(super) fn says(&self, body: &Body) -> bool {
        words_of_trouble(body).is_some_and(|words| self.said.contains(&fingerprint(&words)))
    }

    /// Whether a report is about this failure: by its code, or by its text if one of the two has no code of its own.
    pub(super) fn is_told_by(&self, body: &Body) -> bool {
        let Some((code, text)) = words_of_trouble(body) else {
            return false;
        };
        let (code, text) = (beginning(&code), beginning(&text));
        let is_same_text = self.text.contains(text) || text.contains(&self.text);
        match (is_general(&self.code), is_general(code)) {
            (false, false) => self.code == code,
            (true, true) => is_same_text,
            (true, false) | (false, true) => {
                is_same_text && !text.is_empty() && !self.text.is_empty()
            }
        }
    }

    /// Whether the next report needs a new row.
    pub(super) fn is_full(&self) -> bool {
        self.said.len() >= TROUBLES
    }
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(COMPARED)]
}

/// Whether a code does not tell one failure from another.
pub(super) fn is_general(code: &str) -> bool {
    code.is_empty() || code == GENERAL
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

/// Code and distinct texts of a failure, each once.
///
/// Older versions put different failures into one row. Then no code is its title, and all are among its texts.
pub(super) fn trouble<'b>(bodies: impl Iterator<Item = &'b Body>) -> (String, String) {
    let said: Vec<(String, String)> = bodies.filter_map(words_of_trouble).collect();
    let (mut codes, mut texts) = (Vec::new(), Vec::new());
    for (code, _) in &said {
        if !code.is_empty() && !codes.contains(code) {
            codes.push(code.clone());
        }
    }
    let own = codes.iter().filter(|code| !is_general(code)).count();
    for (code, text) in said {
        let code = Some(code).filter(|code| own > 1 && !is_general(code));
        for text in code.into_iter().chain([text]) {
            if !text.is_empty() && !texts.contains(&text) {
                texts.push(text);
            }
        }
    }
    let title = match own {
        0 => codes.into_iter().next(),
        1 => codes.into_iter().find(|code| !is_general(code)),
        _ => None,
    };
    (title.unwrap_or_default(), texts.join("\n"))
}
