//! Properties: rules do not add up, parts are allowed as the whole is, and what is not understood is allowed by nothing.

use super::{Conditions, command_line, line, thirty};
use crate::rules::{Reading, Understood};
use proptest::prelude::*;

/// A command line of plain pieces and odd ones.
fn odd_line() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "(pytest|ls|cat|git log|echo|tail|grep -rn|cd /workspace/app|rm)",
        6 => " ",
        3 => "[a-z./-]{1,6}",
        2 => "( && | \\| | \\|\\| | 2>&1| >/dev/null)",
        1 => "[ -~]{1,3}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn covering<'a>(rules: &'a [Conditions], reading: &Reading) -> Vec<&'a Conditions> {
    rules
        .iter()
        .filter(|rule| rule.covers(reading, false))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn neither_order_nor_number_of_the_rules_changes_what_one_allows(text in odd_line(), rules in Just(thirty()).prop_shuffle(), kept in 0_usize..30) {
        let reading = line(&text);
        let all = covering(&rules, &reading);
        let few = covering(&rules[..kept], &reading);
        prop_assert!(few.iter().all(|rule| all.contains(rule)));
        for rule in &rules[..kept] {
            prop_assert_eq!(all.contains(&rule), few.contains(&rule));
        }
    }

    #[test]
    fn a_rule_that_allows_a_line_allows_each_command_of_it_alone(text in odd_line()) {
        let reading = line(&text);
        if let Ok(Understood::Commands(commands)) = &reading.actions[0].what {
            for rule in covering(&thirty(), &reading) {
                for words in commands {
                    let mut alone = reading.clone();
                    alone.actions[0].what = Ok(Understood::Commands(vec![words.clone()]));
                    prop_assert!(rule.covers(&alone, false), "{:?}", words);
                }
            }
        }
    }

    #[test]
    fn whatever_is_put_behind_an_allowed_line_is_judged_as_well(text in odd_line()) {
        let longer = format!("ls && {text}");
        let is_covered = |text: &str| thirty().into_iter().map(|rule| rule.covers(&line(text), false)).collect::<Vec<_>>();
        for (longer, alone) in is_covered(&longer).into_iter().zip(is_covered(&text)) {
            prop_assert!(!longer || alone);
        }
    }

    #[test]
    fn what_is_not_understood_is_allowed_by_no_rule(text in "\\PC*") {
        let reading = line(&text);
        if reading.actions[0].what.is_err() {
            prop_assert!(covering(&thirty(), &reading).is_empty());
        }
    }

    #[test]
    fn a_sign_of_the_shell_outside_of_quotes_is_not_understood(before in "[a-z ./-]{0,20}", sign in "[\\$`;()<{}*?!#\\\\\\[\\]\\^\n\r\t\u{0}]", after in "[a-z ./-]{0,20}") {
        let text = format!("ls {before}{sign}{after}");
        prop_assert!(command_line(&text).is_err(), "{:?}", text);
    }

    #[test]
    fn quoted_words_are_read_as_they_are(words in prop::collection::vec("[ -&(-~]{1,20}", 1..8)) {
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let text = format!("echo {}", quoted.join(" "));
        let mut wanted = vec!["echo".to_owned()];
        wanted.extend(words);
        prop_assert_eq!(command_line(&text), Ok(vec![wanted]));
    }
}
