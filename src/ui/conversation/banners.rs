//! Banners above the timeline: the state of the connection to the backend, and its last notice.

use super::text;
use crate::{
    api::{BudgetView, LiftBudget, RetryConnection, SessionView, StartConversation, Steer},
    backend::{ConnectionState, Runtime},
    conversation::{Notice, Remedy, SANDBOX_GONE, SANDBOX_NOT_STARTED, Status, Tone},
    people::Right,
    render::CardView,
    store::{Call, link, may, me, use_conversation},
    ui::{
        parts::{self, Banner, ErrorNote, varying},
        shell::CallButton,
    },
};
use leptos::prelude::*;

/// The banners that apply now.
#[component]
pub(super) fn Banners() -> impl IntoView {
    let store = use_conversation();
    let state = store.derived(|session| (session.runtime, session.connection.clone()));
    let notice = store.derived(|session| {
        // The banner about the sandbox says these.
        let notice = session.notice.clone();
        notice.filter(|notice| !matches!(&*notice.code, SANDBOX_NOT_STARTED | SANDBOX_GONE))
    });
    // The newest row says it, with what to do about it.
    let is_said = Memo::new(move |_| {
        let newest = store.timeline.last();
        newest.is_some_and(|newest| match &newest.view.read().card {
            CardView::Notice(notice) => matches!(notice.tone, Tone::Bad | Tone::Warning),
            _ => false,
        })
    });
    let budget = store.derived(|session| session.budget.clone());
    let limited = store.of_session(|session| session.status == Status::RateLimited);
    any_view! {
        <div class="conversation__banner" role="status">
            {varying(move || store.gone.get().then(|| view! { <Gone /> }))}
            {varying(move || store.trouble.get().map(|error| view! { <ErrorNote error /> }))}
            {varying(move || {
                let (runtime, connection) = state.get();
                view! { <ConnectionBanner runtime connection /> }
            })}
            {varying(move || budget.get().map(|budget| view! { <BudgetBanner budget /> }))}
            {varying(move || limited.get().then(|| view! { <Banner tone=Tone::Warning text=text::rate_limited()/> }))}
            {varying(move || {
                let notice = notice.get().filter(|notice| notice.tone != Tone::Bad || !is_said.get());
                notice.map(|notice| view! { <NoticeBanner notice /> })
            })}
        </div>
    }
}

/// What is said of a sandbox that did not start.
fn not_started(session: &SessionView) -> Option<String> {
    let notice = session.notice.as_ref()?;
    (notice.code == SANDBOX_NOT_STARTED).then(|| notice.text.clone())
}

/// A budget is used up: the question to whoever may lift it.
#[component]
fn BudgetBanner(budget: BudgetView) -> impl IntoView {
    let store = use_conversation();
    let lift = Call::of::<LiftBudget>();
    let creator = store.sharing.with_value(|sharing| sharing.creator.clone());
    let is_creator = !creator.is_empty() && creator == me().name;
    let may_lift = may(Right::Own) || (budget.creator_may && is_creator);
    let unknown = budget.unknown.then(parts::text::budget_unknown);
    let who = match (may_lift, budget.creator_may) {
        (true, _) => text::budget_question(),
        (false, true) => text::budget_ask_creator(),
        (false, false) => text::budget_ask_owner(),
    };
    let said = [
        parts::budget_in_words(&budget.reached),
        text::budget_stopped().to_owned(),
        parts::text::budget_days().to_owned(),
        unknown.unwrap_or_default().to_owned(),
        who.to_owned(),
    ];
    let text = said
        .into_iter()
        .filter(|one| !one.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let fields = vec![("id", store.id())];
    let button = may_lift.then(
        || view! { <CallButton action=lift fields label=parts::text::budget_lift() says=true /> },
    );
    any_view! {
        <Banner tone=Tone::Warning text>
            {button}
        </Banner>
    }
}

/// A banner that only informs.
fn said(text: &'static str) -> AnyView {
    any_view! { <Banner tone=Tone::Info text=text/> }
}

/// The banner about the sandbox or the connection; nothing while both are fine.
#[component]
fn ConnectionBanner(runtime: Runtime, connection: ConnectionState) -> impl IntoView {
    let store = use_conversation();
    let operates = store.may(Right::Operate);
    let imported = store.backend.with_value(|backend| backend.imported);
    match (runtime, connection) {
        (_, ConnectionState::Refused { why, code }) => any_view! {
            <Banner tone=Tone::Bad text=refusal(&why, &code)>
                <SettingsLink />
                {reconnects(text::retry())}
            </Banner>
        },
        (
            _,
            ConnectionState::Reconnecting {
                attempt,
                why,
                retry_in,
            },
        ) => {
            let message = match retry_in {
                0 => text::disconnected(why, attempt),
                seconds => text::disconnected_for(why, attempt, seconds),
            };
            any_view! {
                <Banner tone=Tone::Warning text=message>
                    {reconnects(parts::text::retry_now())}
                </Banner>
            }
        }
        (Runtime::Starting, _) => said(parts::text::sandbox_starting()),
        (Runtime::Preparing, _) => said(parts::text::sandbox_preparing()),
        (Runtime::Stopped, _) if imported => said(text::imported()),
        (Runtime::Paused, _) => any_view! {
            <Banner tone=Tone::Info text=text::sandbox_paused()>
                {varying(move || operates.get().then(|| starts(text::resume_sandbox())))}
            </Banner>
        },
        (Runtime::Stopped, _) => any_view! {
            <Banner tone=Tone::Info text=text::sandbox_stopped()>
                {varying(move || operates.get().then(|| starts(text::start())))}
            </Banner>
        },
        (Runtime::Gone, _) => any_view! {
            <Banner tone=Tone::Info text=text::sandbox_gone()>
                {varying(move || {
                    operates
                        .get()
                        .then(|| {
                            view! {
                                <a class="button button--small" href=link("new")>
                                    {parts::text::new_conversation()}
                                </a>
                            }
                        })
                })}
            </Banner>
        },
        (Runtime::Error, _) => {
            // Why it did not start, if that is known, in place of a notice that says the same.
            let why = store.session.with_untracked(not_started);
            let label = match why {
                Some(_) => text::try_again(),
                None => text::start_again(),
            };
            let said = why.unwrap_or_else(|| text::sandbox_failed().to_owned());
            any_view! {
                <Banner tone=Tone::Bad text=said>
                    {varying(move || operates.get().then(|| starts(label)))}
                </Banner>
            }
        }
        (Runtime::Running, ConnectionState::Connecting) => said(text::connecting()),
        (Runtime::Running, ConnectionState::Live | ConnectionState::Idle) => ().into_any(),
    }
}

/// Why OpenHands refused the connection.
fn refusal(why: &str, code: &str) -> String {
    match (why, code) {
        ("invalid_session_api_key", _) => text::refused_key().to_owned(),
        (_, "CONFIGURATION$SETTINGS_NOT_FOUND") => text::refused_settings().to_owned(),
        (_, "CONVERSATION_NOT_FOUND") => text::refused_unknown().to_owned(),
        _ => text::refused(why),
    }
}

/// A link to the settings, for owners.
#[component]
fn SettingsLink() -> impl IntoView {
    may(Right::Own).then(|| {
        view! {
            <a class="button button--small" href=link("settings")>
                {parts::text::settings()}
            </a>
        }
    })
}

/// Connects again. Visitors of a shared link may not.
fn reconnects(label: &'static str) -> impl IntoView {
    may(Right::Read).then(|| acts(Call::of::<RetryConnection>(), label, None))
}

fn starts(label: &'static str) -> AnyView {
    acts(Call::of::<StartConversation>(), label, None)
}

/// Resumes the agent after an error.
fn again() -> AnyView {
    acts(Call::of::<Steer>(), text::retry(), Some("resume"))
}

fn acts(action: Call, label: &'static str, order: Option<&str>) -> AnyView {
    let id = ("id", use_conversation().id());
    let order = order.map(|order| ("order", order.to_owned()));
    let fields = [id].into_iter().chain(order).collect();
    any_view! { <CallButton action fields label says=true /> }
}

#[component]
fn NoticeBanner(notice: Notice) -> impl IntoView {
    let helps = match notice.remedy {
        Some(Remedy::Settings) => any_view! { <SettingsLink /> },
        Some(Remedy::Retry) => {
            let operates = use_conversation().may(Right::Operate);
            varying(move || operates.get().then(again)).into_any()
        }
        Some(Remedy::Nothing | Remedy::StartAgain) | None => ().into_any(),
    };
    view! {
        <Banner tone=notice.tone text=notice.text>
            {helps}
        </Banner>
    }
}

#[component]
fn Gone() -> impl IntoView {
    any_view! {
        <Banner tone=Tone::Warning text=text::deleted()>
            <a class="button button--small" href=link("")>
                {parts::text::all_conversations()}
            </a>
        </Banner>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_said_in_words() {
        assert_eq!(refusal("invalid_session_api_key", ""), text::refused_key());
        assert_eq!(
            refusal("Settings not found", "CONFIGURATION$SETTINGS_NOT_FOUND"),
            text::refused_settings()
        );
        assert_eq!(
            refusal("Not now", "OTHER"),
            "OpenHands refused the connection: Not now"
        );
    }
}
