//! Generated screenshots and plots: tiny images in four colours.
//!
//! A PNG may store its pixels uncompressed, so that one picture always has the same bytes.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

/// Paper, ink, accent and a soft grey as red, green and blue: the colours of the 2-bit pixels.
const PALETTE: [u8; 12] = [250, 250, 247, 38, 43, 51, 47, 111, 222, 214, 217, 222];

/// A page with a title bar, an address line and some lines of "text", as a `data:` URL.
pub fn screenshot() -> String {
    data_url(192, 108, |x, y| match (x, y) {
        (_, 0..=9) => 3,
        (8..=180, 14..=18) => 2,
        (8..=120, 28..=33) => 1,
        (8..=170, 42..) if y % 10 < 3 && (x * 7 + y * 13) % 29 > 3 && x < 170 - y % 40 => 1,
        _ => 0,
    })
}

/// The same page with a frame around clickable elements, as in `set_of_marks`.
pub fn set_of_marks() -> String {
    data_url(192, 108, |x, y| {
        let edge = (4..=124).contains(&x)
            && (24..=37).contains(&y)
            && (x == 4 || x == 124 || y == 24 || y == 37);
        u8::from(edge) * 2 + u8::from(!edge && y < 10) * 3
    })
}

/// A bar chart; values are between 0 and 1.
pub fn bars(values: &[f64]) -> String {
    let width = values.len() as u32 * 24 + 12;
    data_url(width, 80, |x, y| {
        let bar = (x.saturating_sub(8) / 24) as usize;
        let top = |value: &f64| 72 - (value.clamp(0.0, 1.0) * 64.0) as u32;
        let top = values.get(bar).map_or(76, top);
        match (x, y) {
            (6, _) | (_, 73) => 1,
            _ if x >= 10 && (x - 8) % 24 < 16 && (top..73).contains(&y) => 2,
            _ => 0,
        }
    })
}

fn data_url(width: u32, height: u32, colour: impl Fn(u32, u32) -> u8) -> String {
    let data = STANDARD.encode(png(width, height, colour));
    format!("data:image/png;base64,{data}")
}

/// A PNG whose 2-bit pixels are indexes into [`PALETTE`].
fn png(width: u32, height: u32, colour: impl Fn(u32, u32) -> u8) -> Vec<u8> {
    let mut pixels = Vec::new();
    for y in 0..height {
        pixels.push(0); // No filter.
        for byte in 0..width.div_ceil(4) {
            pixels.push((0..4).fold(0, |packed, i| packed << 2 | colour(byte * 4 + i, y) & 3));
        }
    }
    let mut stream = ZlibEncoder::new(Vec::new(), Compression::none());
    let compressed = stream.write_all(&pixels).and_then(|()| stream.finish());
    let compressed = compressed.expect("writing to memory cannot fail");
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([2, 3, 0, 0, 0]); // 2 bits per pixel, indexed, not interlaced.
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, b"IHDR", &header);
    chunk(&mut file, b"PLTE", &PALETTE);
    chunk(&mut file, b"IDAT", &compressed);
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(data);
    let mut checksum = Crc::new();
    checksum.update(&file[start..]);
    file.extend(checksum.sum().to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_is_built_of_its_four_chunks_and_stays_small() {
        let file = png(192, 108, |_, _| 1);
        assert!(file.starts_with(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\xc0\0\0\0\x6c\x02\x03"));
        assert!(
            file.ends_with(b"\0\0\0\0IEND\xae\x42\x60\x82"),
            "the checksum of IEND is well known"
        );
        assert!(file.len() < 8_000, "{} bytes", file.len());
    }
}
