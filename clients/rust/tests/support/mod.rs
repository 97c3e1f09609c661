//! What the tests share: messages of a server in few words, and an arena that does what a test tells it.

#![allow(dead_code)] // each of several test programs uses a part

pub mod arena;
pub mod messages;
