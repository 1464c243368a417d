//! The nodes of the database: which of them serves, and which could take over.

use super::text;
use crate::api::{NodeState, NodeView, NodesView, read_nodes};
use crate::store::{fetched, link};
use crate::ui::parts::{self, Answered, Time};
use crate::ui::shell::Page;
use leptos::prelude::*;

/// `/settings/nodes`.
#[component]
pub fn NodesPage() -> impl IntoView {
    let nodes = fetched(|| (), |()| read_nodes());
    any_view! {
        <Page title=text::nodes() back=(Signal::stored(link("settings")), parts::text::settings())>
            <p class="card__hint">{text::nodes_hint()}</p>
            <Answered answers=nodes waiting=text::loading_nodes() draw=shown/>
        </Page>
    }
}

fn shown(view: NodesView) -> AnyView {
    if view.nodes.is_empty() {
        return any_view! { <p class="card">{text::no_nodes()}</p> };
    }
    let waits = |node: &NodeView| node.state == NodeState::Waiting;
    let is_alone = !view.nodes.iter().any(waits);
    let carried = format!(
        "{} · {}",
        text::carried_conversations(view.conversations),
        text::carried_readers(view.readers)
    );
    let nodes: Vec<_> = view.nodes.iter().map(|node| one(node, &carried)).collect();
    any_view! {
        <section class="card stack">
            <ul class="stack">{nodes}</ul>
            {is_alone.then(|| view! { <p class="card__hint">{text::no_second_node()}</p> })}
        </section>
    }
}

fn one(node: &NodeView, carried: &str) -> impl IntoView + use<> {
    let state = match node.state {
        NodeState::Serving => text::node_serves(),
        NodeState::Waiting => text::node_waits(),
        NodeState::Silent => text::node_is_silent(),
    };
    let silent = (node.state == NodeState::Silent).then_some(node.seen);
    let carried = (node.state == NodeState::Serving).then(|| carried.to_owned());
    view! {
        <li>
            <strong>{node.address.clone()}</strong>
            " · "
            {state}
            {silent.map(|seen| view! { " " <Time at=seen/> })}
            <br/>
            <span class="muted">
                {text::node_version(&node.version)} " " <Time at=node.started/>
                {carried.map(|carried| format!(" · {carried}"))}
            </span>
        </li>
    }
}
