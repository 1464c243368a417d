//! Keeps one WebSocket open: frames, pings, and reconnecting after every kind of loss.
//!
//! A dead connection is noticed within ten seconds, or at once when the page returns to the foreground. The
//! first reconnect is immediate, later ones come after 1 to 30 seconds with jitter. The socket
//! lives in a thread-local: there is one per tab, and JavaScript values cannot be in shared state.
//!
//! Long because every event of the socket changes the same state.

mod ending;
mod followers;

pub use followers::ListChange;
pub(super) use followers::{follow, follow_again, follow_list, unfollow};

use super::{
    browser::{for_good, now},
    me::is_kept_copy,
};
use crate::api::{FromBrowser, FromServer, read};
use ending::closed;
use followers::Follower;
use js_sys::Function;
use leptos::prelude::*;
use std::{cell::RefCell, time::Duration};
use web_sys::{CloseEvent, Event, MessageEvent, WebSocket};

/// Silence after which a ping is sent, in milliseconds.
const QUIET: f64 = 4_000.0;

/// Time limit for the pong: with [`QUIET`], and two ticks of a second, below ten seconds.
const PONG_TIMEOUT: f64 = 3_500.0;

/// Time limit for the pong when the page returns to the foreground: four round trips, within these bounds. A phone's
/// connection is often dead then, and on a fast network the page has to be current within half a second.
const PONG_TIMEOUT_ON_RETURN: [f64; 2] = [100.0, 2_000.0];

/// How long a loss is not shown while the browser has a network, in milliseconds.
const UNNOTICED: f64 = 3_000.0;

/// Least pause between two reports of input, in milliseconds.
const INPUT_PAUSE: f64 = 5_000.0;

/// Longest pause between two attempts, in milliseconds.
const LONGEST_PAUSE: f64 = 30_000.0;

/// How long frames are gathered after some were shown. A busy agent sends hundreds a second, and the page costs less and
/// stays responsive if those of a moment are shown together.
const GATHERING: Duration = Duration::from_millis(16);

/// State of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Link {
    /// Not open yet, or lost a moment ago: not shown.
    #[default]
    Opening,
    /// Open.
    Up,
    /// Lost for long enough to tell the user.
    Down,
}

thread_local! {
    static CONNECTION: RefCell<LiveConnection> = RefCell::new(LiveConnection::default());
}

#[derive(Default)]
struct LiveConnection {
    /// Base path of the app.
    base: String,
    url: String,
    link: Option<RwSignal<Link>>,
    /// Callbacks of every socket: open, message, close.
    handlers: Option<[Function; 3]>,
    socket: Option<WebSocket>,
    followers: Vec<Follower>,
    next_follower: u32,
    /// Attempts since the connection was last open.
    attempts: u32,
    /// Time of the next attempt, milliseconds since the Unix epoch; infinite while there is a socket.
    due: f64,
    /// Time since which it is not open, milliseconds since the Unix epoch.
    down_since: f64,
    /// Time of the last frame, milliseconds since the Unix epoch.
    last_frame_at: f64,
    /// Deadline for the pong to our ping, milliseconds since the Unix epoch.
    answer_by: Option<f64>,
    /// Time of the last ping, milliseconds since the Unix epoch.
    asked: f64,
    /// Duration of the last round trip, in milliseconds.
    round_trip: f64,
    /// Frames that are not shown yet.
    waiting: Vec<FromServer>,
    /// Frames were shown a moment ago: those that arrive now wait for [`GATHERING`].
    gathering: bool,
    /// It was open before: followers of the list have missed changes.
    again: bool,
    /// Time of the last report of input, milliseconds since the Unix epoch.
    attended: f64,
}

/// Opens the connection and keeps it open as long as the page lives. The page was drawn at `drawn_at`.
pub(super) fn open(base: &str, drawn_at: i64, link: RwSignal<Link>) {
    let is_kept = is_kept_copy();
    let location = window().location();
    let secure = location
        .protocol()
        .is_ok_and(|protocol| protocol == "https:");
    let scheme = if secure { "wss" } else { "ws" };
    let host = location.host().unwrap_or_default();
    with(|connection| {
        connection.url = format!("{scheme}://{host}{base}live");
        base.clone_into(&mut connection.base);
        connection.link = Some(link);
        connection.handlers = Some([
            for_good(|_: Event| opened()),
            for_good(|event: MessageEvent| on_frame(&event)),
            for_good(|event: CloseEvent| closed(&event)),
        ]);
        connection.last_frame_at = drawn_at as f64;
        connection.down_since = if is_kept {
            connection.last_frame_at
        } else {
            now()
        };
        // The list of a kept copy has missed changes.
        connection.again = is_kept;
    });
    connect();
    if is_kept {
        set_link(|_| Link::Down);
    }
    set_interval(tick, Duration::from_secs(1));
    let _ = window().add_event_listener_with_callback("online", &for_good(|_: Event| retry()));
    let _ = window().add_event_listener_with_callback("offline", &for_good(|_: Event| check()));
    let _ = document().add_event_listener_with_callback(
        "visibilitychange",
        &for_good(|_: Event| on_foreground()),
    );
    let attended = for_good(|_: Event| attends(true));
    for input in ["pointerdown", "keydown", "scroll", "focus"] {
        // Some of these events do not bubble.
        let _ = window().add_event_listener_with_callback_and_bool(input, &attended, true);
    }
    let _ = window().add_event_listener_with_callback("blur", &for_good(|_: Event| attends(false)));
}

/// Reconnects at once, unless the connection is open.
pub(super) fn retry() {
    let up = with(|connection| {
        connection.socket.is_some() && connection.answer_by.is_none() && connection.attempts == 0
    });
    if !up {
        connect();
    }
}

/// Time of the last frame from the server.
pub(super) fn last_frame_at() -> i64 {
    with(|connection| connection.last_frame_at as i64)
}

/// Once a second: sends pings, notices a dead connection, makes the next attempt.
fn tick() {
    let now = now();
    let (dead, quiet, unnoticed) = with(|connection| {
        (
            connection.answer_by.is_some_and(|by| now > by),
            connection.socket.is_some()
                && connection.answer_by.is_none()
                && now - connection.last_frame_at > QUIET,
            now - connection.down_since < UNNOTICED,
        )
    });
    if dead {
        lost();
    } else if quiet {
        ping(PONG_TIMEOUT);
    } else {
        connect_if_due();
    }
    if !unnoticed {
        set_link(|link| {
            if link == Link::Up {
                Link::Up
            } else {
                Link::Down
            }
        });
    }
}

/// Called when the page returns to the foreground.
fn on_foreground() {
    if document().hidden() {
        return;
    }
    if with(|connection| connection.socket.is_some()) {
        check();
    } else {
        connect();
    }
}

/// Checks the connection within a few round trips.
fn check() {
    let [least, most] = PONG_TIMEOUT_ON_RETURN;
    if with(|connection| connection.socket.is_some()) {
        let timeout = with(|connection| (4.0 * connection.round_trip).clamp(least, most));
        ping(timeout);
        set_timeout(tick, Duration::from_millis(timeout as u64 + 1));
    }
}

/// Tells the server whether the person looks at this page: then they get no notifications.
fn attends(here: bool) {
    let now = now();
    let is_news = with(|connection| {
        let is_news = !here || now - connection.attended > INPUT_PAUSE;
        if is_news {
            connection.attended = if here { now } else { 0.0 };
        }
        is_news
    });
    if is_news && (!here || document().has_focus().unwrap_or_default()) {
        send(&FromBrowser::Attends { here });
    }
}

fn ping(timeout: f64) {
    with(|connection| {
        connection.asked = now();
        connection.answer_by = Some(connection.asked + timeout);
    });
    send(&FromBrowser::Ping);
}

fn connect_if_due() {
    let now = now();
    if with(|connection| connection.socket.is_none() && now >= connection.due) {
        connect();
    }
}

fn connect() {
    drop_socket();
    let url = with(|connection| {
        connection.attempts += 1;
        // An attempt that neither opens nor fails times out like a ping.
        connection.answer_by = Some(now() + QUIET + PONG_TIMEOUT);
        connection.url.clone()
    });
    let Ok(socket) = WebSocket::new(&url) else {
        return lost();
    };
    with(|connection| {
        if let Some([opened, on_frame, lost]) = &connection.handlers {
            socket.set_onopen(Some(opened));
            socket.set_onmessage(Some(on_frame));
            socket.set_onclose(Some(lost));
        }
        connection.socket = Some(socket);
    });
}

fn opened() {
    let again = with(|connection| {
        connection.attempts = 0;
        connection.answer_by = None;
        connection.last_frame_at = now();
        std::mem::replace(&mut connection.again, true)
    });
    set_link(|_| Link::Up);
    followers::ask_all(again);
}

fn on_frame(event: &MessageEvent) {
    with(|connection| {
        connection.last_frame_at = now();
        if connection.answer_by.take().is_some() {
            connection.round_trip = connection.last_frame_at - connection.asked;
        }
    });
    let Some(text) = event.data().as_string() else {
        return;
    };
    match read::<FromServer>(&text) {
        Ok(FromServer::Pong) => {}
        Ok(FromServer::GoingAway) => lost(),
        Ok(frame) => {
            let gathering = with(|connection| {
                connection.waiting.push(frame);
                connection.gathering
            });
            // Timers of a hidden page may be a minute late.
            if !gathering || document().hidden() {
                show();
            }
        }
        // From a newer server: its meaning is in the next snapshot.
        Err(error) => leptos::logging::warn!("cannot parse a frame: {error}"),
    }
}

/// Passes on the frames that wait.
fn show() {
    let (frames, first) = with(|connection| {
        let frames = std::mem::take(&mut connection.waiting);
        let first = !frames.is_empty() && !std::mem::replace(&mut connection.gathering, true);
        (frames, first)
    });
    frames.iter().for_each(followers::tell);
    if first {
        set_timeout(gathered, GATHERING);
    }
}

fn gathered() {
    with(|connection| connection.gathering = false);
    show();
}

/// The connection is lost: the next attempt is made now if it was open, else after a pause.
fn lost() {
    drop_socket();
    let now = now();
    let pause = with(|connection| {
        if connection.attempts == 0 {
            connection.down_since = now;
        }
        connection.answer_by = None;
        let pause = pause(connection.attempts);
        connection.due = now + pause;
        pause
    });
    set_timeout(connect_if_due, Duration::from_millis(pause.ceil() as u64));
    // A browser without a network will not have it back in a moment.
    let is_offline = !window().navigator().on_line();
    set_link(|link| match link {
        _ if is_offline => Link::Down,
        Link::Up => Link::Opening,
        link => link,
    });
}

/// Milliseconds until the next attempt: none at first, then 1 to 30 seconds, doubling, with jitter so
/// that the tabs of a restarted server do not all reconnect at once.
fn pause(attempts: u32) -> f64 {
    let Some(doublings) = attempts.checked_sub(1) else {
        return js_sys::Math::random() * 300.0;
    };
    let longest = (1_000.0 * 2_f64.powi(doublings.min(10) as i32)).min(LONGEST_PAUSE);
    (longest * (0.5 + js_sys::Math::random() / 2.0)).max(1_000.0)
}

/// Drops the socket and its callbacks. What it brought is shown first: a follower asks for what comes after it.
fn drop_socket() {
    show();
    if let Some(socket) = with(|connection| connection.socket.take()) {
        socket.set_onopen(None);
        socket.set_onmessage(None);
        socket.set_onclose(None);
        let _ = socket.close();
    }
}

fn send(frame: &FromBrowser) {
    let Some(socket) = with(|connection| connection.socket.clone()) else {
        return;
    };
    // A frame that cannot be sent now is sent again when the connection opens.
    if socket.ready_state() == WebSocket::OPEN
        && let Ok(text) = serde_json::to_string(frame)
    {
        let _ = socket.send_with_str(&text);
    }
}

fn set_link(next: impl FnOnce(Link) -> Link) {
    if let Some(signal) = with(|connection| connection.link) {
        let now = signal.get_untracked();
        let next = next(now);
        if next != now {
            signal.set(next);
        }
    }
}

/// Invariant: `run` never calls back into pages.
fn with<R>(run: impl FnOnce(&mut LiveConnection) -> R) -> R {
    CONNECTION.with_borrow_mut(run)
}
