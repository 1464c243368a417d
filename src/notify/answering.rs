//! Answers from a notification, which the worker of the browser sends.

use super::channels::{invalid, own_login};
use super::content::Content;
use super::{Notifier, NotifyError, now, text};
use crate::conversation::Risk;
use crate::hub::MIN_VIEW_TIME;
use crate::live::{Choices, Decision};
use crate::people::Caller;

/// For so long after its delivery a notification can approve, in milliseconds.
const FRESH: i64 = 10 * 60 * 1000;

impl Notifier {
    /// Approves or rejects exactly the actions that were notified to this browser with this token; returns a text for
    /// the person. The caller must have checked the right.
    ///
    /// # Errors
    /// [`NotifyError::Invalid`] if the notification was not sent to this browser, or does not allow the approval;
    /// [`NotifyError::Hub`] as for any other answer.
    pub async fn answer(
        &self,
        by: &Caller,
        (conversation, token): (&str, &str),
        channel: i64,
        decision: Decision,
    ) -> Result<String, NotifyError> {
        let login = own_login(by)?;
        let place = (by.person, login, channel);
        let notice = self
            .0
            .journal
            .sent_notice(place, conversation, token)
            .await?;
        let Some(notice) = notice else {
            return invalid(text::not_from_here());
        };
        let age = now() - notice.sent_at;
        if decision == Decision::Approve {
            let choices: Choices = serde_json::from_str(&notice.choices).unwrap_or_default();
            if !choices.approves {
                return invalid(text::approving_off());
            }
            if age > FRESH {
                return invalid(text::too_old());
            }
            // The token stands for the actions with their risk, so both are still those that were notified.
            let content = serde_json::from_str::<Content>(&notice.content).ok();
            if content.and_then(|content| content.risk) != Some(Risk::Low) {
                return invalid(text::not_low());
            }
        }
        let seen = age >= i64::try_from(MIN_VIEW_TIME.as_millis()).unwrap_or(i64::MAX);
        let answered =
            self.0
                .hub
                .commands
                .answer_from_notification(by, conversation, token, decision, seen);
        answered.await?;
        Ok(match decision {
            Decision::Approve => text::approved().to_owned(),
            Decision::Reject => text::rejected().to_owned(),
        })
    }
}
