//! Replaces what the operating system tells a simulation: the time and random numbers. And counts the memory of a thread, by
//! which [`fuzz`] limits parsers.
//!
//! A simulating thread has a clock that stands still until it is moved, and randomness determined by a seed, so hash
//! maps iterate in the same order and `select!` polls its branches in the same order each time. Both replace functions
//! of libc for the whole program, which is why this is a separate crate: the product forbids `unsafe`. All other
//! threads get the system's values. Linux only; elsewhere a seed does not give the same trace twice.

mod fuzz;
mod memory;

pub use fuzz::fuzz;

use std::cell::Cell;

/// Start time of a simulation, in seconds since the Unix epoch: 2026-11-21 10:00 UTC.
const BEGIN: u64 = 1_795_255_200;

thread_local! {
    static CHANCE: Cell<Option<u64>> = const { Cell::new(None) };
    static NOW: Cell<u64> = const { Cell::new(0) };
}

/// Starts a simulation on this thread. Call it before the thread creates a hash map.
pub fn begin(seed: u64) {
    CHANCE.set(Some(seed));
    NOW.set(0);
}

/// Moves this thread's clock to `nanos` nanoseconds after the start. It never goes back.
pub fn clock_is(nanos: u64) {
    NOW.set(nanos.max(NOW.get()));
}

/// Nanoseconds since the start.
pub fn clock() -> u64 {
    NOW.get()
}

/// The next random number and state (SplitMix64).
fn next(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut word = state;
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, word ^ (word >> 31))
}

#[cfg(target_os = "linux")]
mod replaced {
    use super::{BEGIN, CHANCE, NOW, next};

    #[cfg(target_arch = "x86_64")]
    const NUMBERS: (i64, i64) = (228, 318);
    #[cfg(not(target_arch = "x86_64"))]
    const NUMBERS: (i64, i64) = (113, 278);

    unsafe extern "C" {
        fn syscall(number: i64, ...) -> i64;
    }

    /// `struct timespec` of 64-bit systems.
    #[repr(C)]
    pub struct Timespec {
        seconds: i64,
        nanos: i64,
    }

    /// Replaces `clock_gettime(2)`.
    ///
    /// # Safety
    /// As for the libc function: `to` points to a `timespec`.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn clock_gettime(clock: i32, to: *mut Timespec) -> i32 {
        const REAL_TIME: i32 = 0;
        const MONOTONIC: i32 = 1;
        if CHANCE.get().is_none() || !matches!(clock, REAL_TIME | MONOTONIC) {
            // SAFETY: the arguments are passed on unchanged.
            return unsafe { syscall(NUMBERS.0, clock, to) as i32 };
        }
        let nanos = NOW.get();
        let seconds = BEGIN + nanos / 1_000_000_000;
        // SAFETY: the caller guarantees that it points to a `timespec`.
        unsafe {
            (*to).seconds = seconds as i64;
            (*to).nanos = (nanos % 1_000_000_000) as i64;
        }
        0
    }

    /// Replaces `getrandom(2)`.
    ///
    /// # Safety
    /// As for the libc function: `to` points to `length` bytes.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn getrandom(to: *mut u8, length: usize, flags: u32) -> isize {
        let Some(mut state) = CHANCE.get() else {
            // SAFETY: the arguments are passed on unchanged.
            return unsafe { syscall(NUMBERS.1, to, length, flags) as isize };
        };
        for at in 0..length {
            let (after, word) = next(state);
            state = after;
            // SAFETY: the caller guarantees that there are `length` bytes.
            unsafe { to.add(at).write(word as u8) };
        }
        CHANCE.set(Some(state));
        length as isize
    }
}
