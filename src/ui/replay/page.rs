//! The page of a replay.

use super::controls::Controls;
use super::keys;
use super::panels::{Items, Panel, Tabs, panel_name};
use super::player::{Player, address, kind_of};
use super::text;
use crate::api::{ApiError, ReplayView, TrackView, replay_at, replay_track};
use crate::conversation::Tone;
use crate::store::{Derived, fetched, link, use_query};
use crate::ui::conversation::{cost, facts};
use crate::ui::parts::{
    self, Banner, ErrorNote, Loading, Menu, StatusBadge, answered, copy_code, title_or_default,
    use_toasts, varying,
};
use crate::ui::shell::{Head, Page};
use crate::ui::timeline::{KeptQuery, StillRows};
use leptos::{html, prelude::*};
use leptos_router::hooks::use_params_map;

/// `/c/:id/replay`.
#[component]
pub fn ReplayPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id").unwrap_or_default());
    let query = use_query();
    let panel = panel_name();
    // Later changes of the query move the player.
    let number = move |name: &str| query.read_untracked().get(name)?.parse::<i64>().ok();
    let answers = fetched(
        move || id.get(),
        move |id| {
            let kind = kind_of(panel.get_untracked());
            load(id, number("at"), kind, number("row"))
        },
    );
    any_view! {
        <Transition fallback=|| view! { <div class="page"><Loading text=text::loading()/></div> }>
            {answered(answers, move |answer| match answer {
                Ok((view, track)) => any_view! { <Replay view track panel/> },
                Err(error) => any_view! { <Trouble error id/> },
            })}
        </Transition>
    }
}

async fn load(
    id: String,
    at: Option<i64>,
    kind: Option<crate::conversation::Kind>,
    whole: Option<i64>,
) -> Result<(ReplayView, TrackView), ApiError> {
    let view = replay_at(id.clone(), at, kind, whole).await?;
    let track = replay_track(id).await?;
    Ok((view, track))
}

#[component]
fn Replay(view: ReplayView, track: TrackView, panel: Memo<&'static str>) -> impl IntoView {
    let title = text::title(title_or_default(&view.title));
    let player = Player::new(view, panel);
    let at = player.at();
    provide_context(KeptQuery(Signal::derive(move || {
        let address = address(at.get(), panel.get());
        format!("{}&", address.trim_start_matches('?'))
    })));
    follow_address(player);
    keys::listen(player);
    let status = Memo::new(move |_| player.view.read().status.clone());
    let metrics = Derived::new(move || player.view.read().metrics.clone());
    let back = link(&format!("c/{}", player.id()));
    any_view! {
        <Head title=title.clone()/>
        <article class="conversation" data-panel=move || panel.get()>
            <header class="conversation__head">
                <a
                    class="button button--quiet conversation__back"
                    href=back.clone()
                    aria-label=text::live_hint()
                >
                    "‹"
                </a>
                <div class="conversation__name">
                    <h1 class="conversation__title truncate">{title}</h1>
                    <div class="conversation__status">
                        <StatusBadge status/>
                        <span class="conversation__facts muted number" title=move || metrics.with(facts)>
                            {varying(move || metrics.with(cost))}
                        </span>
                    </div>
                </div>
                <Tabs player/>
                <div class="conversation__controls">
                    <a class="button replay__live" href=back title=text::live_hint()>
                        {text::live()}
                    </a>
                    <Menu class="menu menu--end replay__menu" label=parts::text::actions()>
                        <Items player/>
                    </Menu>
                </div>
            </header>
            <Banners player/>
            <Timeline player/>
            <Panel player/>
            <footer class="conversation__foot">
                <Controls player track/>
            </footer>
        </article>
    }
}

/// Goes where the address leads: to another place of the history, or to the event that a fragment names.
fn follow_address(player: Player) {
    let query = use_query();
    let asked = Memo::new(move |_| query.read().get("at")?.parse::<i64>().ok());
    Effect::new(move |before: Option<&'static str>| {
        let (asked, panel) = (asked.get(), player.panel.get());
        let shown = player.view.read_untracked().at;
        match before {
            // The server has drawn this place. It is not sent the fragment.
            None => {
                let hash = window().location().hash().unwrap_or_default();
                if let Ok(event) = hash.trim_start_matches('#').parse() {
                    player.go(event);
                }
            }
            Some(before) => {
                let to = asked.unwrap_or(shown);
                if before != panel || to != shown {
                    player.go(to);
                }
            }
        }
        panel
    });
}

/// What was told above the timeline.
#[component]
fn Banners(player: Player) -> impl IntoView {
    let notice = Memo::new(move |_| player.view.read().notice.clone());
    let waiting = Memo::new(move |_| player.view.read().waiting);
    let banner = |tone: Tone, text: String| view! { <Banner tone text/> };
    any_view! {
        <div class="conversation__banner">
            {varying(move || player.trouble.get().map(|error| view! { <ErrorNote error/> }))}
            {varying(move || {
                let notice = notice.get().filter(|notice| !notice.text.is_empty());
                notice.map(|notice| banner(notice.tone, notice.text))
            })}
            {varying(move || {
                let waiting = waiting.get();
                (waiting > 0).then(|| banner(Tone::Warning, text::actions_waiting(waiting)))
            })}
        </div>
    }
}

/// The newest rows of the place. The link to earlier ones goes to the place where the first of them was the newest.
#[component]
fn Timeline(player: Player) -> impl IntoView {
    let section = NodeRef::<html::Section>::new();
    let at = player.at();
    Effect::new(move || {
        at.track();
        if let Some(section) = section.get_untracked() {
            // The end: the timeline is laid out from there.
            section.set_scroll_top(0);
        }
    });
    let earlier = Memo::new(move |_| {
        let view = player.view.read();
        let first = view.timeline.rows.first().map(|row| row.id);
        first.filter(|first| view.timeline.older && *first < view.at)
    });
    let nothing = Memo::new(move |_| {
        let view = player.view.read();
        match view.newest {
            0 => Some(text::empty()),
            _ if view.timeline.rows.is_empty() => Some(text::nothing_yet()),
            _ => None,
        }
    });
    let toasts = use_toasts();
    any_view! {
        <section
            class="timeline"
            tabindex="0"
            role="region"
            aria-label=text::timeline_then()
            node_ref=section
        >
            <div class="timeline__rows" on:click=move |event| copy_code(&event, toasts)>
                {varying(move || nothing.get().map(|text| view! { <p class="timeline__nothing muted">{text}</p> }))}
                {varying(move || {
                    earlier
                        .get()
                        .map(|to| {
                            let go = move |event: leptos::ev::MouseEvent| {
                                event.prevent_default();
                                player.go(to);
                            };
                            view! {
                                <a
                                    class="button timeline__older"
                                    href=address(to, player.panel.get())
                                    on:click=go
                                >
                                    {text::earlier()}
                                </a>
                            }
                        })
                })}
                <StillRows rows=player.rows/>
            </div>
        </section>
    }
}

#[component]
fn Trouble(error: ApiError, id: Memo<String>) -> impl IntoView {
    any_view! {
        <Page title=text::not_loaded() class="page">
            <ErrorNote error/>
            <p>
                <a class="button" href=link(&format!("c/{}", id.get_untracked()))>
                    {text::live_hint()}
                </a>
            </p>
        </Page>
    }
}
