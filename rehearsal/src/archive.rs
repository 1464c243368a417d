//! Archives of files: ZIP for 0.x, gzipped tar for 1.x.

use std::io::{self, Cursor, Write as _};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// A gzipped tar archive of these `(name, bytes)`. Errors: a name does not fit into a tar header.
pub fn tar_gz<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, data) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(data.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, data)?;
    }
    archive.into_inner()?.finish()
}

/// A ZIP archive of these `(name, bytes)`, uncompressed. Errors: a name is too long, or there twice.
pub fn zip<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> io::Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, data) in files {
        archive.start_file(name, stored)?;
        archive.write_all(data)?;
    }
    Ok(archive.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_ends_with_a_directory_that_points_at_its_entries() {
        let files = [("a.txt", &b"hello"[..]), ("dir/b.txt", b"")];
        let archive = zip(files.into_iter()).unwrap();
        assert!(archive.starts_with(b"PK\x03\x04"));
        let end = &archive[archive.len() - 22..];
        assert_eq!(&end[..4], b"PK\x05\x06");
        assert_eq!(end[10], 2, "two entries");
        let start = u32::from_le_bytes(end[16..20].try_into().unwrap()) as usize;
        assert_eq!(&archive[start..start + 4], b"PK\x01\x02");
    }
}
