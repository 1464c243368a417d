//! A select field of a filter.

use super::Field;
use leptos::prelude::*;

/// A select field of the filter. It includes the current value even if that is not among the choices.
#[component]
pub fn Choice(
    /// Its name in the URL.
    name: &'static str,
    /// Its label.
    label: &'static str,
    /// The label of the choice without a filter.
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
            view! {
                <option value=value selected=selected>
                    {label}
                </option>
            }
            .into_any()
        })
        .collect();
    let id = format!("filter-{name}");
    view! {
        <Field id=id.clone() label=label>
            <select class="select" id=id name=name>
                <option value="">{all}</option>
                {options}
            </select>
        </Field>
    }
    .into_any()
}
