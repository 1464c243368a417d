//! A block: one part of a step or notice.

use super::{
    block_code::CodeBlock, block_diff::DiffBlock, block_file::FileBlock,
    block_terminal::TerminalBlock, tasks::TaskList,
};
use crate::render::Block;
use leptos::prelude::*;

/// Renders a block. `row` is the row that contains it, for "Show all".
#[component]
pub fn BlockView(block: Block, row: Option<i64>) -> impl IntoView {
    match block {
        Block::Code {
            label,
            html,
            text,
            hidden,
            cut,
        } => any_view! { <CodeBlock label html text hidden more=row.filter(|_| cut) /> },
        Block::Terminal {
            html,
            lines,
            shown,
            cut,
        } => any_view! { <TerminalBlock html lines shown more=row.filter(|_| cut) /> },
        Block::File(view) => any_view! { <FileBlock view row /> },
        Block::Diff(view) => any_view! { <DiffBlock view row /> },
        Block::Image { src, alt, caption } => any_view! { <ImageBlock src alt caption /> },
        Block::Prose(html) => {
            any_view! { <div class="block block-prose prose" inner_html=html></div> }
        }
        Block::Remark { tone, text } => {
            any_view! { <p class=format!("remark remark--{}", tone.word())>{text}</p> }
        }
        Block::Json { label, html, cut } => {
            let more = row.filter(|_| cut);
            any_view! { <CodeBlock label html text=String::new() hidden=false more class="block block-json" /> }
        }
        Block::Tasks(tasks) => any_view! { <TaskList tasks /> },
    }
}

#[component]
fn ImageBlock(src: String, alt: String, caption: String) -> impl IntoView {
    let caption = (!caption.is_empty()).then_some(caption);
    let address = src.clone();
    view! {
        <figure class="block block-image">
            <a href=address target="_blank" rel="noopener">
                <img src=src alt=alt loading="lazy" />
            </a>
            {caption
                .map(|caption| {
                    view! { <figcaption class="block__caption mono truncate">{caption}</figcaption> }
                })}
        </figure>
    }
}
