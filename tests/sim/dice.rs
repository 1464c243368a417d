//! Randomness determined by a seed.

/// A random number generator (SplitMix64): small, fast, and the same on every platform.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    pub fn of(seed: u64) -> Self {
        let mut dice = Self(seed ^ 0x5851_f42d_4c95_7f2d);
        dice.next();
        dice
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A random number below `end`, which must not be 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// A random index into a list of `count` elements.
    pub fn place(&mut self, count: usize) -> usize {
        usize::try_from(self.below(count as u64)).expect("lists are short")
    }

    /// True with a probability of `chance` percent.
    pub fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}

/// A running hash of all events of the simulation (FNV-1a), and optionally their text.
#[derive(Debug, Default)]
pub struct Trace {
    hash: u64,
    /// All events as text, if requested.
    pub lines: Option<Vec<String>>,
}

impl Trace {
    pub fn note(&mut self, at: u64, line: std::fmt::Arguments<'_>) {
        struct Fnv<'a>(&'a mut u64);
        impl std::fmt::Write for Fnv<'_> {
            fn write_str(&mut self, text: &str) -> std::fmt::Result {
                for byte in text.bytes() {
                    *self.0 = (*self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
                }
                Ok(())
            }
        }
        // Writing into a number cannot fail.
        let _ = std::fmt::write(&mut Fnv(&mut self.hash), line);
        self.hash = (self.hash ^ at).wrapping_mul(0x0100_0000_01b3);
        if let Some(lines) = &mut self.lines {
            lines.push(format!("{:>9.3} s  {line}", at as f64 / 1e9));
        }
    }

    pub fn hash(&self) -> u64 {
        self.hash
    }
}
