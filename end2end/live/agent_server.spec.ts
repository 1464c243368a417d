// Attacks and measurements with an agent-server 1.x: each test prints its numbers. Number of rounds and of steps:
// HANDRAIL_LIVE_TIMES (10) and HANDRAIL_LIVE_STEPS (60).
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import type { Person } from '../fixtures.ts';
import { IS_AGENT_SERVER, RESTART, ask, createConversationIn, expect, get, keptIds, run, send, storedIds, test } from './real.ts';

const TIMES = Number(process.env.HANDRAIL_LIVE_TIMES ?? 10);
const STEPS = Number(process.env.HANDRAIL_LIVE_STEPS ?? 60);

test.skip(!IS_AGENT_SERVER, 'only an agent-server 1.x, with its key in HANDRAIL_LIVE_KEY');
test.beforeEach(({ watch }) => watch.allow(/ERR_CONNECTION_REFUSED|WebSocket connection|status of [45]\d\d/));

const requireApproval = (yes: boolean) => send('PATCH', '/api/settings', { conversation_settings_diff: { confirmation_mode: yes, security_analyzer: 'llm' } });
const status = async (id: string) => (await get(`/api/conversations/${id}`)).execution_status;
const untilIdle = (id: string) => expect.poll(() => status(id), { timeout: 200_000 }).not.toBe('running');

/** Starts a conversation in a folder of its own. */
async function createConversation(person: Person, name: string, parameters: Record<string, string> = {}): Promise<{ id: string; place: string }> {
  const place = await createConversationIn(person, 'Please work.', name, parameters);
  return { id: person.conversation, place };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return Math.round(performance.now() - from);
}

/** Milliseconds from requesting a page until the frame in which its timeline shows this text. */
async function drawn(page: Page, address: string, text: string): Promise<number> {
  await page.addInitScript((text) => {
    const check = (): void => {
      if (document.querySelector<HTMLElement>('.timeline')?.innerText.includes(text)) document.documentElement.dataset.drawn = String(Math.round(performance.now()));
      else requestAnimationFrame(check);
    };
    check();
  }, text);
  await page.goto(address);
  await page.locator('html[data-drawn]').waitFor();
  return Number(await page.locator('html').getAttribute('data-drawn'));
}

test('a message while a deletion is pending rejects it, and never approves it', async ({ person }) => {
  test.setTimeout(60_000 + TIMES * 60_000);
  await requireApproval(true);
  let kept = 0;
  for (let time = 0; time < TIMES; time += 1) {
    const { id, place } = await createConversation(person, 'confirm');
    const victim = path.join(place, 'build_dir_that_is_not_there');
    mkdirSync(victim, { recursive: true });
    writeFileSync(path.join(victim, 'keep'), 'x');
    await person.see(person.approval('rm -rf'));
    await person.say('Please do not delete anything.');
    await person.see(person.row('Please do not delete anything.'));
    await person.see(person.step('echo instead'));
    await untilIdle(id);
    if (existsSync(path.join(victim, 'keep'))) kept += 1;
  }
  console.log(`a message while rm -rf waited: ${kept} of ${TIMES} folders still there`);
  expect(kept).toBe(TIMES);
});

test('while a command locks the conversation, pages open, clicks get responses, and other conversations stay fast', async ({ person, page, another }) => {
  await requireApproval(false);
  const { id: other } = await createConversation(person, 'chat');
  await untilIdle(other);
  const read = () => timed(() => get(`/api/conversations/${other}/events/search?limit=5`));
  const before = await several(read);
  const { id } = await createConversation(person, 'busy');
  await person.see(person.step('for i in $(seq 1 20); do echo busy $i; sleep 1; done'));
  await page.evaluate((id) => {
    for (let count = 0; count < 20; count += 1) {
      const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/live`);
      socket.onopen = () => socket.send(JSON.stringify({ follow: { conversation: id, after: 0 } }));
    }
  }, id);
  const sent = await timed(() => page.request.get(`/c/${id}`));
  const visitor = await another();
  const opened = await drawn(visitor.page, `/c/${id}`, 'A long command.');
  const during = await several(read);
  const paused = await timed(async () => {
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await expect(page.getByText('Pausing after the current step…').or(page.getByText('Pausing after this step…')).first()).toBeVisible();
  });
  expect(await status(id), 'the step continues').toBe('running');
  const stopped = await timed(async () => {
    await visitor.alive();
    await visitor.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect.poll(() => status(id), { intervals: [50] }).toBe('paused');
  });
  console.log(`a new page was sent in ${sent} ms and rendered with an empty cache in ${opened} ms; requests for another conversation took ${before} ms before, ${during} ms with 20 browsers`);
  console.log(`a pause was accepted after ${paused} ms, a stop took effect after ${stopped} ms`);
  expect(during).toBeLessThan(1_000);
});

for (const killed of ['Handrail', 'the server'] as const) {
  test(`${killed} is killed repeatedly during a run, and no event is lost or duplicated`, async ({ person, page, handrail }) => {
    test.skip(killed === 'the server' && RESTART === undefined, 'HANDRAIL_LIVE_RESTART names no command');
    test.setTimeout(60_000 + TIMES * 120_000);
    await requireApproval(false);
    let good = 0;
    for (let time = 0; time < TIMES; time += 1) {
      const { id } = await createConversation(person, 'pause');
      await person.see(person.step('echo step 2; sleep 1.5'));
      if (killed === 'Handrail') {
        await handrail.stop('SIGKILL');
        await handrail.launch();
        await person.see(person.step('echo step 4; sleep 1.5'));
        await page.getByRole('button', { name: 'Stop', exact: true }).click();
      } else {
        await run(RESTART ?? '');
        await person.seeStatus('error');
        await person.see(person.row('A restart occurred').or(page.getByText('A restart occurred')));
      }
      await untilIdle(id);
      await expect.poll(async () => (await keptIds(person, id)).toSorted(), { timeout: 60_000 }).toEqual((await storedIds(id)).toSorted());
      good += 1;
    }
    console.log(`${killed} was killed ${TIMES} times: ${good} times nothing was lost or duplicated`);
    expect(good).toBe(TIMES);
  });
}

test('tags, another model and a side question reach the server', async ({ person, page }) => {
  await ask('POST', '/api/profiles/another', { llm: { ...(await get('/api/settings')).agent_settings.llm, model: 'openai/another-model', api_key: 'sk-fake' } });
  const { id } = await createConversation(person, 'chat');
  await untilIdle(id);
  const info = await person.view('Info');
  await info.getByLabel('One per line').fill('team=infra\nurgent');
  await info.getByRole('button', { name: 'Save tags' }).click();
  await expect.poll(async () => (await get(`/api/conversations/${id}`)).tags).toEqual({ team: 'infra', urgent: '' });
  await info.getByLabel('Continue with').selectOption('another');
  await info.getByRole('button', { name: 'Switch' }).click();
  await person.see(info.locator('.facts__row').filter({ hasText: 'openai/another-model' }));
  await info.getByLabel('Question').fill('How far are you?');
  await info.getByRole('button', { name: 'Ask' }).click();
  await person.see(info.locator('.notice__text'));
  await person.open('/');
  await person.see(page.locator('.conversation-row').filter({ hasText: 'team=infra · urgent' }));
  await ask('DELETE', '/api/profiles/another');
});

test('streamed text is shown while the model writes, and once when it is complete', async ({ person, page }) => {
  await requireApproval(false);
  const { id } = await createConversation(person, 'stream');
  await person.see(page.locator('.row[aria-busy="true"]').filter({ hasText: /word5\b/ }));
  await expect(page.locator('.row[aria-busy="true"]').filter({ hasText: 'word60.' })).toHaveCount(0);
  await person.see(person.row('word60.'));
  await untilIdle(id);
  await expect(page.locator('.row[aria-busy="true"]')).toHaveCount(0);
  await expect(person.row('Here is a streamed answer')).toHaveCount(1);
});

test('a long conversation opens with little data', async ({ person, page }) => {
  test.setTimeout(1_800_000);
  await requireApproval(false);
  const { id } = await createConversation(person, 'long', { n: String(STEPS) });
  await expect.poll(() => status(id), { timeout: 1_700_000, intervals: [2_000] }).toBe('finished');
  const weight = async (route: string) => Buffer.byteLength(await (await ask('GET', route)).text());
  const state = await weight(`/api/conversations/${id}`);
  const list = await weight('/api/conversations/search?limit=10&sort_order=UPDATED_AT_DESC');
  await pause(1_000);
  const events = (await storedIds(id)).length;
  const html = await bytes(page, `/c/${id}`);
  console.log(`${STEPS} steps, ${events} events: the server's state ${state} bytes, a page of its list ${list}`);
  console.log(`opening it in a browser: ${html} bytes (not compressed); its journal export ${await bytes(page, `/c/${id}/trajectory.json`)}`);
  expect(html).toBeLessThan(500_000);
});

async function bytes(page: Page, route: string): Promise<number> {
  return (await (await page.request.get(route)).body()).length;
}

async function several(work: () => Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let times = 0; times < 9; times += 1) all.push(await work());
  return all.toSorted((a, b) => a - b)[4];
}
