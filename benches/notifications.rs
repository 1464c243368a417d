//! The time from an agent's question to the push message at the push service, without the deliberate 8 seconds.

use crate::service::{Phone, Service};
use crate::stage::{One, bridge, me, quick, reader};
use handrail::backend::NewConversation;
use handrail::backend::rehearsal::{Dialect, Options as Backend, Rehearsal};
use handrail::hub::Hub;
use handrail::journal::{Journal, LoginRecord};
use handrail::live::{Choices, Scope};
use handrail::notify::{NewPush, Notifier, Options, PushKeys};
use handrail::people::{Caller, Credential, Role};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

/// Questions for each number of people.
const QUESTIONS: usize = 20;

/// Measures, and prints a table.
pub async fn run() {
    println!("| people | p50 | p99 | most |\n|---|---|---|---|");
    for people in [1, 100, 1_000] {
        measure(people).await;
    }
}

async fn measure(people: usize) {
    let backend = Backend {
        dialect: Dialect::AgentServer,
        ..quick()
    };
    let rehearsal = Rehearsal::start(backend).await.expect("a free port");
    let service = Service::start().await;
    let folder = TempDir::new().expect("a temporary folder");
    let journal = Journal::open(folder.path(), reader)
        .await
        .expect("the folder can be written");
    let backend = One(bridge(Dialect::AgentServer, rehearsal.addr(), None));
    let hub = Hub::new(journal.clone(), backend, "/", Duration::ZERO)
        .await
        .expect("a healthy journal");
    let host = service.origin().parse().expect("an origin");
    let options = Options {
        wait: Duration::ZERO,
        ..Options::new(vec![host], false)
    };
    let notifier = Notifier::new(hub.clone(), journal.clone(), options)
        .await
        .expect("it has keys");
    let running = notifier.clone();
    let running = tokio::spawn(async move { running.run().await });
    for number in 0..people {
        subscribe(&journal, &notifier, &service, number).await;
    }
    let mut took = Vec::new();
    for round in 0..QUESTIONS {
        let new = NewConversation::saying("[[scenario:confirm]]");
        let id = hub
            .commands
            .create(me(), "", new)
            .await
            .expect("the backend is running");
        while hub.changes.of(&id).await.asked.is_none() {
            tokio::time::sleep(Duration::from_micros(200)).await;
        }
        let asked = Instant::now();
        let all = people * (round + 1);
        while service.times().len() < all {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let arrived = service.times();
        took.extend(
            arrived[all - people..]
                .iter()
                .map(|at| at.saturating_duration_since(asked)),
        );
    }
    running.abort();
    took.sort_unstable();
    let at = |share: f64| took[((took.len() - 1) as f64 * share) as usize].as_secs_f64() * 1_000.0;
    println!(
        "| {people} | {:.1} ms | {:.1} ms | {:.1} ms |",
        at(0.5),
        at(0.99),
        at(1.0)
    );
    hub.shutdown().await;
}

/// A person with a phone, who wants to know everything.
async fn subscribe(journal: &Journal, notifier: &Notifier, service: &Service, number: usize) {
    let name = format!("person{number}");
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .expect("after 1970");
    let now = i64::try_from(since.as_millis()).expect("before the year 292 million");
    let added = journal.add_person(&name, Role::Operator.word(), "none".to_owned(), false, now);
    added
        .await
        .expect("a healthy journal")
        .expect("the name is free");
    let person = journal
        .person(&name)
        .await
        .expect("a healthy journal")
        .expect("it was added");
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&number.to_be_bytes());
    let login = LoginRecord {
        number: 0,
        device: String::new(),
        address: String::new(),
        begun_at: now,
        seen_at: now,
        strong: false,
    };
    let begun = journal.begin_login(&person, hash, hash, login, (0, 0));
    assert!(begun.await.expect("a healthy journal"));
    let login = journal
        .logins(person.number)
        .await
        .expect("a healthy journal")[0]
        .number;
    let by = Caller {
        person: person.number,
        name: name.clone(),
        role: Role::Operator,
        address: String::new(),
        credential: Credential::Login(login),
    };
    let phone = Phone::at(service, &name);
    let new = NewPush {
        endpoint: phone.endpoint.clone(),
        keys: PushKeys {
            p256dh: phone.p256dh(),
            auth: phone.auth(),
        },
        device: String::new(),
    };
    notifier
        .subscribe(&by, new, "https://handrail.example/")
        .await
        .expect("an allowed service");
    let channel = notifier
        .view(&by, "")
        .await
        .expect("a healthy journal")
        .channels[0]
        .number;
    let all = Choices {
        scope: Scope::All,
        ..Choices::default()
    };
    notifier
        .choose(&by, channel, all)
        .await
        .expect("it is theirs");
}
