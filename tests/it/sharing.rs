//! Many followers share one backend connection; a slow or malformed client does not affect the others.

use crate::both::on_both;
use crate::process::{Process, call, create};
use crate::stage::{Stage, is_at_rest, is_over, me};
use crate::tab::{Tab, socket};
use futures_util::{SinkExt, StreamExt};
use handrail::api::OpenConversation;
use handrail::backend::rehearsal::{Dialect, Fault};
use handrail::hub::MOST_BYTES;
use handrail::live::{FromBrowser, FromServer, Verdict};
use std::net::SocketAddr;
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::Message;

on_both![
    three_pages_share_one_connection_and_agree,
    a_stalled_follower_gets_a_gap_and_delays_no_other,
    an_invalid_cursor_is_a_gap,
    an_unknown_conversation_is_gone,
    malformed_frames_close_only_their_own_connection,
];

async fn three_pages_share_one_connection_and_agree(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let mut first = stage.create_conversation("[[scenario:long:200]]").await;
    let id = first.conversation.clone();
    let (mut second, mut third) =
        tokio::join!(Tab::over(&stage.hub, &id), Tab::over(&stage.hub, &id));
    tokio::join!(
        first.session("the work is done", is_at_rest),
        second.session("the work is done", is_at_rest),
        third.session("the work is done", is_at_rest)
    );
    let stats = stage.rehearsal.stats();
    assert_eq!(stats.sockets.get(&id), Some(&1));
    assert_eq!(stats.connects, 1);
    assert!(first.rows.len() > 200);
    let kept = stage
        .hub
        .reader
        .rows(&id, None, None, 10_000)
        .await
        .expect("it is healthy");
    for tab in [&first, &second, &third] {
        assert_eq!(tab.in_order(), kept.rows);
    }
}

async fn a_stalled_follower_gets_a_gap_and_delays_no_other(dialect: Dialect) {
    let stage = Stage::new(dialect).await;
    let mut quick = stage.at_rest().await;
    let id = quick.conversation.clone();
    let mut slow = stage
        .hub
        .reader
        .follow(me(), &id, 0)
        .await
        .expect("it exists");
    let mut sent = 0;
    while sent <= 2 * MOST_BYTES {
        let newest = quick.seq;
        let long = Fault::HugeEvent { bytes: 100_000 };
        stage.rehearsal.faults().inject(&long);
        quick
            .until("the event is shown", |tab| tab.seq > newest)
            .await;
        let row = quick.rows.last_key_value().expect("it was just shown").1;
        sent += serde_json::to_string(row).expect("plain data").len();
    }
    let frame = slow.next().await.expect("a frame");
    let frame: FromServer = serde_json::from_slice(&frame).expect("frames are JSON");
    assert!(
        matches!(
            frame,
            FromServer::Verdict {
                verdict: Verdict::Gap,
                ..
            }
        ),
        "{frame:?}"
    );
    assert!(slow.next().await.is_none(), "nothing comes after a gap");
}

async fn house(dialect: Dialect) -> (Stage, TempDir, Process, String) {
    let stage = Stage::new(dialect).await;
    let folder = TempDir::new().expect("a temporary folder");
    let process = Process::start(folder.path(), stage.rehearsal.addr()).await;
    let id = create(process.address, "[[scenario:hello]]").await;
    (stage, folder, process, id)
}

async fn follow(address: SocketAddr, conversation: &str, after: i64) -> Tab {
    let mut tab = Tab::new(conversation);
    tab.seq = after;
    assert!(tab.connect(address).await);
    tab
}

async fn an_invalid_cursor_is_a_gap(dialect: Dialect) {
    let (_stage, _folder, process, id) = house(dialect).await;
    let newest = newest_event(process.address, &id).await;
    for cursor in [newest + 1, 1_000_000, i64::MAX, -1, i64::MIN] {
        assert_eq!(
            verdict(process.address, &id, cursor).await,
            Verdict::Gap,
            "{cursor}"
        );
    }
    assert_eq!(verdict(process.address, &id, newest).await, Verdict::Ok);
    // A cursor of another, longer conversation lies beyond the end of this one.
    let long = create(process.address, "[[scenario:long:50]]").await;
    let newest = newest_event(process.address, &long).await;
    assert_eq!(verdict(process.address, &id, newest).await, Verdict::Gap);
}

/// Waits until a conversation is idle; returns its newest cursor.
async fn newest_event(address: SocketAddr, id: &str) -> i64 {
    let mut tab = follow(address, id, 0).await;
    tab.session("the work is done", is_at_rest).await;
    let picture = call::<OpenConversation>(address, &[("id", id)]).await;
    let picture = picture.expect("it exists");
    picture["seq"].as_i64().expect("a picture has a cursor")
}

async fn verdict(address: SocketAddr, id: &str, cursor: i64) -> Verdict {
    let mut tab = follow(address, id, cursor).await;
    tab.until("a verdict came", |tab| tab.verdict.is_some())
        .await;
    tab.verdict.expect("it is pending")
}

async fn an_unknown_conversation_is_gone(dialect: Dialect) {
    let (_stage, _folder, process, _) = house(dialect).await;
    for id in [
        "0123456789abcdef0123456789abcdef",
        "../../etc/passwd",
        "",
        "\0",
        &"x".repeat(5000),
    ] {
        let mut tab = follow(process.address, id, 0).await;
        let frame = tab.step().await;
        assert!(
            matches!(&frame, Some(FromServer::Gone { conversation }) if conversation == id),
            "{id}: {frame:?}"
        );
    }
}

async fn malformed_frames_close_only_their_own_connection(dialect: Dialect) {
    let (_stage, _folder, process, id) = house(dialect).await;
    let mut other = follow(process.address, &id, 0).await;
    other.session("the work is done", is_over).await;
    let origin = format!("http://{}", process.address);
    let nonsense = [
        Message::text("nonsense"),
        Message::text(""),
        Message::text("[]"),
        Message::text(r#"{"follow":{}}"#),
        Message::text(r#"{"follow":{"conversation":7,"after":"x"}}"#),
        Message::text(r#"{"follow":{"conversation":"x","after":1e400}}"#),
        Message::text("[".repeat(10_000)),
        Message::text("x".repeat(100_000)),
        Message::binary(vec![0, 255, 1]),
    ];
    for message in nonsense {
        let mut connection = socket(process.address, Some(&origin), None)
            .await
            .expect("the login is accepted");
        connection.send(message.clone()).await.expect("it is sent");
        let ended = async {
            while let Some(Ok(reply)) = connection.next().await {
                assert!(
                    !matches!(reply, Message::Text(_)),
                    "{message:?} was answered: {reply:?}"
                );
            }
        };
        tokio::time::timeout(crate::tab::LONG, ended)
            .await
            .expect("the connection is closed");
    }
    assert!(other.say(&FromBrowser::Ping).await);
    while other.step().await.expect("it is open") != FromServer::Pong {}
}
