//! Notifications: what leaves Handrail, for whom, and what becomes of it.

mod answers;
mod attempts;
mod crashes;
mod deputies;
mod presence;
pub mod service;

use crate::both::on_both;
use crate::stage::{One, bridge, me, quick, reader, soon, unlike_others};
use handrail::backend::NewConversation;
use handrail::backend::rehearsal::{Dialect, Options as Backend, Rehearsal};
use handrail::hub::Hub;
use handrail::journal::Journal;
use handrail::live::{Choices, Decision, Occasion, Scope};
use handrail::notify::{NewPush, Notifier, Options, PushKeys};
use handrail::people::{Caller, NewLogin, People, Role};
use serde_json::Value;
use service::{Phone, Service};
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::JoinHandle;

on_both![
    a_pending_approval_reaches_the_phone_and_is_replaced_when_it_is_answered,
    people_are_told_that_it_is_their_turn,
];

/// Where the pages are, as a browser knows it.
const ORIGIN: &str = "https://handrail.example/";
const PASSWORD: &str = "correct horse";

/// Hub, accounts and notifier over one journal, and the services around them.
pub struct Home {
    pub service: Service,
    pub rehearsal: Rehearsal,
    pub hub: Hub,
    pub people: People,
    pub notifier: Notifier,
    pub journal: Journal,
    pub folder: TempDir,
    pub options: Options,
    running: JoinHandle<()>,
}

impl Home {
    pub async fn new(dialect: Dialect, change: impl FnOnce(&mut Options)) -> Self {
        let backend = Backend { dialect, ..quick() };
        let rehearsal = Rehearsal::start(backend).await.expect("a free port");
        let service = Service::start().await;
        let host = service.origin().parse().expect("an origin");
        let mut options = Options::new(vec![host], true);
        options.wait = Duration::from_millis(50);
        options.pause = Duration::from_millis(20);
        change(&mut options);
        let folder = TempDir::new().expect("a temporary folder");
        Self::over(folder, rehearsal, service, options).await
    }

    async fn over(
        folder: TempDir,
        rehearsal: Rehearsal,
        service: Service,
        options: Options,
    ) -> Self {
        let journal = Journal::open(folder.path(), reader)
            .await
            .expect("the folder can be written");
        let backend = One(bridge(rehearsal.dialect(), rehearsal.addr(), None));
        let hub = Hub::new(journal.clone(), backend, "/", Duration::ZERO)
            .await
            .expect("a healthy journal");
        let notifier = Notifier::new(hub.clone(), journal.clone(), options.clone())
            .await
            .expect("it has keys");
        let running = notifier.clone();
        Self {
            people: People::new(journal.clone(), folder.path()),
            running: tokio::spawn(async move { running.run().await }),
            service,
            rehearsal,
            hub,
            notifier,
            journal,
            folder,
            options,
        }
    }

    /// Handrail ends as if it was killed, and is started again with other options.
    pub async fn restarted(self, change: impl FnOnce(&mut Options)) -> Self {
        self.running.abort();
        self.hub.shutdown().await;
        let mut options = self.options;
        change(&mut options);
        Self::over(self.folder, self.rehearsal, self.service, options).await
    }

    /// A new account that is logged in.
    pub async fn person(&self, name: &str, role: Role) -> Caller {
        let added = self.people.add(me(), name, role, PASSWORD).await;
        added.expect("the name is free");
        self.log_in(name).await
    }

    /// A login of an account in another browser.
    pub async fn log_in(&self, name: &str) -> Caller {
        let login = NewLogin {
            name,
            password: PASSWORD,
            device: "a phone",
            known: "",
            address: "127.0.0.1",
        };
        let secrets = self
            .people
            .log_in(login)
            .await
            .expect("the password is right");
        let caller = self.people.of_browser(&secrets.login, "127.0.0.1").await;
        caller.expect("a healthy journal").expect("it is logged in")
    }

    /// Subscribes a browser of this person, to all that they may see.
    pub async fn phone(&self, by: &Caller, name: &str) -> (Phone, i64) {
        self.choosing(by, name, |choices| choices.scope = Scope::All)
            .await
    }

    /// The same with other choices; returns the number of the channel, too.
    pub async fn choosing(
        &self,
        by: &Caller,
        name: &str,
        change: impl FnOnce(&mut Choices),
    ) -> (Phone, i64) {
        let phone = Phone::at(&self.service, name);
        let before = self.numbers(by).await;
        self.subscribe(by, &phone).await;
        let numbers = self.numbers(by).await;
        let number = *numbers
            .iter()
            .find(|number| !before.contains(number))
            .expect("it is new");
        let mut choices = Choices::default();
        change(&mut choices);
        self.notifier
            .choose(by, number, choices)
            .await
            .expect("it is theirs");
        (phone, number)
    }

    /// Subscribes the browser of a login.
    pub async fn subscribe(&self, by: &Caller, phone: &Phone) {
        let new = NewPush {
            endpoint: phone.endpoint.clone(),
            keys: PushKeys {
                p256dh: phone.p256dh(),
                auth: phone.auth(),
            },
            device: phone.name.clone(),
        };
        let subscribed = self.notifier.subscribe(by, new, ORIGIN).await;
        subscribed.expect("a known push service");
    }

    /// The numbers of a person's channels.
    pub async fn numbers(&self, by: &Caller) -> Vec<i64> {
        let view = self.notifier.view(by, "").await.expect("a healthy journal");
        view.channels.iter().map(|channel| channel.number).collect()
    }

    /// Starts a conversation.
    pub async fn create_conversation(&self, by: &Caller, scenario: &str) -> String {
        let message = unlike_others(&format!("[[scenario:{scenario}]]"));
        let new = NewConversation::saying(&message);
        let created = self.hub.commands.create(by, "", new).await;
        created.expect("the backend is running")
    }

    /// Waits until so many messages have arrived at a phone, and returns all.
    pub async fn messages(&self, phone: &Phone, count: usize) -> Vec<Value> {
        let what = format!("{count} messages for {}", phone.name);
        soon(&what, async || {
            let messages = phone.messages(&self.service);
            (messages.len() >= count).then_some(messages)
        })
        .await
    }

    /// Waits until an approval of the conversation is pending, other than `before`; returns its token.
    pub async fn pending(&self, id: &str, before: &str) -> String {
        soon("an approval is pending", async || {
            let asked = self.hub.changes.of(id).await.asked?;
            (asked.token != before).then_some(asked.token)
        })
        .await
    }

    /// Decides on a pending approval, as the local user.
    pub async fn decide(&self, id: &str, token: &str, decision: Decision) {
        let commands = &self.hub.commands;
        let decided = commands.answer(me(), id, token, decision, "").await;
        decided.expect("it is pending");
    }
}

async fn a_pending_approval_reaches_the_phone_and_is_replaced_when_it_is_answered(
    dialect: Dialect,
) {
    let home = Home::new(dialect, |_| ()).await;
    let ada = home.person("ada", Role::Operator).await;
    let (phone, number) = home
        .choosing(&ada, "phone", |choices| {
            choices.occasions = vec![Occasion::NeedsApproval]
        })
        .await;
    let id = home.create_conversation(&ada, "confirm").await;
    let token = home.pending(&id, "").await;
    let first = home.messages(&phone, 1).await.remove(0);
    assert_eq!(first["web_push"], 8030);
    assert_eq!(first["app_badge"], "1");
    let shown = &first["notification"];
    assert!(
        shown["body"]
            .as_str()
            .is_some_and(|body| body.starts_with("Needs approval · ")),
        "{shown}"
    );
    assert!(
        !shown.to_string().contains("confirm me"),
        "the command is private: {shown}"
    );
    assert_eq!(shown["navigate"], format!("{ORIGIN}c/{id}"));
    assert_eq!(shown["tag"], id);
    assert_eq!(shown["data"]["token"], token);
    assert_eq!(shown["data"]["channel"], number);
    let actions: Vec<&str> = shown["actions"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|one| one["action"].as_str())
        .collect();
    assert_eq!(actions, ["reject", "open"]);
    let topic = |at: usize| home.service.arrived("phone")[at].headers["topic"].clone();
    assert_eq!(home.service.arrived("phone")[0].headers["urgency"], "high");

    home.decide(&id, &token, Decision::Reject).await;
    // The next action may be asked about at once; the first message after the answer replaces the notification.
    let second = home.messages(&phone, 2).await.remove(1);
    assert_eq!(topic(0), topic(1));
    assert_eq!(second["notification"]["tag"], id);
    assert_eq!(second["notification"]["body"], "No longer needs approval");
    assert_eq!(second["notification"]["silent"], true);
    assert_eq!(second["notification"]["actions"], serde_json::json!([]));
}

async fn people_are_told_that_it_is_their_turn(dialect: Dialect) {
    let home = Home::new(dialect, |_| ()).await;
    let ada = home.person("ada", Role::Operator).await;
    let (phone, _) = home.phone(&ada, "phone").await;
    let id = home.create_conversation(&ada, "hello").await;
    let message = home.messages(&phone, 1).await.remove(0);
    let body = message["notification"]["body"].as_str().expect("a text");
    assert!(["Your turn", "Finished"].contains(&body), "{body}");
    assert_eq!(message["app_badge"], "0");
    assert_eq!(message["notification"]["tag"], id);
    assert_eq!(
        home.service.arrived("phone")[0].headers["urgency"],
        "normal"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_renewed_subscription_replaces_the_old_one_and_keeps_its_choices() {
    let home = Home::new(Dialect::AgentServer, |_| ()).await;
    let ada = home.person("ada", Role::Operator).await;
    home.choosing(&ada, "before", |choices| choices.shows_text = true)
        .await;
    let phone = Phone::at(&home.service, "after");
    home.subscribe(&ada, &phone).await;
    let channels = home
        .notifier
        .view(&ada, "")
        .await
        .expect("a healthy journal")
        .channels;
    assert_eq!(channels.len(), 1);
    assert!(channels[0].choices.shows_text && channels[0].here);
    // Whoever logs in there next has the browser for themselves.
    let bob = home.person("bob", Role::Operator).await;
    home.subscribe(&bob, &phone).await;
    assert!(home.numbers(&ada).await.is_empty());
    assert_eq!(home.numbers(&bob).await.len(), 1);
}
