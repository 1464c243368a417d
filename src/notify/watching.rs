//! Notices what conversations have come to, and puts the notifications about it into the outbox.
//!
//! Long because one loop decides, for all conversations, what people are told.

use super::choice::{Facts, Verdict, verdict};
use super::content::Content;
use super::phase::Phase;
use super::{Notifier, NotifyError, now};
use crate::hub::Change;
use crate::journal::{ChannelRecord, NewNotice};
use crate::live::{ChannelKind, Choices, Occasion};
use crate::people::{Caller, Credential, Right, valid_since};
use hashlink::LruCache;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until};

/// Conversations of which is kept what people were told.
const REMEMBERED: usize = 1_024;
/// Pause after the journal could not be written.
const AGAIN: Duration = Duration::from_secs(5);
/// Interval at which old notifications are deleted.
const TIDY: Duration = Duration::from_secs(60 * 60);
/// Notifications are kept for so long, in milliseconds.
const KEPT: i64 = 7 * 24 * 60 * 60 * 1000;
/// An approval is worth a notification for so long, in milliseconds.
const APPROVAL_LASTS: i64 = 24 * 60 * 60 * 1000;
/// The rest, in milliseconds.
const OTHERS_LAST: i64 = 4 * 60 * 60 * 1000;

/// What is known of the conversations.
struct Watched {
    /// What people were last told about the conversations that changed last; the journal has it of all.
    notified: LruCache<String, Option<Phase>>,
    /// What they are told if it lasts until then.
    due: HashMap<String, (Phase, Instant)>,
}

impl Watched {
    fn next_due(&self) -> Option<Instant> {
        self.due.values().map(|(_, at)| *at).min()
    }

    fn take_due(&mut self) -> Vec<(String, Phase)> {
        let now = Instant::now();
        let due = self.due.extract_if(|_, (_, at)| *at <= now);
        due.map(|(id, (phase, _))| (id, phase)).collect()
    }
}

impl Notifier {
    /// Watches the list of conversations, until the future is dropped.
    pub(super) async fn watch(&self) {
        let mut watched = Watched {
            notified: LruCache::new(REMEMBERED),
            due: HashMap::new(),
        };
        let unsettled = loop {
            match self.0.journal.unsettled().await {
                Ok(unsettled) => break unsettled,
                Err(error) => tracing::warn!(%error, "notifications wait for the journal"),
            }
            sleep(AGAIN).await;
        };
        // What they have come to while nobody watched. Of what needs a person, the list tells.
        for id in unsettled {
            let change = self.0.hub.changes.of(&id).await;
            self.changed(&mut watched, change).await;
        }
        let mut tidy = interval(TIDY);
        tidy.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let next = watched.next_due();
            tokio::select! {
                changes = self.0.hub.changes.next() => {
                    for change in changes {
                        self.changed(&mut watched, change).await;
                    }
                }
                () = sleep_until(next.unwrap_or_else(Instant::now)), if next.is_some() => {
                    for (id, phase) in watched.take_due() {
                        self.on_due(&mut watched, id, phase).await;
                    }
                }
                _ = tidy.tick() => {
                    if let Err(error) = self.0.journal.forget_notices(now() - KEPT).await {
                        tracing::warn!(%error, "old notifications could not be deleted");
                    }
                }
            }
        }
    }

    /// A conversation has changed.
    async fn changed(&self, watched: &mut Watched, change: Change) {
        let id = change.id.clone();
        let Some(phase) = Phase::of(&change) else {
            // It waits, and only its actor knows for what.
            let notifier = self.clone();
            tokio::spawn(async move { notifier.0.hub.changes.open(&id).await });
            return;
        };
        let notified = self.last_phase(watched, &id).await;
        let before = notified.as_ref().and_then(Phase::token);
        let is_same = before.is_some() && before == phase.token();
        // That it was passed to deputies before, a new task knows only after a moment.
        if is_same && (matches!(phase, Phase::Asks(_)) || notified.as_ref() == Some(&phase)) {
            return;
        }
        // That it is passed to them settles nothing.
        let asked = before.is_some() && !is_same;
        // An approval is settled at once. Work may have been so short that nothing else is seen of it; that of a
        // conversation that was not known before may have been long ago.
        let worked = change.created || (change.worked && notified.is_some());
        if asked || (worked && !is_same && phase != Phase::Working) {
            self.comes_to(watched, &change, &Phase::Working).await;
        }
        // The work is heard of before its end, and a new conversation before it is listed.
        if worked && phase == Phase::Quiet {
            return;
        }
        let notified = self.last_phase(watched, &id).await;
        if !phase.is_news(notified.as_ref()) {
            watched.due.remove(&id);
            self.comes_to(watched, &change, &phase).await;
        } else if watched
            .due
            .get(&id)
            .is_none_or(|(waits, _)| *waits != phase)
        {
            let at = Instant::now() + self.0.options.wait;
            watched.due.insert(id, (phase, at));
        }
    }

    /// What people were last told about a conversation.
    async fn last_phase(&self, watched: &mut Watched, id: &str) -> Option<Phase> {
        if let Some(notified) = watched.notified.get(id) {
            return notified.clone();
        }
        match self.0.journal.last_notified(id).await {
            Ok(notified) => {
                let phase = notified.as_ref().map(Phase::from_stored);
                watched.notified.insert(id.to_owned(), phase.clone());
                phase
            }
            Err(error) => {
                tracing::warn!(conversation = id, %error, "what people were told could not be read");
                None
            }
        }
    }

    /// Remembers what a conversation has come to without telling people, except that an approval is settled.
    async fn comes_to(&self, watched: &mut Watched, change: &Change, phase: &Phase) {
        let id = &change.id;
        let before = self.last_phase(watched, id).await;
        if before.as_ref() == Some(phase) {
            return;
        }
        let stored = match (&before, phase) {
            (Some(Phase::Asks(token) | Phase::Passed(token, _)), _) => {
                self.replace_resolved(change, token, phase).await
            }
            _ => {
                let notified = is_there(change).then(|| phase.to_stored());
                let notified = self.0.journal.tell(id, notified, now(), Vec::new()).await;
                notified.map_err(NotifyError::from)
            }
        };
        match stored {
            Ok(()) => {
                let notified = is_there(change).then(|| phase.clone());
                watched.notified.insert(id.clone(), notified);
            }
            // With the next change it is tried again.
            Err(error) => {
                tracing::warn!(conversation = id, %error, "the phase of a conversation could not be stored")
            }
        }
    }

    /// Replaces the notifications of an approval that is not needed any more.
    async fn replace_resolved(
        &self,
        change: &Change,
        token: &str,
        phase: &Phase,
    ) -> Result<(), NotifyError> {
        let shown = self.0.journal.take_back(&change.id, token).await?;
        let channels = self.channels().await?;
        let shown = channels
            .into_iter()
            .filter(|channel| shown.contains(&channel.number));
        let notices = shown.filter_map(|channel| self.resolved_notice(&channel, change));
        let notices: Vec<NewNotice> = notices.collect();
        let notified = is_there(change).then(|| phase.to_stored());
        self.0
            .journal
            .tell(&change.id, notified, now(), notices)
            .await?;
        self.0.woken.notify_one();
        Ok(())
    }

    /// A phase has lasted long enough for people to be told of it.
    async fn on_due(&self, watched: &mut Watched, id: String, phase: Phase) {
        let change = self.0.hub.changes.of(&id).await;
        // Its change is on the way.
        if Phase::of(&change).as_ref() != Some(&phase) {
            return;
        }
        let before = self.last_phase(watched, &id).await;
        match self.tell(&change, &phase, before.as_ref()).await {
            Ok(()) => drop(watched.notified.insert(id, Some(phase))),
            Err(error) => {
                tracing::warn!(conversation = id, %error, "notifications could not be stored");
                watched.due.insert(id, (phase, Instant::now() + AGAIN));
            }
        }
    }

    async fn tell(
        &self,
        change: &Change,
        phase: &Phase,
        before: Option<&Phase>,
    ) -> Result<(), NotifyError> {
        let occasion = phase.occasion().unwrap_or(Occasion::YourTurn);
        let mut channels = self.channels().await?;
        let is_known = before.is_some_and(|before| before.token() == phase.token());
        if matches!(phase, Phase::Passed(..)) && is_known {
            // The others were told when it was asked.
            channels.retain(|channel| is_passed_to(change, &channel.person_name));
        }
        let notices = channels
            .iter()
            .filter_map(|channel| self.notice(channel, change, occasion));
        let notices: Vec<NewNotice> = notices.collect();
        self.0
            .journal
            .tell(&change.id, Some(phase.to_stored()), now(), notices)
            .await?;
        self.0.woken.notify_one();
        Ok(())
    }

    /// The channels of all people who may be notified.
    async fn channels(&self) -> Result<Vec<ChannelRecord>, NotifyError> {
        let mut channels = self.0.journal.channels(valid_since(now())).await?;
        channels.retain(|channel| channel.person != 0 || self.0.options.trust_local);
        Ok(channels)
    }

    /// The notification for a channel, if its person is told.
    fn notice(
        &self,
        channel: &ChannelRecord,
        change: &Change,
        occasion: Occasion,
    ) -> Option<NewNotice> {
        let summary = change.summary.as_ref()?;
        let (kind, choices) = (kind_of(channel)?, choices_of(channel));
        let (by, at) = (caller(channel), now());
        if kind == ChannelKind::Webhook && !by.may(Right::Own) {
            return None;
        }
        let hub = &self.0.hub;
        let role = hub.sharings.role_in(&by, &change.id);
        // It is theirs now, whoever created the conversation.
        let passed = occasion == Occasion::NeedsApproval && is_passed_to(change, &by.name);
        let facts = Facts {
            occasion,
            sees: role.is_some(),
            is_own: by.person == 0 || passed || hub.changes.concerns(&by, &change.id, false),
            is_shared: hub.changes.concerns(&by, &change.id, true),
            present: self
                .0
                .attention
                .is_present(by.person, self.0.options.present),
            now: at,
        };
        let Verdict::At(due_at) = verdict(kind, &choices, facts) else {
            return None;
        };
        let asked = change
            .asked
            .as_ref()
            .filter(|_| occasion == Occasion::NeedsApproval);
        let answers = role.is_some_and(|role| role.may(Right::Answer));
        let risk = asked.map(|asked| asked.risk);
        let excerpt = match choices.shows_text || kind == ChannelKind::Webhook {
            true => summary.excerpt.as_str(),
            false => "",
        };
        let content = Content {
            title: String::new(),
            occasion: Some(occasion),
            risk,
            excerpt: String::new(),
            rejects: answers && asked.is_some(),
            approves: asked.is_some_and(|asked| Content::may_approve(&choices, asked, answers)),
            waiting: hub.list.waiting(&by),
            passed,
        };
        let lasts = match occasion {
            Occasion::NeedsApproval => APPROVAL_LASTS,
            _ => OTHERS_LAST,
        };
        Some(NewNotice {
            channel: channel.number,
            occasion: occasion.word(),
            content: stored(&content.of(&hub.exports.masker(), &summary.title, excerpt)),
            due_at,
            expires_at: due_at + lasts,
            replaces: kind != ChannelKind::Webhook,
        })
    }

    /// The notification that an approval is not needed any more. An ntfy server cannot replace what it has sent.
    fn resolved_notice(&self, channel: &ChannelRecord, change: &Change) -> Option<NewNotice> {
        let kind = kind_of(channel).filter(|kind| *kind != ChannelKind::Ntfy)?;
        let (by, at) = (caller(channel), now());
        let title = change.summary.as_ref().map_or("", |summary| &summary.title);
        let title = match self.0.hub.sharings.role_in(&by, &change.id) {
            Some(_) => title,
            None => "",
        };
        let content = Content {
            title: String::new(),
            occasion: None,
            risk: None,
            excerpt: String::new(),
            rejects: false,
            approves: false,
            waiting: self.0.hub.list.waiting(&by),
            passed: false,
        };
        Some(NewNotice {
            channel: channel.number,
            occasion: "settled",
            content: stored(&content.of(&self.0.hub.exports.masker(), title, "")),
            due_at: at,
            expires_at: at + APPROVAL_LASTS,
            replaces: kind == ChannelKind::Push,
        })
    }
}

/// Whether the conversation of a change was not deleted.
fn is_there(change: &Change) -> bool {
    change.summary.is_some() || change.created
}

/// Whether the pending approval was passed to the person with this name, as a deputy.
fn is_passed_to(change: &Change, name: &str) -> bool {
    let asked = change.asked.as_ref();
    let passed = asked.and_then(|asked| asked.passed.as_ref());
    passed.is_some_and(|(_, names)| names.iter().any(|one| one == name))
}

/// How a channel delivers; `None` for a word of a newer version.
pub(super) fn kind_of(channel: &ChannelRecord) -> Option<ChannelKind> {
    let mut kinds = [ChannelKind::Push, ChannelKind::Ntfy, ChannelKind::Webhook].into_iter();
    kinds.find(|kind| kind.word() == channel.kind)
}

/// What a channel notifies of; of a text that cannot be read, nothing.
pub(super) fn choices_of(channel: &ChannelRecord) -> Choices {
    serde_json::from_str(&channel.choices).unwrap_or_else(|_| Choices {
        occasions: Vec::new(),
        ..Choices::default()
    })
}

/// The person of a channel, as if they asked themselves.
pub(super) fn caller(channel: &ChannelRecord) -> Caller {
    if channel.person == 0 {
        return Caller::at_the_machine();
    }
    Caller {
        person: channel.person,
        name: channel.person_name.clone(),
        role: channel.role.parse().unwrap_or_default(),
        address: String::new(),
        credential: Credential::Login(channel.login.unwrap_or_default()),
    }
}

fn stored(content: &Content) -> String {
    serde_json::to_string(content).expect("a notification is plain data")
}
