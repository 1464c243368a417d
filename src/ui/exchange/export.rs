//! The page that exports a conversation: the format, and what is masked.

use super::text;
use crate::api::{ExportView, SecretKind, SecretView, read_export};
use crate::store::{fetched, link};
use crate::ui::parts::Answered;
use crate::ui::shell::{Page, back_to};
use crate::ui::timeline::row_address;
use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

/// `/c/:id/export`.
#[component]
pub fn ExportPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.read().get("id").unwrap_or_default());
    let view = fetched(move || id.get(), read_export);
    any_view! {
        <Page back=back_to(id) title=text::export()>
            <Answered answers=view waiting=text::searching() draw=move |view| {
                any_view! { <Choices id=id.get_untracked() view/> }
            }/>
        </Page>
    }
}

/// A plain form: the browser downloads the file that it asks for, and the page stays.
#[component]
fn Choices(id: String, view: ExportView) -> impl IntoView {
    let ExportView {
        title,
        secrets,
        whole,
    } = view;
    let formats = [
        ("export.html", text::html(), text::html_hint()),
        ("export.md", text::markdown(), text::markdown_hint()),
        ("trajectory.json", text::json(), text::json_hint()),
        ("evidence.html", text::evidence(), text::evidence_hint()),
        (
            "evidence.json",
            text::evidence_json(),
            text::evidence_json_hint(),
        ),
    ];
    let of = id.clone();
    let formats = formats.map(move |(file, label, hint)| {
        let hint_id = format!("hint-{file}");
        let address = link(&format!("c/{of}/{file}"));
        view! {
            <li class="field">
                <button class="button button--large" formaction=address aria-describedby=hint_id.clone()>
                    {label}
                </button>
                <p class="field__hint" id=hint_id>{hint}</p>
            </li>
        }
    });
    let choices = [("mask", text::mask(), true), ("keep", text::keep(), false)].map(
        |(value, label, checked)| {
            view! {
                <label class="check">
                    <input type="radio" name="secrets" value=value checked=checked/>
                    <span>{label}</span>
                </label>
            }
        },
    );
    let found = match secrets.len() {
        0 => text::none().to_owned(),
        count => text::found(count),
    };
    let table = (!secrets.is_empty()).then(|| view! { <Secrets id=id.clone() secrets/> });
    let rest = (!whole).then(|| view! { <p class="muted">{text::not_whole()}</p> });
    any_view! {
        <p class="muted">{title}</p>
        <form class="stack" method="get" action=link(&format!("c/{id}/export.html"))>
            <section class="card">
                <h2 class="card__title" id="secrets">
                    {text::secrets()}
                </h2>
                <p>{found}</p>
                {table}
                {rest}
                <div role="radiogroup" aria-labelledby="secrets" aria-describedby="keep-hint">
                    {choices.collect_view()}
                </div>
                <p class="field__hint" id="keep-hint">
                    {text::keep_hint()}
                </p>
            </section>
            <section class="card">
                <h2 class="card__title">{text::download()}</h2>
                <ul class="stack">{formats.collect_view()}</ul>
            </section>
        </form>
    }
}

#[component]
fn Secrets(id: String, secrets: Vec<SecretView>) -> impl IntoView {
    let rows = secrets.into_iter().map(move |secret| {
        let kind = kind_in_words(secret.kind);
        let place = match secret.row {
            Some((pos, row)) => {
                let address = link(&format!("c/{id}{}", row_address(pos, row)));
                let label = text::in_timeline_label(kind);
                any_view! {
                    <span>
                        <a class="button button--small" href=address aria-label=label>
                            {text::in_timeline()}
                        </a>
                    </span>
                }
            }
            None => any_view! { <span class="muted">{text::not_on_timeline()}</span> },
        };
        view! {
            <tr>
                <td data-label=text::what()><span>{kind}</span></td>
                <td data-label=text::starts_with()><code>{format!("{}…", secret.start)}</code></td>
                <td data-label=text::times()><span class="number">{secret.count}</span></td>
                <td data-label=text::place()>{place}</td>
            </tr>
        }
    });
    any_view! {
        <table class="table table--stack" role="table">
            <thead>
                <tr>
                    <th scope="col">{text::what()}</th>
                    <th scope="col">{text::starts_with()}</th>
                    <th scope="col">{text::times()}</th>
                    <th scope="col">{text::place()}</th>
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
}

fn kind_in_words(kind: SecretKind) -> &'static str {
    match kind {
        SecretKind::BackendKey => text::kind_backend_key(),
        SecretKind::ApiKey => text::kind_api_key(),
        SecretKind::RepositoryToken => text::kind_repository_token(),
        SecretKind::AwsKey => text::kind_aws_key(),
        SecretKind::SlackToken => text::kind_slack_token(),
        SecretKind::Jwt => text::kind_jwt(),
        SecretKind::PrivateKey => text::kind_private_key(),
        SecretKind::Authorization => text::kind_authorization(),
        SecretKind::UrlPassword => text::kind_url_password(),
        SecretKind::Named => text::kind_named(),
    }
}
