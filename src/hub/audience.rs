//! Commands that change who may see a conversation.

use super::{Commands, HubResult, invalid};
use crate::people::{Audience, AuditAction, Caller, Role, Share, Sharing};

/// Most people that a conversation is shared with by name.
const MOST: usize = 100;

impl Commands {
    /// Sets the audience of a conversation. Only its creator and owners may do this.
    ///
    /// Errors: [`super::HubError::Invalid`] for everybody else.
    pub async fn share(&self, by: &Caller, id: &str, audience: Audience) -> HubResult {
        let action = AuditAction::new("share").detail(in_words(audience));
        self.change_sharing(by, id, action, |sharing| {
            sharing.audience = audience;
            Ok(())
        })
        .await
    }

    /// Shares a conversation with a user by name; with a role, the user has it in this conversation only.
    ///
    /// Errors: [`super::HubError::Invalid`] for an unknown name, the owner role, too many names, and callers who may not share it.
    pub async fn share_with(
        &self,
        by: &Caller,
        id: &str,
        name: &str,
        role: Option<Role>,
    ) -> HubResult {
        if role == Some(Role::Owner) {
            return invalid("The owner role cannot be given for a single conversation.");
        }
        let Some(person) = self.journal.person(name.trim()).await? else {
            return invalid("No one has that name. Check the People page or ask an owner.");
        };
        let named = role.map_or_else(|| "usual role".to_owned(), |role| role.to_string());
        let action = AuditAction::new("share with").detail(&format!("{}, {named}", person.name));
        self.change_sharing(by, id, action, |sharing| {
            let is_other = |share: &Share| !share.name.eq_ignore_ascii_case(&person.name);
            sharing.with.retain(is_other);
            if sharing.with.len() >= MOST {
                let why =
                    format!("A conversation can be shared with at most {MOST} people by name.");
                return invalid(why);
            }
            let name = person.name.clone();
            sharing.with.push(Share { name, role });
            sharing.with.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(())
        })
        .await
    }

    /// Stops sharing a conversation with a user. Errors: [`super::HubError::Invalid`] for callers who may not share it.
    pub async fn unshare(&self, by: &Caller, id: &str, name: &str) -> HubResult {
        let action = AuditAction::new("unshare").detail(name);
        self.change_sharing(by, id, action, |sharing| {
            let is_other = |share: &Share| !share.name.eq_ignore_ascii_case(name);
            sharing.with.retain(is_other);
            Ok(())
        })
        .await
    }

    async fn change_sharing(
        &self,
        by: &Caller,
        id: &str,
        action: AuditAction,
        change: impl Fn(&mut Sharing) -> HubResult,
    ) -> HubResult {
        self.actors.handle(id).await?;
        let sharings = &self.catalogue.list.sharings;
        sharings.may_share(by, id)?;
        let before = sharings.of(id);
        let mut after = before.clone();
        change(&mut after)?;
        if after == before {
            return Ok(());
        }
        self.audit
            .record(by, action.within(id), async {
                let _one_at_a_time = sharings.changing.lock().await;
                let mut sharing = sharings.of(id);
                change(&mut sharing)?;
                self.catalogue.keep_sharing(id, sharing).await
            })
            .await
    }
}

/// An audience for the audit log.
fn in_words(audience: Audience) -> &'static str {
    match audience {
        Audience::All => "everyone with an account",
        Audience::Some => "creator, owners and chosen people",
        Audience::Creator => "creator and owners",
    }
}
