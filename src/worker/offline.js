// The service worker's part for bad networks: it keeps the files of the app, the last pages read, and unsent messages.
//
// Pages come from the network, and from here if it fails or is slow. The files of a build have content hashes in their
// names, so a page always runs with the files of its own build: those of this build and of the one before are kept.
// Pages belong to a person. They are deleted when the login has ended, or another person has logged in. Nothing but a
// message is ever sent from here, so no approval waits (`HANDRAIL` is the first line of the worker, `server/worker.rs`).
// @ts-check

/** @typedef {{ key?: number, author: string, conversation: string, id: string, text: string, images: number, at: number, body: string, why: string, refused: boolean }} Message */

/** Prefix of the caches with the files of a build. */
const SHELL = `handrail:${HANDRAIL.base}:shell:`;
/** Prefix of the caches with pages; the build and the number of their person follow. */
const PAGES = `handrail:${HANDRAIL.base}:pages:`;
/** How long the network may take while a kept page could be shown, in milliseconds: as long as a reader waits. */
const SLOW = 2_500;
/** Most conversations that are kept. */
const MOST_PAGES = 30;
/** Most bytes of a kept page, and of all of them: a page is about 100 KB. */
const LARGEST_PAGE = 2_000_000;
const MOST_BYTES = 20_000_000;
/** How long a page is kept, in milliseconds: a week. */
const KEPT = 7 * 24 * 60 * 60 * 1_000;
/** Most unsent messages, and characters of all of them: images are in a message as text. */
const MOST_MESSAGES = 50;
const MOST_CHARACTERS = 8_000_000;
/** Most images that another app may share, and bytes of all of them: as many as fit into a message. */
const MOST_IMAGES = 8;
const MOST_IMAGE_BYTES = 2_200_000;
/** Most characters of a shared text (`server/worker.rs`). */
const LONGEST_SHARED = 600;
/** Name of the queue of messages, for the browser's background sync. */
const QUEUE = 'handrail-messages';
/** Statuses of a proxy whose Handrail does not answer. */
const AWAY = [502, 503, 504];

/** Counts the deletions of pages, so that a page that is still loading is not kept after one. */
let deletions = 0;

addEventListener('install', (event) => event.waitUntil(install()));
addEventListener('activate', (event) => event.waitUntil(activate()));
addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin || !url.pathname.startsWith(HANDRAIL.base)) return;
  const path = url.pathname.slice(HANDRAIL.base.length);
  const gets = request.method === 'GET';
  if (request.mode === 'navigate') {
    if (gets) event.respondWith(page(event, url, path));
    else if (path === 'logout') event.respondWith(logOut(request));
    else if (path === 'share') event.respondWith(share(request));
  } else if (gets && (path.startsWith('pkg/') || HANDRAIL.shell.includes(url.pathname))) {
    event.respondWith(file(request));
  } else if (!gets && url.pathname === HANDRAIL.send) {
    event.respondWith(send(request));
  }
});
addEventListener('sync', (event) => {
  if (event.tag === QUEUE) event.waitUntil(deliver());
});
addEventListener('message', (event) => {
  const { data, ports } = event;
  const answer = (value) => ports[0]?.postMessage(value);
  if (data?.kind === 'claim') event.waitUntil(clients.claim());
  if (data?.kind === 'keep') event.waitUntil(refresh(String(data.path)));
  if (data?.kind === 'deliver') event.waitUntil(deliver());
  if (data?.kind === 'messages') event.waitUntil(messages().then((all) => answer(shown(all, data.author))));
  if (data?.kind === 'remove') event.waitUntil(remove(data.key, data.author));
  if (data?.kind === 'sign-out') event.waitUntil(wipe(data.author));
  if (data?.kind === 'take-shared') event.waitUntil(takeShared().then(answer));
});

// ---- The files of a build.

async function install() {
  const name = SHELL + HANDRAIL.build;
  try {
    await (await caches.open(name)).addAll(HANDRAIL.shell);
  } catch (error) {
    await caches.delete(name);
    throw error;
  }
  // At once: open pages continue with the files of their own build.
  await skipWaiting();
}

async function activate() {
  const builds = (await ourCaches(SHELL)).map((name) => name.slice(SHELL.length));
  const before = builds.filter((build) => build !== HANDRAIL.build).at(-1);
  const stays = (build) => build === HANDRAIL.build || build === before;
  for (const build of builds) if (!stays(build)) await caches.delete(SHELL + build);
  for (const name of await ourCaches(PAGES)) if (!stays(name.slice(PAGES.length).split(':')[0])) await caches.delete(name);
  await clients.claim();
  await deliver();
}

/** The caches with this prefix, the oldest first. */
async function ourCaches(prefix) {
  return (await caches.keys()).filter((name) => name.startsWith(prefix));
}

async function file(request) {
  for (const name of (await ourCaches(SHELL)).reverse()) {
    const found = await (await caches.open(name)).match(request.url, { ignoreVary: true });
    if (found) return found;
  }
  return fetch(request);
}

// ---- Pages.

/** Whether the page at a path below the base is kept: the list, the inbox and conversations. */
const isKept = (path) => path === '' || path === 'inbox' || /^c\/[^/]+$/.test(path);

async function page(event, url, path) {
  const kept = isKept(path) ? await copy(url.pathname) : undefined;
  const before = deletions;
  const network = fetch(event.request);
  event.waitUntil(network.then((response) => learn(response.clone(), url, path, before)).catch(() => {}));
  const slow = new Promise((resolve) => kept && setTimeout(resolve, SLOW));
  const response = await Promise.race([network, slow]).catch(() => undefined);
  if (response && !(kept && isAway(response))) return response;
  // A panel is a part of the page that its server draws.
  if (kept && url.search !== '') return Response.redirect(url.pathname);
  return kept ? marked(kept) : offline();
}

/** Whether a proxy answers instead of Handrail. */
const isAway = (response) => AWAY.includes(response.status) && !response.headers.has('handrail-build') && !isJson(response);
const isJson = (response) => response.headers.get('content-type')?.startsWith('application/json');

/** What a response tells about the person, and keeps it if it is a page to be kept. */
async function learn(response, url, path, before) {
  if (response.type === 'opaqueredirect') return;
  const person = response.headers.get('handrail-person');
  const hasEnded = response.status === 401 || (response.ok && person === null && (path === 'login' || path === 'set-up'));
  if (hasEnded) return forget();
  if (person !== null) await forget(person);
  if (!isKept(path) || url.search !== '') return;
  if (response.ok && person !== null && response.headers.get('handrail-build') === HANDRAIL.build) {
    await keep(url.pathname, person, response, before);
  } else if ([403, 404, 410].includes(response.status)) {
    for (const name of await ourCaches(PAGES)) await (await caches.open(name)).delete(url.pathname);
  }
}

async function keep(address, person, response, before) {
  const html = await response.text();
  if (html.length > LARGEST_PAGE) return;
  const headers = new Headers(response.headers);
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  headers.set('handrail-kept', `${Date.now()} ${html.length}`);
  const cache = await caches.open(`${PAGES}${HANDRAIL.build}:${person}`);
  // A login has ended since the page was requested.
  if (before !== deletions) return;
  // The oldest is the first.
  await cache.delete(address);
  await cache.put(address, new Response(html, { headers }));
  if (before !== deletions) return forget();
  const requests = await cache.keys();
  const sizes = await Promise.all(requests.map(async (request) => Number((await cache.match(request))?.headers.get('handrail-kept')?.split(' ')[1] ?? 0)));
  let bytes = sizes.reduce((sum, size) => sum + size, 0);
  let count = requests.length;
  for (const [at, request] of requests.entries()) {
    if (count <= MOST_PAGES + 2 && bytes <= MOST_BYTES) break;
    if (!/\/c\/[^/]+$/.test(new URL(request.url).pathname)) continue;
    await cache.delete(request);
    count -= 1;
    bytes -= sizes[at];
  }
}

/** The kept copy of a page, if it is not too old. */
async function copy(address) {
  for (const name of (await ourCaches(PAGES)).reverse()) {
    const found = await (await caches.open(name)).match(address, { ignoreVary: true });
    if (found && Date.now() - Number(found.headers.get('handrail-kept')?.split(' ')[0]) < KEPT) return found;
  }
  return undefined;
}

/** A kept page that says so from the start. */
async function marked(kept) {
  const html = (await kept.text()).replace('<html ', '<html data-offline="" ');
  return new Response(html, { headers: kept.headers });
}

async function offline() {
  const kept = await file(new Request(`${HANDRAIL.base}offline`)).catch(() => undefined);
  return kept ? new Response(await kept.text(), { status: 503, headers: kept.headers }) : Response.error();
}

/** Loads a page that the reader has open, to keep its current state. */
async function refresh(path) {
  if (!isKept(path)) return;
  const url = new URL(HANDRAIL.base + path, location.origin);
  const before = deletions;
  const response = await fetch(url, { headers: { accept: 'text/html' }, redirect: 'manual' }).catch(() => undefined);
  if (response) await learn(response, url, path, before);
}

/** Deletes the pages of all people, or of all but one. */
async function forget(except) {
  const stays = (name) => except !== undefined && name.endsWith(`:${except}`);
  const gone = (await ourCaches(PAGES)).filter((name) => !stays(name));
  if (gone.length > 0 || except === undefined) deletions += 1;
  for (const name of gone) await caches.delete(name);
}

async function logOut(request) {
  const answer = await fetch(request).catch(() => undefined);
  // Also without a network: the reader wants this device to know nothing.
  await forget();
  return answer ?? offline();
}

/** Deletes the pages, what was shared, and the messages of a person. */
async function wipe(author) {
  await forget();
  await within('shared', 'readwrite', (store) => store.clear());
  for (const message of await messages()) if (message.author === author) await remove(message.key, author);
}

// ---- Messages.

/** Sends a message of the page, or keeps it: the page learns that it is taken. */
async function send(request) {
  const body = await request.clone().text();
  const message = read(body);
  const isQueued = (all) => all.some((one) => !one.refused && one.conversation === message?.conversation);
  const waits = message !== undefined && isQueued(await messages().catch(() => []));
  // In order: earlier messages go first.
  const answer = waits ? undefined : await post(body).catch(() => undefined);
  if (answer && !isAway(answer)) return answer;
  if (message === undefined) return answer ?? Response.error();
  if (!(await queue(message))) {
    return Response.json({ kind: 'connection', text: HANDRAIL.full }, { status: 507 });
  }
  deliver();
  return Response.json(null);
}

/** The message in a request; `undefined` if it must not wait: it rejects something, or is damaged. */
function read(body) {
  try {
    const { id, text, client_id, images, files, alone, author } = JSON.parse(body);
    const isFit = alone === true && [id, text, client_id, author].every((part) => typeof part === 'string') && client_id !== '';
    if (!isFit || !Array.isArray(images) || !Array.isArray(files)) return undefined;
    return { author, conversation: id, id: client_id, text, images: images.length, at: Date.now(), body, why: '', refused: false };
  } catch {
    return undefined;
  }
}

function post(body) {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  // Images take a while on a slow network.
  const signal = AbortSignal.timeout(10_000 + body.length / 5);
  return fetch(HANDRAIL.send, { method: 'POST', headers, body, signal });
}

/** Stores a message; `false` if there are too many. */
async function queue(message) {
  const all = await messages();
  if (all.some((one) => one.id === message.id && one.conversation === message.conversation)) return true;
  const characters = all.reduce((sum, one) => sum + one.body.length, message.body.length);
  if (all.length >= MOST_MESSAGES || characters > MOST_CHARACTERS) return false;
  await within('messages', 'readwrite', (store) => store.add(message));
  await registration.sync?.register(QUEUE).catch(() => {});
  await tell();
  return true;
}

/** Sends the messages that wait, in order. Their ids make a repetition harmless, the lock avoids it. */
function deliver() {
  return navigator.locks.request(`handrail:${HANDRAIL.base}:messages`, async () => {
    const held = new Set();
    for (const message of await messages()) {
      if (message.refused || held.has(message.conversation)) continue;
      const answer = await post(message.body).catch(() => undefined);
      if (answer === undefined || isAway(answer)) return;
      if (answer.ok) {
        await within('messages', 'readwrite', (store) => store.delete(message.key));
        await tell();
        continue;
      }
      held.add(message.conversation);
      // The login has ended: the person logs in again, or another one does, who sees nothing of it.
      if (answer.status === 401) return forget();
      const why = await answer.json().then(({ text }) => String(text), () => '');
      // What is pending now, or too much at a time, passes. What else is refused stays so, and the text is given back.
      const refused = answer.status < 500 && ![408, 409, 425, 429].includes(answer.status);
      // Unless it was removed meanwhile.
      if ((await messages()).some((one) => one.key === message.key)) {
        await within('messages', 'readwrite', (store) => store.put({ ...message, why, refused }));
      }
      await tell();
    }
  });
}

async function remove(key, author) {
  const message = (await messages()).find((one) => one.key === key && one.author === author);
  if (message === undefined) return;
  await within('messages', 'readwrite', (store) => store.delete(message.key));
  await tell();
}

/** What a person sees of their messages. */
const shown = (all, author) => all.filter((message) => message.author === author).map(({ body, ...rest }) => rest);

/** Tells all pages that the messages have changed. */
async function tell() {
  for (const client of await clients.matchAll({ type: 'window', includeUncontrolled: true })) client.postMessage({ kind: 'messages' });
}

/** @returns {Promise<Message[]>} */
const messages = () => within('messages', 'readonly', (store) => store.getAll());

// ---- What other apps share.

/** Keeps the images, and leads to the page with the texts. */
async function share(request) {
  const form = await request.formData();
  const query = new URLSearchParams();
  let left = LONGEST_SHARED;
  for (const name of ['title', 'text', 'url']) {
    const text = form.get(name);
    if (typeof text !== 'string' || text === '') continue;
    const part = [...text].slice(0, left).join('');
    left -= [...part].length;
    query.set(name, part);
    if (part.length < text.length) query.set('cut', '1');
  }
  const images = [];
  let bytes = 0;
  for (const image of form.getAll('images')) {
    if (typeof image === 'string' || !image.type.startsWith('image/') || images.length >= MOST_IMAGES) continue;
    bytes += image.size;
    if (bytes <= MOST_IMAGE_BYTES) images.push(image);
  }
  await within('shared', 'readwrite', (store) => store.clear());
  for (const image of images) await within('shared', 'readwrite', (store) => store.add(image));
  if (images.length > 0) query.set('images', String(images.length));
  return Response.redirect(`${HANDRAIL.base}share?${query}`, 303);
}

/** The shared images, which are then gone from here. */
async function takeShared() {
  const images = await within('shared', 'readonly', (store) => store.getAll());
  await within('shared', 'readwrite', (store) => store.clear());
  return images;
}

// ---- The database.

/** Runs one request on a store, and waits for its transaction. */
async function within(name, mode, run) {
  const open = indexedDB.open(`handrail:${HANDRAIL.base}`, 1);
  open.onupgradeneeded = () => {
    open.result.createObjectStore('messages', { keyPath: 'key', autoIncrement: true });
    open.result.createObjectStore('shared', { autoIncrement: true });
  };
  const database = await done(open);
  try {
    const transaction = database.transaction(name, mode);
    const request = run(transaction.objectStore(name));
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
    return request.result;
  } finally {
    database.close();
  }
}

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
