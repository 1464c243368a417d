//! The texts of the composer.

crate::text::texts! {
    // attachments.rs
    unreadable(name) = "Couldn't read {name}. Attach it again.";
    too_large(name) = "{name} is too large and was not attached. A message can carry about 2.2 MiB of images.";
    attachments = "Attachments";
    uploading(name) = "Uploading {name}";

    // field.rs
    message = "Message";
    placeholder = "Message the agent";
    placeholder_instead = "Tell the agent what to do instead";
    send = "Send";
    reject_with_reason = "Reject with reason";
    start_and_send = "Start and send";
    attached(files) = "Attached: {files}";
    attach = "Attach";
    attach_limits = "Attach: up to 2.2 MiB of images in a message, other files up to 25 MB at a time";

    // words.rs
    sandbox_down = "Sending starts the sandbox";
    disconnected = "Disconnected from OpenHands. Sending may fail";
    reads_later = "The agent reads this after its current step";
    resumes = "Sending resumes the agent";
    retries = "Sending makes the agent retry";

    // again.rs
    change_message = "Your last message";
    change_hint = "It is sent in a copy of this conversation that ends before it. This conversation stays as it is. Both work on the same files.";
    change_attached = " Its images and files are not sent again.";
    not_changeable = "There is no message here that can be changed and sent again.";
    keep_message = "Cancel";
    send_instead = "Send in a copy";

    // names.rs
    files = "Files";
    files_found(count) = { one: "1 file", other: "{count} files" };

    // outbox.rs
    images(count) = { one: "with 1 image", other: "with {count} images" };
    sending = "Sending…";
    sent = "Sent";
    not_sent(why) = "Not sent. {why}";
    indeterminate(why) = "{why} Check whether the agent has it before you send it again.";
    send_again = "Send again";
    discard = "Discard";
}
