// The page's only script of ours: loads the browser's half and makes the server's page alive.
import init, { hydrate } from '../target/browser/handrail.js';
import wasm from '../target/browser/handrail.wasm';

await init({ module_or_path: new URL(wasm, import.meta.url) });
await hydrate();
