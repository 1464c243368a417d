//! Screenshots and plots that were never taken: tiny pictures in four colours.
//!
//! A PNG may hold its pixels uncompressed, so writing one needs two checksums and no compressor.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::archive::crc32;

/// Paper, ink, accent and a soft grey: what the two bits of a pixel mean.
const PALETTE: [[u8; 3]; 4] = [
    [250, 250, 247],
    [38, 43, 51],
    [47, 111, 222],
    [214, 217, 222],
];

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

/// The same page with a frame around what can be clicked, as `set_of_marks` shows it.
pub fn set_of_marks() -> String {
    data_url(192, 108, |x, y| {
        let edge = (4..=124).contains(&x)
            && (24..=37).contains(&y)
            && (x == 4 || x == 124 || y == 24 || y == 37);
        u8::from(edge) * 2 + u8::from(!edge && y < 10) * 3
    })
}

/// A bar chart with one bar for each value between 0 and 1.
pub fn bars(values: &[f64]) -> String {
    let width = values.len() as u32 * 24 + 12;
    data_url(width, 80, |x, y| {
        let bar = (x.saturating_sub(8) / 24) as usize;
        let top = values
            .get(bar)
            .map_or(76, |value| 72 - (value.clamp(0.0, 1.0) * 64.0) as u32);
        match (x, y) {
            (6, _) | (_, 73) => 1,
            _ if x >= 10 && (x - 8) % 24 < 16 && (top..73).contains(&y) => 2,
            _ => 0,
        }
    })
}

fn data_url(width: u32, height: u32, colour: impl Fn(u32, u32) -> u8) -> String {
    format!(
        "data:image/png;base64,{}",
        STANDARD.encode(png(width, height, colour))
    )
}

/// A PNG whose pixels are indexes (two bits) into [`PALETTE`].
fn png(width: u32, height: u32, colour: impl Fn(u32, u32) -> u8) -> Vec<u8> {
    let mut pixels = Vec::new();
    for y in 0..height {
        pixels.push(0); // The row is not filtered.
        for byte in 0..width.div_ceil(4) {
            pixels.push((0..4).fold(0, |packed, i| packed << 2 | colour(byte * 4 + i, y) & 3));
        }
    }
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([2, 3, 0, 0, 0]); // Two bits a pixel, indexed, nothing interlaced.
    let mut file = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut file, b"IHDR", &header);
    chunk(&mut file, b"PLTE", PALETTE.as_flattened());
    chunk(&mut file, b"IDAT", &stored(&pixels));
    chunk(&mut file, b"IEND", &[]);
    file
}

fn chunk(file: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    file.extend((data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend(kind);
    file.extend(data);
    let sum = crc32(&file[start..]);
    file.extend(sum.to_be_bytes());
}

/// A zlib stream of stored (uncompressed) blocks.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut out = vec![0x78, 0x01];
    let blocks = data.chunks(0xffff);
    let last = blocks.len().saturating_sub(1);
    for (i, block) in blocks.enumerate() {
        let length = block.len() as u16;
        out.push(u8::from(i == last));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(block);
    }
    let (a, b) = data.iter().fold((1u32, 0u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (a + b) % 65_521)
    });
    out.extend((b << 16 | a).to_be_bytes());
    out
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
