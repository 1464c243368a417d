//! Colour and weight of characters, as classes of the style sheet.
//!
//! The page forbids inline styles, so the 256 colours and the 16 million colours are mapped to the nearest of the 16.

/// Style of a character. Colours: 0 is the default, 1 to 16 are the palette.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Style {
    fore: u8,
    back: u8,
    bold: bool,
    dim: bool,
    italic: bool,
    underline: bool,
    strike: bool,
    inverse: bool,
}

impl Style {
    /// Applies the parameters of one SGR sequence. "Conceal" is deliberately ignored: all text is shown.
    pub(super) fn apply(&mut self, numbers: &[u16]) {
        let mut rest = numbers;
        while let Some((number, after)) = rest.split_first() {
            rest = after;
            match number {
                0 => *self = Self::default(),
                1 => self.bold = true,
                2 => self.dim = true,
                3 => self.italic = true,
                4 | 21 => self.underline = true,
                7 => self.inverse = true,
                9 => self.strike = true,
                22 => (self.bold, self.dim) = (false, false),
                23 => self.italic = false,
                24 => self.underline = false,
                27 => self.inverse = false,
                29 => self.strike = false,
                30..=37 => self.fore = small(number - 29),
                90..=97 => self.fore = small(number - 81),
                40..=47 => self.back = small(number - 39),
                100..=107 => self.back = small(number - 91),
                38 => rest = extended(rest, &mut self.fore),
                48 => rest = extended(rest, &mut self.back),
                39 => self.fore = 0,
                49 => self.back = 0,
                _ => {}
            }
        }
    }

    /// Writes the start tag for this style, if one is needed.
    pub(super) fn open(self, out: &mut String) {
        if self == Self::default() {
            return;
        }
        let (fore, back) = if self.inverse {
            (self.back, self.fore)
        } else {
            (self.fore, self.back)
        };
        out.push_str("<span class=\"");
        let begin = out.len();
        let mut class = |name: &str| {
            if out.len() > begin {
                out.push(' ');
            }
            out.push_str(name);
        };
        if self.inverse && back == 0 {
            class("t-inverse");
        }
        if fore > 0 {
            class(FORE[usize::from(fore - 1)]);
        }
        if back > 0 {
            class(BACK[usize::from(back - 1)]);
        }
        for (is, name) in [
            (self.bold, "t-bold"),
            (self.dim, "t-dim"),
            (self.italic, "t-italic"),
            (self.underline, "t-underline"),
            (self.strike, "t-strike"),
        ] {
            if is {
                class(name);
            }
        }
        out.push_str("\">");
    }

    /// Writes the end tag for [`Style::open`].
    pub(super) fn close(self, out: &mut String) {
        if self != Self::default() {
            out.push_str("</span>");
        }
    }
}

const FORE: [&str; 16] = [
    "t-f0", "t-f1", "t-f2", "t-f3", "t-f4", "t-f5", "t-f6", "t-f7", "t-f8", "t-f9", "t-f10",
    "t-f11", "t-f12", "t-f13", "t-f14", "t-f15",
];
const BACK: [&str; 16] = [
    "t-b0", "t-b1", "t-b2", "t-b3", "t-b4", "t-b5", "t-b6", "t-b7", "t-b8", "t-b9", "t-b10",
    "t-b11", "t-b12", "t-b13", "t-b14", "t-b15",
];

fn small(number: u16) -> u8 {
    u8::try_from(number).unwrap_or(u8::MAX)
}

/// The parameters `5;n` or `2;r;g;b` after 38 or 48.
fn extended<'a>(numbers: &'a [u16], colour: &mut u8) -> &'a [u16] {
    match numbers {
        [5, number, rest @ ..] => {
            *colour = from_256(small(*number));
            rest
        }
        [2, red, green, blue, rest @ ..] => {
            *colour = nearest(small(*red), small(*green), small(*blue));
            rest
        }
        _ => &[],
    }
}

/// The palette of 256: the 16, a 6×6×6 cube, and 24 greys.
fn from_256(number: u8) -> u8 {
    let step = |level: u8| if level == 0 { 0 } else { 55 + level * 40 };
    match number {
        0..=15 => number + 1,
        16..=231 => {
            let at = number - 16;
            nearest(step(at / 36), step(at / 6 % 6), step(at % 6))
        }
        232..=255 => {
            let grey = 8 + (number - 232) * 10;
            nearest(grey, grey, grey)
        }
    }
}

/// The palette colour with the same hue and about the same brightness.
fn nearest(red: u8, green: u8, blue: u8) -> u8 {
    let most = red.max(green).max(blue);
    let least = red.min(green).min(blue);
    if most - least < 40 {
        return match most {
            0..=63 => 1,
            64..=143 => 9,
            144..=215 => 8,
            _ => 16,
        };
    }
    let middle = least + (most - least) / 2;
    let hue = u8::from(red > middle) | u8::from(green > middle) << 1 | u8::from(blue > middle) << 2;
    hue + 1 + if most > 215 { 8 } else { 0 }
}
