//! What a person does in many tests: starts conversations, follows agents, and answers them.

use super::part::{Part, css};
use super::visitor::Visitor;

/// The card of a pending approval whose text contains this.
pub fn approval(about: &str) -> Part {
    css(".approval").containing(about)
}

/// The rows of the timeline with this text.
pub fn row(text: &str) -> Part {
    css(".timeline .row").containing(text)
}

/// The steps of the timeline with this heading.
pub fn step(subject: &str) -> Part {
    let head = css(".step__subject").saying(subject);
    css(".timeline details.step").with(head)
}

/// A message of a person that has reached the agent.
pub fn delivered(text: &str) -> Part {
    css(".row--human:not([data-delivery])").containing(text)
}

/// What says how the agent is.
pub fn badge() -> Part {
    css(".conversation__head .badge")
}

/// A message that was not sent because the action could not have been read.
const TOO_SOON: &str = "you saw the action for less than a second";
/// An answer that was not sent because more is known of the action since.
const CHANGED: &str = "the pending action has changed";

impl Visitor {
    /// Starts a conversation on the page for new ones; returns its id.
    pub async fn create_conversation(&mut self, message: &str) -> String {
        self.open("/new").await;
        self.fill("First message", message);
        self.press("Start").await;
        self.conversation()
    }

    /// The id of the open conversation.
    pub fn conversation(&self) -> String {
        let mut path = self.page.url.path_segments().expect("pages have paths");
        match (path.next(), path.next()) {
            (Some("c"), Some(id)) => id.to_owned(),
            _ => panic!("no conversation is open at {}", self.page.report()),
        }
    }

    /// Waits until the badge of the conversation says that the agent is so.
    pub async fn see_status(&mut self, status: &str) {
        let badge = format!(".conversation__head .badge[data-status=\"{status}\"]");
        self.see(css(&badge)).await;
    }

    /// Waits until the agent of 0.62 has replied and it is the user's turn.
    pub async fn see_turn(&mut self) {
        self.see_status("idle").await;
    }

    /// Starts the scenario `hello`, and waits until it is the user's turn.
    pub async fn say_hello(&mut self) -> String {
        let id = self.create_conversation("hello [[scenario:hello]]").await;
        self.see_turn().await;
        id
    }

    /// Waits for the title of the open conversation, which arrives later than its first events.
    pub async fn see_title(&mut self, title: &str) {
        self.see(css(".conversation__title").saying(title)).await;
    }

    /// Opens a panel of the open conversation. A number may follow its name.
    pub async fn panel(&mut self, name: &str) {
        self.follow(css("nav.panels a").containing(name)).await;
    }

    /// Opens the menu of the open conversation.
    pub fn unfold_actions(&mut self) {
        self.unfold(css(".conversation__head").summary("Actions"));
    }

    /// Approves the pending action.
    pub async fn approve(&mut self, about: &str) {
        self.decide(about, "Approve").await;
    }

    /// Rejects the pending action, without a reason.
    pub async fn reject(&mut self, about: &str) {
        self.decide(about, "Reject").await;
    }

    /// Presses a button of the pending action. A server of 0.x may tell more of an action while it waits; its page then asks
    /// for another look.
    async fn decide(&mut self, about: &str, button: &str) {
        self.see(approval(about)).await;
        self.press(approval(about).button(button)).await;
        if self.has(CHANGED) {
            self.press(approval(about).button(button)).await;
        }
        self.gone(approval(about)).await;
    }

    /// Rejects the pending action with a message.
    pub async fn reject_with(&mut self, about: &str, reason: &str) {
        self.see(approval(about)).await;
        self.say(reason).await;
        self.gone(approval(about)).await;
    }

    /// Sends a message to the agent. While an action waits, the message counts only after a moment, as the page says.
    pub async fn say(&mut self, text: &str) {
        self.fill("Message", text);
        self.press(css(".composer__send")).await;
        if self.has(TOO_SOON) {
            self.arm().await;
            self.fill("Message", text);
            self.press(css(".composer__send")).await;
        }
        self.lacks(TOO_SOON);
    }
}
