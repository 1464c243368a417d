//! Absolute paths as written: nothing is resolved, so nothing that would have to be is accepted.

/// Bytes of a path.
const LONGEST: usize = 1000;

/// The steps of an absolute path; `None` if it has any other than names.
pub(super) fn steps(path: &str) -> Option<Vec<&str>> {
    if path.len() > LONGEST {
        return None;
    }
    let steps: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    let is_name = |step: &&str| {
        !["", ".", ".."].contains(step)
            && !step.starts_with(' ')
            && !step.ends_with(' ')
            && step.chars().all(is_plain)
    };
    steps.iter().all(is_name).then_some(steps)
}

/// Whether a character of a name stands for itself and is seen. Letters of all scripts are; lookalikes only ever make two
/// names differ.
fn is_plain(letter: char) -> bool {
    letter.is_alphanumeric() || " -_.,+@=()[]#%&'^!~:".contains(letter)
}

/// Whether a rule can be about what is below this folder.
pub(super) fn is_folder(path: &str) -> bool {
    steps(path).is_some_and(|steps| !steps.contains(&".git"))
}

/// Whether a file is below a folder, and neither it nor a folder between them is hidden: those steer programs (`.git/hooks`,
/// `.envrc`), so changing them would give other rules another meaning.
pub(super) fn is_below(path: &str, folder: &str) -> bool {
    let (Some(path), Some(folder)) = (steps(path), steps(folder)) else {
        return false;
    };
    let rest = path.strip_prefix(folder.as_slice());
    rest.is_some_and(|rest| !rest.is_empty() && !rest.iter().any(|step| step.starts_with('.')))
}
