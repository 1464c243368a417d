//! Resource limits per user: attacks by users who may only read.
//!
//! The dialect of the backend does not matter: searches and exports read Handrail's own journal.

use super::house::House;
use handrail::people::Role;
use reqwest::header;

#[tokio::test]
async fn a_search_for_a_thousand_words_is_refused() {
    let house = House::new().await;
    let operator = house.log_in(Role::Operator.word()).await;
    let viewer = house.log_in(Role::Viewer.word()).await;
    let id = house
        .create_conversation(&operator, "[[scenario:hello]]")
        .await;
    for text in ["a ".repeat(1000), "x".repeat(8000)] {
        let fields = [
            ("ask[conversation]", id.as_str()),
            ("ask[q]", text.as_str()),
        ];
        let answer = house.call("search_events", &viewer, &fields).await;
        let said = answer.text().await.expect("text");
        assert!(said.contains("at most 16 words and 200 bytes"), "{said}");
    }
    let fields = [("ask[conversation]", id.as_str()), ("ask[q]", "hello")];
    let found = house.call("search_events", &viewer, &fields).await;
    assert_eq!(found.status(), 200);
}

#[tokio::test]
async fn an_export_is_streamed_without_a_content_length() {
    let house = House::new().await;
    let operator = house.log_in(Role::Operator.word()).await;
    let id = house
        .create_conversation(&operator, "[[scenario:hello]]")
        .await;
    for name in ["trajectory.json", "export.md", "export.html"] {
        let answer = house.get(&format!("/c/{id}/{name}"), Some(&operator)).await;
        assert_eq!(answer.status(), 200, "{name}");
        assert!(!answer.headers().contains_key(header::CONTENT_LENGTH));
        let text = answer.text().await.expect("it is whole");
        assert!(!text.is_empty(), "{name}");
    }
}
