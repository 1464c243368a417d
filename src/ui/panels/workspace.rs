//! Asking the workspace: it is there only while the runtime is up, and OpenHands 0.62 answers only
//! between two commands of the agent, which can take minutes.
//!
//! So the server never lets the page wait for it: while the agent is at work it draws "waits", and the
//! browser asks as soon as the page is alive.

use crate::api::{ApiError, StartConversation};
use crate::backend::Runtime;
use crate::conversation::{Kind, Status};
use crate::render::{CardView, StepState};
use crate::store::{ConversationStore, Fetched, fetched, use_conversation};
use crate::ui::parts::{EmptyState, ErrorNote, Loading, Outcome};
use crate::ui::shell::ServerForm;
use leptos::prelude::*;
use std::future::Future;

/// When the workspace of this conversation can be asked, and when it has to be asked again.
#[derive(Clone, Copy)]
pub struct Workspace {
    /// Its conversation.
    pub store: ConversationStore,
    runtime: Memo<Runtime>,
    busy: Memo<bool>,
    asking: Memo<bool>,
    edits: Memo<i64>,
    wished: RwSignal<u32>,
}

/// What came of asking.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Asked<T> {
    /// Not asked yet: the agent is at work.
    Waiting,
    /// Nobody is there to be asked.
    Down,
    /// The answer.
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
        // Once asked, always asked: a question that waits is not taken back.
        asking: Memo::new(move |old| old == Some(&true) || alive.get() || !busy.get()),
        edits: Memo::new(move |old| last_change(store, busy.get(), old.copied())),
        wished: RwSignal::new(0),
    }
}

impl Workspace {
    /// Asks `ask` for what `source` says: when that changes, after changes of files, on [`Self::again`].
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
        let up = Memo::new(move |_| self.runtime.get() == Runtime::Running);
        let when = move || {
            (
                up.get(),
                self.asking.get(),
                self.edits.get(),
                self.wished.get(),
                source(),
            )
        };
        fetched(when, move |(up, asking, _, _, source)| {
            let answer = (up && asking).then(|| ask(self.store.id(), source));
            async move {
                match answer {
                    Some(answer) => answer.await.map(Asked::Told),
                    None if up => Ok(Asked::Waiting),
                    None => Ok(Asked::Down),
                }
            }
        })
    }

    /// Asks everything again.
    pub fn again(self) {
        self.wished.update(|wished| *wished += 1);
    }

    /// What came of asking, on the page: what was told as `draw` draws it, or why there is nothing.
    pub fn shown<T>(
        self,
        answer: Result<Asked<T>, ApiError>,
        draw: impl FnOnce(T) -> AnyView,
    ) -> AnyView {
        match answer {
            Ok(Asked::Waiting) => self.waiting().into_any(),
            Ok(Asked::Down) => self.down().into_any(),
            Ok(Asked::Told(told)) => draw(told),
            Err(error) => view! { <ErrorNote error/> }.into_any(),
        }
    }

    /// What stands there while nothing has been told.
    pub fn waiting(self) -> impl IntoView {
        let busy = self.busy;
        let text = Signal::derive(move || {
            if busy.get() {
                "Waits for the running command: OpenHands answers between two commands. Without a script, load \
                 the page again later."
                    .to_owned()
            } else {
                "Asking the workspace…".to_owned()
            }
        });
        view! { <Loading text/> }
    }

    /// What stands there while there is no runtime.
    fn down(self) -> impl IntoView {
        let runtime = self.runtime;
        move || match runtime.get() {
            Runtime::Starting => view! {
                <EmptyState
                    title="The runtime is starting"
                    text="Its files can be read in a moment."
                />
            }
            .into_any(),
            _ => view! { <Stopped id=self.store.id()/> }.into_any(),
        }
    }
}

#[component]
fn Stopped(id: String) -> impl IntoView {
    let start = ServerAction::<StartConversation>::new();
    view! {
        <EmptyState
            title="The conversation is stopped"
            text="Its files went with its runtime. Waking it brings the workspace back as OpenHands kept it."
        >
            <ServerForm action=start>
                <input type="hidden" name="id" value=id/>
                <button class="button" type="submit">
                    "Wake it"
                </button>
                <Outcome action=start done="Waking"/>
            </ServerForm>
        </EmptyState>
    }
}

/// The newest row that may have changed files. Commands count when the agent is done for now: each of
/// them would be a question, and most change nothing.
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
