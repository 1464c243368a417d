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
        } => view! { <CodeBlock label html text hidden more=row.filter(|_| cut) /> }.into_any(),
        Block::Terminal {
            html,
            lines,
            shown,
            cut,
        } => view! { <TerminalBlock html lines shown more=row.filter(|_| cut) /> }.into_any(),
        Block::File(view) => view! { <FileBlock view row /> }.into_any(),
        Block::Diff(view) => view! { <DiffBlock view row /> }.into_any(),
        Block::Image { src, alt, caption } => view! { <ImageBlock src alt caption /> }.into_any(),
        Block::Prose(html) => {
            view! { <div class="block block-prose prose" inner_html=html></div> }.into_any()
        }
        Block::Remark { tone, text } => {
            view! { <p class=format!("remark remark--{}", tone.word())>{text}</p> }.into_any()
        }
        Block::Json { label, html, cut } => {
            let more = row.filter(|_| cut);
            view! { <CodeBlock label html text=String::new() hidden=false more class="block block-json" /> }.into_any()
        }
        Block::Tasks(tasks) => view! { <TaskList tasks /> }.into_any(),
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
