// The record of what a real agent did: what the model received, found, replayed, counted, exported and imported.
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page, TestInfo } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import type { Person } from '../fixtures.ts';
import { TOUR } from './scenes.ts';
import { IS_AGENT_SERVER, createConversationIn, expect, get, send, test } from './real.ts';

interface ModelRequest {
  messages: unknown[];
  tools?: { function: { name: string } }[];
}

/** Stands before the scripted model, and keeps what it received. */
class Listener {
  readonly requests: ModelRequest[] = [];
  private readonly server: http.Server;

  private constructor(model: string) {
    this.server = http.createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts);
        this.requests.push(JSON.parse(body.toString()));
        const { host: _, ...headers } = request.headers;
        const onward = http.request(model + request.url!.replace(/^\/v1/, ''), { method: request.method, headers }, (answer) => {
          response.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(response);
        });
        onward.on('error', () => response.destroy());
        onward.end(body);
      });
    });
  }

  static async before(model: string): Promise<Listener> {
    const listener = new Listener(model);
    await new Promise<void>((done) => listener.server.listen(0, '127.0.0.1', done));
    return listener;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** The requests for steps of an agent: others, such as those for a title, offer no tools. */
  get steps(): ModelRequest[] {
    return this.requests.filter((request) => (request.tools ?? []).length > 0);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Runs `work` while a listener stands before the model of new conversations. */
async function listening(work: (listener: Listener) => Promise<void>): Promise<void> {
  const settings = await get('/api/settings');
  const model: string = IS_AGENT_SERVER ? settings.agent_settings.llm.base_url : settings.llm_base_url;
  const use = (address: string) =>
    IS_AGENT_SERVER
      ? send('PATCH', '/api/settings', { agent_settings_diff: { llm: { base_url: address } } })
      : send('POST', '/api/settings', { ...settings, llm_base_url: address });
  const listener = await Listener.before(model);
  try {
    await use(listener.address);
    await work(listener);
  } finally {
    await use(model);
    listener.close();
  }
}

/**
 * Messages without what only the wire adds: marks for the cache, and fields without a value. A picture is only counted:
 * 0.62 sends one with marks on the page's elements, of which the journal keeps that there was one.
 */
function essence(messages: unknown[]): unknown {
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value === 'string' && value.startsWith('data:image/')) return 'a picture';
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value).filter(([name, value]) => name !== 'cache_control' && value !== null);
    return Object.fromEntries(entries.map(([name, value]) => [name, plain(value)]).toSorted(([a], [b]) => String(a).localeCompare(String(b))));
  };
  return plain(messages);
}

async function save(page: Page, format: string, info: TestInfo): Promise<string> {
  const began = page.waitForEvent('download');
  await page.getByRole('button', { name: format }).click();
  const download = await began;
  const path = info.outputPath(download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

test('what an agent did is found, replayed, counted and exported, and its messages are those that the model received', async ({ person, page }, info) => {
  await listening(async (listener) => {
    await createConversationIn(person, 'Show me all you can', TOUR.name);
    await person.see(person.row(TOUR.last));
    await person.seeStatus(TOUR.rests);
    await expectMessages(page, person.conversation, listener);
  });
  const id = person.conversation;

  await person.open(`/search?q=${encodeURIComponent(TOUR.line)}`);
  const hit = page.locator('.result').first();
  await person.see(hit.locator('mark'));
  await hit.getByRole('link').first().click();
  await person.see(page.locator('.timeline .row[data-hit]'));

  await person.open(`/c/${id}/replay`);
  const slider = page.getByRole('slider', { name: 'Place in the conversation' });
  await expect(page.locator('.row--human')).toHaveCount(1);
  await slider.focus();
  await page.keyboard.press('End');
  await person.see(person.row(TOUR.last));

  await person.open(`/c/${id}/insight`);
  await person.see(page.getByRole('img', { name: /^Bars for \d+ steps/ }));
  await expectAccessible(page, 'time and cost of a real conversation');

  await exportAndImport(person, id, info);
});

async function expectMessages(page: Page, id: string, listener: Listener): Promise<void> {
  const { steps } = listener;
  expect(steps.length).toBeGreaterThan(3);
  const shapes = ['string=true', 'string=false', 'vision=true', 'string=true&vision=true'];
  const views: ModelRequest[] = [];
  for (const shape of shapes) {
    const response = await page.request.get(`/c/${id}/messages.json?${shape}`);
    expect(response.status(), await response.text()).toBe(200);
    views.push(await response.json());
  }
  let equal = 0;
  // The shape that fits, which is the same for all requests of a model.
  let fitting = 0;
  for (const [at, step] of steps.entries()) {
    const received = essence(step.messages);
    const told = views.map((view) => essence(view.messages.slice(0, step.messages.length)));
    const fits = told.findIndex((told) => JSON.stringify(told) === JSON.stringify(received));
    if (fits >= 0) [equal, fitting] = [equal + 1, fits];
    else expect(told[fitting], `request ${at + 1} of ${steps.length}`).toEqual(received);
  }
  expect(equal).toBe(steps.length);
  console.log(`the model received ${steps.length} requests for steps; ${equal} have the messages of the model's view`);
}

async function exportAndImport(person: Person, id: string, info: TestInfo): Promise<void> {
  const { page } = person;
  await person.open(`/c/${id}/export`);
  const file = await save(page, 'JSON', info);
  await person.open('/import');
  await page.getByLabel('File').setInputFiles(file);
  await page.getByRole('button', { name: 'Import' }).click();
  await page.waitForURL((url) => /\/c\/[0-9a-f]{32}$/.test(url.pathname) && !url.pathname.endsWith(id));
  const copy = person.conversation;
  await person.see(person.row(TOUR.last));
  await person.open(`/c/${copy}/export`);
  const again = await save(page, 'JSON', info);
  expect(await readFile(again, 'utf8')).toBe(await readFile(file, 'utf8'));
}
