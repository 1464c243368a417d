//! The lines in their two groups. A line keeps its place on the page while its words change, so an open
//! menu or a half typed title survives what happens elsewhere.

use super::row::Row;
use crate::api::ConversationSummary;
use leptos::prelude::*;

/// "Needs you", then the others.
#[component]
pub fn Groups(shown: RwSignal<Vec<ConversationSummary>>) -> impl IntoView {
    let groups = Memo::new(move |_| shown.with(|all| grouped(all)));
    let needing = Memo::new(move |_| groups.with(|(needing, _)| needing.clone()));
    let others = Memo::new(move |_| groups.with(|(_, others)| others.clone()));
    view! {
        <Group title="Needs you" ids=needing shown/>
        <Group title="Conversations" ids=others shown/>
    }
    .into_any()
}

#[component]
fn Group(
    title: &'static str,
    ids: Memo<Vec<String>>,
    shown: RwSignal<Vec<ConversationSummary>>,
) -> impl IntoView {
    let some = Memo::new(move |_| ids.with(|ids| !ids.is_empty()));
    view! {
        <Show when=move || some.get()>
            <h2 class="conversation-list__group">
                {title} " " <span class="count">{move || ids.with(Vec::len)}</span>
            </h2>
            <ul class="conversation-list__rows">
                <For each=move || ids.get() key=String::clone let(id)>
                    <Row id shown/>
                </For>
            </ul>
        </Show>
    }
    .into_any()
}

/// Ids of those that need a person, and of the others; each the newest first.
fn grouped(all: &[ConversationSummary]) -> (Vec<String>, Vec<String>) {
    let mut sorted: Vec<_> = all.iter().collect();
    sorted.sort_by_key(|one| std::cmp::Reverse(one.updated_at));
    let (needing, others): (Vec<_>, Vec<_>) = sorted.into_iter().partition(|one| one.needs_you());
    let ids = |group: Vec<&ConversationSummary>| group.iter().map(|one| one.id.clone()).collect();
    (ids(needing), ids(others))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Runtime;
    use crate::conversation::Status;

    fn summary(id: &str, status: Status, updated_at: i64) -> ConversationSummary {
        ConversationSummary {
            id: id.to_owned(),
            title: String::new(),
            status,
            runtime: Runtime::Running,
            waiting: 0,
            excerpt: String::new(),
            cost: 0.0,
            repository: None,
            branch: None,
            tags: Default::default(),
            backend: String::new(),
            created_at: 0,
            updated_at,
        }
    }

    #[test]
    fn a_folder_that_was_made_for_one_conversation_alone_is_no_place() {
        let within = |folder: &str| ConversationSummary {
            repository: Some(folder.to_owned()),
            ..summary("c0ffee", Status::Idle, 1)
        };
        assert_eq!(within("/srv/conversations/c0ffee").place(), None);
        assert_eq!(within("/srv/work").place(), Some("/srv/work"));
    }

    #[test]
    fn who_needs_you_comes_first_and_then_the_newest() {
        let all = [
            summary("old", Status::Finished, 1),
            summary("asks", Status::AwaitingConfirmation, 2),
            summary("new", Status::Running, 3),
            summary("failed", Status::Error, 4),
        ];
        let (needing, others) = grouped(&all);
        assert_eq!(needing, ["failed", "asks"]);
        assert_eq!(others, ["new", "old"]);
    }
}
