// `test` against a real OpenHands at HANDRAIL_LIVE whose model is scripted: an OpenHands 0.x, or an agent-server 1.x with
// its key in HANDRAIL_LIVE_KEY. A conversation of 0.x takes minutes to start and much memory, so each test creates few,
// checks all it can with each of them, deletes them, and restores the settings.
import { exec } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Person, test as base, expect } from '../fixtures.ts';
import { rowsByScrolling, rowsOfJournal } from '../timeline.ts';
import { Wire } from './wire.ts';

export { expect };

const SERVER = process.env.HANDRAIL_LIVE ?? '';
const KEY = process.env.HANDRAIL_LIVE_KEY ?? '';

/** The command that restarts the OpenHands server, if a test may do that. */
export const RESTART = process.env.HANDRAIL_LIVE_RESTART;

/** Only an agent-server 1.x has a key, which identifies it before any request. */
export const IS_AGENT_SERVER = KEY !== '';

/** An app server 1.11, whose model is that of the agent-server; most of its tests are its own (`OF_APP_SERVER`). */
export const IS_APP_SERVER = Boolean(process.env.HANDRAIL_LIVE_APP);

/** Tests of an app server. */
const OF_APP_SERVER = /(app_server|promises|settings)\.spec\.ts$/;

/** Where the server has its settings. */
export const SETTINGS = IS_APP_SERVER ? '/api/v1/settings' : '/api/settings';

/** Folder for the work of agents that run on this machine. */
export const FOLDER = mkdtempSync(path.join(tmpdir(), 'handrail-live-'));
// One process runs many test files: the folder is needed until the process exits.
process.on('exit', () => rmSync(FOLDER, { recursive: true, force: true }));

/** Commands and messages of the two scripted models in the scenes that both have. */
export const WORK = IS_AGENT_SERVER
  ? { steps: ['echo step 1; sleep 1.5', 'echo step 2; sleep 1.5', 'echo step 3; sleep 1.5', 'echo step 4; sleep 1.5'], last: 'Finished after pauses.' }
  : {
      steps: ['for i in 1 2 3 4 5 6; do echo "work $i"; sleep 1; done', 'echo "after slow work"', 'echo "step 3"', 'echo "step 4"'],
      last: 'Finished after the pause.',
    };

/** Names of 0.x's scenes in the other model. */
const PLAYS: Record<string, string> = { pause: 'pausing', hello: 'chat' };

interface Real {
  /** The network between Handrail and OpenHands. */
  wire: Wire;
  tidy: void;
}

export const test = base.extend<Real>({
  wire: async ({}, use, { file }) => {
    base.skip(SERVER === '', 'HANDRAIL_LIVE names no OpenHands');
    base.skip(IS_APP_SERVER && !OF_APP_SERVER.test(file), 'an app server has tests of its own');
    const wire = await Wire.to(SERVER);
    await use(wire);
    await wire.remove();
  },
  serverArgs: async ({ wire }, use) => {
    const key = path.join(FOLDER, 'key');
    writeFileSync(key, KEY);
    await use(['--backend', wire.url, '--backend-key-file', key]);
  },
  agentTimeout: 400_000,
  tidy: [
    async ({}, use) => {
      base.setTimeout(900_000);
      const before = await conversations();
      const settings = await get(SETTINGS);
      await use();
      if (IS_AGENT_SERVER || IS_APP_SERVER) await changeSettings({ conversation_settings_diff: settings.conversation_settings });
      else await send('POST', SETTINGS, settings);
      for (const id of (await conversations()).filter((id) => !before.includes(id))) {
        // A running conversation of 0.x cannot be deleted, so it is stopped first.
        if (!IS_AGENT_SERVER && !IS_APP_SERVER) await send('POST', `/api/conversations/${id}/stop`, {});
        await send('DELETE', `/api/${IS_APP_SERVER ? 'v1/app-conversations' : 'conversations'}/${id}`);
      }
      const reap = process.env.HANDRAIL_LIVE_REAP ?? '';
      if (reap !== '') await run(reap);
    },
    { auto: true },
  ],
});

/** Configures the backend to ask for approval of every action. */
export async function askBeforeActions(person: Person): Promise<void> {
  const { page } = person;
  await person.open('/settings');
  await page.getByLabel('Require approval before actions run').check();
  await page.getByLabel('Risk analyzer').selectOption('');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
}

/** The part of a message that selects a script of the model, and restarts it at its first step. */
export function scene(name: string, parameters: Record<string, string> = {}): string {
  const run = randomUUID().slice(0, 8);
  if (!IS_AGENT_SERVER && !IS_APP_SERVER) return `[[scenario:${name}]] [[run:${run}]]`;
  const query = new URLSearchParams({ ws: path.join(FOLDER, run), ...parameters });
  return `[[play:${PLAYS[name] ?? name}#${run}?${query}]]`;
}

/**
 * Starts a conversation with a scene; if the agent works on this machine, in an empty folder of its own, which is
 * returned.
 */
export async function createConversationIn(person: Person, words: string, name: string, parameters: Record<string, string> = {}): Promise<string> {
  if (!IS_AGENT_SERVER) {
    await person.createConversation(`${words} ${scene(name, parameters)}`);
    return '';
  }
  const place = path.join(FOLDER, randomUUID().slice(0, 8));
  mkdirSync(place, { recursive: true });
  await person.open('/new');
  const main = person.page.getByRole('main');
  await main.getByLabel('First message').fill(`${words} ${scene(name, { ws: place, ...parameters })}`);
  await main.getByText('Choose a folder').click();
  await main.getByLabel('Folder').fill(place);
  await main.getByRole('button', { name: 'Start', exact: true }).click();
  await person.page.waitForURL(/\/c\/[^/?#]+/);
  await person.alive();
  return place;
}

/** Sends a GET request to OpenHands; returns the JSON of the response. */
export async function get(path: string): Promise<any> {
  return (await ask('GET', path)).json();
}

/** Sends a request to OpenHands. */
export async function send(method: string, path: string, body?: unknown): Promise<void> {
  await ask(method, path, body);
}

/** Sends a request to OpenHands; returns the response. */
export async function ask(method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(IS_AGENT_SERVER ? { 'X-Session-API-Key': KEY } : {}) };
  return fetch(SERVER + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
}

/** Changes settings of a server of 1.x. */
export const changeSettings = (change: unknown): Promise<void> => send(IS_APP_SERVER ? 'POST' : 'PATCH', SETTINGS, change);

/** What an app server knows of a conversation; it is listed when its start is over, up to a minute on a busy machine. */
export async function listed(id: string): Promise<any> {
  for (let tries = 0; ; tries += 1) {
    const [found] = await get(`/api/v1/app-conversations?ids=${id}`);
    if (found || tries === 240) return found;
    await pause(250);
  }
}

/** Runs a shell command and waits for its end. */
export async function run(command: string): Promise<void> {
  await promisify(exec)(command);
}

/** The page, the journal and OpenHands have the same events, each once. Stops the sandbox of 0.x, so that no more are added. */
export async function expectNothingLostNorDoubled(person: Person): Promise<void> {
  const { page, conversation: id } = person;
  expect(await rowsByScrolling(page)).toEqual(await rowsOfJournal(page.request, id));
  if (!IS_AGENT_SERVER && !IS_APP_SERVER) {
    await page.getByText('Actions', { exact: true }).click();
    await page.getByRole('button', { name: 'Stop sandbox' }).click();
    await person.see(page.getByText('Sandbox stopped. You can still read the conversation.'));
  }
  const stored = await storedIds(id);
  // The end of the sandbox is an event, too, which is not sent over the live connection.
  await expect.poll(async () => (await keptIds(person, id)).toSorted(), { timeout: 60_000 }).toEqual(stored.toSorted());
}

/** Ids of all events that OpenHands has stored. */
export async function storedIds(id: string): Promise<(number | string)[]> {
  return (await stored(id)).map((event) => event.id);
}

/** All events that OpenHands has stored, in its order. Of an app server, the log of the conversation's sandbox. */
export async function stored(id: string): Promise<any[]> {
  const events: any[] = [];
  const read = IS_APP_SERVER ? await sandbox(id) : get;
  for (let more = true, next = ''; more; ) {
    const last = Number(events.at(-1)?.id ?? -1);
    const page =
      IS_AGENT_SERVER || IS_APP_SERVER
        ? await read(`/api/conversations/${id}/events/search?limit=100${next === '' ? '' : `&page_id=${next}`}`)
        : await read(`/api/conversations/${id}/events?start_id=${last + 1}&limit=100`);
    events.push(...(page.events ?? page.items));
    next = page.next_page_id ?? '';
    more = page.has_more ?? next !== '';
  }
  return events;
}

/** GET requests to the agent-server in the sandbox of a conversation. */
async function sandbox(id: string): Promise<(route: string) => Promise<any>> {
  const { conversation_url: url, session_api_key: key } = await listed(id);
  return async (route) => (await fetch(new URL(url).origin + route, { headers: { 'X-Session-API-Key': key } })).json();
}

/** Ids of all events in the journal: for a conversation with a stopped sandbox, its export contains exactly these. */
export async function keptIds(person: Person, id: string): Promise<(number | string)[]> {
  const events = await (await person.page.request.get(`/c/${id}/trajectory.json`)).json();
  // 0.x numbers only stored events; the ids of status updates are words.
  const isStored = (id: unknown) => (IS_AGENT_SERVER || IS_APP_SERVER ? typeof id === 'string' : Number.isInteger(id));
  return events.map((event: { id: unknown }) => event.id).filter(isStored);
}

async function conversations(): Promise<string[]> {
  if (IS_AGENT_SERVER || IS_APP_SERVER) {
    const { items } = await get(`/api/${IS_APP_SERVER ? 'v1/app-conversations' : 'conversations'}/search?limit=100`);
    return items.map((one: { id: string }) => one.id);
  }
  const { results } = await get('/api/conversations?limit=100');
  return results.map((one: { conversation_id: string }) => one.conversation_id);
}
