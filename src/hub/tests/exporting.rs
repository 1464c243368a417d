//! What is taken away, and what that may weigh.

use super::*;

#[tokio::test]
async fn a_conversation_can_be_taken_away_as_markdown_and_as_json() {
    let house = house(Runtime::Stopped).await;
    house.fake.emit(talk(8));
    house.hub.open(ID).await.expect("it is there");
    let markdown = house.hub.export_markdown(ID).await.expect("healthy");
    let markdown = taken(markdown).await.concat();
    assert!(
        markdown.contains("## You\n\nPlease look at number 4"),
        "{markdown}"
    );
    assert!(markdown.contains("cat notes/5.txt"), "{markdown}");
    let json = house.hub.trajectory(ID).await.expect("healthy");
    let json = taken(json).await.concat();
    let events: Vec<serde_json::Value> = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(events.len(), 8);
}

#[tokio::test]
async fn an_export_is_never_whole_in_memory() {
    const EVENT: usize = 600_000;
    let house = house(Runtime::Stopped).await;
    let long = "word ".repeat(EVENT / 5);
    house.fake.emit((0..20).map(|id| says(id, &long)));
    let handle = house.hub.handle(ID).await.expect("it is there");
    let mut newest = handle.newest.clone();
    let all = newest.wait_for(|newest| *newest == 20).await;
    drop(all.expect("the handle stays open"));
    for pieces in [
        taken(house.hub.trajectory(ID).await.expect("healthy")).await,
        taken(house.hub.export_markdown(ID).await.expect("healthy")).await,
    ] {
        let sizes: Vec<usize> = pieces.iter().map(String::len).collect();
        assert!(sizes.iter().sum::<usize>() > 20 * EVENT, "{sizes:?}");
        assert!(sizes.iter().all(|size| *size < 6 << 20), "{sizes:?}");
        assert!(pieces.len() > 3, "{sizes:?}");
    }
}
