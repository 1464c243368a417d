//! Archives of files: ZIP for 0.x, gzipped tar for 1.x.
//!
//! ZIP entries are stored uncompressed: every unzip tool reads them, and writing them needs only a checksum.

use std::io;

use flate2::write::GzEncoder;
use flate2::{Compression, Crc};

/// A gzipped tar archive of these `(name, bytes)`. Fails if a name does not fit into a tar header.
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

/// A ZIP archive of these `(name, bytes)`.
pub fn zip<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let (mut archive, mut directory, mut count) = (Vec::new(), Vec::new(), 0u16);
    for (name, data) in files {
        let offset = archive.len() as u32;
        let size = (data.len() as u32).to_le_bytes();
        // Version 2.0, UTF-8 names, stored, 1980-01-01.
        let mut fields = vec![20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0];
        let mut checksum = Crc::new();
        checksum.update(data);
        fields.extend(checksum.sum().to_le_bytes());
        fields.extend(size);
        fields.extend(size);
        fields.extend((name.len() as u16).to_le_bytes());
        fields.extend([0, 0]);

        archive.extend(b"PK\x03\x04");
        archive.extend(&fields);
        archive.extend(name.as_bytes());
        archive.extend(data);

        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&fields);
        directory.extend([0; 10]); // No comment, first disk, plain attributes.
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
        count += 1;
    }
    let start = archive.len() as u32;
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend(count.to_le_bytes());
    archive.extend(count.to_le_bytes());
    archive.extend((directory.len() as u32).to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend([0, 0]);
    archive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_ends_with_a_directory_that_points_at_its_entries() {
        let archive = zip([("a.txt", &b"hello"[..]), ("dir/b.txt", b"")].into_iter());
        assert!(archive.starts_with(b"PK\x03\x04"));
        let end = &archive[archive.len() - 22..];
        assert_eq!(&end[..4], b"PK\x05\x06");
        assert_eq!(end[10], 2, "two entries");
        let start = u32::from_le_bytes(end[16..20].try_into().unwrap()) as usize;
        assert_eq!(&archive[start..start + 4], b"PK\x01\x02");
    }
}
