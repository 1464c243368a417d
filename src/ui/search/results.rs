//! The hits of a search, newest first, below their conversations.

use super::text;
use crate::{
    api::{FoundView, HitView, SearchAsk, query_of},
    conversation::{Actor, Family},
    store::link,
    ui::{
        parts::{self, EmptyState, Time, title_or_default},
        timeline,
    },
};
use leptos::prelude::*;

/// The hits, and how the search goes on.
#[component]
pub(super) fn Results(
    found: FoundView,
    /// What was searched for.
    ask: SearchAsk,
    /// The page of the search, for the link to its next part.
    address: String,
    /// Whether the hits of one conversation are shown on its own page.
    within: bool,
) -> impl IntoView {
    let FoundView {
        hits,
        next,
        back_to,
        cut,
        indexed,
        behind_from,
        in_part,
    } = found;
    let in_part = (!in_part.is_empty() && !within)
        .then(|| view! { <p class="muted">{text::in_part(in_part.join(", "))}</p> });
    let indexed = indexed
        .map(|percent| view! { <p class="notice" role="note">{text::indexing(percent)}</p> });
    let behind = behind_from.map(|at| {
        view! {
            <p class="notice" role="note">
                {text::indexing_since()} " " <Time at /> "."
            </p>
        }
    });
    let count = hits.len();
    let status = if next.is_empty() {
        text::count(count)
    } else {
        text::first(count)
    };
    let start = hits.iter().position(|hit| hit.longer).unwrap_or(count);
    let mut whole = hits;
    let longer = whole.split_off(start);
    let empty = (count == 0).then(|| match back_to {
        Some(_) => any_view! { <EmptyState title=text::nothing_so_far() text="" /> },
        None => {
            any_view! { <EmptyState title=text::nothing_found() text=text::nothing_found_hint() /> }
        }
    });
    let list = |hits: Vec<HitView>| {
        let list = |hits: Vec<HitView>| {
            let hits = hits.into_iter().map(|hit| entry(hit, &ask));
            view! { <ol class="results">{hits.collect_view()}</ol> }
        };
        if within {
            return list(hits).into_any();
        }
        let groups = by_conversation(hits).into_iter().map(|hits| {
            let head = head(&hits, &ask);
            view! {
                {head}
                {list(hits)}
            }
        });
        groups.collect_view().into_any()
    };
    let longer = (!longer.is_empty()).then(|| {
        view! {
            <h2 class="card__title">{text::longer()}</h2>
            {list(longer)}
        }
    });
    let whole = (!whole.is_empty()).then(|| list(whole));
    let goes_on = (!next.is_empty()).then(|| {
        let after = SearchAsk {
            after: next,
            ..ask.clone()
        };
        let label = match back_to {
            Some(_) => text::goes_on(),
            None => text::more(),
        };
        view! {
            <p class="cluster">
                {back_to
                    .map(|at| {
                        view! {
                            <span class="muted">{text::searched_back()} " " <Time at /> "."</span>
                        }
                    })}
                <a class="button" href=format!("{address}{}", after.query())>
                    {label}
                </a>
            </p>
        }
    });
    any_view! {
        {indexed}
        {behind}
        {(count > 0).then(|| view! { <p class="muted" role="status">{status}</p> })}
        {whole}
        {longer}
        {empty}
        {cut.then(|| view! { <p class="muted">{text::cut()}</p> })}
        {goes_on}
        {in_part}
    }
}

/// The address of a hit: the timeline around its row, with the search to go on from there.
pub(super) fn address_of(
    (conversation, seq, row): (&str, i64, i64),
    longer: bool,
    ask: &SearchAsk,
) -> String {
    let ask = SearchAsk {
        after: String::new(),
        ..ask.clone()
    };
    let hit = format!("{seq}.{row}{}", if longer { ".p" } else { "" });
    let fields = ask.fields().into_iter().chain([("hit", hit.as_str())]);
    let query = query_of(fields);
    format!("{}{query}#row-{row}", link(&format!("c/{conversation}")))
}

/// The hits of each conversation, in the order of the first ones.
fn by_conversation(hits: Vec<HitView>) -> Vec<Vec<HitView>> {
    let mut groups: Vec<Vec<HitView>> = Vec::new();
    for hit in hits {
        let mut known = groups.iter_mut();
        match known.find(|group| group[0].conversation == hit.conversation) {
            Some(group) => group.push(hit),
            None => groups.push(vec![hit]),
        }
    }
    groups
}

/// The conversation of these hits, with a link to all that it has.
fn head(hits: &[HitView], ask: &SearchAsk) -> impl IntoView + use<> {
    let (first, count) = (&hits[0], hits.len());
    let place = link(&format!("c/{}", first.conversation));
    let address = format!("{place}{}", query_of([("q", ask.q.as_str())]));
    let archived = first.archived;
    view! {
        <h2 class="results__head">
            <a href=address>{title_or_default(&first.title)}</a>
            {archived.then(|| view! { <span class="chip">{parts::text::archived()}</span> })}
            <span class="muted">{text::count(count)}</span>
        </h2>
    }
}

fn entry(hit: HitView, ask: &SearchAsk) -> impl IntoView + use<> {
    let place = (hit.conversation.as_str(), hit.seq, hit.row);
    let address = address_of(place, hit.longer, ask);
    let kind = kind_in_words(&hit);
    let pieces = hit.text.into_iter().map(|piece| match piece.hit {
        true => any_view! { <mark>{piece.text}</mark> },
        false => piece.text.into_any(),
    });
    view! {
        <li class="result">
            <a class="result__link" href=address>
                <span class="result__meta muted">
                    {kind}
                    " · "
                    <Time at=hit.at relative=true />
                </span>
                <span class="result__text">{pieces.collect_view()}</span>
            </a>
        </li>
    }
}

/// What an event is, and of whom.
fn kind_in_words(hit: &HitView) -> String {
    let kind = match hit.family {
        Family::Message => text::kind_message(),
        Family::Command => text::kind_command(),
        Family::Output => text::kind_output(),
        Family::File => text::kind_file(),
        Family::Tool => text::kind_tool(),
        Family::Error => text::kind_error(),
        Family::Other => text::kind_other(),
    };
    let name = match (hit.family, hit.from) {
        (_, Actor::Human) if !hit.by.is_empty() => hit.by.as_str(),
        (Family::Message, Actor::Human) => timeline::text::person(),
        (Family::Message, Actor::Agent) => timeline::text::agent(),
        _ => return kind.to_owned(),
    };
    format!("{kind} · {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_stand_below_their_conversation_in_the_order_of_the_first() {
        let hit = |conversation: &str, seq| HitView {
            conversation: conversation.to_owned(),
            title: String::new(),
            archived: false,
            seq,
            row: seq,
            at: 0,
            family: Family::Message,
            from: Actor::Agent,
            by: String::new(),
            text: Vec::new(),
            longer: false,
        };
        let hits = vec![hit("b", 9), hit("a", 8), hit("b", 7), hit("c", 6)];
        let groups = by_conversation(hits);
        let seqs = |group: &Vec<HitView>| group.iter().map(|hit| hit.seq).collect::<Vec<_>>();
        let seqs: Vec<_> = groups.iter().map(seqs).collect();
        assert_eq!(seqs, [vec![9, 7], vec![8], vec![6]]);
    }
}
