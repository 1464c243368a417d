// The service worker's part for bad networks: it keeps the files of the app, unsent messages, and the last pages read
// (`pages.js`).
//
// The files of a build have content hashes in their names, so a page always runs with the files of its own build: those of
// this build and of the one before are kept. Nothing but a message is ever sent from here, so no approval waits (`HANDRAIL`
// is the first line of the worker, `server/worker.rs`).
// @ts-check

/** @typedef {{ key?: number, author: string, conversation: string, id: string, text: string, images: number, at: number, body: string, why: string, refused: boolean, person?: string }} Message */

/** Prefix of the caches with the files of a build. */
const SHELL = `handrail:${HANDRAIL.base}:shell:`;
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
/** Where somebody logs in, who may be another person than before. */
const ENTRANCES = ['login', 'login/passkey', 'second-factor', 'second-factor/code', 'passkey', 'invitation/accept', 'set-up', 'link'];
/** Statuses of a proxy whose Handrail does not answer. */
const AWAY = [502, 503, 504];

addEventListener('install', (event) => event.waitUntil(install()));
addEventListener('activate', (event) => event.waitUntil(activate()));
addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== location.origin || !url.pathname.startsWith(HANDRAIL.base)) return;
  const path = url.pathname.slice(HANDRAIL.base.length);
  const gets = request.method === 'GET';
  if (request.mode === 'navigate') {
    if (gets && path !== 'login/openid/callback') event.respondWith(page(event, url, path));
    else if (gets || ENTRANCES.includes(path)) event.respondWith(enter(request));
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
  if (data?.kind === 'keep') event.waitUntil(refresh(String(data.path)).then(answer));
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
    return { author, conversation: id, id: client_id, text, images: images.length, at: Date.now(), body, why: '', refused: false, person: owner.person };
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
      // What is pending now, or too much at a time, passes, and what another person may not send. What else is refused stays so, and
      // the text is given back.
      const isOthers = message.person !== undefined && owner.person !== undefined && message.person !== owner.person;
      const refused = !isOthers && answer.status < 500 && ![408, 409, 425, 429].includes(answer.status);
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
