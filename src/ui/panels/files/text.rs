//! The texts of the file panel.

crate::text::texts! {
    // file.rs
    binary = "Can't preview this file";
    binary_hint(path) = "{path} is not a text file. Download the workspace to open it.";
    binary_size(path, size) = "{path} is not a text file. Its size is {size}.";
    download = "Download";
    too_large = "Too large to preview";
    too_large_hint(path, size) = "{path} is {size}. Download it to open it.";
    missing = "File not found";
    missing_hint(path) = "{path} is not in the workspace. It may have been deleted.";
    lines(count) = { one: "1 line", other: "{count} lines" };
    copy_path = "Copy path";
    download_file = "Download this file";
    cut = "Only the beginning is shown. Download the file to see all of it.";
    bytes(count) = "{count} bytes";
    kilobytes(count) = "{count} kB";
    megabytes(whole, tenths) = "{whole}.{tenths} MB";

    // mod.rs
    download_all(format) = "Download all ({format})";

    // tree.rs
    empty = "The workspace is empty";
    empty_hint = "The agent hasn't created any files yet. You can upload some.";
    empty_viewer_hint = "The agent hasn't created any files yet.";

    // upload.rs
    upload_label = "Files to upload to the workspace";
    upload = "Upload";
    upload_limit = "Up to 25 MB at a time";
    uploaded = "Uploaded";
}
