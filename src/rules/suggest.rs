//! Which rules an action suggests, narrowest first.

use super::{Pattern, Reading, Rest, Subject, Understood, path, programs};

/// Suggestions for one action.
const MOST: usize = 6;

/// What rules about these actions could be about. Empty if no rule can judge them.
pub fn suggestions(reading: &Reading) -> Vec<Subject> {
    let Some(actions) = reading.understood() else {
        return Vec::new();
    };
    let mut found = match actions.as_slice() {
        [] => return Vec::new(),
        [Understood::Commands(commands)] => of_commands(commands),
        [Understood::Edit(path)] => {
            let folders = folders(path).into_iter();
            folders.map(|below| Subject::Edits { below }).collect()
        }
        [Understood::View(path)] => {
            let folders = folders(path).into_iter();
            folders.map(|below| Subject::Reads { below }).collect()
        }
        [Understood::Tool(name)] => vec![Subject::Tool { name: name.clone() }],
        several => of_several(several),
    };
    if !reading.is_unrated() {
        found.push(Subject::Rated);
    }
    found.truncate(MOST);
    found
}

fn of_commands(commands: &[Vec<String>]) -> Vec<Subject> {
    let exact = commands.iter().map(|words| Pattern::exactly(words));
    let mut found = vec![subject(exact)];
    for rest in [Rest::Names, Rest::Anything] {
        let wider = commands.iter().map(|words| widened(words, rest));
        let wider = subject(wider);
        if !found.contains(&wider) {
            found.push(wider);
        }
    }
    found
}

/// Each pattern once.
fn subject(patterns: impl Iterator<Item = Pattern>) -> Subject {
    let mut each: Vec<Pattern> = Vec::new();
    for pattern in patterns {
        if !each.contains(&pattern) {
            each.push(pattern);
        }
    }
    Subject::Commands(each)
}

/// A pattern of the same command, as wide as it may be.
fn widened(words: &[String], rest: Rest) -> Pattern {
    // Where a command works is a word of its own.
    if words.first().is_some_and(|name| name == "cd") {
        return Pattern::exactly(words);
    }
    let named = words.len().min(2);
    let is_name = |end: usize| !programs::needs_exact_words(&words[..end]);
    match rest {
        Rest::Anything if !programs::needs_exact_options(words) => Pattern {
            words: words[..1].to_vec(),
            rest,
        },
        Rest::Nothing => Pattern::exactly(words),
        // The options that were there, and names.
        _ => match (1..=named).find(|end| is_name(*end)) {
            Some(end) => {
                let options = words[end..].iter().take_while(|word| word.starts_with('-'));
                let end = end + options.count();
                let words = words[..end].to_vec();
                let rest = Rest::Names;
                Pattern { words, rest }
            }
            None => Pattern::exactly(words),
        },
    }
}

/// The folders that a file is in, the nearest first; neither the root nor what is in it.
fn folders(path: &str) -> Vec<String> {
    let steps = path::steps(path).unwrap_or_default();
    let ends = (1..steps.len()).rev();
    let folders = ends.map(|end| format!("/{}", steps[..end].join("/")));
    let folders = folders.filter(|folder| path::is_below(path, folder));
    folders.take(3).collect()
}

/// For actions that come together: one rule must cover all of them.
fn of_several(actions: &[&Understood]) -> Vec<Subject> {
    let mut commands = Vec::new();
    for action in actions {
        match action {
            Understood::Commands(own) => commands.extend(own.iter().cloned()),
            _ => return Vec::new(),
        }
    }
    of_commands(&commands)
}
