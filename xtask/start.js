// The script of the page: loads the WASM bundle and hydrates the server's HTML. What can wait until then is in another one.
import init, { hydrate } from '../target/browser/handrail.js';
import wasm from '../target/browser/handrail.wasm';

await init({ module_or_path: new URL(wasm, import.meta.url) });
// Browsers have no service workers without HTTPS. `PAGE` is src/worker/page.js under its own name (site.mjs).
// A failed attempt is repeated under another address, because some browsers remember the failure.
const load = (failures = 0) => {
  if (!navigator.serviceWorker || failures === 8) return undefined;
  const address = new URL(PAGE, import.meta.url);
  if (failures > 0) address.search = String(failures);
  return import(address).catch(() => setTimeout(load, 2_000 * 2 ** failures, failures + 1));
};
// A kept copy needs it for its links. No other page waits for it.
if ('offline' in document.documentElement.dataset) await load();
await hydrate();
setTimeout(load, 1_000);
