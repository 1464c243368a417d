//! PostgreSQL: the server, and a connection to it.
//!
//! Journal code is synchronous. One thread for all connections reads and writes their sockets, and whoever asks waits on
//! their own thread, but not longer than the limit of the server's options.
//!
//! Long because each failure of a server stands with the sentence that says what to do.

use super::dialect::Translated;
use super::{Access, Error, Meaning, Result, nul};
use crate::sync::lock;
use futures_util::SinkExt as _;
use hashlink::LruCache;
use postgres_native_tls::MakeTlsConnector;
use rusqlite::types::{Value, ValueRef};
use std::cell::{Cell, RefCell};
use std::fs;
use std::path::Path;
use std::pin::{Pin, pin};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};
use thiserror::Error as ThisError;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::{DbError, Severity, SqlState};
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Config, NoTls, SimpleQueryMessage};

/// Changes, and bytes of their values, that are sent before their outcomes are waited for.
const MOST_SENT: (usize, usize) = (256, 1 << 20);
/// Prepared statements of a connection.
const PREPARED: usize = 256;
/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(5);
/// How long a server that could not be reached is left alone.
const AGAIN: Duration = Duration::from_millis(500);
/// Longest time of a statement that converts a large database.
const LONG: Duration = Duration::from_secs(24 * 3600);
/// The server gives a connection up that has not taken what it was sent for so long.
const VANISHED: Duration = Duration::from_secs(30);
/// How long the lock of the one server is waited for, when a process takes over from another or a connection is made again.
const TAKING_OVER: Duration = Duration::from_secs(3);
/// After how many seconds of silence either side asks whether the other is there, how often, and how many times in vain.
const KEEPALIVES: (u64, u64, u32) = (15, 5, 3);
/// Rows that are read at once of a query that may be left early; more each time.
const AT_ONCE: (usize, usize) = (32, 512);
/// The lock that all changes of the database take, by which they are made one after the other.
const CHANGES: i64 = 0x6861_6e64;
/// The lock of the one server that uses the database.
const SERVING: i64 = 0x6861_6e65;
/// Why a database cannot be used that several nodes use.
const OF_NODES: &str = "nodes use this database: start this one as a node, too (--node-address), or, if none of them is there any more, \
                        start and stop one of them";
/// The oldest version, as the server writes it.
const OLDEST: i64 = 150_000;

/// The processes that have [`SERVING`].
const HOLDERS: &str =
    "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = 1751215717
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND granted";
const _: () = assert!(SERVING == 1_751_215_717);

/// The thread of all connections.
static DRIVER: LazyLock<tokio::runtime::Runtime> = LazyLock::new(|| {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime
        .worker_threads(1)
        .thread_name("database")
        .enable_all();
    runtime.build().expect("the system has a thread left")
});

/// Why an address is none.
#[derive(Debug, ThisError)]
pub enum AddressError {
    /// It cannot be read.
    #[error("the address of the database cannot be read")]
    Address(#[from] tokio_postgres::Error),
    /// A file cannot be read.
    #[error("{0} cannot be read")]
    File(String, #[source] std::io::Error),
    /// TLS cannot be used.
    #[error("TLS to the database cannot be set up")]
    Tls(#[from] native_tls::Error),
}

/// A PostgreSQL server, and how it is used.
pub struct Server {
    config: Config,
    tls: Option<MakeTlsConnector>,
    /// Connections for pages.
    pub(in crate::journal) pool: usize,
    /// How long a query may take, and how long one waits for a connection.
    pub(in crate::journal) patience: Duration,
    /// When it could last not be reached, and why: for a moment nobody tries again.
    away: Mutex<Option<(Instant, String)>>,
    /// What finds in each change that another node has the lease.
    fence: OnceLock<String>,
}

/// How long the connection of the lease waits for an answer: another one may get one.
const LEASE_PATIENCE: Duration = Duration::from_secs(2);

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

impl Server {
    /// The server at `address` (`postgres://user@host/database`), with the password in a file if one is given, at most `pool`
    /// connections for pages, and queries that take at most `patience`.
    ///
    /// Over TCP it is used with TLS, and its certificate is verified, unless the address has `sslmode=disable`;
    /// `sslrootcert=FILE` has the certificate of its authority.
    ///
    /// # Errors
    /// The address or a file cannot be read.
    pub fn new(
        address: &str,
        password_file: Option<&Path>,
        pool: usize,
        patience: Duration,
    ) -> std::result::Result<Self, AddressError> {
        let read = |path: &Path| {
            fs::read(path).map_err(|error| AddressError::File(path.display().to_string(), error))
        };
        let (base, query) = address.split_once('?').unwrap_or((address, ""));
        let (mut kept, mut authority, mut is_plain) = (Vec::new(), None, false);
        for option in query.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("sslmode", mode)) => is_plain = mode == "disable",
                Some(("sslrootcert", path)) => {
                    let path = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
                    authority = Some(read(Path::new(&*path))?);
                }
                _ => kept.push(option),
            }
        }
        let mut config: Config = format!("{base}?{}", kept.join("&")).parse()?;
        if let Some(file) = password_file {
            let text = read(file)?;
            let line = text.split(|byte| matches!(byte, b'\n' | b'\r')).next();
            config.password(line.unwrap_or_default());
        }
        let is_local = |host: &Host| !matches!(host, Host::Tcp(_));
        let is_local_only =
            config.get_hostaddrs().is_empty() && config.get_hosts().iter().all(is_local);
        let tls = match is_plain || is_local_only {
            true => None,
            false => {
                config.ssl_mode(SslMode::Require);
                let mut tls = native_tls::TlsConnector::builder();
                if let Some(authority) = authority {
                    tls.add_root_certificate(native_tls::Certificate::from_pem(&authority)?);
                }
                Some(MakeTlsConnector::new(tls.build()?))
            }
        };
        if config.get_application_name().is_none() {
            config.application_name("handrail");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECTING);
        }
        config
            .keepalives_idle(Duration::from_secs(KEEPALIVES.0))
            .keepalives_interval(Duration::from_secs(KEEPALIVES.1))
            .keepalives_retries(KEEPALIVES.2)
            .tcp_user_timeout(patience);
        Ok(Self {
            config,
            tls,
            pool,
            patience,
            away: Mutex::default(),
            fence: OnceLock::new(),
        })
    }

    /// The server as a node uses it, by whose name its connections are known.
    pub fn for_node(mut self, node: &str) -> Self {
        self.config.application_name(application(node));
        self
    }

    /// The same server for the lease, for which nobody waits long.
    pub(in crate::journal) fn for_lease(&self) -> Self {
        let mut config = self.config.clone();
        config
            .tcp_user_timeout(LEASE_PATIENCE)
            .connect_timeout(LEASE_PATIENCE);
        Self {
            config,
            tls: self.tls.clone(),
            pool: 0,
            patience: LEASE_PATIENCE,
            away: Mutex::default(),
            fence: OnceLock::new(),
        }
    }

    /// Makes each change from now on fail, unless this node holds the lease when it is made.
    pub(in crate::journal) fn fence(&self, node: &str) {
        let fence = format!(
            "; SELECT 1 / CAST(node = {} AS integer) FROM lease",
            quoted(node)
        );
        // A process has the lease once.
        let _ = self.fence.set(fence);
    }

    /// How it is called where people read it: without user and password.
    pub fn name(&self) -> String {
        let host = match self.config.get_hosts().first() {
            Some(Host::Tcp(name)) => name.clone(),
            #[cfg(unix)]
            Some(Host::Unix(path)) => path.display().to_string(),
            None => "localhost".to_owned(),
        };
        let database = self.config.get_dbname().or(self.config.get_user());
        format!("{} on {host}", database.unwrap_or("its database"))
    }

    /// Whether a node uses it, whose lease has the lock of the one server.
    fn is_fenced(&self) -> bool {
        self.fence.get().is_some()
    }

    fn connect(&self) -> Result<Client> {
        if let Some((at, why)) = &*lock(&self.away)
            && at.elapsed() < AGAIN
        {
            return Err(Failure::away(why).into());
        }
        let connected = self.try_connect();
        *lock(&self.away) = match &connected {
            Err(error) => Some((Instant::now(), error.to_string())),
            Ok(_) => None,
        };
        connected
    }

    fn try_connect(&self) -> Result<Client> {
        let (config, tls) = (self.config.clone(), self.tls.clone());
        let (told, outcome) = mpsc::channel();
        DRIVER.spawn(async move {
            let connected = match tls {
                Some(tls) => config.connect(tls).await.map(|(client, connection)| {
                    tokio::spawn(connection);
                    client
                }),
                None => config.connect(NoTls).await.map(|(client, connection)| {
                    tokio::spawn(connection);
                    client
                }),
            };
            // Whoever waited may have left.
            let _ = told.send(connected);
        });
        match outcome.recv_timeout(CONNECTING * 2) {
            Ok(connected) => Ok(connected.map_err(Failure::from)?),
            Err(_) => Err(Failure::away("the server does not answer").into()),
        }
    }
}

/// The name of the connections of a node.
fn application(node: &str) -> String {
    format!("handrail {node}")
}

/// A text as SQL.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Why an operation of a server failed, as a sentence if there is something to do about it.
#[derive(Debug, ThisError)]
#[error("{text}")]
pub(in crate::journal) struct Failure {
    pub(super) meaning: Meaning,
    /// Whether the connection has ended.
    is_lost: bool,
    text: String,
    #[source]
    source: Option<tokio_postgres::Error>,
}

impl Failure {
    fn away(text: &str) -> Self {
        Self {
            meaning: Meaning::Away,
            is_lost: true,
            text: text.to_owned(),
            source: None,
        }
    }

    fn broken(text: String) -> Self {
        Self {
            meaning: Meaning::Broken,
            is_lost: false,
            text,
            source: None,
        }
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(code) = error.code() else {
            // A value that is of another type; everything else is the connection.
            let words = error.to_string();
            let is_value = ["error serializing", "error deserializing", "invalid column"];
            let is_lost = !is_value.iter().any(|begin| words.starts_with(begin));
            let (meaning, text) = match is_lost {
                false => (Meaning::Broken, "a value cannot be sent or read"),
                true => (
                    Meaning::Away,
                    "the server cannot be reached: check that it runs, its address, and its certificate",
                ),
            };
            return Self {
                meaning,
                is_lost,
                text: text.to_owned(),
                source: Some(error),
            };
        };
        use Meaning::{Away, Broken, Full, TooSlow};
        let class = &code.code()[..2];
        let is_fatal = |error: &DbError| {
            matches!(
                error.parsed_severity(),
                Some(Severity::Fatal | Severity::Panic)
            )
        };
        let is_lost = class == "08" || error.as_db_error().is_some_and(is_fatal);
        let (meaning, text) = match code {
            code if *code == SqlState::QUERY_CANCELED => (TooSlow, "the query took too long"),
            code if *code == SqlState::DISK_FULL => (Full, "the disk of the server is full"),
            code if *code == SqlState::READ_ONLY_SQL_TRANSACTION => (
                Full,
                "the server is a read-only standby, or the database is read-only: give the address of the primary",
            ),
            code if *code == SqlState::TOO_MANY_CONNECTIONS => (
                Away,
                "the server has no connection left: lower --database-pool, or raise its max_connections",
            ),
            code if *code == SqlState::LOCK_NOT_AVAILABLE => {
                (Away, "another change takes too long")
            }
            code if *code == SqlState::CANNOT_CONNECT_NOW => {
                (Away, "the server is starting or stopping")
            }
            code if *code == SqlState::INVALID_PASSWORD
                || *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION =>
            {
                (
                    Away,
                    "the server refuses this user: check the name, the password file and pg_hba.conf",
                )
            }
            code if *code == SqlState::INVALID_CATALOG_NAME => (
                Broken,
                "the server has no database of this name: create it, with ENCODING 'UTF8'",
            ),
            code if *code == SqlState::INSUFFICIENT_PRIVILEGE => (
                Broken,
                "the user lacks rights: it needs CREATE on the database, or has to own the schema handrail",
            ),
            // Nothing else divides by nothing.
            code if *code == SqlState::DIVISION_BY_ZERO => {
                (Away, "another node has taken over from this one")
            }
            // Connection exceptions, and a server that was told to end.
            _ if matches!(class, "08" | "57") => (Away, "the server has ended the connection"),
            _ => (Broken, "the server refuses it"),
        };
        Self {
            meaning,
            is_lost,
            text: text.to_owned(),
            source: Some(error),
        }
    }
}

/// Changes that a connection has sent without waiting for their outcome.
#[derive(Default)]
struct Sent {
    outcomes: Vec<Pin<Box<dyn Future<Output = Answered<u64>> + Send>>>,
    /// Bytes of their values.
    bytes: usize,
}

/// What a server has answered.
type Answered<T> = std::result::Result<T, tokio_postgres::Error>;

/// A connection to a server, which is made again when it was lost.
pub(in crate::journal) struct Session {
    server: Arc<Server>,
    access: Access,
    client: Arc<Client>,
    sent: RefCell<Sent>,
    prepared: RefCell<LruCache<String, tokio_postgres::Statement>>,
    /// The limit of a query that the server was told.
    limit: Duration,
    /// Whether it cannot be used any more.
    is_lost: Cell<bool>,
    /// Whether a statement of the transaction has failed: then it cannot be committed.
    has_failed: Cell<bool>,
    /// The version of the schema that it serves, and the process that got the lock of the one server that uses the database.
    serves: Option<(i64, i32)>,
    streams: Cell<u32>,
    /// How often the connection was made.
    pub(super) generation: u32,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.server.fmt(f)
    }
}

impl Session {
    pub(super) fn new(server: &Arc<Server>, access: Access) -> Result<Self> {
        let mut session = Self {
            client: Arc::new(server.connect()?),
            sent: RefCell::default(),
            server: Arc::clone(server),
            access,
            prepared: RefCell::new(LruCache::new(PREPARED)),
            limit: server.patience,
            is_lost: Cell::new(false),
            has_failed: Cell::new(false),
            serves: None,
            streams: Cell::new(0),
            generation: 0,
        };
        session.set_up()?;
        Ok(session)
    }

    fn set_up(&mut self) -> Result<()> {
        let limit = self.limit.as_millis();
        let (idle, interval, count) = KEEPALIVES;
        // Who waits for a lock is told so, before a statement of that time is ended.
        let lock_limit = (limit / 2).max(1);
        let unanswered = self.server.patience.min(VANISHED).as_millis();
        self.batch(&format!(
            "SET search_path = handrail, pg_catalog; SET statement_timeout = {limit}; SET lock_timeout = {lock_limit};
             SET standard_conforming_strings = on; SET jit = off; SET plan_cache_mode = force_custom_plan;
             SET idle_in_transaction_session_timeout = '5min'; SET idle_session_timeout = 0; SET synchronous_commit = on;
             SET tcp_keepalives_idle = {idle}; SET tcp_keepalives_interval = {interval}; SET tcp_keepalives_count = {count};
             SET tcp_user_timeout = {unanswered}"
        ))?;
        if let Some((version, former)) = self.serves {
            self.serve_again(version, former)?;
        }
        Ok(())
    }

    /// Makes the connection anew.
    fn reconnect(&mut self) -> Result<()> {
        self.prepared.borrow_mut().clear();
        self.sent.take();
        self.client = Arc::new(self.server.connect()?);
        self.generation += 1;
        self.is_lost.set(false);
        self.has_failed.set(false);
        let set_up = self.set_up();
        if set_up.is_err() {
            self.is_lost.set(true);
        }
        set_up
    }

    /// Takes the lock of the one server that uses the database, as long as the connection lasts, to serve a schema of this
    /// version.
    pub(in crate::journal) fn serve(&mut self, version: i64) -> Result<()> {
        if self.server.is_fenced() {
            return Ok(());
        }
        self.lock_serving()?;
        self.serves = Some((version, self.process()?));
        Ok(())
    }

    /// Whether nodes use the database, of which one has not given the lease back.
    fn is_of_nodes(&self) -> Result<bool> {
        let exists = self.words("SELECT to_regclass('handrail.lease') IS NOT NULL")?;
        Ok(exists == ["t"] && self.words("SELECT is_released FROM lease")? == ["0"])
    }

    /// The connection's process at the server.
    fn process(&self) -> Result<i32> {
        let found = self.words("SELECT pg_backend_pid()")?;
        Ok(found[0].parse().unwrap_or_default())
    }

    /// Waits a while for the lock of the one server, which nodes do not leave to others.
    pub(in crate::journal) fn lock_serving(&self) -> Result<()> {
        if self.server.is_fenced() {
            return Ok(());
        }
        self.lock_serving_as_node()?;
        if self.is_of_nodes()? {
            self.unlock_serving()?;
            return Err(Failure::away(OF_NODES).into());
        }
        Ok(())
    }

    /// Waits a while for the lock of the one server.
    pub(super) fn lock_serving_as_node(&self) -> Result<()> {
        let until = Instant::now() + TAKING_OVER;
        while !self.try_lock_serving()? {
            if Instant::now() >= until {
                let text = "another Handrail uses this database: stop that one, or give this one a database of its own. If its \
                            machine has vanished, the server notices that within a minute";
                return Err(Failure::away(text).into());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }

    /// Takes the lock of the one server if nobody has it.
    pub(super) fn try_lock_serving(&self) -> Result<bool> {
        let locked = self.words(&format!("SELECT pg_try_advisory_lock({SERVING})"))?;
        Ok(locked == ["t"])
    }

    /// Ends all connections of a node.
    pub(super) fn end_connections_of(&self, node: &str) -> Result<()> {
        let sql = format!(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
             WHERE application_name = {} AND datname = current_database() AND pid <> pg_backend_pid()",
            quoted(&application(node))
        );
        self.words(&sql).map(drop)
    }

    /// Gives the lock of the one server back, as often as it was taken.
    pub(in crate::journal) fn unlock_serving(&self) -> Result<()> {
        if self.server.is_fenced() {
            return Ok(());
        }
        self.words(&format!("SELECT pg_advisory_unlock({SERVING})"))
            .map(drop)
    }

    /// The same for a connection that was made again. Its former process at the server may not know yet that nobody is there.
    fn serve_again(&mut self, version: i64, former: i32) -> Result<()> {
        self.words(&format!(
            "SELECT count(pg_terminate_backend(pid)) FROM ({HOLDERS} AND pid = {former}) AS holders"
        ))?;
        self.lock_serving()?;
        let found = self.words("SELECT version FROM schema_version")?;
        if found != [version.to_string()] {
            self.unlock_serving()?;
            let text = "another version of Handrail has converted the database: start that one in place of this one";
            return Err(Failure::broken(text.to_owned()).into());
        }
        self.serves = Some((version, self.process()?));
        Ok(())
    }

    /// What the server is, in numbers and words: it can be used, or an error says why not.
    pub(in crate::journal) fn check(&self) -> Result<String> {
        let sql = Translated {
            sql: "SELECT CAST(current_setting('server_version_num') AS bigint), current_setting('server_version'),
                    current_setting('server_encoding'), pg_is_in_recovery()"
                .to_owned(),
            names: Vec::new(),
        };
        let mut rows = self.query(&sql, Vec::new(), false)?;
        let row = rows.next()?.ok_or(Error::NoRows)?;
        let (number, version) = (value_of(row, 0)?.as_i64()?, value_of(row, 1)?.as_str()?);
        let encoding = value_of(row, 2)?.as_str()?;
        if number < OLDEST {
            let text = format!("the server is PostgreSQL {version}: Handrail needs 15 or newer");
            return Err(Failure::broken(text).into());
        }
        if encoding != "UTF8" {
            let text = format!(
                "the database has the encoding {encoding}: create one with ENCODING 'UTF8' TEMPLATE template0"
            );
            return Err(Failure::broken(text).into());
        }
        if self.access == Access::Write && value_of(row, 3)?.as_i64()? == 1 {
            let text = "the server is a read-only standby: give the address of the primary";
            return Err(Failure::broken(text.to_owned()).into());
        }
        Ok(version.to_owned())
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_lost.get() || self.client.is_closed()
    }

    /// Waits for an answer of the server, and for those to what was sent before: if one of them is an error, it is returned.
    fn wait<T>(&self, asked: impl Future<Output = Answered<T>>) -> Result<T> {
        let sent = self.sent.take().outcomes;
        let answers = async {
            let answer = asked.await;
            for earlier in sent {
                earlier.await?;
            }
            answer
        };
        // The server gives up first, and says so.
        let answer = match wait(answers, self.limit.max(self.server.patience) + CONNECTING) {
            Some(answer) => answer.map_err(Failure::from),
            None => Err(Failure::away("the server does not answer")),
        };
        answer.map_err(|failure| {
            self.has_failed.set(true);
            if failure.is_lost {
                self.is_lost.set(true);
            }
            failure.into()
        })
    }

    /// The values of the last row that simple statements find, as texts.
    fn words(&self, sql: &str) -> Result<Vec<String>> {
        let messages = self.wait(self.client.simple_query(sql))?;
        let row = messages.iter().rev().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => Some(row),
            _ => None,
        });
        let row = row.ok_or(Error::NoRows)?;
        let words = (0..row.len()).map(|column| row.get(column).unwrap_or_default().to_owned());
        Ok(words.collect())
    }

    pub(super) fn batch(&self, sql: &str) -> Result<()> {
        if sql.starts_with("ROLLBACK") {
            // Whether it succeeded makes no difference any more.
            self.sent.take();
        }
        self.wait(self.client.batch_execute(sql))?;
        if sql.starts_with("ROLLBACK") {
            self.has_failed.set(false);
        }
        Ok(())
    }

    /// Begins a transaction; on a connection that was lost, after it was made again.
    fn begin(&mut self, with: &str) -> Result<()> {
        if self.is_closed() {
            self.reconnect()?;
        }
        let mut begun = self.batch(with);
        if begun.is_err() && self.is_closed() {
            self.reconnect()?;
            begun = self.batch(with);
        }
        if begun.is_err() {
            // The server has begun it, and takes nothing else before it ends.
            self.undo();
        }
        begun
    }

    /// Ends a transaction whatever it has come to, or gives the connection up.
    fn undo(&self) {
        if !self.is_closed() && self.batch("ROLLBACK").is_err() {
            self.is_lost.set(true);
        }
    }

    pub(super) fn begin_change(&mut self) -> Result<()> {
        self.has_failed.set(false);
        let fence = self.server.fence.get().map_or("", String::as_str);
        self.begin(&format!(
            "BEGIN; SELECT pg_advisory_xact_lock({CHANGES}){fence}"
        ))
    }

    pub(super) fn begin_unfenced_change(&mut self) -> Result<()> {
        self.has_failed.set(false);
        self.begin(&format!("BEGIN; SELECT pg_advisory_xact_lock({CHANGES})"))
    }

    /// Makes the connection again if it was lost.
    pub(super) fn be_connected(&mut self) -> Result<()> {
        match self.is_closed() {
            true => self.reconnect(),
            false => Ok(()),
        }
    }

    /// Returns whether there is a transaction: a single query needs none.
    pub(super) fn begin_read(&mut self, once: bool) -> Result<bool> {
        self.has_failed.set(false);
        if once {
            self.be_connected()?;
            return Ok(false);
        }
        self.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        Ok(true)
    }

    /// Lets statements take as long as they need, as those that convert a large database do, or not any more.
    pub(super) fn take_time(&mut self, is_long: bool) -> Result<()> {
        let most = if is_long { LONG } else { self.server.patience };
        self.limit_time(most)
    }

    pub(super) fn limit_time(&mut self, time: Duration) -> Result<()> {
        if self.limit != time {
            self.limit = time;
            if !self.is_closed() {
                self.batch(&format!("SET statement_timeout = {}", time.as_millis()))?;
            }
        }
        Ok(())
    }

    pub(super) fn end(&self, with: &str) -> Result<()> {
        if with != "COMMIT" {
            self.undo();
            return Ok(());
        }
        if self.has_failed.get() {
            // The server would undo it, and say that it did as asked.
            self.undo();
            return Err(Failure::broken("a statement of the change has failed".to_owned()).into());
        }
        let Err(error) = self.batch(with) else {
            return Ok(());
        };
        if !self.is_closed() {
            self.undo();
            return Err(error);
        }
        // The server cannot be asked later: after a crash it gives the numbers of lost transactions to others.
        Err(Error::Unknown)
    }

    fn prepare(&self, sql: &str, values: &[Value]) -> Result<tokio_postgres::Statement> {
        let types: Vec<Type> = values.iter().map(type_of).collect();
        let mut key: String = values.iter().map(letter_of).collect();
        key.push_str(sql);
        if let Some(known) = self.prepared.borrow_mut().get(&key) {
            return Ok(known.clone());
        }
        let prepared = self.wait(self.client.prepare_typed(sql, &types))?;
        let mut known = self.prepared.borrow_mut();
        known.insert(key, prepared.clone());
        Ok(prepared)
    }

    pub(super) fn execute(&self, sql: &Translated, values: Vec<Value>) -> Result<usize> {
        let statement = self.prepare(&sql.sql, &values)?;
        let changed = self.wait(change(Arc::clone(&self.client), statement, values))?;
        Ok(usize::try_from(changed).unwrap_or(usize::MAX))
    }

    /// Sends a change, and leaves its outcome to the next [`Self::wait`].
    pub(super) fn send(&self, sql: &Translated, values: Vec<Value>) -> Result<()> {
        let statement = self.prepare(&sql.sql, &values)?;
        let bytes: usize = values.iter().map(bytes_of).sum();
        self.send_now(change(Arc::clone(&self.client), statement, values), bytes)
    }

    /// Sends what has values of so many bytes, and leaves its outcome to the next [`Self::wait`].
    fn send_now(
        &self,
        what: impl Future<Output = Answered<u64>> + Send + 'static,
        bytes: usize,
    ) -> Result<()> {
        let mut outcome = Box::pin(what);
        // It is sent when it is asked for its outcome the first time.
        let asked = outcome
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        if let Poll::Ready(Err(error)) = asked {
            return self.wait(async { Err(error) });
        }
        let is_enough = {
            let mut sent = self.sent.borrow_mut();
            if asked.is_pending() {
                sent.outcomes.push(outcome);
            }
            sent.bytes += bytes;
            sent.outcomes.len() >= MOST_SENT.0 || sent.bytes >= MOST_SENT.1
        };
        match is_enough {
            true => self.wait(async { Ok(()) }),
            false => Ok(()),
        }
    }

    fn read(&self, sql: &str, values: &[Value]) -> Result<Vec<tokio_postgres::Row>> {
        let statement = self.prepare(sql, values)?;
        self.wait(async {
            let params: Vec<Given<'_>> = values.iter().map(Given).collect();
            let params = params.iter().map(|value| value as &(dyn ToSql + Sync));
            let params: Vec<_> = params.collect();
            self.client.query(&statement, &params).await
        })
    }

    /// The rows of a query: all of them, or streamed, those that are asked for.
    pub(super) fn query(
        &self,
        sql: &Translated,
        values: Vec<Value>,
        streamed: bool,
    ) -> Result<Rows<'_>> {
        let mut rows = Rows {
            session: self,
            read: Vec::new(),
            next: 0,
            cursor: None,
            at_once: AT_ONCE.0,
        };
        match streamed {
            false => rows.read = self.read(&sql.sql, &values)?,
            true => {
                let name = self.streams.get().wrapping_add(1);
                self.streams.set(name);
                let cursor = format!("rows{name}");
                let declared = format!("DECLARE {cursor} NO SCROLL CURSOR FOR {}", sql.sql);
                self.declare(declared, values)?;
                rows.cursor = Some(cursor);
            }
        }
        Ok(rows)
    }

    pub(super) fn copy_in(&self, sql: &str, rows: String) -> Result<()> {
        self.wait(async {
            let mut into = pin!(self.client.copy_in(sql).await?);
            into.send(bytes::Bytes::from(rows)).await?;
            into.finish().await.map(drop)
        })
    }

    /// Sends a statement that is not prepared for another time, as [`Self::send`].
    fn declare(&self, sql: String, values: Vec<Value>) -> Result<()> {
        let client = Arc::clone(&self.client);
        let bytes = values.iter().map(bytes_of).sum();
        let declared = async move {
            let params: Vec<Given<'_>> = values.iter().map(Given).collect();
            let params = params.iter().zip(values.iter().map(type_of));
            let params: Vec<(&(dyn ToSql + Sync), Type)> = params
                .map(|(value, of)| (value as &(dyn ToSql + Sync), of))
                .collect();
            client.execute_typed(&sql, &params).await
        };
        self.send_now(declared, bytes)
    }
}

/// The rows of a query.
pub(in crate::journal) struct Rows<'s> {
    session: &'s Session,
    read: Vec<tokio_postgres::Row>,
    next: usize,
    /// The name of the cursor that has more of them.
    cursor: Option<String>,
    at_once: usize,
}

impl Rows<'_> {
    pub(super) fn next(&mut self) -> Result<Option<&tokio_postgres::Row>> {
        if self.next == self.read.len()
            && let Some(cursor) = &self.cursor
        {
            let sql = format!("FETCH {} FROM {cursor}", self.at_once);
            let fetched = self
                .session
                .wait(self.session.client.query_typed(&sql, &[]));
            self.read = fetched?;
            self.next = 0;
            if self.read.len() < self.at_once {
                self.close();
            }
            self.at_once = (self.at_once * 4).min(AT_ONCE.1);
        }
        let row = self.read.get(self.next);
        self.next += usize::from(row.is_some());
        Ok(row)
    }

    fn close(&mut self) {
        if let Some(cursor) = self.cursor.take()
            && !self.session.has_failed.get()
        {
            // It ends with the transaction otherwise.
            let _ = self.session.declare(format!("CLOSE {cursor}"), Vec::new());
        }
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        self.close();
    }
}

/// Makes a change.
async fn change(
    client: Arc<Client>,
    statement: tokio_postgres::Statement,
    values: Vec<Value>,
) -> Answered<u64> {
    let params: Vec<Given<'_>> = values.iter().map(Given).collect();
    let params = params.iter().map(|value| value as &(dyn ToSql + Sync));
    let params: Vec<_> = params.collect();
    client.execute(&statement, &params).await
}

fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        _ => size_of::<i64>(),
    }
}

/// The type that a value is sent as; without one the server finds it.
fn type_of(value: &Value) -> Type {
    match value {
        Value::Null => Type::UNKNOWN,
        Value::Integer(_) => Type::INT8,
        Value::Real(_) => Type::FLOAT8,
        Value::Text(_) => Type::TEXT,
        Value::Blob(_) => Type::BYTEA,
    }
}

fn letter_of(value: &Value) -> char {
    match value {
        Value::Null => 'n',
        Value::Integer(_) => 'i',
        Value::Real(_) => 'r',
        Value::Text(_) => 't',
        Value::Blob(_) => 'b',
    }
}

/// A value that is sent.
#[derive(Debug)]
struct Given<'v>(&'v Value);

impl ToSql for Given<'_> {
    fn to_sql(
        &self,
        of: &Type,
        out: &mut bytes::BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self.0 {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(value) => value.to_sql(of, out),
            Value::Real(value) => value.to_sql(of, out),
            Value::Text(value) => nul::stored(value).to_sql(of, out),
            Value::Blob(value) => value.to_sql(of, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A value that was received.
struct Taken<'r>(ValueRef<'r>);

impl<'r> FromSql<'r> for Taken<'r> {
    fn from_sql(
        of: &Type,
        raw: &'r [u8],
    ) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(match *of {
            Type::BOOL => ValueRef::Integer(bool::from_sql(of, raw)?.into()),
            Type::INT2 => ValueRef::Integer(i16::from_sql(of, raw)?.into()),
            Type::INT4 => ValueRef::Integer(i32::from_sql(of, raw)?.into()),
            Type::INT8 => ValueRef::Integer(i64::from_sql(of, raw)?),
            Type::FLOAT4 => ValueRef::Real(f32::from_sql(of, raw)?.into()),
            Type::FLOAT8 => ValueRef::Real(f64::from_sql(of, raw)?),
            Type::BYTEA => ValueRef::Blob(raw),
            _ => ValueRef::Text(raw),
        }))
    }

    fn from_sql_null(
        _: &Type,
    ) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(ValueRef::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// The value of a column.
pub(super) fn value_of(row: &tokio_postgres::Row, column: usize) -> Result<ValueRef<'_>> {
    let taken: Taken<'_> = row.try_get(column).map_err(Failure::from)?;
    Ok(taken.0)
}

/// Wakes a thread.
struct Waking(Thread);

impl Wake for Waking {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits on this thread, and not longer than `most`.
fn wait<T>(asked: impl Future<Output = T>, most: Duration) -> Option<T> {
    let until = Instant::now() + most;
    let waker = Waker::from(Arc::new(Waking(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut asked = pin!(asked);
    loop {
        if let Poll::Ready(answer) = asked.as_mut().poll(&mut context) {
            return Some(answer);
        }
        let left = until.checked_duration_since(Instant::now())?;
        thread::park_timeout(left);
    }
}
