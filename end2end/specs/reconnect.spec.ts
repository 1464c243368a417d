// Lost connections: between browser and Handrail, between Handrail and the backend, and a restart of Handrail.
import { TROUBLE } from '../dialect.ts';
import { testWithBackend as test, expect } from '../fixtures.ts';
import { rowsByScrolling, rowsOfJournal } from '../timeline.ts';

test.describe.configure({ timeout: 90_000 });

const LOST = /Offline\. This page may be out of date\./;

test.beforeEach(({ watch }) => watch.allow(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|WebSocket connection|status of 50\d/));

test('a lost connection to Handrail is shown only after three seconds', async ({ person, page, handrail }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await page.evaluate((text) => {
    const began = performance.now();
    new MutationObserver((_, observer) => {
      if (!document.body.innerText.includes(text)) return;
      document.documentElement.dataset.said = String(performance.now() - began);
      observer.disconnect();
    }).observe(document.body, { childList: true, subtree: true });
  }, 'Offline. This page may be out of date.');
  await handrail.stop('SIGKILL');
  await expect(page.getByText(LOST)).toBeVisible();
  expect(Number(await page.locator('html').getAttribute('data-said'))).toBeGreaterThan(2_500);
  await handrail.launch();
  await page.getByRole('button', { name: 'Retry now' }).click();
  await expect(page.getByText(LOST)).toHaveCount(0);
  await person.say('Welcome back');
  await person.see(person.row('Welcome back'));
});

test('without a network the page says so at once, and only once', async ({ person, page, watch }) => {
  watch.allow(/ERR_INTERNET_DISCONNECTED/);
  await person.open('/');
  await page.context().setOffline(true);
  // The emulation keeps a socket open, but no frame passes.
  await expect(page.locator('.banner')).toHaveCount(1, { timeout: 2_900 });
  await page.context().setOffline(false);
  await expect(page.locator('.banner')).toHaveCount(0);
});

test('a short restart of Handrail is not noticed and nothing is missed', async ({ person, page, handrail }) => {
  const id = await person.createConversation('Many steps [[scenario:long:60]]');
  await person.seeWork();
  await handrail.restart();
  await person.seeStatus('finished');
  await expect(page.getByText(LOST)).toHaveCount(0);
  expect(await rowsByScrolling(page)).toEqual(await rowsOfJournal(page.request, id));
});

test('events during a crash of Handrail are on the page afterwards, once', { tag: ['@all'] }, async ({ person, page, handrail, rehearsal }) => {
  const id = await person.createConversation('Many steps [[scenario:long:100]]');
  await person.seeWork();
  await handrail.stop('SIGKILL');
  const finished = async () => (await rehearsal.events(id)).some((event) => event.finishes);
  await expect.poll(finished, { timeout: 30_000, intervals: [1_500] }).toBe(true);
  await handrail.launch();
  await person.seeStatus('finished');
  await expect(person.row('All steps are done.').last()).toBeVisible();
  expect(await rowsByScrolling(page)).toEqual(await rowsOfJournal(page.request, id));
});

test('a lost connection to the backend is shown, and nothing is missed or duplicated', async ({ person, page, rehearsal }) => {
  const id = await person.createConversation('Many steps [[scenario:long:100]]');
  await person.seeWork();
  await rehearsal.dropConnections();
  await expect(page.getByText('Lost connection to OpenHands')).toBeVisible();
  const retry = page.getByRole('button', { name: 'Retry now' });
  await retry.click();
  await rehearsal.works();
  // The first attempt hangs; another retry does not wait for its end.
  await expect(async () => {
    if (await retry.isVisible()) await retry.click({ timeout: 1_000 });
    await expect(page.getByText('Lost connection to OpenHands')).toHaveCount(0, { timeout: 2_000 });
  }).toPass({ timeout: 40_000 });
  await person.seeStatus('finished');
  expect(await rowsByScrolling(page)).toEqual(await rowsOfJournal(page.request, id));
});

test('duplicated and reordered events show every row once and in order', { tag: ['@all'] }, async ({ person, page, rehearsal }) => {
  await rehearsal.fails({ fault: 'duplicate' });
  await rehearsal.fails({ fault: 'reorder' });
  const id = await person.createConversation('Many steps [[scenario:long:50]]');
  await person.seeStatus('finished');
  const rows = await rowsByScrolling(page);
  expect(rows).toEqual(await rowsOfJournal(page.request, id));
  const steps = await page.locator('.step__subject').allTextContents();
  const numbers = steps.flatMap((text) => /^echo step (\d+)$/.exec(text)?.[1] ?? []).map(Number);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('after a restart of the backend with lost events the history stays readable', async ({ person, page, rehearsal }) => {
  const id = await person.createConversation('Many steps [[scenario:long:20]]');
  await person.seeStatus('finished');
  const before = await rowsOfJournal(page.request, id);
  await rehearsal.fails({ fault: 'restart', memory: { first: 10 } });
  await expect(page.getByText(TROUBLE.forgotten)).toBeVisible({ timeout: 30_000 });
  await person.reload();
  expect((await rowsOfJournal(page.request, id)).slice(0, before.length)).toEqual(before);
});
