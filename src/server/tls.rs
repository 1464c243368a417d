//! TLS with the operator's certificates: read from files and reloaded when they change, or generated here for a
//! network without a certificate authority.

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// How often the files are checked for changes.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// Paths of a certificate and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// The certificate with its intermediates, as PEM.
    pub certificate: PathBuf,
    /// Its key, as PEM.
    pub key: PathBuf,
}

impl Files {
    /// Loads the files, and reloads them when they change. The last valid certificate stays in use.
    ///
    /// # Errors
    /// A sentence if the files cannot be used at startup.
    pub fn watch(self) -> Result<watch::Receiver<TlsAcceptor>, String> {
        let (now, newest) = watch::channel(self.read()?);
        let mut read = self.changed_at();
        tokio::spawn(async move {
            while !now.is_closed() {
                tokio::time::sleep(CHECK_INTERVAL).await;
                let changed = self.changed_at();
                if changed == read {
                    continue;
                }
                read = changed;
                match self.read() {
                    Ok(acceptor) => {
                        tracing::info!("certificate reloaded");
                        now.send_replace(acceptor);
                    }
                    Err(error) => tracing::error!(error, "cannot reload the certificate"),
                }
            }
        });
        Ok(newest)
    }

    /// Whether the files can be used.
    ///
    /// # Errors
    /// A sentence, without its full stop, that names the file.
    pub fn check(&self) -> Result<(), String> {
        self.read().map(drop)
    }

    fn read(&self) -> Result<TlsAcceptor, String> {
        let wrong = |file: &Path, error: &dyn std::fmt::Display| {
            format!("{} cannot be used: {error}", file.display())
        };
        let certificates = CertificateDer::pem_file_iter(&self.certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| wrong(&self.certificate, &error))?;
        let key =
            PrivateKeyDer::from_pem_file(&self.key).map_err(|error| wrong(&self.key, &error))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                builder
                    .with_no_client_auth()
                    .with_single_cert(certificates, key)
            })
            .map_err(|error| wrong(&self.certificate, &error))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }

    fn changed_at(&self) -> [Option<SystemTime>; 2] {
        [&self.certificate, &self.key]
            .map(|file| fs::metadata(file).and_then(|about| about.modified()).ok())
    }
}

/// Paths of the generated authority, certificate and key, in the data directory.
pub fn own_files(data_dir: &Path) -> (PathBuf, Files) {
    let folder = data_dir.join("tls");
    let files = Files {
        certificate: folder.join("certificate.pem"),
        key: folder.join("key.pem"),
    };
    (folder.join("authority.pem"), files)
}

/// Generates an authority, and a certificate for these names and addresses. The authority's key is discarded, so
/// nobody can issue a second certificate that the devices trust, even with access to all our files.
///
/// # Errors
/// A sentence that says what failed.
pub fn init(data_dir: &Path, names: &[String]) -> Result<String, String> {
    let (authority_file, files) = own_files(data_dir);
    let folder = authority_file.parent().unwrap_or(data_dir);
    let failed = |error: &dyn std::fmt::Display| format!("the certificate cannot be made: {error}");
    let mut about = CertificateParams::default();
    about.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    about.key_usages = vec![
        KeyUsagePurpose::KeyCertSign,
        KeyUsagePurpose::DigitalSignature,
    ];
    about
        .distinguished_name
        .push(DnType::CommonName, format!("Handrail of {}", names[0]));
    let key = KeyPair::generate().map_err(|error| failed(&error))?;
    let authority = about.self_signed(&key).map_err(|error| failed(&error))?;
    let issuer = Issuer::from_params(&about, &key);
    let mut about = CertificateParams::new(names.to_vec()).map_err(|error| failed(&error))?;
    about
        .distinguished_name
        .push(DnType::CommonName, names[0].clone());
    let key = KeyPair::generate().map_err(|error| failed(&error))?;
    let certificate = about
        .signed_by(&key, &issuer)
        .map_err(|error| failed(&error))?;
    // The data folder may not be there yet.
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| failed(&error))?;
    write(&authority_file, &authority.pem(), 0o644).map_err(|error| failed(&error))?;
    write(&files.certificate, &certificate.pem(), 0o644).map_err(|error| failed(&error))?;
    write(&files.key, &key.serialize_pem(), 0o600).map_err(|error| failed(&error))?;
    Ok(steps(&authority_file, names))
}

/// Instructions for the next steps.
fn steps(authority: &Path, names: &[String]) -> String {
    format!(
        "Made a certificate for {}.\n\n\
         1. Start Handrail with --tls.\n\
         2. Copy {} to each device, by mail or cable, and trust it there:\n   \
            iPhone, iPad: open it, then Settings, Profile Downloaded, Install; then General, About, Certificate Trust Settings.\n   \
            Android: Settings, Security, Encryption and credentials, Install a certificate, CA certificate.\n   \
            Windows: open it, Install, into Trusted Root Certification Authorities. macOS: open it, Always Trust.\n   \
            Firefox on any of them: Settings, Certificates, Authorities, Import.\n\
         3. Open https://{}:4100",
        names.join(", "),
        authority.display(),
        names[0]
    )
}

fn write(file: &Path, text: &str, mode: u32) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options.open(file)?.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_was_made_can_be_served_and_its_key_is_private() {
        let folder = tempfile::TempDir::new().unwrap();
        let data = folder.path().join("data");
        let steps = init(&data, &["box.lan".to_owned(), "192.0.2.7".to_owned()]).unwrap();
        assert!(steps.contains("https://box.lan:4100"), "{steps}");
        let (authority, files) = own_files(&data);
        assert!(
            fs::read_to_string(authority)
                .unwrap()
                .contains("BEGIN CERTIFICATE")
        );
        assert!(files.read().is_ok());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            for (path, mode) in [(&files.key, 0o600), (&data, 0o700)] {
                let about = fs::metadata(path).unwrap();
                assert_eq!(about.permissions().mode() & 0o777, mode);
            }
        }
        fs::write(&files.key, "nonsense").unwrap();
        assert!(files.read().err().unwrap().contains("key.pem"));
    }
}
