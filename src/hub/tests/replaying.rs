//! A replay shows what was, and gives nobody anything to answer with.

use super::*;
use crate::conversation::{Kind, Status};
use crate::live::ReplayView;
use crate::render::{CardView, StepState};

async fn replay(house: &House, by: &Caller, at: i64) -> ReplayView {
    let view = house
        .reader
        .replay(by, ID, Some(at), Some(Kind::Shell), None);
    view.await.expect("it is there")
}

fn states(view: &ReplayView) -> Vec<StepState> {
    let rows = view.timeline.rows.iter();
    let state = |row: &RowView| match &row.card {
        CardView::Step(step) => Some(step.state),
        _ => None,
    };
    rows.filter_map(state).collect()
}

#[tokio::test]
async fn what_waited_waits_at_its_place_and_cannot_be_answered_from_there() {
    let house = live(house_with(Duration::from_secs(3600), Runtime::Running).await).await;
    let token = house.ask("make").await;
    let newest = replay(&house, me(), i64::MAX).await;
    assert_eq!((newest.waiting, newest.at), (1, newest.newest));
    assert_eq!(newest.status, Status::AwaitingConfirmation);
    assert_eq!(states(&newest), [StepState::Waiting]);
    assert_eq!(newest.panel.rows.len(), 1);
    let json = serde_json::to_string(&newest).expect("views are plain data");
    assert!(!json.contains(&token), "{json}");
    // Reading it is not looking at the question: an answer still comes too soon.
    assert!(!house.reader.seen.has_seen(me(), &token));
    let first = replay(&house, me(), 1).await;
    assert_eq!((first.waiting, states(&first).len()), (0, 0));
    assert_eq!(first.timeline.rows.len(), 1);
    // The mark of the question is the next one that a reader goes to.
    let asked = first.next.expect("it is marked");
    assert_eq!(replay(&house, me(), asked).await.waiting, 1);
    assert_eq!(house.fake.orders(), []);
}

#[tokio::test]
async fn a_stopped_conversation_is_replayed_without_waking_it() {
    let house = house(Runtime::Stopped).await;
    house.fake.emit(talk(40));
    house.reader.open(ID).await.expect("it is there");
    let handle = house.handle().await;
    let mut newest = handle.newest.clone();
    newest.wait_for(|seq| *seq == 40).await.expect("it is read");
    let then = replay(&house, me(), 20).await;
    assert_eq!((then.at, then.newest), (20, 40));
    assert_eq!(then.ahead.first().map(|pace| pace.seq), Some(21));
    assert_eq!(house.fake.orders(), []);
    let track = house.reader.replay_track(ID).await.expect("it is there");
    assert_eq!(track.newest, 40);
    assert_eq!(track.marks.len(), 20);
}

#[tokio::test]
async fn nobody_replays_what_does_not_exist() {
    let house = house(Runtime::Stopped).await;
    for id in ["nothing", "../x"] {
        let refused = house.reader.replay(me(), id, None, None, None).await;
        assert!(refused.is_err(), "{id}");
    }
}
