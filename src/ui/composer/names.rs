//! Names of files behind an `@` in the message: a list that arrow keys and touch choose from.
//!
//! A folder is listed when its name is complete, so nothing is searched that the person does not open. The field stays what
//! it is, a text field, and says which entry of the list is chosen.

use super::naming::{Named, matching, named_by};
use super::text;
use crate::api::{FileEntry, list_files};
use crate::backend::Runtime;
use crate::store::{ConversationStore, use_conversation};
use crate::ui::parts::varying;
use leptos::task::spawn_local;
use leptos::{ev, prelude::*};
use std::collections::HashMap;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::HtmlTextAreaElement;

/// Parts of a folder that are read.
const PARTS: usize = 5;

/// The list, while a file is being named.
#[component]
pub fn Names() -> impl IntoView {
    let store = use_conversation();
    let named = RwSignal::new(None::<Named>);
    let chosen = RwSignal::new(0_usize);
    let listed = RwSignal::new(HashMap::<String, Option<Vec<FileEntry>>>::new());
    let found = Memo::new(move |_| {
        let named = named.get()?;
        listed.with(|listed| {
            let entries = listed.get(&named.folder)?.as_ref()?;
            Some(matching(entries, &named.name))
        })
    });
    let read = move || {
        let now = field()
            .and_then(|field| named_in(&field))
            .filter(|_| has_files(store));
        if named.get_untracked() != now {
            chosen.set(0);
            if let Some(now) = &now {
                list(store, now.folder.clone(), listed);
            } else {
                listed.update(HashMap::clear);
            }
            named.set(now);
        }
    };
    let close = move || {
        named.set(None);
        listed.update(HashMap::clear);
    };
    let put = move |entry: FileEntry| {
        if let (Some(field), Some(named)) = (field(), named.get_untracked()) {
            replace(&field, named.at, &entry);
        }
    };
    Effect::new(move |_| {
        let typed = window_event_listener(ev::input, move |_| read());
        let moved = window_event_listener(ev::click, move |event| match is_field(&event) {
            true => read(),
            false => close(),
        });
        let keys = window_event_listener(ev::keydown, move |event| {
            let entries = found.get_untracked().unwrap_or_default();
            if entries.is_empty() || !is_field(&event) {
                return;
            }
            let (last, now) = (entries.len() - 1, chosen.get_untracked());
            match event.key().as_str() {
                "ArrowDown" => chosen.set(if now == last { 0 } else { now + 1 }),
                "ArrowUp" => chosen.set(if now == 0 { last } else { now - 1 }),
                "Enter" | "Tab" if !event.shift_key() => put(entries[now.min(last)].clone()),
                "Escape" => close(),
                _ => return,
            }
            event.prevent_default();
        });
        on_cleanup(move || {
            typed.remove();
            moved.remove();
            keys.remove();
        });
        read();
    });
    // What the field says of the list.
    Effect::new(move |_| {
        let open = found.with(|found| found.as_ref().is_some_and(|found| !found.is_empty()));
        let Some(field) = field() else {
            return;
        };
        let active = format!("name-{}", chosen.get());
        for (name, value) in [
            ("aria-autocomplete", "list"),
            ("aria-controls", "names"),
            ("aria-activedescendant", active.as_str()),
        ] {
            let _ = match open {
                true => field.set_attribute(name, value),
                false => field.remove_attribute(name),
            };
        }
    });
    let entry = move |(at, entry): (usize, FileEntry)| {
        let label = match entry.directory {
            true => format!("{}/", entry.path),
            false => entry.path.clone(),
        };
        view! {
            <li
                class="names__name mono"
                role="option"
                id=format!("name-{at}")
                aria-selected=move || (chosen.get() == at).to_string()
                // The field keeps the focus.
                on:pointerdown=move |event| event.prevent_default()
                on:click=move |event| {
                    event.stop_propagation();
                    put(entry.clone());
                }
            >
                {label}
            </li>
        }
    };
    any_view! {
        {varying(move || {
            let entries = found.get().filter(|found| !found.is_empty())?;
            let entries = entries.into_iter().enumerate().map(entry).collect_view();
            Some(view! { <ul class="names" id="names" role="listbox" aria-label=text::files()>{entries}</ul> })
        })}
        <p class="visually-hidden" role="status">
            {varying(move || found.get().map(|found| text::files_found(found.len())))}
        </p>
    }
}

fn field() -> Option<HtmlTextAreaElement> {
    let field = document().get_element_by_id("message")?;
    field.dyn_into().ok()
}

fn is_field(event: &web_sys::Event) -> bool {
    let target = event.target();
    let target = target.and_then(|target| target.dyn_into::<HtmlTextAreaElement>().ok());
    target.is_some_and(|target| target.id() == "message")
}

/// Whether there is a workspace that answers.
fn has_files(store: ConversationStore) -> bool {
    let can = store
        .backend
        .with_value(|backend| backend.capabilities.files);
    can && untrack(|| {
        store
            .session
            .with(|session| session.runtime == Runtime::Running)
    })
}

/// Reads a folder, once while a file is being named.
fn list(
    store: ConversationStore,
    folder: String,
    listed: RwSignal<HashMap<String, Option<Vec<FileEntry>>>>,
) {
    if listed.with_untracked(|listed| listed.contains_key(&folder)) {
        return;
    }
    listed.update(|listed| {
        listed.insert(folder.clone(), None);
    });
    let id = store.id();
    spawn_local(async move {
        let (mut entries, mut from) = (Vec::new(), 0);
        for _ in 0..PARTS {
            let part = list_files(id.clone(), folder.clone(), from, String::new()).await;
            let Ok(part) = part else {
                break;
            };
            entries.extend(part.entries);
            from = part.more;
            if from == 0 {
                break;
            }
        }
        // The conversation may have been left meanwhile.
        let _ = listed.try_update(|listed| listed.insert(folder, Some(entries)));
    });
}

/// What the text before the cursor of a field names.
fn named_in(field: &HtmlTextAreaElement) -> Option<Named> {
    let cursor = usize::try_from(field.selection_start().ok()??).ok()?;
    let units: Vec<u16> = field.value().encode_utf16().collect();
    named_by(&String::from_utf16_lossy(units.get(..cursor)?))
}

/// Puts a file in place of what named it, or a folder that is to be completed.
fn replace(field: &HtmlTextAreaElement, at: usize, entry: &FileEntry) {
    let units: Vec<u16> = field.value().encode_utf16().collect();
    let cursor = field.selection_start().ok().flatten();
    let cursor = cursor
        .and_then(|cursor| usize::try_from(cursor).ok())
        .unwrap_or(units.len());
    let (Some(before), Some(after)) = (units.get(..at), units.get(cursor..)) else {
        return;
    };
    let name = match entry.directory {
        true => format!("@{}/", entry.path),
        false => format!("{} ", entry.path),
    };
    let before = format!("{}{name}", String::from_utf16_lossy(before));
    field.set_value(&format!("{before}{}", String::from_utf16_lossy(after)));
    let end = u32::try_from(before.encode_utf16().count()).unwrap_or(u32::MAX);
    let _ = field.set_selection_range(end, end);
    // The composer keeps what was typed.
    if let Some(event) = input_event() {
        let _ = field.dispatch_event(&event);
    }
}

/// An `input` event that reaches the window, as typing makes it.
fn input_event() -> Option<web_sys::Event> {
    let constructor = js_sys::Reflect::get(&window(), &JsValue::from_str("Event")).ok()?;
    let options = js_sys::Object::new();
    js_sys::Reflect::set(&options, &JsValue::from_str("bubbles"), &JsValue::TRUE).ok()?;
    let arguments = js_sys::Array::of2(&JsValue::from_str("input"), &options);
    let event =
        js_sys::Reflect::construct(constructor.unchecked_ref::<js_sys::Function>(), &arguments)
            .ok()?;
    event.dyn_into().ok()
}
