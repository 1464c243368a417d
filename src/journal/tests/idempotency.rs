//! Keys of requests.

use super::*;
use crate::journal::Repeated;

#[tokio::test]
async fn a_key_stands_for_one_request_of_one_client_for_a_day() {
    let (journal, _folder) = journal().await;
    let begin = async |client: &str, request: &str, now: i64| {
        let begun = journal.begin_once(client, "k", request, (now, now - 100));
        begun.await.expect("healthy")
    };
    assert_eq!(begin("a", "x", 1000).await, Repeated::New);
    assert_eq!(begin("a", "x", 1001).await, Repeated::Begun);
    assert_eq!(begin("a", "y", 1001).await, Repeated::Other);
    assert_eq!(begin("b", "y", 1001).await, Repeated::New, "another client");
    let answer = Some((201, "made".to_owned()));
    journal.end_once("a", "k", answer).await.expect("healthy");
    let answered = Repeated::Answered(201, "made".to_owned());
    assert_eq!(begin("a", "x", 1002).await, answered);
    journal.end_once("b", "k", None).await.expect("healthy");
    assert_eq!(
        begin("b", "z", 1003).await,
        Repeated::New,
        "nothing was done"
    );
    assert_eq!(
        begin("a", "y", 1101).await,
        Repeated::New,
        "it was forgotten"
    );
}
