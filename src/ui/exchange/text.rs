//! The texts of the pages for export and import.

crate::text::texts! {
    // export.rs
    export = "Export";
    searching = "Looking for secrets…";
    secrets = "Secrets";
    mask = "Mask them";
    keep = "Keep them";
    keep_hint = "Masking is likely to find a secret, but not certain: it knows common tokens, and values behind names like password. Read a file before you publish it. Keep secrets only if the file stays with people who may know them.";
    none = "No secrets of known kinds were found. Others may remain.";
    found(count) = { one: "1 secret was found:", other: "{count} secrets were found:" };
    not_whole = "The conversation is long, so not everything was looked through here. The export masks all of it.";
    what = "Kind";
    starts_with = "Starts with";
    times = "Occurrences";
    place = "Place";
    in_timeline = "Show";
    in_timeline_label(kind) = "Show on the timeline: {kind}";
    not_on_timeline = "Not on the timeline";
    download = "Download";
    html = "Web page";
    html_hint = "One HTML file that opens without a server and replays the conversation.";
    markdown = "Markdown";
    markdown_hint = "The timeline as text.";
    json = "JSON";
    json_hint = "All events as OpenHands wrote them. Handrail can import this file.";
    evidence = "Evidence";
    evidence_hint = "What was asked and shown, who or which rule answered, and what ran; for owners with the hashes of the audit log. One HTML file; check it with: handrail audit verify FILE";
    evidence_json = "Evidence as JSON";
    evidence_json_hint = "The same for programs.";

    kind_backend_key = "Key of a backend";
    kind_api_key = "API key";
    kind_repository_token = "Repository token";
    kind_aws_key = "AWS access key";
    kind_slack_token = "Slack token";
    kind_jwt = "JSON Web Token";
    kind_private_key = "Private key";
    kind_authorization = "Authorization header";
    kind_url_password = "Password in a URL";
    kind_named = "Value of a secret variable";

    // import.rs
    import_title = "Import a conversation";
    import_text = "The trajectory of an OpenHands 0.x or 1.x conversation, the zip that OpenHands exports, the output.jsonl of a benchmark, or a JSON export of Handrail. It becomes a conversation, or several, that can be read, searched and replayed; no agent works in them.";
    file = "File";
    file_hint = "JSON, JSON Lines, zip or tar.gz; unpacked at most 64 MB and 100,000 events";
    import = "Import";
}
