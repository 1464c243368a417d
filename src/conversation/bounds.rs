//! Limits on the size of a session, which is stored with every batch of events and sent to all followers at every
//! change.

use super::Session;

/// Limit for titles and other short texts, in bytes.
const WORDS: usize = 500;
/// Limit for longer texts, in bytes.
const SENTENCES: usize = 4000;
/// Limit for tasks and other lists, in entries.
const MOST: usize = 300;

impl Session {
    /// Cuts texts and lists to their limits.
    pub(super) fn keep_small(&mut self) {
        shorten(&mut self.title, WORDS);
        shorten(&mut self.reason, SENTENCES);
        if let Some(notice) = &mut self.notice {
            shorten(&mut notice.code, WORDS);
            shorten(&mut notice.text, SENTENCES);
        }
        self.tasks.truncate(MOST);
        for task in &mut self.tasks {
            shorten(&mut task.title, WORDS);
            shorten(&mut task.notes, WORDS);
        }
        self.about.truncate(MOST);
        self.about
            .iter_mut()
            .for_each(|about| shorten(about, WORDS));
        self.metrics.usages.truncate(MOST);
        for usage in &mut self.metrics.usages {
            shorten(&mut usage.name, WORDS);
            shorten(&mut usage.model, WORDS);
        }
        self.model.edit(|model| shorten(model, WORDS));
        self.analyzer.edit(|analyzer| shorten(analyzer, WORDS));
        self.goal.edit(|goal| {
            if let Some(goal) = goal {
                shorten(&mut goal.objective, SENTENCES);
                shorten(&mut goal.status, WORDS);
                shorten(&mut goal.missing, SENTENCES);
            }
        });
    }
}

fn shorten(text: &mut String, most: usize) {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
        // Frees the memory of the part that was cut off.
        text.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::{Notice, Task, Tone};

    #[test]
    fn a_session_stays_small_and_says_where_it_was_cut() {
        let long = "ä".repeat(1 << 20);
        let task = Task {
            title: long.clone(),
            notes: long.clone(),
            ..Task::default()
        };
        let mut session = Session {
            title: long.clone(),
            reason: long.clone(),
            notice: Some(Notice {
                tone: Tone::Bad,
                code: String::new(),
                text: long.clone(),
                remedy: None,
            }),
            tasks: vec![task; 400],
            about: vec![long; 400],
            ..Session::default()
        };
        session.keep_small();
        let size = serde_json::to_string(&session).expect("plain data").len();
        assert!(size < 512 << 10, "{size}");
        assert!(session.title.ends_with("ä…"));
        let before = session.clone();
        session.keep_small();
        assert_eq!(session.tasks.len(), before.tasks.len());
    }
}
