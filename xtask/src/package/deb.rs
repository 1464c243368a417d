//! The Debian package: an `ar` archive of three files.

use std::{env, fmt::Write as _};

use anyhow::{Result, bail};

use super::{
    archive::{Entry, Times, tar_gz},
    needs::Needs,
};

/// Where files of the release lie in the system; others belong to the documentation.
const PLACES: [(&str, &str); 2] = [
    ("handrail", "usr/bin/handrail"),
    (
        "handrail.service",
        "usr/lib/systemd/system/handrail.service",
    ),
];
/// Files that a Debian package does not have.
const LEFT_OUT: [&str; 2] = ["data", "Containerfile"];
/// The user of the service, for systemd-sysusers.
const USER: &str = "u handrail - \"Handrail\" /var/lib/handrail\n";
/// Options of the service, which are kept when the package is replaced.
const OPTIONS: &str = "\
# Options of Handrail, one a line: see handrail --help for their names. For example:
# HANDRAIL_LISTEN=0.0.0.0:4100
# HANDRAIL_BACKEND=http://127.0.0.1:3000
# HANDRAIL_BACKUP_EVERY=24h
# HANDRAIL_BACKUP_TO=/var/lib/handrail/backups
";
const OPTIONS_PATH: &str = "etc/handrail/handrail.env";
const POSTINST: &str = "\
#!/bin/sh
set -e
if [ \"$1\" = configure ]; then
  systemd-sysusers handrail.conf
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    systemctl try-restart handrail.service
  fi
fi
";
const PRERM: &str = "\
#!/bin/sh
set -e
if [ \"$1\" = remove ] && [ -d /run/systemd/system ]; then
  systemctl disable --now handrail.service
fi
";

/// Debian's name of this machine's architecture. Errors: it has none here.
pub fn architecture() -> Result<&'static str> {
    Ok(match env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => bail!("no Debian package can be made for {other}"),
    })
}

/// The package. Errors: a library belongs to a package that is not known.
pub fn build(
    release: &[Entry],
    version: &str,
    architecture: &str,
    needs: &Needs,
    times: Times,
) -> Result<Vec<u8>> {
    let mut files: Vec<Entry> = release
        .iter()
        .filter(|entry| !LEFT_OUT.contains(&entry.name.as_str()))
        .map(|entry| {
            let place = PLACES.iter().find(|(name, _)| *name == entry.name);
            match place {
                Some((_, place)) => entry.named(place),
                None => entry.below("usr/share/doc/handrail"),
            }
        })
        .collect();
    files.push(Entry::file("usr/lib/sysusers.d/handrail.conf", USER.into()));
    files.push(Entry::file(OPTIONS_PATH, OPTIONS.into()));
    let size: usize = files.iter().map(|file| file.bytes.len()).sum();
    let control = format!(
        "Package: handrail\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: Handrail <root@localhost>\n\
         Depends: {}\nInstalled-Size: {}\nSection: web\nPriority: optional\n\
         Description: web dashboard for OpenHands coding agents\n Several people watch agents work, talk to them, and \
         approve or reject their actions,\n on a desktop or a phone.\n",
        depends(needs)?,
        size.div_ceil(1024)
    );
    let folders = parents(&files);
    files.extend(folders);
    let below_root = files.iter().map(|file| file.below(".")).collect();
    let control = vec![
        Entry::file("./control", control.into()),
        Entry::file("./conffiles", format!("/{OPTIONS_PATH}\n").into()),
        Entry::program("./postinst", POSTINST.into()),
        Entry::program("./prerm", PRERM.into()),
    ];
    let mut package = b"!<arch>\n".to_vec();
    for (name, bytes) in [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", tar_gz(control, times)?),
        ("data.tar.gz", tar_gz(below_root, times)?),
    ] {
        let mut header = String::new();
        writeln!(
            header,
            "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`",
            times.seconds,
            0,
            0,
            "100644",
            bytes.len()
        )?;
        package.extend(header.as_bytes());
        package.extend(&bytes);
        if bytes.len() % 2 == 1 {
            package.push(b'\n');
        }
    }
    Ok(package)
}

/// The folders of files, which dpkg has to know.
fn parents(files: &[Entry]) -> Vec<Entry> {
    let mut names: Vec<&str> = files
        .iter()
        .flat_map(|file| file.name.match_indices('/').map(|(at, _)| &file.name[..at]))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(Entry::folder).collect()
}

fn depends(needs: &Needs) -> Result<String> {
    let (major, minor) = needs.glibc;
    let mut packages = vec![
        "ca-certificates".to_owned(),
        format!("libc6 (>= {major}.{minor})"),
    ];
    for library in &needs.libraries {
        packages.push(match library.as_str() {
            "libc.so.6" | "libm.so.6" | "libdl.so.2" | "libpthread.so.0" | "librt.so.1" => continue,
            name if name.starts_with("ld-linux") => continue,
            "libgcc_s.so.1" => "libgcc-s1".to_owned(),
            "libssl.so.3" | "libcrypto.so.3" => "libssl3 | libssl3t64".to_owned(),
            other => bail!("the program needs {other}, and its Debian package is not known"),
        });
    }
    packages.push("systemd".to_owned());
    packages.sort();
    packages.dedup();
    Ok(packages.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_names_what_the_program_needs() {
        let needs = Needs {
            libraries: [
                "libc.so.6",
                "libssl.so.3",
                "libcrypto.so.3",
                "libgcc_s.so.1",
            ]
            .map(str::to_owned)
            .to_vec(),
            glibc: (2, 34),
        };
        assert_eq!(
            depends(&needs).expect("they are known"),
            "ca-certificates, libc6 (>= 2.34), libgcc-s1, libssl3 | libssl3t64, systemd"
        );
        let other = Needs {
            libraries: vec!["libodd.so.1".to_owned()],
            ..needs
        };
        assert!(depends(&other).is_err());
    }
}
