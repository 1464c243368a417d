//! Who sees a conversation, in which role, and what ends when that changes.
//!
//! Long because each way to see a conversation, and each way to lose it, has its case.

use super::*;
use crate::hub::searching::STEP;
use crate::journal::Outgoing;
use crate::live::SearchAsk;
use crate::people::{Audience, Credential, People, Role, Visit};

/// Somebody with an account, who is logged in.
fn person(number: i64, name: &str, role: Role) -> Caller {
    Caller {
        person: number,
        name: name.to_owned(),
        role,
        address: String::new(),
        credential: Credential::Login(number),
    }
}

/// A house with Ada, an operator, to share with.
async fn house_of_ada() -> (House, Caller) {
    let house = live_house().await;
    let people = People::new(house.catalogue.journal.clone(), house.folder.path());
    let added = people
        .add(me(), "ada", Role::Operator, "correct horse")
        .await;
    added.expect("a new name");
    (house, person(1, "ada", Role::Operator))
}

#[tokio::test]
async fn a_fork_has_the_audience_of_its_original() {
    let (house, ada) = house_of_ada().await;
    let hub = &house.hub;
    let (bob, eve) = (
        person(2, "bob", Role::Viewer),
        person(3, "eve", Role::Operator),
    );
    hub.catalogue
        .store_creator(ID, "ada", None)
        .await
        .expect("healthy");
    hub.commands
        .share(&ada, ID, Audience::Creator)
        .await
        .expect("it is hers");
    hub.catalogue
        .store_creator("f0rk", "ada", Some(ID))
        .await
        .expect("healthy");
    assert!(hub.sharings.sees(&ada, "f0rk") && !hub.sharings.sees(&bob, "f0rk"));
    // A fork by a person with whom it was shared: the creator of the original still sees it.
    hub.commands
        .share(&ada, ID, Audience::Some)
        .await
        .expect("it is hers");
    hub.catalogue
        .store_creator("f0rk2", "eve", Some(ID))
        .await
        .expect("healthy");
    assert!(hub.sharings.sees(&ada, "f0rk2") && hub.sharings.sees(&eve, "f0rk2"));
    assert!(!hub.sharings.sees(&bob, "f0rk2"));
}

#[tokio::test]
async fn a_fork_keeps_the_roles_of_named_people_also_after_a_restart() {
    let (house, ada) = house_of_ada().await;
    let bob = person(2, "bob", Role::Operator);
    let hub = &house.hub;
    hub.catalogue
        .store_creator(ID, "eve", None)
        .await
        .expect("healthy");
    let named = hub.commands.share(me(), ID, Audience::Some).await;
    named.expect("the owner may");
    let shared = hub.commands.share_with(me(), ID, "ada", Some(Role::Viewer));
    shared.await.expect("she has an account");
    for (fork, of) in [("f0rk", ID), ("f0rk2", "f0rk")] {
        let stored = hub.catalogue.store_creator(fork, "eve", Some(of)).await;
        stored.expect("healthy");
    }
    let roles = |hub: &Hub| {
        ["f0rk", "f0rk2"].map(|id| {
            (
                hub.sharings.role_in(&ada, id),
                hub.sharings.role_in(&bob, id),
            )
        })
    };
    let expected = [(Some(Role::Viewer), None); 2];
    assert_eq!(roles(hub), expected);
    let House { hub, fake, folder } = house;
    hub.shutdown().await;
    drop(hub);
    let journal = journal_in(folder.path()).await;
    let hub = Hub::new(journal, One(fake), "/", Duration::ZERO).await;
    assert_eq!(roles(&hub.expect("a healthy journal")), expected);
}

#[tokio::test]
async fn a_private_conversation_that_comes_back_after_its_deletion_is_private_after_a_restart_too()
{
    let (house, ada) = house_of_ada().await;
    let bob = person(2, "bob", Role::Operator);
    let hub = &house.hub;
    hub.catalogue
        .store_creator(ID, "ada", None)
        .await
        .expect("healthy");
    let private = hub.commands.share(&ada, ID, Audience::Creator).await;
    private.expect("it is hers");
    let kept = crate::backend::ConversationInfo {
        id: ID.to_owned(),
        ..crate::backend::ConversationInfo::default()
    };
    hub.commands.delete(&ada, ID).await.expect("it is hers");
    let House { hub, fake, folder } = house;
    hub.shutdown().await;
    drop(hub);
    fake.add(kept.clone());
    fake.add(crate::backend::ConversationInfo {
        id: "f0rk".to_owned(),
        made_from: Some(ID.to_owned()),
        ..kept
    });
    let hub = reopened(&fake, folder.path()).await;
    hub.catalogue.backends.polled_once().await;
    for id in [ID, "f0rk"] {
        assert!(
            hub.sharings.sees(&ada, id) && !hub.sharings.sees(&bob, id),
            "{id}"
        );
    }
}

#[tokio::test]
async fn a_token_has_its_own_role_where_its_owner_has_more() {
    let (house, ada) = house_of_ada().await;
    let shared = house
        .commands
        .share_with(me(), ID, "ada", Some(Role::Operator));
    shared.await.expect("she has an account");
    let role = |credential| {
        let by = Caller {
            role: Role::Viewer,
            credential,
            ..ada.clone()
        };
        house.sharings.role_in(&by, ID)
    };
    assert_eq!(role(Credential::Login(1)), Some(Role::Operator));
    assert_eq!(role(Credential::Token(1)), Some(Role::Viewer));
    let less = house
        .commands
        .share_with(me(), ID, "ada", Some(Role::Viewer));
    less.await.expect("she has an account");
    let token = Caller {
        credential: Credential::Token(1),
        ..ada
    };
    assert_eq!(house.sharings.role_in(&token, ID), Some(Role::Viewer));
}

#[tokio::test]
async fn a_link_leads_to_its_conversation_alone() {
    let house = live_house().await;
    let visitor = |conversation: &str| Caller {
        person: -1,
        name: "a visitor".to_owned(),
        role: Role::Visitor,
        address: String::new(),
        credential: Credential::Link(Visit {
            link: 1,
            conversation: conversation.to_owned(),
            until: i64::MAX,
        }),
    };
    assert_eq!(
        house.sharings.role_in(&visitor(ID), ID),
        Some(Role::Visitor)
    );
    assert_eq!(house.sharings.role_in(&visitor("another"), ID), None);
}

#[tokio::test]
async fn who_is_shut_out_is_told_so_and_then_nothing_more() {
    let (house, ada) = house_of_ada().await;
    let hub = &house.hub;
    let mut list = hub.list.follow_list(&ada);
    let mut owners = hub.list.follow_list(me());
    let mut changed = hub.sharings.changed();
    changed.mark_unchanged();
    hub.commands
        .share(me(), ID, Audience::Creator)
        .await
        .expect("it is there");
    assert!(
        changed.has_changed().expect("it is watched"),
        "pages check their access"
    );
    assert!(
        hub.catalogue
            .page(&ada, "")
            .await
            .expect("healthy")
            .conversations
            .is_empty()
    );
    hub.commands
        .rename(me(), ID, "A secret title")
        .await
        .expect("it is there");
    // The owner's list has the change, so Ada's had it before.
    let mut is_told = false;
    while !is_told {
        let frame = owners.next().await.expect("the list stays");
        is_told = String::from_utf8_lossy(&frame).contains("A secret title");
    }
    let mut frames = Vec::new();
    while let Some(Some(frame)) = list.next().now_or_never() {
        frames.push(serde_json::from_slice(&frame).expect("frames are JSON"));
    }
    let conversation = ID.to_owned();
    assert_eq!(frames.last(), Some(&FromServer::Gone { conversation }));
}

#[tokio::test]
async fn a_message_is_sent_only_while_its_author_may_write() {
    let (house, _) = house_of_ada().await;
    let people = People::new(house.catalogue.journal.clone(), house.folder.path());
    let may_send = async |by: &str| {
        let message = Outgoing::waiting("m1".to_owned(), "go", by);
        house
            .sharings
            .may_still_send(&message, ID)
            .await
            .expect("healthy")
    };
    assert!(may_send("ada").await && may_send("").await && !may_send("eve").await);
    for role in [Role::Viewer, Role::Approver, Role::Operator] {
        people.set_role(me(), "ada", role).await.expect("healthy");
        assert_eq!(may_send("ada").await, role == Role::Operator, "{role}");
    }
    for disabled in [true, false] {
        let changed = people.set_disabled(me(), "ada", disabled).await;
        changed.expect("healthy");
        assert_eq!(may_send("ada").await, !disabled);
    }
    let shared = house.commands.share(me(), ID, Audience::Creator).await;
    shared.expect("it is there");
    assert!(!may_send("ada").await, "she sees it no more");
}

#[tokio::test(start_paused = true)]
async fn the_time_of_an_answer_says_nothing_about_conversations_of_others() {
    let (house, _) = house_of_ada().await;
    let bob = person(2, "bob", Role::Operator);
    let ask = SearchAsk {
        q: "flux".to_owned(),
        ..SearchAsk::default()
    };
    let took = async |by: &Caller| {
        let began = tokio::time::Instant::now();
        house.search.search(by, &ask).await.expect("healthy");
        house
            .search
            .walk(by, &ask, (ID.to_owned(), 1), true)
            .await
            .expect("healthy");
        began.elapsed()
    };
    assert!(took(&bob).await < 2 * STEP);
    let private = house.commands.share(me(), ID, Audience::Creator);
    private.await.expect("the owner may");
    let both = 2 * STEP;
    assert!((both..both + Duration::from_millis(9)).contains(&took(&bob).await));
    assert!(took(me()).await < 2 * STEP);
}

#[tokio::test]
async fn what_somebody_may_not_see_any_more_when_a_search_is_answered_is_not_in_the_answer() {
    let house = live_house().await;
    let hub = &house.hub;
    let bob = person(2, "bob", Role::Operator);
    // Answers for somebody who does not see all take their time.
    let private = hub.commands.share(me(), ID, Audience::Creator).await;
    private.expect("the owner may");
    let fork = hub.catalogue.store_creator("f0rk", "ada", Some(ID)).await;
    fork.expect("healthy");
    let open = hub.commands.share(me(), ID, Audience::All).await;
    open.expect("the owner may");
    let ask = SearchAsk {
        q: "hello".to_owned(),
        ..SearchAsk::default()
    };
    let before = hub.search.search(&bob, &ask).await.expect("healthy");
    assert!(!before.hits.is_empty());
    // A busy machine may end the search first: such a try says nothing.
    for _ in 0..20 {
        let search = async {
            (
                hub.search.search(&bob, &ask).await,
                tokio::time::Instant::now(),
            )
        };
        let ends = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            hub.commands
                .share(me(), ID, Audience::Creator)
                .await
                .expect("the owner may");
            tokio::time::Instant::now()
        };
        let ((after, answered), ended) = tokio::join!(search, ends);
        if ended + Duration::from_millis(50) < answered {
            assert!(after.expect("healthy").hits.is_empty());
            return;
        }
        let open = hub.commands.share(me(), ID, Audience::All).await;
        open.expect("the owner may");
    }
    panic!("this machine is too slow for a change during a search");
}
