//! Who finds what in a search over all conversations.
//!
//! The dialect of the backend does not matter: searches read Handrail's own index.

use super::house::{House, path_of};
use handrail::live::{FoundView, SearchAsk};
use handrail::people::Role;
use reqwest::StatusCode;

/// The word that all conversations of this test contain.
const WORD: &str = "xylophone";

/// The conversations that a search finds, or the status of its refusal.
async fn finds(house: &House, brings: Brings<'_>, ask: &SearchAsk) -> Result<Vec<String>, u16> {
    let address = format!(
        "http://{}{}",
        house.served.process.address,
        path_of("search_events")
    );
    let fields = ask.fields().into_iter();
    let names: Vec<(String, &str)> = fields
        .map(|(name, value)| (format!("ask[{name}]"), value))
        .collect();
    let request = house
        .client
        .post(address)
        .header("accept", "application/json")
        .form(&names);
    let request = match brings {
        Brings::Cookie(cookie) => request.header("cookie", cookie),
        Brings::Token(token) => request.bearer_auth(token),
        Brings::Nothing => request,
    };
    let origin = format!("http://{}", house.served.process.address);
    let answer = request
        .header("origin", origin)
        .send()
        .await
        .expect("it answers");
    if answer.status() != StatusCode::OK {
        return Err(answer.status().as_u16());
    }
    let found: FoundView = answer.json().await.expect("it is a view");
    assert!(
        found.next.is_empty() && found.indexed.is_none(),
        "{found:?}"
    );
    let mut ids: Vec<String> = found.hits.into_iter().map(|hit| hit.conversation).collect();
    ids.sort();
    ids.dedup();
    Ok(ids)
}

/// How somebody is known.
#[derive(Clone, Copy)]
enum Brings<'a> {
    Cookie(&'a str),
    Token(&'a str),
    Nothing,
}

async fn token(house: &House, of: &str) -> String {
    let fields = [("name", "script"), ("role", "viewer"), ("days", "7")];
    let made = house.call("make_token", of, &fields).await;
    made.json().await.expect("it is a token")
}

/// A caller: name, credentials, and the conversations in the results or the status of the refusal.
type Reader<'a> = (&'a str, Brings<'a>, Result<&'a [usize], u16>);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_finds_what_they_may_see_and_nothing_else() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    house.add(&owner, "starter", Role::Operator).await;
    let creator = house.log_in("starter").await;
    let mut ids = Vec::new();
    // One for everybody, one for some people, one for its creator alone.
    for audience in ["all", "some", "starter"] {
        let message = format!("[[scenario:hello]] {WORD} for {audience}");
        let id = house.create_conversation(&creator, &message).await;
        let fields = [("id", id.as_str()), ("audience", audience)];
        let shared = house.call("share_conversation", &creator, &fields).await;
        assert_eq!(shared.status(), 200);
        // It is stored before it can be found.
        let mut tab = house.tab(&creator, &id).await;
        let has_message = |frame| match frame {
            handrail::live::FromServer::Rows { rows, .. } => {
                let rows = serde_json::to_string(&rows).expect("plain data");
                rows.contains(WORD).then_some(())
            }
            _ => None,
        };
        tab.until("the message is stored", has_message).await;
        ids.push(id);
    }
    let fields = [("id", ids[1].as_str()), ("name", "operator")];
    let shared = house.call("share_with", &creator, &fields).await;
    assert_eq!(shared.status(), 200);
    let (operator, viewer) = (house.log_in("operator").await, house.log_in("viewer").await);
    let visitor = house.visit(&creator, &ids[0]).await;
    let (of_viewer, of_operator) = (token(&house, &viewer).await, token(&house, &operator).await);
    let of_creator = token(&house, &creator).await;
    let everybody: [Reader<'_>; 10] = [
        ("owner", Brings::Cookie(&owner), Ok(&[0, 1, 2])),
        ("starter", Brings::Cookie(&creator), Ok(&[0, 1, 2])),
        (
            "operator with a share",
            Brings::Cookie(&operator),
            Ok(&[0, 1]),
        ),
        ("viewer with none", Brings::Cookie(&viewer), Ok(&[0])),
        ("visitor by a link", Brings::Cookie(&visitor), Err(403)),
        ("token of the viewer", Brings::Token(&of_viewer), Ok(&[0])),
        (
            "token of the operator",
            Brings::Token(&of_operator),
            Ok(&[0, 1]),
        ),
        (
            "token of the starter",
            Brings::Token(&of_creator),
            Ok(&[0, 1, 2]),
        ),
        ("a made up token", Brings::Token("x"), Err(401)),
        ("nobody", Brings::Nothing, Err(401)),
    ];
    let words = |q: &str| SearchAsk {
        q: q.to_owned(),
        ..SearchAsk::default()
    };
    // Every way to ask for the same events: words, a beginning, a phrase, filters without words.
    let asks = [
        words(WORD),
        words("xyloph"),
        words(&format!("\"{WORD} for\"")),
        SearchAsk {
            person: "starter".to_owned(),
            ..SearchAsk::default()
        },
        SearchAsk {
            source: "human".to_owned(),
            kind: "message".to_owned(),
            from: "2020-01-01".to_owned(),
            ..words(WORD)
        },
    ];
    let (mut asked, mut wrong) = (0, Vec::new());
    for (who, brings, sees) in &everybody {
        for ask in &asks {
            let expected = sees.map(|places| {
                let mut seen: Vec<String> = places.iter().map(|at| ids[*at].clone()).collect();
                seen.sort();
                seen
            });
            let found = finds(&house, *brings, ask).await;
            if found != expected {
                wrong.push(format!("{who}, {}: {found:?}", ask.query()));
            }
            asked += 1;
        }
        // In one conversation: as the conversation itself.
        for (place, id) in ids.iter().enumerate() {
            let ask = SearchAsk {
                conversation: id.clone(),
                ..words(WORD)
            };
            let exact = SearchAsk {
                conversation: id.clone(),
                ..words(&format!("\"{WORD} for\""))
            };
            let expected = match sees {
                Ok(places) if places.contains(&place) => Ok(vec![id.clone()]),
                Ok(_) => Err(404),
                Err(status) => Err(*status),
            };
            for ask in [ask, exact] {
                let found = finds(&house, *brings, &ask).await;
                // A visitor sees the conversation of the link, but may not search it.
                let is_visitor = *who == "visitor by a link" && matches!(found, Err(403 | 404));
                if found != expected && !is_visitor {
                    wrong.push(format!("{who} in {place}: {found:?}"));
                }
                asked += 1;
            }
        }
    }
    eprintln!("{asked} searches");
    assert!(wrong.is_empty(), "{wrong:#?}");
    // What is no longer shared is no longer found.
    let fields = [("id", ids[1].as_str()), ("name", "operator")];
    house.call("unshare", &creator, &fields).await;
    let found = finds(&house, Brings::Cookie(&operator), &words(WORD)).await;
    assert_eq!(found, Ok(vec![ids[0].clone()]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_search_page_is_readable_without_a_script() {
    let house = House::new().await;
    let owner = house.log_in("owner").await;
    let id = house
        .create_conversation(&owner, &format!("[[scenario:hello]] {WORD}"))
        .await;
    let mut tab = house.tab(&owner, &id).await;
    let at_rest = |frame: handrail::live::FromServer| {
        let session = frame.session()?;
        crate::stage::is_at_rest(session).then_some(())
    };
    tab.until("the agent has done its work", at_rest).await;
    let page = house.page(&format!("/search?q={WORD}"), &owner).await;
    assert_eq!(page.status(), 200);
    let page = page.text().await.expect("text");
    // A build for development puts a comment behind each text.
    assert!(page.contains(&format!("<mark>{WORD}<")), "{page}");
    assert!(page.contains(&format!("/c/{id}?q={WORD}")), "{page}");
}
