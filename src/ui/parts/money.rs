//! Amounts of money, formatted from integers: formatting a float would add 14 kB of code to the browser bundle.

/// An amount in US dollars, rounded to `decimals` places.
pub fn dollars(amount: f64, decimals: u32) -> String {
    let unit = 10_i64.pow(decimals);
    let whole = (amount * unit as f64).round() as i64;
    let sign = if whole < 0 { "-" } else { "" };
    let (before, after) = (whole.abs() / unit, whole.abs() % unit);
    format!("{sign}${before}.{after:0width$}", width = decimals as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_rounded_and_keep_their_zeros() {
        assert_eq!(dollars(0.0, 2), "$0.00");
        assert_eq!(dollars(1.005_1, 2), "$1.01");
        assert_eq!(dollars(12.3, 4), "$12.3000");
        assert_eq!(dollars(-0.019, 2), "-$0.02");
        assert_eq!(dollars(f64::NAN, 2), "$0.00");
    }
}
