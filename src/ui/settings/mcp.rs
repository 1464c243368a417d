//! The MCP servers available to agents.

use super::report::Trial;
use super::stored::Stored;
use super::text;
use crate::api::{AddMcpServer, RemoveMcpServer, TestMcpServer};
use crate::backend::McpServer;
use crate::store::Call;
use crate::ui::parts::{self, Field, Outcome, TextField, empty_form, named_icon, varying};
use crate::ui::shell::{CallButton, ServerForm};
use leptos::html;
use leptos::prelude::*;

/// The servers, and a form to add one.
#[component]
pub fn McpServers(
    stored: Stored,
    /// Whether a server can be tested before it is added.
    mcp_test: bool,
) -> impl IntoView {
    let add = Call::of::<AddMcpServer>();
    let remove = Call::of::<RemoveMcpServer>();
    let address = NodeRef::<html::Input>::new();
    add.on_success(move || {
        empty_form(address);
        stored.read_again();
    });
    remove.on_success(move || stored.read_again());
    let servers = Memo::new(move |_| stored.view.with(|view| view.settings.mcp.clone()));
    any_view! {
        <section class="card stack" id="section-mcp">
            <h2 class="card__title">{text::mcp_servers()}</h2>
            <p class="card__hint">{text::mcp_hint()}</p>
            {varying(move || {
                let servers = servers.get();
                if servers.is_empty() {
                    any_view! { <p class="muted">{text::none()}</p> }
                } else {
                    any_view! { <ul class="stack">{servers.into_iter().map(|server| entry(server, stored, remove)).collect_view()}</ul> }
                }
            })}
            <Outcome action=remove done=text::removed()/>
            <ServerForm action=add class="stack">
                <input type="hidden" name="backend" value=stored.backend.get_value()/>
                <div class="field-row">
                    <Field id="mcp-kind" label=text::transport()>
                        <select class="select" id="mcp-kind" name="kind">
                            <option value="http">"HTTP"</option>
                            <option value="sse">{text::server_sent_events()}</option>
                            <option value="stdio">{text::local_program()}</option>
                        </select>
                    </Field>
                    <TextField
                        id="mcp-address" name="address" label=text::address_or_command() mono=true required=true
                        node_ref=address
                    />
                </div>
                <div class="field-row">
                    <TextField id="mcp-name" name="name" label=parts::text::name() hint=text::program_name_hint()/>
                    <TextField id="mcp-key" name="key" label=text::key() hint=text::key_hint() kind="password" mono=true/>
                </div>
                <Outcome action=add done=text::added()/>
                {match mcp_test {
                    true => any_view! { <TestAndAdd/> },
                    false => any_view! { <div class="cluster cluster--end"><Add/></div> },
                }}
            </ServerForm>
        </section>
    }
}

fn entry(server: McpServer, stored: Stored, remove: Call) -> impl IntoView {
    let (kind, address, remark) = match server {
        McpServer::Http { url, key_set, .. } => ("HTTP", url, key_remark(key_set)),
        McpServer::Sse { url, key_set, .. } => ("SSE", url, key_remark(key_set)),
        McpServer::Stdio {
            name,
            command,
            args,
        } => (
            text::program(),
            std::iter::once(command)
                .chain(args)
                .collect::<Vec<_>>()
                .join(" "),
            name,
        ),
    };
    let label = parts::text::remove_named(&address);
    view! {
        <li class="cluster">
            <span class="chip">{kind}</span>
            <span class="mono grow">{address.clone()}</span>
            <span class="muted">{remark}</span>
            <CallButton action=remove fields=vec![("backend", stored.backend.get_value()), ("address", address)] label=text::remove() name=label/>
        </li>
    }
}

/// Tests the server in the form, or adds it.
#[component]
fn TestAndAdd() -> impl IntoView {
    let test = Call::of::<TestMcpServer>();
    view! {
        <Trial test nothing=text::address_or_command_first()>
            <Add/>
        </Trial>
    }
}

#[component]
fn Add() -> impl IntoView {
    view! {
        <button class="button" type="submit">
            {named_icon("plus", text::add_server())}
        </button>
    }
}

fn key_remark(set: bool) -> String {
    if set {
        text::key_saved().to_owned()
    } else {
        String::new()
    }
}
