//! Comments on changes: drafts of their own for each person, sent with a message or not at all, bounded, and gone with it.

use super::super::{Comment, Outgoing, OutgoingState, database};
use super::*;
use crate::render::{DiffSide, DiffSpot};

fn spot(number: u32) -> DiffSpot {
    DiffSpot {
        commit: String::new(),
        file: "src/a.rs".to_owned(),
        side: DiffSide::New,
        number,
    }
}

async fn add(journal: &Journal, person: i64, text: &str) -> bool {
    let comment = (spot(7), "let x = 1;".to_owned(), text.to_owned());
    let added = journal.add_comment(ID, person, comment).await;
    added.expect("healthy")
}

async fn of(journal: &Journal, person: i64) -> Vec<Comment> {
    journal.comments(ID, person).await.expect("healthy")
}

async fn texts(journal: &Journal, person: i64) -> Vec<String> {
    let comments = of(journal, person).await;
    comments.into_iter().map(|one| one.text).collect()
}

async fn take(journal: &Journal, client_id: &str) {
    let message = Outgoing {
        client_id: client_id.to_owned(),
        text: String::new(),
        images: Vec::new(),
        files: Vec::new(),
        at: 0,
        by: String::new(),
        state: OutgoingState::Waiting,
        why: String::new(),
        sent_after: 0,
    };
    assert!(journal.take_message(ID, message).await.expect("healthy"));
}

#[tokio::test]
async fn a_draft_is_its_authors_alone_and_can_be_changed_and_deleted() {
    let (journal, folder) = journal().await;
    for text in ["Name it", "Why?"] {
        assert!(add(&journal, 1, text).await);
    }
    let first = of(&journal, 1).await[0].clone();
    assert_eq!((first.spot.clone(), first.sent), (spot(7), None));
    assert!(of(&journal, 2).await.is_empty());
    let edit = async |person, text| journal.edit_comment(ID, person, first.number, text).await;
    assert!(!edit(2, "mine").await.expect("healthy"));
    assert!(edit(1, "Name it well").await.expect("healthy"));
    drop(journal);
    let journal = journal_in(folder.path()).await;
    assert_eq!(texts(&journal, 1).await, ["Name it well", "Why?"]);
    let deleted = journal.edit_comment(ID, 1, first.number, "").await;
    assert!(deleted.expect("healthy"));
    assert_eq!(texts(&journal, 1).await, ["Why?"]);
}

#[tokio::test]
async fn drafts_are_sent_when_the_outbox_has_their_message_and_not_before() {
    let (journal, _folder) = journal().await;
    add(&journal, 1, "Name it").await;
    add(&journal, 2, "Of another person").await;
    let put = journal.put_comments_into(ID, 1, "review-1").await;
    assert_eq!(put.expect("healthy").len(), 1);
    // It was not taken: they go with the next one.
    assert_eq!(of(&journal, 1).await[0].sent, None);
    let number = of(&journal, 1).await[0].number;
    let resolve = async || journal.resolve_comment(ID, 1, number, true).await;
    assert!(
        !resolve().await.expect("healthy"),
        "a draft is not resolved"
    );
    let put = journal.put_comments_into(ID, 1, "review-2").await;
    assert_eq!(put.expect("healthy").len(), 1);
    take(&journal, "review-2").await;
    assert_eq!(of(&journal, 1).await[0].sent, Some(OutgoingState::Waiting));
    assert_eq!(of(&journal, 2).await[0].sent, None);
    let put = journal.put_comments_into(ID, 1, "review-3").await;
    assert_eq!(put.expect("healthy"), []);
    let edited = journal.edit_comment(ID, 1, number, "Too late").await;
    assert!(!edited.expect("healthy"));
    assert!(resolve().await.expect("healthy"));
    assert!(of(&journal, 1).await[0].resolved);
    // Its message was discarded.
    let out = journal.take_comments_out(ID, "review-2").await;
    out.expect("healthy");
    let comment = of(&journal, 1).await.remove(0);
    assert_eq!((comment.sent, comment.resolved), (None, false));
}

#[tokio::test]
async fn comments_are_bounded_and_resolved_ones_make_room() {
    let (journal, _folder) = journal().await;
    let large = "x".repeat(200 << 10);
    assert!(add(&journal, 1, &large).await);
    assert!(!add(&journal, 1, &large).await, "they have too many bytes");
    let number = of(&journal, 1).await[0].number;
    let longer = journal
        .edit_comment(ID, 1, number, &"x".repeat(260 << 10))
        .await;
    assert!(!longer.expect("healthy"));
    assert!(add(&journal, 2, &large).await, "each person has their own");
    let put = journal.put_comments_into(ID, 1, "review-1").await;
    put.expect("healthy");
    take(&journal, "review-1").await;
    let resolved = journal.resolve_comment(ID, 1, number, true).await;
    resolved.expect("healthy");
    for at in 0..200 {
        assert!(add(&journal, 1, &at.to_string()).await, "{at}");
    }
    assert!(!add(&journal, 1, "one more").await);
    assert_eq!(of(&journal, 1).await.len(), 200);
    assert_eq!(texts(&journal, 1).await[0], "0");
}

#[tokio::test]
async fn comments_go_with_their_conversation_and_their_author() {
    let (journal, _folder) = journal().await;
    for person in [1, 2] {
        add(&journal, person, "Name it").await;
    }
    tamper(
        &journal,
        "INSERT INTO person (number, name, role, password, created_at) VALUES (1, 'ada', 'owner', '', 0);
         DELETE FROM person WHERE number = 1",
    )
    .await;
    assert!(of(&journal, 1).await.is_empty());
    assert_eq!(of(&journal, 2).await.len(), 1);
    journal.forget(ID).await.expect("healthy");
    let count = "SELECT count(*) FROM comment";
    let left = journal.database.find(count, [], |row| row.get::<_, i64>(0));
    assert_eq!(left.await.expect("healthy"), Some(0));
}

#[tokio::test]
async fn a_journal_without_comments_gets_them_with_all_that_it_has() {
    // It is about the file.
    let _file = crate::journal::engine::in_a_file();
    let folder = TempDir::new().expect("a temporary folder");
    let old = database::database_of_version(17, folder.path());
    old.execute_batch(&format!(
        "INSERT INTO conversation (id, backend, title, runtime, created_at, updated_at)
           VALUES ('{ID}', 'b', 'Old', 'running', 1, 1);
         INSERT INTO draft VALUES ('{ID}', 1, 'half a sent')"
    ))
    .expect("it is SQL");
    drop(old);
    let journal = journal_in(folder.path()).await;
    assert_eq!(journal.draft(ID, 1).await.expect("healthy"), "half a sent");
    assert!(add(&journal, 1, "Name it").await);
    assert_eq!(texts(&journal, 1).await, ["Name it"]);
}
