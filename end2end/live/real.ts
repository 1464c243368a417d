// `test` against a real OpenHands at HANDRAIL_LIVE whose model is scripted: an OpenHands 0.x, or an agent-server 1.x with
// its key in HANDRAIL_LIVE_KEY. A conversation of 0.x takes minutes to start and much memory, so each test makes few, uses
// them for all it wants to know, deletes them, and puts the settings back.
import { exec } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Person, test as base, expect } from '../fixtures.ts';
import { rowsByScrolling, rowsOfJournal } from '../timeline.ts';
import { Wire } from './wire.ts';

export { expect };

const SERVER = process.env.HANDRAIL_LIVE ?? '';
const KEY = process.env.HANDRAIL_LIVE_KEY ?? '';

/** The command that restarts the OpenHands server, if a test may do that. */
export const RESTART = process.env.HANDRAIL_LIVE_RESTART;

/** An agent-server 1.x has a key; nothing else tells the two apart before they are asked. */
export const IS_AGENT_SERVER = KEY !== '';

/** Folder for the work of agents that run on this machine. */
export const FOLDER = mkdtempSync(path.join(tmpdir(), 'handrail-live-'));
// One process runs many files of tests: only its own end is the end of them all.
process.on('exit', () => rmSync(FOLDER, { recursive: true, force: true }));

/** What the two scripted models do and say in the scenes that both know. */
export const WORK = IS_AGENT_SERVER
  ? { steps: ['echo step 1; sleep 1.5', 'echo step 2; sleep 1.5', 'echo step 3; sleep 1.5', 'echo step 4; sleep 1.5'], last: 'Finished after pauses.' }
  : {
      steps: ['for i in 1 2 3 4 5 6; do echo "work $i"; sleep 1; done', 'echo "after slow work"', 'echo "step 3"', 'echo "step 4"'],
      last: 'Finished after the pause.',
    };

/** What the scenes of 0.x are called in the other model. */
const PLAYS: Record<string, string> = { pause: 'pausing', hello: 'chat' };

interface Real {
  /** The network between Handrail and OpenHands. */
  wire: Wire;
  tidy: void;
}

export const test = base.extend<Real>({
  wire: async ({}, use) => {
    base.skip(SERVER === '', 'HANDRAIL_LIVE names no OpenHands');
    const wire = await Wire.to(SERVER);
    await use(wire);
    await wire.remove();
  },
  serverArgs: async ({ wire }, use) => {
    const key = path.join(FOLDER, 'key');
    writeFileSync(key, KEY);
    await use(['--backend', wire.url, '--backend-key-file', key]);
  },
  patience: 400_000,
  tidy: [
    async ({}, use) => {
      base.setTimeout(900_000);
      const before = await conversations();
      const settings = await get('/api/settings');
      await use();
      if (IS_AGENT_SERVER) await send('PATCH', '/api/settings', { conversation_settings_diff: settings.conversation_settings });
      else await send('POST', '/api/settings', settings);
      for (const id of (await conversations()).filter((id) => !before.includes(id))) {
        // One of 0.x that runs is stopped first: deleting it fails otherwise.
        if (!IS_AGENT_SERVER) await send('POST', `/api/conversations/${id}/stop`, {});
        await send('DELETE', `/api/conversations/${id}`);
      }
      const reap = process.env.HANDRAIL_LIVE_REAP ?? '';
      if (reap !== '') await run(reap);
    },
    { auto: true },
  ],
});

/** Sets the backend up so that every action waits for an answer. */
export async function askBeforeActions(person: Person): Promise<void> {
  const { page } = person;
  await person.open('/settings');
  await page.getByLabel('Require approval before actions run').check();
  await page.getByLabel('Risk analyzer').selectOption('');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
}

/** The words that choose a script of the model, and make it begin at its first step. */
export function scene(name: string, parameters: Record<string, string> = {}): string {
  const run = randomUUID().slice(0, 8);
  if (!IS_AGENT_SERVER) return `[[scenario:${name}]] [[run:${run}]]`;
  const query = new URLSearchParams({ ws: path.join(FOLDER, run), ...parameters });
  return `[[play:${PLAYS[name] ?? name}#${run}?${query}]]`;
}

/**
 * Begins a conversation with a scene; where the agent works on this machine, in an empty folder of its own, which is
 * answered.
 */
export async function beginIn(person: Person, words: string, name: string, parameters: Record<string, string> = {}): Promise<string> {
  if (!IS_AGENT_SERVER) {
    await person.begin(`${words} ${scene(name, parameters)}`);
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

/** What OpenHands answers. */
export async function get(path: string): Promise<any> {
  return (await ask('GET', path)).json();
}

/** Tells OpenHands something. */
export async function send(method: string, path: string, body?: unknown): Promise<void> {
  await ask(method, path, body);
}

/** Asks OpenHands. */
export async function ask(method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(IS_AGENT_SERVER ? { 'X-Session-API-Key': KEY } : {}) };
  return fetch(SERVER + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
}

/** Runs a command of the shell to its end. */
export async function run(command: string): Promise<void> {
  await promisify(exec)(command);
}

/** The page, the journal and OpenHands itself know the same events, each once. Ends the runtime: then nothing is added. */
export async function expectNothingLostNorDoubled(person: Person): Promise<void> {
  const { page, conversation: id } = person;
  expect(await rowsByScrolling(page)).toEqual(await rowsOfJournal(page.request, id));
  if (!IS_AGENT_SERVER) {
    await page.getByText('Actions', { exact: true }).click();
    await page.getByRole('button', { name: 'Stop sandbox' }).click();
    await person.see(page.getByText('Sandbox stopped. You can still read the conversation.'));
  }
  const stored = await storedIds(id);
  // The end of the runtime is an event, too, which no line brings.
  await expect.poll(async () => (await keptIds(person, id)).toSorted(), { timeout: 60_000 }).toEqual(stored.toSorted());
}

/** Ids of all events that OpenHands has stored. */
export async function storedIds(id: string): Promise<(number | string)[]> {
  const ids: (number | string)[] = [];
  for (let more = true, next = ''; more; ) {
    const last = Number(ids.at(-1) ?? -1);
    const page = IS_AGENT_SERVER
      ? await get(`/api/conversations/${id}/events/search?limit=100${next === '' ? '' : `&page_id=${next}`}`)
      : await get(`/api/conversations/${id}/events?start_id=${last + 1}&limit=100`);
    ids.push(...(page.events ?? page.items).map((event: { id: number | string }) => event.id));
    next = page.next_page_id ?? '';
    more = page.has_more ?? next !== '';
  }
  return ids;
}

/** Ids of all events in the journal. Of a conversation whose runtime is down, that is what is exported. */
export async function keptIds(person: Person, id: string): Promise<(number | string)[]> {
  const events = await (await person.page.request.get(`/c/${id}/trajectory.json`)).json();
  // 0.x numbers what it stores; what it only says has a word for an id.
  const isStored = (id: unknown) => (IS_AGENT_SERVER ? typeof id === 'string' : Number.isInteger(id));
  return events.map((event: { id: unknown }) => event.id).filter(isStored);
}

async function conversations(): Promise<string[]> {
  if (IS_AGENT_SERVER) {
    const { items } = await get('/api/conversations/search?limit=100');
    return items.map((one: { id: string }) => one.id);
  }
  const { results } = await get('/api/conversations?limit=100');
  return results.map((one: { conversation_id: string }) => one.conversation_id);
}
