// The page's side of the service worker, loaded when the page is alive: no page waits for it, and none needs it.
//
// It registers the worker, shows the messages that wait on this device, keeps copies of the pages that the reader has open,
// and does what only an installed app needs: the number on its icon, its own back button, and shared images.
// @ts-check

const html = document.documentElement;
const { base = '/', person: author = '', role } = html.dataset;
const worker = navigator.serviceWorker;

/** The pages that an open tab has changed are kept again at most this often, in milliseconds. */
const AGAIN = 60_000;
/** How long a newly opened page is left alone, in milliseconds: its reader may pass through. */
const PASSING = 2_000;

const tell = (message) => worker.controller?.postMessage(message);

/** Asks the worker; without one there is no answer. */
const ask = (message) =>
  new Promise((resolve) => {
    if (worker.controller === null) return;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }) => resolve(data);
    worker.controller.postMessage(message, [port2]);
  });

/** The texts that the server has written into the page (`app.rs`). */
const texts = /** @type {HTMLElement} */ (document.getElementById('kept-texts')).dataset;

const isOffline = () => 'offline' in html.dataset;

// ---- Copies of the open page.

/** How often the page has changed, and how often it had when the worker was asked for the copy that it has now. */
let [changes, kept] = [1, 0];
let address = '';

/** Registers the worker; again if that has failed, or if it does not control this page. */
function register() {
  const registered = worker.register(`${base}service-worker.js`, { scope: base, updateViaCache: 'none' });
  registered.then(({ active }) => active?.postMessage({ kind: 'claim' })).catch(() => {});
}

async function keep() {
  if (worker.controller === null) return register();
  if (changes === kept || html.dataset.live !== 'true') return;
  const asked = changes;
  if (await ask({ kind: 'keep', path: location.pathname.slice(base.length) })) kept = Math.max(kept, asked);
}

// ---- Messages that wait on this device.

let waiting = [];

async function read() {
  waiting = await ask({ kind: 'messages', author });
  draw();
}

const element = (name, className, text = '') => Object.assign(document.createElement(name), { className, textContent: text });

/** A message, as the outbox shows those that wait on the server (`ui/composer/outbox.rs`). */
function row(message) {
  const row = element('article', 'row row--human row--own');
  row.dataset.delivery = message.refused ? 'failed' : 'waiting';
  const text = element('div', 'row__text');
  text.append(element('p', 'row__plain', message.text));
  const state = element('div', 'row__delivery');
  state.setAttribute('role', 'status');
  const says = message.refused ? `${texts.refused} ${message.why}` : message.why || texts.waits;
  state.append(element('span', '', says), ...buttons(message));
  row.append(text, state);
  return row;
}

function buttons(message) {
  const button = (label, press) => {
    const button = element('button', 'button button--small', label);
    button.setAttribute('type', 'button');
    button.addEventListener('click', press);
    return button;
  };
  const remove = button(texts.remove, () => tell({ kind: 'remove', key: message.key, author }));
  return message.refused ? [button(texts.copy, () => navigator.clipboard.writeText(message.text)), remove] : [remove];
}

/** A message of a conversation that is not open. */
function banner(message) {
  const banner = element('div', `banner banner--${message.refused ? 'bad' : 'info'}`);
  const says = message.refused ? `${texts.refused} ${message.why}` : `${texts.waits}.`;
  const link = element('a', 'button button--small', texts.open);
  link.setAttribute('href', `${base}c/${encodeURIComponent(message.conversation)}`);
  const text = element('span', 'banner__text', `${says} “${message.text}”`);
  banner.append(text, ...buttons(message), ...(message.refused ? [] : [link]));
  return banner;
}

/** The place for the messages of the open conversation that was filled last, and its conversation. */
let [drawnIn, drawnFor] = [null, undefined];

function draw() {
  const [here, elsewhere] = ['waiting-here', 'kept-messages'].map((id) => document.getElementById(id));
  [drawnIn, drawnFor] = [here, here?.dataset.conversation];
  const isHere = (message) => message.conversation === here?.dataset.conversation;
  here?.replaceChildren(...waiting.filter(isHere).map((message) => row(message)));
  // The open conversation of a reader without the right to write has no place for them.
  elsewhere?.replaceChildren(...waiting.filter((message) => !isHere(message)).map((message) => banner(message)));
}

// ---- Shared images.

const SHARED = 'shared-images';

/** Gives shared images to the message field, as if they were dropped there. */
async function attach() {
  const composer = document.querySelector('form.composer');
  if (composer === null || worker.controller === null || sessionStorage.getItem(SHARED) === null) return;
  sessionStorage.removeItem(SHARED);
  const data = new DataTransfer();
  for (const file of await ask({ kind: 'take-shared' })) data.items.add(file);
  if (data.files.length > 0) composer.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
}

// ---- Events of the page.

function onSubmit(event) {
  const form = event.target;
  if (form.matches('form.share') && form.querySelector('[data-images]')) sessionStorage.setItem(SHARED, '');
  if (form.getAttribute('action') !== `${base}logout`) return;
  if (waiting.length > 0 && !confirm(texts.leave)) event.preventDefault();
  else tell({ kind: 'sign-out', author });
}

function onClick(event) {
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
  if (link === null || event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const isBack = link.hasAttribute('data-back') && history.length > 1;
  // The worker has whole pages only, so without a network a link loads one.
  const loads = isOffline() && worker.controller !== null && link.origin === location.origin && link.target === '' && link.getAttribute('href')?.startsWith('#') === false;
  if (!isBack && !loads) return;
  event.preventDefault();
  event.stopPropagation();
  if (isBack) history.back();
  else location.assign(link.href);
}

/** The number of pending approvals, on the icon of the app. */
function badge() {
  const count = Number(html.dataset.waiting ?? 0);
  (count > 0 ? navigator.setAppBadge?.(count) : navigator.clearAppBadge?.())?.catch(() => {});
}

function onPageChange() {
  changes += 1;
  if (address !== location.pathname) {
    address = location.pathname;
    setTimeout(keep, PASSING);
  }
  const here = document.getElementById('waiting-here');
  // Drawing changes the page, too, so it must not follow from each change.
  if (waiting.length > 0 && (here !== drawnIn || here?.dataset.conversation !== drawnFor)) draw();
  void attach();
}

function onStateChange(records) {
  if (records.some(({ attributeName }) => attributeName === 'data-live') && html.dataset.live === 'true') tell({ kind: 'deliver' });
  // A message waits, too, while an approval is pending.
  if (records.some(({ attributeName }) => attributeName === 'data-waiting')) {
    badge();
    if (waiting.length > 0) tell({ kind: 'deliver' });
  }
}

function start() {
  register();
  worker.addEventListener('message', ({ data }) => {
    if (data?.kind === 'messages') void read();
  });
  worker.addEventListener('controllerchange', () => {
    kept = 0;
    setTimeout(keep, PASSING);
    void read();
  });
  document.addEventListener('submit', onSubmit, true);
  document.addEventListener('click', onClick, true);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) keep();
  });
  new MutationObserver(onPageChange).observe(document.body, { childList: true, subtree: true });
  new MutationObserver(onStateChange).observe(html, { attributeFilter: ['data-live', 'data-waiting'] });
  setInterval(() => {
    if (!document.hidden) keep();
    if (waiting.length > 0) tell({ kind: 'deliver' });
  }, AGAIN);
  badge();
  onPageChange();
  tell({ kind: 'deliver' });
  void read();
}

// Visitors of a shared link have no account here, so nothing is kept for them.
if (role !== 'visitor') start();
