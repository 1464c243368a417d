//! The texts of the pages outside a session.

crate::text::texts! {
    // Several pages
    log_in = "Log in";
    password = "Password";
    password_hint = "At least 8 characters";
    your_name = "Your name";
    login_loading = "Loading…";
    start_again = "Log in again from the beginning";

    // passkey_form.rs
    passkey_refused = "The browser did not use a passkey. Try again.";
    passkey_known = "This device has a passkey for your account already.";
    no_passkeys = "This browser has no passkeys.";
    passkeys_need_script = "Passkeys need JavaScript.";
    passkeys_need_tls = "Passkeys need HTTPS. Handrail can make a certificate: handrail tls init.";
    passkeys_need_name = "Passkeys need a host name, and this page was opened at an IP address. Open Handrail at its name.";

    // second_factor.rs
    second_factor = "Second factor";
    must_register = "Your role requires a passkey. Create one to log in.";
    use_passkey_of(name) = "Use a passkey of {name} to log in.";
    use_passkey = "Use passkey";
    passkeys_elsewhere(places) = "Your passkeys work at {places}. Open Handrail there, or use a recovery code.";
    no_codes = "Lost your passkey? Ask an owner to remove it.";
    recovery_code = "Recovery code";
    recovery_code_hint = "One of the codes that you saved with your passkey. Each works once.";
    use_code = "Use recovery code";

    // register.rs
    add_passkey = "Add a passkey";
    passkey_for(name) = "{name}, create a passkey to log in.";
    back_to_account = "Back to your account";
    passkey_explained = "A passkey is kept by your device or password manager, or on a security key. It logs you in alone, or after your password.";
    create_passkey = "Create passkey";
    passkey_name = "Name of the passkey";
    passkey_name_hint = "For example the device that keeps it";

    // invitation.rs
    invitation = "Invitation";
    open_invitation = "Open invitation";
    invited_as(by, role, rights) = "{by} invites you as {role} ({rights}).";
    account_named(name) = "Your name is {name}.";
    with_password = "With a password";
    with_passkey = "With a passkey";
    continue_with_passkey = "Continue with a passkey";
    passkey_follows = "Your role also requires a passkey. You create it next.";
    create_account = "Create account";

    // link.rs
    shared_conversation = "Shared conversation";
    link = "Link";
    link_hint = "Paste the complete link";
    open_conversation = "Open conversation";

    // log_in.rs
    log_in_with(provider) = "Log in with {provider}";
    log_in_with_passkey = "Log in with a passkey";

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
    create_owner = "Create owner account";
}
