//! Search results, and the cost limits of a search.

use super::*;
use crate::journal::{MOST_SEARCHED, MOST_WORDS, Words};

/// Positions of the rows that match `text`.
pub(super) async fn found(journal: &Journal, conversation: &str, text: &str) -> Vec<i64> {
    at_most(journal, conversation, text, 50).await
}

async fn at_most(journal: &Journal, conversation: &str, text: &str, limit: usize) -> Vec<i64> {
    let words = Words::of(text).expect("few words");
    let rows = journal.search(conversation, words, limit).await;
    let rows = rows.expect("a healthy journal");
    rows.iter().map(|row| row.pos).collect()
}

#[tokio::test]
async fn words_are_found_where_they_are_and_nowhere_else() {
    let (journal, _folder) = journal().await;
    append(
        &journal,
        &[
            says(1, "Fix the flux capacitor"),
            runs(2, "grep -rn \"flux\" src"),
            answers(3, "Done."),
        ],
    )
    .await;
    assert_eq!(found(&journal, ID, "flux").await, [2, 1]);
    assert_eq!(found(&journal, ID, "flux capac").await, [1]);
    let none = Vec::<i64>::new();
    assert_eq!(found(&journal, ID, "\"* OR flux").await, none);
    assert_eq!(found(&journal, ID, "  ").await, none);
    let other = ConversationMeta {
        id: "other".to_owned(),
        ..ConversationMeta::default()
    };
    journal.describe(vec![other]).await.expect("healthy");
    assert_eq!(found(&journal, "other", "flux").await, none);
}

#[tokio::test]
async fn only_the_last_word_may_be_a_beginning_and_not_a_short_one() {
    let (journal, _folder) = journal().await;
    append(
        &journal,
        &[
            says(1, "Fix the flux capacitor"),
            says(2, "version ver1.1 of it"),
            says(3, "version ver1.10 of it"),
        ],
    )
    .await;
    let none = Vec::<i64>::new();
    assert_eq!(found(&journal, ID, "capac flux").await, none);
    assert_eq!(found(&journal, ID, "fl").await, none);
    // SQLite reads the two words "ver1 1" and does not try all words that start with "1".
    assert_eq!(found(&journal, ID, "ver1.1").await, [2]);
    assert_eq!(found(&journal, ID, "versi").await, [3, 2]);
    assert_eq!(found(&journal, ID, "versi.").await, [3, 2]);
}

#[tokio::test]
async fn whole_words_come_first_and_beginnings_only_when_there_is_room() {
    let (journal, _folder) = journal().await;
    append(&journal, &[says(1, "a flux"), says(2, "two fluxes")]).await;
    assert_eq!(found(&journal, ID, "flux").await, [1, 2]);
    assert_eq!(at_most(&journal, ID, "flux", 1).await, [1]);
}

#[test]
fn a_search_of_too_many_words_or_bytes_is_none() {
    let words = |count: usize| vec!["a"; count].join(" ");
    assert!(Words::of(&words(MOST_WORDS)).is_some());
    assert_eq!(Words::of(&words(MOST_WORDS + 1)), None);
    assert!(Words::of(&"x".repeat(MOST_SEARCHED)).is_some());
    assert_eq!(Words::of(&"x".repeat(MOST_SEARCHED + 1)), None);
}
