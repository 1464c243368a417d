//! The files that options name, the certificate, and the services that Handrail talks to.

use super::{Finding, Good, Note, Wrong};
use crate::backend::{Backend, BackendError, Permit, Probe, Protocol};
use crate::hub::{Backends as _, Target};
use crate::journal::{Glance, JournalError};
use crate::server::backends::Backends;
use crate::server::config::Config;
use crate::server::metrics_readers::Readers;
use crate::server::openid::OpenId;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long a service may take.
const PATIENCE: Duration = Duration::from_secs(8);
/// The push services of the common browsers.
const PUSH: [&str; 3] = [
    "fcm.googleapis.com",
    "updates.push.services.mozilla.com",
    "web.push.apple.com",
];
/// Days before its end in which a certificate is worth a note.
const SOON: i32 = 14;

/// Whether the files with secrets can be read.
pub fn files(config: &Config) -> Finding {
    let keys = config.keys().map(drop);
    let token = Readers::new(config.metrics_token_file.as_deref()).map(drop);
    let openid = OpenId::of(&config.openid).map(drop);
    match keys.and(token).and(openid) {
        Ok(()) => Good("all files that the options name can be read".to_owned()),
        Err(text) => Wrong(format!(
            "{} Correct the option, or let this user read the file",
            text.trim()
        )),
    }
}

/// Whether the certificate can be served, and for how long.
pub fn tls(config: &Config) -> Finding {
    let Some(files) = config.certificate() else {
        return match config.listen.ip().is_loopback() {
            true => Good("not used; this machine only".to_owned()),
            false => Note(
                "not used: behind a proxy with TLS that is right; without one, passwords travel in clear text and phones get no notifications. See handrail tls init"
                    .to_owned(),
            ),
        };
    };
    if let Err(text) = files.check() {
        return Wrong(format!(
            "{text}. Create a certificate with handrail tls init, or correct --tls-certificate and --tls-key"
        ));
    }
    match days_left(&files.certificate) {
        Some(days) if days < 0 => Wrong(format!(
            "the certificate in {} has expired. Renew it; it is loaded without a restart",
            files.certificate.display()
        )),
        Some(days) if days < SOON => {
            Note(format!("the certificate expires in {days} days. Renew it"))
        }
        Some(days) => Good(format!("the certificate is good for {days} more days")),
        None => Good("the certificate can be served".to_owned()),
    }
}

/// Days until the first certificate of a file expires; `None` if that cannot be told here.
fn days_left(certificate: &std::path::Path) -> Option<i32> {
    #[cfg(target_os = "linux")]
    {
        use openssl::{asn1::Asn1Time, x509::X509};
        let certificate = X509::from_pem(&std::fs::read(certificate).ok()?).ok()?;
        let left = Asn1Time::days_from_now(0)
            .ok()?
            .diff(certificate.not_after())
            .ok()?;
        Some(if left.secs < 0 {
            left.days.min(-1)
        } else {
            left.days
        })
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Whether each backend responds, and what it is.
pub async fn backends(
    config: &Config,
    glance: &Result<Option<Glance>, JournalError>,
) -> Vec<Finding> {
    let backends = config.keys().and_then(|keys| {
        Backends::new(&config.backend, keys, &config.rehearsal, Permit::default())
    });
    let backends = match backends {
        Ok(backends) => backends,
        Err(text) => return vec![Wrong(text.trim_end_matches('.').to_owned())],
    };
    let mut targets = backends.fixed();
    if targets.is_empty()
        && let Ok(Some(glance)) = glance
        && let Some(kept) = &glance.backends
    {
        targets = serde_json::from_str(kept).unwrap_or_default();
    }
    let mut findings = Vec::new();
    for target in targets.iter().filter(|target| !target.rehearsal) {
        let probed = timeout(PATIENCE, probe(&backends, target)).await;
        let label = target.label();
        findings.push(match probed {
            Ok(Ok((backend, probe))) => described(&label, backend.as_ref(), &probe),
            Ok(Err(error)) => Wrong(format!("{label}: {}", advice(&error))),
            Err(_) => Wrong(format!(
                "{label}: it does not answer within {} seconds. Is it running, and is the address right?",
                PATIENCE.as_secs()
            )),
        });
    }
    if findings.is_empty() {
        findings.push(Note(
            "none: the rehearsal is used, with agents that execute nothing. Give the address of an OpenHands with --backend"
                .to_owned(),
        ));
    }
    findings
}

async fn probe(
    backends: &Backends,
    target: &Target,
) -> Result<(Arc<dyn Backend>, Probe), BackendError> {
    // Which protocol it speaks is found out anew.
    let unknown = Target {
        protocol: None,
        ..target.clone()
    };
    let backend = backends.connect(&unknown).await?;
    let probe = backend.probe().await?;
    Ok((backend, probe))
}

fn described(label: &str, backend: &dyn Backend, probe: &Probe) -> Finding {
    let version = probe.version.as_deref().unwrap_or("of an unknown version");
    let dialect = match backend.protocol() {
        Protocol::SocketIo => "0.x",
        Protocol::AgentServer => "agent-server 1.x",
        Protocol::AppServer => "app server",
    };
    let text = format!(
        "{label}: {} {version} ({dialect}), answers within {} ms",
        probe.product, probe.millis
    );
    match &probe.lacking {
        None => Good(text),
        Some(lacking) => Wrong(format!("{text}. {}", lacking.trim_end_matches('.'))),
    }
}

fn advice(error: &BackendError) -> String {
    let what = match error {
        BackendError::Unreachable(_) | BackendError::Timeout(_) => {
            ". Is it running, and is the address right as seen from this machine?"
        }
        BackendError::Unauthorized => {
            ". Put its session API key into a file and add --backend-key-file FILE"
        }
        _ => "",
    };
    format!("{error}{what}")
}

/// Whether the push services of browsers can be reached.
pub async fn push() -> Vec<Finding> {
    let mut findings = Vec::new();
    for host in PUSH {
        let connected = timeout(PATIENCE, TcpStream::connect((host, 443))).await;
        findings.push(match connected {
            Ok(Ok(_)) => Good(format!("{host} can be reached")),
            _ => Note(format!(
                "{host} cannot be reached, so its browsers get no notifications. Allow the connection, or use an ntfy server of your own with --push-host"
            )),
        });
    }
    findings
}
