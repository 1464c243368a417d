//! A conversation on the screen: its rows, and what is so beside them.

use super::{line, live::use_live, rows::Rows};
use crate::api::{
    ApiError, BackendView, ConversationView, DraftView, FromServer, HereView, SessionView, Verdict,
    open_conversation,
};
use crate::people::{Right, Role, Sharing};
use leptos::{prelude::*, task::spawn_local};

/// A conversation as this page knows it.
#[derive(Clone, Copy)]
pub struct ConversationStore {
    id: StoredValue<String>,
    /// The rows of its timeline.
    pub timeline: Rows,
    /// Everything beside the timeline.
    pub session: RwSignal<SessionView>,
    /// The backend it runs on.
    pub backend: StoredValue<BackendView>,
    /// Repository it works in, and the branch it began from.
    pub repository: StoredValue<(Option<String>, Option<String>)>,
    /// Who began it, and who sees it.
    pub sharing: StoredValue<Sharing>,
    /// What who looks may do here; `None` for visitors.
    role: RwSignal<Option<Role>>,
    /// Who watches it.
    pub here: RwSignal<HereView>,
    /// What the model is writing.
    pub drafts: RwSignal<Vec<DraftView>>,
    /// It was deleted meanwhile.
    pub gone: RwSignal<bool>,
    /// Why the picture may be old.
    pub trouble: RwSignal<Option<ApiError>>,
    /// How many rows came at the end since the page was opened.
    pub arrived: RwSignal<usize>,
    seq: RwSignal<i64>,
}

/// The conversation of this page.
pub fn use_conversation() -> ConversationStore {
    expect_context()
}

impl ConversationStore {
    /// Begins with the server's picture and follows what happens from there; known to everything
    /// below by [`use_conversation`].
    pub fn provide(view: ConversationView) -> Self {
        let store = Self {
            id: StoredValue::new(view.id),
            timeline: Rows::new(view.rows, view.older),
            session: RwSignal::new(view.session),
            backend: StoredValue::new(view.backend),
            repository: StoredValue::new((view.repository, view.branch)),
            sharing: StoredValue::new(view.sharing),
            role: RwSignal::new(view.role),
            here: RwSignal::new(view.here),
            drafts: RwSignal::new(Vec::new()),
            gone: RwSignal::new(false),
            trouble: RwSignal::new(None),
            arrived: RwSignal::new(0),
            seq: RwSignal::new(view.seq),
        };
        provide_context(store);
        let live = use_live();
        Effect::new(move || {
            live.follow(
                &store.id(),
                move || store.seq.get_untracked(),
                move |frame| store.hear(frame),
            );
        });
        store
    }

    /// Its id.
    pub fn id(self) -> String {
        self.id.get_value()
    }

    /// Whether who looks may here. The server asks again: this only decides what is offered.
    pub fn may(self, right: Right) -> Memo<bool> {
        Memo::new(move |_| self.role.get().is_some_and(|role| role.may(right)))
    }

    /// Up to which `seq` everything is known: changes whenever a row does.
    pub fn upserted(self) -> Signal<i64> {
        self.seq.into()
    }

    /// A piece of the session; notifies only when it really changes.
    pub fn of_session<T: PartialEq + Send + Sync + 'static>(
        self,
        piece: impl Fn(&SessionView) -> T + Send + Sync + 'static,
    ) -> Memo<T> {
        // One type for all of them: each closure with a memo of its own would be half a kilobyte of code.
        let piece: Box<dyn Fn(&SessionView) -> T + Send + Sync> = Box::new(piece);
        Memo::new(move |_| self.session.with(|session| piece(session)))
    }

    fn hear(self, frame: FromServer) {
        match frame {
            FromServer::Rows { seq, rows, .. } => {
                let added = self.timeline.upsert(rows);
                if added > 0 {
                    self.arrived.update(|arrived| *arrived += added);
                }
                self.seq.update(|known| *known = seq.max(*known));
            }
            FromServer::Session { session, .. } => self.session.set(*session),
            FromServer::Role { role, .. } => self.role.set(role),
            FromServer::Here { here, .. } => self.here.set(here),
            FromServer::Drafts { drafts, .. } => self.drafts.set(drafts),
            FromServer::Gone { .. } => self.gone.set(true),
            FromServer::Verdict { verdict, .. } => {
                // Whoever begins to follow is told what is being written, if anything is.
                self.drafts.set(Vec::new());
                if verdict == Verdict::Gap {
                    self.refresh();
                }
            }
            _ => {}
        }
    }

    /// Takes a fresh picture: too much happened while the line was down.
    pub fn refresh(self) {
        spawn_local(async move {
            let picture = open_conversation(self.id()).await;
            // The page may be gone by now.
            if self.seq.is_disposed() {
                return;
            }
            match picture {
                Ok(view) => {
                    self.timeline.refresh(view.rows, view.older);
                    self.session.set(view.session);
                    self.role.set(view.role);
                    self.here.set(view.here);
                    self.seq.set(view.seq);
                    self.trouble.set(None);
                    line::follow_again(&view.id);
                }
                Err(error) => self.trouble.set(Some(error)),
            }
        });
    }
}
