//! Where a person is notified: added, changed, tried and removed by the person alone.
//!
//! Long because all kinds of channels are checked and audited alike.

use super::sending::{Attempt, ChannelSecret, keys};
use super::watching::{choices_of, kind_of};
use super::{Notifier, NotifyError, choice, now, text};
use crate::backend::is_blocked;
use crate::journal::{ChannelRecord, NewChannel};
use crate::live::{ChannelKind, ChannelView, Choices, NotificationsView};
use crate::people::{Audit, AuditAction, Caller, Credential, Right, new_secret};
use url::Url;

/// Places to notify one person.
const MOST: usize = 20;
/// Longest address, in bytes.
const LONGEST: usize = 1_024;
/// Longest description of a browser, in characters.
const DEVICE: usize = 200;

/// A browser's subscription.
#[derive(Debug, Clone)]
pub struct NewPush {
    /// Address at the browser's push service.
    pub endpoint: String,
    /// Its keys.
    pub keys: PushKeys,
    /// The browser's description of itself.
    pub device: String,
}

/// The keys of a browser's subscription, base64url.
#[derive(Debug, Clone)]
pub struct PushKeys {
    /// Its public key.
    pub p256dh: String,
    /// Its authentication secret.
    pub auth: String,
}

impl Notifier {
    /// The notifications of a person, who asks from this browser by its description of itself.
    pub async fn view(&self, by: &Caller, device: &str) -> Result<NotificationsView, NotifyError> {
        let login = own_login(by)?;
        // The local user has no login, and no more than a browser or two.
        let is_here = |record: &ChannelRecord| {
            record.login == login && (login.is_some() || record.name == device)
        };
        let mut channels = Vec::new();
        for (record, state) in self.0.journal.channels_of(by.person).await? {
            let Some(kind) = kind_of(&record) else {
                continue;
            };
            channels.push(ChannelView {
                number: record.number,
                kind,
                here: kind == ChannelKind::Push && is_here(&record),
                choices: choices_of(&record),
                name: record.name,
                sent_at: state.sent_at,
                retrying: state.retrying,
                given_up: state.given_up,
                trouble: state.trouble,
            });
        }
        channels.sort_by_key(|channel| (!channel.here, channel.number));
        Ok(NotificationsView {
            key: self.0.vapid.public().to_owned(),
            channels,
            webhooks: by.may(Right::Own),
            answers: by.may(Right::Answer),
            one_time_secret: String::new(),
        })
    }

    /// Notifies a person in the browser of their login. `origin` is the address of the pages there, ending in `/`.
    ///
    /// # Errors
    /// [`NotifyError::Invalid`] for an unknown push service or invalid keys.
    pub async fn subscribe(
        &self,
        by: &Caller,
        new: NewPush,
        origin: &str,
    ) -> Result<(), NotifyError> {
        let url = self.checked(&new.endpoint)?;
        let secret = ChannelSecret {
            p256dh: new.keys.p256dh,
            auth: new.keys.auth,
            ..ChannelSecret::default()
        };
        if keys(&secret).is_none() {
            return invalid(text::bad_keys());
        }
        let name = new.device.chars().take(DEVICE).collect();
        self.add(by, ChannelKind::Push, (url, name), (&secret, origin))
            .await
    }

    /// Notifies a person by a topic of an ntfy server; an empty `token` is none.
    ///
    /// # Errors
    /// [`NotifyError::Invalid`] for an unknown server or an invalid topic.
    pub async fn add_ntfy(
        &self,
        by: &Caller,
        (address, token): (&str, &str),
        origin: &str,
    ) -> Result<(), NotifyError> {
        let url = self.checked(address)?;
        let topic = url
            .path_segments()
            .and_then(|mut path| path.next_back())
            .unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if !(1..=64).contains(&topic.len()) || !topic.chars().all(plain) || url.query().is_some() {
            return invalid(text::bad_topic());
        }
        let token = token.trim();
        if token.len() > 200 || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return invalid(text::bad_token());
        }
        let name = format!("{}/{topic}", url.host_str().unwrap_or_default());
        let secret = ChannelSecret {
            token: token.to_owned(),
            ..ChannelSecret::default()
        };
        self.add(by, ChannelKind::Ntfy, (url, name), (&secret, origin))
            .await
    }

    /// Notifies a machine; returns the key of the signatures.
    ///
    /// # Errors
    /// [`NotifyError::Invalid`] for an invalid or blocked address, and unless the caller is an owner: Handrail sends
    /// requests to it from its own network.
    pub async fn add_webhook(
        &self,
        by: &Caller,
        address: &str,
        origin: &str,
    ) -> Result<String, NotifyError> {
        if !by.may(Right::Own) {
            return invalid(text::owners_only());
        }
        let url = parsed(address)?;
        if is_blocked(&url) {
            return invalid(text::blocked());
        }
        let key = new_secret();
        let secret = ChannelSecret {
            key: key.clone(),
            ..ChannelSecret::default()
        };
        let name = format!("{}{}", url.host_str().unwrap_or_default(), url.path());
        self.add(by, ChannelKind::Webhook, (url, name), (&secret, origin))
            .await?;
        Ok(key)
    }

    async fn add(
        &self,
        by: &Caller,
        kind: ChannelKind,
        (url, name): (Url, String),
        (secret, origin): (&ChannelSecret, &str),
    ) -> Result<(), NotifyError> {
        let login = own_login(by)?;
        let address = url.as_str();
        let known = self.0.journal.channels_of(by.person).await?;
        let is_new =
            |(one, _): &(ChannelRecord, _)| one.address != address || one.kind != kind.word();
        if known.len() >= MOST && known.iter().all(is_new) {
            return invalid(text::too_many());
        }
        let new = NewChannel {
            person: by.person,
            login: login.filter(|_| kind == ChannelKind::Push),
            kind: kind.word(),
            address: url.to_string(),
            secret: serde_json::to_string(secret).expect("a secret is plain data"),
            origin: origin.to_owned(),
            choices: serde_json::to_string(&Choices::default()).expect("choices are plain data"),
            created_at: now(),
            name,
        };
        let action = AuditAction::new("add notifications").detail(&place(kind.word(), &url));
        self.audited(by, action, async {
            self.0.journal.add_channel(new).await?;
            Ok(())
        })
        .await
    }

    /// Changes what a channel notifies of.
    ///
    /// # Errors
    /// [`NotifyError::Invalid`] for invalid quiet hours, [`NotifyError::NotFound`].
    pub async fn choose(
        &self,
        by: &Caller,
        number: i64,
        choices: Choices,
    ) -> Result<(), NotifyError> {
        own_login(by)?;
        if let Some(Err(why)) = choices.quiet.as_ref().map(choice::check) {
            return Err(NotifyError::Invalid(why));
        }
        let choices = serde_json::to_string(&choices).expect("choices are plain data");
        match self.0.journal.choose(by.person, number, choices).await? {
            true => Ok(()),
            false => Err(NotifyError::NotFound("place to notify")),
        }
    }

    /// Removes a channel. Errors: [`NotifyError::Invalid`] for a caller without a login.
    pub async fn remove(&self, by: &Caller, number: i64) -> Result<(), NotifyError> {
        own_login(by)?;
        let channel = self.0.journal.channel_of(by.person, number).await?;
        let Some(channel) = channel else {
            return Ok(());
        };
        let url = Url::parse(&channel.address).ok();
        let place = url.map_or_else(|| channel.kind.clone(), |url| place(&channel.kind, &url));
        let action = AuditAction::new("remove notifications").detail(&place);
        self.audited(by, action, async {
            self.0.journal.remove_channel(by.person, number).await?;
            Ok(())
        })
        .await
    }

    /// Sends a test to a channel, and says in a sentence that it was accepted.
    ///
    /// # Errors
    /// [`NotifyError::Invalid`] with what the service answered, [`NotifyError::NotFound`].
    pub async fn test(&self, by: &Caller, number: i64) -> Result<String, NotifyError> {
        own_login(by)?;
        let channel = self.0.journal.channel_of(by.person, number).await?;
        let channel = channel.ok_or(NotifyError::NotFound("place to notify"))?;
        let host = Url::parse(&channel.address).ok();
        let host = host.and_then(|url| url.host_str().map(ToOwned::to_owned));
        let (number, host) = (channel.number, host.unwrap_or_default());
        match self.try_out(channel).await {
            Attempt::Accepted(status) => Ok(text::accepted(host, status.as_u16())),
            Attempt::Gone => {
                self.0.journal.forget_channel(number).await?;
                Err(NotifyError::Invalid(text::gone().to_owned()))
            }
            Attempt::Later(_, why) | Attempt::Refused(why) => Err(NotifyError::Invalid(why)),
        }
    }

    /// An address at a push service or ntfy server that may be sent to.
    fn checked(&self, address: &str) -> Result<Url, NotifyError> {
        let url = parsed(address)?;
        match self.0.hosts.allow(&url) {
            true => Ok(url),
            false => invalid(&text::not_known(url.host_str().unwrap_or_default())),
        }
    }

    async fn audited<T>(
        &self,
        by: &Caller,
        action: AuditAction,
        work: impl Future<Output = Result<T, NotifyError>>,
    ) -> Result<T, NotifyError> {
        let audit = Audit::of(&self.0.journal);
        let entry = audit.begin(by, action).await?;
        let outcome = work.await;
        audit.end(entry, &outcome).await;
        outcome
    }
}

/// A channel in the audit log: its kind and host. Whoever knows a topic or the path of a webhook can read or write there.
fn place(kind: &str, url: &Url) -> String {
    format!("{kind}, {}", url.host_str().unwrap_or_default())
}

/// The caller's login; `None` for the local user. A token must not be able to send anything after its end.
pub(super) fn own_login(by: &Caller) -> Result<Option<i64>, NotifyError> {
    match by.credential {
        Credential::Login(number) => Ok(Some(number)),
        Credential::Machine => Ok(None),
        Credential::Token(_) | Credential::ApiToken(..) | Credential::Link(_) => {
            invalid(text::needs_login())
        }
    }
}

fn parsed(address: &str) -> Result<Url, NotifyError> {
    let url = Url::parse(address.trim()).ok();
    let url = url.filter(|url| {
        matches!(url.scheme(), "http" | "https")
            && url.host_str().is_some_and(|host| !host.is_empty())
            && url.username().is_empty()
            && url.password().is_none()
            && address.len() <= LONGEST
    });
    match url {
        Some(url) => Ok(url),
        None => invalid(text::bad_address()),
    }
}

pub(super) fn invalid<T>(why: &str) -> Result<T, NotifyError> {
    Err(NotifyError::Invalid(why.to_owned()))
}
