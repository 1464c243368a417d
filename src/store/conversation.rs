//! A conversation on the screen: its timeline and the state beside it.

use super::{Derived, connection, live::use_live, rows::Rows};
use crate::api::{
    ApiError, BackendView, ConversationView, DraftView, FromServer, HereView, SessionView,
    SinceView, Verdict, open_conversation, own_place, whereabouts,
};
use crate::people::{Right, Role, Sharing};
use leptos::{prelude::*, task::spawn_local};

/// The page's state of a conversation.
#[derive(Clone, Copy)]
pub struct ConversationStore {
    id: StoredValue<String>,
    /// The rows of its timeline.
    pub timeline: Rows,
    /// Everything beside the timeline.
    pub session: RwSignal<SessionView>,
    /// The backend that runs it.
    pub backend: StoredValue<BackendView>,
    /// Its repository, and the branch it started from.
    pub repository: StoredValue<(Option<String>, Option<String>)>,
    /// Its creator, and who has access.
    pub sharing: StoredValue<Sharing>,
    /// Whether it was archived when it was opened.
    pub archived: bool,
    /// The user's role in this conversation; `None` for visitors.
    role: RwSignal<Option<Role>>,
    /// Who is watching.
    pub here: RwSignal<HereView>,
    /// What was new when the reader opened it.
    pub since: StoredValue<Option<SinceView>>,
    /// Text that the model is writing.
    pub drafts: RwSignal<Vec<DraftView>>,
    /// The conversation was deleted.
    pub gone: RwSignal<bool>,
    /// Why the state may be out of date.
    pub trouble: RwSignal<Option<ApiError>>,
    /// Number of rows appended since the page was opened.
    pub arrived: RwSignal<usize>,
    seq: RwSignal<i64>,
}

/// The conversation of this page.
pub fn use_conversation() -> ConversationStore {
    expect_context()
}

impl ConversationStore {
    /// Starts with the server's snapshot and follows all later changes; components below get it
    /// from [`use_conversation`].
    pub fn provide(view: ConversationView) -> Self {
        let store = Self {
            id: StoredValue::new(view.id),
            timeline: Rows::new(view.rows, view.older),
            session: RwSignal::new(view.session),
            backend: StoredValue::new(view.backend),
            repository: StoredValue::new((view.repository, view.branch)),
            sharing: StoredValue::new(view.sharing),
            archived: view.archived,
            role: RwSignal::new(view.role),
            here: RwSignal::new(view.here),
            since: StoredValue::new(view.since),
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
                move |frame| store.on_frame(frame),
            );
        });
        store
    }

    /// Its id.
    pub fn id(self) -> String {
        self.id.get_value()
    }

    /// Where its agent works, in words: repository or folder, branch, backend. `None` for visitors, and if only the backend is
    /// known.
    pub fn place(self) -> Option<String> {
        let (place, branch) = self.repository.get_value();
        let id = self.id();
        let place = own_place(place.as_deref(), &id).filter(|place| !place.is_empty())?;
        let words =
            |backend: &BackendView| whereabouts(Some(place), branch.as_deref(), &backend.label);
        Some(self.backend.with_value(words))
    }

    /// Whether the user has this right here. Only affects what is offered: the server checks it again.
    pub fn may(self, right: Right) -> Memo<bool> {
        Memo::new(move |_| self.role.get().is_some_and(|role| role.may(right)))
    }

    /// The user's role here; `None` for visitors.
    pub fn role(self) -> Signal<Option<Role>> {
        self.role.into()
    }

    /// A part of the session; notifies only if its value changes.
    pub fn of_session<T: PartialEq + Send + Sync + 'static>(
        self,
        piece: impl Fn(&SessionView) -> T + Send + Sync + 'static,
    ) -> Memo<T> {
        // A boxed closure: a memo for each closure type would cost half a kilobyte of code.
        let piece: Box<dyn Fn(&SessionView) -> T + Send + Sync> = Box::new(piece);
        Memo::new(move |_| self.session.with(|session| piece(session)))
    }

    /// A part of the session that has a type of its own; notifies only if its value changes.
    pub fn derived<T: PartialEq + Send + Sync + 'static>(
        self,
        piece: impl Fn(&SessionView) -> T + Send + Sync + 'static,
    ) -> Derived<T> {
        Derived::new(move || self.session.with(|session| piece(session)))
    }

    fn on_frame(self, frame: FromServer) {
        match frame {
            FromServer::Rows {
                seq, rows, session, ..
            } => {
                let added = self.timeline.upsert(rows);
                if let Some(session) = session {
                    self.session.set(*session);
                }
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
                // The server sends current drafts, if there are any, to every new follower.
                self.drafts.set(Vec::new());
                if verdict == Verdict::Gap {
                    self.refresh();
                }
            }
            _ => {}
        }
    }

    /// Loads a new snapshot: there were too many changes while the connection was down.
    pub fn refresh(self) {
        let id = self.id();
        spawn_local(async move {
            let picture = open_conversation(id).await;
            // The page may have been left by now.
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
                    connection::follow_again(&view.id);
                }
                Err(error) => self.trouble.set(Some(error)),
            }
        });
    }
}
