//! Password hashing: Argon2id, at idle priority, at most four hashes at a time.
//!
//! A hash takes 19 MiB and about 20 ms of one core. At most two run at once and further ones queue, so that a flood of
//! logins costs little memory and does not slow down other requests. On a fully loaded machine (an agent compiling,
//! say) a thread at idle priority gets no time: after a short attempt the hash is started again at normal priority. The
//! first attempt cannot be cancelled and stays as the third or fourth until it ends.
//!
//! Long because its tests need to see how far it has got.

use super::PeopleError;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use std::env;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

/// Maximum number of hashes awaited at once; as many abandoned attempts may still run.
const AT_ONCE: usize = 2;
/// Time limit for a hash at idle priority.
const SPARE_TIME: Duration = Duration::from_millis(250);
/// Shortest password accepted, in characters.
const SHORTEST: usize = 8;
/// Longest password checked, in bytes.
const LONGEST: usize = 1024;
/// What a hash costs: KiB of memory, and passes.
type Cost = (u32, u32);
const COST: Cost = (19_456, 2);
/// What it costs in a development build with `HANDRAIL_QUICK_HASHES`, as tests have it: they check many passwords.
const QUICK: Cost = (64, 1);

/// Hashes passwords.
#[derive(Debug)]
pub struct Hashing {
    /// Permits for hashes that are awaited.
    permits: Arc<Semaphore>,
    /// Permits for attempts at idle priority, which are abandoned if they get no processor time.
    spare: Arc<Semaphore>,
    cost: Cost,
}

impl Default for Hashing {
    /// Uses half of the processors, so that logins do not delay other requests.
    fn default() -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let permits = (processors / 2).clamp(1, AT_ONCE);
        Self {
            permits: Arc::new(Semaphore::new(permits)),
            spare: Arc::new(Semaphore::new(permits)),
            cost: match cfg!(debug_assertions) && env::var_os("HANDRAIL_QUICK_HASHES").is_some() {
                true => QUICK,
                false => COST,
            },
        }
    }
}

impl Hashing {
    /// Hashes a new password; returns a PHC string.
    ///
    /// # Errors
    /// [`PeopleError::Invalid`] if the password is too short or too long.
    pub async fn hash(&self, password: &str) -> Result<String, PeopleError> {
        if password.chars().count() < SHORTEST || password.len() > LONGEST {
            return Err(PeopleError::Invalid(format!(
                "A password must have at least {SHORTEST} characters and at most {LONGEST} bytes."
            )));
        }
        let (password, salt) = (password.to_owned(), rand::random::<[u8; 16]>());
        let cost = self.cost;
        self.run(move || {
            let hash = argon2(cost)?.hash_password_with_salt(password.as_bytes(), &salt);
            hash.map(|hash| hash.to_string())
                .map_err(|_| PeopleError::Hashing)
        })
        .await
    }

    /// Whether `password` matches `hash`; with `None`, for an unknown name, the check takes as long and fails.
    ///
    /// Errors: [`PeopleError::Hashing`].
    pub async fn fits(&self, password: &str, hash: Option<&str>) -> Result<bool, PeopleError> {
        if password.len() > LONGEST {
            return Ok(false);
        }
        let known = hash.is_some();
        let cost = self.cost;
        let hash = hash.map_or_else(|| nobody(cost), str::to_owned);
        let password = password.to_owned();
        let fits = self
            .run(move || {
                Ok(argon2(cost)?
                    .verify_password(password.as_bytes(), hash.as_str())
                    .is_ok())
            })
            .await?;
        Ok(fits && known)
    }

    /// Runs `work` to its end even if the caller disconnects: the permit is held as long as the work runs.
    async fn run<T: Send + 'static>(
        &self,
        work: impl Fn() -> Result<T, PeopleError> + Send + Sync + 'static,
    ) -> Result<T, PeopleError> {
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.expect("the semaphore is never closed");
        let (spare, is_quick) = (Arc::clone(&self.spare), self.cost == QUICK);
        let worked = tokio::spawn(async move {
            let _permit = permit;
            let work = Arc::new(work);
            if !is_quick && let Ok(spare) = spare.try_acquire_owned() {
                let work = Arc::clone(&work);
                let in_spare_time = in_thread(move || {
                    let _spare = spare;
                    yield_to_others();
                    work()
                });
                if let Ok(done) = timeout(SPARE_TIME, in_spare_time).await {
                    return done;
                }
            }
            in_thread(move || work()).await
        });
        worked.await.map_err(|_| PeopleError::Hashing)?
    }
}

/// Runs `work` in a new thread, since a thread cannot raise its priority again after lowering it.
async fn in_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, PeopleError> + Send + 'static,
) -> Result<T, PeopleError> {
    let (done, hashed) = oneshot::channel();
    let thread = thread::Builder::new().name("hashing".to_owned());
    let started = thread.spawn(move || {
        // The receiver may be gone.
        let _ = done.send(work());
    });
    started.map_err(|_| PeopleError::Hashing)?;
    hashed.await.map_err(|_| PeopleError::Hashing)?
}

/// Gives this thread idle priority (`SCHED_IDLE`, sched(7)). The lowest normal priority is not enough: such a thread
/// keeps its core until the end of its time slice.
fn yield_to_others() {
    #[cfg(target_os = "linux")]
    {
        use thread_priority::{
            NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy,
            set_thread_priority_and_policy, thread_native_id,
        };
        let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        let set = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, idle);
        if let Err(error) = set {
            tracing::debug!(%error, "cannot set idle priority; passwords are hashed at normal priority");
        }
    }
}

/// Hash for names without an account: the check takes as long and never succeeds.
fn nobody((memory, passes): Cost) -> String {
    const REST: &str = "AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    format!("$argon2id$v=19$m={memory},t={passes},p=1${REST}")
}

fn argon2((memory, passes): Cost) -> Result<Argon2<'static>, PeopleError> {
    let params = Params::new(memory, passes, 1, None).map_err(|_| PeopleError::Hashing)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::time::Instant;

    /// Longest that work blocks. An attempt in spare time that gets no processor at all leaves its place to the next one,
    /// which would block for ever.
    const STUCK: Duration = Duration::from_secs(5);

    /// Hashing as a release does it.
    fn thorough() -> Hashing {
        Hashing {
            cost: COST,
            ..Hashing::default()
        }
    }

    /// Work whose first `attempts` runs block until they are released.
    fn stuck(
        attempts: u32,
    ) -> (
        Arc<AtomicBool>,
        impl Fn() -> Result<(), PeopleError> + Send + Sync + 'static,
    ) {
        let (begun, held) = (AtomicU32::new(0), Arc::new(AtomicBool::new(true)));
        let seen = Arc::clone(&held);
        let work = move || {
            let is_stuck = begun.fetch_add(1, Ordering::Relaxed) < attempts;
            let until = Instant::now() + STUCK;
            while is_stuck && seen.load(Ordering::Relaxed) && Instant::now() < until {
                thread::sleep(Duration::from_millis(1));
            }
            Ok(())
        };
        (held, work)
    }

    /// Waits until all permits are free.
    async fn all_of(permits: &Semaphore, count: usize) {
        let count = u32::try_from(count).expect("there are few");
        drop(permits.acquire_many(count).await);
    }

    #[tokio::test]
    async fn who_hangs_up_keeps_the_place_until_the_work_is_done() {
        let hashing = thorough();
        let permits = hashing.permits.available_permits();
        let (held, work) = stuck(2);
        assert!(hashing.run(work).now_or_never().is_none());
        // Both attempts have started.
        tokio::time::sleep(SPARE_TIME * 2).await;
        assert_eq!(hashing.permits.available_permits(), permits - 1);
        held.store(false, Ordering::Relaxed);
        all_of(&hashing.permits, permits).await;
    }

    #[tokio::test]
    async fn where_no_processor_is_to_spare_a_hash_is_done_all_the_same() {
        let hashing = thorough();
        let spare = hashing.spare.available_permits();
        let (held, work) = stuck(1);
        let begun = Instant::now();
        hashing.run(work).await.expect("the second time it is done");
        if begun.elapsed() < STUCK {
            assert_eq!(hashing.spare.available_permits(), spare - 1);
        }
        held.store(false, Ordering::Relaxed);
        all_of(&hashing.spare, spare).await;
    }

    #[tokio::test]
    async fn a_password_fits_its_own_hash_only() {
        let hashing = thorough();
        let hash = hashing
            .hash("correct horse")
            .await
            .expect("it is long enough");
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        assert!(
            hashing
                .fits("correct horse", Some(&hash))
                .await
                .expect("it is a hash")
        );
        assert!(
            !hashing
                .fits("correct horse ", Some(&hash))
                .await
                .expect("it is a hash")
        );
        assert!(!hashing.fits("", Some(&hash)).await.expect("it is a hash"));
        assert!(
            !hashing
                .fits("correct horse", None)
                .await
                .expect("it is a hash")
        );
    }

    #[tokio::test]
    async fn who_is_not_there_takes_as_long_as_who_is() {
        use argon2::password_hash::phc::PasswordHash;
        let real = thorough()
            .hash("correct horse")
            .await
            .expect("it is long enough");
        let nobody = nobody(COST);
        let (real, nobody) = (PasswordHash::new(&real), PasswordHash::new(&nobody));
        let (real, nobody) = (
            real.expect("we wrote it"),
            nobody.expect("it is well formed"),
        );
        assert_eq!(
            (real.algorithm, real.version),
            (nobody.algorithm, nobody.version)
        );
        assert_eq!(real.params, nobody.params);
        let length = |hash: &PasswordHash| hash.hash.as_ref().map(|hash| hash.len());
        assert_eq!(length(&real), length(&nobody));
    }

    #[tokio::test]
    async fn short_and_huge_passwords_are_refused_with_a_sentence() {
        let huge = "x".repeat(10 * 1024 * 1024);
        for bad in ["", "seven77", &huge] {
            let error = thorough().hash(bad).await.expect_err("it is not taken");
            assert!(error.to_string().contains("at least 8"), "{error}");
        }
        assert!(!thorough().fits(&huge, None).await.expect("it is no hash"));
    }
}
