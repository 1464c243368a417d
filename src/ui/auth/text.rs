//! The texts of the pages outside a session.

crate::text::texts! {
    // Several pages
    log_in = "Log in";
    password = "Password";

    // link.rs
    shared_conversation = "Shared conversation";
    link = "Link";
    link_hint = "Paste the complete link";
    open_conversation = "Open conversation";

    // log_in.rs
    log_in_with(provider) = "Log in with {provider}";

    // not_allowed.rs
    request_failed = "Request failed";
    visitor = "Your link opens one conversation only. Open the link again, or log in.";
    role(role) = "Your role ({role}) doesn't have access to this page. Ask an owner if you need it.";
    no_role = "You don't have access to this page. Ask an owner if you need it.";

    // set_up.rs
    set_up = "Set up";
    set_up_handrail = "Set up Handrail";
    set_up_text = "Create the owner account. The owner invites everyone else.";
    set_up_code = "Set-up code";
    set_up_code_hint = "Shown in the terminal where Handrail was started, and saved in its data folder as set-up-code. It is valid for 30 minutes. For a new one, run: handrail set-up-code";
    your_name = "Your name";
    password_hint = "At least 8 characters";
    create_owner = "Create owner account";
}
