//! Notifications: each is sent once, to whom it may be sent, and answered only from where it was shown.

use super::super::{
    DueNotice, LoginRecord, NewChannel, NewNotice, NoticeEnd, Notified, PersonChange,
};
use super::{ID, Journal, TempDir, journal};

/// Logins are valid from this time on.
const VALID: (i64, i64) = (0, 0);

fn channel(person: i64, login: Option<i64>, address: &str) -> NewChannel {
    NewChannel {
        person,
        login,
        kind: "push",
        address: address.to_owned(),
        secret: String::new(),
        origin: "https://h.example/".to_owned(),
        name: String::new(),
        choices: "{}".to_owned(),
        created_at: 1,
    }
}

/// Ada with a login and the number of her browser's channel.
async fn ada() -> (Journal, TempDir, (i64, Option<i64>, i64)) {
    let (journal, folder) = journal().await;
    let added = journal.add_person("ada", "approver", String::new(), false, 1);
    let person = added.await.expect("healthy").expect("a new name");
    let login = log_in(&journal, "ada", 1).await;
    let added = journal.add_channel(channel(person, Some(login), "https://push.example/a"));
    let number = added.await.expect("healthy");
    (journal, folder, (person, Some(login), number))
}

/// A person logs in; the number of the login.
async fn log_in(journal: &Journal, name: &str, secret: u8) -> i64 {
    let person = journal.person(name).await.expect("healthy");
    let person = person.expect("they are there");
    let record = LoginRecord {
        strong: false,
        number: 0,
        device: String::new(),
        address: String::new(),
        begun_at: 10,
        seen_at: 10,
    };
    let hash = [secret; 32];
    let begun = journal.begin_login(&person, hash, hash, record, VALID);
    assert!(begun.await.expect("healthy"));
    let login = journal.login(hash).await.expect("healthy");
    login.expect("it has just begun").1.number
}

/// An approval is notified in a channel.
async fn notify(journal: &Journal, channel: i64, token: &str) {
    let notice = NewNotice {
        channel,
        occasion: "needs_approval",
        content: "{}".to_owned(),
        due_at: 20,
        expires_at: 1_000,
        replaces: false,
    };
    let told = Notified {
        phase: "needs_approval".to_owned(),
        token: token.to_owned(),
    };
    let stored = journal.tell(ID, Some(told), 20, vec![notice]).await;
    stored.expect("healthy");
}

async fn due(journal: &Journal, flying: &[i64]) -> Vec<DueNotice> {
    let taken = journal.take_due(30, VALID, flying.to_vec(), 10).await;
    taken.expect("healthy").0
}

async fn end(journal: &Journal, number: i64, end: NoticeEnd) {
    let ended = journal.end_attempts(30, vec![(number, end)]).await;
    ended.expect("healthy");
}

#[tokio::test]
async fn a_notification_that_is_being_sent_is_not_sent_beside_it() {
    let (journal, _folder, (.., channel)) = ada().await;
    notify(&journal, channel, "t").await;
    let first = due(&journal, &[]).await;
    let number = first[0].number;
    assert!(due(&journal, &[number]).await.is_empty());
    end(&journal, number, NoticeEnd::Again(30, "busy".to_owned())).await;
    let again = due(&journal, &[]).await;
    assert_eq!((again[0].number, again[0].attempts), (number, 1));
    end(&journal, number, NoticeEnd::Sent).await;
    assert!(due(&journal, &[]).await.is_empty(), "it has arrived");
}

#[tokio::test]
async fn a_notification_is_sent_to_nobody_whose_access_has_ended() {
    let (journal, _folder, (person, _, browser)) = ada().await;
    notify(&journal, browser, "t").await;
    // Logins from before 11 have expired.
    let expired = journal.take_due(30, (11, 0), Vec::new(), 10).await;
    assert!(expired.expect("healthy").0.is_empty());
    assert!(journal.channels((11, 0)).await.expect("healthy").is_empty());
    assert_eq!(journal.channels(VALID).await.expect("healthy").len(), 1);
    let webhook = journal.add_channel(channel(person, None, "https://hook.example/"));
    notify(&journal, webhook.await.expect("healthy"), "t").await;
    let disabled = journal.change_person(person, PersonChange::Disabled(true));
    disabled.await.expect("healthy");
    assert!(journal.channels(VALID).await.expect("healthy").is_empty());
    assert!(due(&journal, &[]).await.is_empty());
}

#[tokio::test]
async fn a_resolved_approval_is_told_only_where_its_notification_may_be() {
    let (journal, _folder, (.., channel)) = ada().await;
    notify(&journal, channel, "untried").await;
    let places = async |token: &str| journal.take_back(ID, token).await.expect("healthy");
    assert!(places("untried").await.is_empty());
    assert!(
        due(&journal, &[]).await.is_empty(),
        "nobody has to know any more"
    );
    notify(&journal, channel, "tried").await;
    let number = due(&journal, &[]).await[0].number;
    assert_eq!(places("tried").await, [channel], "it is on its way");
    end(&journal, number, NoticeEnd::Sent).await;
    assert_eq!(places("tried").await, [channel]);
    assert!(places("another").await.is_empty());
}

#[tokio::test]
async fn an_approval_is_answered_only_from_the_browser_that_was_notified() {
    let (journal, _folder, (person, login, channel)) = ada().await;
    notify(&journal, channel, "t").await;
    let sent = async |place, conversation: &str, token: &str| {
        let notice = journal.sent_notice(place, conversation, token).await;
        notice.expect("healthy").is_some()
    };
    let here = (person, login, channel);
    let number = due(&journal, &[]).await[0].number;
    assert!(!sent(here, ID, "t").await, "it has not arrived");
    end(&journal, number, NoticeEnd::Sent).await;
    assert!(sent(here, ID, "t").await);
    let elsewhere = Some(log_in(&journal, "ada", 2).await);
    for place in [
        (person + 1, login, channel),
        (person, elsewhere, channel),
        (person, None, channel),
        (person, login, channel + 1),
    ] {
        assert!(!sent(place, ID, "t").await, "{place:?}");
    }
    assert!(!sent(here, "other", "t").await && !sent(here, ID, "u").await);
}

#[tokio::test]
async fn a_notification_is_kept_while_its_approval_can_be_answered() {
    let (journal, _folder, here) = ada().await;
    notify(&journal, here.2, "t").await;
    let number = due(&journal, &[]).await[0].number;
    end(&journal, number, NoticeEnd::Sent).await;
    let is_kept = async || {
        journal.forget_notices(100).await.expect("healthy");
        let notice = journal.sent_notice(here, ID, "t").await;
        notice.expect("healthy").is_some()
    };
    assert!(is_kept().await);
    journal
        .tell(ID, None, 30, Vec::new())
        .await
        .expect("healthy");
    assert!(!is_kept().await);
}

#[tokio::test]
async fn a_browser_belongs_to_who_is_logged_in_there() {
    let (journal, _folder, (_, _, before)) = ada().await;
    let added = journal.add_person("bob", "viewer", String::new(), false, 1);
    let bob = added.await.expect("healthy").expect("a new name");
    let login = log_in(&journal, "bob", 3).await;
    let added = journal.add_channel(channel(bob, Some(login), "https://push.example/a"));
    let now = added.await.expect("healthy");
    assert_ne!(now, before);
    let channels = journal.channels(VALID).await.expect("healthy");
    let people: Vec<i64> = channels.iter().map(|channel| channel.person).collect();
    assert_eq!(people, [bob], "Ada's messages would be shown to Bob");
}
