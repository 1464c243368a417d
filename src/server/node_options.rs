//! Options of one of several nodes.

use clap::Args;
use std::path::PathBuf;

/// Options of a node.
#[derive(Debug, Clone, Args)]
#[group(id = "node_options")]
pub struct Options {
    /// Address at which other nodes of the same database reach this one. With it several may run: one serves, and the others
    /// forward what they are asked to it, and take over when it ends. Every node needs one, and its own data folder.
    #[arg(
        long,
        env = "HANDRAIL_NODE_ADDRESS",
        value_name = "HOST:PORT",
        requires = "cluster_secret_file"
    )]
    pub node_address: Option<String>,

    /// File with the secret of all nodes on its first line, at least 32 characters: openssl rand -hex 32.
    #[arg(
        long,
        env = "HANDRAIL_CLUSTER_SECRET_FILE",
        value_name = "FILE",
        requires = "node_address"
    )]
    pub cluster_secret_file: Option<PathBuf>,
}
