//! Locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Ignores poisoning: all state is consistent between any two statements.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
