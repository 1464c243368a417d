//! What a check of evidence does not prove, in sentences, which the file and the check say.

use super::answers::is_about_approvals;
use super::{EntryEvidence, Evidence};

/// Of every file.
const ALWAYS: [&str; 4] = [
    "A hash is no signature. Somebody who changes the file and computes all of its hashes again is found only by a hash that was \
     kept elsewhere: compare the last one with the server's, or give one from the server's log to --seen.",
    "Nothing proves that nothing was left out. Entries about other conversations are not here, and an entry about this one that \
     was taken out would look the same.",
    "No hash covers what stands under \"unchecked\": the title, when it was asked, the states, reasons, the texts of amendments, \
     what ran and what came of it. That is what the server said when the file was made.",
    "Names and times are those of the server's accounts and clock. Of several people who gave the same answer, the server says \
     whose counted.",
];

/// What a check of this file does not prove.
pub(super) fn not_proven(evidence: &Evidence) -> Vec<String> {
    let mut said: Vec<String> = ALWAYS.map(str::to_owned).into();
    let entries = evidence.entries.len();
    let withheld = evidence
        .entries
        .iter()
        .filter(|entry| entry.whole.is_none());
    match withheld.count() {
        0 => {}
        count => said.push(format!(
            "Entries without a hash, which cannot be checked: {count} of {entries}. Only owners get what a hash covers, and nobody \
             does if that has a masked secret. Nor have the entries after it, up to one about another conversation. These entries are what the server said."
        )),
    }
    let of_messages =
        |entry: &EntryEvidence| !entry.digest.is_empty() && !is_about_approvals(&entry.action);
    if evidence.entries.iter().any(of_messages) {
        said.push(
            "The digests of messages and rules are here. Who guesses a whole message can confirm the guess: where one was nothing but a \
             password, keep this file as that password."
                .to_owned(),
        );
    }
    let wholes = evidence
        .entries
        .iter()
        .filter_map(|entry| entry.whole.as_ref());
    match wholes.filter(|whole| whole.before.is_some()).count() {
        0 => {}
        count => said.push(format!(
            "Hashes of entries that are not here, because the hash of the next entry needs them: {count}. They say nothing about \
             these entries, except to somebody who guesses all of one: they can confirm the guess."
        )),
    }
    let hidden = evidence
        .approvals
        .iter()
        .filter(|approval| approval.shown.is_none());
    match hidden.count() {
        0 => {}
        count => said.push(format!(
            "Approvals without what was shown, because it was not kept, is masked, or has more than is searched for secrets: {count} of {}. It cannot be compared with the \
             token; but who guesses all of it, and all that the token is made of beside it, can confirm the guess by the token.",
            evidence.approvals.len()
        )),
    }
    let touched = evidence.approvals.iter().any(|approval| {
        let first = approval.first.as_ref().and_then(|first| first.touch);
        let answer = approval.answer.as_ref().and_then(|answer| answer.touch);
        first.or(answer).is_some()
    });
    if touched {
        said.push(
            "A signature proves that a passkey signed, not whose it is: the server says that. Where the entry of a signature has \
             no hash, the signature is not here."
                .to_owned(),
        );
    }
    if !evidence.unchecked.complete {
        said.push("This is not all: the conversation has more than fits into one file.".to_owned());
    }
    said
}
