//! The sessions of the current user.

use super::{Account, text};
use crate::api::{EndDevice, EndOtherDevices};
use crate::people::DeviceView;
use crate::store::{Call, link};
use crate::ui::parts::{self, Outcome, Time};
use crate::ui::shell::{CallButton, ServerForm};
use leptos::prelude::*;

/// The browsers that are logged in, each with a button to log it out.
#[component]
pub(super) fn Devices(
    devices: Vec<DeviceView>,
    /// Where the next page begins; 0 at the end.
    more: usize,
    account: Account,
) -> impl IntoView {
    let (end, end_others) = (Call::of::<EndDevice>(), Call::of::<EndOtherDevices>());
    end.on_success(move || account.refetch());
    end_others.on_success(move || account.refetch());
    // On a later page, this browser is on an earlier one.
    let others = devices.len() > 1 || devices.iter().any(|device| !device.here);
    let entries = devices.into_iter().map(|device| entry(device, end));
    any_view! {
        <section class="card">
            <h2 class="card__title">{text::devices()}</h2>
            <ul class="stack">{entries.collect_view()}</ul>
            {(more > 0)
                .then(|| {
                    let address = format!("{}?from={more}", link("account"));
                    view! {
                        <a class="button" href=address>
                            {parts::text::more()}
                        </a>
                    }
                })}
            <Outcome action=end done=text::logged_out()/>
            {others
                .then(|| {
                    view! {
                        <ServerForm action=end_others>
                            <button class="button">{text::log_out_others()}</button>
                        </ServerForm>
                    }
                })}
            <Outcome action=end_others done=text::logged_out_others()/>
        </section>
    }
}

fn entry(device: DeviceView, end: Call) -> impl IntoView {
    let name = short(&device.device);
    let label = text::log_out_device(&name);
    let from = text::device_seen(&device.address);
    view! {
        <li class="cluster">
            <span class="grow">
                {name}
                <br/>
                <span class="muted">
                    {from} <Time at=device.seen_at relative=true/>
                    {device.strong.then(text::device_strong)}
                </span>
            </span>
            {if device.here {
                any_view! { <span class="chip">{text::this_device()}</span> }
            } else {
                any_view! {
                    <CallButton action=end fields=vec![("number", device.number.to_string())] label=text::log_out() name=label/>
                }
            }}
        </li>
    }
}

/// A user agent string abbreviated to two words.
pub(super) fn short(device: &str) -> String {
    let first = |names: &[(&str, &'static str)]| {
        let found = names.iter().find(|(mark, _)| device.contains(mark));
        found.map(|(_, name)| *name)
    };
    let browser = first(&[
        ("Edg", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox", "Firefox"),
        ("Chrom", "Chrome"),
        ("Safari", "Safari"),
    ]);
    let system = first(&[
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Android", "Android"),
        ("Windows", "Windows"),
        ("Mac OS", "macOS"),
        ("Linux", "Linux"),
    ]);
    match (browser, system) {
        (Some(browser), Some(system)) => text::device(browser, system),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) if device.is_empty() => text::unknown_device().to_owned(),
        (None, None) => device.chars().take(40).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn a_browser_is_named_in_two_words() {
        let chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36";
        assert_eq!(short(chrome), "Chrome on Linux");
        assert_eq!(short("curl/8.5"), "curl/8.5");
        assert_eq!(short(""), "Unknown browser");
    }
}
