//! Screenshots and a plot: tiny pictures in four colours, as `data:` URLs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const SCREENSHOT: &[u8] = include_bytes!("pictures/screenshot.png");
const SET_OF_MARKS: &[u8] = include_bytes!("pictures/set_of_marks.png");
const CHART: &[u8] = include_bytes!("pictures/chart.png");

/// A page with a title bar, an address line and some lines of "text".
pub fn screenshot() -> String {
    data_url(SCREENSHOT)
}

/// The same page with a frame around clickable elements, as in `set_of_marks`.
pub fn set_of_marks() -> String {
    data_url(SET_OF_MARKS)
}

/// A bar chart.
pub fn chart() -> String {
    data_url(CHART)
}

fn data_url(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", STANDARD.encode(png))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pictures_are_whole_and_small_png_files() {
        for file in [SCREENSHOT, SET_OF_MARKS, CHART] {
            assert!(file.starts_with(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"));
            assert!(file.ends_with(b"IEND\xae\x42\x60\x82"));
            assert!(file.len() < 1_000, "{} bytes", file.len());
        }
    }
}
