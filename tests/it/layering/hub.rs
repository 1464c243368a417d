//! The order of the files inside the hub.

use super::imports::imports;
use super::{layered, named};

/// The files of the hub in reading order: each imports only from its own group and those before it.
const HUB: [&[&str]; 5] = [
    &[
        "error", "support", "view", "follower", "outgoing", "renderer", "message",
    ],
    &["parts"],
    &["actor"],
    &["handle"],
    &[],
];

/// The files of the hub and what each imports of it, by their paths below `hub` without endings.
fn hub_imports() -> Vec<(String, Vec<String>)> {
    let short = |file: &String| {
        let path = file.strip_prefix("hub/")?.trim_end_matches(".rs");
        Some(path.trim_end_matches("/mod").to_owned())
    };
    let imports = imports("src");
    // All of its files may use the hub, which the root puts together.
    let is_file = |file: &String| file != "mod";
    let of_hub = imports.iter().filter_map(|(file, others)| {
        let others: Vec<String> = others.iter().filter_map(short).filter(is_file).collect();
        Some((short(file)?, others))
    });
    of_hub.collect()
}

#[test]
fn imports_of_the_hub_run_from_handle_to_actor_to_parts_to_messages() {
    let place = |file: &str| {
        let first = file.split('/').next().unwrap_or_default();
        let known = HUB.iter().position(|group| group.contains(&first));
        known.unwrap_or(HUB.len() - 1)
    };
    let files = hub_imports();
    assert!(files.len() > 30, "only {} files were found", files.len());
    assert!(
        files.iter().any(
            |(own, imports)| own == "actor/state" && imports.contains(&"parts/link".to_owned())
        )
    );
    let mut wrong = Vec::new();
    for (own, imports) in &files {
        for import in imports.iter().filter(|import| place(import) > place(own)) {
            wrong.push(format!("hub/{own} imports hub/{import}"));
        }
        let part = |file: &str| Some(file.strip_prefix("parts/")?.split('/').next()?.to_owned());
        let Some(own_part) = part(own) else { continue };
        let other = |import: &&String| part(import).is_some_and(|part| part != own_part);
        for import in imports.iter().filter(other) {
            wrong.push(format!("the part hub/{own} knows the part hub/{import}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_parts_of_a_conversation_do_no_io() {
    let mut wrong = Vec::new();
    let mut parts = 0;
    for (name, _, code) in layered() {
        if name.starts_with("hub/parts/") {
            parts += 1;
            let words = [
                "tokio",
                "async fn",
                ".await",
                "::now()",
                "clock::",
                "std::fs",
                "std::net",
                "Journal,",
                "Sender",
                "hub::Hub;",
            ];
            wrong.extend(named(&name, &code, &words));
        }
    }
    assert!(parts > 5, "only {parts} parts were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
