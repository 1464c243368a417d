//! What applies to a new conversation on each backend: what it does to the oldest one, and whether its agent asks.

use super::text;
use crate::api::BackendView;
use crate::backend::Eviction;
use crate::conversation::Tone;
use crate::ui::parts::{self, Banner};
use leptos::prelude::*;

/// What applies on a backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Label of the backend.
    label: String,
    /// Sentences that a person should have read before the start.
    warnings: Vec<String>,
    /// A sentence to know, or empty.
    note: String,
}

impl Rule {
    /// What applies to the first conversation on a backend.
    pub fn first(backend: &BackendView) -> Self {
        let note = String::new();
        Self {
            note,
            ..Self::of(&BackendView {
                running: 0,
                ..backend.clone()
            })
        }
    }

    /// What applies to the next conversation on a backend.
    pub fn of(backend: &BackendView) -> Self {
        let (can, running) = (backend.capabilities, backend.running);
        let mut rule = Self {
            label: backend.label.clone(),
            warnings: Vec::new(),
            note: String::new(),
        };
        if can.asks_nobody {
            rule.warnings.push(parts::text::asks_nobody().to_owned());
        }
        let Some(eviction) = can.evicts_oldest else {
            return rule;
        };
        let most = eviction.most();
        match (eviction, running >= most) {
            (Eviction::Stops, true) => {
                rule.warnings.push(text::stops_oldest_now(running, most));
            }
            (Eviction::Pauses, true) => {
                rule.warnings.push(text::pauses_oldest_now(running, most));
            }
            (Eviction::Stops, false) => rule.note = text::stops_oldest(most),
            (Eviction::Pauses, false) => rule.note = text::pauses_oldest(most),
        }
        rule
    }
}

/// The rules of the chosen backend; without a script those of all, because nothing follows the choice.
#[component]
pub fn Rules(
    rules: Vec<Rule>,
    /// Label of the chosen backend.
    chosen: RwSignal<String>,
    /// Whether there are several backends, so that each has to be named.
    several: bool,
) -> impl IntoView {
    let follows = RwSignal::new(false);
    Effect::new(move |_| follows.set(true));
    let one = move |Rule {
                        label,
                        warnings,
                        note,
                    }: Rule| {
        let name = several.then(|| label.clone());
        let said = move |text: String| match &name {
            Some(name) => parts::text::trouble_of(name, text),
            None => text,
        };
        let warnings = warnings.into_iter().map(said.clone());
        let warnings = warnings.map(|text| view! { <Banner tone=Tone::Warning text said=true/> });
        let warnings = warnings.collect_view();
        let note = (!note.is_empty()).then(|| view! { <p class="muted">{said(note)}</p> });
        let hidden = move || follows.get() && chosen.with(|chosen| *chosen != label);
        view! {
            <div class="stack" hidden=hidden>
                {warnings}
                {note}
            </div>
        }
    };
    rules.into_iter().map(one).collect_view()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Capabilities;

    fn rule(running: usize, capabilities: Capabilities) -> Rule {
        let backend = BackendView {
            capabilities,
            running,
            ..BackendView::default()
        };
        Rule::of(&backend)
    }

    #[test]
    fn each_backend_has_its_own_limit_and_does_its_own_to_the_oldest() {
        let can = |evicts_oldest| Capabilities {
            evicts_oldest,
            ..Capabilities::default()
        };
        let stops = can(Some(Eviction::Stops));
        assert!(rule(2, stops).note.contains("3 conversations"));
        assert!(rule(3, stops).warnings[0].contains("files may be lost"));
        let pauses = can(Some(Eviction::Pauses));
        assert!(rule(4, pauses).note.contains("5 sandboxes"));
        assert!(rule(4, pauses).note.contains("pauses"));
        let warned = &rule(5, pauses).warnings[0];
        assert!(warned.contains("resumed") && !warned.contains("lost"));
        let none = rule(9, can(None));
        assert!(none.note.is_empty() && none.warnings.is_empty());
    }

    #[test]
    fn an_agent_that_asks_nobody_is_no_surprise() {
        let alone = Capabilities {
            asks_nobody: true,
            ..Capabilities::default()
        };
        assert!(rule(0, alone).warnings[0].contains("asks nobody"));
    }
}
