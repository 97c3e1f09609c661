//! README.md, Chance, Keys and Disguise: all that follows from a seed.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::vectors;
use crate::stubs::{ChanceVectors, DisguiseVectors, KeyVectors};

fn hmac(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let mut hmac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length");
    parts.iter().for_each(|part| hmac.update(part));
    hmac.finalize().into_bytes().to_vec()
}

fn sha256(parts: &[&[u8]]) -> Vec<u8> {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().to_vec()
}

pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits = |place| u8::from_str_radix(&hexadecimal[place..place + 2], 16).expect("hexadecimal digits");
    (0..hexadecimal.len()).step_by(2).map(digits).collect()
}

/// The 16-bit words of a purpose under a seed, without end.
fn words<'a>(seed: &'a [u8], purpose: &'a str) -> impl Iterator<Item = u32> + 'a {
    (0u32..).flat_map(move |block| {
        let block = hmac(seed, &[purpose.as_bytes(), &[0], &block.to_be_bytes()]);
        block.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).collect::<Vec<_>>()
    })
}

/// A number below `n` from the words that follow.
fn below(words: &mut impl Iterator<Item = u32>, n: u32) -> u32 {
    let fair = 65_536 - 65_536 % n;
    words.find(|&word| word < fair).expect("words without end") % n
}

fn shuffled(items: &[u32], seed: &[u8], purpose: &str) -> Vec<u32> {
    let mut order = items.to_vec();
    let mut words = words(seed, purpose);
    for last in (1..order.len()).rev() {
        let other = below(&mut words, last as u32 + 1) as usize;
        order.swap(last, other);
    }
    order
}

#[test]
fn words_numbers_and_shuffles_follow_from_seed_and_purpose() {
    let chance = vectors::<ChanceVectors>("chance.json");
    assert!(!chance.words.is_empty() && !chance.numbers.is_empty());
    for case in chance.words {
        let given: Vec<u32> = words(&bytes(&case.seed), &case.purpose).take(case.words.len()).collect();
        assert_eq!(given, case.words, "{}", case.purpose);
    }
    for case in chance.numbers {
        assert_eq!(below(&mut words(&bytes(&case.seed), &case.purpose), case.n), case.number, "{case:?}");
    }
    for case in chance.shuffles {
        assert_eq!(shuffled(&case.items, &bytes(&case.seed), &case.purpose), case.order, "{}", case.purpose);
    }
}

#[test]
fn keys_seeds_salts_and_commitments_follow_from_each_other() {
    let keys = vectors::<KeyVectors>("keys.json");
    for case in keys.commitments {
        let commitment = sha256(&[b"lastcard/commitment\0", &bytes(&case.seed), &bytes(&case.salt)]);
        assert_eq!(hexadecimal(&commitment), case.commitment);
    }
    for case in keys.event_keys {
        assert_eq!(hexadecimal(&sha256(&[b"lastcard/event\0", case.number.as_bytes()])), case.key);
    }
    for case in keys.deal_keys {
        assert_eq!(hexadecimal(&hmac(&bytes(&case.event_key), &[b"lastcard/deal\0", case.deal.as_bytes()])), case.key);
    }
    for case in keys.round_seeds {
        let seed = hmac(&bytes(&case.deal_key), &[b"lastcard/round\0", &case.round.to_be_bytes()]);
        assert_eq!(hexadecimal(&seed), case.seed);
    }
    for case in keys.salts {
        assert_eq!(hexadecimal(&hmac(&bytes(&case.event_key), &[b"lastcard/salt\0", case.game.as_bytes()])), case.salt);
    }
}

#[test]
fn a_disguise_s_key_follows_from_salt_and_seed_and_shuffles_the_colours_of_a_classic_deck() {
    let disguises = vectors::<DisguiseVectors>("disguises.json").disguises;
    let classic = disguises.iter().filter(|case| case.deck.split(' ').count() == 108);
    let mut count = 0;
    for case in classic {
        let key = hmac(&bytes(&case.salt), &[b"lastcard/disguise\0", &bytes(&case.seed)]);
        assert_eq!(hexadecimal(&key), case.key);
        assert_eq!(shuffled(&[1, 2, 3, 4], &key, "colors/1"), case.colors, "{}", case.name);
        count += 1;
    }
    assert!(count > 0);
}
