//! Keeps one WebSocket up: frames out and in, pings, and coming back after every kind of loss.
//!
//! A dead link is noticed within ten seconds, or at once when the page returns to the foreground. The
//! first new attempt is made immediately, later ones after 1 to 30 seconds with jitter. The socket
//! lives in a thread-local: there is one a tab, and JavaScript values cannot be in shared state.

mod ending;
mod followers;

pub(super) use followers::{follow, follow_again, follow_list, unfollow};

use super::{
    browser::{for_good, now},
    live::Link,
};
use crate::api::{FromBrowser, FromServer};
use ending::closed;
use followers::Follower;
use js_sys::Function;
use leptos::prelude::*;
use std::{cell::RefCell, time::Duration};
use web_sys::{CloseEvent, Event, MessageEvent, WebSocket};

/// Silence after which the other side is asked whether it is there, milliseconds.
const QUIET: f64 = 4_000.0;

/// How long it may take to answer: with [`QUIET`], and two ticks of a second, below ten seconds.
const PATIENCE: f64 = 3_500.0;

/// The same when the page comes back to the foreground: a phone's link is often dead then.
const PATIENCE_ON_RETURN: f64 = 2_000.0;

/// How long a loss is not worth a word, milliseconds.
const UNNOTICED: f64 = 3_000.0;

/// Longest pause between two attempts, milliseconds.
const LONGEST_PAUSE: f64 = 30_000.0;

thread_local! {
    static LINE: RefCell<Line> = RefCell::new(Line::default());
}

#[derive(Default)]
struct Line {
    /// The path that the app lives at.
    base: String,
    url: String,
    link: Option<RwSignal<Link>>,
    /// What every socket calls when it opens, brings a frame, and closes.
    handlers: Option<[Function; 3]>,
    socket: Option<WebSocket>,
    followers: Vec<Follower>,
    next_follower: u32,
    /// Attempts since the line was up.
    attempts: u32,
    /// When the next attempt is due; infinite while a socket is there.
    due: f64,
    /// Since when it is not up.
    down_since: f64,
    /// When something was heard last.
    heard: f64,
    /// By when an answer to our ping must be here.
    answer_by: Option<f64>,
    /// It was up before: followers of the list have missed something.
    again: bool,
}

/// Opens the line and keeps it open as long as the page lives.
pub(super) fn open(base: &str, link: RwSignal<Link>) {
    let location = window().location();
    let secure = location
        .protocol()
        .is_ok_and(|protocol| protocol == "https:");
    let scheme = if secure { "wss" } else { "ws" };
    let host = location.host().unwrap_or_default();
    with(|line| {
        line.url = format!("{scheme}://{host}{base}live");
        base.clone_into(&mut line.base);
        line.link = Some(link);
        line.handlers = Some([
            for_good(|_: Event| opened()),
            for_good(|event: MessageEvent| heard(&event)),
            for_good(|event: CloseEvent| closed(&event)),
        ]);
        line.down_since = now();
    });
    connect();
    set_interval(tick, Duration::from_secs(1));
    let _ = window().add_event_listener_with_callback("online", &for_good(|_: Event| retry()));
    let _ = document()
        .add_event_listener_with_callback("visibilitychange", &for_good(|_: Event| look_after()));
}

/// Tries again at once, unless the line is up.
pub(super) fn retry() {
    let up = with(|line| line.socket.is_some() && line.answer_by.is_none() && line.attempts == 0);
    if !up {
        connect();
    }
}

/// Once a second: pings, notices a dead link, makes the next attempt.
fn tick() {
    let now = now();
    let (dead, quiet, unnoticed) = with(|line| {
        (
            line.answer_by.is_some_and(|by| now > by),
            line.socket.is_some() && line.answer_by.is_none() && now - line.heard > QUIET,
            now - line.down_since < UNNOTICED,
        )
    });
    if dead {
        lost();
    } else if quiet {
        ping(PATIENCE);
    } else {
        connect_if_due();
    }
    if !unnoticed {
        say(|link| {
            if link == Link::Up {
                Link::Up
            } else {
                Link::Down
            }
        });
    }
}

/// The page was brought to the foreground.
fn look_after() {
    if document().hidden() {
        return;
    }
    if with(|line| line.socket.is_some()) {
        ping(PATIENCE_ON_RETURN);
    } else {
        connect();
    }
}

fn ping(patience: f64) {
    with(|line| line.answer_by = Some(now() + patience));
    send(&FromBrowser::Ping);
}

fn connect_if_due() {
    let now = now();
    if with(|line| line.socket.is_none() && now >= line.due) {
        connect();
    }
}

fn connect() {
    drop_socket();
    let url = with(|line| {
        line.attempts += 1;
        // An attempt that neither opens nor fails is given up like a ping without answer.
        line.answer_by = Some(now() + QUIET + PATIENCE);
        line.url.clone()
    });
    let Ok(socket) = WebSocket::new(&url) else {
        return lost();
    };
    with(|line| {
        if let Some([opened, heard, lost]) = &line.handlers {
            socket.set_onopen(Some(opened));
            socket.set_onmessage(Some(heard));
            socket.set_onclose(Some(lost));
        }
        line.socket = Some(socket);
    });
}

fn opened() {
    let again = with(|line| {
        line.attempts = 0;
        line.answer_by = None;
        line.heard = now();
        std::mem::replace(&mut line.again, true)
    });
    say(|_| Link::Up);
    followers::ask_all(again);
}

fn heard(event: &MessageEvent) {
    with(|line| {
        line.heard = now();
        line.answer_by = None;
    });
    let Some(text) = event.data().as_string() else {
        return;
    };
    // From bytes, as server functions read: the program holds one reader.
    match serde_json::from_slice::<FromServer>(text.as_bytes()) {
        Ok(FromServer::Pong) => {}
        Ok(FromServer::GoingAway) => lost(),
        Ok(frame) => followers::tell(&frame),
        // A newer server: what it means is in the next fresh picture.
        Err(error) => leptos::logging::warn!("a frame was not understood: {error}"),
    }
}

/// The link is gone: the next attempt is made now if it was up, else after a pause.
fn lost() {
    drop_socket();
    let now = now();
    let pause = with(|line| {
        if line.attempts == 0 {
            line.down_since = now;
        }
        line.answer_by = None;
        let pause = pause(line.attempts);
        line.due = now + pause;
        pause
    });
    set_timeout(connect_if_due, Duration::from_millis(pause.ceil() as u64));
    say(|link| {
        if link == Link::Up {
            Link::Opening
        } else {
            link
        }
    });
}

/// Milliseconds until the next attempt: none at first, then 1 to 30 seconds, doubling, with jitter so
/// that the tabs of a restarted server do not come back in one moment.
fn pause(attempts: u32) -> f64 {
    let Some(doublings) = attempts.checked_sub(1) else {
        return js_sys::Math::random() * 300.0;
    };
    let longest = (1_000.0 * 2_f64.powi(doublings.min(10) as i32)).min(LONGEST_PAUSE);
    (longest * (0.5 + js_sys::Math::random() / 2.0)).max(1_000.0)
}

/// Lets go of the socket; it says nothing from now on.
fn drop_socket() {
    if let Some(socket) = with(|line| line.socket.take()) {
        socket.set_onopen(None);
        socket.set_onmessage(None);
        socket.set_onclose(None);
        let _ = socket.close();
    }
}

fn send(frame: &FromBrowser) {
    let Some(socket) = with(|line| line.socket.clone()) else {
        return;
    };
    // What cannot be sent now is asked for again when the line is up.
    if socket.ready_state() == WebSocket::OPEN
        && let Ok(text) = serde_json::to_string(frame)
    {
        let _ = socket.send_with_str(&text);
    }
}

fn say(next: impl FnOnce(Link) -> Link) {
    if let Some(signal) = with(|line| line.link) {
        let now = signal.get_untracked();
        let next = next(now);
        if next != now {
            signal.set(next);
        }
    }
}

/// Invariant: nothing that calls back into pages runs in here.
fn with<R>(run: impl FnOnce(&mut Line) -> R) -> R {
    LINE.with_borrow_mut(run)
}
