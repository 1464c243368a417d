//! Presence, and the authors of messages.
//!
//! The dialect of the backend does not matter: presence and authors are Handrail's own. For both dialects `sharing.rs`
//! counts the connections, and `hanging_up.rs` checks the author of a first message.

use super::house::{House, PageConnection};
use crate::stage::soon;
use handrail::live::{FromServer, HereView};

/// Waits until exactly these users and visitors are present.
async fn here(tab: &mut PageConnection, names: &[&str], visitors: u32) {
    let wanted = HereView {
        names: names.iter().map(|name| String::from(*name)).collect(),
        visitors,
    };
    let is_so = |frame| match frame {
        FromServer::Here { here, .. } if here == wanted => Some(()),
        _ => None,
    };
    tab.until(&format!("{wanted:?}"), is_so).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_watching_user_is_named_once_and_only_while_watching() {
    let house = House::new().await;
    let (owner, viewer) = (house.log_in("owner").await, house.log_in("viewer").await);
    let id = house
        .create_conversation(&owner, "[[scenario:hello]]")
        .await;
    let mut tab = house.tab(&owner, &id).await;
    here(&mut tab, &["owner"], 0).await;
    let (first, second) = (house.tab(&viewer, &id).await, house.tab(&viewer, &id).await);
    here(&mut tab, &["owner", "viewer"], 0).await;
    let visitor = house.visit(&owner, &id).await;
    let visit = house.tab(&visitor, &id).await;
    here(&mut tab, &["owner", "viewer"], 1).await;
    drop(visit);
    here(&mut tab, &["owner", "viewer"], 0).await;
    // A user with another open tab stays present.
    drop(first);
    let third = house.tab(&house.log_in("approver").await, &id).await;
    here(&mut tab, &["approver", "owner", "viewer"], 0).await;
    drop(second);
    here(&mut tab, &["approver", "owner"], 0).await;
    // A user who has lost access is no longer present either.
    let fields = [("id", id.as_str()), ("audience", "starter")];
    let shared = house.call("share_conversation", &owner, &fields).await;
    assert_eq!(shared.status(), 200);
    here(&mut tab, &["owner"], 0).await;
    drop(third);
    // However many users watch, the backend has one client.
    let connections = soon("the connection is up", async || {
        let stats = house.served.rehearsal.stats();
        stats
            .sockets
            .get(&id)
            .copied()
            .filter(|connections| *connections > 0)
    });
    assert_eq!(connections.await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_message_is_attributed_to_the_creator() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let id = house
        .create_conversation(&operator, "[[scenario:hello]] from the beginning")
        .await;
    let mut tab = house.tab(&operator, &id).await;
    let signed = |frame| match frame {
        FromServer::Rows { rows, .. } => rows.into_iter().find_map(|row| row.by),
        _ => None,
    };
    assert_eq!(tab.until("a signed row", signed).await, "operator");
}
