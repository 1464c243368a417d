//! What is read from the journal: windows, pages, changes, words, pictures.

use super::*;

#[tokio::test]
async fn a_window_reads_like_the_whole_log() {
    let (journal, _folder) = journal().await;
    append(&journal, &talk(100)).await;
    let whole = Timeline::of(talk(100).iter().map(|event| entry(event).item)).rows();
    let window = window(&journal, 10).await;
    assert_eq!(window.page.rows, whole[whole.len() - 10..]);
    assert!(window.page.older);
    let oldest = &window.page.rows[0];
    let before = journal
        .rows(ID, Some((oldest.pos, oldest.id)), None, 1000)
        .await
        .expect("a healthy journal");
    assert_eq!(before.rows, whole[..whole.len() - 10]);
    assert!(!before.older);
}

#[tokio::test]
async fn a_page_can_be_of_one_kind() {
    let (journal, _folder) = journal().await;
    append(&journal, &talk(100)).await;
    let page = journal
        .rows(ID, None, Some(Kind::Shell), 7)
        .await
        .expect("a healthy journal");
    assert_eq!(page.rows.len(), 7);
    assert!(page.rows.iter().all(|row| row.kind() == Kind::Shell));
}

#[tokio::test]
async fn a_result_changes_its_row_for_who_saw_the_call() {
    let (journal, _folder) = journal().await;
    let seq = append(&journal, &[says(1, "hello"), runs(2, "ls")]).await;
    append(&journal, &[prints(3, 2, "a.txt")]).await;
    let changed = journal
        .changed_since(ID, seq, 10)
        .await
        .expect("a healthy journal")
        .expect("a good cursor");
    assert_eq!(changed.rows.len(), 1);
    assert!(matches!(&changed.rows[0].card, Card::Call(call) if call.executions.len() == 1));
}

#[tokio::test]
async fn a_row_that_an_event_elsewhere_changes_is_changed() {
    let (journal, _folder) = journal().await;
    let seq = append(
        &journal,
        &[state(1, "awaiting_user_confirmation"), asks(2, "ls")],
    )
    .await;
    let waiting =
        |row: &Row| matches!(&row.card, Card::Call(call) if call.state == CallState::Waiting);
    assert!(waiting(&window(&journal, 9).await.page.rows[0]));
    append(&journal, &[says(3, "no, something else")]).await;
    let changed = journal
        .changed_since(ID, seq, 10)
        .await
        .expect("a healthy journal")
        .expect("a good cursor");
    let row = changed
        .rows
        .iter()
        .find(|row| row.pos == 2)
        .expect("the question was dropped");
    assert!(!waiting(row));
    assert!(row.seq > seq);
}

#[tokio::test]
async fn a_cursor_from_the_future_or_too_far_back_is_a_gap() {
    let (journal, _folder) = journal().await;
    let seq = append(&journal, &talk(40)).await;
    assert_eq!(
        journal
            .changed_since(ID, seq + 1, 10)
            .await
            .expect("healthy"),
        None
    );
    assert_eq!(
        journal.changed_since(ID, -1, 10).await.expect("healthy"),
        None
    );
    assert_eq!(
        journal.changed_since(ID, 0, 10).await.expect("healthy"),
        None
    );
    assert_eq!(
        journal
            .changed_since("other", 0, 10)
            .await
            .expect("healthy"),
        None
    );
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
    let found =
        |text: &'static str| async { journal.search(ID, text, 50).await.expect("healthy").len() };
    assert_eq!(found("flux").await, 2);
    assert_eq!(found("capac flux").await, 1);
    assert_eq!(found("\"* OR flux").await, 0);
    assert_eq!(found("  ").await, 0);
    let other = Described {
        id: "other".to_owned(),
        ..Described::default()
    };
    journal.describe(vec![other]).await.expect("healthy");
    assert_eq!(
        journal.search("other", "flux", 50).await.expect("healthy"),
        []
    );
}

#[tokio::test]
async fn a_picture_is_served_by_event_and_number() {
    let (journal, _folder) = journal().await;
    append(
        &journal,
        &[browses(1, "data:image/png;base64,iVBORw0KGgo=")],
    )
    .await;
    let picture = journal
        .picture(ID, 1, 0)
        .await
        .expect("healthy")
        .expect("the page has a picture");
    assert_eq!(picture.media_type, "image/png");
    assert_eq!(journal.picture(ID, 1, 1).await.expect("healthy"), None);
    assert_eq!(journal.picture(ID, 2, 0).await.expect("healthy"), None);
}
