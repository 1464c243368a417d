//! The single steps of the link's state machine.

use super::{FIRST_REST, LONGEST_REST, Link, ORDER_WAITS, Phase, STARTING};
use super::{Found, LinkAction, Report, Unread};
use crate::backend::{ConnectionState, Runtime};
use std::time::{Duration, Instant};

impl Link {
    pub(super) fn check(&mut self, now: Instant) {
        let number = self.next();
        match &mut self.phase {
            Phase::Connected(connected) => {
                connected.checking = Some(number);
                connected.next_check = Some(now + STARTING);
            }
            phase => *phase = Phase::Checking(number),
        }
        let urgent = self.is_urgent(now);
        self.actions.push(LinkAction::Check { number, urgent });
    }

    pub(super) fn checked(&mut self, number: u64, found: Found, now: Instant) {
        let was_awaited = match &mut self.phase {
            Phase::Connected(connected) => {
                connected.checking.take_if(|own| *own == number).is_some()
            }
            phase if *phase == Phase::Checking(number) => {
                *phase = Phase::Unknown;
                true
            }
            _ => false,
        };
        if number < self.valid_from {
            return;
        }
        match found {
            Found::Known(report) => {
                self.known.has_answered = true;
                self.failures = 0;
                self.failure = None;
                self.known.checked_at = Some(now);
                self.describe(report);
            }
            Found::Gone => {
                self.known.has_answered = true;
                self.failure = None;
                self.runtime_is(Runtime::Gone);
                self.known.is_current = true;
                self.actions.push(LinkAction::BackendAsked);
            }
            Found::Failed(why) => {
                self.actions.push(LinkAction::BackendAsked);
                if !was_awaited {
                    return;
                }
                let rest = self.rest(now);
                if let Phase::Resting(_) = self.phase {
                    self.failure = Some(ConnectionState::Reconnecting {
                        attempt: self.failures,
                        why,
                        retry_in: u32::try_from(rest.as_secs()).unwrap_or(u32::MAX),
                    });
                }
            }
        }
    }

    pub(super) fn describe(&mut self, report: Report) {
        if report.changed {
            self.known.is_current = false;
            self.known.is_active |= report.busy;
        }
        self.runtime_is(report.runtime);
    }

    pub(super) fn runtime_is(&mut self, runtime: Runtime) {
        if self.runtime != runtime {
            self.runtime = runtime;
            self.known.is_current = false;
            if let Phase::Refused(_) = self.phase {
                self.phase = Phase::Unknown;
            }
        }
        if self.is_down() {
            self.known.is_active = false;
            self.failure = None;
            self.known.checked_at = None;
            if let Phase::Connected(_) = self.phase {
                self.let_go();
            }
        }
    }

    pub(super) fn backfilled(&mut self, outcome: Result<(), Unread>, now: Instant) {
        match outcome {
            Ok(()) => {
                self.known.unread = None;
                self.known.is_current = true;
                self.failures = 0;
                self.phase = Phase::Unknown;
            }
            Err(Unread { why, lasting }) => {
                if lasting {
                    // A connection does without, where there can be one.
                    self.known.is_active = true;
                    self.known.unread = Some(why);
                }
                self.rest(now);
            }
        }
    }

    pub(super) fn connection_is(&mut self, state: ConnectionState, now: Instant) {
        let Phase::Connected(connected) = &mut self.phase else {
            return;
        };
        let is_checking = connected.checking.is_some();
        connected.state = state.clone();
        match state {
            ConnectionState::Live => {
                self.known.is_current = true;
                self.failures = 0;
                self.known.is_active = false;
                self.actions.push(LinkAction::BackendAsked);
                return;
            }
            // A sandbox that was stopped must not be started by a connection that comes back.
            ConnectionState::Reconnecting { .. } if !is_checking => self.check(now),
            _ => {}
        }
        self.actions.push(LinkAction::ForgetDrafts);
    }

    /// The backend does not want the connection, or it failed in a way that it did not foresee.
    pub(super) fn connection_ended(&mut self, number: u64, now: Instant) {
        let ended = match &self.phase {
            Phase::Connected(connected) if connected.number == number => connected.state.clone(),
            _ => return,
        };
        self.let_go();
        match ended {
            ConnectionState::Refused { .. } => self.phase = Phase::Refused(ended),
            _ => drop(self.rest(now)),
        }
        self.actions.push(LinkAction::BackendAsked);
    }

    /// Lets go of a connection or of a history that is being read.
    pub(super) fn let_go(&mut self) {
        match self.phase {
            Phase::Connected(_) => {
                self.known.checked_at = None;
                self.actions.push(LinkAction::Disconnect);
            }
            Phase::Backfilling(_) => self.actions.push(LinkAction::StopBackfill),
            _ => return,
        }
        self.phase = Phase::Unknown;
    }

    /// Pauses after a failure, each time for longer. Answers for how long.
    pub(super) fn rest(&mut self, now: Instant) -> Duration {
        let rest = FIRST_REST.saturating_mul(1 << self.failures.min(5));
        let rest = rest.min(LONGEST_REST);
        self.failures += 1;
        self.known.checked_at = None;
        match &mut self.phase {
            Phase::Connected(connected) => connected.next_check = Some(now + rest),
            phase => *phase = Phase::Resting(now + rest),
        }
        rest
    }

    pub(super) fn hasten(&mut self) {
        match &mut self.phase {
            Phase::Resting(_) => self.phase = Phase::Unknown,
            Phase::Connected(connected) => connected.next_check = None,
            _ => {}
        }
    }

    pub(super) fn is_urgent(&self, now: Instant) -> bool {
        self.hurried_at
            .is_some_and(|at| now.saturating_duration_since(at) < ORDER_WAITS)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.number += 1;
        self.number
    }
}
