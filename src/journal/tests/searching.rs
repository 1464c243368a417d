//! Search results, their order, and who gets them.
//!
//! Long because every test needs the same few helpers.

use super::*;
use crate::conversation::Family;
use crate::journal::{Cursor, Found, MOST_SEARCHED, MOST_WORDS, Search, SearchFilter, Words};
use std::time::{Duration, Instant};

fn search(text: &str, limit: usize) -> Search {
    Search {
        words: Words::of(text).expect("few words"),
        limit,
        ..Search::default()
    }
}

fn within(conversation: &str) -> SearchFilter {
    SearchFilter {
        conversation: Some(conversation.to_owned()),
        ..SearchFilter::default()
    }
}

/// Appends events and indexes them.
async fn append(journal: &Journal, events: &[Value]) {
    super::append(journal, events).await;
    index_all(journal).await;
}

async fn index_all(journal: &Journal) {
    while journal.index_slice().await.expect("a healthy journal") {}
}

/// The answer to a query of somebody who sees everything, however long it takes.
async fn answer(journal: &Journal, mut search: Search) -> Found {
    let mut left = search.limit;
    let mut all = Vec::new();
    loop {
        // As many as a page has: the time for one query is limited.
        search.limit = left.min(50);
        let found = journal.search(search.clone(), |_| true).await;
        let mut found = found.expect("a healthy journal");
        left -= found.hits.len();
        let is_full = found.hits.len() == search.limit || found.back_to.is_some();
        all.append(&mut found.hits);
        if left == 0 || !is_full || found.next.is_none() {
            return Found { hits: all, ..found };
        }
        search.after = found.next;
    }
}

/// Positions of the rows that match `text`.
pub(super) async fn found(journal: &Journal, conversation: &str, text: &str) -> Vec<i64> {
    let search = Search {
        filter: within(conversation),
        ..search(text, 50)
    };
    positions(&answer(journal, search).await)
}

fn positions(found: &Found) -> Vec<i64> {
    found.hits.iter().map(|hit| hit.pos).collect()
}

async fn filtered(journal: &Journal, filter: SearchFilter) -> Vec<i64> {
    let search = Search {
        filter,
        limit: 50,
        ..Search::default()
    };
    positions(&answer(journal, search).await)
}

/// A journal with two more conversations, each with one message, of two backends.
async fn three() -> (Journal, TempDir) {
    let (journal, folder) = journal().await;
    append(&journal, &[says(1, "flux of the first")]).await;
    for (id, backend, text) in [
        ("two", "b", "flux of the second"),
        ("three", "c", "third flux"),
    ] {
        let meta = ConversationMeta {
            id: id.to_owned(),
            backend: backend.to_owned(),
            title: format!("Title of {id}"),
            ..ConversationMeta::default()
        };
        journal.describe(vec![meta]).await.expect("healthy");
        let entries = vec![entry(&says(1, text))];
        let added = journal.append(id, entries, false, 1).await;
        added.expect("healthy");
    }
    (journal, folder)
}

fn conversations(found: &Found) -> Vec<&str> {
    let hits = found.hits.iter();
    hits.map(|hit| hit.conversation.as_str()).collect()
}

#[tokio::test]
async fn words_are_found_where_they_are_and_nowhere_else() {
    let (journal, _folder) = journal().await;
    let events = [
        says(1, "Fix the flux capacitor"),
        runs(2, "grep -rn \"flux\" src"),
        answers(3, "Done."),
    ];
    append(&journal, &events).await;
    assert_eq!(found(&journal, ID, "flux").await, [2, 1]);
    assert_eq!(found(&journal, ID, "flux capac").await, [1]);
    let none = Vec::<i64>::new();
    assert_eq!(found(&journal, ID, "\"* OR flux").await, none);
    assert_eq!(found(&journal, ID, "  ").await, [3, 2, 1]);
    assert_eq!(found(&journal, "other", "flux").await, none);
}

#[tokio::test]
async fn only_the_last_word_may_be_a_beginning_and_not_a_short_one() {
    let (journal, _folder) = journal().await;
    let events = [
        says(1, "Fix the flux capacitor"),
        says(2, "version ver1.1 of it"),
        says(3, "version ver1.10 of it"),
    ];
    append(&journal, &events).await;
    let none = Vec::<i64>::new();
    assert_eq!(found(&journal, ID, "capac flux").await, none);
    assert_eq!(found(&journal, ID, "fl").await, none);
    assert_eq!(found(&journal, ID, "1*").await, [2]);
    // SQLite reads the two words "ver1 1" and does not try all words that start with "1".
    assert_eq!(found(&journal, ID, "ver1.1").await, [2]);
    assert_eq!(found(&journal, ID, "versi").await, [3, 2]);
    assert_eq!(found(&journal, ID, "versi.").await, [3, 2]);
    // An exact text may end within a word.
    assert_eq!(found(&journal, ID, "\"versi\"").await, [3, 2]);
    assert_eq!(found(&journal, ID, "\"versi on\"").await, none);
}

#[tokio::test]
async fn whole_words_come_first_and_beginnings_only_when_there_is_room() {
    let (journal, _folder) = journal().await;
    append(&journal, &[says(1, "a flux"), says(2, "two fluxes")]).await;
    let both = answer(&journal, search("flux", 50)).await;
    assert_eq!(positions(&both), [1, 2]);
    assert_eq!(
        both.hits.iter().map(|hit| hit.longer).collect::<Vec<_>>(),
        [false, true]
    );
    let one = answer(&journal, search("flux", 1)).await;
    assert_eq!((positions(&one), one.next), (vec![1], None));
}

#[tokio::test]
async fn a_search_goes_on_where_it_ended_and_finds_each_row_once() {
    let (journal, _folder) = journal().await;
    append(&journal, &talk(200)).await;
    let (mut all, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = Search {
            after,
            ..search("number", 30)
        };
        let page = answer(&journal, page).await;
        assert!(page.hits.len() <= 30 && page.back_to.is_none());
        all.extend(positions(&page));
        pages += 1;
        // The cursor goes through an address, as in a link.
        let next = page.next.map(Cursor::in_address);
        after = next.map(|next| Cursor::of(&next).expect("it is one"));
        if after.is_none() {
            break;
        }
    }
    let expected: Vec<i64> = (0..200)
        .rev()
        .filter(|id| matches!(id % 4, 0 | 3))
        .collect();
    assert_eq!(all, expected);
    assert_eq!(pages, 4);
}

#[tokio::test]
async fn only_conversations_that_the_person_sees_are_found_and_their_filter_is_no_way_around() {
    let (journal, _folder) = three().await;
    let of = async |filter: SearchFilter, seen: &'static [&'static str]| {
        let search = Search {
            filter,
            ..search("flux", 50)
        };
        let found = journal.search(search, move |id| seen.contains(&id)).await;
        let found = found.expect("healthy");
        conversations(&found).join(" ")
    };
    let all = &["two", "three", ID][..];
    assert_eq!(
        of(SearchFilter::default(), all).await,
        format!("three two {ID}")
    );
    assert_eq!(of(SearchFilter::default(), &["two"]).await, "two");
    assert_eq!(of(SearchFilter::default(), &[]).await, "");
    assert_eq!(of(within("two"), all).await, "two");
    assert_eq!(of(within("two"), &["three"]).await, "");
    let backend = |label: &str| SearchFilter {
        backend: Some(label.to_owned()),
        ..SearchFilter::default()
    };
    assert_eq!(of(backend("c"), all).await, "three");
    assert_eq!(of(backend("b"), all).await, format!("two {ID}"));
    assert_eq!(of(backend("b"), &["three"]).await, "");
    assert_eq!(of(backend("none"), all).await, "");
}

/// Stores a conversation with these messages.
async fn tell(journal: &Journal, id: &str, texts: &[String]) {
    let meta = ConversationMeta {
        id: id.to_owned(),
        ..ConversationMeta::default()
    };
    journal.describe(vec![meta]).await.expect("healthy");
    let said = (1..).zip(texts);
    let entries = said.map(|(at, text)| entry(&says(at, text))).collect();
    let added = journal.append(id, entries, false, 1).await;
    added.expect("healthy");
    index_all(journal).await;
}

/// Every way to ask in a conversation that the person sees, from its first page to its last.
async fn every_answer(journal: &Journal) -> Vec<(String, Vec<Found>, crate::journal::Walk)> {
    let mut all = Vec::new();
    for text in [
        "cap", "capac", "zeb", "zebra", "flux", "flux zeb", "flux cap", "größ",
    ] {
        for limit in [1, 50] {
            let (mut pages, mut after) = (Vec::new(), None);
            loop {
                let page = Search {
                    after,
                    ..search(text, limit)
                };
                // On a busy machine the time may be up before the end: then it is asked again.
                let mut found = loop {
                    let found = journal.search(page.clone(), |id| id == ID).await;
                    let found = found.expect("healthy");
                    if !found.cut {
                        break found;
                    }
                };
                after = found.next.take();
                pages.push(found);
                if after.is_none() {
                    break;
                }
            }
            let walk = async || {
                let walk =
                    journal.walk(search(text, limit), (ID.to_owned(), 2), true, |id| id == ID);
                walk.await.expect("healthy")
            };
            let mut found = walk().await;
            while found.late {
                found = walk().await;
            }
            all.push((text.to_owned(), pages, found));
        }
    }
    all
}

#[tokio::test]
async fn what_others_write_changes_no_answer() {
    let (journal, _folder) = journal().await;
    let mine = [
        says(1, "the flux capacitor"),
        says(2, "flux captains, größer"),
        says(3, "parse captureAll"),
    ];
    append(&journal, &mine).await;
    let before = every_answer(&journal).await;
    let longer = before.iter().flat_map(|(_, pages, _)| pages);
    let longer = longer.flat_map(|page| &page.hits).filter(|hit| hit.longer);
    assert!(longer.count() > 6, "{before:?}");
    // More words with each beginning than are completed at a time, in a conversation that the person does not see.
    let word = |at: usize| {
        ["cap", "capac", "zeb", "zebra", "flux", "größ"][at % 6].to_owned() + &format!("{at:x}x")
    };
    let words: Vec<String> = (0..6000).map(word).collect();
    let texts: Vec<String> = words.chunks(60).map(|words| words.join(" ")).collect();
    tell(&journal, "private", &texts).await;
    assert_eq!(every_answer(&journal).await, before);
}

#[tokio::test]
async fn where_a_search_stops_says_nothing_about_conversations_of_others() {
    let (journal, _folder) = journal().await;
    tell(&journal, ID, &vec!["flux".to_owned(); 2001]).await;
    tell(&journal, "private", &["flux".to_owned()]).await;
    let late = |text: &str, sees: fn(&str) -> bool| {
        journal.search_until(search(text, 50), Instant::now(), sees)
    };
    let before = [
        late("flux", |id| id == ID).await.expect("healthy"),
        late("capac", |id| id == ID).await.expect("healthy"),
    ];
    tell(&journal, "another", &vec!["flux capacitor".to_owned(); 5]).await;
    let mut after = [
        late("flux", |id| id == ID).await.expect("healthy"),
        late("capac", |id| id == ID).await.expect("healthy"),
    ];
    assert!(before[0].back_to.is_none() && before[0].hits.len() == 50);
    // Of the conversation itself, the events that are read for one answer.
    assert_eq!((before[1].back_to, before[1].hits.len()), (Some(1), 0));
    for (after, before) in after.iter_mut().zip(&before) {
        assert_eq!(after.next.is_some(), before.next.is_some());
        after.next = before.next;
    }
    assert_eq!(after, before);
    let found = late("flux", |_| true).await.expect("healthy");
    assert_eq!((found.back_to, found.hits.len()), (Some(1), 0));
}

#[tokio::test]
async fn somebody_who_sees_many_conversations_finds_all_of_them_and_no_other() {
    let (journal, _folder) = journal().await;
    // More than are named in the expression.
    for number in 0..200 {
        let id = format!("n{number}");
        let meta = ConversationMeta {
            id: id.clone(),
            ..ConversationMeta::default()
        };
        journal.describe(vec![meta]).await.expect("healthy");
        let entries = vec![entry(&says(1, "flux"))];
        journal
            .append(&id, entries, false, 1)
            .await
            .expect("healthy");
    }
    index_all(&journal).await;
    let even = |id: &str| id.ends_with(['0', '2', '4', '6', '8']);
    let found = journal.search(search("flux", 500), even).await;
    let found = found.expect("healthy");
    assert_eq!(found.hits.len(), 100);
    assert!(found.hits.iter().all(|hit| even(&hit.conversation)));
}

#[tokio::test]
async fn a_filter_takes_a_kind_a_source_a_path_or_days() {
    let (journal, _folder) = journal().await;
    let mut events = vec![
        says(1, "look"),
        runs(2, "cat src/main.rs"),
        prints(3, 2, "fn main() {}"),
        answers(4, "done"),
    ];
    events.push(says(5, "earlier"));
    events[4]["timestamp"] = json!("2026-10-01T23:59:59.000000");
    append(&journal, &events).await;
    let of = |filter| filtered(&journal, filter);
    let family = |family| SearchFilter {
        family: Some(family),
        ..SearchFilter::default()
    };
    assert_eq!(of(family(Family::Command)).await, [2]);
    assert_eq!(of(family(Family::Message)).await, [5, 4, 1]);
    let human = SearchFilter {
        source: Some(crate::conversation::Actor::Human),
        ..SearchFilter::default()
    };
    assert_eq!(of(human).await, [5, 1]);
    let path = SearchFilter {
        path: Some("src/main.rs".to_owned()),
        ..SearchFilter::default()
    };
    assert!(of(path).await.is_empty(), "a command names no file");
    let day = |from_day, to_day| SearchFilter {
        from_day,
        to_day,
        ..within(ID)
    };
    // 1 October 2026 is day 20,727.
    assert_eq!(of(day(None, Some(20_727))).await, [5]);
    assert_eq!(of(day(Some(20_727), Some(20_727))).await, [5]);
    assert_eq!(of(day(Some(20_728), None)).await, [4, 2, 1]);
    assert!(of(day(Some(20_728), Some(20_700))).await.is_empty());
}

#[tokio::test]
async fn a_person_is_found_by_what_they_signed_and_no_longer_once_it_is_unsigned() {
    let (journal, _folder) = journal().await;
    append(&journal, &[says(1, "flux"), asks(2, "rm -rf flux")]).await;
    let by = |name: &str| SearchFilter {
        person: Some(name.to_owned()),
        ..SearchFilter::default()
    };
    journal
        .sign_rows(ID, vec![1], "Ada")
        .await
        .expect("healthy");
    journal
        .sign_rows(ID, vec![2], "bob")
        .await
        .expect("healthy");
    append(&journal, &[prints(3, 2, "a late result")]).await;
    assert_eq!(filtered(&journal, by("ada")).await, [1]);
    assert_eq!(filtered(&journal, by("BOB")).await, [2]);
    let search = Search {
        filter: by("bob"),
        ..search("late", 50)
    };
    let late = answer(&journal, search).await;
    assert_eq!(
        (positions(&late), late.hits[0].by.as_str()),
        (vec![2], "bob")
    );
    journal
        .unsign_rows(ID, vec![1], "Ada")
        .await
        .expect("healthy");
    assert!(filtered(&journal, by("ada")).await.is_empty());
    assert_eq!(found(&journal, ID, "flux").await, [2, 1]);
}

#[tokio::test]
async fn parts_of_names_are_found_and_marked() {
    let (journal, _folder) = journal().await;
    append(
        &journal,
        &[says(1, "call parseHttpHeader and my_snake_word")],
    )
    .await;
    for (text, marked) in [
        ("header", "Header"),
        ("snake", "snake"),
        ("parsehttpheader", "parseHttpHeader"),
    ] {
        let hits = answer(&journal, search(text, 50)).await.hits;
        let shown = hits[0].text.iter().find(|piece| piece.hit);
        assert_eq!(
            shown.map(|piece| piece.text.as_str()),
            Some(marked),
            "{text}"
        );
    }
}

#[tokio::test]
async fn an_exact_text_is_found_in_its_conversation_with_every_mark() {
    let (journal, _folder) = journal().await;
    let events = [
        says(1, "if a -> b then \"c\""),
        says(2, "a b"),
        says(3, "a -> b, twice: a -> b"),
    ];
    append(&journal, &events).await;
    assert_eq!(found(&journal, ID, "\"a -> b\"").await, [3, 1]);
    assert_eq!(found(&journal, ID, "\"->\"").await, [3, 1]);
    assert_eq!(found(&journal, ID, "\"A -> b\"").await, Vec::<i64>::new());
    // Over all conversations it is a phrase.
    let phrase = answer(&journal, search("\"a b\"", 50)).await;
    assert_eq!(positions(&phrase), [3, 2, 1]);
    let hidden = Search {
        filter: within(ID),
        ..search("\"a -> b\"", 50)
    };
    let hidden = journal.search(hidden, |_| false).await.expect("healthy");
    assert!(hidden.hits.is_empty());
}

#[tokio::test]
async fn a_hit_leads_to_the_one_before_and_after_it() {
    let (journal, _folder) = three().await;
    let walk = async |conversation: &str, seen: &'static [&'static str]| {
        let at = (conversation.to_owned(), 1);
        let walk = journal.walk(search("flux", 50), at, false, move |id| seen.contains(&id));
        let walk = walk.await.expect("healthy");
        let name = |to: Option<crate::journal::Neighbour>| to.map(|to| to.conversation);
        (name(walk.newer), name(walk.older))
    };
    let some = |id: &str| Some(id.to_owned());
    let all = &["two", "three", ID][..];
    assert_eq!(walk("two", all).await, (some("three"), some(ID)));
    assert_eq!(walk("three", all).await, (None, some("two")));
    assert_eq!(walk("three", &["three", ID]).await, (None, some(ID)));
    assert_eq!(walk("three", &["two", ID]).await, (None, None));
    assert_eq!(walk(ID, &[ID]).await, (None, None));
    assert_eq!(walk("none", all).await, (None, None));
}

#[tokio::test]
async fn an_index_of_an_older_version_is_filled_from_the_newest_event_on() {
    let (journal, folder) = journal().await;
    append(&journal, &talk(1000)).await;
    let emptied = match journal.database.connection().await.is_postgres() {
        true => "DELETE FROM word",
        false => "INSERT INTO word (word) VALUES ('delete-all')",
    };
    tamper(&journal, emptied).await;
    let all = "UPDATE unindexed SET up_to = (SELECT max(id) FROM event), of = (SELECT max(id) FROM event)";
    tamper(&journal, all).await;
    drop(journal);
    let journal = journal_in(folder.path()).await;
    let none = answer(&journal, search("number", 500)).await;
    assert_eq!((none.hits.len(), none.indexed), (0, Some(0)));
    assert!(journal.index_slice().await.expect("healthy"));
    let some = answer(&journal, search("number", 500)).await;
    assert_eq!((some.hits.len(), some.indexed), (25, Some(5)));
    assert_eq!(some.hits[0].pos, 999);
    let more = [says(1000, "one more number")];
    append(&journal, &more).await;
    let all = answer(&journal, search("number", 600)).await;
    assert_eq!((all.hits.len(), all.indexed), (501, None));
    assert!(!journal.index_slice().await.expect("healthy"));
}

#[tokio::test]
async fn the_index_follows_behind_the_log_and_a_search_says_since_when() {
    let (journal, _folder) = journal().await;
    super::append(&journal, &talk(120)).await;
    let as_it_is = |sees: fn(&str) -> bool| {
        let until = Instant::now() + Duration::from_secs(5);
        journal.search_until(search("number", 50), until, sees)
    };
    let none = as_it_is(|_| true).await.expect("healthy");
    assert_eq!((none.hits.len(), none.behind_from), (0, Some(1)));
    // Whoever sees nothing of it is told nothing about it.
    let other = as_it_is(|id| id != ID).await.expect("healthy");
    assert_eq!(other.behind_from, None);
    assert!(journal.index_slice().await.expect("healthy"));
    let some = as_it_is(|_| true).await.expect("healthy");
    assert_eq!((some.hits.len(), some.behind_from), (25, Some(1)));
    // A search first indexes what has arrived: at least a slice of it.
    let other = journal.search(search("number", 50), |id| id != ID).await;
    assert_eq!(other.expect("healthy"), Found::default());
    let more = as_it_is(|_| true).await.expect("healthy");
    assert_eq!(more.hits.len(), 50);
    index_all(&journal).await;
    let all = as_it_is(|_| true).await.expect("healthy");
    assert_eq!((all.hits.len(), all.behind_from), (50, None));
}

#[tokio::test]
async fn a_search_without_time_for_longer_words_says_that_some_were_left_out() {
    // A server completes words without a list of them.
    let _file = crate::journal::engine::in_a_file();
    let (journal, _folder) = journal().await;
    append(&journal, &[says(1, "a capacitor"), says(2, "a capacity")]).await;
    let first = answer(&journal, search("capac", 1)).await;
    assert!(first.hits[0].longer && first.next.is_some(), "{first:?}");
    let rest = Search {
        after: first.next,
        ..search("capac", 9)
    };
    let late = journal.search_until(rest, Instant::now(), |_| true).await;
    let late = late.expect("healthy");
    assert!(late.hits.is_empty() && late.cut, "{late:?}");
}

#[tokio::test]
async fn an_event_with_the_id_of_a_deleted_one_is_indexed() {
    let (journal, _folder) = journal().await;
    append(&journal, &[says(1, "a lighthouse")]).await;
    assert_eq!(found(&journal, ID, "lighthouse").await, [1]);
    journal.forget(ID).await.expect("healthy");
    tell(&journal, ID, &["a harbour".to_owned()]).await;
    assert_eq!(found(&journal, ID, "harbour").await, [1]);
    assert!(found(&journal, ID, "lighthouse").await.is_empty());
}

#[test]
fn a_search_of_too_many_words_or_bytes_is_none() {
    let words = |count: usize| vec!["a"; count].join(" ");
    assert!(Words::of(&words(MOST_WORDS)).is_some());
    assert_eq!(Words::of(&words(MOST_WORDS + 1)), None);
    assert_eq!(Words::of(&words(MOST_WORDS + 1).replace(' ', "/")), None);
    assert!(Words::of(&"x".repeat(MOST_SEARCHED)).is_some());
    assert_eq!(Words::of(&"x".repeat(MOST_SEARCHED + 1)), None);
}

#[tokio::test]
async fn words_of_scripts_without_spaces_are_found_inside_of_others() {
    let (journal, _folder) = journal().await;
    let texts = [
        "请修复登录页面的错误，用户无法登录。",
        "已修复：重跑gen-itgc后50条悬空引用清零，修复已验证。",
        "データベースの接続エラーを直してください",
        "로그인 페이지의 오류를 수정했습니다. 修改youer服务端的计划",
        "ระบบล็อกอินไม่ทำงาน",
    ];
    let said: Vec<_> = (1..).zip(texts).map(|(id, text)| says(id, text)).collect();
    append(&journal, &said).await;
    for (word, at) in [
        ("登录", 1),
        ("错误", 1),
        ("误", 1),
        ("悬空", 2),
        ("itgc", 2),
        ("itgc后50条", 2),
        ("接続", 3),
        ("エラー", 3),
        ("페이지", 4),
        ("youer", 4),
        ("服务端", 4),
        ("ล็อกอิน", 5),
    ] {
        assert_eq!(found(&journal, ID, word).await, [at], "{word}");
        let found = answer(&journal, search(word, 5)).await;
        let text = &found.hits[0].text;
        assert!(
            text.iter().any(|piece| piece.hit && piece.text == word),
            "{text:?}"
        );
    }
    for other in ["录登", "误登", "端服务"] {
        assert_eq!(found(&journal, ID, other).await, [0_i64; 0], "{other}");
    }
}

#[tokio::test]
async fn an_event_of_an_unknown_kind_is_found_by_what_it_says() {
    let (journal, _folder) = journal().await;
    let event = serde_json::json!({"id": 7, "source": "agent", "action": "deploy_preview", "args": {"note": "zanzibar"}});
    append(&journal, &[event]).await;
    assert_eq!(found(&journal, ID, "zanzibar").await, [7]);
    assert_eq!(found(&journal, ID, "deploy_preview").await, [7]);
}
