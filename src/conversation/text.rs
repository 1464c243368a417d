//! The texts that this layer adds to what the backend says.

crate::text::texts! {
    // fold.rs
    lost = "OpenHands has lost part of this conversation. What follows may be incomplete. \
            Start a new conversation to continue.";
    not_answered = "not answered in time";
    no_result = "no result before the run ended";
    stopped_meanwhile = "the agent was stopped while it ran";

    // stuck.rs
    cut(line) = "{line}…";

    // tags.rs
    invalid_tag(word) = "“{word}” is not a valid tag. Use only lowercase letters and digits.";
    long_tag(word, most) = "The value of “{word}” is longer than {most} characters.";

    // from_v0 and from_v1
    openhands_version(version) = "OpenHands {version}";

    // from_v0/recall.rs
    repository_instructions = "Repository instructions";
    additional_instructions = "Additional instructions";
    conversation_instructions = "Instructions for this conversation";
    secret(name) = "secret {name}";
    secret_described(name, description) = "secret {name}: {description}";

    // from_v1
    server_error(detail) = "OpenHands reported an error: {detail}";
    blocked_by_hook(reason) = "Blocked by a hook: {reason}";
    added_to_message = "Added to the message";
    new_conversation = "new conversation";
    click_element(index) = "click element {index}";
    type_into_element(text, index) = "type {text} into element {index}";
    scroll(direction) = "scroll {direction}";
    go_back = "go back";
}
