//! Approvals by two people, touches of passkeys, rules, amendments, deadlines, messages and restarts, in every order: what the journal does is compared with a
//! small model of what must happen.
//!
//! One seed determines an order. The journal decides alone what counts, so the orders of its transactions are all that there
//! are; how the actor comes to them is tested by `ruling.rs` and by the simulation. A few hundred orders by default, 10,000 with
//! `--all`, and `HANDRAIL_ORDERS` as many as one asks for.
//!
//! Long because the model stands beside what it is compared with.

use super::*;
use crate::hub::authorities::{judge, judge_amendment, judge_request, judge_rule};
use crate::hub::deadlines::rejected;
use crate::hub::wait_clock::Times;
use crate::journal::{
    ApprovalState, AuditEntry, Claim, ConversationMeta, Journal, NewAmendment, NewAnswer, NewRule,
    NewTouch, PasskeyRecord, PersonChange, Question, ShownRecord, hash_of_shown,
};
use crate::people::{Authority, Escalation, Escalations, Means, Reach, Role, Touches};
use std::collections::HashMap;

/// Orders by default, and with `--all`.
const ORDERS: u64 = 400;
const ALL_ORDERS: u64 = 10_000;
/// Steps of an order.
const STEPS: u64 = 16;
/// How long an amendment lasts, in milliseconds.
const LASTS: i64 = 600_000;
/// What nobody has answered for so many minutes is rejected.
const REJECTED_AFTER: u32 = 5;
const PEOPLE: [&str; 3] = ["ada", "bob", "cyd"];

/// Numbers that one seed determines.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end
    }

    fn place(&mut self, end: usize) -> usize {
        self.below(end as u64) as usize
    }
}

/// An approval request in the model.
#[derive(Debug, Clone)]
struct Asked {
    high: bool,
    at: i64,
    /// Since when it waits.
    since: i64,
    state: ApprovalState,
    /// Whether there was an answer, whatever became of it.
    answered: bool,
    /// Whether that was because nobody answered.
    by_nobody: bool,
    first: Option<usize>,
    /// Whether the first one has touched.
    first_touched: bool,
}

/// What must be so.
#[derive(Debug)]
struct Model {
    two: bool,
    /// Whether what is rated high needs a touch.
    touches: bool,
    may: [bool; 3],
    rule: bool,
    asked: HashMap<&'static str, Asked>,
    /// Of whom, for which action, since when, and whether with a touch.
    amendment: Option<(usize, &'static str, i64, bool)>,
}

/// What comes with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Touch {
    None,
    /// Of the same person, for the same approval.
    Right,
    /// For another one.
    Wrong,
}

/// What an approval must come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Must {
    Send,
    First,
    Refuse,
    Late,
    Touch,
}

impl Model {
    /// What the approval of a person comes to.
    fn approve(&mut self, token: &str, person: usize, by_token: bool, touch: Touch) -> Must {
        let (two, may, touches) = (self.two, self.may, self.touches);
        let Some(asked) = self
            .asked
            .get_mut(token)
            .filter(|asked| asked.state.is_open())
        else {
            return Must::Late;
        };
        if !may[person] {
            return Must::Refuse;
        }
        if asked.high {
            if two && by_token {
                return Must::Refuse;
            }
            if touch == Touch::Wrong || (touches && touch == Touch::None) {
                return Must::Touch;
            }
            let counts = asked.first_touched || !touches;
            match asked.first.filter(|first| may[*first] && counts) {
                _ if !two => {}
                None => {
                    asked.first = Some(person);
                    asked.first_touched = touch == Touch::Right;
                    return Must::First;
                }
                Some(first) if first == person => return Must::First,
                Some(_) => {}
            }
        }
        if touch == Touch::Wrong {
            return Must::Touch;
        }
        (asked.state, asked.answered, asked.by_nobody) = (ApprovalState::Sent, true, false);
        Must::Send
    }

    /// Whether an answer that nobody touches for is refused.
    fn lacks_touch(&self, token: &str) -> bool {
        self.touches && self.asked.get(token).is_some_and(|asked| asked.high)
    }

    /// Whether nobody has answered, so that something may answer by itself.
    fn is_free(&self, token: &str) -> bool {
        let asked = self.asked.get(token);
        asked.is_some_and(|asked| {
            asked.state == ApprovalState::Open && !asked.answered && !(asked.high && self.two)
        })
    }

    fn sent(&mut self, token: &str) {
        let asked = self.asked.get_mut(token).expect("it is free");
        (asked.state, asked.answered) = (ApprovalState::Sent, true);
    }
}

/// The journal and its model.
struct Order {
    journal: Journal,
    folder: std::path::PathBuf,
    id: String,
    people: [i64; 3],
    passkeys: [i64; 3],
    rule: i64,
    model: Model,
    now: i64,
    told: Vec<String>,
}

impl Order {
    fn answer(
        &self,
        (person, token): (usize, &str),
        approved: bool,
        amendment: Option<NewAmendment>,
        touch: Touch,
    ) -> NewAnswer {
        let state = || "a state".to_owned();
        let amended = amendment.as_ref().map_or("", |asked| asked.action.as_str());
        let touch = (touch != Touch::None).then(|| NewTouch {
            person: self.people[person],
            token: token.to_owned(),
            shown: hash_of_shown(if touch == Touch::Right {
                token
            } else {
                "another"
            }),
            amended: amended.to_owned(),
            until: self.now,
            passkey: self.passkeys[person],
            before: state(),
            after: state(),
            proof: String::new(),
        });
        NewAnswer {
            approved,
            reason: String::new(),
            by: PEOPLE[person].to_owned(),
            entry: AuditEntry {
                at: self.now,
                person: self.people[person],
                ..AuditEntry::default()
            },
            amendment,
            touch,
        }
    }

    async fn step(&mut self, dice: &mut Dice) {
        self.now += 1 + dice.below(3) as i64 * 100_000;
        let token = ["one", "two"][dice.place(2)];
        let (person, action) = (dice.place(3), ["x", "y"][dice.place(2)]);
        let touch = [Touch::None, Touch::Right, Touch::Right, Touch::Wrong][dice.place(4)];
        let kind = dice.below(23);
        self.told.push(format!(
            "{kind} {token} {person} {action} {touch:?} at {}: {:?}",
            self.now, self.model
        ));
        match kind {
            0..=3 => self.ask(token, dice.below(3) > 0).await,
            4..=10 => self.approve(token, person, kind == 10, touch).await,
            11..=13 => {
                self.reject(token, person, (kind != 11).then_some(action), touch)
                    .await
            }
            14 => self.rule(token).await,
            15..=16 => self.amended(token, action).await,
            17 => self.change(person).await,
            18 => self.outcome(token, dice.below(2) == 0).await,
            19..=20 => self.nobody_answers(token).await,
            21 => self.set_deadline().await,
            _ => self.restart(dice).await,
        }
    }

    async fn ask(&mut self, token: &'static str, high: bool) {
        let id = self.id.clone();
        let rating = if high { "high" } else { "" }.to_owned();
        let question = Question {
            token: token.to_owned(),
            question: token.to_owned(),
            shown: String::new(),
            rating,
        };
        self.journal
            .ask(&id, question, self.now)
            .await
            .expect("healthy");
        for (other, asked) in &mut self.model.asked {
            if *other != token && asked.state.is_open() {
                asked.state = ApprovalState::Superseded;
            }
        }
        let known = self.model.asked.get_mut(token);
        match known.filter(|asked| asked.state != ApprovalState::Superseded) {
            Some(asked) => asked.high = high,
            None => {
                // What was asked before keeps its time and what was answered.
                let before = self.model.asked.get(token);
                let (at, answered) = before.map_or((self.now, false), |old| (old.at, old.answered));
                let by_nobody = before.is_some_and(|old| old.by_nobody);
                let state = ApprovalState::Open;
                let asked = Asked {
                    high,
                    at,
                    // But it waits from now on.
                    since: self.now,
                    state,
                    answered,
                    by_nobody,
                    first: None,
                    first_touched: false,
                };
                self.model.asked.insert(token, asked);
            }
        }
    }

    async fn approve(&mut self, token: &'static str, person: usize, by_token: bool, touch: Touch) {
        let must = self.model.approve(token, person, by_token, touch);
        let means = match by_token {
            true => Means::Token(Role::Owner),
            false => Means::Person,
        };
        let answer = self.answer((person, token), true, None, touch);
        let claimed = self
            .journal
            .claim(&self.id, token, answer, judge(means, false))
            .await;
        let claimed = match claimed.expect("healthy") {
            Claim::Won => Must::Send,
            Claim::First(_) => Must::First,
            Claim::Refused(_) => Must::Refuse,
            Claim::Answered(_) | Claim::Unknown => Must::Late,
            Claim::Untouched => Must::Touch,
        };
        assert_eq!(claimed, must, "{:#?}", self.told);
    }

    async fn reject(
        &mut self,
        token: &'static str,
        person: usize,
        action: Option<&'static str>,
        touch: Touch,
    ) {
        let needs = self.model.lacks_touch(token);
        // Where two have to approve, nothing that is asked for instead is approved.
        let high = self.model.asked.get(token).is_some_and(|asked| asked.high);
        let is_moot = self.model.two && high;
        let lacks = touch == Touch::Wrong || (needs && touch == Touch::None);
        let is_refused = action.is_some() && lacks && !is_moot;
        let asked = self.model.asked.get_mut(token);
        let open = asked.filter(|asked| asked.state.is_open() && !is_refused);
        let must = open.is_some();
        if let Some(asked) = open {
            (asked.state, asked.answered, asked.by_nobody) = (ApprovalState::Sent, true, false);
            if let Some(action) = action {
                self.model.amendment = Some((person, action, self.now, touch == Touch::Right));
            }
        }
        let amendment = action.map(|action| NewAmendment {
            action: action.to_owned(),
            lasts: LASTS,
        });
        let answer = self.answer((person, token), false, amendment, touch);
        let claimed = self
            .journal
            .claim(&self.id, token, answer, judge_request)
            .await;
        assert_eq!(
            claimed.expect("healthy") == Claim::Won,
            must,
            "{:#?}",
            self.told
        );
    }

    async fn rule(&mut self, token: &'static str) {
        let may = self.model.may[0] && !self.model.lacks_touch(token);
        let must = self.model.rule && self.model.is_free(token) && may;
        let entry = AuditEntry {
            at: self.now,
            ..AuditEntry::default()
        };
        let judge = judge_rule(false);
        let claimed = self
            .journal
            .claim_by_rule(&self.id, token, self.rule, "a rule", entry, judge);
        assert_eq!(
            claimed.await.expect("healthy").is_some(),
            must,
            "{:#?}",
            self.told
        );
        if must {
            self.model.sent(token);
        }
    }

    async fn amended(&mut self, token: &'static str, action: &'static str) {
        let amendment = self
            .model
            .amendment
            .filter(|(_, wanted, at, _)| *wanted == action && self.now < at + LASTS);
        let found = self.journal.amendment(&self.id, action, self.now).await;
        let found = found.expect("healthy");
        assert_eq!(found.is_some(), amendment.is_some(), "{:#?}", self.told);
        let (Some(found), Some((maker, _, at, touched))) = (found, amendment) else {
            return;
        };
        let is_later = self
            .model
            .asked
            .get(token)
            .is_some_and(|asked| asked.at >= at);
        let may = self.model.may[maker] && (touched || !self.model.lacks_touch(token));
        let must = self.model.is_free(token) && is_later && may;
        let entry = AuditEntry {
            at: self.now,
            ..AuditEntry::default()
        };
        let claimed =
            self.journal
                .claim_by_amendment(&self.id, token, found, entry, judge_amendment);
        assert_eq!(
            claimed.await.expect("healthy").is_some(),
            must,
            "{:#?}",
            self.told
        );
        if must {
            self.model.sent(token);
            self.model.amendment = None;
        }
    }

    /// The time for an answer may be over.
    async fn nobody_answers(&mut self, token: &'static str) {
        let now = self.now;
        let asked = self.model.asked.get_mut(token);
        let open = asked.filter(|asked| {
            let is_unanswered = !asked.answered || asked.by_nobody;
            let is_over = now - asked.since >= i64::from(REJECTED_AFTER) * 60_000;
            asked.state == ApprovalState::Open && is_unanswered && is_over
        });
        let must = open.is_some();
        if let Some(asked) = open {
            (asked.state, asked.answered, asked.by_nobody) = (ApprovalState::Sent, true, true);
        }
        let entry = AuditEntry {
            at: now,
            ..AuditEntry::default()
        };
        let at = Times {
            now,
            running_since: i64::MIN,
        };
        let over = move |facts: &_| rejected(facts, at).is_some();
        let by = ("Handrail", "nobody answered in 5 minutes");
        let claimed = self
            .journal
            .claim_unanswered(&self.id, token, by, entry, over);
        assert_eq!(
            claimed.await.expect("healthy").is_some(),
            must,
            "{:#?}",
            self.told
        );
    }

    /// Owners set anew what happens when nobody answers: what waits does so from now on.
    async fn set_deadline(&mut self) {
        let after = Escalation {
            reject_after: Some(REJECTED_AFTER),
            ..Escalation::default()
        };
        let all = Escalations::default().with("", Some(after));
        let stored = serde_json::to_string(&all).expect("plain data");
        let kept = self.journal.keep_escalations(&stored, None, self.now);
        kept.await.expect("healthy");
        for asked in self
            .model
            .asked
            .values_mut()
            .filter(|asked| asked.state.is_open())
        {
            asked.since = self.now;
        }
    }

    /// A person loses the right, or gets it back; or owners change whether two have to approve, or a touch is needed.
    async fn change(&mut self, person: usize) {
        if self.now % 3 == 1 {
            self.model.touches = !self.model.touches;
            return keep_touches(&self.journal, self.model.touches).await;
        }
        if self.now % 3 == 0 {
            self.model.two = !self.model.two;
            let authority = Authority {
                two: self.model.two,
                ..Authority::default()
            };
            let stored = serde_json::to_string(&authority).expect("plain data");
            let kept = self
                .journal
                .keep_setting(crate::journal::AUTHORITY, &stored);
            return kept.await.expect("healthy");
        }
        let may = !self.model.may[person];
        self.model.may[person] = may;
        if person == 0 && !may {
            self.model.rule = false;
        }
        self.model.amendment = self.model.amendment.filter(|(maker, ..)| *maker != person);
        for asked in self
            .model
            .asked
            .values_mut()
            .filter(|asked| asked.state.is_open())
        {
            asked.first = asked.first.filter(|first| *first != person);
        }
        let role = if may { "approver" } else { "viewer" };
        let change = PersonChange::Role(role.to_owned());
        let changed = self.journal.change_person(self.people[person], change);
        changed.await.expect("healthy");
    }

    /// What was sent has arrived, or was not sent.
    async fn outcome(&mut self, token: &'static str, arrived: bool) {
        let asked = self.model.asked.get_mut(token);
        if let Some(asked) = asked.filter(|asked| asked.state == ApprovalState::Sent) {
            asked.state = match arrived {
                true if asked.by_nobody => ApprovalState::Rejected,
                true => ApprovalState::Approved,
                false => ApprovalState::Open,
            };
            let resolved = self.journal.resolve_answer(&self.id, token, asked.state);
            resolved.await.expect("healthy");
        }
    }

    /// A restart, or only a new task: what was on its way has an unknown outcome.
    async fn restart(&mut self, dice: &mut Dice) {
        if dice.below(8) == 0 {
            self.journal = journal_in(&self.folder).await;
        }
        self.journal
            .interrupt_answers(&self.id)
            .await
            .expect("healthy");
        for asked in self.model.asked.values_mut() {
            if asked.state == ApprovalState::Sent {
                asked.state = ApprovalState::Indeterminate;
            }
        }
    }
}

async fn keep_touches(journal: &Journal, high: bool) {
    let touches = Touches {
        everywhere: if high { Reach::High } else { Reach::Nothing },
        ..Touches::default()
    };
    let stored = serde_json::to_string(&touches).expect("plain data");
    let kept = journal.keep_setting(crate::journal::TOUCHES, &stored);
    kept.await.expect("healthy");
}

/// Gives a person a passkey; its number.
async fn passkey_of(journal: &Journal, person: i64) -> i64 {
    let record = PasskeyRecord {
        number: 0,
        id: person.to_be_bytes().to_vec(),
        handle: Vec::new(),
        name: String::new(),
        place: String::new(),
        credential: "a state".to_owned(),
        created_at: 0,
        used_at: None,
    };
    let added = journal.add_passkey(person, record, Vec::new(), None).await;
    added.expect("healthy");
    journal.passkeys(person).await.expect("healthy")[0].number
}

fn orders() -> u64 {
    let wanted = std::env::var("HANDRAIL_ORDERS").ok();
    let wanted = wanted.and_then(|count| count.parse().ok());
    wanted.unwrap_or(match std::env::var_os("HANDRAIL_ALL") {
        Some(_) => ALL_ORDERS,
        None => ORDERS,
    })
}

#[tokio::test]
async fn whatever_the_order_what_counts_is_what_must_count() {
    let memory = Path::new("/dev/shm");
    let folder = match memory.is_dir() {
        true => TempDir::new_in(memory),
        false => TempDir::new(),
    };
    let folder = folder.expect("a temporary folder");
    let journal = journal_in(folder.path()).await;
    for seed in 0..orders() {
        let id = format!("order{seed}");
        let meta = ConversationMeta {
            id: id.clone(),
            backend: "fake".to_owned(),
            ..ConversationMeta::default()
        };
        journal.describe(vec![meta]).await.expect("healthy");
        let mut people = [0; 3];
        for (person, name) in people.iter_mut().zip(PEOPLE) {
            let name = format!("{name}{seed}");
            let added = journal.add_person(&name, "approver", String::new(), false, 0);
            *person = added.await.expect("healthy").expect("it is free");
        }
        let mut passkeys = [0; 3];
        for (passkey, person) in passkeys.iter_mut().zip(people) {
            *passkey = passkey_of(&journal, person).await;
        }
        for token in ["one", "two"] {
            let shown = ShownRecord {
                token: token.to_owned(),
                calls: String::new(),
                content: String::new(),
                shown: token.to_owned(),
            };
            journal.keep_shown(&id, shown).await.expect("healthy");
        }
        let rule = NewRule {
            person: people[0],
            maker: PEOPLE[0].to_owned(),
            scope: "{}".to_owned(),
            conditions: r#"{"highest":"medium"}"#.to_owned(),
            made_at: 0,
            expires_at: None,
        };
        let rule = journal
            .add_rule(rule)
            .await
            .expect("healthy")
            .expect("there is room");
        let two = Authority {
            two: true,
            ..Authority::default()
        };
        let stored = serde_json::to_string(&two).expect("plain data");
        let kept = journal.keep_setting(crate::journal::AUTHORITY, &stored);
        kept.await.expect("healthy");
        keep_touches(&journal, false).await;
        let mut order = Order {
            journal: journal.clone(),
            folder: folder.path().to_owned(),
            id,
            people,
            passkeys,
            rule,
            model: Model {
                two: true,
                touches: false,
                may: [true; 3],
                rule: true,
                asked: HashMap::new(),
                amendment: None,
            },
            now: 1,
            told: vec![format!("seed {seed}")],
        };
        let mut dice = Dice(seed);
        order.set_deadline().await;
        order.ask("one", true).await;
        for _ in 0..STEPS {
            order.step(&mut dice).await;
        }
        // The limit of rules is for all orders together.
        journal.end_rule(rule, "", 1).await.expect("healthy");
    }
}
