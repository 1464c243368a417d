//! The texts of the installed app.

crate::text::texts! {
    // install.rs
    install_title = "Install the app";
    install_text = "Installed, Handrail opens like an app, shows the number of pending approvals on its icon, and opens the last pages also without a network.";
    iphone = "iPhone and iPad";
    iphone_text = "In Safari, tap Share, then Add to Home Screen. Notifications need this: iOS sends them to installed apps only.";
    android = "Android";
    android_text = "In Chrome, open the menu, then tap Install app. In Firefox, it is Add app to Home screen.";
    computer = "Computer";
    computer_text = "In Chrome or Edge, click the install icon in the address bar. In Safari on a Mac, choose File, then Add to Dock.";
    https = "HTTPS";
    https_text = "Browsers offer installation, pages without a network and notifications over HTTPS only, and at localhost. Over plain HTTP, everything else works.";
    https_how = "To switch to HTTPS, run this on the machine that Handrail runs on. It creates a certificate and explains how your devices can trust it. Then start Handrail with --tls.";
    https_command = "handrail tls init NAME";
    data = "On this device";
    data_text = "The app keeps the list, the inbox, the last 30 conversations you read and your unsent messages, for up to a week. Logging out deletes them. An approval is never kept: it needs a connection.";

    // offline.rs
    offline_title = "You are offline";
    offline_text = "Handrail cannot be reached, and this page is not kept on this device. If you have just logged out, your login on the server has not ended yet.";
    retry = "Try again";

    // share.rs
    share_title = "Share with the agent";
    shared = "Shared text";
    shared_cut = "The text was too long and has been shortened.";
    shared_images(count) = { one: "1 image is attached when the conversation opens.", other: "{count} images are attached when the conversation opens." };
    images_lost = "The images were not received. Open Handrail once, then share them again.";
    share_new = "New conversation";
    share_choose = "Or add it to the draft of a conversation:";
    share_loading = "Loading conversations…";
    share_done = "Added to the draft";

    // server/worker.rs: answers of the service worker.
    #[cfg(feature = "ssr")]
    queue_full = "Nothing was sent: Handrail cannot be reached, and this device keeps no more messages. Try again when you are online.";
}
