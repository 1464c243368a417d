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

    // words.rs
    sandbox_down = "Sending starts the sandbox";
    disconnected = "Disconnected from OpenHands. Sending may fail";
    reads_later = "The agent reads this after its current step";
    resumes = "Sending resumes the agent";
    retries = "Sending makes the agent retry";

    // outbox.rs
    images(count) = { one: "with 1 image", other: "with {count} images" };
    sending = "Sending…";
    sent = "Sent";
    not_sent(why) = "Not sent. {why}";
    indeterminate(why) = "{why} Check whether the agent has it before you send it again.";
    send_again = "Send again";
    discard = "Discard";
}
