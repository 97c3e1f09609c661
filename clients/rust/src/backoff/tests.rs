use std::time::Duration;

use super::Backoff;

fn waits(backoff: &mut Backoff, count: usize) -> Vec<u128> {
    (0..count).map(|_| backoff.next().as_millis()).collect()
}

#[test]
fn waits_double_from_a_fifth_of_a_second_to_five_seconds() {
    let mut backoff = Backoff { chance: || 0.0, ..Backoff::default() };
    assert_eq!(waits(&mut backoff, 7), [200, 400, 800, 1600, 3200, 5000, 5000]);
    backoff.reset();
    assert_eq!(waits(&mut backoff, 2), [200, 400]);
}

#[test]
fn chance_shortens_a_wait_by_up_to_half() {
    let mut backoff = Backoff { chance: || 1.0, ..Backoff::default() };
    assert_eq!(waits(&mut backoff, 3), [100, 200, 400]);
}

#[test]
fn chance_lies_between_nothing_and_everything_and_differs() {
    let mut backoff = Backoff::new(Duration::from_secs(2), Duration::from_secs(2), Backoff::default().chance);
    let drawn: Vec<Duration> = (0..64).map(|_| backoff.next()).collect();
    assert!(drawn.iter().all(|wait| (Duration::from_secs(1)..=Duration::from_secs(2)).contains(wait)));
    assert!(drawn.iter().any(|wait| *wait != drawn[0]));
}
