// The service worker's part for pages: they come from the network, and from here if it fails or is slow.
//
// Pages belong to a person. They are deleted when the login has ended, or another person has logged in. Responses may
// overtake each other, so requests are numbered in the order in which they begin: the newest one decides what is kept of
// its page, and whose pages are kept.
// @ts-check

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
/** Statuses of a page that this person does not see, or not any more. */
const LOST = [403, 404, 410];
/** How long it is not asked again whether the kept conversations are still seen, in milliseconds. */
const CHECKED = 10 * 60_000;
/** How long a page that the reader has open may take to load, in milliseconds, until the next attempt. */
const LONGEST_LOAD = 30_000;

/** The number of the newest request for a page: they are numbered in the order in which they begin. */
let requests = 0;
/** Whose pages are kept, and the newest request whose response has said so: what an older one says is out of date. */
let owner = { person: undefined, at: 0 };
/** The newest request when a login ended: no page that was requested before is kept. */
let ended = 0;
/** Whether that is being asked, and when it was asked last. */
let [checking, checked] = [false, 0];
/** The request that the copy of an address comes from: an older response does not replace it. */
const newest = new Map();
/** The pages that are loaded to be kept, by path, and those that are loaded once more afterwards. */
const [running, following] = [new Map(), new Map()];

/** Whether the page at a path below the base is kept: the list, the inbox and conversations. */
const isKept = (path) => path === '' || path === 'inbox' || /^c\/[^/]+$/.test(path);

async function page(event, url, path) {
  const kept = isKept(path) ? await copy(url.pathname) : undefined;
  const at = ++requests;
  const network = fetch(event.request);
  const learnt = network.then((response) => learn(response.clone(), url, path, at));
  event.waitUntil(learnt.then(() => path === '' && owner.person !== undefined && check(owner.person)).catch(() => {}));
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

/** Learns from a response whose page it is, and keeps it if it is one to be kept; `true` if no further attempt is needed. */
async function learn(response, url, path, at) {
  if (response.type === 'opaqueredirect') return false;
  const person = response.headers.get('handrail-person');
  const hasEnded = response.status === 401 || (response.ok && person === null && (path === 'login' || path === 'set-up'));
  if (hasEnded && at > owner.at) await forget();
  if (hasEnded) return false;
  if (person !== null) {
    if (at < ended || (at < owner.at && person !== owner.person)) return false;
    owner = { person, at: Math.max(at, owner.at) };
    await forgetOthers(person);
  }
  if (!isKept(path) || url.search !== '') return true;
  if (response.ok && person !== null) {
    // The next version brings a worker of its own, which keeps the page.
    if (response.headers.get('handrail-build') !== HANDRAIL.build) return true;
    return keep(url.pathname, person, response, at);
  }
  if (!LOST.includes(response.status)) return false;
  await drop(url.pathname, at);
  return true;
}

/** Changes the copy of an address, one change at a time, unless it comes from a newer request already. */
function change(address, at, work) {
  return navigator.locks.request(`handrail:${HANDRAIL.base}:pages`, async () => {
    if (newest.get(address) > at) return;
    newest.set(address, at);
    await work();
  });
}

/** Keeps a page; `false` if its login has ended meanwhile. */
async function keep(address, person, response, at) {
  const html = await response.text();
  if (html.length > LARGEST_PAGE) return true;
  const isOver = () => at < ended || person !== owner.person;
  const headers = new Headers(response.headers);
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  headers.set('handrail-kept', `${Date.now()} ${html.length}`);
  await change(address, at, async () => {
    if (isOver()) return;
    const name = `${PAGES}${HANDRAIL.build}:${person}`;
    const cache = await caches.open(name);
    await cache.put(address, new Response(html, { headers }));
    await (isOver() ? caches.delete(name) : trim(cache));
  });
  return !isOver();
}

/** Deletes the conversations that were kept first, until the others are few and small enough. */
async function trim(cache) {
  const all = await Promise.all((await cache.keys()).map(async (request) => {
    const [time, size] = (await cache.match(request))?.headers.get('handrail-kept')?.split(' ') ?? [];
    return { request, time: Number(time), size: Number(size) };
  }));
  let bytes = all.reduce((sum, { size }) => sum + size, 0);
  let count = all.length;
  for (const { request, size } of all.sort((one, other) => one.time - other.time)) {
    if (count <= MOST_PAGES + 2 && bytes <= MOST_BYTES) break;
    if (!/\/c\/[^/]+$/.test(new URL(request.url).pathname)) continue;
    await cache.delete(request);
    count -= 1;
    bytes -= size;
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

/**
 * Loads a page that the reader has open, to keep its current state: once at a time, and once more if it was asked for
 * meanwhile, because the page may have changed. `true` if no further attempt is needed.
 */
async function refresh(path) {
  if (!isKept(path)) return true;
  const now = running.get(path);
  if (now === undefined) return load(path);
  if (!following.has(path)) following.set(path, now.then(() => following.delete(path) && load(path)));
  return following.get(path);
}

function load(path) {
  const url = new URL(HANDRAIL.base + path, location.origin);
  const at = ++requests;
  const options = { headers: { accept: 'text/html' }, redirect: 'manual', signal: AbortSignal.timeout(LONGEST_LOAD) };
  const loaded = fetch(url, options).then((response) => learn(response, url, path, at)).catch(() => false);
  const work = loaded.finally(() => running.delete(path));
  running.set(path, work);
  return work;
}

/** Deletes the pages of all people: a login has ended. */
async function forget() {
  ended = ++requests;
  owner = { person: undefined, at: ended };
  checked = 0;
  for (const name of await ourCaches(PAGES)) await caches.delete(name);
}

/** Deletes the pages of all people but one. */
async function forgetOthers(person) {
  for (const name of await ourCaches(PAGES)) if (!name.endsWith(`:${person}`)) await caches.delete(name);
}

/** Somebody logs in. On a slow network their first page would be the former person's. */
async function enter(request) {
  await forget();
  return fetch(request).catch(offline);
}

/**
 * Asks for each kept conversation whether this person still sees it, and deletes those that they do not: who was removed
 * while they were away keeps nothing of it once they are back.
 */
async function check(person) {
  if (checking || Date.now() - checked < CHECKED) return;
  checking = true;
  try {
    for (const name of await ourCaches(PAGES)) {
      for (const { url } of await (await caches.open(name)).keys()) {
        const { pathname } = new URL(url);
        if (!/\/c\/[^/]+$/.test(pathname)) continue;
        const at = ++requests;
        const options = { method: 'HEAD', headers: { accept: 'text/html' }, redirect: 'manual', signal: AbortSignal.timeout(LONGEST_LOAD) };
        const response = await fetch(new URL(url), options);
        if (person !== owner.person) return;
        if (LOST.includes(response.status)) await drop(pathname, at);
      }
    }
    checked = Date.now();
  } catch {
    // Without a network: with the next page.
  } finally {
    checking = false;
  }
}

/** Deletes the copy of an address. */
function drop(address, at) {
  return change(address, at, async () => {
    for (const name of await ourCaches(PAGES)) await (await caches.open(name)).delete(address);
  });
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
