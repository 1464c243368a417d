//! Everything that runs on a backend is recorded, if owners want it.

use super::following::{self, Following};
use super::support::A_MOMENT;
use super::{Connections, HubResult, lock};
use crate::clock::now;
use crate::people::{AuditAction, Caller};
use tokio::time::timeout;

impl Connections {
    /// Follows everything on a backend from now on, or only what is opened. The command line cannot set it, so that it can
    /// be chosen for every backend.
    pub async fn follow_everything(&self, by: &Caller, label: &str, everything: bool) -> HubResult {
        let one = self.backends.connected_as(label)?;
        if lock(&one.following).is_on() == everything {
            return Ok(());
        }
        let action = match everything {
            true => "follow everything",
            false => "stop following everything",
        };
        let change = async {
            let _one_at_a_time = self.backends.changing.lock().await;
            let mut followed = following::stored(&self.catalogue.journal).await?;
            followed.remove(label);
            if everything {
                followed.insert(label.to_owned(), now());
            }
            following::store(&self.catalogue.journal, &followed).await?;
            *lock(&one.following) = Following::new(followed.get(label).copied());
            Ok(())
        };
        let action = AuditAction::new(action).detail(label);
        self.audit.record(by, action, change).await?;
        // A slower list is read later.
        let _ = timeout(A_MOMENT, self.poll(label.to_owned())).await;
        self.follow_what_waits().await;
        Ok(())
    }

    /// Opens what waits on the backends of which everything is followed, as far as there is room.
    pub(super) async fn follow_what_waits(&self) {
        for one in self.backends.connected() {
            if lock(&one.following).waiting() == 0 {
                continue;
            }
            let open = self.actors.open_on(&one.target.label());
            let next = lock(&one.following).take(following::AT_ONCE.saturating_sub(open));
            for id in next {
                // It may have been deleted since.
                if let Err(error) = self.actors.handle(&id).await {
                    tracing::info!(conversation = id, %error, "a conversation could not be followed");
                }
            }
        }
    }
}
