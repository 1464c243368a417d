//! The page that imports a conversation.

use super::text;
use crate::store::link;
use crate::ui::auth::Said;
use crate::ui::parts::{Field, named_icon};
use crate::ui::shell::Page;
use leptos::prelude::*;

/// `/import`. A plain form: the server answers with the new conversation, with the list if there are several, or with this page and
/// what is wrong.
#[component]
pub fn ImportPage() -> impl IntoView {
    // Only the server knows it; the browser takes it from the page.
    let said = SharedValue::new(|| use_context::<Said>().unwrap_or_default().0).into_inner();
    let refusal = (!said.is_empty()).then(|| {
        view! {
            <div class="notice notice--bad" role="alert">
                <p class="notice__text">{said}</p>
            </div>
        }
    });
    any_view! {
        <Page title=text::import_title()>
            <p>{text::import_text()}</p>
            {refusal}
            <form class="card" method="post" action=link("import") enctype="multipart/form-data">
                <Field id="import-file" label=text::file() hint=text::file_hint()>
                    <input
                        class="input"
                        type="file"
                        id="import-file"
                        name="file"
                        accept=".json,.jsonl,.zip,.gz,.log,.txt,application/json,application/zip,application/gzip"
                        required
                        aria-describedby="import-file-hint"
                    />
                </Field>
                <button class="button button--primary button--large" type="submit">
                    {named_icon("upload", text::import())}
                </button>
            </form>
        </Page>
    }
}
