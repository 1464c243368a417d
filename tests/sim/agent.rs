//! Small models of the server and its agent, in both dialects, based on the recordings. The file is long because one state
//! machine decides what every command does.

use crate::budgets::BUDGET;
use crate::clock;
use crate::dice::Dice;
use crate::world::{Asked, Conversation, Dialect, Kind, Logged, State, World, marks};
use crate::{v0, v1};
use handrail::backend::{Command, Delivery};
use std::sync::Arc;

impl Conversation {
    fn push(&mut self, kind: Kind, raw: String, live: Option<String>) -> usize {
        let place = self.log.len();
        let key = match self.dialect {
            Dialect::Zero => place.to_string(),
            Dialect::One => v1::key(self.number, place),
        };
        let (raw, live) = (Arc::from(raw), live.map(Arc::from));
        self.log.push(Logged {
            kind,
            raw,
            live,
            key,
        });
        self.updated_at = clock::millis();
        place
    }

    /// The position and key of the next event.
    fn next(&self) -> (usize, String) {
        let place = self.log.len();
        (place, v1::key(self.number, place))
    }

    fn says(&mut self, source: &str, text: &str) {
        let (place, key) = self.next();
        let raw = match self.dialect {
            Dialect::Zero => v0::says(place, source, text),
            Dialect::One => v1::says(&key, place, source, text),
        };
        self.push(Kind::Plain, raw, None);
    }

    /// Says what was spent so far.
    fn spends(&mut self, cents: u32) {
        let Some(spent) = &mut self.spent else { return };
        *spent += cents;
        if *spent >= BUDGET {
            self.used_up_at.get_or_insert_with(clock::now);
        }
        let cost = f64::from(*spent) / 100.0;
        let (place, key) = self.next();
        let raw = match self.dialect {
            Dialect::Zero => v0::spends(place, cost),
            Dialect::One => v1::spends(&key, place, cost),
        };
        self.push(Kind::Plain, raw, None);
    }

    fn state_is(&mut self, state: State, word: &str) {
        let (place, key) = self.next();
        match self.dialect {
            Dialect::Zero => {
                let live = v0::state(place, word, true);
                self.push(Kind::State, v0::state(place, word, false), Some(live));
            }
            Dialect::One => {
                self.push(Kind::Plain, v1::status(&key, place, word), None);
            }
        }
        self.state = state;
        self.unread &= state != State::Running;
    }

    /// Sets the agent to running.
    fn runs_on(&mut self) {
        self.state_is(State::Running, "running");
    }

    fn command(&mut self, mark: &str, confirmation: &str, group: usize) -> Asked {
        let (place, key) = self.next();
        let command = format!("echo {mark}");
        let raw = match self.dialect {
            Dialect::Zero => {
                let rated = format!(r#""security_risk":{}}}"#, self.rating.0);
                v0::runs(place, &command, confirmation, group)
                    .replace(r#""security_risk":0}"#, &rated)
            }
            Dialect::One => {
                let rated = format!(r#""security_risk":"{}""#, self.rating.1);
                v1::runs(&key, place, &command, group).replace(r#""security_risk":"LOW""#, &rated)
            }
        };
        let place = self.push(Kind::Plain, raw, None);
        let key = self.log[place].key.clone();
        Asked {
            mark: mark.to_owned(),
            key,
            place,
        }
    }

    fn prints(&mut self, call: &Asked) {
        let (place, key) = self.next();
        let output = format!("{} was said", call.mark.replace('c', "o"));
        let raw = match self.dialect {
            Dialect::Zero => v0::prints(place, call.place, &output),
            Dialect::One => v1::prints(&key, place, (&call.key, call.place), &output),
        };
        self.push(Kind::Plain, raw, None);
    }

    /// Starts the agent of a new conversation.
    pub fn begin(&mut self) {
        match self.dialect {
            Dialect::Zero => {
                self.state_is(State::AwaitingInput, "loading");
                self.push(Kind::Null, String::new(), None);
                self.state_is(State::AwaitingInput, "awaiting_user_input");
            }
            Dialect::One => self.state_is(State::AwaitingInput, "idle"),
        }
        self.changed.send_replace(());
    }

    /// Starts or stops the sandbox.
    pub fn runtime_is(&mut self, up: bool) {
        if self.dialect == Dialect::One || self.up == up {
            return;
        }
        self.up = up;
        self.drop_pending();
        if up {
            self.starts += 1;
            self.state_is(State::AwaitingInput, "loading");
            self.state_is(State::AwaitingInput, "awaiting_user_input");
        } else {
            self.state_is(State::Stopped, "stopped");
        }
        self.changed.send_replace(());
    }

    /// Drops the pending actions, which can no longer be approved. Handrail learns of it from later events.
    fn drop_pending(&mut self) {
        let dropped = std::mem::take(&mut self.asked).into_iter();
        self.dropped.extend(dropped.map(|call| call.mark));
    }

    /// A message from a user who does not use Handrail.
    pub fn receives(&mut self, text: &str) {
        if self.up && self.state != State::Asking {
            self.ingest(text);
        }
    }

    fn ingest(&mut self, text: &str) {
        self.says("user", text);
        if text.contains("Run exactly this command instead") {
            let wished = marks(text, 'c').into_iter().map(str::to_owned);
            self.wished.extend(wished);
        }
        if self.dialect == Dialect::Zero {
            let place = self.log.len();
            self.push(Kind::Recall, v0::recalls(place), None);
            // 0.62 drops the pending action and continues.
            self.asked.clear();
        }
        if self.state != State::Running {
            self.runs_on();
        }
        self.changed.send_replace(());
    }
}

impl World {
    /// A user without Handrail wakes an idle agent.
    fn set_going(&mut self, at: usize) {
        let mark = self.mark('f');
        let one = &mut self.conversations[at];
        if !one.gone && !matches!(one.state, State::Running | State::Asking) {
            one.receives(&format!("Go on with {mark}"));
        }
    }

    /// Lets a running agent do something.
    pub fn act(&mut self, at: usize, dice: &mut Dice) {
        if dice.percent(30) {
            self.set_going(at);
        }
        let mark = self.mark('c');
        let one = &mut self.conversations[at];
        if one.state != State::Running || !one.up || one.gone {
            return;
        }
        if one.spent.is_some() {
            one.spends(5 + u32::try_from(dice.below(20)).expect("it is small"));
        }
        match dice.below(10) {
            0..=2 => one.says("agent", "I have looked at it, and go on."),
            3..=5 => {
                let call = one.command(&mark.replace('c', "r"), "confirmed", 0);
                one.prints(&call);
            }
            6 if one.dialect == Dialect::Zero => {
                one.push(Kind::Null, String::new(), None);
            }
            6 | 7 => self.ask(at, dice),
            8 => {
                one.says("agent", "It is done.");
                let word = if one.dialect == Dialect::Zero {
                    "awaiting_user_input"
                } else {
                    "finished"
                };
                one.state_is(State::AwaitingInput, word);
            }
            _ => one.state_is(State::Error, "error"),
        }
        self.conversations[at].changed.send_replace(());
    }

    /// The agent requests an action that needs approval.
    pub fn ask(&mut self, at: usize, dice: &mut Dice) {
        if dice.percent(80) {
            self.set_going(at);
        }
        let one = &self.conversations[at];
        // The protocol of 0.x does not say which action an approval in flight applies to.
        let ambiguous = one.dialect == Dialect::Zero && one.in_flight > 0;
        if one.state != State::Running || ambiguous || !one.up || one.gone {
            return;
        }
        // What a user has asked for instead, mostly, and often more than once.
        let wish = one.wished.last().cloned().filter(|_| dice.percent(80));
        let calls = if one.dialect == Dialect::One && wish.is_none() {
            1 + dice.below(3)
        } else {
            1
        };
        let group = one.log.len();
        if one.dialect == Dialect::Zero {
            self.conversations[at].state_is(State::Asking, "awaiting_user_confirmation");
        }
        let mut asked = Vec::new();
        for _ in 0..calls {
            let mark = match &wish {
                Some(mark) => mark.clone(),
                None => self.mark('c'),
            };
            asked.push(self.conversations[at].command(&mark, "awaiting_confirmation", group));
        }
        let one = &mut self.conversations[at];
        if wish.is_some() && dice.percent(40) {
            one.wished.pop();
        }
        if one.dialect == Dialect::One {
            one.state_is(State::Asking, "waiting_for_confirmation");
        }
        let now = clock::now();
        for call in &asked {
            // What is asked again, because a user wished it, was visible before.
            one.asked_at.entry(call.mark.clone()).or_insert(now);
        }
        one.marks.extend(
            asked
                .iter()
                .map(|call| (call.key.clone(), call.mark.clone())),
        );
        one.asked = asked;
        one.changed.send_replace(());
        self.counts.questions += 1;
        let line = format!(
            "{} asks {:?}",
            self.conversations[at].id, self.conversations[at].asked
        );
        self.note(format_args!("{line}"));
    }

    /// Many plain events at once.
    pub fn burst(&mut self, at: usize, count: u64) {
        let one = &mut self.conversations[at];
        if !one.up || one.gone || one.state == State::Asking {
            return;
        }
        for _ in 0..count {
            one.says("agent", "One of very many lines that an agent says.");
        }
        one.changed.send_replace(());
    }

    /// Handles a command whose response is lost: on 1.x a message may have been stored without the run that reads it.
    pub fn obey_half(&mut self, at: usize, command: &Command) {
        let one = &mut self.conversations[at];
        match command {
            Command::Say { text, .. }
                if one.dialect == Dialect::One && one.state != State::Asking && !one.gone =>
            {
                *one.received.entry(text.clone()).or_default() += 1;
                one.unread = one.state != State::Running;
                one.says("user", text);
                one.changed.send_replace(());
                let line = format!("{} stores {text:?} and does not read it", one.id);
                self.note(format_args!("{line}"));
            }
            _ => drop(self.obey(at, command)),
        }
    }

    /// Handles a command from Handrail.
    pub fn obey(&mut self, at: usize, command: &Command) -> Delivery {
        let id = self.conversations[at].id.clone();
        self.note(format_args!("{id} obeys {command:?}"));
        if self.conversations[at].gone {
            return Delivery::NotSent("it is gone".to_owned());
        }
        let zero = self.conversations[at].dialect == Dialect::Zero;
        let asking = self.conversations[at].state == State::Asking;
        let done = match command {
            Command::Say { text, .. } if asking && !zero => {
                let _ = text;
                return Delivery::NotYet("An action needs approval.".to_owned());
            }
            Command::Say { text, .. } => {
                let one = &mut self.conversations[at];
                *one.received.entry(text.clone()).or_default() += 1;
                one.ingest(text);
                Delivery::Confirmed
            }
            Command::Approve { keys } => self.handle_approval(at, keys),
            Command::Reject { reason } => {
                self.conversations[at].no(reason.as_deref());
                Delivery::Confirmed
            }
            Command::Pause | Command::Resume | Command::Stop => {
                self.conversations[at].handle_control(command)
            }
        };
        self.conversations[at].changed.send_replace(());
        done
    }

    /// Handles an approval from Handrail.
    fn handle_approval(&mut self, at: usize, keys: &[String]) -> Delivery {
        let one = &mut self.conversations[at];
        let waiting: Vec<String> = one.asked.iter().map(|one| one.key.clone()).collect();
        let mut wanted = keys.to_vec();
        wanted.sort();
        let same = {
            let mut waiting = waiting.clone();
            waiting.sort();
            waiting == wanted
        };
        match one.dialect {
            Dialect::One if waiting.is_empty() => {
                return Delivery::NotSent("The action is no longer pending.".to_owned());
            }
            Dialect::One if !same => {
                return Delivery::NotSent("The pending action has changed.".to_owned());
            }
            // 0.x only changes its state: the agent does nothing.
            Dialect::Zero if waiting.is_empty() => return Delivery::Confirmed,
            Dialect::Zero if !same => {
                let id = one.id.clone();
                self.is_wrong(format!(
                    "{id} received an approval of {keys:?}, but {waiting:?} is pending"
                ));
                return Delivery::Confirmed;
            }
            _ => {}
        }
        let asked = one.asked.clone();
        self.check_approved(at, &asked);
        self.carry_out(at);
        Delivery::Confirmed
    }

    /// Executes the pending actions.
    pub fn carry_out(&mut self, at: usize) {
        let one = &mut self.conversations[at];
        let asked = std::mem::take(&mut one.asked);
        let mut twice = None;
        let amended = one.amended.clone();
        for call in &asked {
            let times = one.done.entry(call.mark.clone()).or_default();
            *times += 1;
            if *times > 1 && !amended.contains(&call.mark) {
                twice = Some(call.mark.clone());
            }
        }
        match one.dialect {
            Dialect::Zero => {
                let (place, _) = one.next();
                one.push(Kind::Plain, v0::steers(place, "user_confirmed"), None);
                for call in &asked {
                    let again = one.command(&call.mark, "confirmed", call.place);
                    one.state_is(State::Running, "user_confirmed");
                    one.prints(&again);
                }
                one.runs_on();
            }
            Dialect::One => {
                one.runs_on();
                for call in &asked {
                    one.prints(call);
                }
            }
        }
        one.changed.send_replace(());
        self.counts.executed += 1;
        if let Some(mark) = twice {
            self.is_wrong(format!("{mark} was executed twice"));
        }
    }
}

impl Conversation {
    /// Rejects the pending actions.
    pub fn no(&mut self, reason: Option<&str>) {
        let asked = std::mem::take(&mut self.asked);
        if asked.is_empty() {
            return;
        }
        match self.dialect {
            Dialect::Zero => {
                let (place, _) = self.next();
                self.push(Kind::Plain, v0::steers(place, "user_rejected"), None);
                for call in &asked {
                    let again = self.command(&call.mark, "rejected", call.place);
                    self.state_is(State::AwaitingInput, "user_rejected");
                    let (place, _) = self.next();
                    self.push(Kind::Plain, v0::rejected(place, again.place), None);
                }
                self.state_is(State::AwaitingInput, "awaiting_user_input");
            }
            Dialect::One => {
                self.state_is(State::AwaitingInput, "idle");
                for call in &asked {
                    let (place, key) = self.next();
                    let reason = reason.unwrap_or("User rejected the action");
                    let raw = v1::rejected(&key, place, (&call.key, call.place), reason);
                    self.push(Kind::Plain, raw, None);
                }
            }
        }
    }

    fn handle_control(&mut self, command: &Command) -> Delivery {
        let zero = self.dialect == Dialect::Zero;
        match command {
            Command::Stop if !zero && self.state == State::Asking => {
                self.no(Some("The user stopped the agent."))
            }
            Command::Resume if !zero && self.state == State::Asking => {
                return Delivery::NotSent("An action needs approval.".to_owned());
            }
            // While something waits these change nothing on 1.x.
            Command::Pause if !zero && self.state == State::Asking => {}
            _ => self.changes_state(command),
        }
        Delivery::Confirmed
    }

    fn changes_state(&mut self, command: &Command) {
        let (state, word) = match command {
            Command::Pause => (State::Paused, "paused"),
            Command::Resume => (State::Running, "running"),
            _ if self.dialect == Dialect::Zero => (State::Stopped, "stopped"),
            _ => (State::Paused, "paused"),
        };
        let (place, key) = self.next();
        if self.dialect == Dialect::Zero {
            self.push(Kind::Plain, v0::steers(place, word), None);
            self.drop_pending();
            if self.state != state {
                self.state_is(state, word);
            }
        } else if self.state == State::Running || state == State::Running {
            self.state_is(state, word);
            if state == State::Paused {
                let (place, key) = self.next();
                let hard = matches!(command, Command::Stop);
                self.push(Kind::Plain, v1::pauses(&key, place, hard), None);
            }
        }
        drop(key);
    }
}
