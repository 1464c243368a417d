//! The actions of the audit log in words.

use super::text;
use crate::text::Text;

/// Every action, as it is recorded, and in words.
pub(super) const ACTIONS: [(&str, Text); 86] = [
    ("create", text::act_create),
    ("send", text::act_send),
    ("send again", text::act_send_again),
    ("discard message", text::act_discard),
    ("approve", text::act_approve),
    ("reject", text::act_reject),
    ("first approval", text::act_first_approval),
    ("second approval", text::act_second_approval),
    ("amend", text::act_amend),
    ("approve as amended", text::act_approve_as_amended),
    ("approve with passkey", text::act_approve_with_passkey),
    ("amend with passkey", text::act_amend_with_passkey),
    ("save touches", text::act_save_touches),
    ("save authority", text::act_save_authority),
    ("escalate", text::act_escalate),
    ("reject unanswered", text::act_reject_unanswered),
    ("save escalation", text::act_save_escalation),
    ("remove escalation", text::act_remove_escalation),
    ("save budgets", text::act_save_budgets),
    ("lift budget", text::act_lift_budget),
    ("stop by budget", text::act_stop_by_budget),
    ("approve by rule", text::act_approve_by_rule),
    ("create rule", text::act_create_rule),
    ("end rule", text::act_end_rule),
    ("stop rules", text::act_stop_rules),
    ("resume rules", text::act_resume_rules),
    ("pause", text::act_pause),
    ("resume", text::act_resume),
    ("stop", text::act_stop),
    ("side question", text::act_side_question),
    ("upload", text::act_upload),
    ("set policy", text::act_set_policy),
    ("switch model", text::act_switch_model),
    ("rename", text::act_rename),
    ("set tags", text::act_set_tags),
    ("delete", text::act_delete),
    ("archive", text::act_archive),
    ("bring back", text::act_bring_back),
    ("fork", text::act_fork),
    ("import", text::act_import),
    ("start sandbox", text::act_start_sandbox),
    ("stop sandbox", text::act_stop_sandbox),
    ("share", text::act_share),
    ("share with", text::act_share_with),
    ("unshare", text::act_unshare),
    ("create link", text::act_create_link),
    ("revoke link", text::act_revoke_link),
    ("save settings", text::act_save_settings),
    ("add MCP server", text::act_add_server),
    ("test MCP server", text::act_test_server),
    ("remove MCP server", text::act_remove_server),
    ("save secret", text::act_save_secret),
    ("delete secret", text::act_delete_secret),
    ("test connection", text::act_test_backend),
    ("save connection", text::act_save_backend),
    ("remove connection", text::act_remove_backend),
    ("follow everything", text::act_follow),
    ("stop following everything", text::act_unfollow),
    ("save retention", text::act_save_retention),
    ("apply retention", text::act_apply_retention),
    ("set up", text::act_set_up),
    ("log in", text::act_log_in),
    ("log out", text::act_log_out),
    ("log out device", text::act_log_out_device),
    ("log out other devices", text::act_log_out_others),
    ("change password", text::act_change_password),
    ("reset password", text::act_reset_password),
    ("link identity", text::act_link_identity),
    ("unlink identity", text::act_unlink_identity),
    ("create token", text::act_create_token),
    ("revoke token", text::act_revoke_token),
    ("add person", text::act_add_person),
    ("create invitation", text::act_create_invitation),
    ("revoke invitation", text::act_revoke_invitation),
    ("accept invitation", text::act_accept_invitation),
    ("add passkey", text::act_add_passkey),
    ("remove passkey", text::act_remove_passkey),
    ("renew recovery codes", text::act_renew_codes),
    ("reset passkeys", text::act_reset_passkeys),
    ("require passkeys", text::act_require_passkeys),
    ("change role", text::act_change_role),
    ("disable person", text::act_disable),
    ("enable person", text::act_enable),
    ("unlock", text::act_unlock),
    ("add notifications", text::act_add_notifications),
    ("remove notifications", text::act_remove_notifications),
];

/// An action in words; an action of another version stays as it was recorded.
pub(super) fn action_in_words(action: &str) -> String {
    let known = ACTIONS.iter().find(|(code, _)| *code == action);
    known.map_or_else(|| action.to_owned(), |(_, words)| words().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_told_in_words_and_no_two_are_told_alike() {
        assert_eq!(action_in_words("set policy"), "Change approval policy");
        assert_eq!(action_in_words("of another version"), "of another version");
        for (at, (code, words)) in ACTIONS.iter().enumerate() {
            let others = &ACTIONS[at + 1..];
            assert!(others.iter().all(|(other, _)| other != code), "{code}");
            assert!(others.iter().all(|(_, other)| other() != words()), "{code}");
        }
    }
}
