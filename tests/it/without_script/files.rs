//! The files of the workspace: uploads, downloads, what is shown of a file, and links to its lines.

use super::handrail::{Handrail, OF_1X};
use super::page::Upload;
use super::part::{Part, css};
use super::tasks::row;
use super::visitor::Visitor;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// An image of one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

fn pixel() -> Vec<u8> {
    STANDARD.decode(PIXEL).expect("it is Base64")
}

/// A conversation with its file panel.
async fn with_files(handrail: &Handrail) -> Visitor {
    let mut visitor = handrail.visitor();
    visitor.say_hello().await;
    visitor.panel("Files").await;
    visitor
}

fn in_tree(name: &str) -> Part {
    css(".tree").link(name)
}

/// Uploads files on the panel.
async fn upload(visitor: &mut Visitor, files: Vec<Upload>) {
    let field = css(".panel").field("Files to upload to the workspace");
    let names: Vec<_> = files.iter().map(|file| file.name.clone()).collect();
    visitor.see(&field).await;
    visitor.attach(field, files);
    visitor.press(css(".panel").button("Upload")).await;
    for name in names {
        visitor.see(in_tree(&name)).await;
    }
}

/// Opens a file of the tree.
async fn open(visitor: &mut Visitor, name: &str) {
    visitor.follow(in_tree(name)).await;
    assert!(
        visitor.path().contains(&format!("file={name}")),
        "{}",
        visitor.path()
    );
}

fn shown() -> Part {
    css(".files__view")
}

#[tokio::test]
async fn a_file_is_uploaded_and_it_and_the_workspace_are_downloaded() {
    let handrail = Handrail::start().await;
    let mut visitor = with_files(&handrail).await;
    upload(
        &mut visitor,
        vec![Upload::new("notes.txt", "text/plain", "first line\n")],
    )
    .await;
    open(&mut visitor, "notes.txt").await;
    visitor
        .see(shown().css(".line").containing("first line"))
        .await;
    let file = visitor.download(shown().link("Download this file")).await;
    assert_eq!(file.name, "notes.txt");
    // 0.62 appends a newline.
    assert_eq!(file.text().trim(), "first line");

    let all = visitor
        .download(css(".panel").link("Download all (zip)"))
        .await;
    assert!(all.name.ends_with(".zip"), "{}", all.name);
    visitor.unfold_actions();
    let again = visitor.download("Download the workspace (zip)").await;
    assert!(again.name.ends_with(".zip"), "{}", again.name);
    for archive in [all, again] {
        assert_eq!(&archive.bytes[..2], b"PK");
    }
}

#[tokio::test]
async fn of_a_binary_file_only_what_it_is_is_shown() {
    let handrail = Handrail::start().await;
    let mut visitor = with_files(&handrail).await;
    let files = vec![
        Upload::new("red.png", "image/png", pixel()),
        Upload::new(
            "data.bin",
            "application/octet-stream",
            [0, 255, 254, 0, 1, 2, 3],
        ),
    ];
    upload(&mut visitor, files).await;
    for name in ["red.png", "data.bin"] {
        open(&mut visitor, name).await;
        let hint = format!("{name} is not a text file. Download the workspace to open it.");
        visitor.see(shown().containing(&hint)).await;
        visitor.shows(shown().containing("Can't preview this file"));
        visitor.lacks(shown().css(".line"));
        // 0.62 decodes what it sends as text, so the file itself cannot be saved.
        visitor.lacks(shown().link("Download"));
    }
}

#[tokio::test]
async fn a_picture_is_shown_and_another_binary_file_is_downloaded_where_the_backend_keeps_bytes() {
    let handrail = Handrail::start_with(&OF_1X).await;
    let mut visitor = handrail.visitor();
    visitor
        .create_conversation("hello [[scenario:hello]]")
        .await;
    visitor.see_status("finished").await;
    visitor.panel("Files").await;
    let binary = [0, 255, 254, 0, 1, 2, 3];
    let files = vec![
        Upload::new("red.png", "image/png", pixel()),
        Upload::new("data.bin", "application/octet-stream", binary),
    ];
    upload(&mut visitor, files).await;
    open(&mut visitor, "red.png").await;
    let picture = shown().css("img[alt=\"red.png\"]");
    visitor.see(&picture).await;
    let address = visitor
        .attribute(picture, "src")
        .expect("it has an address");
    let picture = visitor.get(&address).await;
    assert_eq!(picture.headers()["content-type"], "image/png");
    assert_eq!(picture.bytes().await.expect("it is whole"), pixel());
    open(&mut visitor, "data.bin").await;
    visitor
        .see("data.bin is not a text file. Its size is 7 bytes.")
        .await;
    visitor.lacks(shown().css(".line"));
    let saved = visitor.download(shown().link("Download")).await;
    assert_eq!(saved.bytes, binary);
}

#[tokio::test]
async fn a_file_that_is_too_large_is_downloaded_instead_and_a_missing_one_is_named() {
    let handrail = Handrail::start().await;
    let mut visitor = with_files(&handrail).await;
    let id = visitor.conversation();
    visitor.say("Write a large file [[scenario:big]]").await;
    visitor.see(row("The file is 2 MB large.")).await;
    visitor.panel("Files").await;
    visitor.see(in_tree("big.txt")).await;
    open(&mut visitor, "big.txt").await;
    visitor
        .see(shown().containing("Too large to preview"))
        .await;
    let said = visitor.text(shown());
    assert!(
        said.contains("big.txt is ") && said.contains(" MB. Download it to open it."),
        "{said}"
    );
    visitor.lacks(shown().css(".line"));
    let saved = visitor.download(shown().link("Download")).await;
    assert_eq!(saved.name, "big.txt");
    assert!(saved.bytes.len() > 2_000_000);
    visitor
        .open(&format!("/c/{id}?panel=files&file=gone.txt"))
        .await;
    visitor
        .see(shown().containing("gone.txt is not in the workspace. It may have been deleted."))
        .await;
}

#[tokio::test]
async fn a_line_of_a_file_has_a_link_which_opens_at_that_line() {
    let handrail = Handrail::start().await;
    let mut visitor = with_files(&handrail).await;
    let lines: String = (1..=300)
        .map(|line| format!("this is line {line}\n"))
        .collect();
    upload(
        &mut visitor,
        vec![Upload::new("lines.txt", "text/plain", lines)],
    )
    .await;
    open(&mut visitor, "lines.txt").await;
    visitor.see(css("#L250")).await;
    visitor.follow(css("#L250").link("250")).await;
    let address = visitor.page.url.to_string();
    assert!(
        address.contains("file=lines.txt") && address.ends_with("#L250"),
        "{address}"
    );

    let mut other = handrail.visitor();
    other.open(&address).await;
    assert!(other.target().contains("this is line 250"));
    other.shows(css("#L1"));
}
