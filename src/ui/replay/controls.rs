//! What is shown, the slider, and the buttons in one row. Without a script the slider is a form, and the buttons for marks
//! and events are links.

use super::player::{Player, SPEEDS, address};
use super::text;
use super::track::{Legend, Marks, word};
use crate::api::TrackView;
use crate::ui::parts::{Icon, Time, varying};
use leptos::prelude::*;

/// The controls.
#[component]
pub(super) fn Controls(player: Player, track: TrackView) -> impl IntoView {
    let at = player.at();
    let newest = Memo::new(move |_| player.view.read().newest);
    let first = at.get_untracked();
    let slide = move |event: leptos::ev::Event| {
        if let Ok(to) = event_target_value(&event).parse() {
            player.go(to);
        }
    };
    any_view! {
        <section class="replay" aria-label=text::controls()>
            <div class="replay__said number">
                <Place player/>
                <Legend track=track.clone()/>
            </div>
            <form class="replay__form" method="get" action="" on:submit=|event| event.prevent_default()>
                <div class="replay__track">
                    <Marks track newest/>
                    <input
                        class="replay__slider"
                        id="replay-at"
                        type="range"
                        name="at"
                        aria-label=text::place()
                        aria-valuetext=move || text::event_of(at.get(), newest.get())
                        min="1"
                        max=move || newest.get().max(1)
                        value=first
                        prop:value=move || at.get()
                        autocomplete="off"
                        on:input=slide
                    />
                </div>
                {varying(move || match player.panel.get() {
                    "timeline" => None,
                    panel => Some(view! { <input type="hidden" name="panel" value=panel/> }),
                })}
                <button class="button replay__go">{text::go()}</button>
            </form>
            <div class="replay__buttons">
                <To player label=text::previous_mark() to=move || player.view.read().previous>
                    <Icon name="previous"/>
                </To>
                <To player label=text::previous_event() to=move || Some(at.get() - 1).filter(|to| *to > 0)>
                    "‹"
                </To>
                <Play player/>
                <To
                    player
                    label=text::next_event()
                    to=move || Some(at.get() + 1).filter(|to| *to <= newest.get())
                >
                    "›"
                </To>
                <To player label=text::next_mark() to=move || player.view.read().next>
                    <Icon name="next"/>
                </To>
                <Speeds player/>
            </div>
        </section>
    }
}

/// A link to another place; without one, only its sign.
#[component]
fn To(
    player: Player,
    label: &'static str,
    to: impl Fn() -> Option<i64> + Send + Sync + 'static,
    children: Children,
) -> impl IntoView {
    let to = Memo::new(move |_| to());
    let href = move || to.get().map(|to| address(to, player.panel.get()));
    let go = move |event: leptos::ev::MouseEvent| {
        event.prevent_default();
        if let Some(to) = to.get_untracked() {
            player.go(to);
        }
    };
    any_view! {
        <a
            class="button replay__step"
            role="link"
            href=href
            data-noscroll=""
            aria-disabled=move || to.get().is_none().then_some("true")
            aria-label=label
            title=label
            on:click=go
        >
            {children()}
        </a>
    }
}

#[component]
fn Play(player: Player) -> impl IntoView {
    let playing = player.playing;
    any_view! {
        <button
            type="button"
            class="button replay__play"
            data-needs-script
            aria-label=move || if playing.get() { text::pause() } else { text::play() }
            on:click=move |_| player.toggle()
        >
            {varying(move || {
                if playing.get() {
                    any_view! {
                        <Icon name="pause"/>
                    }
                } else {
                    any_view! {
                        <Icon name="play"/>
                    }
                }
            })}
        </button>
    }
}

#[component]
fn Speeds(player: Player) -> impl IntoView {
    let speeds = SPEEDS.map(|speed| {
        let is_chosen = speed == player.speed.get_untracked();
        view! {
            <option value=speed selected=is_chosen>
                {text::times(speed)}
            </option>
        }
    });
    let choose = move |event: leptos::ev::Event| {
        if let Ok(speed) = event_target_value(&event).parse() {
            player.speed.set(speed);
        }
    };
    any_view! {
        <select class="select replay__speed" aria-label=text::speed() data-needs-script on:change=choose>
            {speeds.collect_view()}
        </select>
    }
}

/// The place in words. While it plays, a screen reader is not told of every one.
#[component]
fn Place(player: Player) -> impl IntoView {
    let live = move || match player.playing.get() {
        true => "off",
        false => "polite",
    };
    any_view! {
        <p class="replay__at" aria-live=live>
            {varying(move || {
                let view = player.view.read();
                let mark = view.mark.map(|mark| format!(" · {}", word(mark)));
                let time = view.time;
                view! {
                    <span class="replay__event">{text::event_of(view.at, view.newest)}</span>
                    " · "
                    <Time at=time/>
                    {mark}
                }
            })}
        </p>
    }
}
