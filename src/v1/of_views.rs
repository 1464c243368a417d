//! How the types of the API are made of what pages show.

use super::types::{
    Action, Conversation, ConversationState, Conversations, Event, Found, Hit, InboxEntry,
    ListQuery, Person, Rule, Rules, SearchQuery, Spent, StateEvent, Usage,
};
use crate::conversation::{OverallReport, Risk, Spent as Sum, Status};
use crate::journal::LogEvent;
use crate::live::{
    ApprovalView, ConversationSummary, ConversationView, FoundView, InboxItem, ListAsk, ListView,
    RuleState, RuleView, RulesView, SearchAsk, SessionView,
};
use crate::people::PersonView;
use crate::render::{CardView, RowView};
use crate::rules::Scope;
use serde_json::Value;
use std::collections::HashSet;

/// A status in one word.
fn word_of(status: &Status) -> String {
    match status {
        Status::Other(word) => word.clone(),
        known => match serde_json::to_value(known) {
            Ok(Value::String(word)) => word,
            _ => String::new(),
        },
    }
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

impl From<ListQuery> for ListAsk {
    fn from(query: ListQuery) -> Self {
        Self {
            q: query.q,
            show: query.show,
            sort: query.sort,
            repository: query.repository,
            tag: query.tag,
            backend: query.backend,
            before: query.cursor,
            open: String::new(),
        }
    }
}

impl From<ListView> for Conversations {
    fn from(view: ListView) -> Self {
        let mut known = HashSet::new();
        let each = view.conversations.into_iter();
        Self {
            conversations: each
                .filter(|one| known.insert(one.id.clone()))
                .map(Conversation::from)
                .collect(),
            next: some(view.older),
        }
    }
}

impl From<ConversationSummary> for Conversation {
    fn from(one: ConversationSummary) -> Self {
        Self {
            status: word_of(&one.shown_status()),
            id: one.id,
            title: one.title,
            waiting: one.waiting,
            excerpt: one.excerpt,
            cost: one.cost,
            repository: one.repository,
            branch: one.branch,
            tags: one.tags.0,
            backend: one.backend,
            creator: one.creator,
            created_at: one.created_at,
            updated_at: one.updated_at,
            archived: one.archived,
        }
    }
}

impl From<ConversationView> for ConversationState {
    fn from(view: ConversationView) -> Self {
        let session = view.session;
        Self {
            id: view.id,
            status: word_of(&session.status),
            waiting: session.approval.is_some(),
            title: session.title,
            reason: session.reason,
            model: session.model,
            cost: session.metrics.cost,
            prompt_tokens: session.metrics.prompt_tokens,
            completion_tokens: session.metrics.completion_tokens,
            repository: view.repository,
            branch: view.branch,
            tags: session.tags.0,
            backend: view.backend.label,
            creator: view.sharing.creator,
            archived: view.archived,
            // The least: visitors have no access here.
            role: view.role.unwrap_or_default(),
            seq: view.seq,
        }
    }
}

impl From<&SessionView> for StateEvent {
    fn from(session: &SessionView) -> Self {
        Self {
            status: word_of(&session.status),
            waiting: session.approval.is_some(),
        }
    }
}

impl Event {
    /// An event of the log, with what it says in `text`.
    pub fn of(event: &LogEvent, text: String) -> Self {
        Self {
            seq: event.seq,
            received_at: event.received_at,
            row: event.row,
            kind: event.kind().to_owned(),
            source: event.source().to_owned(),
            text,
            // What cannot be parsed is its text.
            data: serde_json::from_str(&event.raw)
                .unwrap_or_else(|_| Value::String(event.raw.clone())),
        }
    }
}

fn action(row: &RowView) -> Option<Action> {
    match &row.card {
        CardView::Step(step) => Some(Action {
            row: row.id,
            verb: step.verb.clone(),
            subject: step.subject.clone(),
            risk: match step.risk {
                Risk::Low => "low",
                Risk::Medium => "medium",
                Risk::High => "high",
                Risk::Unknown => "unknown",
            }
            .to_owned(),
        }),
        _ => None,
    }
}

/// The actions of an approval, in one line each.
pub fn actions(approval: &ApprovalView) -> Vec<Action> {
    approval.rows.iter().filter_map(action).collect()
}

impl From<InboxItem> for InboxEntry {
    fn from(item: InboxItem) -> Self {
        Self {
            actions: actions(&item.approval),
            conversation: item.conversation.into(),
            answerable: item.answerable,
        }
    }
}

impl From<SearchQuery> for SearchAsk {
    fn from(query: SearchQuery) -> Self {
        Self {
            q: query.q,
            conversation: query.conversation,
            kind: query.kind,
            source: query.source,
            person: query.person,
            from: query.from,
            to: query.to,
            backend: query.backend,
            path: query.path,
            after: query.cursor,
        }
    }
}

impl From<FoundView> for Found {
    fn from(view: FoundView) -> Self {
        let hits = view.hits.into_iter().map(|hit| Hit {
            conversation: hit.conversation,
            title: hit.title,
            seq: hit.seq,
            at: hit.at,
            kind: hit.family.as_str().to_owned(),
            source: hit.from.as_str().to_owned(),
            author: hit.by,
            text: hit.text.into_iter().map(|piece| piece.text).collect(),
        });
        Self {
            hits: hits.collect(),
            next: some(view.next),
            back_to: view.back_to,
        }
    }
}

impl Spent {
    fn of(name: String, sum: &Sum) -> Self {
        Self {
            name,
            cost: sum.cost,
            prompt_tokens: sum.prompt_tokens,
            completion_tokens: sum.completion_tokens,
        }
    }
}

impl Usage {
    /// What was spent in so many days.
    pub fn of(report: &OverallReport, days: u32, everybody: bool) -> Self {
        let named = |sums: &[(String, Sum)]| {
            let sums = sums.iter();
            sums.map(|(name, sum)| Spent::of(name.clone(), sum))
                .collect()
        };
        let day = |(day, sum): &(i64, Sum)| {
            let at = jiff::Timestamp::from_second(day * 86_400).unwrap_or_default();
            Spent::of(at.strftime("%Y-%m-%d").to_string(), sum)
        };
        Self {
            days,
            everybody,
            total: Spent::of(String::new(), &report.total),
            by_day: report.days.iter().map(day).collect(),
            by_model: named(&report.models),
            by_person: named(&report.people),
            by_conversation: named(&report.conversations),
        }
    }
}

impl From<RulesView> for Rules {
    fn from(view: RulesView) -> Self {
        Self {
            stopped: view.stopped,
            rules: view.rules.into_iter().map(Rule::from).collect(),
        }
    }
}

impl From<RuleView> for Rule {
    fn from(rule: RuleView) -> Self {
        let (scope, place) = match rule.scope {
            Scope::Conversation(id) => ("conversation", id),
            Scope::Own => ("own", String::new()),
            Scope::Repository(name) => ("repository", name),
            Scope::All => ("all", String::new()),
        };
        let state = match rule.state {
            RuleState::InForce => "in_force",
            RuleState::Expired => "expired",
            RuleState::RightLost => "right_lost",
            RuleState::Ended(_) => "ended",
        };
        Self {
            number: rule.number,
            what: rule.what,
            ratings: rule.ratings,
            scope: scope.to_owned(),
            place,
            maker: rule.maker,
            made_at: rule.made_at,
            expires_at: rule.expires_at,
            state: state.to_owned(),
            used: rule.used,
        }
    }
}

impl From<PersonView> for Person {
    fn from(person: PersonView) -> Self {
        Self {
            name: person.name,
            role: person.role,
            disabled: person.disabled,
            created_at: person.created_at,
            seen_at: person.seen_at,
        }
    }
}
