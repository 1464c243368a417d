// The script of the page: loads the WASM bundle and hydrates the server's HTML. What can wait until then is in another one.
import init, { hydrate } from '../target/browser/handrail.js';
import wasm from '../target/browser/handrail.wasm';

await init({ module_or_path: new URL(wasm, import.meta.url) });
// Browsers have no service workers without HTTPS. `PAGE` is src/worker/page.js under its own name (site.mjs).
const load = () => navigator.serviceWorker && import(new URL(PAGE, import.meta.url));
// A kept copy needs it for its links. No other page waits for it.
if ('offline' in document.documentElement.dataset) await load();
await hydrate();
setTimeout(load, 1_000);
