//! Fingerprints of calls and texts.

use super::Call;
use std::fmt::{self, Write};

impl Call {
    /// Fingerprint of tool and arguments.
    pub fn fingerprint(&self) -> String {
        if self.more.is_empty() {
            fingerprint(&self.tool)
        } else {
            fingerprint(&(&self.tool, &self.more))
        }
    }
}

/// Fingerprint of a tool with its arguments, or of a text. It only shows whether two of them are equal; approvals are
/// bound to a separate hash.
pub(super) fn fingerprint(value: &impl fmt::Debug) -> String {
    /// FNV-1a: short, stable across versions, and computed incrementally.
    struct Fnv(u128);
    impl Write for Fnv {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for byte in text.bytes() {
                self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
            }
            Ok(())
        }
    }
    let mut hash = Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    // Writing to a number cannot fail.
    let _ = write!(hash, "{value:?}");
    format!("{:032x}", hash.0)
}
