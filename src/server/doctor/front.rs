//! The public address: what a proxy in front of the server does with requests, WebSockets and streams.

use super::{Finding, Good, Note, Wrong};
use crate::server::config::Config;
use crate::server::front_check::{END, LENGTH, PAUSE, Seen, file};
use crate::server::reasons;
use crate::server::tls::own_files;
use rand::distr::{Alphanumeric, SampleString as _};
use reqwest::{Client, StatusCode, header};
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt as _;
use tokio::time::timeout;
use url::Url;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(8);
/// Largest answer, in bytes.
const LARGEST: usize = 64 << 10;

/// The file that shows the server who asks. It is deleted when this is dropped.
struct Pass(PathBuf);

impl Drop for Pass {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// What the way from the public address to the server does, in up to three findings.
pub async fn examine(config: &Config, url: &Url) -> Vec<Finding> {
    match examined(config, url).await {
        Ok(findings) => findings,
        Err(finding) => vec![finding],
    }
}

async fn examined(config: &Config, url: &Url) -> Result<Vec<Finding>, Finding> {
    let mut base = url.clone();
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    let client = client(config).map_err(|error| Wrong(reasons(&error)))?;
    let alive = base
        .join("healthz")
        .map_err(|error| Wrong(error.to_string()))?;
    let (status, text) = text_of(&client, &alive).await?;
    if status == StatusCode::MISDIRECTED_REQUEST {
        let name = base.host_str().unwrap_or_default();
        return Err(Wrong(format!(
            "Handrail does not accept the host name that reaches it. Start it with --allow-host {name}"
        )));
    }
    if status != StatusCode::OK || text != "ok" {
        return Err(Wrong(format!(
            "{alive} is not answered by Handrail, but with {status}. Does the proxy pass the whole path on, and is it that of --base?"
        )));
    }
    let name = Alphanumeric.sample_string(&mut rand::rng(), LENGTH);
    let pass = Pass(file(&config.data_dir, &name));
    fs::write(&pass.0, "").map_err(|error| {
        Wrong(format!(
            "this user cannot write to {}, which is how the server knows who asks: {error}. Run the command as the server's user",
            config.data_dir.display()
        ))
    })?;
    let check = base.join(&format!("doctor/{name}"));
    let check = check.map_err(|error| Wrong(error.to_string()))?;
    let (seen, collects) = seen(&client, &check).await?;
    let mut findings = vec![headers(&base, &seen), socket(&client, &base, &check).await];
    findings.push(match collects {
        true => Note(
            "the proxy holds answers back until they are whole, so large exports begin late. Turn its buffering off (nginx: proxy_buffering off)"
                .to_owned(),
        ),
        false => Good("answers arrive as they are sent".to_owned()),
    });
    Ok(findings)
}

/// A client that asks like a browser, and trusts the server's own certificate authority.
fn client(config: &Config) -> reqwest::Result<Client> {
    let mut builder = Client::builder()
        .http1_only()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(PATIENCE);
    let (authority, _) = own_files(&config.data_dir);
    if let Ok(own) = fs::read(authority)
        && let Ok(own) = reqwest::Certificate::from_pem(&own)
    {
        builder = builder.add_root_certificate(own);
    }
    builder.build()
}

async fn text_of(client: &Client, url: &Url) -> Result<(StatusCode, String), Finding> {
    let unreachable = |error: reqwest::Error| {
        Wrong(format!(
            "{url} cannot be reached from this machine: {} Is the name right, does the proxy run, and is its certificate trusted here?",
            reasons(&error)
        ))
    };
    let mut answer = client.get(url.clone()).send().await.map_err(unreachable)?;
    let mut body = Vec::new();
    while let Some(part) = answer.chunk().await.map_err(unreachable)? {
        body.extend_from_slice(&part);
        if body.len() > LARGEST {
            break;
        }
    }
    let text = String::from_utf8_lossy(&body).trim().to_owned();
    Ok((answer.status(), text))
}

/// What reaches the server, and whether something on the way collects what it sends.
async fn seen(client: &Client, url: &Url) -> Result<(Seen, bool), Finding> {
    let broken =
        |error: reqwest::Error| Wrong(format!("the answer breaks off: {}", reasons(&error)));
    let mut answer = client.get(url.clone()).send().await.map_err(broken)?;
    if answer.status() != StatusCode::OK {
        return Err(Wrong(format!(
            "the Handrail there answers with {}: it uses another data folder, or is of another version. Give its own --data-dir",
            answer.status()
        )));
    }
    let (mut body, mut first) = (Vec::new(), None);
    while let Some(part) = answer.chunk().await.map_err(broken)? {
        first.get_or_insert_with(Instant::now);
        body.extend_from_slice(&part);
        if body.len() > LARGEST {
            break;
        }
    }
    let collects = first.is_none_or(|first| first.elapsed() < PAUSE / 2);
    let text = String::from_utf8_lossy(&body);
    let seen = serde_json::from_str(text.trim_end_matches(END)).map_err(|_| {
        Wrong("something on the way changes answers: it must not rewrite them".to_owned())
    })?;
    Ok((seen, collects))
}

/// Whether the headers tell the server how it was reached.
fn headers(url: &Url, seen: &Seen) -> Finding {
    let is_https = url.scheme() == "https";
    let public = url[url::Position::BeforeHost..url::Position::AfterPort].to_owned();
    let host = seen.forwarded_host.as_ref().unwrap_or(&seen.host);
    let is_base = url.path() == seen.base;
    match seen {
        _ if !is_base => Wrong(format!(
            "Handrail's pages are below {}, and this address below {}. Start it with --base {}",
            seen.base,
            url.path(),
            url.path()
        )),
        Seen { is_direct: true, is_trusted: false, .. } if seen.secure == is_https && *host == public => {
            Good("no proxy is in between".to_owned())
        }
        Seen { is_trusted: false, peer, .. } => Wrong(format!(
            "the proxy at {peer} is not trusted: everybody counts as that address, and TLS as none. Start Handrail with --trusted-proxy {peer}"
        )),
        Seen { says_for: false, .. } => Wrong(
            "the proxy does not send X-Forwarded-For: everybody counts as one address, and one person's wrong passwords lock all. Let it send the header"
                .to_owned(),
        ),
        Seen { secure, .. } if *secure != is_https => Wrong(format!(
            "the proxy does not send X-Forwarded-Proto: {}, so that pages of this address are taken for foreign ones. Let it send the header",
            url.scheme()
        )),
        _ if !host.eq_ignore_ascii_case(&public) => Wrong(format!(
            "the proxy sends the Host {host} in place of {public}, so that pages of this address are taken for foreign ones. Let it pass Host on, or send X-Forwarded-Host"
        )),
        Seen { forwarded_host: Some(_), .. } if seen.host != *host => Good(format!(
            "the proxy replaces Host, and passes it on in X-Forwarded-Host, with address and scheme; its address is {}",
            seen.peer
        )),
        _ => Good(format!(
            "the proxy passes Host, address and scheme on; its address is {}",
            seen.peer
        )),
    }
}

/// Whether a WebSocket gets through.
async fn socket(client: &Client, base: &Url, url: &Url) -> Finding {
    let request = client
        .get(url.clone())
        .header(header::ORIGIN, base.origin().ascii_serialization())
        .header(header::CONNECTION, "Upgrade")
        .header(header::UPGRADE, "websocket")
        .header(header::SEC_WEBSOCKET_VERSION, "13")
        .header(header::SEC_WEBSOCKET_KEY, "aGFuZHJhaWwgZG9jdG9yIQ==");
    let advice = "pages would not become live. Let it pass Upgrade and Connection on (nginx: proxy_http_version 1.1 and the two headers)";
    let answer = match request.send().await {
        Ok(answer) => answer,
        Err(error) => {
            return Wrong(format!(
                "no WebSocket gets through: {} {advice}",
                reasons(&error)
            ));
        }
    };
    match answer.status() {
        StatusCode::SWITCHING_PROTOCOLS => {}
        StatusCode::FORBIDDEN => {
            let text = answer.text().await.unwrap_or_default();
            return Wrong(format!(
                "no WebSocket gets through: {}",
                text.trim().trim_end_matches('.')
            ));
        }
        status => {
            return Wrong(format!(
                "the proxy does not pass WebSockets on ({status}): {advice}"
            ));
        }
    }
    let Ok(mut upgraded) = answer.upgrade().await else {
        return Wrong(format!("the proxy closes WebSockets at once: {advice}"));
    };
    let mut frame = [0; 6];
    match timeout(PATIENCE, upgraded.read_exact(&mut frame)).await {
        Ok(Ok(_)) if frame.ends_with(b"here") => Good("WebSockets get through".to_owned()),
        _ => Wrong(format!("nothing comes through a WebSocket: {advice}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(url: &str, seen: Seen) -> String {
        match headers(&url.parse().expect("an address"), &seen) {
            Good(text) | Note(text) | Wrong(text) => text,
        }
    }

    #[test]
    fn each_header_that_a_proxy_leaves_out_has_its_sentence() {
        let good = Seen {
            host: "box.lan".to_owned(),
            peer: "10.0.0.2".to_owned(),
            is_trusted: true,
            says_for: true,
            secure: true,
            base: "/".to_owned(),
            ..Seen::default()
        };
        let url = "https://box.lan/";
        assert!(said(url, good.clone()).contains("passes Host, address and scheme on"));
        let stranger = Seen {
            is_trusted: false,
            ..good.clone()
        };
        assert!(said(url, stranger).contains("--trusted-proxy 10.0.0.2"));
        let silent = Seen {
            says_for: false,
            ..good.clone()
        };
        assert!(said(url, silent).contains("X-Forwarded-For"));
        let plain = Seen {
            secure: false,
            ..good.clone()
        };
        assert!(said(url, plain).contains("X-Forwarded-Proto: https"));
        let renamed = Seen {
            host: "127.0.0.1:4100".to_owned(),
            ..good.clone()
        };
        assert!(said(url, renamed.clone()).contains("Let it pass Host on"));
        let forwarded = Seen {
            forwarded_host: Some("box.lan".to_owned()),
            ..renamed
        };
        assert!(said(url, forwarded).contains("in X-Forwarded-Host"));
        assert!(said("https://box.lan/tools/", good).contains("--base /tools/"));
    }
}
