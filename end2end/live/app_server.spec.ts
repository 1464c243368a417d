// A real app server 1.11 whose sandboxes are processes of this machine, with the model of the agent-server's tests.
// HANDRAIL_LIVE_TIMES (10) is the number of messages sent while a deletion waits.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import type { Person } from '../fixtures.ts';
import { rowsOfJournal } from '../timeline.ts';
import { FOLDER, IS_APP_SERVER, RESTART, ask, changeSettings, expect, expectNothingLostNorDoubled, get, listed, run, scene, send, test } from './real.ts';

const TIMES = Number(process.env.HANDRAIL_LIVE_TIMES ?? 10);
/** Deletions in one conversation. */
const DELETIONS = 10;
const PAUSED = 'Sandbox paused.';
const GONE = 'The sandbox no longer exists. You can still read the conversation.';
const GREETING = /Hello! I am the (scripted|fake) agent/;

test.skip(!IS_APP_SERVER, 'only an app server, with HANDRAIL_LIVE_APP=1');

/** Keys of all sandboxes so far, and everything that a browser has received. */
const keys = new Set<string>();
let received = '';

test.beforeEach(async ({ page, watch }) => {
  watch.allow(/ERR_CONNECTION_REFUSED|WebSocket connection|status of [45]\d\d/);
  received = '';
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => (received += payload.toString())));
  page.on('response', async (response) => (received += await response.text().catch(() => '')));
  await requireApproval(false);
});

test.afterEach(async ({ page, handrail }) => {
  await learnKeys();
  received += await page.content();
  const files = readdirSync(handrail.dataDir, { recursive: true, encoding: 'utf8' }).map((name) => path.join(handrail.dataDir, name));
  const stored = files.map((file) => { try { return readFileSync(file, 'latin1'); } catch { return ''; } }).join('\n');
  for (const key of keys) {
    expect(received.includes(key), 'a key reached the browser').toBe(false);
    expect(handrail.output.includes(key), 'a key is in the log').toBe(false);
    expect(stored.includes(key), 'a key is in the data folder').toBe(false);
  }
});

const requireApproval = (yes: boolean) => changeSettings({ conversation_settings_diff: { confirmation_mode: yes, security_analyzer: 'llm' } });
const steer = (id: string, order: string) => send('POST', `/api/v1/sandboxes/${id.replaceAll('-', '')}/${order}`);

async function learnKeys(): Promise<void> {
  for (const { session_api_key: key } of (await get('/api/v1/app-conversations/search?limit=100')).items) if (key) keys.add(key);
}

/** Starts a conversation whose agent works in a folder of its own on this machine. */
async function createConversation(person: Person, name: string, parameters: Record<string, string> = {}): Promise<{ id: string }> {
  const place = path.join(FOLDER, Math.random().toString(16).slice(2, 10));
  mkdirSync(place, { recursive: true });
  const id = await person.createConversation(`Please work. ${scene(name, { ws: place, ...parameters })}`);
  await learnKeys();
  return { id };
}

/** Runs a command in a sandbox; returns what it prints. */
async function inSandbox(id: string, command: string): Promise<string> {
  const { conversation_url: url, session_api_key: key } = await listed(id);
  const answer = await fetch(`${new URL(url).origin}/api/bash/execute_bash_command`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'X-Session-API-Key': key },
    body: JSON.stringify({ command, timeout: 20 }),
  });
  return (await answer.json()).stdout ?? '';
}

/** The folder that the scripted agent wants to delete. */
const VICTIM = 'build_dir_that_is_not_there';
const makeVictim = (id: string) => inSandbox(id, `mkdir -p ${VICTIM}`);
const isThere = async (id: string) => (await inSandbox(id, 'ls')).includes(VICTIM);

async function stopSandbox(page: Page): Promise<void> {
  await page.getByText('Actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Stop sandbox' }).click();
}

test('an agent is approved, rejected with a reason, messaged, paused, resumed and interrupted', async ({ person, page }) => {
  await requireApproval(true);
  await createConversation(person, 'confirm');
  await person.reject('rm -rf', 'Leave the folder');
  await person.see(person.row('Leave the folder').last());
  await requireApproval(false);
  await createConversation(person, 'pausing');
  await person.see(person.step('echo step 1; sleep 1.5'));
  await person.say('By the way: hello');
  await person.see(person.row('By the way: hello'));
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await person.seeStatus('paused');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await person.see(person.step('echo step 4; sleep 1.5'));
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await person.seeStatus('paused');
  await person.say(`Say hello ${scene('hello')}`);
  await person.see(person.row(GREETING));
  await person.seeStatus('finished');
  await expectNothingLostNorDoubled(person);
});

test('an approved deletion is executed once', async ({ person }) => {
  await requireApproval(true);
  const { id } = await createConversation(person, 'confirm');
  await makeVictim(id);
  expect(await isThere(id)).toBe(true);
  await person.approve('rm -rf');
  await expect.poll(() => isThere(id)).toBe(false);
});

test('a message while a deletion is pending rejects it, and never approves it', async ({ person }) => {
  test.setTimeout(60_000 + TIMES * 60_000);
  await requireApproval(true);
  let kept = 0;
  for (let time = 0; time < TIMES; ) {
    const { id } = await createConversation(person, 'confirm');
    await makeVictim(id);
    // Each message rejects one deletion, and leads to the next one.
    for (let asked = 1; asked <= DELETIONS && time < TIMES; asked += 1, time += 1) {
      await person.see(person.approval('rm -rf'));
      const message = `Do not delete anything, for the ${asked}. time.`;
      await person.say(`${message} ${scene('confirm')}`);
      await person.see(person.row(message));
      await expect(person.step('echo harmless')).toHaveCount(asked + 1, { timeout: 60_000 });
      if (await isThere(id)) kept += 1;
    }
    console.log(`a message while rm -rf waited: ${kept} of ${time} folders still there`);
    await ask('DELETE', `/api/v1/app-conversations/${id}`);
  }
  expect(kept).toBe(TIMES);
});

test('a sandbox is paused and resumed, and its history is readable meanwhile', async ({ person, page }) => {
  const { id } = await createConversation(person, 'chat');
  await person.see(person.row(GREETING));
  await person.seeStatus('finished');
  await stopSandbox(page);
  await person.see(page.getByText(PAUSED));
  await person.open(`/c/${id}`);
  await person.see(person.row(GREETING));
  await page.getByRole('button', { name: 'Resume sandbox' }).click();
  await expect(page.getByText(PAUSED)).toHaveCount(0, { timeout: 60_000 });
  await person.say(`Again ${scene('hello')}`);
  await expect(person.row(GREETING)).toHaveCount(2, { timeout: 60_000 });
  // A message wakes it, too.
  await stopSandbox(page);
  await person.see(page.getByText(PAUSED));
  await person.say(`Once more ${scene('hello')}`);
  await expect(person.row(GREETING)).toHaveCount(3, { timeout: 60_000 });
});

test('a sandbox that somebody else freezes is noticed within ten seconds', async ({ person, page }) => {
  const { id } = await createConversation(person, 'pausing');
  await person.see(person.step('echo step 2; sleep 1.5'));
  await steer(id, 'pause');
  await expect(page.getByText(PAUSED)).toBeVisible({ timeout: 10_000 });
  await steer(id, 'resume');
  await person.see(person.row('Finished after pauses.'));
  await person.seeStatus('finished');
  await expectNothingLostNorDoubled(person);
});

test('what waits in a sandbox that is gone is unknown, and nothing is offered for it', async ({ person, page }) => {
  await requireApproval(true);
  const { id } = await createConversation(person, 'confirm');
  await person.see(person.approval('rm -rf'));
  const sandbox = id.replaceAll('-', '');
  await ask('DELETE', `/api/v1/sandboxes/${sandbox}?sandbox_id=${sandbox}`);
  await person.see(page.getByText(GONE));
  await person.see(page.locator('.step').filter({ hasText: 'It is not known whether this was executed' }));
  for (const offered of ['Start', 'Approve', 'Send']) await expect(page.getByRole('button', { name: offered, exact: true })).toHaveCount(0);
});

test('a sandbox that is gone leaves its history', async ({ person, page }) => {
  const { id } = await createConversation(person, 'chat');
  await person.see(person.row(GREETING));
  await person.seeStatus('finished');
  const before = await rowsOfJournal(page.request, id);
  const sandbox = id.replaceAll('-', '');
  await ask('DELETE', `/api/v1/sandboxes/${sandbox}?sandbox_id=${sandbox}`);
  await person.see(page.getByText(GONE));
  await person.open(`/c/${id}`);
  await person.see(person.row(GREETING));
  expect(await rowsOfJournal(page.request, id)).toEqual(before);
  // Nothing is offered that would be refused.
  await expect(page.getByRole('button', { name: 'Start', exact: true })).toHaveCount(0);
  await expect(page.getByLabel('Message', { exact: true })).toHaveCount(0);
});

test('a conversation that Handrail has never seen is read from the copy of a paused sandbox', async ({ person, page }) => {
  const id = crypto.randomUUID();
  const text = `Hello ${scene('hello')}`;
  await ask('POST', '/api/v1/app-conversations', { conversation_id: id, initial_message: { role: 'user', content: [{ type: 'text', text }] } });
  await expect.poll(async () => (await listed(id))?.execution_status, { timeout: 60_000 }).toBe('finished');
  // Reports are late by up to 30 s.
  await expect.poll(async () => JSON.stringify(await get(`/api/v1/conversation/${id}/events/search?limit=100`)), { timeout: 60_000 }).toContain('stays text');
  await steer(id, 'pause');
  await person.open('/');
  await person.see(page.locator(`a[href$="/c/${id}"]`).first());
  await person.open(`/c/${id}`);
  await person.see(person.row(GREETING));
  await expect(page.getByText(PAUSED)).toBeVisible();
});

test('a restarted app server has forgotten its processes; what was seen stays, and new work starts', async ({ person, page }) => {
  test.skip(RESTART === undefined, 'HANDRAIL_LIVE_RESTART names no command');
  const { id } = await createConversation(person, 'chat');
  await person.see(person.row(GREETING));
  const before = await rowsOfJournal(page.request, id);
  await run(RESTART ?? '');
  await person.see(page.getByText(GONE));
  expect((await rowsOfJournal(page.request, id)).slice(0, before.length)).toEqual(before);
  await createConversation(person, 'chat');
  await person.see(person.row(GREETING));
});

test('a model that refuses its key is told', async ({ person }) => {
  await createConversation(person, 'err401');
  await person.seeStatus('error');
  await person.see(person.row('The model rejected the API key'));
});

test('a start that fails says why where the conversation was to be created, and its message is not lost', async ({ person, page }) => {
  await person.open('/new');
  const main = page.getByRole('main');
  await main.getByLabel('First message').fill('Please work on a repository that is not there.');
  await main.getByText('Repository and branch').click();
  await main.getByLabel('Repository', { exact: true }).fill('nobody.example/nothing');
  await main.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(main.getByRole('alert')).toContainText(/clone|repository|git/i, { timeout: 120_000 });
  await expect(main.getByLabel('First message')).toHaveValue(/that is not there/);
});

test('six conversations run beside each other, and each answers', async ({ person, page }) => {
  test.setTimeout(600_000);
  const ids: string[] = [];
  for (let count = 0; count < 6; count += 1) {
    ids.push((await createConversation(person, 'chat')).id);
    await person.see(person.row(GREETING));
  }
  await person.open('/');
  for (const id of ids) await person.see(page.locator(`a[href$="/c/${id}"]`).first());
  await person.open(`/c/${ids[0]}`);
  await person.say(`Again ${scene('hello')}`);
  await expect(person.row(GREETING)).toHaveCount(2, { timeout: 60_000 });
});

test('files and changes of a sandbox are shown', async ({ person, page }) => {
  const { id } = await createConversation(person, 'chat');
  await person.see(person.row(GREETING));
  const files = await person.view('Files');
  await page.getByLabel('Files to upload to the workspace').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('mine\n') });
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await person.see(files.getByRole('link', { name: 'notes.txt' }));
  await files.getByRole('link', { name: 'notes.txt' }).click();
  await person.see(page.locator('.files__view .line').filter({ hasText: 'mine' }));
  const archive = await page.request.get(`/c/${id}/workspace`);
  expect(archive.status()).toBe(200);
  const commit = 'git init -q && git add -A && git -c user.name=a -c user.email=a@b.example commit -qm first';
  await inSandbox(id, `${commit} && echo changed >> notes.txt && echo new > fresh.txt`);
  const changes = await person.view('Changes');
  await person.see(changes.locator('summary').filter({ hasText: 'fresh.txt' }));
  await person.see(changes.locator('.block-diff').filter({ hasText: 'changed' }));
});
