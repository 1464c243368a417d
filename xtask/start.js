// The only script of the page: loads the WASM bundle and hydrates the server's HTML.
import init, { hydrate } from '../target/browser/handrail.js';
import wasm from '../target/browser/handrail.wasm';

await init({ module_or_path: new URL(wasm, import.meta.url) });
await hydrate();
