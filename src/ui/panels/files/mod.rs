//! The files of the workspace: a tree, one file with its lines, upload and download.

mod file;
mod text;
mod tree;
mod upload;

use self::{file::FileShownView, tree::Tree, upload::UploadForm};
use super::panel::{Frame, Refresh};
use super::text as panel_text;
use super::workspace::{Asked, Workspace, use_workspace};
use crate::api::{list_files, read_file};
use crate::people::Right;
use crate::store::{link, use_query};
use crate::ui::parts::{ErrorNote, Icon, answered, varying};
use leptos::prelude::*;
use tree::{Listing, way_to};

/// The files of the conversation. `?dir=` is the open folder, `?file=` the shown file.
#[component]
pub fn FilesPanel() -> impl IntoView {
    let workspace = use_workspace();
    let query = use_query();
    let of_query = move |name: &'static str| {
        Memo::new(move |_| {
            query
                .with(|query| query.get(name))
                .unwrap_or_default()
                .trim_matches('/')
                .to_owned()
        })
    };
    let (directory, path, from) = (of_query("dir"), of_query("file"), of_query("from"));
    let from: Memo<usize> = Memo::new(move |_| from.read().parse().unwrap_or_default());
    let open = Memo::new(move |_| {
        let (directory, path) = (directory.get(), path.get());
        match path.rsplit_once('/') {
            Some((parent, _)) if directory.is_empty() => way_to(parent),
            _ => way_to(&directory),
        }
    });
    let listings = workspace.asked(
        move || (open.get(), from.get()),
        |id, (open, from)| async move {
            let mut listings = Vec::<Listing>::new();
            // One request after the other: OpenHands limits the requests per second.
            for (at, directory) in open.iter().enumerate() {
                let inside = open.get(at + 1).cloned();
                let from = if inside.is_none() { from } else { 0 };
                let kept = inside.unwrap_or_default();
                let part = list_files(id.clone(), directory.clone(), from, kept).await?;
                listings.push((directory.clone(), part));
            }
            Ok(listings)
        },
    );
    let file = workspace.asked(
        move || path.get(),
        |id, path| async move {
            match path.is_empty() {
                true => Ok(None),
                false => Ok(Some((path.clone(), read_file(id, path).await?))),
            }
        },
    );
    let operates = workspace.store.may(Right::Operate);
    let sent = RwSignal::new(Vec::new());
    let tools = move || view! { <FilesTools workspace/> };
    view! {
        <Frame title=panel_text::files() tools>
            <div class="files">
                <Transition fallback=move || workspace.waiting()>
                    {answered(listings, move |answer| {
                        workspace.shown(answer, |listings| {
                            any_view! {
                                <div class="stack">
                                    <Tree listings path from may_upload=operates.get_untracked()/>
                                    {varying(move || operates.get().then(|| view! { <UploadForm workspace sent/> }))}
                                </div>
                            }
                        })
                    })}
                </Transition>
                <div class="files__view">
                    <Transition>
                        {answered(file, move |answer| match answer {
                            Ok(Asked::Told(Some((path, shown)))) => {
                                any_view! { <FileShownView id=workspace.store.id() path shown/> }
                            }
                            Ok(_) => ().into_any(),
                            Err(error) => any_view! { <ErrorNote error/> },
                        })}
                    </Transition>
                </div>
            </div>
        </Frame>
    }
}

/// The button that downloads all files, and the one that reads them again.
#[component]
fn FilesTools(workspace: Workspace) -> impl IntoView {
    let store = workspace.store;
    let packed = store
        .backend
        .with_value(|backend| backend.capabilities.archive);
    let archive = link(&format!("c/{}/workspace", store.id()));
    view! {
        {packed
            .map(|packed| {
                view! {
                    <a class="button button--quiet button--small" href=archive download="">
                        <Icon name="download"/>
                        " "
                        {text::download_all(packed.ending())}
                    </a>
                }
            })}
        <Refresh again=move |()| workspace.again()/>
    }
}
