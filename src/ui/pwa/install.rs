//! The page that explains how to install the app.

use super::text;
use crate::ui::parts::CopyButton;
use crate::ui::shell::Page;
use leptos::prelude::*;

/// `/install`.
#[component]
pub fn InstallPage() -> impl IntoView {
    any_view! {
        <Page title=text::install_title()>
            <p>{text::install_text()}</p>
            {section(text::iphone(), text::iphone_text())}
            {section(text::android(), text::android_text())}
            {section(text::computer(), text::computer_text())}
            <section class="card stack">
                <h2 class="card__title">{text::https()}</h2>
                <p>{text::https_text()}</p>
                <p>{text::https_how()}</p>
                <p class="cluster">
                    <code>{text::https_command()}</code>
                    <CopyButton text=Signal::stored(text::https_command().to_owned())/>
                </p>
            </section>
            {section(text::data(), text::data_text())}
        </Page>
    }
}

fn section(title: &'static str, text: &'static str) -> AnyView {
    any_view! {
        <section class="card">
            <h2 class="card__title">{title}</h2>
            <p>{text}</p>
        </section>
    }
}
