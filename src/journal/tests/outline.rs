//! Outlines of conversations.

use super::*;
use crate::journal::outline::MOST_CHECKED;

#[tokio::test]
async fn an_outline_has_what_people_wrote_page_by_page() {
    let (journal, _folder) = journal().await;
    let of = |id: i64| match id % 3 {
        0 => says(id, &format!("Please {id}\nand more")),
        _ => answers(id, "Done."),
    };
    append(&journal, &(0..30).map(of).collect::<Vec<_>>()).await;
    let (mut all, mut before) = (Vec::new(), None);
    loop {
        let page = journal.outline(ID, before, 4).await.expect("healthy");
        assert!(page.0.len() <= 4);
        let texts: Vec<_> = page.0.iter().map(|one| one.text.clone()).collect();
        all.splice(0..0, texts);
        before = page.1;
        if before.is_none() {
            break;
        }
    }
    let expected: Vec<_> = (0..10).map(|id| format!("Please {}", 3 * id)).collect();
    assert_eq!(all, expected);
    let none = journal.outline("unknown", None, 4).await.expect("healthy");
    assert_eq!(none, (vec![], None));
}

#[tokio::test]
async fn a_conversation_in_which_nobody_wrote_is_looked_at_in_parts() {
    let (journal, _folder) = journal().await;
    let mut talk = vec![says(0, "Begin")];
    talk.extend((1..=MOST_CHECKED as i64).map(|id| answers(id, "Well.")));
    append(&journal, &talk).await;
    let (found, older) = journal.outline(ID, None, 4).await.expect("healthy");
    assert!(found.is_empty() && older.is_some());
    let (found, older) = journal.outline(ID, older, 4).await.expect("healthy");
    assert_eq!((found.len(), older), (1, None));
}
