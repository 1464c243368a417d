//! The list has exactly what a person may see, page by page, while others change it; and all pages of a backend.
//!
//! Long because of the model that the list is compared with.

use super::*;
use crate::backend::ConversationInfo;
use crate::conversation::Status;
use crate::journal::ConversationMeta;
use crate::live::{ConversationSummary, ListAsk, MOST_WAITING, PAGE, Position, Show, Sort};
use crate::people::{Audience, Credential, Right, Role, Share, Sharing};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashSet};

const NAMES: [&str; 3] = ["ada", "bob", "eve"];
const TITLES: [&str; 5] = ["Fix the parser", "fix", "Éa: über", "100% \"quoted\"", ""];

fn person(at: usize) -> Caller {
    Caller {
        person: at as i64 + 1,
        name: NAMES[at].to_owned(),
        role: if at == 2 { Role::Owner } else { Role::Viewer },
        address: String::new(),
        credential: Credential::Login(at as i64),
    }
}

/// A change of the list, of the conversation with a number.
#[derive(Debug, Clone)]
enum Step {
    Change {
        number: usize,
        at: i64,
        title: usize,
        status: usize,
        place: usize,
    },
    Share {
        number: usize,
        creator: usize,
        audience: usize,
        with: usize,
    },
    Delete(usize),
    Archive(usize),
}

fn step(count: usize) -> impl Strategy<Value = Step> {
    let change = (0..count, 0..40_i64, 0..TITLES.len(), 0..4_usize, 0..3_usize);
    let change = change.prop_map(|(number, at, title, status, place)| Step::Change {
        number,
        at,
        title,
        status,
        place,
    });
    let share = (0..count, 0..3_usize, 0..3_usize, 0..3_usize);
    let share = share.prop_map(|(number, creator, audience, with)| Step::Share {
        number,
        creator,
        audience,
        with,
    });
    let archive = (0..count).prop_map(Step::Archive);
    prop_oneof![4 => change, 4 => share, 1 => (0..count).prop_map(Step::Delete), 2 => archive]
}

fn id(number: usize) -> String {
    format!("c{number:03}")
}

/// The list as it should be.
type Model = BTreeMap<String, ConversationSummary>;

impl House {
    /// A house without conversations, whose list is changed by steps alone.
    async fn quiet() -> Self {
        let house = house(Runtime::Stopped).await;
        house.backends.poll_list("").await;
        house.commands.delete(me(), ID).await.expect("it is there");
        // Its list would say that none of them is up.
        house.fake.reachable(false);
        house
    }

    async fn start_with(&self, model: &mut Model, count: usize) {
        let meta = |number: usize| ConversationMeta {
            id: id(number),
            backend: self.catalogue.backends.connected()[0].target.label(),
            ..ConversationMeta::default()
        };
        let metas = (0..count).map(meta).collect();
        self.catalogue
            .journal
            .describe(metas)
            .await
            .expect("healthy");
        for number in 0..count {
            let at = number as i64 % 40;
            self.change(model, (number, at, number % 4, number % 7, number % 3));
        }
    }

    fn change(
        &self,
        model: &mut Model,
        (number, at, title, status, place): (usize, i64, usize, usize, usize),
    ) {
        let statuses = [
            Status::Idle,
            Status::Running,
            Status::Finished,
            Status::Error,
        ];
        let summary = ConversationSummary {
            id: id(number),
            title: TITLES[title].to_owned(),
            status: statuses.into_iter().nth(status).unwrap_or_default(),
            runtime: Runtime::Running,
            waiting: u32::from(status == 1 && place == 2),
            repository: [None, Some("acme/parser"), Some("acme/x")][place].map(str::to_owned),
            tags: crate::conversation::Tags::read(["", "urgent", "team=parser"][place]).unwrap(),
            backend: self.catalogue.backends.connected()[0].target.label(),
            creator: self.sharings.of(&id(number)).creator,
            created_at: 40 - at,
            updated_at: at,
            lapsed: status == 0 && place == 2,
            ..ConversationSummary::default()
        };
        self.list.summary_is(summary.clone(), Some(0), None);
        let known = model.get(&summary.id).is_some_and(|known| known.archived);
        let archived = known && !summary.asks();
        model.insert(
            summary.id.clone(),
            ConversationSummary {
                archived,
                ..summary
            },
        );
    }

    async fn does(&self, model: &mut Model, step: Step) {
        match step {
            Step::Change {
                number,
                at,
                title,
                status,
                place,
            } if model.contains_key(&id(number)) => {
                self.change(model, (number, at, title, status, place));
            }
            Step::Share {
                number,
                creator,
                audience,
                with,
            } => {
                let id = id(number);
                let Some(known) = model.get_mut(&id) else {
                    return;
                };
                let sharing = Sharing {
                    creator: ["", "Ada", "bob"][creator].to_owned(),
                    audience: [Audience::All, Audience::Some, Audience::Creator][audience],
                    with: vec![Share {
                        name: ["ada", "BOB", "carl"][with].to_owned(),
                        role: None,
                    }],
                };
                known.creator.clone_from(&sharing.creator);
                self.catalogue
                    .keep_sharing(&id, sharing)
                    .await
                    .expect("healthy");
            }
            Step::Delete(number) => {
                if model.remove(&id(number)).is_some() {
                    let deleted = self.catalogue.journal.forget(&id(number)).await;
                    deleted.expect("healthy");
                    self.list.forget_summary(&id(number));
                }
            }
            Step::Archive(number) => {
                if let Some(known) = model.get_mut(&id(number)) {
                    let to = !known.archived;
                    let archived = self.catalogue.set_archived(me(), &id(number), to).await;
                    assert_eq!(archived.is_ok(), !(to && known.asks()), "{archived:?}");
                    known.archived = to && !known.asks();
                }
            }
            Step::Change { .. } => {}
        }
    }

    /// An entry as somebody should get it.
    fn listed(&self, model: &Model, by: &Caller, id: &str) -> ConversationSummary {
        let role = self.sharings.role_in(by, id);
        let quiet = !role.is_some_and(|role| role.may(Right::Answer));
        ConversationSummary {
            quiet,
            ..model[id].clone()
        }
    }

    /// What somebody should see, in order, by the plain functions.
    fn expected(&self, model: &Model, by: &Caller, ask: &ListAsk) -> Vec<String> {
        let seen = model.values().filter(|one| {
            let role = self.sharings.of(&one.id).role_of(&by.name, by.role);
            role.is_some() && ask.takes(one, by.signature())
        });
        let sort = Sort::of(&ask.sort);
        let mut places: Vec<Position> = seen.map(|one| Position::of(one, sort)).collect();
        places.sort();
        places.into_iter().map(|place| place.id).collect()
    }
}

fn asks() -> Vec<ListAsk> {
    let all = ListAsk::default;
    let text = |text: &str| text.to_owned();
    let mut asks = vec![
        all(),
        ListAsk::from("FIX"),
        ListAsk::from("ü"),
        ListAsk::from("% \"q"),
    ];
    asks.push(ListAsk::from("urgent"));
    asks.extend(
        ["created", "title", "repository", "backend"].map(|sort| ListAsk {
            sort: text(sort),
            ..all()
        }),
    );
    asks.extend(Show::ALL.map(|show| ListAsk {
        show: text(show.word()),
        ..all()
    }));
    asks.extend(
        ["created", "title", "repository", "backend"].map(|sort| ListAsk {
            show: text("mine"),
            sort: text(sort),
            ..all()
        }),
    );
    asks.push(ListAsk {
        repository: text("acme/x"),
        tag: text("team=parser"),
        ..all()
    });
    asks
}

fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().start_paused(true);
    builder.build().expect("a runtime")
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 200, ..ProptestConfig::with_cases(3) })]

    /// Paging, filters and search show each person exactly what the plain functions say, while rights change.
    #[test]
    fn pages_have_what_a_person_may_see_and_nothing_else(
        steps in proptest::collection::vec(step(2 * PAGE + 20), 40..80),
    ) {
        runtime().block_on(async {
            let house = House::quiet().await;
            let mut model = Model::new();
            house.start_with(&mut model, 2 * PAGE + 20).await;
            for step in steps {
                house.does(&mut model, step).await;
            }
            for (by, ask) in (0..3).flat_map(|at| asks().into_iter().map(move |ask| (person(at), ask))) {
                let expected = house.expected(&model, &by, &ask);
                let (mut paged, mut before) = (Vec::new(), String::new());
                loop {
                    let page = house.catalogue.page(&by, ListAsk { before, ..ask.clone() }).await.expect("healthy");
                    let first = paged.is_empty();
                    let needing = page.conversations.iter().take_while(|one| one.needs_you()).count();
                    let needed = expected.iter().filter(|id| house.listed(&model, &by, id).needs_you()).count();
                    if first {
                        prop_assert!(needing >= needed.min(PAGE));
                        // A caller who cannot answer gets none.
                        prop_assert!(needed == 0 || page.more_need_you == (needed > PAGE));
                    }
                    // What stands above the first page stands in its place, too.
                    let mut ids: Vec<Position> = page.conversations.iter()
                        .map(|one| Position::of(one, Sort::of(&ask.sort))).collect();
                    ids.sort();
                    let end = Position::read(&page.older);
                    ids.retain(|place| end.as_ref().is_none_or(|end| place <= end));
                    paged.extend(ids.into_iter().map(|place| place.id));
                    for one in &page.conversations {
                        prop_assert_eq!(&house.listed(&model, &by, &one.id), one);
                    }
                    before = page.older;
                    if before.is_empty() {
                        break;
                    }
                }
                prop_assert_eq!(paged, expected, "{} asks {:?}", by.name, ask);
            }
            // What a search looks through, and what a start reads anew.
            let anew = Hub::new(house.catalogue.journal.clone(), One(house.fake.clone()), "/", Duration::ZERO).await;
            let anew = anew.expect("healthy");
            for by in (0..3).map(person) {
                let found = house.sharings.seen_by(&by).await.expect("healthy");
                for id in model.keys() {
                    let sees = house.sharings.of(id).role_of(&by.name, by.role).is_some();
                    prop_assert_eq!((found(id), anew.sharings.sees(&by, id)), (sees, sees), "{} sees {}", by.name, id);
                }
                let all = model.keys().all(|id| found(id));
                prop_assert!(all || !house.sharings.sees_all(&by).await.expect("healthy"));
            }
            anew.shutdown().await;
            house.hub.shutdown().await;
            Ok(())
        })?;
    }

    /// Who pages through the list and follows it has everything once in the end, whatever others do meanwhile.
    #[test]
    fn nothing_is_missed_or_doubled_while_others_change_the_list(
        steps in proptest::collection::vec(step(3 * PAGE), 30..60),
        at in 0..3_usize,
        sort in 0..Sort::ALL.len(),
    ) {
        runtime().block_on(async {
            let house = House::quiet().await;
            let mut model = Model::new();
            house.start_with(&mut model, 3 * PAGE).await;
            // A start forgets what has changed before.
            house.list.write_lines().await;
            house.backends.remember_list().await.expect("healthy");
            let by = person(at);
            let ask = ListAsk { sort: Sort::ALL[sort].word().to_owned(), ..ListAsk::default() };
            let mut steps = steps.into_iter();
            let mut shown = BTreeMap::new();
            let page = house.catalogue.page(&by, ask.clone()).await.expect("healthy");
            shown.extend(page.conversations.into_iter().map(|one| (one.id.clone(), one)));
            // The connection opens after the page was read.
            for step in steps.by_ref().take(5) {
                house.does(&mut model, step).await;
            }
            let mut live = house.list.follow_list(&by);
            let (mut before, mut told, mut paged) = (page.older, HashSet::new(), HashSet::new());
            while !before.is_empty() {
                for step in steps.by_ref().take(20) {
                    house.does(&mut model, step).await;
                }
                let page = house.catalogue.page(&by, ListAsk { before, ..ask.clone() }).await.expect("healthy");
                while let Some(Some(frame)) = live.next().now_or_never() {
                    match serde_json::from_slice(&frame).expect("frames are JSON") {
                        FromServer::Summary { summary } => {
                            told.insert(summary.id.clone());
                            // As the page does.
                            match ask.takes(&summary, by.signature()) {
                                true => drop(shown.insert(summary.id.clone(), *summary)),
                                false => drop(shown.remove(&summary.id)),
                            }
                        }
                        FromServer::Gone { conversation } => {
                            told.insert(conversation.clone());
                            shown.remove(&conversation);
                        }
                        other => panic!("{other:?}"),
                    }
                }
                for one in page.conversations {
                    prop_assert!(paged.insert(one.id.clone()) || told.contains(&one.id), "{} came twice", one.id);
                    shown.entry(one.id.clone()).or_insert(one);
                }
                before = page.older;
            }
            let expected: HashSet<String> = house.expected(&model, &by, &ask).into_iter().collect();
            prop_assert_eq!(shown.keys().cloned().collect::<HashSet<_>>(), expected);
            for (id, one) in &shown {
                prop_assert_eq!(&house.listed(&model, &by, id), one);
            }
            house.hub.shutdown().await;
            Ok(())
        })?;
    }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_approvals_are_counted_to_a_hundred_and_listed_page_by_page() {
    let house = House::quiet().await;
    let mut model = Model::new();
    house.start_with(&mut model, 1_000).await;
    for number in 0..1_000 {
        house.change(&mut model, (number, number as i64 % 40, 0, 1, 2));
    }
    assert_eq!(house.list.waiting(me()), MOST_WAITING);
    assert_eq!(house.list.waiting_lines(me()).len(), MOST_WAITING);
    let (mut listed, mut before) = (HashSet::new(), String::new());
    loop {
        let show = "approval".to_owned();
        let ask = ListAsk {
            show,
            before,
            ..ListAsk::default()
        };
        let page = house.catalogue.page(me(), ask).await.expect("healthy");
        listed.extend(page.conversations.into_iter().map(|one| one.id));
        before = page.older;
        if before.is_empty() {
            break;
        }
    }
    assert_eq!(listed.len(), 1_000);
}

#[tokio::test(start_paused = true)]
async fn all_pages_of_a_long_list_are_read() {
    let folder = TempDir::new().expect("a temporary folder");
    let fake = Fake::new(Runtime::Stopped);
    fake.has_pages(20, false);
    for number in 0..249 {
        fake.add(ConversationInfo {
            id: format!("n{number}"),
            title: format!("Number {number}"),
            ..ConversationInfo::default()
        });
    }
    let hub = reopened(&fake, folder.path()).await;
    let list = hub.catalogue.page(me(), "").await.expect("healthy");
    assert_eq!(list.backends[0].read_so_far, Some(200));
    tokio::time::sleep(Duration::from_secs(3)).await;
    let mut seen = HashSet::new();
    let mut before = String::new();
    loop {
        let ask = ListAsk {
            before,
            ..ListAsk::default()
        };
        let page = hub.catalogue.page(me(), ask).await.expect("healthy");
        assert_eq!(page.backends[0].read_so_far, None);
        seen.extend(page.conversations.into_iter().map(|one| one.id));
        before = page.older;
        if before.is_empty() {
            break;
        }
    }
    assert_eq!(seen.len(), 250);
    let found = hub
        .catalogue
        .page(me(), "number 248")
        .await
        .expect("healthy");
    assert_eq!(found.conversations.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_list_that_has_its_changes_first_is_read_once_and_then_only_what_has_changed() {
    let folder = TempDir::new().expect("a temporary folder");
    let fake = Fake::new(Runtime::Stopped);
    fake.lists_changes(10);
    let info = |number: i64, updated_at: i64| ConversationInfo {
        id: format!("n{number}"),
        title: format!("Number {number} at {updated_at}"),
        runtime: Runtime::Running,
        status: Some(Status::Finished),
        updated_at,
        ..ConversationInfo::default()
    };
    (0..700).for_each(|number| fake.add(info(number, number)));
    let hub = reopened(&fake, folder.path()).await;
    let read = async || {
        hub.catalogue
            .page(me(), "")
            .await
            .expect("healthy")
            .backends[0]
            .read_so_far
    };
    assert_eq!(read().await, Some(100), "what is not known yet is said");
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(read().await, None);
    let list = hub
        .catalogue
        .page(me(), "number 699")
        .await
        .expect("healthy");
    assert_eq!(list.conversations.len(), 1);
    assert_eq!(list.backends[0].running, 700);
    let label = Target::rehearsal().label();
    hub.backends.poll_list(&label).await;
    fake.pages_asked();
    // One has changed that was created long ago, and is on the first page.
    fake.add(info(3, 900));
    hub.backends.poll_list(&label).await;
    assert!(fake.pages_asked() <= 2);
    assert_eq!(
        hub.catalogue
            .page(me(), "at 900")
            .await
            .expect("healthy")
            .conversations
            .len(),
        1
    );
    // So many have changed that they are on several pages.
    (100..140).for_each(|number| fake.add(info(number, 1_000 + number)));
    hub.backends.poll_list(&label).await;
    assert!((5..=6).contains(&fake.pages_asked()));
    assert_eq!(
        hub.catalogue
            .page(me(), "at 1101")
            .await
            .expect("healthy")
            .conversations
            .len(),
        1
    );
    // One was deleted: only the whole list says which.
    fake.remove("n5");
    hub.backends.poll_list(&label).await;
    for _ in 0..10 {
        hub.backends.poll_list(&label).await;
    }
    let list = hub
        .catalogue
        .page(me(), "number 5 at 5")
        .await
        .expect("healthy");
    assert_eq!(list.conversations[0].runtime, Runtime::Stopped);
    fake.pages_asked();
    hub.backends.poll_list(&label).await;
    assert_eq!(fake.pages_asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_list_without_an_end_is_not_read_forever() {
    let house = house(Runtime::Stopped).await;
    house.fake.has_pages(1, true);
    for number in 0..3 {
        house.fake.add(ConversationInfo {
            id: format!("n{number}"),
            ..ConversationInfo::default()
        });
    }
    house.backends.poll_list("").await;
    let list = house.catalogue.page(me(), "").await.expect("healthy");
    assert_eq!(list.conversations.len(), 4);
    assert_eq!(list.backends[0].read_so_far, None);
}

#[tokio::test]
async fn a_line_that_a_crash_has_left_behind_is_made_at_the_start() {
    let house = live_house().await;
    house
        .catalogue
        .store_creator(ID, "ada", None)
        .await
        .expect("healthy");
    house.hub.shutdown().await;
    let journal = journal_in(house.folder.path()).await;
    assert_eq!(journal.unlined(9).await.expect("healthy"), []);
    let entries = vec![entry(&answers(2, "the newest words"))];
    let stored = journal.append(ID, entries, false, 1).await;
    stored.expect("it is known");
    assert_eq!(journal.unlined(9).await.expect("healthy").len(), 1);
    let hub = Hub::new(journal, One(house.fake.clone()), "/", Duration::ZERO)
        .await
        .expect("a healthy journal");
    assert_eq!(hub.catalogue.journal.unlined(9).await.expect("healthy"), []);
    let list = hub.catalogue.page(&person(0), "").await.expect("healthy");
    let line = &list.conversations[0];
    assert_eq!((line.id.as_str(), line.creator.as_str()), (ID, "ada"));
    assert_eq!(line.excerpt, "the newest words");
}

#[tokio::test]
async fn a_slow_disk_keeps_no_new_conversation_from_the_list() {
    let house = live_house().await;
    let before = house.catalogue.page(me(), "").await.expect("healthy");
    let stored = house.catalogue.store_creator("new", "ada", None).await;
    stored.expect("healthy");
    let _writing = house.list.writing.lock().await;
    let new = ConversationSummary {
        id: "new".to_owned(),
        title: "Just made".to_owned(),
        backend: before.backends[0].label.clone(),
        ..before.conversations[0].clone()
    };
    house.list.summary_is(new, None, None);
    for (asked, found) in [("", true), ("just", true), ("other", false)] {
        let list = house.catalogue.page(me(), asked).await.expect("healthy");
        let shown = list.conversations.iter().any(|one| one.id == "new");
        assert_eq!(shown, found, "{asked}");
    }
}
