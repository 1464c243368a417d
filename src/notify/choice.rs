//! Who is told: what a person has chosen, what they may see, and whether they look at Handrail anyway.

use crate::live::{ChannelKind, Choices, Occasion, QuietHours, Scope};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// What is so for a person when something has happened in a conversation.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// What has happened.
    pub occasion: Occasion,
    /// Whether the person may see the conversation.
    pub sees: bool,
    /// Whether the person created the conversation, or its creator is unknown.
    pub is_own: bool,
    /// Whether it is shared with the person by name.
    pub is_shared: bool,
    /// Whether the person looks at Handrail.
    pub present: bool,
    /// The time, milliseconds since the Unix epoch.
    pub now: i64,
}

/// Whether a channel gets a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// From this time on, milliseconds since the Unix epoch.
    At(i64),
    /// It does not.
    No,
}

/// Decides for a channel. A webhook is for machines: it knows neither presence nor quiet hours.
pub fn verdict(kind: ChannelKind, choices: &Choices, facts: Facts) -> Verdict {
    let in_scope = match choices.scope {
        Scope::Mine => facts.is_own,
        Scope::Shared => facts.is_own || facts.is_shared,
        Scope::All => true,
    };
    if !facts.sees || !in_scope || !choices.occasions.contains(&facts.occasion) {
        return Verdict::No;
    }
    if kind == ChannelKind::Webhook {
        return Verdict::At(facts.now);
    }
    if facts.present {
        return Verdict::No;
    }
    let quiet_until = choices
        .quiet
        .as_ref()
        .and_then(|quiet| ends(quiet, facts.now));
    match quiet_until {
        None => Verdict::At(facts.now),
        // What still waits then is told in the morning; the rest is on the page.
        Some(until) if facts.occasion == Occasion::NeedsApproval => Verdict::At(until),
        Some(_) => Verdict::No,
    }
}

/// When the quiet hours end that last at `now`; `None` if they do not last then. Milliseconds since the Unix epoch.
fn ends(quiet: &QuietHours, now: i64) -> Option<i64> {
    // Checked when it was chosen; a zone may be missing after a move to another machine.
    let zone = TimeZone::get(&quiet.zone).ok()?;
    let at = Timestamp::from_millisecond(now)
        .ok()?
        .to_zoned_datetime(zone);
    let minute = i64::from(at.hour()) * 60 + i64::from(at.minute());
    let (from, until) = (i64::from(quiet.from), i64::from(quiet.until));
    let (lasts, tomorrow) = match from <= until {
        true => (from <= minute && minute < until, false),
        false => (minute >= from || minute < until, minute >= from),
    };
    if !lasts {
        return None;
    }
    let day = at.start_of_day().ok()?;
    let day = day.checked_add(i64::from(tomorrow).days()).ok()?;
    // Not so many minutes after midnight: a day may have 23 hours.
    let time = jiff::civil::time((until / 60) as i8, (until % 60) as i8, 0, 0);
    let end = day.with().time(time).build().ok()?;
    Some(end.timestamp().as_millisecond())
}

/// Checks quiet hours that a person has entered.
///
/// # Errors
/// A whole sentence.
pub fn check(quiet: &QuietHours) -> Result<(), String> {
    if quiet.from >= 24 * 60 || quiet.until >= 24 * 60 || quiet.from == quiet.until {
        return Err("Quiet hours need a start and an end that differ.".to_owned());
    }
    match TimeZone::get(&quiet.zone) {
        Ok(_) => Ok(()),
        Err(_) => Err("The time zone is unknown. Use a name such as Europe/Berlin.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts {
            occasion: Occasion::NeedsApproval,
            sees: true,
            is_own: true,
            is_shared: false,
            present: false,
            now: at("2026-11-25T23:30:00+01:00"),
        }
    }

    fn at(time: &str) -> i64 {
        let time: Timestamp = time.parse().expect("a time");
        time.as_millisecond()
    }

    #[test]
    fn a_person_is_told_of_what_they_chose_and_may_see() {
        let choices = |scope| Choices {
            scope,
            ..Choices::default()
        };
        let told =
            |choices: &Choices, facts| verdict(ChannelKind::Push, choices, facts) != Verdict::No;
        let other = Facts {
            is_own: false,
            ..facts()
        };
        let shared = Facts {
            is_shared: true,
            ..other
        };
        assert!(told(&choices(Scope::Mine), facts()));
        assert!(!told(&choices(Scope::Mine), shared));
        assert!(told(&choices(Scope::Shared), shared));
        assert!(!told(&choices(Scope::Shared), other));
        assert!(told(&choices(Scope::All), other));
        let unseen = Facts {
            sees: false,
            ..facts()
        };
        assert!(!told(&choices(Scope::All), unseen));
        let some = Choices {
            occasions: vec![Occasion::Finished],
            ..Choices::default()
        };
        assert!(!told(&some, facts()));
    }

    #[test]
    fn presence_and_quiet_hours_are_for_people_alone() {
        let quiet = QuietHours {
            from: 22 * 60,
            until: 7 * 60,
            zone: "Europe/Berlin".to_owned(),
        };
        let choices = Choices {
            quiet: Some(quiet),
            ..Choices::default()
        };
        let present = Facts {
            present: true,
            ..facts()
        };
        let now = facts().now;
        let of = |kind, choices: &Choices, facts| verdict(kind, choices, facts);
        assert_eq!(
            of(ChannelKind::Push, &Choices::default(), present),
            Verdict::No
        );
        assert_eq!(
            of(ChannelKind::Ntfy, &Choices::default(), present),
            Verdict::No
        );
        let webhook = of(ChannelKind::Webhook, &choices, present);
        assert_eq!(webhook, Verdict::At(now));
        let morning = at("2026-11-26T07:00:00+01:00");
        assert_eq!(
            of(ChannelKind::Push, &choices, facts()),
            Verdict::At(morning)
        );
        let finished = Facts {
            occasion: Occasion::Finished,
            ..facts()
        };
        assert_eq!(of(ChannelKind::Push, &choices, finished), Verdict::No);
    }

    #[test]
    fn quiet_hours_last_over_midnight_and_over_a_change_of_the_clock() {
        let quiet = |from: u16, until: u16| QuietHours {
            from,
            until,
            zone: "Europe/Berlin".to_owned(),
        };
        let night = quiet(22 * 60, 7 * 60);
        let ends = |quiet: &QuietHours, time: &str| ends(quiet, at(time));
        assert_eq!(ends(&night, "2026-11-25T21:59:59+01:00"), None);
        let morning = Some(at("2026-11-26T07:00:00+01:00"));
        assert_eq!(ends(&night, "2026-11-25T22:00:00+01:00"), morning);
        assert_eq!(ends(&night, "2026-11-26T06:59:00+01:00"), morning);
        assert_eq!(ends(&night, "2026-11-26T07:00:00+01:00"), None);
        let noon = quiet(12 * 60, 13 * 60);
        assert_eq!(
            ends(&noon, "2026-11-25T12:30:00+01:00"),
            Some(at("2026-11-25T13:00:00+01:00"))
        );
        assert_eq!(ends(&noon, "2026-11-25T13:00:00+01:00"), None);
        // On this night the clock goes from 2 to 3.
        assert_eq!(
            ends(&night, "2026-03-28T23:00:00+01:00"),
            Some(at("2026-03-29T07:00:00+02:00"))
        );
        assert!(check(&night).is_ok());
        assert!(check(&quiet(5, 5)).is_err());
        assert!(check(&quiet(0, 1440)).is_err());
        let nowhere = QuietHours {
            zone: "Nowhere/Land".to_owned(),
            ..night
        };
        assert!(check(&nowhere).is_err());
    }
}
