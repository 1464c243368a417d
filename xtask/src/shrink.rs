//! Makes the browser's program smaller after it is compiled.

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::Path,
};

use anyhow::Result;
use walrus::{Function, FunctionBuilder, FunctionKind, Module, ModuleConfig};
use wasm_encoder::{Encode as _, NameMap, NameSection};
use wasmparser::{Parser, Payload};

use crate::steps::{node_module, run};

/// The features that rustc assumes of a browser; wasm-opt rejects code that uses more than the listed ones.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// Makes a file smaller, or with `thoroughly` as small as possible, once compressed, and the script that loads it. It must
/// still contain the names of its functions, and loses them. Errors: it is no WebAssembly, a file cannot be written, or
/// wasm-opt fails.
pub fn shrink(file: &Path, script: &Path, thoroughly: bool) -> Result<()> {
    let mut module = ModuleConfig::new()
        .generate_name_section(thoroughly)
        .parse_file(file)?;
    drop_uncalled(&mut module);
    let text = shorten_imports(&mut module, fs::read_to_string(script)?);
    fs::write(script, text)?;
    module.emit_wasm_file(file)?;
    if !thoroughly {
        return optimise(file, "-O1");
    }
    optimise(file, "-Oz")?;
    // The second run takes another 0.4 % off.
    optimise(file, "-Oz")?;
    name_by_similarity(file)?;
    optimise(file, "--reorder-functions-by-name")
}

fn optimise(file: &Path, how: &str) -> Result<()> {
    run(node_module("binaryen/bin/wasm-opt")
        .args(FEATURES)
        .arg(file)
        .args([how, "--strip-debug", "-o"])
        .arg(file))
}

/// Empties the functions for asynchronous hydration, a twentieth of the program: Leptos keeps them in a table for each type of
/// view, and nothing calls them in a page that is mounted with `hydrate_body`.
fn drop_uncalled(module: &mut Module) {
    let is_uncalled = |function: &&Function| {
        matches!(function.kind, FunctionKind::Local(_))
            && function.name.as_deref().is_some_and(hydrates_later)
    };
    let uncalled: Vec<_> = module
        .funcs
        .iter()
        .filter(is_uncalled)
        .map(|function| (function.id(), function.ty()))
        .collect();
    for (id, ty) in uncalled {
        let (takes, gives) = module.types.params_results(ty);
        let (takes, gives) = (takes.to_vec(), gives.to_vec());
        let mut body = FunctionBuilder::new(&mut module.types, &takes, &gives);
        body.func_body().unreachable();
        let arguments = takes.iter().map(|ty| module.locals.add(*ty)).collect();
        module.funcs.get_mut(id).kind = FunctionKind::Local(body.local_func(arguments));
    }
}

/// Whether a function of this name is `hydrate_async`, or the future that it returns. Those that drop this future only have it
/// in their types: the linker merges them with others of the same code, so they may be called.
fn hydrates_later(name: &str) -> bool {
    let mut name = match name.rsplit_once("::h") {
        Some((name, hash)) if is_hash(hash) => name,
        _ => name,
    };
    while let Some(outer) = name.strip_suffix("::{{closure}}") {
        name = outer;
    }
    name.ends_with("::hydrate_async")
}

/// Numbers the imports whose names end in a hash, here and in `script`, which is returned: hashes cannot be compressed, and
/// there are hundreds.
fn shorten_imports(module: &mut Module, mut script: String) -> String {
    for (number, import) in module.imports.iter_mut().enumerate() {
        if import
            .name
            .rsplit_once('_')
            .is_some_and(|(_, hash)| is_hash(hash))
        {
            let short = format!("_{number}");
            script = script.replace(&import.name, &short);
            import.name = short;
        }
    }
    script
}

fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Names the functions so that similar ones follow each other in the order of their names: then brotli refers to code that
/// is near, which takes fewer bits. Errors: the file is no WebAssembly, or cannot be written.
fn name_by_similarity(file: &Path) -> Result<()> {
    let mut wasm = fs::read(file)?;
    let (mut imported, mut functions) = (0, Vec::new());
    for payload in Parser::new(0).parse_all(&wasm) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, wasmparser::TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionEntry(body) => functions.push(body.as_bytes()),
            _ => {}
        }
    }
    let mut names = BTreeMap::new();
    for (place, function) in by_similarity(&functions).into_iter().enumerate() {
        names.insert(imported + function as u32, format!("{place:06}"));
    }
    let mut map = NameMap::new();
    for (function, name) in names {
        map.append(function, &name);
    }
    let mut section = NameSection::new();
    section.functions(&map);
    wasm.push(0);
    section.encode(&mut wasm);
    fs::write(file, wasm).map_err(Into::into)
}

/// Length of the pieces of code that are compared, in bytes.
const PIECE: usize = 6;

/// A piece that more functions contain says nothing about any of them.
const COMMON: usize = 300;

/// All indices, so that each is followed by the one that has most in common with it of those that are left.
fn by_similarity(functions: &[&[u8]]) -> Vec<usize> {
    let mut holders: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    let mut sizes = Vec::new();
    for (index, function) in functions.iter().enumerate() {
        let pieces: HashSet<_> = function.windows(PIECE).collect();
        sizes.push(pieces.len() as f64);
        for piece in pieces {
            holders.entry(piece).or_default().push(index);
        }
    }
    let mut shared = vec![Vec::new(); functions.len()];
    let telling = holders
        .into_values()
        .filter(|of| (2..=COMMON).contains(&of.len()));
    let telling: Vec<_> = telling.collect();
    for (piece, holders) in telling.iter().enumerate() {
        holders.iter().for_each(|of| shared[*of].push(piece));
    }

    // What is like nothing that is left is followed by the next in this order.
    let mut rest: Vec<_> = (0..functions.len()).collect();
    rest.sort_by_key(|index| functions[*index].len());
    let mut is_placed = vec![false; functions.len()];
    let mut common = vec![0.0; functions.len()];
    let mut order = Vec::new();
    let mut next = rest.pop();
    while let Some(current) = next {
        order.push(current);
        is_placed[current] = true;
        let mut alike = Vec::new();
        for piece in &shared[current] {
            let holders = &telling[*piece];
            let weight = (functions.len() as f64 / holders.len() as f64).ln();
            for other in holders.iter().filter(|other| !is_placed[**other]) {
                if common[*other] == 0.0 {
                    alike.push(*other);
                }
                common[*other] += weight;
            }
        }
        let share = |index: &usize| common[*index] / (sizes[*index] + sizes[current] + 20.0);
        let best = alike
            .iter()
            .copied()
            .max_by(|one, other| share(one).total_cmp(&share(other)));
        alike.iter().for_each(|index| common[*index] = 0.0);
        next = best.or_else(|| {
            while rest.pop_if(|index| is_placed[*index]).is_some() {}
            rest.pop()
        });
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_functions_follow_each_other() {
        let functions: [&[u8]; 6] = [
            b"one thing and another",
            b"0123456789",
            b"",
            b"one thing and a third, the longest",
            b"x",
            b"3456789ab",
        ];
        assert_eq!(by_similarity(&functions), [3, 0, 1, 5, 4, 2]);
    }

    #[test]
    fn only_what_hydrates_later_is_uncalled() {
        for name in [
            "<T as tachys::view::any_view::IntoAny>::into_any::hydrate_async::h0123456789abcdef",
            "<T as tachys::view::RenderHtml>::hydrate_async::{{closure}}::{{closure}}::h0123456789abcdef",
        ] {
            assert!(hydrates_later(name), "{name}");
        }
        for name in [
            "core::ptr::drop_in_place<tachys::view::RenderHtml::hydrate_async::{{closure}}>::h0123456789abcdef",
            "<T as tachys::view::any_view::IntoAny>::into_any::hydrate_from_server::h0123456789abcdef",
            "hydrate",
        ] {
            assert!(!hydrates_later(name), "{name}");
        }
    }
}
