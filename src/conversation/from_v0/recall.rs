//! Translating injected context into labels and texts.

use super::text_of;
use crate::conversation::{Knowledge, Recall, text};
use crate::wire::v0::RecallObservation;

pub(super) fn recall(found: &RecallObservation) -> Recall {
    let label = |text: &String| (!text.is_empty()).then(|| text.clone());
    let instructions = [
        (text::repository_instructions(), &found.repo_instructions),
        (
            text::additional_instructions(),
            &found.additional_agent_instructions,
        ),
        (
            text::conversation_instructions(),
            &found.conversation_instructions,
        ),
    ];
    let instructions = instructions
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| Knowledge {
            name: name.to_owned(),
            trigger: String::new(),
            content: text.clone(),
        });
    let microagents = found.microagent_knowledge.iter().map(|agent| Knowledge {
        name: agent.name.clone().unwrap_or_default(),
        trigger: agent.trigger.clone().unwrap_or_default(),
        content: agent.content.clone().unwrap_or_default(),
    });
    let secrets =
        found
            .custom_secrets_descriptions
            .iter()
            .map(|(name, description)| match text_of(description) {
                told if told.is_empty() || description.is_null() => text::secret(name),
                told => text::secret_described(name, told),
            });
    let labels = [
        &found.repo_name,
        &found.repo_branch,
        &found.working_dir,
        &found.date,
    ];
    Recall {
        chips: labels
            .into_iter()
            .filter_map(label)
            .chain(
                found
                    .microagent_knowledge
                    .iter()
                    .filter_map(|agent| label(agent.name.as_ref()?)),
            )
            .chain(secrets)
            .collect(),
        knowledge: instructions.chain(microagents).collect(),
    }
}
