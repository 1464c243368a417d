//! What users click, and how each click gets its outcome.
//!
//! Long because it has every click.

use crate::backend::{ADDRESSES, NOBODY};
use crate::clock;
use crate::people::{Click, PEOPLE, Reply, What, caller};
use crate::run::Run;
use crate::world::{Dialect, lock};
use handrail::backend::NewConversation;
use handrail::hub::{HubError, Target};
use handrail::live::{Decision, Steering};
use handrail::people::Audience;
use std::sync::{Arc, Mutex};

impl Run {
    pub fn click(
        &mut self,
        person: usize,
        at: usize,
        what: What,
        work: impl Future<Output = Result<(), HubError>> + Send + 'static,
    ) {
        let mut world = lock(&self.world);
        world.counts.clicks += 1;
        world.note(format_args!("{} clicks {what:?}", PEOPLE[person].0));
        drop(world);
        let reply: Arc<Mutex<Option<Reply>>> = Arc::default();
        let tell = reply.clone();
        let task = tokio::spawn(async move {
            let outcome = work.await;
            *tell.lock().expect("the lock is not poisoned") = Some(Reply::of(&outcome));
        });
        self.clicks.push(Click {
            person,
            at,
            what,
            when: clock::now(),
            reply,
            task: task.abort_handle(),
            over: false,
        });
    }

    pub fn operator(&mut self, at: usize) -> Option<usize> {
        let person = self.dice.place(3);
        let id = lock(&self.world).conversations[at].id.clone();
        self.hub()
            .sharings
            .role_in(&caller(person), &id)
            .map(|_| person)
    }

    pub fn says(&mut self, at: usize) {
        let Some(person) = self.operator(at) else {
            return;
        };
        let (id, mark) = {
            let mut world = lock(&self.world);
            let mark = world.mark('m');
            (world.conversations[at].id.clone(), mark)
        };
        self.sends(
            person,
            at,
            &id,
            &format!("client-{mark}"),
            &format!("Please do {mark}"),
        );
    }

    pub fn sends(&mut self, person: usize, at: usize, id: &str, client_id: &str, text: &str) {
        let what = What::Say {
            client_id: client_id.to_owned(),
            text: text.to_owned(),
        };
        let (hub, by, id) = (self.hub().clone(), caller(person), id.to_owned());
        let (client_id, text) = (client_id.to_owned(), text.to_owned());
        self.click(person, at, what, async move {
            hub.commands
                .say(&by, &id, &client_id, &text, Vec::new(), Vec::new())
                .await
        });
    }

    /// A page without a response sends its message again.
    pub fn says_again(&mut self) {
        let said = self
            .clicks
            .iter()
            .rev()
            .find_map(|click| match &click.what {
                What::Say { client_id, text } => {
                    Some((click.person, click.at, client_id.clone(), text.clone()))
                }
                _ => None,
            });
        if let Some((person, at, client_id, text)) = said {
            let id = lock(&self.world).conversations[at].id.clone();
            self.sends(person, at, &id, &client_id, &text);
        }
    }

    /// A user answers an approval that a page shows, or has shown.
    pub fn answers(&mut self, beside: bool) {
        let shown = self.pages.iter().filter_map(|page| {
            let approval = page.session.as_ref()?.approval.as_ref()?;
            Some((page.person, page.at, approval.token.clone()))
        });
        let mut shown: Vec<(usize, usize, String)> =
            shown.filter(|(person, ..)| *person < 3).collect();
        if shown.is_empty() || self.dice.percent(6) {
            let old = self
                .tokens
                .iter()
                .map(|(token, (at, _))| (0, *at, token.clone()));
            shown.extend(old);
        }
        if shown.is_empty() {
            return;
        }
        let (person, at, token) = shown.swap_remove(self.dice.place(shown.len()));
        if self.plan.amends && self.dice.percent(30) {
            return self.amends(person, at, &token);
        }
        let yes = self.dice.percent(65);
        self.answer(person, at, &token, yes);
        // Mostly, a second person follows the first one, if it is not the same.
        if self.plan.needs_two && yes && !beside {
            let other = self.dice.place(3);
            self.answer(
                other,
                at,
                &token,
                self.plan.seed.is_multiple_of(2) || person != other,
            );
        }
        if beside {
            let other = self.dice.place(3);
            let otherwise = self.dice.percent(50);
            self.answer(other, at, &token, yes ^ otherwise);
        }
    }

    /// A user asks for another command instead of the pending one.
    fn amends(&mut self, person: usize, at: usize, token: &str) {
        let (id, mark) = {
            let mut world = lock(&self.world);
            let mark = world.mark('c');
            world.conversations[at].amended.insert(mark.clone());
            (world.conversations[at].id.clone(), mark)
        };
        if self.hub().sharings.role_in(&caller(person), &id).is_none() {
            return;
        }
        let (hub, by, token) = (self.hub().clone(), caller(person), token.to_owned());
        let text = format!("echo {mark}");
        self.click(person, at, What::Amend { mark }, async move {
            hub.commands.amend(&by, &id, &token, &text, None).await
        });
    }

    pub fn answer(&mut self, person: usize, at: usize, token: &str, yes: bool) {
        let id = lock(&self.world).conversations[at].id.clone();
        if self.hub().sharings.role_in(&caller(person), &id).is_none() {
            return;
        }
        lock(&self.world).counts.answers += 1;
        let what = What::Answer {
            token: token.to_owned(),
            yes,
        };
        let (hub, by, token) = (self.hub().clone(), caller(person), token.to_owned());
        let decision = if yes {
            Decision::Approve
        } else {
            Decision::Reject
        };
        let reason = if !yes && self.dice.percent(30) {
            format!("Because of {}", lock(&self.world).mark('n'))
        } else {
            String::new()
        };
        self.click(person, at, what, async move {
            hub.commands
                .answer(&by, &id, &token, decision, &reason)
                .await
        });
    }

    pub fn steers(&mut self, at: usize) {
        let Some(person) = self.operator(at) else {
            return;
        };
        let id = lock(&self.world).conversations[at].id.clone();
        let order = [
            Steering::Pause,
            Steering::Resume,
            Steering::Resume,
            Steering::Stop,
        ][self.dice.place(4)];
        let (hub, by) = (self.hub().clone(), caller(person));
        self.click(person, at, What::Steer, async move {
            hub.commands.steer(&by, &id, order).await
        });
    }

    /// A user retries or discards a failed message.
    pub fn advance_until_idle(&mut self) {
        let said: Vec<(usize, usize, String)> = self
            .clicks
            .iter()
            .filter_map(|click| match &click.what {
                What::Say { client_id, .. } => Some((click.person, click.at, client_id.clone())),
                _ => None,
            })
            .collect();
        if said.is_empty() {
            return;
        }
        let (person, at, client_id) = said[self.dice.place(said.len())].clone();
        let again = self.dice.percent(70);
        let what = What::Settle {
            client_id: client_id.clone(),
            again,
        };
        let id = lock(&self.world).conversations[at].id.clone();
        let (commands, by) = (self.hub().commands.clone(), caller(person));
        self.click(person, at, what, async move {
            commands.resolve_failed(&by, &id, &client_id, again).await
        });
    }

    /// The owner grants or revokes several users' access at the same time.
    pub fn shares(&mut self, at: usize) {
        let id = lock(&self.world).conversations[at].id.clone();
        if self.dice.percent(40) {
            let audience = if self.dice.percent(50) {
                Audience::Some
            } else {
                Audience::All
            };
            let (hub, by) = (self.hub().clone(), caller(0));
            let id = id.clone();
            self.click(0, at, What::Steer, async move {
                hub.commands.share(&by, &id, audience).await
            });
        }
        for (name, _) in &PEOPLE[1..] {
            let name = (*name).to_owned();
            let is_same = |click: &Click| matches!(&click.what, What::Share { name: other, .. } if *other == name);
            let under_way = self
                .clicks
                .iter()
                .any(|click| !click.over && click.at == at && is_same(click));
            if under_way || self.dice.percent(40) {
                continue;
            }
            let shared = self.dice.percent(60);
            let (hub, by, id) = (self.hub().clone(), caller(0), id.clone());
            let what = What::Share {
                name: name.clone(),
                shared,
            };
            // The state is uncertain until the outcome is known.
            self.shared.remove(&(at, name.clone()));
            self.click(0, at, what, async move {
                if shared {
                    hub.commands.share_with(&by, &id, &name, None).await
                } else {
                    hub.commands.unshare(&by, &id, &name).await
                }
            });
        }
    }

    pub fn deletes(&mut self, at: usize) {
        let id = lock(&self.world).conversations[at].id.clone();
        let (hub, by) = (self.hub().clone(), caller(0));
        self.click(0, at, What::Delete, async move {
            hub.commands.delete(&by, &id).await
        });
    }

    /// The owner gives a backend another key, or adds or removes one at which nothing responds.
    pub fn edits(&mut self, dialect: Dialect) {
        let (hub, by, choice) = (self.hub().clone(), caller(0), self.dice.below(10));
        let key = format!("key-{}", self.dice.next());
        self.click(0, 0, What::Edit, async move {
            let other = Target::at(NOBODY, None).label();
            match choice {
                0..=5 => {
                    let address = ADDRESSES[dialect as usize];
                    hub.backends.save(&by, "", false, address, &key).await
                }
                6..=7 => hub.backends.save(&by, "", false, NOBODY, "").await,
                _ => hub.backends.remove(&by, &other).await,
            }
        });
    }

    /// A user starts a conversation.
    pub fn creates(&mut self, dialect: Dialect) {
        let person = self.dice.place(3);
        let text = format!("Please begin {}", lock(&self.world).mark('b'));
        let on = Target::at(ADDRESSES[dialect as usize], None).label();
        let (hub, by) = (self.hub().clone(), caller(person));
        let new = NewConversation::saying(&text);
        self.click(person, 0, What::Create { text }, async move {
            hub.commands.create(&by, &on, new).await.map(drop)
        });
    }

    pub fn starts_or_stops(&mut self, at: usize, start: bool) {
        let newest = lock(&self.world).conversations.len() - 1;
        let is_newer = newest >= self.plan.conversations && self.dice.percent(40);
        let at = if is_newer { newest } else { at };
        let id = lock(&self.world).conversations[at].id.clone();
        let (hub, by) = (self.hub().clone(), caller(0));
        let what = if start { What::Start } else { What::Stop };
        if !start {
            self.started.remove(&at);
        }
        self.click(0, at, what, async move {
            if start {
                hub.commands.start(&by, &id).await
            } else {
                hub.commands.stop(&by, &id).await
            }
        });
    }
}
