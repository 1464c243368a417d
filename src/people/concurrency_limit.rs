//! A concurrency limit per key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts the permits in use per key.
#[derive(Debug, Clone)]
pub struct ConcurrencyLimit<Who> {
    most: u32,
    taken: Arc<Mutex<HashMap<Who, u32>>>,
}

/// A permit, released when dropped.
pub struct Permit<Who: Eq + Hash> {
    limit: ConcurrencyLimit<Who>,
    who: Who,
}

impl<Who: Eq + Hash> ConcurrencyLimit<Who> {
    /// At most `most` permits per key.
    pub fn new(most: u32) -> Self {
        Self {
            most,
            taken: Arc::default(),
        }
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<Who, u32>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Who: Eq + Hash + Clone> ConcurrencyLimit<Who> {
    /// Takes a permit; `None` if all are in use.
    pub fn enter(&self, who: Who) -> Option<Permit<Who>> {
        let mut taken = self.taken();
        let count = taken.entry(who.clone()).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        drop(taken);
        Some(Permit {
            limit: self.clone(),
            who,
        })
    }
}

impl<Who: Eq + Hash> Drop for Permit<Who> {
    fn drop(&mut self) {
        let mut taken = self.limit.taken();
        if let Some(count) = taken.get_mut(&self.who) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.who);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_so_many_places_at_a_time() {
        let limit = ConcurrencyLimit::new(8);
        let mut taken: Vec<_> = (0..8).filter_map(|_| limit.enter("here")).collect();
        assert_eq!(taken.len(), 8);
        assert!(limit.enter("here").is_none() && limit.enter("there").is_some());
        taken.pop();
        assert!(limit.enter("here").is_some());
        taken.clear();
        assert!(limit.taken().is_empty());
    }
}
