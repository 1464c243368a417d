//! How nodes know each other: by a certificate that is made of their common secret, the same one on each.
//!
//! Both ends present it and accept no other, so a node with another secret gets no connection.

use hmac::{Hmac, KeyInit as _, Mac as _};
use rcgen::{CertificateParams, KeyPair};
use sha2::Sha256;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::watch;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{
    CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName,
};
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// The protocol between nodes. Nodes with other versions do not get a connection.
const PROTOCOL: &[u8] = b"handrail-node/1";
/// The name in the certificate.
const NAME: &str = "node.handrail";
/// What the key is made for.
const PURPOSE: &[u8] = b"handrail: key of the nodes, 1";
/// Fewest characters of a secret.
const SHORTEST: usize = 32;
/// A private key of Ed25519 (PKCS #8, RFC 8410) up to its 32 bytes.
const KEY_HEAD: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// See the module.
#[derive(Clone)]
pub struct Identity {
    server: Arc<ServerConfig>,
    client: Arc<ClientConfig>,
}

impl Identity {
    /// That of the secret in a file.
    ///
    /// # Errors
    /// A sentence: the file cannot be read, or its secret is too short.
    pub fn of_file(file: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(file)
            .map_err(|error| format!("{} cannot be read: {error}.", file.display()))?;
        let secret = text.lines().next().unwrap_or_default().trim();
        if secret.len() < SHORTEST {
            return Err(format!(
                "the secret in {} has fewer than {SHORTEST} characters. For a new one, run: openssl rand -hex 32",
                file.display()
            ));
        }
        let made = Self::of(secret);
        made.map_err(|error| format!("the certificate of the nodes cannot be made: {error}."))
    }

    fn of(secret: &str) -> Result<Self, Box<dyn std::error::Error>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())?;
        mac.update(PURPOSE);
        let key = [KEY_HEAD.as_slice(), &mac.finalize().into_bytes()].concat();
        let key = PrivatePkcs8KeyDer::from(key);
        let signing = KeyPair::try_from(&key)?;
        let certificate = CertificateParams::new(vec![NAME.to_owned()])?.self_signed(&signing)?;
        let certificate = CertificateDer::from(certificate);
        let mut known = RootCertStore::empty();
        known.add(certificate.clone())?;
        let known = Arc::new(known);
        let provider = Arc::new(ring::default_provider());
        let clients =
            WebPkiClientVerifier::builder_with_provider(Arc::clone(&known), Arc::clone(&provider));
        let key = PrivateKeyDer::from(key);
        let mut server = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()?
            .with_client_cert_verifier(clients.build()?)
            .with_single_cert(vec![certificate.clone()], key.clone_key())?;
        server.alpn_protocols = vec![PROTOCOL.to_vec()];
        let mut client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(known)
            .with_client_auth_cert(vec![certificate], key)?;
        client.alpn_protocols = vec![PROTOCOL.to_vec()];
        Ok(Self {
            server: Arc::new(server),
            client: Arc::new(client),
        })
    }

    /// Accepts connections of other nodes.
    pub fn acceptor(&self) -> watch::Receiver<TlsAcceptor> {
        watch::channel(TlsAcceptor::from(Arc::clone(&self.server))).1
    }

    /// Connects to other nodes, by this name.
    pub fn connector(&self) -> (TlsConnector, ServerName<'static>) {
        let name = ServerName::try_from(NAME).expect("a name");
        (TlsConnector::from(Arc::clone(&self.client)), name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    async fn greets(server: &Identity, client: &Identity) -> std::io::Result<[u8; 2]> {
        let (here, there) = tokio::io::duplex(4096);
        let acceptor = server.acceptor().borrow().clone();
        let answering = tokio::spawn(async move {
            let mut stream = acceptor.accept(there).await?;
            stream.write_all(b"hi").await?;
            stream.shutdown().await
        });
        let (connector, name) = client.connector();
        let mut heard = [0; 2];
        let mut stream = connector.connect(name, here).await?;
        stream.read_exact(&mut heard).await?;
        answering.await.expect("it does not panic")?;
        Ok(heard)
    }

    #[tokio::test]
    async fn only_nodes_of_one_secret_connect() {
        let one = Identity::of(&"a".repeat(SHORTEST)).expect("a certificate");
        let same = Identity::of(&"a".repeat(SHORTEST)).expect("a certificate");
        let other = Identity::of(&"b".repeat(SHORTEST)).expect("a certificate");
        assert_eq!(greets(&one, &same).await.expect("they are one"), *b"hi");
        assert!(greets(&one, &other).await.is_err());
        assert!(greets(&other, &one).await.is_err());
    }

    #[test]
    fn a_short_secret_is_refused_with_the_command_for_a_new_one() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "short\n").expect("it is written");
        let refused = Identity::of_file(file.path()).err().expect("it is short");
        assert!(refused.contains("openssl rand -hex 32"), "{refused}");
    }
}
