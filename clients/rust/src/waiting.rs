//! Which decisions wait for the bot's answer, as seen from all threads.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::outputs::Key;

/// The decisions that were put to the bot and wait for its answer, each with the number of its question.
#[derive(Clone, Default)]
pub(crate) struct Waiting(Arc<Mutex<HashMap<Key, u64>>>);

impl Waiting {
    pub(crate) fn add(&self, key: Key, number: u64) {
        self.lock().insert(key, number);
    }

    pub(crate) fn has(&self, key: &Key) -> bool {
        self.lock().contains_key(key)
    }

    pub(crate) fn is(&self, key: &Key, number: u64) -> bool {
        self.lock().get(key) == Some(&number)
    }

    /// Drops a decision; whether it still waited with this question.
    pub(crate) fn take(&self, key: &Key, number: u64) -> bool {
        let mut waiting = self.lock();
        waiting.get(key) == Some(&number) && waiting.remove(key).is_some()
    }

    pub(crate) fn remove(&self, key: &Key) {
        self.lock().remove(key);
    }

    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
