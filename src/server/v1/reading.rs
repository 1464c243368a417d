//! Routes that read.
//!
//! Long because each route stands with its description.

use super::problem::{Answer, Code, Failure, Reply};
use super::stream;
use crate::api::{ApiError, check_right_in};
use crate::conversation::Measure;
use crate::hub::event_in_words;
use crate::live::{ListAsk, SearchAsk, Secrets};
use crate::people::{Caller, Right, Scope};
use crate::server::conversation_path::ConversationPath;
use crate::server::{Site, exchange};
use crate::v1::{
    Approval, ConversationState, Conversations, Event, Events, EventsQuery, FileQuery, Found,
    Inbox, ListQuery, Me, Pending, People, PeopleQuery, Person, Rules, SearchQuery, Usage,
    UsageQuery, actions,
};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use axum::{Extension, Json};

/// Events of a page, if nothing else is asked.
const EVENTS: u32 = 100;
/// Most events of a page.
const MOST_EVENTS: u32 = 200;
/// Days of a report, if nothing else is asked.
const DAYS: u32 = 30;
/// Most days of a report.
const MOST_DAYS: u32 = 366;

/// Who the credential belongs to, and what it is for.
#[utoipa::path(get, path = "/me", operation_id = "get_me", tag = "people", responses(
    (status = 200, description = "The answer", body = Me),
))]
pub async fn me(Extension(by): Extension<Caller>) -> Answer<Me> {
    let scopes = Scope::ALL.into_iter();
    Ok(Json(Me {
        name: by.signature().to_owned(),
        role: by.role,
        scopes: scopes
            .filter(|scope| by.is_for(*scope) && by.may(scope.right()))
            .collect(),
    }))
}

/// A page of the conversations that the caller may see.
#[utoipa::path(get, path = "/conversations", operation_id = "list_conversations", tag = "conversations", params(ListQuery), responses(
    (status = 200, description = "The answer", body = Conversations),
))]
pub async fn list(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    Query(query): Query<ListQuery>,
) -> Answer<Conversations> {
    let view = site.hub.catalogue.page(&by, ListAsk::from(query)).await?;
    Ok(Json(view.into()))
}

/// A conversation as it is now.
#[utoipa::path(get, path = "/conversations/{id}", operation_id = "get_conversation", tag = "conversations",
    params(("id" = String, Path, description = "Id of the conversation")), responses(
    (status = 200, description = "The answer", body = ConversationState),
))]
pub async fn conversation(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
) -> Answer<ConversationState> {
    let mut view = site.hub.reader.open(&id).await?;
    // The action is not handed out here, so it does not count as shown.
    let waiting = view.session.approval.take().is_some();
    let view = site.hub.reader.visit(&by, view).await?;
    Ok(Json(ConversationState {
        waiting,
        ..view.into()
    }))
}

/// Events from a number on. With `Accept: text/event-stream` they are followed as server-sent events: `event` with an
/// `Event` and its `seq` as id, and `state` with a `StateEvent`; after `end` the client connects again.
#[utoipa::path(get, path = "/conversations/{id}/events", operation_id = "list_events", tag = "conversations",
    params(("id" = String, Path, description = "Id of the conversation"), EventsQuery,
        ("Last-Event-ID" = Option<i64>, Header, description = "Where a stream continues")),
    responses(
    (status = 200, description = "A page, or a stream", content((Events = "application/json"), (String = "text/event-stream"))),
))]
pub async fn events(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Reply {
    let accepts = headers.get(header::ACCEPT);
    let accepts = accepts.and_then(|value| value.to_str().ok());
    if accepts.is_some_and(|value| value.contains("text/event-stream")) {
        let last = headers.get("last-event-id");
        let last = last.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        return stream::follow(site, by, id, last.unwrap_or(query.after)).await;
    }
    let limit = query.limit.unwrap_or(EVENTS).clamp(1, MOST_EVENTS) as usize;
    let after = query.after.max(0);
    let (page, more) = site.hub.reader.event_page(&id, after, limit).await?;
    let next = page.last().map_or(after, |event| event.seq);
    let each = page.iter();
    let events = each.map(|event| Event::of(event, event_in_words(&event.item)));
    let page = Events {
        events: events.collect(),
        next,
        more,
    };
    Ok(Json(page).into_response())
}

/// What needs approval, in full, with the token that an answer must carry.
#[utoipa::path(get, path = "/conversations/{id}/approval", operation_id = "get_approval", tag = "approvals",
    params(("id" = String, Path, description = "Id of the conversation")), responses(
    (status = 200, description = "The answer", body = Pending),
))]
pub async fn approval(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    ConversationPath { id, .. }: ConversationPath,
) -> Answer<Pending> {
    let pending = site.hub.reader.pending(&by, &id).await?;
    let approval = pending.map(|(view, shown)| Approval {
        actions: actions(&view),
        token: view.token,
        shown,
        caution: view.caution,
        answering: view.answering,
        needs_passkey: view.touch,
    });
    Ok(Json(Pending { approval }))
}

/// The conversation as a file: all events as JSON, or the timeline as Markdown or HTML.
#[utoipa::path(get, path = "/conversations/{id}/export", operation_id = "export_conversation", tag = "files",
    params(("id" = String, Path, description = "Id of the conversation"), FileQuery), responses(
    (status = 200, description = "The file", content((Vec<serde_json::Value> = "application/json"), (String = "text/markdown"), (String = "text/html"))),
))]
pub async fn export(
    site: State<Site>,
    by: Extension<Caller>,
    path: ConversationPath,
    Query(file): Query<FileQuery>,
) -> Reply {
    let choice = Query(exchange::Choice::of(secrets(&file)));
    let made = match file.format.as_str() {
        "" | "json" => exchange::trajectory(site, by, path, choice).await,
        "md" => exchange::markdown(site, by, path, choice).await,
        "html" => exchange::html(site, by, path, choice).await,
        _ => return Err(unknown_format("json, md or html")),
    };
    Ok(made.into_response())
}

/// Evidence of what was approved, as JSON to check or as HTML to read: `handrail audit verify FILE` checks both offline.
/// Owners alone get entries of the audit log whole, with their hashes.
#[utoipa::path(get, path = "/conversations/{id}/evidence", operation_id = "get_evidence", tag = "files",
    params(("id" = String, Path, description = "Id of the conversation"), FileQuery), responses(
    (status = 200, description = "The file", content((serde_json::Value = "application/json"), (String = "text/html"))),
))]
pub async fn evidence(
    site: State<Site>,
    by: Extension<Caller>,
    path: ConversationPath,
    Query(file): Query<FileQuery>,
) -> Reply {
    let choice = Query(exchange::Choice::of(secrets(&file)));
    let made = match file.format.as_str() {
        "" | "json" => exchange::evidence_json(site, by, path, choice).await,
        "html" => exchange::evidence_page(site, by, path, choice).await,
        _ => return Err(unknown_format("json or html")),
    };
    Ok(made.into_response())
}

/// Whether secrets stay in a file.
fn secrets(file: &FileQuery) -> Secrets {
    match file.secrets.as_str() {
        "keep" => Secrets::Keep,
        _ => Secrets::Mask,
    }
}

fn unknown_format(known: &str) -> Failure {
    let text = format!("There is no such format. Choose {known}.");
    Failure::new(StatusCode::BAD_REQUEST, Code::Invalid, text)
}

/// The pending approvals of all conversations that the caller may see.
#[utoipa::path(get, path = "/inbox", operation_id = "get_inbox", tag = "approvals", responses(
    (status = 200, description = "The answer", body = Inbox),
))]
pub async fn inbox(State(site): State<Site>, Extension(by): Extension<Caller>) -> Answer<Inbox> {
    let items = site.hub.reader.waiting(&by).await.into_iter();
    let waiting = items.map(Into::into).collect();
    Ok(Json(Inbox { waiting }))
}

/// Searches the events of all conversations that the caller may see.
#[utoipa::path(get, path = "/search", operation_id = "search", tag = "conversations", params(SearchQuery), responses(
    (status = 200, description = "The answer", body = Found),
))]
pub async fn search(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    Query(query): Query<SearchQuery>,
) -> Answer<Found> {
    let ask = SearchAsk::from(query);
    if !ask.conversation.is_empty() {
        check_right_in(&site.hub, &by, Right::Read, &ask.conversation)?;
    }
    let found = site.hub.search.search(&by, &ask).await?;
    Ok(Json(found.into()))
}

/// Cost and tokens: of all conversations for owners, for others of those that they created.
#[utoipa::path(get, path = "/usage", operation_id = "get_usage", tag = "people", params(UsageQuery), responses(
    (status = 200, description = "The answer", body = Usage),
))]
pub async fn usage(
    State(site): State<Site>,
    Extension(by): Extension<Caller>,
    Query(query): Query<UsageQuery>,
) -> Answer<Usage> {
    let days = query.days.unwrap_or(DAYS).clamp(1, MOST_DAYS);
    let insights = &site.hub.insights;
    let (report, everybody) = insights.spending(&by, days, Measure::Cost).await?;
    Ok(Json(Usage::of(&report, days, everybody)))
}

/// The rules that the caller may see.
#[utoipa::path(get, path = "/rules", operation_id = "list_rules", tag = "approvals", responses(
    (status = 200, description = "The answer", body = Rules),
))]
pub async fn rules(State(site): State<Site>, Extension(by): Extension<Caller>) -> Answer<Rules> {
    Ok(Json(site.hub.policies.approvals.page(&by).await?.into()))
}

/// A page of the accounts, for owners.
#[utoipa::path(get, path = "/people", operation_id = "list_people", tag = "people", params(PeopleQuery), responses(
    (status = 200, description = "The answer", body = People),
))]
pub async fn people(State(site): State<Site>, Query(query): Query<PeopleQuery>) -> Answer<People> {
    let page = site.people.everybody(query.q.trim(), &query.cursor).await;
    let page = page.map_err(ApiError::from)?;
    Ok(Json(People {
        people: page.people.into_iter().map(Person::from).collect(),
        next: Some(page.more).filter(|more| !more.is_empty()),
    }))
}
