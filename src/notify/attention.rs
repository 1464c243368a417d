//! Whether a person looks at Handrail now: each page reports input while it has the focus.

use super::Notifier;
use crate::sync::lock;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The pages with the focus, each with its person and the time of the last input.
#[derive(Default)]
pub(super) struct Attention(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    next: u64,
    focused: HashMap<u64, (i64, Instant)>,
}

impl Attention {
    /// Whether a person had input within this time, in a page that has the focus still.
    pub(super) fn is_present(&self, person: i64, within: Duration) -> bool {
        let pages = lock(&self.0);
        let mut own = pages.focused.values().filter(|(whose, _)| *whose == person);
        own.any(|(_, at)| at.elapsed() < within)
    }
}

/// An open page of a person. When it is dropped, the page is closed.
pub struct Tab {
    notifier: Notifier,
    number: u64,
    person: i64,
}

impl Tab {
    pub(super) fn new(notifier: Notifier, person: i64) -> Self {
        let number = {
            let mut pages = lock(&notifier.0.attention.0);
            pages.next += 1;
            pages.next
        };
        Self {
            notifier,
            number,
            person,
        }
    }

    /// The page has the focus and just had input, or lost the focus.
    pub fn attends(&self, here: bool) {
        let mut pages = lock(&self.notifier.0.attention.0);
        match here {
            true => pages
                .focused
                .insert(self.number, (self.person, Instant::now())),
            false => pages.focused.remove(&self.number),
        };
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        self.attends(false);
    }
}
