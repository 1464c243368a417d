//! A client in another language, which knows nothing but the OpenAPI document.

use super::{pending, token};
use crate::people::house::House;
use serde_json::{Value, json};
use std::process::{Command, Output};
use tokio::task::spawn_blocking;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_made_of_the_description_alone_does_the_work() {
    let version = Command::new("python3").arg("--version").output();
    if version.is_err() && std::env::var_os("HANDRAIL_ALL").is_none() {
        eprintln!("not tested: there is no python3");
        return;
    }
    let house = House::new().await;
    let operator = house.log_in("operator").await;
    let secret = token(&house, &operator, "read send approve").await;
    let url = format!("http://{}", house.served.process.address);
    let call = async |arguments: &[&str]| -> Output {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/api_client.py");
        let mut command = Command::new("python3");
        command
            .arg(script)
            .args(arguments)
            .env("HANDRAIL_URL", &url)
            .env("HANDRAIL_TOKEN", &secret);
        let output = spawn_blocking(move || command.output()).await;
        output
            .expect("starting does not panic")
            .expect("there is a python3")
    };
    let done = async |arguments: &[&str]| -> Value {
        let output = call(arguments).await;
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {error}");
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let body = format!(
        "body={}",
        json!({ "message": "[[scenario:confirm]] in Python" })
    );
    let made = done(&["create_conversation", &body, "key=once"]).await;
    let again = done(&["create_conversation", &body, "key=once"]).await;
    assert_eq!(made, again);
    let id = made["id"].as_str().expect("an id");
    let approval = pending(&house, &secret, id).await;
    let at = format!("id={id}");
    assert_eq!(done(&["get_approval", &at]).await["approval"], approval);
    let body = format!("body={}", json!({ "token": approval["token"] }));
    // Python takes longer to start than reading must.
    tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    assert_eq!(
        done(&["approve", &at, &body]).await,
        json!({ "done": true })
    );
    let events = done(&["list_events", &at, "limit=2"]).await;
    assert_eq!(events["events"].as_array().expect("a list").len(), 2);
    let refused = call(&["list_people"]).await;
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(words.starts_with("403 scope"), "{words}");
}
