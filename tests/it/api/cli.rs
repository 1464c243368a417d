//! The program as a client of a server that is another process of it.

use super::{get, pending, token};
use crate::people::house::House;
use crate::stage::soon;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;
use tokio::task::spawn_blocking;

/// The program with a folder for its configuration.
fn program(config: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_handrail"));
    command
        .args(arguments)
        .env_clear()
        .env("XDG_CONFIG_HOME", config)
        .stdin(Stdio::null());
    command
}

async fn run(config: &Path, arguments: &[&str]) -> Output {
    let mut command = program(config, arguments);
    let output = spawn_blocking(move || command.output()).await;
    output
        .expect("starting does not panic")
        .expect("it is built")
}

/// What a command prints that succeeds.
async fn printed(config: &Path, arguments: &[&str]) -> String {
    let output = run(config, arguments).await;
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What a command says that fails.
async fn refused(config: &Path, arguments: &[&str]) -> String {
    let output = run(config, arguments).await;
    assert!(!output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_terminal_is_enough_to_follow_and_to_answer() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let folder = TempDir::new().expect("a temporary folder");
    let config = folder.path();
    let secret = token(&house, &operator, "read send approve").await;
    let url = format!("http://{}", house.served.process.address);

    let unknown = refused(config, &["ls"]).await;
    assert!(unknown.contains("handrail login"), "{unknown}");
    let mut login = program(config, &["login", &url]);
    login.stdin(Stdio::piped()).stdout(Stdio::piped());
    let said = secret.clone();
    let login = spawn_blocking(move || {
        let mut child = login.spawn().expect("it is built");
        let mut input = child.stdin.take().expect("it is piped");
        writeln!(input, "{said}").expect("it reads");
        drop(input);
        child.wait_with_output().expect("it ends")
    });
    let login = login.await.expect("starting does not panic");
    let words = String::from_utf8_lossy(&login.stdout).into_owned();
    assert!(
        login.status.success() && words.contains("operator"),
        "{login:?}"
    );
    assert!(!words.contains(&secret));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = config.join("handrail/client.toml");
        let mode = file.metadata().expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(&file, open).expect("it is ours");
        assert!(refused(config, &["ls"]).await.contains("chmod"));
        let closed = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&file, closed).expect("it is ours");
    }

    let id = house
        .create_conversation(&operator, "[[scenario:confirm]] for a terminal")
        .await;
    let approval = pending(&house, &secret, &id).await;
    let asked = approval["token"].as_str().expect("a text").to_owned();
    assert!(printed(config, &["ls"]).await.contains(&id));
    assert!(printed(config, &["inbox"]).await.contains(&id));
    let shown = printed(config, &["show", &id]).await;
    assert!(
        shown.contains("needs approval") && shown.contains("for a terminal"),
        "{shown}"
    );
    let json: Value =
        serde_json::from_str(&printed(config, &["inbox", "--json"]).await).expect("JSON");
    assert_eq!(
        json["waiting"][0]["conversation"]["id"],
        Value::from(id.as_str())
    );

    // Without a terminal and without the token nothing is sent, but what waits is printed.
    let nothing = run(config, &["approve", &id]).await;
    let words = String::from_utf8_lossy(&nothing.stdout).into_owned();
    let subject = approval["actions"][0]["subject"].as_str().expect("a text");
    assert!(
        !nothing.status.success() && words.contains(subject) && words.contains(&asked),
        "{nothing:?}"
    );
    let wrong = refused(config, &["approve", &id, "--token", &"0".repeat(64)]).await;
    assert!(wrong.contains("something else waits"), "{wrong}");

    let state = get(&house, &format!("conversations/{id}"), &secret).await;
    let before = super::said(state, 200).await["seq"]
        .as_i64()
        .expect("a number");
    let mut watching = program(config, &["watch", &id, "--json", "--after", "0"]);
    let mut watching = watching
        .stdout(Stdio::piped())
        .spawn()
        .expect("it is built");
    let lines = BufReader::new(watching.stdout.take().expect("it is piped")).lines();
    let watched = spawn_blocking(move || {
        let mut seqs = Vec::new();
        for line in lines.map_while(Result::ok) {
            let line: Value = serde_json::from_str(&line).expect("JSON");
            if line["event"] == "event" {
                seqs.push(line["data"]["seq"].as_i64().expect("a number"));
            }
            // What the agent does after the answer.
            if seqs.last() > Some(&before) {
                break;
            }
        }
        seqs
    });
    let approved = printed(config, &["approve", &id, "--token", &asked]).await;
    assert!(
        approved.contains(&format!("Approved. Token: {asked}")),
        "{approved}"
    );
    let seqs = tokio::time::timeout(crate::tab::LONG, watched).await;
    watching.kill().expect("it runs");
    watching.wait().expect("it is our child");
    let seqs = seqs.expect("it goes on").expect("reading does not panic");
    let wanted: Vec<i64> = (1..=seqs.len() as i64).collect();
    assert_eq!(seqs, wanted, "in order, without a gap");

    soon("a message is sent", async || {
        let sent = run(config, &["send", &id, "over and out"]).await;
        sent.status.success().then_some(())
    })
    .await;
    soon("it is found", async || {
        let found = printed(config, &["search", "out"]).await;
        found.contains(&id).then_some(())
    })
    .await;
    assert!(printed(config, &["usage"]).await.contains("30 days"));
    assert!(
        printed(config, &["export", &id, "--format", "md"])
            .await
            .contains("for a terminal")
    );
    let evidence = printed(config, &["evidence", &id]).await;
    let file = config.join("evidence.json");
    std::fs::write(&file, evidence).expect("it is written");
    let checked = printed(config, &["audit", "verify", file.to_str().expect("UTF-8")]).await;
    let (approvals, all) = super::evidence::counted(&checked, "approvals");
    assert!(approvals > 0 && approvals == all, "{checked}");
    let completions = printed(config, &["completions", "bash"]).await;
    assert!(completions.contains("approve"), "{}", completions.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_agent_wrote_reaches_no_terminal_as_it_is() {
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let folder = TempDir::new().expect("a temporary folder");
    let secret = token(&house, &operator, "read").await;
    let url = format!("http://{}", house.served.process.address);
    let message = "[[scenario:hello]] \u{1b}]0;owned\u{7} \u{202e}evil\u{200b}";
    let id = house.create_conversation(&operator, message).await;
    soon("it is stored", async || {
        let mut command = program(folder.path(), &["show", &id]);
        command
            .env("HANDRAIL_URL", &url)
            .env("HANDRAIL_TOKEN", &secret);
        let output = spawn_blocking(move || command.output()).await;
        let output = output
            .expect("starting does not panic")
            .expect("it is built");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        let is_harmful = |letter: char| "\u{1b}\u{7}\u{202e}\u{200b}".contains(letter);
        assert!(!text.contains(is_harmful), "{text:?}");
        text.contains("evil").then_some(())
    })
    .await;
}
