//! What happens when nobody answers: the setting as owners change it, and that actions which wait are watched.

use super::deadlines::Deadlines;
use super::message::ActorMessage;
use super::touches::KnownTouches;
use super::{Actors, AuditTrail, HubError, HubResult, List, invalid};
use crate::journal::{Journal, PersonRecord};
use crate::live::{DeputyTrouble, DeputyView, EscalationItem, NewEscalation};
use crate::people::{
    AuditAction, Caller, Escalation, MOST_DEPUTIES, MOST_ESCALATIONS, Rating, Right, Role, lasting,
    role_of,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

/// Conversations with an action that waits are opened within this time, and so many each time: their actors watch the clock.
const EACH: Duration = Duration::from_secs(10);
const AT_ONCE: usize = 50;
/// Longest name of a repository, in characters.
const LONGEST_NAME: usize = 200;

/// What happens when nobody answers, as owners change it.
pub struct Deputies {
    pub(super) journal: Journal,
    pub(super) audit: Arc<AuditTrail>,
    pub(super) actors: Arc<Actors>,
    pub(super) list: Arc<List>,
    pub(super) known: Arc<Deadlines>,
    pub(super) touches: Arc<KnownTouches>,
    /// Held while the setting is read and changed.
    pub(super) changing: tokio::sync::Mutex<()>,
}

impl Deputies {
    /// What happens when nobody answers, by repository; that of all others first.
    pub async fn read(&self) -> HubResult<Vec<EscalationItem>> {
        let all = self.known.now();
        let numbers = all.0.iter().flat_map(|one| one.deputies.clone());
        let people = self.journal.people_numbered(numbers.collect()).await?;
        let people: HashMap<i64, PersonRecord> =
            people.into_iter().map(|one| (one.number, one)).collect();
        let least = self.actors.context.authorities.now().least;
        let holders = self.journal.passkey_holders().await?;
        let touches = self.touches.now();
        let needs_touch = |repository: &str| match repository {
            "" => touches.any(),
            name => touches.needs(Rating::High, Some(name)),
        };
        let item = |one: &Escalation| EscalationItem {
            repository: one.repository.clone(),
            deputies: one
                .deputies
                .iter()
                .map(|number| {
                    let can_touch = !needs_touch(&one.repository) || holders.contains(number);
                    deputy(people.get(number), least, can_touch)
                })
                .collect(),
            tell_after: one.tell_after,
            reject_after: one.reject_after,
        };
        Ok(all.0.iter().map(item).collect())
    }

    /// Sets what happens in a repository, or in all others. Pending actions there start waiting again.
    ///
    /// # Errors
    /// [`HubError::Invalid`] for times and names that cannot be.
    pub async fn save(&self, by: &Caller, new: NewEscalation) -> HubResult {
        let _one_at_a_time = self.changing.lock().await;
        let escalation = self.checked(new).await?;
        let before = self.known.now();
        let repository = escalation.repository.clone();
        let is_same = |one: &Escalation| one.repository.eq_ignore_ascii_case(&repository);
        let is_new = !before.0.iter().any(is_same);
        if is_new && before.0.len() >= MOST_ESCALATIONS {
            return invalid(format!(
                "There are {MOST_ESCALATIONS} repositories with a setting of their own. Remove one first."
            ));
        }
        self.change(by, "save escalation", &repository, Some(escalation))
            .await
    }

    /// Lets actions in a repository wait as in all others, or without an end.
    pub async fn remove(&self, by: &Caller, repository: &str) -> HubResult {
        let _one_at_a_time = self.changing.lock().await;
        self.change(by, "remove escalation", repository.trim(), None)
            .await
    }

    async fn change(
        &self,
        by: &Caller,
        action: &'static str,
        repository: &str,
        escalation: Option<Escalation>,
    ) -> HubResult {
        let detail = escalation.as_ref().map(in_words).unwrap_or_default();
        let place = if repository.is_empty() {
            "all"
        } else {
            repository
        };
        let action = AuditAction::new(action).detail(format!("{place} {detail}").trim());
        let all = (*self.known.now()).clone().with(repository, escalation);
        let stored = serde_json::to_string(&all).expect("plain data");
        let only = (!repository.is_empty()).then_some(repository);
        let save = async {
            let time = self.known.clock.read().await?;
            self.journal
                .keep_escalations(&stored, only, time.at.now)
                .await?;
            drop(time);
            self.known.set(all);
            self.actors.tell_all(|| ActorMessage::Refresh).await;
            Ok(())
        };
        self.audit.record(by, action, save).await
    }

    async fn checked(&self, new: NewEscalation) -> HubResult<Escalation> {
        let repository = new.repository.trim();
        if repository.chars().count() > LONGEST_NAME || repository.contains(char::is_control) {
            return invalid("Enter a repository like acme/parser.");
        }
        let minutes = |text: &str| match text.trim() {
            "" => Ok(0),
            text => text.parse::<u32>().map_err(|_| {
                HubError::Invalid("Enter each time as a whole number of minutes.".to_owned())
            }),
        };
        let is_between = |letter: char| letter == ',' || letter == ';' || letter.is_whitespace();
        let names = new.deputies.split(is_between);
        let names = names
            .map(|name| name.trim_start_matches('@'))
            .filter(|name| !name.is_empty());
        let names: Vec<&str> = names.take(MOST_DEPUTIES + 1).collect();
        let escalation = Escalation {
            repository: repository.to_owned(),
            deputies: self.numbers(&names).await?,
            tell_after: minutes(&new.tell_after)?,
            reject_after: new.reject_after.as_deref().map(minutes).transpose()?,
        };
        escalation.check().map_err(HubError::Invalid)?;
        Ok(escalation)
    }

    /// The numbers of people who can be deputies.
    ///
    /// Errors: [`HubError::Invalid`] names those who cannot.
    async fn numbers(&self, names: &[&str]) -> HubResult<Vec<i64>> {
        let (mut numbers, mut wrong) = (Vec::new(), Vec::new());
        for name in names {
            let person = self.journal.person(name).await?;
            let trouble = match &person {
                None => Some(format!("There is no account {name}.")),
                Some(person) if person.disabled => Some(format!("The account {name} is disabled.")),
                Some(person) if !role_of(person).may(Right::Answer) => Some(format!(
                    "{name} cannot approve: their role is {}.",
                    person.role
                )),
                Some(_) => None,
            };
            wrong.extend(trouble);
            let number = person.map(|person| person.number);
            numbers.extend(number.filter(|number| !numbers.contains(number)));
        }
        match wrong.is_empty() {
            true => Ok(numbers),
            false => invalid(format!("Nothing was saved. {}", wrong.join(" "))),
        }
    }

    /// Opens the conversations in which an action waits, as long as this is polled: their actors watch the clock.
    pub(super) async fn keep_watched(&self) {
        loop {
            let escalations = self.known.now();
            if !escalations.0.is_empty() {
                let is_set = |repository: Option<&str>| escalations.of(repository).is_some();
                let waiting = self.list.waiting_ids(is_set).into_iter();
                let closed = waiting.filter(|id| self.actors.open_handle(id).is_none());
                for id in closed.take(AT_ONCE).collect::<Vec<_>>() {
                    if let Err(error) = self.actors.handle(&id).await {
                        tracing::info!(conversation = id, %error, "a conversation with a pending approval could not be opened");
                    }
                }
            }
            sleep(EACH).await;
        }
    }
}

fn deputy(person: Option<&PersonRecord>, least: Role, can_touch: bool) -> DeputyView {
    let trouble = match person {
        None => Some(DeputyTrouble::NoAccount),
        Some(person) if person.disabled => Some(DeputyTrouble::NoAccount),
        Some(person) if !role_of(person).may(Right::Answer) => Some(DeputyTrouble::NoRight),
        Some(person) if role_of(person) < least => Some(DeputyTrouble::NotHigh),
        Some(_) if !can_touch => Some(DeputyTrouble::NoPasskey),
        Some(_) => None,
    };
    DeputyView {
        name: person.map(|person| person.name.clone()).unwrap_or_default(),
        trouble,
    }
}

/// For the audit log.
fn in_words(escalation: &Escalation) -> String {
    let mut words = Vec::new();
    if !escalation.deputies.is_empty() {
        let count = escalation.deputies.len();
        words.push(format!(
            "{count} told after {}",
            lasting(escalation.tell_after)
        ));
    }
    words.push(match escalation.reject_after {
        Some(minutes) => format!("rejected after {}", lasting(minutes)),
        None => "keeps waiting".to_owned(),
    });
    words.join(", ")
}
