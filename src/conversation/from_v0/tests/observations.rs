//! Observations: each kind reports failures in its own way.

use super::*;

#[test]
fn a_failed_edit_begins_with_error_and_a_file_that_does_is_no_failure() {
    assert!(result("edit", "ERROR:\nno", json!({"impl_source": "oh_aci"})).failed);
    assert!(result("read", "ERROR:\nno", json!({"impl_source": "oh_aci"})).failed);
    assert!(
        !result(
            "read",
            "ERROR: line one of a log",
            json!({"impl_source": "default"})
        )
        .failed
    );
    assert!(
        !result(
            "edit",
            "The file says ERROR: here",
            json!({"impl_source": "oh_aci"})
        )
        .failed
    );
}

#[test]
fn a_numbered_file_is_known_by_its_heading() {
    let content = "Here's the result of running `cat -n` on /w/a:\n     1\tx\n";
    let read = result(
        "read",
        content,
        json!({"path": "/w/a", "impl_source": "oh_aci"}),
    );
    assert_eq!(
        (read.shape, read.path.as_deref()),
        (ResultShape::NumberedFile, Some("/w/a"))
    );
    assert_eq!(
        result("read", "x\n", json!({"impl_source": "default"})).shape,
        ResultShape::Plain
    );
}

#[test]
fn a_command_tells_how_it_ended_once() {
    let extras = |code: i64, suffix: &str| {
        json!({"metadata": {"exit_code": code, "working_dir": "/w", "prefix": "[cut]",
        "username": null, "suffix": suffix}})
    };
    let failed = result(
        "run",
        "no",
        extras(7, "\n[The command completed with exit code 7.]"),
    );
    assert_eq!(
        (failed.exit_code, failed.failed, failed.path.as_deref()),
        (Some(7), true, Some("/w"))
    );
    assert_eq!(failed.remarks, ["[cut]"]);
    let unfinished = result("run", "", extras(-1, "\n[The command has no new output.]"));
    assert_eq!(
        (
            unfinished.exit_code,
            unfinished.unfinished,
            unfinished.failed
        ),
        (None, true, false)
    );
    assert_eq!(
        unfinished.remarks,
        ["[cut]", "[The command has no new output.]"]
    );
}

#[test]
fn a_cell_fails_by_jupyters_traceback_and_by_no_other() {
    let ruler = "-".repeat(75);
    let raised = format!(
        "before\n{ruler}\nZeroDivisionError          Traceback (most recent call last)\nCell In[1], line 1"
    );
    let cases = [
        (raised.as_str(), true),
        (
            "  Cell In[2], line 1\n    1/\n      ^\nSyntaxError: invalid syntax",
            true,
        ),
        ("Traceback (most recent call last)\n  in a log file", false),
        (
            "--------\nno ruler, no Traceback (most recent call last)",
            false,
        ),
        ("SyntaxError: printed by the code", false),
        ("42", false),
    ];
    for (text, failed) in cases {
        let content = format!(
            "{text}\n[Jupyter current working directory: /w]\n[Jupyter Python interpreter: /p]"
        );
        let cell = result("run_ipython", &content, json!({"image_urls": null}));
        assert_eq!(
            (cell.failed, cell.text.as_str(), cell.remarks.len()),
            (failed, text, 2),
            "{text}"
        );
    }
}

#[test]
fn an_mcp_answer_is_its_texts_and_its_failure_is_inside() {
    let content = json!({"content": [{"type": "text", "text": "2"}, {"type": "text", "text": "3"},
        {"type": "image", "data": "AAAA", "mimeType": "image/png"}], "isError": true});
    let answer = result("mcp", &content.to_string(), json!({}));
    assert_eq!(
        (answer.text.as_str(), answer.failed, answer.shape),
        ("2\n3", true, ResultShape::Plain)
    );
    assert_eq!(answer.images, ["data:image/png;base64,AAAA"]);
    let odd = json!({"content": [{"type": "resource"}], "isError": false}).to_string();
    let answer = result("mcp", &odd, json!({}));
    assert_eq!((answer.text, answer.shape), (odd, ResultShape::Json));
    assert_eq!(result("mcp", "plain words", json!({})).text, "plain words");
}

#[test]
fn pictures_are_addresses_of_pictures_only() {
    let page = |screenshot: &str| {
        result(
            "browse",
            "",
            json!({"screenshot": screenshot, "error": false}),
        )
        .images
        .len()
    };
    assert_eq!(page("data:image/png;base64,AAAA"), 1);
    assert_eq!(
        (
            page(""),
            page("javascript:alert(1)"),
            page("data:text/html,x")
        ),
        (0, 0, 0)
    );
}

#[test]
fn an_edit_by_a_model_has_both_texts_and_one_by_the_editor_its_diff() {
    let by = |source: &str, diff: Option<&str>| {
        let extras = json!({"path": "/w/a", "old_content": "a", "new_content": "b", "impl_source": source, "diff": diff});
        let edit = result("edit", "--- a", extras);
        (edit.shows_change(), edit.texts.is_some(), edit.diff)
    };
    assert_eq!(by("llm_based_edit", None), (true, true, None));
    let diff = "@@ -5 +5 @@\n-a\n+b\n";
    let drawn = Some(diff.to_owned());
    assert_eq!(by("oh_aci", Some(diff)), (true, false, drawn));
    assert_eq!(by("oh_aci", None), (false, false, None));
}

#[test]
fn recalled_context_is_labels_and_texts() {
    let Body::Recall(Recall { chips, knowledge }) = body(
        json!({"observation": "recall", "extras": {
        "repo_name": "o/r", "repo_branch": "main", "date": "2026-11-21", "repo_instructions": "Be nice.",
        "custom_secrets_descriptions": {"TOKEN": "for tests"}, "runtime_hosts": {"http://localhost:1": 2},
        "microagent_knowledge": [{"name": "rust", "trigger": "cargo", "content": "Use it."}]}}),
    ) else {
        panic!()
    };
    assert_eq!(
        chips,
        [
            "o/r",
            "main",
            "2026-11-21",
            "rust",
            "secret TOKEN: for tests"
        ]
    );
    let names: Vec<_> = knowledge
        .iter()
        .map(|text| (text.name.as_str(), text.trigger.as_str()))
        .collect();
    assert_eq!(names, [("Repository instructions", ""), ("rust", "cargo")]);
}
