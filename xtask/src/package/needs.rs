//! What a program needs of the system: its shared libraries and the newest version of glibc.

use std::{fmt, path::Path};

use anyhow::{Context as _, Result, ensure};

use super::output;

/// What a program needs.
#[derive(Debug, PartialEq, Eq)]
pub struct Needs {
    /// Names of shared libraries.
    pub libraries: Vec<String>,
    /// The newest version of glibc whose symbols it uses.
    pub glibc: (u32, u32),
}

impl Needs {
    /// What the program at a path needs. Errors: it is no Linux program, or there is no objdump.
    pub fn of(binary: &Path) -> Result<Self> {
        let path = binary.to_str().context("a path is a text")?;
        let needs = Self::read(&output("objdump", &["-p", "-T", path])?);
        ensure!(
            needs.glibc > (0, 0),
            "{path} is no program that is linked with glibc"
        );
        Ok(needs)
    }

    fn read(dump: &str) -> Self {
        let library = |line: &str| {
            line.trim()
                .strip_prefix("NEEDED")
                .map(|name| name.trim().to_owned())
        };
        let mut libraries: Vec<_> = dump.lines().filter_map(library).collect();
        libraries.sort();
        let versions = dump.split("GLIBC_").skip(1).filter_map(|rest| {
            let end = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
            let mut numbers = rest[..end.unwrap_or(rest.len())].split('.');
            Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
        });
        Self {
            libraries,
            glibc: versions.max().unwrap_or_default(),
        }
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (major, minor) = self.glibc;
        write!(
            f,
            "the program needs glibc {major}.{minor} and {}",
            self.libraries.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_counts() {
        let dump = "  NEEDED               libc.so.6\n  NEEDED  libm.so.6\n 0 DF *UND* (GLIBC_2.9) a\n 0 (GLIBC_2.34) b\n 0 (GLIBC_2.2.5) c";
        assert_eq!(
            Needs::read(dump),
            Needs {
                libraries: vec!["libc.so.6".to_owned(), "libm.so.6".to_owned()],
                glibc: (2, 34),
            }
        );
    }
}
