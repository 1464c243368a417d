//! The time zone that 1.x omits in the timestamps of its events.

use serde_json::Value;

/// Appends the zone to the `timestamp` of an event that has none, so that stored events keep the
/// right time. `ahead` is the offset of the server's clock from UTC, in minutes.
pub fn say_zone(event: &mut Value, ahead: i32) {
    let Some(Value::String(text)) = event.get_mut("timestamp") else {
        return;
    };
    let has_zone = text
        .split_once('T')
        .is_none_or(|(_, time)| time.contains(['Z', 'z', '+', '-']));
    if has_zone {
        return;
    }
    let sign = if ahead < 0 { '-' } else { '+' };
    let (hours, minutes) = (ahead.unsigned_abs() / 60, ahead.unsigned_abs() % 60);
    text.push_str(&format!("{sign}{hours:02}:{minutes:02}"));
}
