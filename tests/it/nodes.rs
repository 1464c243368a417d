//! Several nodes on one PostgreSQL: one serves, the others forward to it and take over. `cargo xtask test --postgres-only`
//! runs these tests, too.

use crate::cluster::{Cluster, signal, sql};
use crate::process::{call, command, create, question};
use crate::stage::{is_at_rest, soon};
use crate::tab::{LONG, Tab};
use handrail::api::SendMessage;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::time::Duration;
use tokio::task::spawn_blocking;

/// Says something, and waits for the agent's answer in a page of this node.
async fn works(address: SocketAddr, id: &str, text: &str) {
    let mut tab = soon("a page is open", async || {
        let mut tab = Tab::new(id);
        tab.connect(address).await.then_some(tab)
    })
    .await;
    let said = async || {
        let fields = [("id", id), ("text", text)];
        call::<SendMessage>(address, &fields).await.ok()
    };
    soon("a message is taken", said).await;
    tab.until("the message is shown", |tab| tab.shows(text))
        .await;
    tab.session("the work is done", is_at_rest).await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_node_that_waits_forwards_and_takes_over_from_one_that_is_killed() {
    let cluster = Cluster::new().await;
    let (first, second) = cluster.pair().await;
    let id = create(second.address, "[[scenario:hello]]").await;
    let mut tab = Tab::new(&id);
    assert!(tab.connect(second.address).await);
    tab.session("the work is done", is_at_rest).await;
    works(first.address, &id, "said to the first").await;
    tab.until("both nodes show it", |tab| tab.shows("said to the first"))
        .await;
    let ready = reqwest::get(format!("http://{}/readyz", second.address)).await;
    assert_eq!(
        ready.expect("it answers").text().await.expect("text"),
        "stands by"
    );

    let holder = cluster.holder().await;
    first.kill();
    let took = cluster.taken_from(&holder).await;
    // One that hangs is waited for longer.
    assert!(took < Duration::from_secs(14), "{took:?}");
    works(second.address, &id, "said to the second").await;
    let mut after = Tab::new(&id);
    assert!(after.connect(second.address).await);
    after
        .until("nothing is lost", |tab| {
            tab.shows("said to the first") && tab.shows("said to the second")
        })
        .await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_node_that_ends_hands_over_at_once_and_waits_when_it_is_back() {
    let cluster = Cluster::new().await;
    let (first, second) = cluster.pair().await;
    let id = create(first.address, "[[scenario:hello]]").await;
    works(second.address, &id, "before").await;
    let holder = cluster.holder().await;
    first.terminate();
    assert!(first.ended().await.success());
    let took = cluster.taken_from(&holder).await;
    // One that was killed is waited for longer.
    assert!(took < Duration::from_millis(3_900), "{took:?}");
    works(second.address, &id, "between").await;
    let back = cluster.start("a").await;
    works(back.address, &id, "after").await;
    assert_eq!(cluster.holder().await.len(), 16);
    let nodes = sql(&cluster.database, "SELECT id FROM handrail.node").await;
    assert_eq!(nodes.len(), 2, "the node that ended is gone");
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_node_that_was_stopped_changes_nothing_when_it_goes_on() {
    let cluster = Cluster::new().await;
    let (first, second) = cluster.pair().await;
    let id = create(first.address, "[[scenario:hello]]").await;
    works(second.address, &id, "before").await;
    let holder = cluster.holder().await;
    signal(&first, "-STOP");
    cluster.taken_from(&holder).await;
    // What was sent to the node while it was stopped is in its socket.
    let (late, to) = (id.clone(), first.address);
    let late = tokio::spawn(async move {
        let fields = [("id", late.as_str()), ("text", "too late")];
        let asked = question::<SendMessage>(to).form(&fields).send();
        tokio::time::timeout(LONG, asked).await
    });
    tokio::time::sleep(Duration::from_millis(200)).await;
    works(second.address, &id, "while it is stopped").await;
    signal(&first, "-CONT");
    assert!(
        !first.ended().await.success(),
        "it ends, to be started again"
    );
    if let Ok(Ok(answer)) = late.await.expect("no panic") {
        assert!(!answer.status().is_success(), "{answer:?}");
    }
    let mut tab = Tab::new(&id);
    assert!(tab.connect(second.address).await);
    tab.until("the second goes on", |tab| tab.shows("while it is stopped"))
        .await;
    assert!(!tab.shows("too late"));
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_node_whose_connections_are_cut_keeps_the_lease() {
    let cluster = Cluster::new().await;
    let (first, second) = cluster.pair().await;
    let id = create(first.address, "[[scenario:hello]]").await;
    let holder = cluster.holder().await;
    for round in 0..3 {
        let cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid()";
        sql(&cluster.database, cut).await;
        works(second.address, &id, &format!("round {round}")).await;
    }
    assert_eq!(cluster.holder().await, holder);
    // Nor can a process that is no node use the database.
    let locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1751215717 AND granted
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    soon("the lock is taken again", async || {
        (sql(&cluster.database, locks).await == ["1"]).then_some(())
    })
    .await;
}

#[tokio::test]
#[ignore = "needs a PostgreSQL"]
async fn a_node_that_does_not_fit_is_refused_with_a_sentence() {
    let cluster = Cluster::new().await;
    let first = cluster.start("a").await;
    let refused = async |mut command: Command| {
        command.stderr(Stdio::piped());
        let output = spawn_blocking(move || command.output().expect("it is built")).await;
        let output = output.expect("no panic");
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let other = refused(cluster.command("b", &["--base", "/elsewhere/"])).await;
    assert!(
        other.contains("--base") && !other.contains("--hsts"),
        "{other}"
    );
    let secret = cluster.folder.path().join("other");
    std::fs::write(&secret, "t".repeat(40)).expect("it is written");
    let secret = secret.to_str().expect("a path");
    let mut stranger = cluster.command("c", &[]);
    stranger.env("HANDRAIL_LOG", "error");
    let arguments: Vec<_> = stranger
        .get_args()
        .map(|argument| argument.to_owned())
        .collect();
    let mut stranger = Command::new(stranger.get_program());
    let old = cluster.folder.path().join("secret");
    stranger
        .args(
            arguments
                .iter()
                .map(|argument| match argument == old.as_os_str() {
                    true => secret.as_ref(),
                    false => argument.as_os_str(),
                }),
        )
        .env_clear();
    let stranger = refused(stranger).await;
    assert!(stranger.contains("cluster secret"), "{stranger}");
    // The doctor says the same beforehand.
    let mut examined = cluster.command("e", &["--base", "/elsewhere/"]);
    examined.arg("doctor");
    let output = spawn_blocking(move || examined.output().expect("it is built")).await;
    let told = String::from_utf8_lossy(&output.expect("no panic").stdout).into_owned();
    assert!(
        told.contains("WRONG  node") && told.contains("--base"),
        "{told}"
    );
    let mut examined = cluster.command("e", &[]);
    examined.arg("doctor");
    let output = spawn_blocking(move || examined.output().expect("it is built")).await;
    let told = String::from_utf8_lossy(&output.expect("no panic").stdout).into_owned();
    assert!(told.contains("serves, and accepts this node"), "{told}");
    // One that was not started as a node.
    let alone = ["--trust-local", "--database", &cluster.database];
    let alone = refused(command(&cluster.folder.path().join("d"), &alone)).await;
    assert!(
        alone.contains("another Handrail uses this database"),
        "{alone}"
    );
    let id = create(first.address, "[[scenario:hello]]").await;
    works(first.address, &id, "nothing has happened").await;
}
