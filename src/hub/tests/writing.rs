//! What the model is writing is seen while it is written, and once.

use super::*;
use crate::conversation::Piece;

fn wrote(order: u64, text: &str) -> Piece {
    Piece::Written {
        // The key of the event at this place.
        item: "2".to_owned(),
        attempt: 1,
        order: Some(order),
        reasoning: false,
        text: text.to_owned(),
    }
}

/// Reads until a frame tells these texts.
async fn told(follower: &mut Follower, texts: &[&str]) {
    let reading = async {
        while let Some(frame) = follower.next().await {
            let frame = serde_json::from_slice(&frame).expect("a frame");
            if let FromServer::Drafts { drafts, .. } = frame
                && drafts.iter().map(|draft| &draft.text).eq(texts)
            {
                return;
            }
        }
        panic!("the frames end before {texts:?}");
    };
    tokio::time::timeout(Duration::from_secs(60), reading)
        .await
        .expect("it is told");
}

#[tokio::test]
async fn what_the_model_writes_is_told_until_its_event_comes() {
    let house = live_house().await;
    let mut early = house.reader.follow(me(), ID, 0).await.expect("it is there");
    house.fake.write([wrote(0, "Hel"), wrote(1, "lo")]);
    told(&mut early, &["Hello"]).await;
    // A follower that joins in the middle sees it, too.
    let mut late = house.reader.follow(me(), ID, 0).await.expect("it is there");
    told(&mut late, &["Hello"]).await;
    house.fake.emit([answers(2, "Hello")]);
    told(&mut early, &[]).await;
    told(&mut late, &[]).await;
    assert_eq!(house.rows().await.len(), 2, "it stands there once");
}

#[tokio::test]
async fn what_is_written_when_the_connection_is_lost_is_taken_back() {
    let house = live_house().await;
    let mut follower = house.reader.follow(me(), ID, 0).await.expect("it is there");
    house.fake.write([wrote(0, "half a")]);
    told(&mut follower, &["half a"]).await;
    house.fake.connection_is(ConnectionState::Reconnecting {
        attempt: 1,
        why: "closed".to_owned(),
        retry_in: 1,
    });
    told(&mut follower, &[]).await;
}
