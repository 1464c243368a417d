//! Programs whose words are themselves commands or code, so that a comparison of words says little.
//!
//! The lists make rules narrower where a mistake is likely. They are no boundary: whatever program a rule names may run
//! what the agent has written, and the page says so.

/// Shells, what runs the command that follows it, and what changes the shell. No rule answers these.
const RUN_OTHERS: &[&str] = &[
    ".",
    "alias",
    "ash",
    "at",
    "bash",
    "batch",
    "bind",
    "builtin",
    "busybox",
    "chroot",
    "chrt",
    "command",
    "complete",
    "coproc",
    "crontab",
    "csh",
    "dash",
    "dbus-run-session",
    "declare",
    "doas",
    "enable",
    "entr",
    "env",
    "eval",
    "exec",
    "expect",
    "export",
    "fakeroot",
    "fc",
    "firejail",
    "fish",
    "flock",
    "function",
    "gdb",
    "hash",
    "history",
    "ionice",
    "ksh",
    "let",
    "local",
    "ltrace",
    "mapfile",
    "mksh",
    "nice",
    "nohup",
    "nsenter",
    "parallel",
    "pkexec",
    "pwsh",
    "read",
    "readonly",
    "screen",
    "script",
    "set",
    "setsid",
    "sh",
    "shopt",
    "socat",
    "source",
    "ssh",
    "sshpass",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "tcsh",
    "time",
    "timeout",
    "tmux",
    "toybox",
    "trap",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "unshare",
    "watch",
    "xargs",
    "yash",
    "zsh",
];

/// Programs that take code or commands among their words, write wherever these say, or destroy: only exact words are allowed.
const EXACT: &[&str] = &[
    "ansible",
    "apt",
    "apt-get",
    "awk",
    "bun",
    "bunx",
    "bzip2",
    "cargo",
    "chgrp",
    "chmod",
    "chown",
    "cp",
    "csplit",
    "curl",
    "dd",
    "deno",
    "docker",
    "dot",
    "ed",
    "emacs",
    "ex",
    "fdisk",
    "find",
    "ftp",
    "gawk",
    "gh",
    "git",
    "go",
    "gunzip",
    "gzip",
    "halt",
    "helm",
    "ifconfig",
    "install",
    "ip",
    "iptables",
    "java",
    "javac",
    "kill",
    "killall",
    "kubectl",
    "link",
    "ln",
    "logrotate",
    "lua",
    "make",
    "mawk",
    "mkfifo",
    "mkfs",
    "mknod",
    "mkswap",
    "mount",
    "mv",
    "mysql",
    "nawk",
    "nc",
    "ncat",
    "nmap",
    "node",
    "npm",
    "npx",
    "nvim",
    "openssl",
    "parted",
    "passwd",
    "perl",
    "php",
    "pip",
    "pipx",
    "pkill",
    "pnpm",
    "podman",
    "poetry",
    "poweroff",
    "printf",
    "psql",
    "python",
    "reboot",
    "rm",
    "rsync",
    "ruby",
    "scp",
    "sed",
    "service",
    "sftp",
    "shred",
    "shutdown",
    "split",
    "sqlite",
    "systemctl",
    "tar",
    "tclsh",
    "tee",
    "telnet",
    "terraform",
    "truncate",
    "ts-node",
    "tsx",
    "umount",
    "uniq",
    "unlink",
    "unzip",
    "useradd",
    "uv",
    "uvx",
    "vagrant",
    "vi",
    "vim",
    "wget",
    "xz",
    "yarn",
    "zip",
    "zstd",
];

/// Programs of which an option runs commands or writes: options must be named.
const EXACT_OPTIONS: &[&str] = &[
    "ag", "bat", "date", "fd", "file", "hostname", "less", "man", "more", "nm", "objdump", "rg",
    "sort", "strings", "test", "tree", "xxd",
];

/// Programs of [`EXACT`] whose first word says what they do: with it, further names (not options) are allowed.
const NAMED: &[(&str, &[&str])] = &[
    (
        "cargo",
        &["build", "check", "clippy", "doc", "fmt", "test", "tree"],
    ),
    (
        "git",
        &["add", "blame", "diff", "log", "ls-files", "show", "status"],
    ),
    ("go", &["build", "fmt", "test", "vet"]),
    ("gh", &["status"]),
    ("make", &["all", "check", "clean", "lint", "test"]),
    ("npm", &["ls", "outdated", "test"]),
    ("pnpm", &["ls", "outdated", "test"]),
    ("yarn", &["list", "outdated", "test"]),
];

/// The program without its folder and the version at its end.
fn base(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.' || letter == '-')
}

fn is_in(list: &[&str], name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    list.contains(&last) || list.contains(&base(name))
}

/// Whether a program is a shell, changes the shell, or runs the command that follows it.
pub(super) fn runs_others(name: &str) -> bool {
    // `.` alone has no base; keys of a terminal look like `C-c`.
    name == "." || (name.len() == 3 && name.starts_with("C-")) || is_in(RUN_OTHERS, name)
}

/// Whether a rule about this command must name all of its words.
pub(super) fn needs_exact_words(words: &[String]) -> bool {
    let Some(name) = words.first() else {
        return true;
    };
    if !is_in(EXACT, name) {
        return false;
    }
    let named = NAMED.iter().find(|(program, _)| program == name);
    let verb = words.get(1).map(String::as_str);
    !named.is_some_and(|(_, verbs)| verb.is_some_and(|verb| verbs.contains(&verb)))
}

/// Whether a rule about this command must name all of its options.
pub(super) fn needs_exact_options(words: &[String]) -> bool {
    let is_exact = |name: &String| is_in(EXACT, name) || is_in(EXACT_OPTIONS, name);
    words.first().is_none_or(is_exact)
}
