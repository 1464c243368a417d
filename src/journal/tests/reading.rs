//! Reading the journal: windows, pages, changes, words and pictures.

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
    let now = append(&journal, &[prints(3, 2, "a.txt")]).await;
    let changed = async |since| {
        let changed = journal.changed_since(ID, since, 10).await;
        changed.expect("a healthy journal").expect("a good cursor")
    };
    let rows = changed(seq).await.rows;
    assert_eq!(rows.len(), 1);
    assert!(matches!(&rows[0].card, Card::Call(call) if call.executions.len() == 1));
    assert!(changed(now).await.rows.is_empty());
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

#[tokio::test]
async fn a_page_of_large_events_has_fewer_rows_and_the_rest_comes_behind_it() {
    let (journal, _folder) = journal().await;
    let large = "x".repeat(1 << 20);
    let events: Vec<Value> = (0..20).map(|id| says(id, &large)).collect();
    append(&journal, &events).await;
    let window = window(&journal, 60).await;
    assert!(window.page.rows.len() < 8 && window.page.older);
    let (mut seen, mut page) = (Vec::new(), window.page);
    loop {
        let oldest = page.rows.first().expect("there is one at least").clone();
        seen.extend(page.rows.iter().rev().map(|row| row.pos));
        if !page.older {
            break;
        }
        let before = Some((oldest.pos, oldest.id));
        page = journal.rows(ID, before, None, 60).await.expect("healthy");
        assert!(page.rows.len() < 8);
    }
    assert_eq!(seen, (0..20).rev().collect::<Vec<_>>());
    // A client that missed this much takes a new snapshot.
    let changed = journal.changed_since(ID, 0, 200).await.expect("healthy");
    assert_eq!(changed, None);
}

#[tokio::test]
async fn a_row_that_is_joined_again_and_again_is_read_from_both_its_ends() {
    let (journal, _folder) = journal().await;
    append(&journal, &[runs(1, "ls")]).await;
    for batch in 0..10 {
        let id = |n: i64| 2 + batch * 100 + n;
        let events: Vec<Value> = (0..100)
            .map(|n| prints(id(n), 1, &format!("line {}", id(n))))
            .collect();
        append(&journal, &events).await;
    }
    let window = window(&journal, 10).await;
    let Card::Call(call) = &window.page.rows[0].card else {
        panic!("a call");
    };
    let said = |text: &str| {
        call.executions
            .iter()
            .any(|one| one.result.text.contains(text))
    };
    assert!(call.executions.len() <= 256, "{}", call.executions.len());
    assert!(said("line 2") && said("line 1001"));
}
