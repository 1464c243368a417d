//! Incremental builds: a step that cargo does not track is skipped if its inputs have the same bytes as before.
//!
//! Digests rather than modification times, because cargo and git both touch files without changing them.

use std::{
    fs,
    hash::{DefaultHasher, Hasher as _},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

use crate::steps::target;

/// Runs `work` unless `product` exists and was built from the same `inputs` (files, or folders with their contents) and
/// `setting`. Errors: those of `work`, or a file cannot be read or written.
pub fn unless_fresh(
    product: &Path,
    inputs: &[PathBuf],
    setting: &str,
    work: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let digest = digest_of(inputs, setting)?;

    let name = product
        .file_name()
        .expect("a product has a name")
        .to_string_lossy();
    let stamp = target().join("xtask").join(format!("{name}.stamp"));
    if product.exists() && fs::read_to_string(&stamp).is_ok_and(|before| before == digest) {
        eprintln!("   {name} is up to date");
        return Ok(());
    }
    fs::create_dir_all(target().join("xtask"))?;
    // An interrupted step must not leave a stamp that confirms an incomplete product.
    fs::write(&stamp, "")?;
    work()?;
    fs::write(&stamp, digest)?;
    Ok(())
}

/// A digest of `inputs` (files, or folders with their contents) and `setting`. Errors: a file cannot be read.
pub fn digest_of(inputs: &[PathBuf], setting: &str) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    hasher.write(setting.as_bytes());
    for input in inputs {
        digest(input, &mut hasher).with_context(|| format!("cannot read {}", input.display()))?;
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn digest(path: &Path, hasher: &mut DefaultHasher) -> std::io::Result<()> {
    hasher.write(path.as_os_str().as_encoded_bytes());
    if !path.is_dir() {
        let bytes = fs::read(path)?;
        hasher.write_usize(bytes.len());
        hasher.write(&bytes);
        return Ok(());
    }
    let mut entries = fs::read_dir(path)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| digest(entry, hasher))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_runs_again_only_when_an_input_or_the_setting_changed() {
        let folder = std::env::temp_dir().join(format!("xtask-fresh-{}", std::process::id()));
        let (input, product) = (
            folder.join("input"),
            folder.join(format!("product-{}", std::process::id())),
        );
        fs::create_dir_all(input.join("deep")).unwrap();
        fs::write(input.join("deep/file"), "one").unwrap();
        let runs = |setting: &str| {
            let mut ran = false;
            unless_fresh(&product, std::slice::from_ref(&input), setting, || {
                ran = true;
                Ok(fs::write(&product, "")?)
            })
            .unwrap();
            ran
        };

        assert!(runs("release"));
        assert!(!runs("release"));
        assert!(runs("dev"));
        fs::write(input.join("deep/file"), "two").unwrap();
        assert!(runs("dev"));
        assert!(!runs("dev"));
        fs::remove_file(&product).unwrap();
        assert!(runs("dev"));
        fs::remove_dir_all(&folder).unwrap();
        let stamp = format!("{}.stamp", product.file_name().unwrap().to_string_lossy());
        fs::remove_file(target().join("xtask").join(stamp)).unwrap();
    }
}
