//! Where the current user is notified, and of what.
//!
//! Long because each kind of channel has a form of its own.

use super::devices::short;
use super::text;
use crate::api::{
    AddNtfy, AddWebhook, ChannelKind, ChannelView, ChooseNotifications, NotificationsView,
    Occasion, QuietHours, RemoveNotifications, Scope, SubscribePush, TestNotifications,
    read_notifications,
};
use crate::store::{Call, fetched, push};
use crate::ui::parts::{
    Answered, ErrorNote, Field, OneTimeSecret, Outcome, TextField, Time, Toggle, varying,
};
use crate::ui::shell::{Page, ServerForm};
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// `/notifications`.
#[component]
pub fn NotificationsPage() -> impl IntoView {
    let notifications = fetched(|| (), |()| read_notifications());
    // Outside of the refetched view, so that their outcomes stay visible.
    let calls = Calls {
        subscribe: Call::of::<SubscribePush>(),
        ntfy: Call::of::<AddNtfy>(),
        webhook: Call::of::<AddWebhook>(),
        remove: Call::of::<RemoveNotifications>(),
        test: Call::of::<TestNotifications>(),
    };
    for changes in [calls.subscribe, calls.ntfy, calls.remove] {
        changes.on_success(move || notifications.refetch());
    }
    calls.webhook.on_success(move || notifications.refetch());
    any_view! {
        <Page title=text::notifications()>
            <Answered answers=notifications waiting=text::notifications_loading() draw=move |view| {
                any_view! { <Channels view calls/> }
            }/>
        </Page>
    }
}

/// What the page can do that changes what it shows.
#[derive(Clone, Copy)]
struct Calls {
    subscribe: Call,
    ntfy: Call,
    webhook: Call<String>,
    remove: Call,
    test: Call<String>,
}

#[component]
fn Channels(view: NotificationsView, calls: Calls) -> impl IntoView {
    let is_on = view.channels.iter().any(|channel| channel.here);
    let answers = view.answers;
    let places = view.channels.into_iter();
    let places = places.map(|channel| place(channel, answers, calls));
    let places = places.collect_view();
    any_view! {
        <Here key=view.key is_on subscribe=calls.subscribe/>
        <Outcome action=calls.remove done=text::place_removed()/>
        <Tested test=calls.test/>
        {places}
        <Ntfy add=calls.ntfy/>
        {view.webhooks.then(|| view! { <Webhook webhook=calls.webhook secret=view.one_time_secret/> })}
    }
}

/// Turns notifications on in this browser.
#[component]
fn Here(key: String, is_on: bool, subscribe: Call) -> impl IntoView {
    let trouble = RwSignal::new(None::<push::Trouble>);
    let busy = RwSignal::new(false);
    let turn_on = move |_| {
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        trouble.set(None);
        let key = key.clone();
        spawn_local(async move {
            match push::subscribe(&key).await {
                Ok(subscription) => subscribe.send_json(subscription),
                Err(why) => drop(trouble.try_set(Some(why))),
            }
            busy.try_set(false);
        });
    };
    let hint = if is_on {
        text::here_on()
    } else {
        text::here_off()
    };
    let label = if is_on {
        text::turn_on_again()
    } else {
        text::turn_on()
    };
    any_view! {
        <section class="card stack">
            <h2 class="card__title">{text::this_browser()}</h2>
            <p class="card__hint">{hint}</p>
            <div role="status">
                {varying(move || {
                    trouble
                        .get()
                        .map(|why| {
                            let text = match why {
                                push::Trouble::NeedsHttps => text::push_needs_https(),
                                push::Trouble::Missing => text::push_missing(),
                                push::Trouble::Blocked => text::push_blocked(),
                                push::Trouble::Failed => text::push_failed(),
                            };
                            view! { <p class="notice notice--warning">{text}</p> }
                        })
                })}
            </div>
            <Outcome action=subscribe done=text::turned_on()/>
            <div class="cluster cluster--end">
                <button
                    type="button"
                    class="button"
                    class:button--primary=!is_on
                    data-needs-script
                    disabled=move || busy.get()
                    on:click=turn_on
                >
                    {label}
                </button>
            </div>
        </section>
    }
}

/// What the service answered to a test.
#[component]
fn Tested(test: Call<String>) -> impl IntoView {
    let (pending, value) = (test.pending(), test.value());
    any_view! {
        <div role="status">
            {varying(move || {
                if pending.get() {
                    return any_view! { <p class="muted">{text::testing()}</p> };
                }
                match value.get() {
                    None => ().into_any(),
                    Some(Ok(said)) => any_view! { <p class="notice notice--good">{said}</p> },
                    Some(Err(error)) => any_view! { <ErrorNote error/> },
                }
            })}
        </div>
    }
}

/// A place to notify: how it goes, and what it is notified of.
fn place(channel: ChannelView, answers: bool, calls: Calls) -> impl IntoView {
    let name = match channel.kind {
        ChannelKind::Push => short(&channel.name),
        ChannelKind::Ntfy | ChannelKind::Webhook => channel.name.clone(),
    };
    let kind = match channel.kind {
        ChannelKind::Push => text::kind_push(),
        ChannelKind::Ntfy => text::kind_ntfy(),
        ChannelKind::Webhook => text::kind_webhook(),
    };
    let label = text::remove_place(&name);
    let (number, here) = (channel.number, channel.here);
    let trouble = (!channel.trouble.is_empty()).then(|| channel.trouble.clone());
    let on_sent = Callback::new(move |()| {
        if here {
            spawn_local(push::unsubscribe());
        }
    });
    let title = name.clone();
    any_view! {
        <section class="card stack" aria-label=name>
            <h2 class="card__title">
                {title}
                " "
                <span class="chip">{if here { text::this_browser() } else { kind }}</span>
            </h2>
            <p class="card__hint">
                {match channel.sent_at {
                    Some(at) => any_view! { {text::last_sent()} <Time at relative=true/> },
                    None => text::never_sent().into_any(),
                }}
                {(channel.retrying > 0).then(|| text::retrying(channel.retrying as usize))}
                {(channel.given_up > 0).then(|| text::given_up(channel.given_up as usize))}
            </p>
            {trouble.map(|why| view! { <p class="notice notice--warning">{why}</p> })}
            <Choose channel answers/>
            <div class="cluster cluster--end">
                <ServerForm action=calls.test>
                    <input type="hidden" name="number" value=number/>
                    <button class="button" data-needs-script>{text::test()}</button>
                </ServerForm>
                <ServerForm action=calls.remove on_sent>
                    <input type="hidden" name="number" value=number/>
                    <button class="button" aria-label=label>{text::remove()}</button>
                </ServerForm>
            </div>
        </section>
    }
}

/// The form with the choices of a place.
#[component]
fn Choose(channel: ChannelView, answers: bool) -> impl IntoView {
    let choose = Call::of::<ChooseNotifications>();
    // Without JavaScript the page is loaded again with the error.
    let has_failed = choose.value().with_untracked(Option::is_some);
    let (number, kind, choices) = (channel.number, channel.kind, channel.choices);
    let is_for_people = kind != ChannelKind::Webhook;
    let scopes = [
        (Scope::Mine, "mine", text::scope_mine()),
        (Scope::Shared, "shared", text::scope_shared()),
        (Scope::All, "all", text::scope_all()),
    ];
    let scopes = scopes.map(|(scope, word, label)| {
        view! { <option value=word selected=scope == choices.scope>{label}</option> }
    });
    let toggles = Occasion::ALL.map(|occasion| {
        let label = match occasion {
            Occasion::NeedsApproval => text::on_needs_approval(),
            Occasion::YourTurn => text::on_your_turn(),
            Occasion::Finished => text::on_finished(),
            Occasion::Failed => text::on_failed(),
            Occasion::Stuck => text::on_stuck(),
        };
        let checked = choices.occasions.contains(&occasion);
        view! { <Toggle name=occasion.word() label checked/> }
    });
    any_view! {
        <details open=has_failed>
            <summary class="button button--quiet">{text::choose()}</summary>
            <ServerForm action=choose class="stack choices">
                <input type="hidden" name="number" value=number/>
                <fieldset class="fieldset">
                    <legend>{text::occasions()}</legend>
                    {toggles.collect_view()}
                </fieldset>
                <Field id=format!("scope-{number}") label=text::scope() hint=text::scope_hint()>
                    <select
                        class="select"
                        id=format!("scope-{number}")
                        name="scope"
                        aria-describedby=format!("scope-{number}-hint")
                    >
                        {scopes.collect_view()}
                    </select>
                </Field>
                {is_for_people.then(|| view! { <Quiet number quiet=choices.quiet/> })}
                {is_for_people
                    .then(|| view! { <Toggle name="shows_text" label=text::shows_text() checked=choices.shows_text/> })}
                {(kind == ChannelKind::Push && answers)
                    .then(|| view! { <Toggle name="approves" label=text::approves() checked=choices.approves/> })}
                <Outcome action=choose/>
                <button class="button">{text::save_choices()}</button>
            </ServerForm>
        </details>
    }
}

/// Quiet hours, in the time zone of the browser unless another one was stored.
#[component]
fn Quiet(number: i64, quiet: Option<QuietHours>) -> impl IntoView {
    let time = |minute: u16| format!("{:02}:{:02}", minute / 60, minute % 60);
    let (from, until, stored) = match quiet {
        Some(quiet) => (time(quiet.from), time(quiet.until), quiet.zone),
        None => (String::new(), String::new(), String::new()),
    };
    let zone = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(zone) = zone.get().filter(|zone| zone.value().is_empty()) {
            zone.set_value(&push::time_zone());
        }
    });
    let [from_id, until_id, zone_id] =
        ["from", "until", "zone"].map(|part| format!("quiet-{part}-{number}"));
    any_view! {
        <fieldset class="fieldset">
            <legend>{text::quiet_hours()}</legend>
            <p class="field__hint">{text::quiet_hint()}</p>
            <div class="field-row">
                <TextField id=from_id name="quiet_from" label=text::quiet_from() kind="time" value=from/>
                <TextField id=until_id name="quiet_until" label=text::quiet_until() kind="time" value=until/>
                <TextField
                    id=zone_id name="zone" label=text::zone() value=stored example=text::zone_example() node_ref=zone
                />
            </div>
        </fieldset>
    }
}

/// Adds a topic of an ntfy server.
#[component]
fn Ntfy(add: Call) -> impl IntoView {
    any_view! {
        <section class="card stack">
            <h2 class="card__title">{text::kind_ntfy()}</h2>
            <p class="card__hint">{text::ntfy_hint()}</p>
            <ServerForm action=add class="stack">
                <TextField
                    id="ntfy-address" name="address" label=text::topic() kind="url"
                    example="https://ntfy.sh/my-topic" mono=true required=true
                />
                <TextField
                    id="ntfy-token" name="token" label=text::ntfy_token() hint=text::ntfy_token_hint()
                    kind="password" mono=true
                />
                <Outcome action=add done=text::place_added()/>
                <button class="button">{text::add_ntfy()}</button>
            </ServerForm>
        </section>
    }
}

/// Adds a webhook.
#[component]
fn Webhook(webhook: Call<String>, secret: String) -> impl IntoView {
    any_view! {
        <section class="card stack">
            <h2 class="card__title">{text::kind_webhook()}</h2>
            <p class="card__hint">{text::webhook_hint()}</p>
            <ServerForm action=webhook class="stack">
                <TextField
                    id="webhook-address" name="address" label=text::address() kind="url"
                    example="https://example.org/handrail" mono=true required=true
                />
                <button class="button">{text::add_webhook()}</button>
            </ServerForm>
            <OneTimeSecret action=webhook secret/>
        </section>
    }
}
