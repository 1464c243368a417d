//! A Handrail over a backend that the test controls: it injects faults, and counts what has reached it.

use super::handrail::Handrail;
use super::visitor::Visitor;
use crate::stage::quick;
use handrail::backend::rehearsal::{Dialect, Fault, Options, Rehearsal};

pub struct Staged {
    pub handrail: Handrail,
    pub rehearsal: Rehearsal,
}

impl Staged {
    /// Over an OpenHands 0.62.
    pub async fn start() -> Self {
        Self::start_over(Dialect::OpenHands).await
    }

    pub async fn start_over(dialect: Dialect) -> Self {
        let options = Options { dialect, ..quick() };
        let rehearsal = Rehearsal::start(options).await.expect("a free port");
        let address = format!("http://{}", rehearsal.addr());
        let handrail = Handrail::start_with(&["--backend", &address]).await;
        Self {
            handrail,
            rehearsal,
        }
    }

    pub fn visitor(&self) -> Visitor {
        self.handrail.visitor()
    }

    /// Injects a fault.
    pub fn fails(&self, fault: &Fault) {
        self.rehearsal.faults().inject(fault);
    }

    /// Clears all faults.
    pub fn works(&self) {
        self.fails(&Fault::Clear);
    }

    /// The answers that have reached the backend, in order: whether each was an approval.
    pub fn answers(&self, conversation: &str) -> Vec<bool> {
        let answers = self.rehearsal.stats().answers;
        answers.get(conversation).cloned().unwrap_or_default()
    }
}
