//! Search over all conversations, and within one: found, opened at the row, and on to the next hit.

use super::part::{Part, css, heading, region};
use super::tasks::step;
use super::visitor::Visitor;

fn results() -> Part {
    css(".result")
}

#[tokio::test]
async fn what_two_conversations_contain_is_found_in_both_and_a_hit_opens_at_its_row() {
    let (mut visitor, older) = Visitor::saying("Look at the zanzibar [[scenario:long:40]]").await;
    visitor.see_status("finished").await;
    let newer = visitor
        .create_conversation("A zanzibar again [[scenario:hello]]")
        .await;
    visitor.see_turn().await;
    visitor.open("/search").await;
    visitor.fill("Search all conversations", "zanzibar");
    visitor.press(css("main").button("Search")).await;
    assert_eq!(
        visitor.text(results().first().css("mark").first()),
        "zanzibar"
    );
    let links = css(".result__link").of(&visitor.page);
    let addresses = links
        .iter()
        .map(|link| link.attr("href").expect("it is a link"));
    let order: Vec<_> = addresses
        .map(|address| if address.contains(&newer) { 0 } else { 1 })
        .collect();
    assert!(
        order.is_sorted() && order.contains(&0) && order.contains(&1),
        "{order:?}"
    );
    let hit = css(&format!(".result__link[href*=\"{older}\"]")).last();
    visitor.follow(hit).await;
    assert!(visitor.path().contains("hit="), "{}", visitor.path());
    assert_eq!(visitor.conversation(), older);
    assert!(
        visitor.target().contains("Look at the zanzibar"),
        "{}",
        visitor.target()
    );
    visitor
        .follow(region("Search results").link("All results"))
        .await;
    visitor.shows(results());
}

#[tokio::test]
async fn from_one_hit_to_the_next_and_back() {
    let (mut visitor, id) = Visitor::saying("Many steps [[scenario:long:40]]").await;
    visitor.see_status("finished").await;
    visitor.open(&format!("/c/{id}?q=echo")).await;
    visitor.follow(css(".result__link").first()).await;
    let walk = region("Search results");
    visitor.lacks(walk.clone().link("Previous hit"));
    let mut places = Vec::new();
    for _ in 0..3 {
        assert!(visitor.target().contains("echo"), "{}", visitor.target());
        let place = visitor
            .page
            .url
            .fragment()
            .expect("a hit has a place")
            .to_owned();
        assert!(!places.contains(&place), "{places:?}: {place}");
        places.push(place);
        visitor.follow(walk.clone().link("Next hit")).await;
    }
    visitor.follow(walk.clone().link("Previous hit")).await;
    assert_eq!(
        visitor.page.url.fragment(),
        places.last().map(String::as_str)
    );
    visitor.follow(walk.link("All results")).await;
    assert!(
        visitor.path().starts_with(&format!("/c/{id}?")),
        "{}",
        visitor.path()
    );
    visitor.shows(results());
}

#[tokio::test]
async fn filters_narrow_the_search_and_are_in_the_address() {
    let (mut visitor, id) = Visitor::saying("Many steps [[scenario:long:12]]").await;
    visitor.see_status("finished").await;
    visitor.open("/search?q=step").await;
    visitor.shows(results().containing("Output"));
    visitor.unfold("Filters");
    visitor.choose("Kind", "Commands");
    visitor.press(css("main").button("Search")).await;
    assert!(
        visitor.path().contains("kind=command"),
        "{}",
        visitor.path()
    );
    visitor.shows(results().first().containing("Command"));
    visitor.lacks(results().containing("Output"));
    visitor
        .open(&format!("/search?q=step&conversation={id}&to=2020-01-01"))
        .await;
    visitor.shows("No results");
    visitor.open("/search?q=step&from=nonsense").await;
    visitor.shows(css("[role=alert]").containing("first day"));
}

/// The number of messages of people that a search finds.
async fn found(visitor: &mut Visitor, query: &str, conversation: &str) -> usize {
    let mut address = visitor.page.url.join("/search").expect("it is an address");
    let fields = [
        ("q", query),
        ("conversation", conversation),
        ("source", "human"),
    ];
    address.query_pairs_mut().extend_pairs(fields);
    visitor.open(address.as_str()).await;
    visitor.shows(css(".result, .empty").first());
    visitor.count(results())
}

#[tokio::test]
async fn a_phrase_an_exact_text_and_the_beginning_of_a_word_are_found() {
    let mut visitor = Visitor::alone().await;
    let said = "Tell me about foo->bar and foo bar, please [[scenario:hello]]";
    let id = visitor.create_conversation(said).await;
    visitor.see_turn().await;
    assert_eq!(found(&mut visitor, "\"foo->bar\"", &id).await, 1);
    assert_eq!(found(&mut visitor, "\"foo<-bar\"", &id).await, 0);
    assert_eq!(found(&mut visitor, "\"about foo\"", &id).await, 1);
    assert_eq!(found(&mut visitor, "plea", &id).await, 1);
    visitor.shows(heading("Longer words"));
    // In one conversation a quoted text is looked for letter by letter; over all, its words are whole.
    assert_eq!(found(&mut visitor, "\"plea\"", &id).await, 1);
    assert_eq!(found(&mut visitor, "\"plea\"", "").await, 0);
    assert_eq!(found(&mut visitor, "\"please\"", "").await, 1);
}

#[tokio::test]
async fn what_an_agent_did_can_be_searched_and_downloaded() {
    let (mut visitor, id) = Visitor::saying("Many steps [[scenario:long:40]]").await;
    visitor.see_status("finished").await;
    visitor.open(&format!("/c/{id}?q=step+31")).await;
    visitor.shows(results().first().containing("step 31"));
    visitor.follow(css(".result__link").first()).await;
    visitor.shows(step("echo step 31"));
    for (file, kind) in [
        ("export.md", "text/markdown"),
        ("trajectory.json", "application/json"),
        ("workspace", "application/zip"),
    ] {
        let answer = visitor.get(&format!("/c/{id}/{file}")).await;
        assert_eq!(answer.status(), 200, "{file}");
        let found = answer.headers()["content-type"]
            .to_str()
            .expect("it is ASCII")
            .to_owned();
        assert!(found.contains(kind), "{file}: {found}");
        assert!(
            !answer.bytes().await.expect("it is whole").is_empty(),
            "{file}"
        );
    }
}

#[tokio::test]
async fn search_results_show_no_markup() {
    let (mut visitor, id) = Visitor::saying("Read along [[scenario:reads]]").await;
    visitor.see_status("finished").await;
    visitor.open(&format!("/c/{id}?q=three")).await;
    assert_eq!(
        visitor.text(css(".result__text").first()),
        "The notes have three lines: wc -l notes.md"
    );
}
