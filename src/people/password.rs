//! Passwords: hashed with Argon2id, four at a time at most, each in a thread that yields to all others.
//!
//! A hash takes 19 MiB and some ten milliseconds of one core. Whoever comes fifth waits, so that a storm of
//! logins costs neither memory nor the speed of those who work.

use super::PeopleError;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use rand::Rng as _;
use std::sync::Arc;
use std::thread;
use tokio::sync::{Semaphore, oneshot};

/// Most hashes at once.
const AT_ONCE: usize = 4;
/// Shortest password that is taken, in characters.
const SHORTEST: usize = 8;
/// Longest password that is looked at, in bytes.
const LONGEST: usize = 1024;
/// What is compared with when there is no such person: it takes as long and never fits.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Hashes passwords.
#[derive(Debug)]
pub struct Hashing(Arc<Semaphore>);

impl Default for Hashing {
    /// Half of the processors, so that those who log in do not hold up those who watch.
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new((processors / 2).clamp(1, AT_ONCE))))
    }
}

impl Hashing {
    /// The hash of a new password, as a PHC string.
    ///
    /// # Errors
    /// [`PeopleError::Invalid`] if it is too short or too long.
    pub async fn hash(&self, password: &str) -> Result<String, PeopleError> {
        if password.chars().count() < SHORTEST || password.len() > LONGEST {
            return Err(PeopleError::Invalid(format!(
                "A password has at least {SHORTEST} characters, and at most {LONGEST} bytes."
            )));
        }
        let (password, salt) = (password.to_owned(), rand::rng().random::<[u8; 16]>());
        self.run(move || {
            let hash = argon2()?.hash_password_with_salt(password.as_bytes(), &salt);
            hash.map(|hash| hash.to_string())
                .map_err(|_| PeopleError::Hashing)
        })
        .await
    }

    /// Whether the password is the one that was hashed; `None` stands for a person who is not there, and
    /// takes as long.
    pub async fn fits(&self, password: &str, hash: Option<&str>) -> Result<bool, PeopleError> {
        if password.len() > LONGEST {
            return Ok(false);
        }
        let known = hash.is_some();
        let hash = hash.unwrap_or(NOBODY).to_owned();
        let password = password.to_owned();
        let fits = self
            .run(move || {
                Ok(argon2()?
                    .verify_password(password.as_bytes(), hash.as_str())
                    .is_ok())
            })
            .await?;
        Ok(fits && known)
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, PeopleError> + Send + 'static,
    ) -> Result<T, PeopleError> {
        let permit = Arc::clone(&self.0)
            .acquire_owned()
            .await
            .expect("the semaphore is never closed");
        let (done, hashed) = oneshot::channel();
        let thread = thread::Builder::new().name("hashing".to_owned());
        let started = thread.spawn(move || {
            yield_to_others();
            // Held to the end of the work, also when who asked has hung up.
            let _permit = permit;
            // Nobody may be waiting any more.
            let _ = done.send(work());
        });
        started.map_err(|_| PeopleError::Hashing)?;
        hashed.await.map_err(|_| PeopleError::Hashing)?
    }
}

/// Lowers the priority of this thread to the lowest, which Linux allows for one thread alone (setpriority(2),
/// "C library/kernel differences"). A thread cannot take it back: hence one for each hash.
fn yield_to_others() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, 19) {
        tracing::debug!(%error, "passwords are hashed at the priority of everything else");
    }
}

fn argon2() -> Result<Argon2<'static>, PeopleError> {
    let params = Params::new(19_456, 2, 1, None).map_err(|_| PeopleError::Hashing)?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;
    use std::sync::mpsc;

    #[tokio::test]
    async fn who_hangs_up_keeps_the_place_until_the_work_is_done() {
        let hashing = Hashing::default();
        let places = hashing.0.available_permits();
        let (finish, finished) = mpsc::channel::<()>();
        let work = hashing.run(move || {
            // It ends when the other side is dropped.
            let _ = finished.recv();
            Ok(())
        });
        assert!(work.now_or_never().is_none());
        assert_eq!(hashing.0.available_permits(), places - 1);
        drop(finish);
        let all = u32::try_from(places).expect("there are few");
        drop(hashing.0.acquire_many(all).await);
    }

    #[tokio::test]
    async fn a_password_fits_its_own_hash_only() {
        let hashing = Hashing::default();
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
        let real = Hashing::default()
            .hash("correct horse")
            .await
            .expect("it is long enough");
        let (real, nobody) = (PasswordHash::new(&real), PasswordHash::new(NOBODY));
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
            let error = Hashing::default()
                .hash(bad)
                .await
                .expect_err("it is not taken");
            assert!(error.to_string().contains("at least 8"), "{error}");
        }
        assert!(
            !Hashing::default()
                .fits(&huge, None)
                .await
                .expect("it is no hash")
        );
    }
}
