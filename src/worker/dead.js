// A page whose program has ended says so, and stays plain HTML that works.
//
// The program ends by a panic, which is a trap of the WebAssembly, or does not begin. What it has left on the page looks
// alive, and would swallow what a person does: so it gets no events any more, and forms and links do what they do without a
// script. The page loads itself again, once, if nothing that was typed is lost by that.
// @ts-check

const html = document.documentElement;
/** When the program of this tab ended last, and whether it ended while it began. */
const KEY = 'handrail:dead';
/** A program that ends again within this time, in milliseconds, does not load its page again. */
const AGAIN = 600_000;
/** What the program listens to. */
const EVENTS = ['click', 'submit', 'keydown', 'input', 'change', 'paste', 'dragover', 'dragleave', 'drop', 'toggle', 'close', 'scroll', 'focusin', 'focusout', 'pointerdown', 'pointerup'];

let isDead = false;

/** What this tab knows of an earlier end; `undefined` where the browser keeps nothing. */
function known() {
  try {
    const [at = 0, early = ''] = (sessionStorage.getItem(KEY) ?? '').split(' ');
    return { isRecent: Date.now() - Number(at) < AGAIN, early: early !== '' };
  } catch {
    return undefined;
  }
}

/** Whether the program ended while it began, and the page was loaded again for that. */
export function beganInVain() {
  const before = known();
  return before !== undefined && before.isRecent && before.early;
}

/** Ends the page if an error is the end of the program. */
export function watch() {
  addEventListener('error', ({ error }) => isEnd(error) && end());
  addEventListener('unhandledrejection', ({ reason }) => isEnd(reason) && end());
}

const isEnd = (error) => error instanceof WebAssembly.RuntimeError || (error instanceof RangeError && /wasm/.test(error.stack ?? ''));

/** The program has ended; `early`: while it began. */
export function end(early = false) {
  if (isDead) return;
  isDead = true;
  const before = known();
  if (before && !before.isRecent && !isTyped() && !('offline' in html.dataset)) {
    sessionStorage.setItem(KEY, `${Date.now()} ${early ? 'early' : ''}`);
    location.reload();
    return;
  }
  const stop = (event) => event.target instanceof Element && event.target.closest('.dead') ? undefined : event.stopImmediatePropagation();
  for (const name of EVENTS) html.addEventListener(name, stop, true);
  // The address of another page that the program had drawn: the server draws it.
  const address = () => location.pathname + location.search;
  const here = address();
  addEventListener('popstate', () => address() !== here && location.reload(), true);
  const settle = () => html.removeAttribute('data-live');
  new MutationObserver(() => 'live' in html.dataset && settle()).observe(html, { attributeFilter: ['data-live'] });
  settle();
  // Whatever the program was waiting for.
  for (const button of document.querySelectorAll('button')) {
    button.disabled = false;
    for (const name of ['aria-busy', 'aria-disabled']) button.removeAttribute(name);
  }
  say();
}

/** Whether anything was typed or chosen that the page does not have when it is loaded again. */
export function isTyped() {
  const fields = /** @type {NodeListOf<any>} */ (document.querySelectorAll('input, textarea, select'));
  const differs = (field) => {
    if (field.type === 'file') return field.files.length > 0;
    if (field.options) return field.selectedIndex !== Math.max(0, [...field.options].findLastIndex((option) => option.defaultSelected));
    return ['checkbox', 'radio'].includes(field.type) ? field.checked !== field.defaultChecked : field.value !== field.defaultValue;
  };
  return [...fields].some(differs) || document.querySelector('.composer__files') !== null;
}

/** Says that the page does not update. */
export function say() {
  // The texts that the server has written into the page (`app.rs`).
  const texts = /** @type {HTMLElement} */ (document.getElementById('kept-texts')).dataset;
  const banner = Object.assign(document.createElement('div'), { className: 'banner banner--bad dead' });
  banner.setAttribute('role', 'alert');
  const text = Object.assign(document.createElement('span'), { className: 'banner__text', textContent: texts.dead });
  const button = Object.assign(document.createElement('button'), { className: 'button button--small', type: 'button', textContent: texts.reload });
  button.addEventListener('click', () => {
    keep();
    sessionStorage.removeItem(KEY);
    location.reload();
  });
  banner.append(text, button);
  document.body.prepend(banner);
}

/** Keeps the unsent message where the program looks for it (`store/draft.rs`). */
function keep() {
  const field = /** @type {HTMLTextAreaElement | null} */ (document.getElementById('message'));
  const id = /** @type {HTMLInputElement | null} */ (field?.form?.elements.namedItem('id') ?? null);
  if (field && id && field.value !== field.defaultValue) localStorage.setItem(`draft/${html.dataset.person ?? ''}/${id.value}`, field.value);
}
