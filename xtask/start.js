// The script of the page: loads the WASM bundle and hydrates the server's HTML. What can wait until then is in another one.
import init, { hydrate, ready } from '../target/browser/handrail.js';
import wasm from '../target/browser/handrail.wasm';
import { beganInVain, end, say, watch } from '../src/worker/dead.js';
import { anew, asSent } from '../src/worker/foreign.js';

// Browsers have no service workers without HTTPS. `PAGE` is src/worker/page.js under its own name (site.mjs).
// A failed attempt is repeated under another address, because some browsers remember the failure.
const load = (failures = 0) => {
  if (!navigator.serviceWorker || failures === 8) return undefined;
  const address = new URL(PAGE, import.meta.url);
  if (failures > 0) address.search = String(failures);
  return import(address).catch(() => setTimeout(load, 2_000 * 2 ** failures, failures + 1));
};

/** Loads the program; `false` without it. */
async function loaded() {
  try {
    await init({ module_or_path: new URL(wasm, import.meta.url) });
    return await ready();
  } catch {
    return false;
  }
}

async function begin() {
  if (!(await loaded())) return say();
  // A kept copy needs it for its links. No other page waits for it.
  if ('offline' in document.documentElement.dataset) await load();
  watch();
  try {
    await (beganInVain() ? anew : asSent)(hydrate);
  } catch (error) {
    console.error(error);
    end(true);
  }
}

// A file that misses the message field is meant for it, and would replace the page.
for (const name of ['dragover', 'drop']) {
  addEventListener(name, (event) => {
    const { target, dataTransfer } = event;
    if (!dataTransfer?.types.includes('Files') || (target instanceof Element && target.closest('input[type=file], form.composer'))) return;
    event.preventDefault();
    const composer = document.querySelector('form.composer');
    if (name === 'drop') composer?.dispatchEvent(new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true }));
  }, true);
}

await begin();
setTimeout(load, 1_000);
