// `test` against a real OpenHands at HANDRAIL_LIVE whose model is scripted. A conversation takes minutes to start and
// much memory, so each test makes few, uses them for all it wants to know, deletes them, and puts the settings back.
import { exec } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { type Person, test as base, expect } from '../fixtures.ts';
import { rowsByScrolling, rowsOfJournal } from '../timeline.ts';
import { Wire } from './wire.ts';

export { expect };

const SERVER = process.env.HANDRAIL_LIVE ?? '';

/** The command that restarts the OpenHands server, if a test may do that. */
export const RESTART = process.env.HANDRAIL_LIVE_RESTART;

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
  serverArgs: async ({ wire }, use) => use(['--backend', wire.url]),
  patience: 400_000,
  tidy: [
    async ({}, use) => {
      base.setTimeout(900_000);
      const before = await conversations();
      const settings = await get('/api/settings');
      await use();
      await send('POST', '/api/settings', settings);
      for (const id of (await conversations()).filter((id) => !before.includes(id))) {
        // One that runs is stopped first: deleting it fails otherwise.
        await send('POST', `/api/conversations/${id}/stop`, {});
        await send('DELETE', `/api/conversations/${id}`);
      }
      await run(process.env.HANDRAIL_LIVE_REAP ?? '');
    },
    { auto: true },
  ],
});

/** Sets the backend up so that every action waits for an answer. */
export async function askBeforeActions(person: Person): Promise<void> {
  const { page } = person;
  await person.open('/settings');
  await page.getByLabel('Ask before actions are carried out').check();
  await page.getByLabel('Who judges the risk').selectOption('');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
}

/** The words that choose a script of the model, and make it begin at its first step. */
export const scene = (name: string): string => `[[scenario:${name}]] [[run:${randomUUID().slice(0, 8)}]]`;

/** What OpenHands answers. */
export async function get(path: string): Promise<any> {
  return (await fetch(SERVER + path)).json();
}

/** Runs a command of the shell to its end. */
export async function run(command: string): Promise<void> {
  await promisify(exec)(command);
}

/** The page, the journal and OpenHands itself know the same events, each once. Ends the runtime: then nothing is added. */
export async function expectNothingLostNorDoubled(person: Person): Promise<void> {
  const { page, conversation: id } = person;
  expect(await rowsByScrolling(page)).toEqual(await rowsOfJournal(page.request, id));
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Shut the runtime down' }).click();
  await person.see(page.getByText('The runtime is down. The history is all here.'));
  const stored = await storedIds(id);
  // The end of the runtime is an event, too, which no line brings.
  await expect.poll(async () => (await keptIds(person, id)).toSorted((a, b) => a - b), { timeout: 60_000 }).toEqual(stored);
}

/** Ids of all events that OpenHands has stored. */
async function storedIds(id: string): Promise<number[]> {
  const ids: number[] = [];
  for (let more = true; more; ) {
    const page = await get(`/api/conversations/${id}/events?start_id=${(ids.at(-1) ?? -1) + 1}&limit=100`);
    ids.push(...page.events.map((event: { id: number }) => event.id));
    more = page.has_more;
  }
  return ids;
}

/** Ids of all events in the journal. Of a conversation whose runtime is down, that is what is exported. */
async function keptIds(person: Person, id: string): Promise<number[]> {
  const events = await (await person.page.request.get(`/c/${id}/trajectory.json`)).json();
  return events.map((event: { id: unknown }) => event.id).filter(Number.isInteger);
}

async function conversations(): Promise<string[]> {
  const { results } = await get('/api/conversations?limit=100');
  return results.map((one: { conversation_id: string }) => one.conversation_id);
}

async function send(method: string, path: string, body?: unknown): Promise<void> {
  await fetch(SERVER + path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
}
