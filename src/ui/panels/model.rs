//! The model's view: the conversation as the messages that the model received, at any step.
//!
//! Long because it has a view for each kind of message part.

use super::address::panel_address;
use super::panel::Frame;
use super::text;
use crate::api::read_model;
use crate::conversation::messages::{Remark, Speaker};
use crate::render::{ModelMessageView, ModelPartView, ModelView, grouped};
use crate::store::{Query, fetched, link, use_conversation, use_query};
use crate::ui::parts::{Answered, CopyButton, Field, Toggle, varying};
use leptos::prelude::*;
use leptos_router::components::Form;

/// What the URL asks for.
#[derive(Debug, Clone, PartialEq, Default)]
struct Wanted {
    plain: bool,
    string: bool,
    vision: bool,
    max: Option<i64>,
    step: Option<i64>,
    since: Option<i64>,
}

impl Wanted {
    fn of(query: &Query) -> Self {
        let is = |name: &str| query.get_str(name) == Some("true");
        let number = |name: &str| query.get_str(name)?.trim().parse().ok();
        Self {
            plain: is("plain"),
            string: is("string"),
            vision: is("vision"),
            max: number("max"),
            step: number("step"),
            since: number("since"),
        }
    }

    /// The parameters of the URL, without those of the comparison.
    fn query(&self) -> Vec<(&'static str, String)> {
        let flags = [
            ("plain", self.plain),
            ("string", self.string),
            ("vision", self.vision),
        ];
        let flags = flags.into_iter().filter(|(_, is_set)| *is_set);
        let flags = flags.map(|(name, _)| (name, "true".to_owned()));
        let numbers = [("max", self.max), ("step", self.step)].into_iter();
        let numbers = numbers.filter_map(|(name, number)| Some((name, number?.to_string())));
        flags.chain(numbers).collect()
    }

    /// The URL of this panel with these parameters.
    fn address(&self) -> String {
        let mut query = self.query();
        query.extend(self.since.map(|since| ("since", since.to_string())));
        let query: Vec<(&str, &str)> = query
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        panel_address("model", &query)
    }

    /// The URL of the download.
    fn download(&self, id: &str) -> String {
        let query = self
            .query()
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"));
        let query: Vec<String> = query.collect();
        link(&format!("c/{id}/messages.json?{}", query.join("&")))
    }
}

/// The panel.
#[component]
pub fn ModelPanel() -> impl IntoView {
    let store = use_conversation();
    let query = use_query();
    let wanted = Memo::new(move |_| query.with(Wanted::of));
    let request = fetched(
        move || (store.id(), wanted.get()),
        |(
            id,
            Wanted {
                plain,
                string,
                vision,
                max,
                step,
                since,
            },
        )| { read_model(id, plain, string, vision, max, step, since) },
    );
    any_view! {
        <Frame title=text::model_view()>
            {varying(move || view! { <Options wanted=wanted.get() id=store.id()/> })}
            <Answered answers=request waiting=text::model_loading() draw=move |view| {
                any_view! { <Request view wanted=wanted.get_untracked() id=store.id()/> }
            }/>
        </Frame>
    }
}

/// The kind of model, and the steps; folded, so that the messages are in view.
#[component]
fn Options(wanted: Wanted, id: String) -> impl IntoView {
    any_view! {
        <details class="knowledge">
            <summary>{text::model_options()}</summary>
            <Form method="GET" action=link(&format!("c/{id}")) attr:class="field-row">
                <input type="hidden" name="panel" value="model"/>
                <Choice
                    name="plain"
                    label=text::calls_as()
                    no=text::calls_native()
                    yes=text::calls_plain()
                    chosen=wanted.plain
                />
                <Choice
                    name="string"
                    label=text::content_as()
                    no=text::content_list()
                    yes=text::content_string()
                    chosen=wanted.string
                />
                <Number name="max" label=text::max_chars() empty=text::usual_limit() value=wanted.max/>
                <Number name="step" label=text::at_step() empty=text::newest_step() value=wanted.step/>
                <Number name="since" label=text::since_step() empty="" value=wanted.since/>
                <Toggle name="vision" label=text::with_vision() checked=wanted.vision/>
                <button class="button">{text::show()}</button>
            </Form>
        </details>
    }
}

#[component]
fn Choice(
    name: &'static str,
    label: &'static str,
    no: &'static str,
    yes: &'static str,
    chosen: bool,
) -> impl IntoView {
    let id = format!("model-{name}");
    any_view! {
        <Field id=id.clone() label=label>
            <select class="select" id=id name=name>
                <option value="" selected=!chosen>{no}</option>
                <option value="true" selected=chosen>{yes}</option>
            </select>
        </Field>
    }
}

#[component]
fn Number(
    name: &'static str,
    label: &'static str,
    empty: &'static str,
    value: Option<i64>,
) -> impl IntoView {
    let id = format!("model-{name}");
    let value = value.map(|value| value.to_string()).unwrap_or_default();
    any_view! {
        <Field id=id.clone() label=label>
            <input class="input" id=id name=name inputmode="numeric" pattern="[0-9]*" placeholder=empty value=value/>
        </Field>
    }
}

#[component]
fn Request(view: ModelView, wanted: Wanted, id: String) -> impl IntoView {
    let number = view.older + view.messages.len();
    let mut facts = vec![
        view.model.clone(),
        text::messages(number, grouped(number as u64)),
        text::up_to_event(view.newest),
    ];
    facts.extend(view.tokens.map(|tokens| text::prompt_of(grouped(tokens))));
    facts.retain(|fact| !fact.is_empty());
    let changes = view
        .changes
        .map(|(added, gone)| text::added_since(added, added, gone));
    let remark = |is_so: bool, text: &'static str| {
        is_so.then(|| view! { <p class="remark remark--warning">{text}</p> })
    };
    let note =
        |is_so: bool, text: &'static str| is_so.then(|| view! { <p class="muted">{text}</p> });
    let tools = (!view.tools.is_empty()).then(|| text::tools_of(view.tools.join(", ")));
    let left_out = view.left_out.iter().map(|(seq, why)| {
        view! { <p class="remark remark--warning">{text::left_out(seq, in_words(*why))}</p> }
    });
    let older =
        (view.older > 0).then(|| text::not_all_shown(view.older, grouped(view.older as u64)));
    let copy = (!view.json.is_empty())
        .then(|| view! { <CopyButton text=view.json.clone() label=text::copy_request()/> });
    let messages = view.messages.into_iter().map(|message| {
        view! { <Message message wanted=wanted.clone() id=id.clone()/> }
    });
    any_view! {
        <p class="model__facts" role="status">{facts.join(" · ")}</p>
        {changes.map(|changes| view! { <p class="remark remark--info">{changes}</p> })}
        <p class="cluster">
            {copy}
            <a class="button button--small" href=wanted.download(&id) download="" rel="external">
                {text::download_request()}
            </a>
        </p>
        {remark(view.cut, text::log_too_large())}
        {remark(view.refused, text::refused_request())}
        {left_out.collect_view()}
        {tools.map(|tools| view! { <p class="muted">{tools}</p> })}
        <p class="muted">{text::not_known()}</p>
        {note(wanted.plain, text::not_known_plain())}
        {note(view.agent_server, text::not_known_tools())}
        {older.map(|older| view! { <p class="muted">{older}</p> })}
        <div class="model">{messages.collect_view()}</div>
    }
}

/// A message, folded to a line.
#[component]
fn Message(message: ModelMessageView, wanted: Wanted, id: String) -> impl IntoView {
    let role = match message.role {
        Speaker::System => text::system().to_owned(),
        Speaker::User => text::user().to_owned(),
        Speaker::Assistant => text::assistant().to_owned(),
        Speaker::Tool => text::tool_result(&message.tool),
    };
    let kind = match message.role {
        Speaker::System => "system",
        Speaker::User => "user",
        Speaker::Assistant => "assistant",
        Speaker::Tool => "tool",
    };
    let new = message
        .new
        .then(|| view! { <span class="chip">{text::new_message()}</span> " " });
    let remark = message
        .remark
        .map(|remark| view! { <p class="remark remark--info">{in_words(remark)}</p> });
    let size = text::size_of(message.size, grouped(message.size as u64));
    let links = message.seq.map(|seq| {
        let at = Wanted { step: Some(seq), since: None, ..wanted.clone() };
        let compared = Wanted { since: Some(seq), ..wanted };
        view! {
            <p class="cluster">
                <a class="button button--quiet button--small" href=at.address()>{text::known_here()}</a>
                <a class="button button--quiet button--small" href=compared.address()>{text::compare_here()}</a>
                <a class="button button--quiet button--small" href=link(&format!("c/{id}/event/{seq}")) rel="external">
                    {text::event_json()}
                </a>
            </p>
        }
    });
    any_view! {
        <details class="model__message" data-role=kind data-new=message.new.then_some("")>
            <summary class="model__head">
                <span class="muted number">{message.number}</span>
                " "
                <span class="model__role">{role}</span>
                " "
                {new}
                <span class="truncate model__said">{message.head}</span>
            </summary>
            {remark}
            {message.parts.into_iter().map(part).collect_view()}
            <p class="muted">{size}</p>
            {links}
        </details>
    }
}

fn part(part: ModelPartView) -> AnyView {
    let body = |html: String, hidden: bool, cut: usize| {
        view! {
            {hidden.then(|| view! { <p class="block__warning">{text::hidden_here()}</p> })}
            <pre class="block__body model__text" inner_html=html></pre>
            {(cut > 0).then(|| view! { <p class="muted">{text::text_cut(cut, grouped(cut as u64))}</p> })}
        }
    };
    match part {
        ModelPartView::Text { html, hidden, cut } => body(html, hidden, cut).into_any(),
        ModelPartView::Call {
            name,
            id,
            html,
            hidden,
            cut,
        } => any_view! {
            <figure class="block">
                <figcaption class="block__head">
                    <span class="block__label">{text::call_of(&name)}</span>
                    " "
                    <span class="muted mono truncate">{id}</span>
                </figcaption>
                {body(html, hidden, cut)}
            </figure>
        },
        ModelPartView::Image { what, sent } => {
            let said = match sent {
                true => text::image_sent(&what),
                false => text::image_not_sent(&what),
            };
            any_view! { <p class="muted">{said}</p> }
        }
    }
}

fn in_words(remark: Remark) -> &'static str {
    match remark {
        Remark::StandardPrompt => text::standard_prompt(),
        Remark::Repeated => text::repeated(),
        Remark::Summary => text::summary_here(),
        Remark::Approximate => text::approximate(),
        Remark::Unmarked => text::unmarked(),
        Remark::OtherText => text::other_text(),
        Remark::NotReadBack => text::not_read_back(),
        Remark::NoMessage => text::no_message_for_it(),
        Remark::NoCall => text::no_call_for_it(),
        Remark::TwoCalls => text::two_calls(),
        Remark::NotJson => text::not_json(),
    }
}
