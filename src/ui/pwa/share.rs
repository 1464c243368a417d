//! What another app has shared with Handrail: it becomes the draft of a new or of a chosen conversation.
//!
//! The service worker takes the request of the other app (`worker/offline.js`), keeps the images, and leads here with the
//! text. Nothing is stored before a button is pressed, so a link of another site to this page does nothing.

use super::text;
use crate::api::{ConversationSummary, ListAsk, ListView, ShareDraft, list_conversations};
use crate::store::{Call, Query, fetched, use_query};
use crate::ui::parts::{Answered, Field, Outcome};
use crate::ui::shell::{Page, ServerForm};
use leptos::prelude::*;

/// Conversations to choose from: the newest ones. Another one is found by its search, and the text can be pasted there.
const CHOICES: usize = 12;

/// What was shared, by the parameters of the address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Shared {
    text: String,
    /// The text was longer than an address may be.
    cut: bool,
    images: usize,
    lost: bool,
}

impl Shared {
    fn of(query: &Query) -> Self {
        let part = |name: &str| query.get(name).unwrap_or_default().trim().to_owned();
        let mut text = String::new();
        for part in ["title", "text", "url"].map(part) {
            // Some apps repeat the link in the text.
            if !part.is_empty() && !text.contains(&part) {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&part);
            }
        }
        Self {
            text,
            cut: query.get("cut").is_some(),
            images: part("images").parse().unwrap_or_default(),
            lost: part("images") == "lost",
        }
    }
}

/// `/share`.
#[component]
pub fn SharePage() -> impl IntoView {
    let query = use_query();
    let shared = Memo::new(move |_| query.with(Shared::of));
    let list = fetched(|| (), |()| list_conversations(ListAsk::default()));
    any_view! {
        <Page title=text::share_title()>
            <Answered answers=list waiting=text::share_loading() draw=move |view| {
                any_view! { <Choices view shared=shared.get()/> }
            }/>
        </Page>
    }
}

#[component]
fn Choices(view: ListView, shared: Shared) -> impl IntoView {
    let share = Call::of::<ShareDraft>();
    let Shared {
        text: words,
        cut,
        images,
        lost,
    } = shared;
    let conversations = view.conversations.into_iter();
    let conversations = conversations.filter(|one| !one.is_imported());
    let choices = conversations.take(CHOICES).map(choice).collect_view();
    any_view! {
        // `worker/page.js` attaches the images to the message field of the conversation that opens next.
        <ServerForm action=share class="card stack share">
            <Field id="shared-text" label=text::shared()>
                <textarea class="input textarea" id="shared-text" name="text" rows="5" dir="auto">
                    {words}
                </textarea>
            </Field>
            {cut.then(|| view! { <p class="muted">{text::shared_cut()}</p> })}
            {(images > 0)
                .then(|| {
                    view! {
                        <p class="muted" data-images="">
                            {text::shared_images(images)}
                        </p>
                    }
                })}
            {lost.then(|| view! { <p class="field__error" role="alert">{text::images_lost()}</p> })}
            <Outcome action=share done=text::share_done()/>
            <button class="button button--primary" name="id" value="">
                {text::share_new()}
            </button>
            <p>{text::share_choose()}</p>
            {choices}
        </ServerForm>
    }
}

fn choice(one: ConversationSummary) -> impl IntoView {
    let title = crate::ui::parts::title_or_default(&one.title);
    view! {
        <button class="button" name="id" value=one.id>
            <span class="truncate">{title}</span>
        </button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(pairs: &[(&str, &str)]) -> Query {
        let mut query = Query::default();
        for (name, value) in pairs {
            query.replace(*name, (*value).to_owned());
        }
        query
    }

    #[test]
    fn a_link_that_the_text_repeats_is_taken_once() {
        let shared = Shared::of(&query(&[
            ("title", "News"),
            ("text", "See https://a.example/1"),
            ("url", "https://a.example/1"),
        ]));
        assert_eq!(shared.text, "News\nSee https://a.example/1");
    }

    #[test]
    fn lost_images_are_told_apart_from_none() {
        assert!(Shared::of(&query(&[("images", "lost")])).lost);
        let shared = Shared::of(&query(&[("images", "2")]));
        assert_eq!((shared.images, shared.lost), (2, false));
    }
}
