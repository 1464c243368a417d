//! Files, lists and settings.

use super::*;

#[tokio::test]
async fn files_are_listed_by_a_command_and_read_and_written_by_routes() {
    let server = start().await;
    let body = json!({"workspace": {"working_dir": "/srv/it's/w"}});
    let (_, info) = call(&server, "POST", "/api/conversations", Some(body)).await;
    let id = info["id"].as_str().unwrap();
    let list = async |folder: &str| {
        let folder = folder.replace('\'', r"'\''");
        let body = json!({"command": format!("ls -1Ap -- '{folder}'"), "cwd": "/"});
        call(
            &server,
            "POST",
            "/api/bash/execute_bash_command",
            Some(body),
        )
        .await
        .1
    };
    assert_eq!(
        list("/srv/it's/w/").await["stdout"],
        ".gitignore\nREADME.md\ntally.py\n"
    );
    assert_eq!(list("/nowhere").await["exit_code"], 2);
    let other = json!({"command": "rm -rf /"});
    let (_, refused) = call(
        &server,
        "POST",
        "/api/bash/execute_bash_command",
        Some(other),
    )
    .await;
    assert_eq!(refused["exit_code"], 126, "nothing is executed here");

    let part = reqwest::multipart::Part::bytes(b"new\n".to_vec()).file_name("a.txt");
    let form = reqwest::multipart::Form::new().part("file", part);
    let http = reqwest::Client::builder()
        .tls_built_in_root_certs(false)
        .build()
        .unwrap();
    let base = format!("http://{}", server.addr());
    let url = format!("{base}/api/file/upload?path=/srv/it's/w/a.txt");
    let answer = http.post(url).multipart(form).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let url = format!("{base}/api/conversations/{id}/workspace/a.txt");
    assert_eq!(
        http.get(url).send().await.unwrap().text().await.unwrap(),
        "new\n"
    );
    let (_, changes) = get(&server, "/api/git/changes?path=/srv/it's/w").await;
    assert_eq!(changes, json!([{"status": "ADDED", "path": "a.txt"}]));
    let (_, diff) = get(&server, "/api/git/diff?path=/srv/it's/w/a.txt").await;
    assert_eq!(diff, json!({"original": "", "modified": "new"}));
    let url = format!("{base}/api/file/archive?path=/srv/it's/w&format=tar.gz");
    let packed = http.get(url).send().await.unwrap().bytes().await.unwrap();
    let mut files = tar::Archive::new(flate2::read::GzDecoder::new(&packed[..]));
    let names = files.entries().unwrap().map(|file| {
        let file = file.unwrap();
        file.path().unwrap().display().to_string()
    });
    assert!(names.collect::<Vec<_>>().contains(&"a.txt".to_owned()));
    let (_, commits) = get(&server, "/api/git/commits?path=/srv/it's/w").await;
    let sha = commits["commits"][0]["sha"].as_str().unwrap();
    let path = format!("/api/git/commits/{sha}/changes?path=/srv/it's/w");
    let (_, changes) = get(&server, &path).await;
    assert_eq!(changes[1], json!({"status": "ADDED", "path": "README.md"}));
    let path = format!("/api/git/diff?path=/srv/it's/w/a.txt&commit={sha}");
    let (_, diff) = get(&server, &path).await;
    assert_eq!(
        diff,
        json!({"original": "", "modified": ""}),
        "it came later"
    );
    let (_, none) = get(&server, "/api/git/changes?path=/no/repository").await;
    assert_eq!(none, json!([]));
}

#[tokio::test]
async fn lists_come_in_pages_and_making_twice_makes_one() {
    let server = start().await;
    let id = "7a37b981-6483-4178-b8b1-2cfebce02175";
    for expected in [201, 200] {
        let body = json!({"conversation_id": id});
        assert_eq!(
            call(&server, "POST", "/api/conversations", Some(body))
                .await
                .0,
            expected
        );
    }
    create(&server).await;
    create(&server).await;
    let (_, count) = get(&server, "/api/conversations/count").await;
    assert_eq!(count, 3);
    let (_, page) = get(
        &server,
        "/api/conversations/search?limit=2&sort_order=CREATED_AT",
    )
    .await;
    assert_eq!(
        (
            page["items"][0]["id"].as_str(),
            page["items"].as_array().unwrap().len()
        ),
        (Some(id), 2)
    );
    let next = page["next_page_id"].as_str().unwrap();
    let path = format!("/api/conversations/search?limit=2&sort_order=CREATED_AT&page_id={next}");
    let (_, rest) = get(&server, &path).await;
    assert_eq!(
        (
            rest["items"].as_array().unwrap().len(),
            &rest["next_page_id"]
        ),
        (1, &Value::Null)
    );
    let (_, batch) = get(&server, &format!("/api/conversations?ids={id}&ids=unknown")).await;
    assert_eq!(
        (batch[0]["id"].as_str(), &batch[1]),
        (Some(id), &Value::Null)
    );
    assert_eq!(
        call(&server, "DELETE", &format!("/api/conversations/{id}"), None)
            .await
            .0,
        200
    );
    assert_eq!(
        call(&server, "DELETE", &format!("/api/conversations/{id}"), None)
            .await
            .0,
        404
    );
}

#[tokio::test]
async fn events_come_in_pages_and_an_unknown_page_begins_anew() {
    let server = start().await;
    let (id, mut socket) = create_conversation(&server, "[[scenario:long:20]]").await;
    socket.until_status("finished").await;
    let search = async |query: &str| {
        let path = format!("/api/conversations/{id}/events/search?{query}");
        get(&server, &path).await.1
    };
    let first = search("limit=3").await;
    let second = search(&format!(
        "limit=3&page_id={}",
        first["next_page_id"].as_str().unwrap()
    ))
    .await;
    assert_ne!(first["items"][0]["id"], second["items"][0]["id"]);
    assert_eq!(search("limit=3&page_id=nonsense").await, first);
    let newest = search("limit=1&sort_order=TIMESTAMP_DESC").await;
    assert_eq!(newest["items"][0]["value"], "finished");
    let system = search("kind=SystemPromptEvent").await;
    assert_eq!(system["items"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn settings_are_changed_by_a_difference_and_keys_never_come_back() {
    let server = start().await;
    let change = json!({
        "agent_settings_diff": {"llm": {"model": "openai/x", "api_key": "sk-secret"}, "mcp_config": {"a": {"url": "http://x"}}},
        "conversation_settings_diff": {"confirmation_mode": false},
    });
    let (status, answer) = call(&server, "PATCH", "/api/settings", Some(change)).await;
    assert_eq!(
        (status, &answer["agent_settings"]["llm"]["model"]),
        (200, &json!("openai/x"))
    );
    assert!(!answer.to_string().contains("sk-secret"));
    let gone = json!({"agent_settings_diff": {"mcp_config": {"a": null}}});
    let (_, answer) = call(&server, "PATCH", "/api/settings", Some(gone)).await;
    assert_eq!(answer["agent_settings"]["mcp_config"], json!({}));
    let (_, info) = call(&server, "POST", "/api/conversations", Some(json!({}))).await;
    assert_eq!(info["confirmation_policy"]["kind"], "NeverConfirm");
    let secret = json!({"name": "S", "value": "v", "description": "d"});
    assert_eq!(
        call(&server, "PUT", "/api/settings/secrets", Some(secret))
            .await
            .0,
        200
    );
    let (_, secrets) = get(&server, "/api/settings/secrets").await;
    assert_eq!(
        secrets,
        json!({"secrets": [{"name": "S", "description": "d"}]})
    );
}

#[tokio::test]
async fn a_copy_goes_its_own_way() {
    let server = start().await;
    let (id, mut socket) = create_conversation(&server, "hello").await;
    socket.until_status("finished").await;
    let (status, fork) = post(&server, &id, "fork", json!({"title": "A fork"})).await;
    assert_eq!((status, &fork["title"]), (201, &json!("A fork")));
    assert_eq!(fork["forked_from_conversation_id"], *id);
    let path = format!(
        "/api/conversations/{}/events/count",
        fork["id"].as_str().unwrap()
    );
    assert!(get(&server, &path).await.1.as_u64().unwrap() > 3);
    // At an event, it has what was up to there.
    let path = format!("/api/conversations/{id}/events/search");
    let (_, page) = get(&server, &path).await;
    let third = page["items"][2]["id"].clone();
    let (status, fork) = post(&server, &id, "fork", json!({"from_event_id": third})).await;
    assert_eq!((status, &fork["forked_from_event_id"]), (201, &third));
    let path = format!(
        "/api/conversations/{}/events/search",
        fork["id"].as_str().unwrap()
    );
    let (_, copied) = get(&server, &path).await;
    let ids = |page: &Value| -> Vec<Value> {
        let items = page["items"].as_array().unwrap().iter();
        items.map(|event| event["id"].clone()).collect()
    };
    assert!(ids(&copied).starts_with(&ids(&page)[..3]));
    assert!(!ids(&copied).contains(&page["items"][3]["id"]));
    let (status, _) = post(&server, &id, "fork", json!({"from_event_id": "none"})).await;
    assert_eq!(status, 404);
}
