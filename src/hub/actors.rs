//! The actors of the open conversations.

use super::actor::Context;
use super::handle::ConversationHandle;
use super::message::{ActorMessage, CloseReason};
use super::support::check_id;
use super::{Catalogue, HubError, HubResult, known, lock};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

type Handles = Mutex<HashMap<String, Arc<ConversationHandle>>>;

/// The actors of the open conversations, each by its handle.
pub(super) struct Actors {
    pub(super) context: Context,
    pub(super) catalogue: Arc<Catalogue>,
    pub(super) handles: Arc<Handles>,
}

impl Actors {
    /// The handle of a conversation; opens it if need be.
    pub(super) async fn handle(&self, id: &str) -> HubResult<Arc<ConversationHandle>> {
        check_id(id)?;
        if let Some(handle) = self.open_handle(id) {
            return Ok(handle);
        }
        let journal = &self.context.journal;
        let reading = self.catalogue.list.deletions.begin_reading();
        let known = match journal.conversation(id).await? {
            Some(known) => known,
            None => {
                self.catalogue.query_all_backends(id, &reading).await?;
                known(journal, id).await?
            }
        };
        let outbox = journal.outbox(id).await?;
        let mut handles = lock(&self.handles);
        if self.context.tasks.stopping.is_cancelled() {
            return Err(HubError::Closed);
        }
        let is_open = handles.get(id).filter(|handle| !handle.inputs.is_closed());
        if let Some(handle) = is_open {
            return Ok(Arc::clone(handle));
        }
        // Conversations are deleted under the same lock.
        if reading.is_outdated(id) {
            return Err(HubError::NotFound("conversation"));
        }
        let own = Arc::clone(&self.handles);
        let retire = move |id: &str| retire(&own, id);
        let handle = ConversationHandle::start(&self.context, known, outbox, retire);
        handles.insert(id.to_owned(), Arc::clone(&handle));
        Ok(handle)
    }

    pub(super) fn open_handle(&self, id: &str) -> Option<Arc<ConversationHandle>> {
        let handle = lock(&self.handles).get(id).cloned();
        handle.filter(|handle| !handle.inputs.is_closed())
    }

    /// Number of conversations of a backend that have an actor.
    pub(super) fn open_on(&self, backend: &str) -> usize {
        let handles = lock(&self.handles);
        let is_open = |handle: &&Arc<ConversationHandle>| {
            handle.backend == backend && !handle.inputs.is_closed()
        };
        handles.values().filter(is_open).count()
    }

    /// The conversations that have an actor.
    pub(super) fn open_ids(&self) -> Vec<String> {
        let handles = lock(&self.handles);
        let open = handles
            .iter()
            .filter(|(_, handle)| !handle.inputs.is_closed());
        open.map(|(id, _)| id.clone()).collect()
    }

    /// Tells all actors something.
    pub(super) async fn tell_all(&self, message: impl Fn() -> ActorMessage) {
        let handles: Vec<_> = lock(&self.handles).values().cloned().collect();
        for handle in handles {
            // One that has ended needs to know nothing.
            let _ = handle.tell(message()).await;
        }
    }

    /// Tells the actors of these conversations to end, and returns their handles. They stay known until they have ended:
    /// a deletion waits for the actor, and a second actor is not started beside it.
    pub(super) async fn close(
        &self,
        is_meant: impl Fn(&ConversationHandle) -> bool,
    ) -> Vec<Arc<ConversationHandle>> {
        let mut handles: Vec<_> = lock(&self.handles).values().cloned().collect();
        handles.retain(|handle| is_meant(handle));
        for handle in &handles {
            // One that has ended by itself is what we want.
            let _ = handle.tell(ActorMessage::End(CloseReason::Closed)).await;
        }
        handles
    }
}

/// Removes a conversation whose actor wants to end; `false` if a new user has arrived meanwhile.
fn retire(handles: &Handles, conversation: &str) -> bool {
    let mut handles = lock(handles);
    // Handles are given out under the same lock, so none can be in use.
    let lonely = handles.get(conversation).is_some_and(|handle| {
        Arc::strong_count(handle) == 1 && handle.inputs.capacity() == handle.inputs.max_capacity()
    });
    if lonely {
        handles.remove(conversation);
    }
    lonely
}
