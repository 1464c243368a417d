//! Requests to the workspace, which is available only while the sandbox is running. OpenHands 0.62 answers them only
//! between two commands of the agent, which can take minutes.
//!
//! So the server never delays a page for them: while the agent is running it renders a waiting state, and the browser
//! sends the request after hydration.

use super::text;
use crate::api::{ApiError, StartConversation};
use crate::backend::Runtime;
use crate::conversation::{Kind, Status};
use crate::people::Right;
use crate::render::{CardView, StepState};
use crate::store::{Call, ConversationStore, Fetched, fetched, use_conversation};
use crate::ui::parts::{self, EmptyState, ErrorNote, Loading, Outcome};
use crate::ui::shell::CallButton;
use leptos::prelude::*;
use std::future::Future;

/// The state that decides when to request the workspace of this conversation, and when to request it again.
#[derive(Clone, Copy)]
pub struct Workspace {
    /// The conversation.
    pub store: ConversationStore,
    runtime: Memo<Runtime>,
    busy: Memo<bool>,
    may_ask: Memo<bool>,
    edits: Memo<i64>,
    wished: RwSignal<u32>,
}

/// The result of a request.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Asked<T> {
    /// Not requested yet: the agent is running.
    Waiting,
    /// The sandbox is not running.
    Down,
    /// The response.
    Told(T),
}

/// The workspace of this page's conversation.
pub fn use_workspace() -> Workspace {
    let store = use_conversation();
    let alive = RwSignal::new(false);
    Effect::new(move |_| alive.set(true));
    let busy = store.of_session(|session| session.status == Status::Running);
    Workspace {
        store,
        runtime: store.of_session(|session| session.runtime),
        busy,
        // Once true, stays true: a request that is pending is not withdrawn.
        may_ask: Memo::new(move |old| old == Some(&true) || alive.get() || !busy.get()),
        edits: Memo::new(move |old| last_change(store, busy.get(), old.copied())),
        wished: RwSignal::new(0),
    }
}

impl Workspace {
    /// Requests `ask` for the value of `source`; again when that value changes, after file changes, and on
    /// [`Self::again`].
    pub fn asked<S, T, F>(
        self,
        source: impl Fn() -> S + Send + Sync + 'static,
        ask: impl Fn(String, S) -> F + Send + Sync + 'static,
    ) -> Fetched<Result<Asked<T>, ApiError>>
    where
        S: PartialEq + Clone + Send + Sync + 'static,
        T: serde::Serialize + serde::de::DeserializeOwned + Send + Sync + 'static,
        F: Future<Output = Result<T, ApiError>> + Send + 'static,
    {
        let up = Memo::new(move |_| !self.is_down());
        let when = move || {
            (
                up.get(),
                self.may_ask.get(),
                self.edits.get(),
                self.wished.get(),
                source(),
            )
        };
        fetched(when, move |(up, may_ask, _, _, source)| {
            let answer = (up && may_ask).then(|| ask(self.store.id(), source));
            async move {
                match answer {
                    Some(answer) => answer.await.map(Asked::Told),
                    None if up => Ok(Asked::Waiting),
                    None => Ok(Asked::Down),
                }
            }
        })
    }

    /// Whether the sandbox is not running, so that nothing is requested.
    pub fn is_down(self) -> bool {
        self.runtime.get() != Runtime::Running
    }

    /// Repeats all requests.
    pub fn again(self) {
        self.wished.update(|wished| *wished += 1);
    }

    /// The view of a result: the response drawn by `draw`, or why there is none.
    pub fn shown<T>(
        self,
        answer: Result<Asked<T>, ApiError>,
        draw: impl FnOnce(T) -> AnyView,
    ) -> AnyView {
        match answer {
            Ok(Asked::Waiting) => self.waiting().into_any(),
            Ok(Asked::Down) => self.down().into_any(),
            Ok(Asked::Told(told)) => draw(told),
            Err(error) => any_view! { <ErrorNote error/> },
        }
    }

    /// The waiting state.
    pub fn waiting(self) -> impl IntoView {
        let busy = self.busy;
        let what = Signal::derive(move || {
            let what = if busy.get() {
                text::command_running()
            } else {
                text::workspace_loading()
            };
            what.to_owned()
        });
        view! { <Loading text=what/> }
    }

    /// The empty state without a sandbox.
    fn down(self) -> impl IntoView {
        let (runtime, may_start) = (self.runtime, self.store.may(Right::Operate));
        move || match runtime.get() {
            Runtime::Starting | Runtime::Preparing => any_view! {
                <EmptyState title=text::sandbox_coming() text=text::sandbox_coming_hint()/>
            },
            Runtime::Gone => any_view! {
                <EmptyState title=text::sandbox_gone() text=text::sandbox_gone_hint()/>
            },
            _ => any_view! { <Stopped id=self.store.id() may_start=may_start.get()/> },
        }
    }
}

#[component]
fn Stopped(id: String, may_start: bool) -> impl IntoView {
    let start = Call::of::<StartConversation>();
    let hint = if may_start {
        text::sandbox_down_hint()
    } else {
        text::sandbox_down_viewer_hint()
    };
    let form = may_start.then(|| {
        any_view! {
            <CallButton action=start fields=vec![("id", id)] label=parts::text::start_sandbox() class="button"/>
            <Outcome action=start done=text::sandbox_started()/>
        }
    });
    view! { <EmptyState title=text::sandbox_down() text=hint>{form}</EmptyState> }
}

/// The newest row that may have changed files. Commands count only once the agent is idle: each would cost a request,
/// and most change nothing.
fn last_change(store: ConversationStore, busy: bool, known: Option<i64>) -> i64 {
    let newest = store
        .timeline
        .all()
        .iter()
        .filter_map(|entry| {
            let row = entry.view.read();
            let counts = match row.kind {
                Kind::Edit => true,
                Kind::Shell | Kind::Cell => !busy,
                _ => false,
            };
            let over = matches!(&row.card, CardView::Step(step) if matches!(step.state, StepState::Done | StepState::Failed));
            (counts && over).then_some(row.seq)
        })
        .max();
    newest.max(known).unwrap_or(0)
}
