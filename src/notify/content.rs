//! What a notification says, and its form for each kind of channel.

use super::text;
use crate::conversation::Risk;
use crate::hub::{Masker, OpenApproval};
use crate::journal::digest;
use crate::live::{Choices, Occasion};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Longest title, in characters.
const TITLE: usize = 100;
/// Longest excerpt of a command or message, in characters. With both, and escaped, a message stays below the 3,993
/// bytes that push services accept.
const EXCERPT: usize = 200;

/// The content of a notification.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Content {
    /// Title of the conversation.
    pub title: String,
    /// What has happened; `None` if an approval is not needed any more.
    pub occasion: Option<Occasion>,
    /// Risk of the pending actions.
    pub risk: Option<Risk>,
    /// The command or message; empty unless the person wants it shown.
    pub excerpt: String,
    /// Whether the person may reject from the notification.
    pub rejects: bool,
    /// Whether the person may approve from the notification.
    pub approves: bool,
    /// Conversations that need the person's approval.
    pub waiting: usize,
    /// Whether it was passed to the person, as a deputy.
    #[serde(default)]
    pub passed: bool,
}

impl Content {
    /// Text without control characters, on one line and of bounded length.
    pub fn plain(text: &str, most: usize) -> String {
        let visible = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        let text: String = visible.take(most + 1).collect();
        match text.chars().count() > most {
            true => format!("{}…", text.chars().take(most - 1).collect::<String>()),
            false => text,
        }
    }

    /// Sets title and excerpt, without secrets and within their bounds: others carry them, and a locked screen shows them.
    pub fn of(mut self, masker: &Masker, title: &str, excerpt: &str) -> Self {
        self.title = match title.trim() {
            "" => text::untitled().to_owned(),
            title => Self::plain(&masker.text(title), TITLE),
        };
        self.excerpt = Self::plain(&masker.text(excerpt), EXCERPT);
        self
    }

    /// Whether approval from a notification is offered.
    pub fn may_approve(choices: &Choices, asked: &OpenApproval, answers: bool) -> bool {
        answers && choices.approves && asked.risk == Risk::Low && !asked.touch
    }

    /// The text below the title.
    pub fn text(&self) -> String {
        let what = self
            .occasion
            .map_or(text::settled(), |occasion| match occasion {
                Occasion::NeedsApproval if self.passed => text::passed_to_you(),
                Occasion::NeedsApproval => text::needs_approval(),
                Occasion::YourTurn => text::your_turn(),
                Occasion::Finished => text::finished(),
                Occasion::Failed => text::failed(),
                Occasion::Stuck => text::stuck(),
            });
        let risk = self.risk.map(|risk| match risk {
            Risk::Low => text::risk_low(),
            Risk::Medium => text::risk_medium(),
            Risk::High => text::risk_high(),
            Risk::Unknown => text::risk_unknown(),
        });
        let mut text = what.to_owned();
        if let Some(risk) = risk {
            text = format!("{text} · {risk}");
        }
        match self.excerpt.is_empty() {
            true => text,
            false => format!("{text}\n{}", self.excerpt),
        }
    }

    /// A declarative push message, which browsers that know this form show by themselves. `data` is for our worker.
    pub fn push(&self, page: &str, tag: &str, data: &Value) -> Value {
        let action = |action: &str, title: &str| json!({ "action": action, "title": title, "navigate": page });
        let mut actions = Vec::new();
        if self.approves {
            actions.push(action("approve", text::approve()));
        }
        if self.rejects {
            actions.push(action("reject", text::reject()));
        }
        if self.occasion.is_some() && actions.len() < 2 {
            actions.push(action("open", text::open()));
        }
        json!({
            "web_push": 8030,
            "notification": {
                "title": self.title,
                "body": self.text(),
                "navigate": page,
                "tag": tag,
                "lang": "en",
                "dir": "auto",
                "silent": self.occasion.is_none(),
                "actions": actions,
                "data": data,
            },
            "app_badge": self.waiting.to_string(),
            "mutable": true,
        })
    }

    /// A message to an ntfy server.
    pub fn ntfy(&self, topic: &str, page: &str) -> Value {
        let is_urgent = self.occasion == Some(Occasion::NeedsApproval);
        json!({
            "topic": topic,
            "title": self.title,
            "message": self.text(),
            "click": page,
            "priority": if is_urgent { 4 } else { 3 },
            "actions": [{ "action": "view", "label": text::open(), "url": page }],
        })
    }

    /// The body of a webhook's request.
    pub fn webhook(&self, (seq, made_at): (i64, i64), conversation: &str, page: &str) -> Value {
        json!({
            "seq": seq,
            "at": made_at,
            "occasion": self.occasion.map_or("approval_settled", Occasion::word),
            "conversation": { "id": conversation, "title": self.title, "url": page },
            "risk": self.risk,
            "text": self.excerpt,
        })
    }
}

/// The topic (RFC 8030, section 5.4) of a conversation's notifications: a newer one replaces an undelivered one.
pub fn topic(conversation: &str) -> String {
    let hash = digest(conversation.as_bytes(), &[]);
    hash.chars().take(32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> Content {
        Content {
            title: String::new(),
            occasion: Some(Occasion::NeedsApproval),
            risk: Some(Risk::High),
            excerpt: String::new(),
            rejects: true,
            approves: true,
            waiting: 3,
            passed: false,
        }
    }

    #[test]
    fn the_largest_notification_fits_into_a_push_message() {
        let hostile = "\u{1f9e8}\"\\\u{0}\u{7}\n".repeat(1 << 16);
        let content = content().of(&Masker::default(), &hostile, &hostile);
        assert!(!content.title.contains(char::is_control));
        let page = format!(
            "https://{}.example.org/base/c/{}",
            "x".repeat(200),
            "c".repeat(64)
        );
        let data =
            json!({ "conversation": "c".repeat(64), "token": "t".repeat(64), "channel": i64::MAX });
        let message = content.push(&page, &"c".repeat(64), &data).to_string();
        assert!(message.len() < 3_993, "{}", message.len());
    }

    #[test]
    fn a_lock_screen_shows_title_and_risk_and_the_command_only_on_wish() {
        let of = |title, excerpt| content().of(&Masker::default(), title, excerpt);
        let without = of("Fix the tests", "");
        assert_eq!(without.text(), "Needs approval · High risk");
        let with = of("Fix the tests", "Run rm -rf build");
        assert_eq!(with.text(), "Needs approval · High risk\nRun rm -rf build");
        assert_eq!(of(" ", "").title, "Untitled conversation");
    }

    #[test]
    fn no_channel_is_told_a_secret() {
        let masker = Masker::new(["the-key-of-our-backend".to_owned()]);
        let title = "Use the-key-of-our-backend and ghp_abcdefghijklmnopqrstuvwxyz0123";
        let content = content().of(&masker, title, "curl -u bob:hunter2xyz https://a.example");
        let page = "https://h.example/c/1";
        for told in [
            content.push(page, "tag", &json!({})),
            content.ntfy("topic", page),
            content.webhook((1, 2), "1", page),
        ] {
            let told = told.to_string();
            for secret in ["the-key-of", "ghp_abcdef", "hunter2xyz"] {
                assert!(!told.contains(secret), "{told}");
            }
            assert!(told.contains("masked:"), "{told}");
        }
    }

    #[test]
    fn only_low_risk_is_approved_from_a_notification_and_only_by_those_who_chose_so() {
        let on = Choices {
            approves: true,
            ..Choices::default()
        };
        let asks = |risk| OpenApproval {
            token: String::new(),
            risk,
            touch: false,
            passed: None,
        };
        let low = asks(Risk::Low);
        assert!(Content::may_approve(&on, &low, true));
        assert!(!Content::may_approve(&on, &low, false));
        assert!(!Content::may_approve(&Choices::default(), &low, true));
        for risk in [Risk::Unknown, Risk::Medium, Risk::High] {
            assert!(!Content::may_approve(&on, &asks(risk), true), "{risk:?}");
        }
        let touch = OpenApproval { touch: true, ..low };
        assert!(
            !Content::may_approve(&on, &touch, true),
            "nobody can touch there"
        );
    }

    #[test]
    fn a_topic_is_short_and_safe() {
        let topic = topic("0123456789abcdef0123456789abcdef");
        assert_eq!(topic.len(), 32);
        assert!(topic.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    }
}
