//! Empties the outbox: sends what is due, and repeats what failed for a time.
//!
//! Long because the three protocols share the attempt and its outcome.

use super::content::{Content, topic};
use super::watching::{caller, kind_of};
use super::{Notifier, now, text};
use crate::journal::{ChannelRecord, DueNotice, NoticeEnd};
use crate::live::{ChannelKind, Occasion};
use crate::metrics;
use crate::people::{Right, valid_since};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use data_encoding::HEXLOWER;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use hmac::{Hmac, KeyInit as _, Mac as _};
use reqwest::{RequestBuilder, Response, StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::Sha256;
use std::collections::HashSet;
use std::time::Duration;
use tokio::time::sleep;
use url::Url;
use web_push_native::{Auth, encrypt, p256::PublicKey};

/// Attempts at a time.
const AT_ONCE: usize = 128;
/// Attempts for one notification.
const ATTEMPTS: u32 = 10;
/// Longest pause before a repetition.
const LONGEST_PAUSE: Duration = Duration::from_secs(60 * 60);
/// How often the outbox is read if nothing wakes the sender.
const POLL_INTERVAL: Duration = Duration::from_secs(30);
/// Longest part of a service's answer that is shown, in characters.
const QUOTED: usize = 200;

/// What authenticates or encrypts the deliveries of a channel. Each kind uses its own part.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ChannelSecret {
    /// The browser's public key, base64url.
    pub p256dh: String,
    /// The browser's authentication secret, base64url.
    pub auth: String,
    /// Access token of an ntfy server, or empty.
    pub token: String,
    /// Key of a webhook's signatures.
    pub key: String,
}

/// The end of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Attempt {
    /// The service accepted it.
    Accepted(StatusCode),
    /// The address does not exist any more.
    Gone,
    /// It may succeed later, after this time if the service said so.
    Later(Option<Duration>, String),
    /// It never will.
    Refused(String),
}

impl Notifier {
    /// Sends what is due, until the future is dropped.
    pub(super) async fn send(&self) {
        let mut flying = FuturesUnordered::new();
        let mut numbers = HashSet::new();
        loop {
            let room = AT_ONCE - numbers.len();
            let known = numbers.iter().copied().collect();
            let taken = self
                .0
                .journal
                .take_due(now(), valid_since(now()), known, room)
                .await;
            let (due, next) = taken.unwrap_or_else(|error| {
                tracing::warn!(%error, "the outbox of notifications could not be read");
                (Vec::new(), None)
            });
            let is_full = due.len() == room;
            for notice in due {
                numbers.insert(notice.number);
                flying.push(self.attempt(notice));
            }
            let wait = next.map_or(POLL_INTERVAL, |at| {
                Duration::from_millis(u64::try_from(at - now()).unwrap_or_default())
                    .min(POLL_INTERVAL)
            });
            tokio::select! {
                () = self.0.woken.notified(), if !is_full => {}
                () = sleep(wait), if !is_full => {}
                Some(first) = flying.next(), if !flying.is_empty() => {
                    let mut ended = vec![first];
                    // All that have ended by now, in one transaction.
                    while let Some(Some(more)) = futures_util::FutureExt::now_or_never(flying.next()) {
                        ended.push(more);
                    }
                    for (number, _) in &ended {
                        numbers.remove(number);
                    }
                    if let Err(error) = self.0.journal.end_attempts(now(), ended).await {
                        tracing::warn!(%error, "sent notifications could not be marked");
                        // They are sent again. A Web Push replaces the first one, a webhook has the same `seq`, ntfy shows both.
                        sleep(self.0.options.pause).await;
                    }
                }
            }
        }
    }

    async fn attempt(&self, notice: DueNotice) -> (i64, NoticeEnd) {
        let number = notice.number;
        if now() >= notice.expires_at {
            return (number, NoticeEnd::GivenUp(text::expired().to_owned()));
        }
        let outcome = match serde_json::from_str::<Content>(&notice.content) {
            Ok(content) => match self.still_told(&notice, content) {
                Some(content) => self.deliver(&notice, &content).await,
                None => Attempt::Refused(text::no_right().to_owned()),
            },
            Err(error) => Attempt::Refused(error.to_string()),
        };
        let attempts = notice.attempts + 1;
        let end = match outcome {
            Attempt::Accepted(_) => NoticeEnd::Sent,
            Attempt::Gone => {
                if let Err(error) = self.0.journal.forget_channel(notice.channel.number).await {
                    tracing::warn!(%error, "an ended subscription could not be deleted");
                }
                NoticeEnd::GivenUp(text::gone().to_owned())
            }
            Attempt::Refused(why) => NoticeEnd::GivenUp(why),
            Attempt::Later(_, why) if attempts >= ATTEMPTS => NoticeEnd::GivenUp(why),
            Attempt::Later(after, why) => {
                let pause = self.0.options.pause * 2_u32.pow(attempts.min(12) - 1);
                let pause = after.unwrap_or(pause).min(LONGEST_PAUSE);
                let at = now() + i64::try_from(pause.as_millis()).unwrap_or_default();
                NoticeEnd::Again(at, why)
            }
        };
        metrics::NOTICES.count(match end {
            NoticeEnd::Sent => "sent",
            NoticeEnd::Again(..) => "repeated",
            NoticeEnd::GivenUp(_) => "given_up",
        });
        if let NoticeEnd::Again(_, why) | NoticeEnd::GivenUp(why) = &end {
            tracing::info!(
                channel = notice.channel.number,
                attempts,
                why,
                "a notification was not delivered"
            );
        }
        (number, end)
    }

    /// What the person of a channel may be told now: much can change between two attempts. That an approval is settled
    /// is told without the title to somebody who no longer sees the conversation, in place of what was told before.
    fn still_told(&self, notice: &DueNotice, content: Content) -> Option<Content> {
        let by = caller(&notice.channel);
        if by.person == 0 && !self.0.options.trust_local {
            return None;
        }
        match self.0.hub.sharings.role_in(&by, &notice.conversation) {
            Some(role) => Some(Content {
                rejects: content.rejects && role.may(Right::Answer),
                approves: content.approves && role.may(Right::Answer),
                ..content
            }),
            None if content.occasion.is_none() => {
                Some(content.of(&self.0.hub.exports.masker(), "", ""))
            }
            None => None,
        }
    }

    /// Makes one attempt.
    pub(super) async fn deliver(&self, notice: &DueNotice, content: &Content) -> Attempt {
        let channel = &notice.channel;
        let page = match notice.conversation.as_str() {
            "" => format!("{}inbox", channel.origin),
            id => format!("{}c/{id}", channel.origin),
        };
        let secret: ChannelSecret = serde_json::from_str(&channel.secret).unwrap_or_default();
        let Ok(url) = Url::parse(&channel.address) else {
            return Attempt::Refused(text::bad_address().to_owned());
        };
        let host = url.host_str().unwrap_or_default().to_owned();
        let kind = kind_of(channel);
        if kind == Some(ChannelKind::Webhook) && !caller(channel).may(Right::Own) {
            return Attempt::Refused(text::no_owner().to_owned());
        }
        // The allowed hosts may be others than when the channel was added.
        if kind != Some(ChannelKind::Webhook) && !self.0.hosts.allow(&url) {
            return Attempt::Refused(text::not_known(host));
        }
        let request = match kind {
            Some(ChannelKind::Push) => self.push(notice, content, (&secret, &url, &page)),
            Some(ChannelKind::Ntfy) => Ok(self.ntfy(content, &secret, url, &page)),
            Some(ChannelKind::Webhook) => Ok(self.webhook(notice, content, (&secret, &page))),
            None => Err(text::bad_address().to_owned()),
        };
        let request = match request {
            Ok(request) => request,
            Err(why) => return Attempt::Refused(why),
        };
        match request.send().await {
            Ok(response) => {
                let is_push = kind == Some(ChannelKind::Push);
                outcome(&host, response, is_push).await
            }
            Err(error) if error.is_timeout() => Attempt::Later(None, text::no_answer(host)),
            Err(error) => {
                let error = error.without_url();
                let causes =
                    std::iter::successors(Some(&error as &dyn std::error::Error), |error| {
                        error.source()
                    });
                let cause = causes.last().map(ToString::to_string).unwrap_or_default();
                Attempt::Later(
                    None,
                    text::unreachable(host, Content::plain(&cause, QUOTED)),
                )
            }
        }
    }

    fn push(
        &self,
        notice: &DueNotice,
        content: &Content,
        (secret, url, page): (&ChannelSecret, &Url, &str),
    ) -> Result<RequestBuilder, String> {
        let channel = &notice.channel;
        let (key, auth) = keys(secret).ok_or_else(|| text::bad_keys().to_owned())?;
        let data = json!({
            "conversation": notice.conversation,
            "token": notice.token,
            "channel": channel.number,
            "page": page,
        });
        let message = content.push(page, &notice.conversation, &data).to_string();
        let body = encrypt(message.into_bytes(), &key, &auth).map_err(|error| error.to_string())?;
        let urgency = match content.occasion {
            Some(Occasion::NeedsApproval) => "high",
            _ => "normal",
        };
        let lasts = (notice.expires_at - now()).max(0) / 1_000;
        let request = self.0.client.post(url.clone());
        Ok(request
            .header("TTL", lasts.to_string())
            .header("Urgency", urgency)
            .header("Topic", topic(&notice.conversation))
            .header(header::CONTENT_ENCODING, "aes128gcm")
            .header(header::CONTENT_TYPE, "application/octet-stream")
            .header(
                header::AUTHORIZATION,
                self.0.vapid.authorization(url, &channel.origin),
            )
            .body(body))
    }

    fn ntfy(
        &self,
        content: &Content,
        secret: &ChannelSecret,
        mut url: Url,
        page: &str,
    ) -> RequestBuilder {
        let topic = url
            .path_segments()
            .and_then(|mut path| path.next_back())
            .unwrap_or_default()
            .to_owned();
        // JSON is posted to the root; the topic is part of it.
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop();
        }
        let request = self.0.client.post(url).json(&content.ntfy(&topic, page));
        match secret.token.is_empty() {
            true => request,
            false => request.bearer_auth(&secret.token),
        }
    }

    fn webhook(
        &self,
        notice: &DueNotice,
        content: &Content,
        (secret, page): (&ChannelSecret, &str),
    ) -> RequestBuilder {
        let body = content
            .webhook((notice.seq, notice.made_at), &notice.conversation, page)
            .to_string();
        let at = (now() / 1_000).to_string();
        let signature = sign(&secret.key, &at, &body);
        let request = self.0.client.post(&notice.channel.address);
        request
            .header(header::CONTENT_TYPE, "application/json")
            .header("Handrail-Seq", notice.seq.to_string())
            .header("Handrail-Timestamp", at)
            .header("Handrail-Signature", format!("sha256={signature}"))
            .body(body)
    }

    /// Sends a test to a channel, and says what became of it.
    pub(super) async fn try_out(&self, channel: ChannelRecord) -> Attempt {
        let content = Content {
            title: text::test_title().to_owned(),
            occasion: None,
            risk: None,
            excerpt: text::test_text().to_owned(),
            rejects: false,
            approves: false,
            waiting: self.0.hub.list.waiting(&super::watching::caller(&channel)),
            passed: false,
        };
        let at = now();
        let notice = DueNotice {
            number: 0,
            seq: 0,
            conversation: String::new(),
            token: String::new(),
            occasion: "test".to_owned(),
            content: String::new(),
            made_at: at,
            expires_at: at + 60_000,
            attempts: 0,
            channel,
        };
        self.deliver(&notice, &content).await
    }
}

/// The signature of a webhook's request: HMAC-SHA-256 of the time, a point and the body, in hexadecimal digits.
fn sign(key: &str, at: &str, body: &str) -> String {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(key.as_bytes()).expect("HMAC takes keys of any length");
    mac.update(format!("{at}.{body}").as_bytes());
    HEXLOWER.encode(&mac.finalize().into_bytes())
}

/// The keys of a browser's subscription; `None` if they are invalid.
pub(super) fn keys(secret: &ChannelSecret) -> Option<(PublicKey, Auth)> {
    // Some browsers pad, some do not.
    let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok();
    let key = PublicKey::from_sec1_bytes(&bytes(&secret.p256dh)?).ok()?;
    let auth = bytes(&secret.auth)?;
    (auth.len() == 16).then(|| (key, Auth::clone_from_slice(&auth)))
}

/// What the answer of a service means.
async fn outcome(host: &str, mut response: Response, is_push: bool) -> Attempt {
    let status = response.status();
    if status.is_success() {
        return Attempt::Accepted(status);
    }
    if is_push && matches!(status, StatusCode::NOT_FOUND | StatusCode::GONE) {
        return Attempt::Gone;
    }
    let after = response.headers().get(header::RETRY_AFTER);
    let after = after.and_then(|after| after.to_str().ok()?.parse().ok());
    let mut said = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        said.extend_from_slice(&piece);
        if said.len() > 4 * QUOTED {
            break;
        }
    }
    said.truncate(4 * QUOTED);
    let said = Content::plain(String::from_utf8_lossy(&said).trim(), QUOTED);
    let said = match said.is_empty() {
        true => String::new(),
        false => format!(": {said}"),
    };
    let why = text::answered(host, status.as_u16(), said);
    let is_passing = status.is_server_error()
        || matches!(
            status,
            StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT
        );
    match is_passing {
        true => Attempt::Later(after.map(Duration::from_secs), why),
        false => Attempt::Refused(why),
    }
}

#[cfg(test)]
mod tests {
    use super::sign;

    #[test]
    fn a_signature_is_about_the_time_and_the_body() {
        let own = sign("key", "1700000000", "{}");
        // As OpenSSL computes it: `printf '1700000000.{}' | openssl dgst -sha256 -hmac key`.
        assert_eq!(
            own,
            "9d713ed406bb7076d4123f0dc2c39d2df5c654ed4b0cd56b52c8b4c940bd63ae"
        );
        for (key, at, body) in [
            ("other", "1700000000", "{}"),
            ("key", "1700000001", "{}"),
            ("key", "1700000000", "{ }"),
        ] {
            assert_ne!(sign(key, at, body), own);
        }
    }
}
