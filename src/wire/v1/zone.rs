//! The zone that 1.x leaves out of the times of its events.

use serde_json::Value;

/// Writes the zone behind the `timestamp` of an event, if it has none: whoever keeps the event keeps the
/// right time. `ahead` is how many minutes the server's clock is ahead of UTC.
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
