//! What a session remembers of tables and decisions, over all its streams.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use crate::v1::{Act, Decision};

/// Answers and receipts of closed decisions that are remembered for each table in case the server repeats one.
pub(crate) const KEPT_ANSWERS: usize = 64;
/// Closed tables that are remembered in case the server repeats their end.
pub(crate) const KEPT_TABLES: usize = 1024;

/// A decision that is not closed: `act` is `None` while the bot thinks.
pub(crate) struct Open {
    pub decision: Arc<Decision>,
    pub stream: u64,
    pub act: Option<Act>,
    /// How often `act` was sent and is not judged yet.
    pub unjudged: u32,
    pub refused: Vec<usize>,
    /// Calls and catches by themselves so far.
    pub apart: u32,
}

impl Open {
    pub(crate) fn new(decision: Arc<Decision>, stream: u64) -> Self {
        Self { decision, stream, act: None, unjudged: 0, refused: Vec::new(), apart: 0 }
    }
}

/// What is remembered of a table.
pub(crate) struct Table {
    pub seat: Option<u32>,
    pub cursor: Option<u32>,
    /// The last event before one that did not come; it has been asked for once by coming back.
    pub gap: Option<u32>,
    pub open: BTreeMap<u32, Open>,
    pub answers: Latest<u32, Act>,
    pub receipts: Latest<u32, ()>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            seat: None,
            cursor: None,
            gap: None,
            open: BTreeMap::new(),
            answers: Latest::new(KEPT_ANSWERS),
            receipts: Latest::new(KEPT_ANSWERS),
        }
    }
}

/// A map that forgets the oldest entries beyond a number.
pub(crate) struct Latest<K, V> {
    most: usize,
    order: VecDeque<K>,
    values: HashMap<K, V>,
}

impl<K: Clone + Eq + Hash, V> Latest<K, V> {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, order: VecDeque::new(), values: HashMap::new() }
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.values.get(key)
    }

    pub(crate) fn contains(&self, key: &K) -> bool {
        self.values.contains_key(key)
    }

    /// Sets a value, as the newest; whether the key is new.
    pub(crate) fn insert(&mut self, key: K, value: V) -> bool {
        let fresh = self.values.insert(key.clone(), value).is_none();
        if !fresh {
            self.order.retain(|other| *other != key);
        }
        self.order.push_back(key);
        if self.order.len() > self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.values.remove(&oldest);
        }
        fresh
    }

    pub(crate) fn clear(&mut self) {
        self.order.clear();
        self.values.clear();
    }
}
