//! The cursor in a text, and its words, numbers and strings.

use super::Unreadable;
use std::str::FromStr;

/// A cursor in a text.
pub(super) struct Reader<'a> {
    pub text: &'a str,
    pub at: usize,
}

impl<'a> Reader<'a> {
    /// The byte at the cursor after white space; 0 at the end.
    pub fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                byte => return byte.copied().unwrap_or(0),
            }
        }
    }

    /// Whether this byte is next; passes it.
    pub fn takes(&mut self, byte: u8) -> bool {
        let there = self.peek() == byte;
        self.at += usize::from(there);
        there
    }

    /// Passes this byte. Errors: another one is next.
    pub fn expect(&mut self, byte: u8) -> Result<(), Unreadable> {
        self.takes(byte).then_some(()).ok_or(Unreadable)
    }

    /// A word or number.
    pub fn token(&mut self) -> &'a str {
        self.peek();
        let rest = &self.text[self.at..];
        let is_end = |byte: u8| !byte.is_ascii_alphanumeric() && !b"+-.".contains(&byte);
        let length = rest.bytes().position(is_end).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// A text between quotes, with its escapes.
    pub fn raw(&mut self) -> Result<&'a str, Unreadable> {
        self.expect(b'"')?;
        let begin = self.at;
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
                None => return Err(Unreadable),
            }
        }
        self.at += 1;
        self.text.get(begin..self.at - 1).ok_or(Unreadable)
    }

    /// A text between quotes.
    pub fn string(&mut self) -> Result<String, Unreadable> {
        let mut rest = self.raw()?;
        let mut string = String::with_capacity(rest.len());
        while let Some(at) = rest.find('\\') {
            string.push_str(&rest[..at]);
            let escape = rest.as_bytes()[at + 1];
            rest = rest.get(at + 2..).ok_or(Unreadable)?;
            string.push(match escape {
                b'n' => '\n',
                b't' => '\t',
                b'r' => '\r',
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'u' => escaped(&mut rest)?,
                other => char::from(other),
            });
        }
        string.push_str(rest);
        Ok(string)
    }

    /// Passes a value.
    pub fn skip(&mut self) -> Result<(), Unreadable> {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                b'"' => drop(self.raw()?),
                b'[' | b'{' => {
                    depth += 1;
                    self.at += 1;
                }
                b']' | b'}' | b',' | b':' if depth > 0 => {
                    depth -= usize::from(matches!(self.peek(), b']' | b'}'));
                    self.at += 1;
                }
                _ if self.token().is_empty() => return Err(Unreadable),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// A whole number.
    pub fn integer<T: FromStr>(&mut self) -> Result<T, Unreadable> {
        self.token().parse().map_err(|_| Unreadable)
    }

    /// A number, exact with up to 15 digits: the standard library's parser is 8 KB of code and tables.
    pub fn float(&mut self) -> Result<f64, Unreadable> {
        let token = self.token();
        let (number, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let exponent: i32 = exponent.parse().map_err(|_| Unreadable)?;
        let mut value = 0.0;
        for digit in whole
            .trim_start_matches('-')
            .bytes()
            .chain(fraction.bytes())
        {
            if !digit.is_ascii_digit() {
                return Err(Unreadable);
            }
            value = value * 10.0 + f64::from(digit - b'0');
        }
        let exponent = exponent - fraction.len() as i32;
        let power = 10_f64.powi(exponent.abs());
        value = if exponent < 0 {
            value / power
        } else {
            value * power
        };
        Ok(if whole.starts_with('-') {
            -value
        } else {
            value
        })
    }
}

/// The rest of `\u0000`, or of two of them for a character beyond the first 65,536.
fn escaped(rest: &mut &str) -> Result<char, Unreadable> {
    let high = unit(rest)?;
    if !(0xd800..0xdc00).contains(&high) {
        return char::from_u32(high).ok_or(Unreadable);
    }
    *rest = rest.strip_prefix("\\u").ok_or(Unreadable)?;
    let low = unit(rest)?.checked_sub(0xdc00).filter(|low| *low < 0x400);
    char::from_u32(0x10000 + ((high - 0xd800) << 10) + low.ok_or(Unreadable)?).ok_or(Unreadable)
}

fn unit(rest: &mut &str) -> Result<u32, Unreadable> {
    let (digits, after) = rest.split_at_checked(4).ok_or(Unreadable)?;
    *rest = after;
    u32::from_str_radix(digits, 16).map_err(|_| Unreadable)
}
