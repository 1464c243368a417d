//! `/metrics`: what this server does, as OpenMetrics text; for whoever has the token, or else for this machine alone.

use super::Site;
use crate::clock::now;
use crate::hub::connection_states;
use crate::journal::RoomState;
use crate::metrics::{self, CLASSES, Text};
use axum::Extension;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;
use std::time::Instant;

/// The type of the text.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Counts a request with the time until the head of its answer.
pub async fn measure(request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let response = next.run(request).await;
    let class = usize::from(response.status().as_u16() / 100);
    let class = class.clamp(1, CLASSES.len()) - 1;
    metrics::REQUESTS[class].took(begun.elapsed());
    response
}

/// The metrics.
pub async fn text(
    State(site): State<Site>,
    peer: Option<Extension<ConnectInfo<SocketAddr>>>,
    headers: HeaderMap,
) -> Response {
    let peer = peer.map(|Extension(ConnectInfo(peer))| peer);
    if !site.metrics_readers.include(peer, &headers) {
        let text = "Metrics are for this machine, or for the token of --metrics-token-file.";
        return (StatusCode::FORBIDDEN, text).into_response();
    }
    let mut text = Text::default();
    write_server(&mut text, &site);
    write_backends(&mut text);
    write_journal(&mut text, &site).await;
    write_process(&mut text);
    ([(header::CONTENT_TYPE, OPEN_METRICS)], text.finish()).into_response()
}

fn write_server(text: &mut Text, site: &Site) {
    let version = env!("CARGO_PKG_VERSION");
    text.metric("build", "info", "The version.")
        .sample("_info", &[("version", version)], 1);
    let help = "Time until the head of the answer, by class of its status.";
    let mut requests = text.metric("http_request_duration_seconds", "histogram", help);
    for (class, histogram) in CLASSES.into_iter().zip(&metrics::REQUESTS) {
        requests.histogram(Some(("class", class)), histogram);
    }
    text.gauge(
        "live_connections",
        "Open pages with a live connection.",
        site.open_connections.len(),
    );
    text.gauge(
        "followers",
        "Readers of conversations and of the list.",
        metrics::FOLLOWERS.get(),
    );
    text.gauge(
        "follower_queue_bytes",
        "Bytes that wait for readers.",
        metrics::QUEUED.get(),
    );
    text.counter(
        "follower_gaps",
        "Readers that were too slow and began anew.",
        metrics::GAPS.get(),
    );
    text.counters(
        "notifications",
        "Ends of attempts to send a notification.",
        "end",
        &metrics::NOTICES,
    );
    text.counters(
        "backups",
        "Backups that the server made, or failed to make.",
        "end",
        &metrics::BACKUPS,
    );
    text.gauge(
        "lease_epoch",
        "How often the lease of the database was taken; 0 without nodes.",
        metrics::LEASE_EPOCH.get(),
    );
    let help = "When the server made its newest backup since it was started; 0 if it has not.";
    text.gauge(
        "last_backup_timestamp_seconds",
        help,
        metrics::LAST_BACKUP.get(),
    );
}

fn write_backends(text: &mut Text) {
    let mut states = text.metric(
        "backend_connections",
        "gauge",
        "Live connections to backends by state.",
    );
    for (state, count) in connection_states() {
        states.sample("", &[("state", state)], count);
    }
    text.counter(
        "backend_reconnects",
        "Lost live connections to backends.",
        metrics::RECONNECTS.get(),
    );
    let help = "Requests to backends that failed, by kind.";
    text.counters("backend_errors", help, "kind", &metrics::UPSTREAM_ERRORS);
}

async fn write_journal(text: &mut Text, site: &Site) {
    text.counter(
        "journal_events",
        "Events that were stored.",
        metrics::EVENTS.get(),
    );
    text.metric(
        "journal_commit_changes",
        "histogram",
        "Changes in one commit.",
    )
    .histogram(None, &metrics::GROUPS);
    let help = "Time of commits, which wait for the disk or not.";
    let mut commits = text.metric("journal_commit_duration_seconds", "histogram", help);
    commits.histogram(Some(("on_disk", "true")), &metrics::COMMITS_ON_DISK);
    commits.histogram(Some(("on_disk", "false")), &metrics::COMMITS);
    let ready = site.hub.ready().await;
    text.gauge(
        "journal_readable",
        "Whether the journal can be read.",
        u8::from(ready.journal.is_ok()),
    );
    text.gauge(
        "journal_writable",
        "Whether the journal can be written.",
        u8::from(ready.writable),
    );
    let (room, state) = site.hub.room();
    text.gauge(
        "disk_free_bytes",
        "Room on the disk of the journal.",
        room.free,
    );
    text.gauge(
        "disk_size_bytes",
        "Size of the disk of the journal.",
        room.size,
    );
    let help = "Whether the disk of the journal is nearly full (--disk-low).";
    text.gauge("disk_low", help, u8::from(state >= RoomState::Low));
    let Ok(figures) = site.hub.figures().await else {
        return;
    };
    text.gauge(
        "journal_size_bytes",
        "Size of the journal on disk.",
        figures.bytes,
    );
    text.gauge(
        "approvals_pending",
        "Conversations that wait for an approval.",
        figures.asking,
    );
    let age = figures
        .asked_at
        .map_or(0, |asked_at| (now() - asked_at).max(0));
    let help = "Age of the oldest pending approval; 0 without one.";
    text.gauge("approval_oldest_age_seconds", help, age as f64 / 1000.0);
    text.gauge(
        "notifications_waiting",
        "Notifications that are still to be sent.",
        figures.notices,
    );
}

/// What the system knows of this process; only on Linux.
fn write_process(text: &mut Text) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let resident = status.lines().find_map(|line| {
        let kilobytes = line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?;
        kilobytes.trim().parse::<u64>().ok()
    });
    if let Some(kilobytes) = resident {
        text.gauge(
            "resident_memory_bytes",
            "Resident memory of the process.",
            kilobytes * 1024,
        );
    }
    if let Ok(files) = std::fs::read_dir("/proc/self/fd") {
        text.gauge("open_files", "Open file descriptors.", files.count());
    }
}
