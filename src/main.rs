//! The `handrail` program: parses its options and serves until it is told to stop.

use rust_embed::RustEmbed;
use std::process::ExitCode;
use tokio::runtime::Builder;

/// The built site. `cargo xtask build` creates it; it is missing when only the server is compiled.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/target/site"]
#[allow_missing = true]
struct Site;

/// Names the site (`xtask/src/server.rs`), so that cargo embeds another one when there is one.
const _: Option<&str> = option_env!("HANDRAIL_SITE");

/// Returns unused memory to the system within seconds. Logins, uploads and large events allocate some MiB in bursts,
/// which the C library's allocator would keep forever. SQLite and OpenSSL use this allocator, too: the C library's one
/// would reserve 64 MiB of address space for each of 16 arenas. Its settings are in `.cargo/config.toml`.
#[cfg(all(target_os = "linux", feature = "jemalloc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Maximum number of blocking threads, each with a stack of 2 MiB. Their users are limited elsewhere to a few at a
/// time.
const BLOCKING_THREADS: usize = 64;

fn main() -> ExitCode {
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(BLOCKING_THREADS)
        .build()
        .expect("threads can be started");
    handrail::server::embed_site::<Site>();
    runtime.block_on(handrail::server::main())
}
