//! Files in the format of `cat -n`.

/// Strips the line numbers of `cat -n`; returns the number of the first line, and the text.
///
/// A sentence may precede the lines. `None` if a line in between has no number, as in a directory listing.
pub(super) fn undecorated(text: &str) -> Option<(u32, String)> {
    let mut first = None;
    let mut plain = String::with_capacity(text.len());
    for (at, line) in crate::render::code::lines(text).enumerate() {
        let numbered = line
            .split_once('\t')
            .and_then(|(number, rest)| Some((number.trim().parse::<u32>().ok()?, rest)));
        match numbered {
            Some((number, rest)) => {
                first.get_or_insert(number);
                plain.push_str(rest);
                plain.push('\n');
            }
            None if at == 0 || (first.is_none() && line.trim().is_empty()) => {}
            // The marker of a truncated text, or text after the last line.
            None if first.is_some() => {
                plain.push_str(line);
                plain.push('\n');
            }
            None => return None,
        }
    }
    Some((first?, plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_cat_are_taken_away() {
        let text = "Here's the result of running `cat -n` on /a.py:\n     7\tx = 1\n     8\t\n     9\t\ty\n";
        assert_eq!(undecorated(text), Some((7, "x = 1\n\n\ty\n".to_owned())));
    }

    #[test]
    fn a_listing_is_no_numbered_file() {
        assert_eq!(undecorated("Here's the files in /a:\n/a/b\n/a/c"), None);
        assert_eq!(undecorated(""), None);
    }
}
