//! The file tree: the root, and the folders on the path to the open one. Only these are listed.

use super::super::address::panel_address;
use super::text;
use crate::api::{FileEntry, Part};
use crate::ui::parts::{self, EmptyState, Icon};
use leptos::prelude::*;

/// A folder and a part of its entries.
pub type Listing = (String, Part<FileEntry>);

/// What is shown.
#[derive(Clone, Copy)]
struct Shown {
    /// The file.
    path: Memo<String>,
    /// The entries before the part of the innermost folder.
    from: Memo<usize>,
}

/// The folders on the path to `directory`, the root first: `a/b` gives the root, `a` and `a/b`.
pub fn way_to(directory: &str) -> Vec<String> {
    let mut way = vec![String::new()];
    let slashes = directory.match_indices('/').map(|(at, _)| at);
    way.extend(
        slashes
            .chain([directory.len()])
            .map(|end| directory[..end].to_owned())
            .filter(|path| !path.is_empty()),
    );
    way
}

/// The tree; `path` is the shown file.
#[component]
pub fn Tree(
    listings: Vec<Listing>,
    path: Memo<String>,
    /// Number of entries before the part of the innermost folder.
    from: Memo<usize>,
    /// Whether the person may upload files.
    may_upload: bool,
) -> impl IntoView {
    let (root, others) = match listings.split_first() {
        Some((root, others)) if !root.1.entries.is_empty() => (root, others),
        _ => {
            let hint = if may_upload {
                text::empty_hint()
            } else {
                text::empty_viewer_hint()
            };
            return any_view! { <EmptyState title=text::empty() text=hint/> };
        }
    };
    any_view! { <ul class="tree">{branch(root, others, Shown { path, from })}</ul> }
}

fn branch((directory, part): &Listing, open: &[Listing], shown: Shown) -> AnyView {
    let lines = part.entries.iter().map(|entry| {
        if entry.directory {
            folder(entry, open, shown)
        } else {
            file(entry, shown)
        }
    });
    let more = (part.more > 0).then(|| {
        let from = part.more.to_string();
        let address = panel_address("files", &[("dir", directory), ("from", &from)]);
        view! {
            <li>
                <a class="button button--small" href=address data-noscroll="">
                    {parts::text::more()}
                </a>
            </li>
        }
    });
    (lines.collect_view(), more).into_any()
}

fn folder(entry: &FileEntry, open: &[Listing], shown: Shown) -> AnyView {
    let own = entry.path.trim_matches('/');
    let inside = open
        .split_first()
        .filter(|((directory, _), _)| directory == own);
    let parent = own.rsplit_once('/').map_or("", |(parent, _)| parent);
    // An open folder is closed by a link to its parent.
    let target = if inside.is_some() { parent } else { own };
    let address = panel_address("files", &[("dir", target)]);
    let expanded = if inside.is_some() { "true" } else { "false" };
    let content =
        inside.map(|(listing, deeper)| view! { <ul>{branch(listing, deeper, shown)}</ul> });
    any_view! {
        <li>
            <a class="tree__file tree__folder" href=address data-noscroll="" aria-expanded=expanded>
                <Icon name="folder"/>
                " "
                {entry.name.clone()}
            </a>
            {content}
        </li>
    }
}

fn file(entry: &FileEntry, Shown { path, from }: Shown) -> AnyView {
    let own = entry.path.trim_matches('/').to_owned();
    let mut selected = vec![("file", own.as_str())];
    let from = Some(from.get_untracked()).filter(|from| *from > 0);
    let from = from.map(|from| from.to_string());
    // The list stays as it is.
    selected.extend(from.as_deref().map(|from| ("from", from)));
    let address = panel_address("files", &selected);
    any_view! {
        <li>
            <a
                class="tree__file"
                href=address
                data-noscroll=""
                aria-current=move || path.with(|path| *path == own).then_some("true")
            >
                <Icon name="file"/>
                " "
                {entry.name.clone()}
            </a>
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_a_folder_begins_at_the_root() {
        assert_eq!(way_to(""), [""]);
        assert_eq!(way_to("a"), ["", "a"]);
        assert_eq!(way_to("a/b/ä"), ["", "a", "a/b", "a/b/ä"]);
    }
}
