//! A select field.

use super::Field;
use leptos::prelude::*;

/// A select field. It includes the current value even if that is not among the choices.
#[component]
pub fn Choice(
    /// The `id` of the field; by default that of a filter.
    #[prop(optional)]
    id: &'static str,
    name: &'static str,
    label: &'static str,
    #[prop(optional)] hint: &'static str,
    /// The label of the empty choice; without one there is none.
    all: &'static str,
    /// The current value, or empty.
    chosen: String,
    /// Values and their labels.
    among: Vec<(String, String)>,
) -> impl IntoView {
    let mut among = among;
    let is_chosen = |value: &str| value.eq_ignore_ascii_case(&chosen);
    if !chosen.is_empty() && !among.iter().any(|(value, _)| is_chosen(value)) {
        among.insert(0, (chosen.clone(), chosen.clone()));
    }
    let options: Vec<AnyView> = among
        .into_iter()
        .map(|(value, label)| {
            let selected = is_chosen(&value);
            any_view! {
                <option value=value selected=selected>
                    {label}
                </option>
            }
        })
        .collect();
    let id = match id {
        "" => format!("filter-{name}"),
        id => id.to_owned(),
    };
    any_view! {
        <Field id=id.clone() label hint>
            <select class="select" id=id name=name>
                {(!all.is_empty()).then(|| view! { <option value="">{all}</option> })}
                {options}
            </select>
        </Field>
    }
}
