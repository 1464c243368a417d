//! Injection of each fault, and observation of what users see of it.

use super::Seen;
use crate::stage::{Stage, bridge, hub_in, is_at_rest, items_of, me, quick, says, soon};
use crate::tab::Tab;
use handrail::backend::rehearsal::{Dialect, Fault, Memory, Options, Rehearsal};
use handrail::backend::{ConnectionState, NewConversation, Runtime};
use handrail::hub::Hub;
use handrail::live::OutboxState;
use handrail::render::RowView;
use std::time::Duration;
use tempfile::TempDir;

/// The list's message if the backend fails from the start.
pub(super) async fn list(
    fault: &'static str,
    options: Options,
    key: Option<&str>,
    inject: Option<Fault>,
) -> Seen {
    let dialect = options.dialect;
    let rehearsal = Rehearsal::start(options).await.expect("a free port");
    if let Some(inject) = inject {
        rehearsal.faults().inject(&inject);
    }
    let folder = TempDir::new().expect("a temporary folder");
    let hub = hub_in(folder.path(), bridge(dialect, rehearsal.addr(), key)).await;
    (fault, trouble(&hub).await)
}

/// The list's message, as soon as the backend has responded or failed.
async fn trouble(hub: &Hub) -> String {
    soon("the backend was asked", async || {
        hub.catalogue
            .page(me(), "")
            .await
            .expect("the journal is healthy")
            .backends
            .swap_remove(0)
            .trouble
    })
    .await
}

/// The error of creating a conversation.
pub(super) async fn making(dialect: Dialect, fault: &'static str, inject: Fault) -> Seen {
    let stage = Stage::new(dialect).await;
    stage.rehearsal.faults().inject(&inject);
    let error = stage
        .hub
        .commands
        .create(me(), "", NewConversation::saying("hello"))
        .await;
    (fault, error.expect_err("the backend fails").for_people().1)
}

/// The state of the connection after `fail` was applied to an idle conversation.
pub(super) async fn connection(
    dialect: Dialect,
    fault: &'static str,
    is_told: fn(&ConnectionState) -> bool,
    fail: impl AsyncFn(&Stage, &mut Tab),
) -> Seen {
    let stage = Stage::new(dialect).await;
    let mut tab = stage.at_rest().await;
    has_socket(&stage, &tab.conversation).await;
    fail(&stage, &mut tab).await;
    let session = tab
        .session(fault, |session| is_told(&session.connection))
        .await;
    (fault, describe(&session.connection))
}

/// Waits for the socket of a conversation: on 1.x the connection is live as soon as stored events have been read.
async fn has_socket(stage: &Stage, conversation: &str) {
    soon("there is a socket", async || {
        let sockets = stage.rehearsal.stats().sockets;
        let open = sockets.get(conversation).copied();
        open.filter(|open| *open > 0)
    })
    .await;
}

fn describe(connection: &ConnectionState) -> String {
    match connection {
        ConnectionState::Reconnecting { why, .. } => format!("Reconnecting: {why}"),
        ConnectionState::Refused { why, .. } => format!("Refused: {why}"),
        other => format!("{other:?}"),
    }
}

/// After a restart of the backend: what the page shows after a message, which starts the sandbox on 0.x.
pub(super) async fn restarted(dialect: Dialect, fault: &'static str, memory: Memory) -> Seen {
    let stage = Stage::new(dialect).await;
    let mut tab = stage.create_conversation("[[scenario:long:20]]").await;
    tab.session("the work is done", is_at_rest).await;
    // The state may come before the rows.
    tab.until("its steps are shown", |tab| tab.rows.len() > 20)
        .await;
    let id = tab.conversation.clone();
    has_socket(&stage, &id).await;
    let before = tab.rows.len();
    stage.rehearsal.restart(memory);
    match dialect {
        Dialect::OpenHands => {
            tab.session("it is seen to be stopped", |session| {
                session.runtime == Runtime::Stopped
            })
            .await;
        }
        // A conversation of 1.x has no sandbox of its own: it lives as long as its server.
        Dialect::AgentServer | Dialect::AppServer => {
            tab.session("it is disconnected", |session| {
                session.connection != ConnectionState::Live
            })
            .await;
            tab.session("it is connected again", |session| {
                session.connection == ConnectionState::Live
            })
            .await;
        }
    }
    let sent = stage
        .hub
        .commands
        .say(me(), &id, "m1", "Are you well?", vec![], vec![])
        .await;
    sent.expect("the message is accepted");
    tab.session("it is up again", |session| {
        session.runtime == Runtime::Running && session.connection == ConnectionState::Live
    })
    .await;
    let what = format!("{fault}: the backend has received it");
    let (shown, _) = tokio::join!(
        tokio::time::timeout(
            Duration::from_secs(20),
            tab.until("the words are shown", |tab| tab.shows("Are you well?")),
        ),
        soon(&what, async || {
            let items = items_of(&stage.rehearsal, &id).await;
            let has_arrived = items.iter().any(|item| says(item, "Are you well?"));
            has_arrived.then_some(())
        }),
    );
    let shown = match shown {
        Ok(()) => "A later message is shown",
        Err(_) => "A later message is NOT shown",
    };
    let often = match tab.rows.len() / before {
        1 => "once",
        _ => "twice",
    };
    let is_notice =
        |row: &&RowView| format!("{row:?}").contains("has lost part of this conversation");
    let loss = match tab.rows.values().filter(is_notice).count() {
        0 => "no loss is reported",
        1 => "the loss is reported",
        _ => "the loss is reported repeatedly",
    };
    (
        fault,
        format!("{shown}; the old rows appear {often}; {loss}."),
    )
}

/// No backend is reachable.
pub(super) async fn nobody(dialect: Dialect) -> Seen {
    let folder = TempDir::new().expect("a temporary folder");
    let nowhere = "127.0.0.1:9".parse().expect("an address");
    let hub = hub_in(folder.path(), bridge(dialect, nowhere, None)).await;
    ("list: unreachable", trouble(&hub).await)
}

/// The backend was never set up.
pub(super) async fn unset(dialect: Dialect) -> Seen {
    let options = Options {
        dialect,
        settings_stored: false,
        ..quick()
    };
    let stage = Stage::with(options, None).await;
    let started = stage
        .hub
        .commands
        .create(me(), "", NewConversation::saying("hello"))
        .await;
    let seen = started.map_or_else(|error| error.for_people().1, |_| "It starts.".to_owned());
    ("new: not set up", seen)
}

/// An invalid text frame, after which the agent continues.
pub(super) async fn garbage(stage: &Stage, tab: &mut Tab) {
    stage
        .rehearsal
        .faults()
        .inject(&Fault::GarbageFrame { frame: None });
    works_on(stage, tab).await;
}

/// An event larger than a Socket.IO packet of 0.x, and larger than a frame of 1.x.
pub(super) async fn huge(stage: &Stage, tab: &mut Tab) {
    stage
        .rehearsal
        .faults()
        .inject(&Fault::HugeEvent { bytes: 5 << 20 });
    works_on(stage, tab).await;
    // It may be read from the backend's pages, after what came behind it.
    tab.until("the huge event is on the page, cut", |tab| {
        tab.shows("xxxxxxxx")
    })
    .await;
}

/// Checks that the agent receives a message and its reply arrives.
async fn works_on(stage: &Stage, tab: &mut Tab) {
    let id = tab.conversation.clone();
    let rows = tab.rows.len();
    let answered = |tab: &Tab| tab.rows.len() >= rows + 2;
    let is_unconfirmed = |tab: &Tab, id: &str| {
        let outbox = tab.session.iter().flat_map(|session| &session.outbox);
        let mut of_id = outbox.filter(|message| message.client_id == id);
        of_id.any(|message| message.state == OutboxState::Indeterminate)
    };
    // The fault may end a connection just when a message is on its way: the page says so, and a person sends it again.
    for attempt in ["on", "on again", "once more"] {
        let sent = stage
            .hub
            .commands
            .say(me(), &id, attempt, "[[scenario:hello]]", vec![], vec![])
            .await;
        sent.expect("it is accepted");
        let has_outcome = |tab: &Tab| answered(tab) || is_unconfirmed(tab, attempt);
        tab.until("an answer", has_outcome).await;
        if answered(tab) {
            break;
        }
    }
    assert!(answered(tab), "three messages were lost");
    tab.session("all is well", is_at_rest).await;
}
