//! Tests of the backend against a server that behaves, and against one that does not.

mod attempts;
mod connections;
mod losses;
mod orders;
mod rehearsed;
pub(in crate::backend) mod stub;

use self::stub::{Act, ID, Stub};
use super::*;
use crate::backend::tests::support::{LONG, TestConnection, hold_from, holding, say};
use crate::backend::{
    BackendError, Command, ConnectionState, ConversationApi, Delivery, ReceivedEvent, ResumePoint,
    Settings, SettingsApi, WorkspaceApi,
};
use crate::conversation::PositionOffset;
use futures_util::FutureExt;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

fn quick() -> Timing {
    let millis = Duration::from_millis;
    let mut timing = Timing {
        backoff: (millis(2), millis(20)),
        silence: millis(300),
        pulse: millis(100),
        ..Timing::polling_every(millis(10))
    };
    timing.limits.ack = millis(300);
    timing.limits.connect = millis(600);
    timing.limits.open = millis(600);
    timing
}

fn hold_with(stub: &Stub, after: Option<i64>, timing: Timing) -> TestConnection {
    let backend = OpenHands::new(stub.connection()).unwrap();
    hold_on(&backend.with_timing(timing), ID, after)
}

fn hold(stub: &Stub, after: Option<i64>) -> TestConnection {
    hold_with(stub, after, quick())
}

fn hold_on(backend: &OpenHands, id: &str, after: Option<i64>) -> TestConnection {
    hold_from(backend, id, holding(after))
}
