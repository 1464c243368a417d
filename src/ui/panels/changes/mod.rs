//! The review: the uncommitted changes, or those of one commit, file by file. `?change=` shows one file as a whole.

mod comments;
mod commits;
mod diff;
mod file;
mod form;
mod recorded;
mod state;

use self::{commits::Commits, file::File, state::Comments};
use super::address::panel_address;
use super::panel::{Frame, Refresh};
use super::text;
use super::workspace::{Asked, Workspace, use_workspace};
use crate::api::{
    ApiError, CommentView, ReviewView, ReviewedChange, ReviewedFile, read_change,
    read_recorded_changes, read_review,
};
use crate::render::DiffSide;
use crate::store::{Fetched, fetched, use_query};
use crate::ui::parts::{self, Each, EmptyState, ErrorNote, varying};
use crate::ui::timeline::diff_stat;
use leptos::prelude::*;

/// The changes of the conversation.
#[component]
pub fn ChangesPanel() -> impl IntoView {
    let workspace = use_workspace();
    let query = use_query();
    let of = move |name: &'static str| {
        let given = move || query.with(|query| query.get(name));
        Memo::new(move |_| given().filter(|value| !value.is_empty()))
    };
    let chosen = Chosen {
        commit: of("commit"),
        file: of("change"),
        from: of("from"),
        on: of("on"),
        at: of("at"),
        edited: Memo::new(move |_| query.with(|query| query.get_str("comment")?.parse().ok())),
    };
    let comments = Comments::new(workspace.store, chosen);
    let review = workspace.asked(
        move || (chosen.commit.get(), chosen.file.get(), chosen.from.get()),
        |id, (commit, file, from)| async move {
            let Some(path) = file else {
                let from = from.and_then(|from| from.parse().ok());
                return read_review(id, commit, from.unwrap_or_default()).await;
            };
            let view = read_change(id, commit, path.clone()).await?;
            let shown = ReviewedChange::Diff(view);
            let file = ReviewedFile {
                path,
                status: String::new(),
                shown,
            };
            Ok(ReviewView {
                files: vec![file],
                more: 0,
                count: 1,
            })
        },
    );
    let down = Memo::new(move |_| workspace.is_down());
    let recorded = fetched(
        move || (down.get(), chosen.file.get()),
        move |(down, file)| async move {
            match down {
                true => read_recorded_changes(workspace.store.id(), file).await,
                false => Ok(Default::default()),
            }
        },
    );
    let can = workspace
        .store
        .backend
        .with_value(|backend| backend.capabilities);
    view! {
        <Frame title=text::changes() tools=move || view! { <Refresh again=move |()| workspace.again()/> }>
            {can.commits.then(|| view! { <Commits workspace chosen=chosen.commit/> })}
            <Transition fallback=move || workspace.waiting()>
                <Review workspace comments review recorded/>
            </Transition>
        </Frame>
    }
}

/// The selection.
#[derive(Clone, Copy)]
struct Chosen {
    /// The selected commit; `None` for uncommitted changes.
    commit: Memo<Option<String>>,
    /// The only file that is shown.
    file: Memo<Option<String>>,
    /// Number of files before the shown part.
    from: Memo<Option<String>>,
    /// The file with the line that a comment is being written on.
    on: Memo<Option<String>>,
    /// That line: its side and number.
    at: Memo<Option<String>>,
    /// Number of the comment that is being changed.
    edited: Memo<Option<i64>>,
}

/// Where in a file a comment is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// On this line.
    Line(DiffSide, u32),
    /// On a line whose number the person gives: the links of lines are no stops of the Tab key, and small.
    Any,
}

impl Chosen {
    /// The address of the changes of this commit.
    fn address(self, further: &[(&str, &str)]) -> String {
        let commit = self.commit.get();
        let mut selected: Vec<_> = commit
            .iter()
            .map(|hash| ("commit", hash.as_str()))
            .collect();
        selected.extend(further);
        panel_address("changes", &selected)
    }

    /// The address of what is shown now.
    fn here(self, further: &[(&str, &str)]) -> String {
        let (file, from) = (self.file.get(), self.from.get());
        let file = file.as_deref().map(|file| ("change", file));
        let from = from.as_deref().map(|from| ("from", from));
        let selected: Vec<_> = file
            .into_iter()
            .chain(from)
            .chain(further.iter().copied())
            .collect();
        self.address(&selected)
    }

    /// Where in a file a comment is being written.
    fn open_in(self, path: &str) -> Option<Place> {
        if self.on.with(|on| on.as_deref() != Some(path)) {
            return None;
        }
        let at = self.at.get()?;
        let line = at
            .split_once('-')
            .and_then(|(side, number)| Some((DiffSide::from_word(side)?, number.parse().ok()?)));
        Some(line.map_or(Place::Any, |(side, number)| Place::Line(side, number)))
    }
}

/// A response, drawn so that what stays the same keeps its place: an edit must not fold what a person reads.
#[component]
fn Review(
    workspace: Workspace,
    comments: Comments,
    review: Fetched<Result<Asked<ReviewView>, ApiError>>,
    /// What is known without the sandbox.
    recorded: Fetched<Result<(ReviewView, bool), ApiError>>,
) -> impl IntoView {
    let told = Memo::new(move |_| match review.get() {
        Some(Ok(Asked::Told(view))) => Some(view),
        _ => None,
    });
    let is_told = Memo::new(move |_| told.with(Option::is_some));
    let all = comments.all();
    varying(move || match is_told.get() {
        true => any_view! { <Files workspace comments told all/> },
        false => {
            let missing = review
                .get()
                .map(|answer| workspace.shown(answer, |_| ().into_any()));
            let known = recorded.get().map(|answer| match answer {
                Ok((view, is_whole)) => recorded::view(workspace, comments, (view, is_whole), all),
                Err(error) => view! { <ErrorNote error/> }.into_any(),
            });
            any_view! {
                {missing}
                {known}
            }
        }
    })
}

#[component]
fn Files(
    workspace: Workspace,
    comments: Comments,
    told: Memo<Option<ReviewView>>,
    all: Memo<Vec<CommentView>>,
) -> impl IntoView {
    let chosen = comments.chosen;
    let paths = Memo::new(move |_| {
        told.with(|view| {
            let files = view.iter().flat_map(|view| &view.files);
            files.map(|file| file.path.clone()).collect::<Vec<_>>()
        })
    });
    let id = workspace.store.id();
    let draw = Callback::new(move |path: String| {
        let known = path.clone();
        let file = Memo::new(move |_| {
            told.with(|view| {
                let mut files = view.iter().flat_map(|view| &view.files);
                files.find(|file| file.path == known).cloned()
            })
        });
        any_view! { <File id=id.clone() path file comments all/> }
    });
    any_view! {
        {varying(move || told.with(|view| view.as_ref().map(|view| head(view, chosen, comments.may.get()))))}
        {comments.tools(all)}
        <div class="review">
            <Each keys=paths draw/>
        </div>
        {varying(move || {
            let more = told.with(|view| view.as_ref().map_or(0, |view| view.more));
            (more > 0).then(|| {
                view! {
                    <a
                        class="button button--small"
                        href=chosen.address(&[("from", &more.to_string())])
                        data-noscroll=""
                    >
                        {parts::text::more()}
                    </a>
                }
            })
        })}
        {varying(move || {
            let commit = chosen.commit.get().unwrap_or_default();
            let elsewhere = |comment: &CommentView| {
                comment.spot.commit != commit || paths.with(|paths| !paths.contains(&comment.spot.file))
            };
            let others = all.get().into_iter().filter(elsewhere).map(|one| comments.one(one, true));
            let others = others.collect::<Vec<_>>();
            (!others.is_empty()).then(|| view! { <h3>{text::other_comments()}</h3> {others} })
        })}
    }
}

/// The totals, or that nothing has changed.
fn head(view: &ReviewView, chosen: Chosen, may: bool) -> AnyView {
    if chosen.file.with(Option::is_some) {
        let all = chosen.address(&[]);
        return any_view! {
            <p class="review__head">
                <a href=all data-noscroll="">
                    {text::all_changes()}
                </a>
            </p>
        };
    }
    if view.count == 0 {
        let hint = match chosen.commit.with(Option::is_none) {
            true => text::no_changes_hint(),
            false => text::empty_commit_hint(),
        };
        return any_view! { <EmptyState title=text::no_changes() text=hint/> };
    }
    let diffs = view.files.iter().filter_map(|file| match &file.shown {
        ReviewedChange::Diff(diff) => Some((diff.added, diff.removed)),
        _ => None,
    });
    let (mut counted, mut added, mut removed) = (0, 0, 0);
    for (more, less) in diffs {
        (counted, added, removed) = (counted + 1, added + more, removed + less);
    }
    // What is on other pages, and what has no lines, is not counted.
    let of = (0 < counted && counted < view.count).then(|| text::in_files(counted));
    any_view! {
        <p class="review__head">
            <span>{text::changed_files(view.count)}</span>
            {(counted > 0).then(|| diff_stat(added, removed))}
            {of.map(|of| view! { <span class="muted">{of}</span> })}
            {may.then(|| view! { <span class="review__hint muted">{text::comment_hint()}</span> })}
        </p>
    }
}
