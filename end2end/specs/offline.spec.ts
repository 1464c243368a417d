// Without a network: what was read opens, what is written waits, and nothing is approved.
import type { IncomingHttpHeaders } from 'node:http';
import type { Page } from '@playwright/test';
import { expectAccessible, expectNothingClipped } from '../accessible.ts';
import { BEHIND } from '../front.ts';
import { add, logIn, setUp } from '../house.ts';
import { copied, expect, kept, leave, retry, test } from '../installed.ts';

test.describe.configure({ timeout: 90_000 });
test.skip(BEHIND, 'browsers refuse a service worker from a server whose certificate they do not know');
test.beforeEach(({ watch }) => watch.allow(/ERR_|WebSocket connection|status of 5\d\d|Failed to load resource/));

test('what was read opens without a network, says how old it is, and is current again afterwards', { tag: ['@phone'] }, async ({ person, page, network }) => {
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await kept(page, 'Hello! I am a rehearsal agent');
  await person.open('/');
  await kept(page, 'Rehearsal: hello');
  network.cut();
  await page.goto(`/c/${id}`);
  await expect(person.row('Hello! I am a rehearsal agent')).toBeVisible();
  await expect(page.getByText(/Offline\..* Last update: (\d+:\d\d|now)/)).toBeVisible();
  await page.goto('/');
  await page.getByRole('link', { name: 'Rehearsal: hello' }).click();
  await expect(person.row('Hello! I am a rehearsal agent')).toBeVisible();
  await page.goto('/settings');
  await expect(page.getByRole('heading', { name: 'You are offline' })).toBeVisible();
  await page.goBack();
  network.mend();
  await retry(page);
  await person.alive();
  await expect(page.getByText(/Offline\./)).toHaveCount(0);
  await person.say('I am back');
  await person.see(person.row('I am back'));
});

test('a page that changed while its copy was loaded, or whose copy could not be loaded, is kept as it is', async ({ person, page, network }) => {
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await kept(page, 'Hello! I am a rehearsal agent');
  const isCopy = (path: string, headers: IncomingHttpHeaders) => path === `/c/${id}` && headers['sec-fetch-mode'] !== 'navigate';
  const isShownOffline = async (text: string) => {
    await copied(page, text);
    network.cut();
    await page.goto(`/c/${id}`);
    await expect(person.row(text).first()).toBeVisible();
    network.mend();
    await retry(page);
    await person.alive();
  };
  const say = async (text: string) => {
    await person.say(text);
    await person.see(person.row(text));
    await person.see(page.locator('.conversation__head .badge:is([data-status="idle"], [data-status="finished"])'));
  };
  await test.step('a copy that arrives late does not replace a newer one', async () => {
    network.holds = isCopy;
    await say('First change');
    await leave(page);
    await expect.poll(() => network.holding).toBe(1);
    network.holds = () => false;
    await say('Second change');
    await leave(page);
    network.release();
    await isShownOffline('Second change');
  });
  await test.step('a copy that could not be loaded is asked for again', async () => {
    let refused = 0;
    network.refuses = (path, headers) => isCopy(path, headers) && (refused += 1) > 0;
    await say('Third change');
    await leave(page);
    await expect.poll(() => refused).toBeGreaterThan(0);
    network.refuses = () => false;
    await leave(page);
    await isShownOffline('Third change');
  });
});

test('messages wait for the network, visibly, and are sent once and in order', { tag: ['@phone-all'] }, async ({ person, page, network }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await kept(page, 'Hello! I am a rehearsal agent');
  network.cut();
  for (const text of ['First thought', 'Second thought', 'Third thought']) {
    await page.getByLabel('Message', { exact: true }).fill(text);
    await page.locator('.composer__send').click();
    await expect(page.getByLabel('Message', { exact: true })).toHaveValue('');
  }
  const waits = page.locator('[data-delivery="waiting"]');
  await expect(waits).toHaveCount(3);
  await expect(waits.first()).toContainText('Waiting for the network');
  await page.reload();
  await expect(waits).toHaveCount(3);
  await waits.filter({ hasText: 'Second thought' }).getByRole('button', { name: 'Remove' }).click();
  await expect(waits).toHaveCount(2);
  network.mend();
  await retry(page);
  await person.alive();
  await expect(waits).toHaveCount(0);
  await person.see(person.row('Third thought'));
  await person.reload();
  const said = await page.locator('.timeline .row--human').allInnerTexts();
  const thoughts = said.flatMap((text) => /\w+ thought/.exec(text)?.[0] ?? []);
  expect(thoughts).toEqual(['First thought', 'Third thought']);
});

test('a message whose response is lost is sent once', async ({ person, page, network }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await kept(page, 'Hello! I am a rehearsal agent');
  let losses = 0;
  network.loses = (path) => path.includes('/api/send_message_with') && (losses += 1) < 3;
  await page.getByLabel('Message', { exact: true }).fill('Only once');
  await page.locator('.composer__send').click();
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('');
  await person.see(person.row('Only once'));
  network.cut();
  network.mend();
  await expect(page.locator('[data-delivery="waiting"]')).toHaveCount(0);
  expect(losses).toBeGreaterThan(2);
  await person.reload();
  await expect(person.row('Only once')).toHaveCount(1);
});

test('two tabs and two devices send what waits in each, once', async ({ person, page, network, another, context }) => {
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await kept(page, 'Hello! I am a rehearsal agent');
  const tab = await context.newPage();
  await tab.goto(`/c/${id}`);
  await tab.locator('html[data-live="true"]').waitFor();
  const device = await another({ serviceWorkers: 'allow' });
  await device.open(`/c/${id}`);
  await kept(device.page, 'Hello! I am a rehearsal agent');
  network.cut();
  const all = [page, tab, device.page];
  for (const [at, one] of all.entries()) {
    await one.getByLabel('Message', { exact: true }).fill(`Message ${at}`);
    await one.locator('.composer__send').click();
    await expect(one.locator('[data-delivery="waiting"]').filter({ hasText: `Message ${at}` })).toBeVisible();
  }
  // The two tabs of a device show the same.
  await expect(page.locator('[data-delivery="waiting"]')).toHaveCount(2);
  network.mend();
  for (const one of all) await retry(one);
  for (const one of all) await expect(one.locator('[data-delivery="waiting"]')).toHaveCount(0);
  for (const at of all.keys()) await person.see(person.row(`Message ${at}`));
  await person.reload();
  for (const at of all.keys()) await expect(person.row(`Message ${at}`)).toHaveCount(1);
});

test('without a network nothing is approved or rejected, and no message does it later', { tag: ['@phone-all'] }, async ({ person, page, network, another }) => {
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await kept(page, 'Hello! I am a rehearsal agent');
  const other = await another({ extraHTTPHeaders: { 'x-device': 'other' } });
  await other.open(`/c/${id}`);
  network.refuses = (path, headers) => path.includes('/api/send_message_with') && headers['x-device'] === undefined;
  await page.getByLabel('Message', { exact: true }).fill('Written too early');
  await page.locator('.composer__send').click();
  const waits = page.locator('[data-delivery="waiting"]');
  await expect(waits).toHaveCount(1);
  // Meanwhile something becomes pending.
  await other.say('Ask me [[scenario:confirm]]');
  await other.see(other.approval('echo "confirm me"'));
  await person.see(person.approval('echo "confirm me"'));
  network.refuses = () => false;
  await page.reload();
  await person.alive();
  await expect(waits).toContainText('An action needs approval');
  await kept(page, 'confirm me');
  await person.openReason(person.approval());
  await page.getByLabel('Message', { exact: true }).fill('Rather not');
  network.cut();
  await expect(page.getByText('Offline. Approving and rejecting need a connection.')).toBeVisible();
  for (const reloads of [false, true]) {
    if (reloads) await page.reload();
    for (const name of ['Approve', 'Reject with reason']) {
      await expect(page.getByRole('button', { name, exact: true }), name).toBeDisabled();
    }
    await page.getByLabel('Message', { exact: true }).press('Control+Enter');
    await expect(page.getByLabel('Message', { exact: true })).toHaveValue('Rather not');
    await expect(waits).toHaveCount(1);
  }
  await page.getByLabel('Message', { exact: true }).fill('');
  network.mend();
  await retry(page);
  await person.alive();
  await expect(waits).toContainText('An action needs approval');
  // Otherwise it would be sent between two approvals.
  await waits.getByRole('button', { name: 'Remove' }).click();
  await expect(waits).toHaveCount(0);
  await person.approve('echo "confirm me"');
  await person.approve('print(6 * 7)');
  await expect(person.row('Written too early')).toHaveCount(0);
});

test('the inbox opens without a network, and answers nothing', { tag: ['@phone-all'] }, async ({ person, page, network }) => {
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await person.open('/inbox');
  await kept(page, 'confirm me');
  network.cut();
  await page.goto('/inbox');
  await expect(person.approval('echo "confirm me"')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Approve' })).toBeDisabled();
  await expect(page.getByText('need a connection')).toBeVisible();
  await expectAccessible(page, 'inbox without a network');
  await expectNothingClipped(page, 'inbox without a network');
  network.mend();
  await retry(page);
  await person.alive();
  await person.approve('echo "confirm me"');
});

test('a page that returns to the foreground after its connection died is current at once', async ({ person, page, network, another }, info) => {
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  const other = await another();
  await other.open(`/c/${id}`);
  network.silence();
  await other.page.reload();
  await other.alive();
  await other.say('While you were away');
  await other.see(other.row('While you were away'));
  const took = await page.evaluate(async () => {
    const began = performance.now();
    document.dispatchEvent(new Event('visibilitychange'));
    while (!document.body.innerText.includes('While you were away')) await new Promise((resolve) => setTimeout(resolve, 5));
    return performance.now() - began;
  });
  info.annotations.push({ type: 'current after', description: `${Math.round(took)} ms` });
  // Measured, not asserted: half a second is the aim, and another test may use the processor. Two seconds was the time
  // limit of a ping before.
  expect(took).toBeLessThan(2_000);
});

test('a new version replaces the app without mixing the two', async ({ person, page, network, context }) => {
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await kept(page, 'Hello! I am a rehearsal agent');
  const builds = () => page.evaluate(async () => (await caches.keys()).filter((name) => name.includes(':shell:')).length);
  expect(await builds()).toBe(1);
  network.update();
  // The open page goes on with its own files, also with one that it has not loaded before.
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
  await expect.poll(builds).toBe(2);
  await page.keyboard.press('?');
  await expect(page.getByRole('heading', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await person.say('Still here');
  await person.see(person.row('Still here'));
  // What was kept by the old version opens with its files, and the next load brings the new one.
  network.cut();
  const offline = await context.newPage();
  await offline.goto(`/c/${id}`);
  await expect(offline.locator('html[data-live]')).toHaveAttribute('data-live', 'false');
  // If the page was kept once more in the meantime, it is one of the new version; none has files of both.
  const files = offline.locator('link[href*="/pkg/"], script[src*="/pkg/"]');
  const isNext = await files.evaluateAll((files) => files.map((file) => /NEXT/.test(file.getAttribute('src') ?? file.getAttribute('href') ?? '')));
  expect(new Set(isNext).size).toBe(1);
  network.mend();
  await offline.reload();
  await offline.locator('html[data-live="true"]').waitFor();
  expect(await offline.locator('script[type="module"][src]').first().getAttribute('src')).toContain('NEXT');
  await kept(offline, 'Still here');
  network.cut();
  await offline.reload();
  expect(await offline.locator('script[type="module"][src]').first().getAttribute('src')).toContain('NEXT');
  await expect(offline.locator('.timeline .row').filter({ hasText: 'Still here' })).toBeVisible();
});

test('the states without a network are accessible and whole, also with text of twice the size', { tag: ['@all', '@phone-all'] }, async ({ person, page, network }, info) => {
  test.slow();
  const pending = await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await kept(page, 'confirm me');
  const hello = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await kept(page, 'Hello! I am a rehearsal agent');
  network.cut();
  await page.getByLabel('Message', { exact: true }).fill('This waits for the network, and it is long enough for two lines of a phone');
  await page.locator('.composer__send').click();
  await expect(page.locator('[data-delivery="waiting"]')).toBeVisible();
  const phone = info.project.name === 'phone';
  for (const [name, path] of [['waiting', `/c/${hello}`], ['pending', `/c/${pending}`], ['offline', '/insight']] as const) {
    await page.goto(path);
    if (name !== 'offline') await expect(page.getByText(/Last update/)).toBeVisible({ timeout: 10_000 });
    await expectAccessible(page, name);
    for (const [width, height] of phone ? [[360, 640], [390, 844]] : [[1280, 800]]) {
      await page.setViewportSize({ width, height });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await info.attach(`${name}-${width}x${height}-${colorScheme}.png`, { body: await page.screenshot(), contentType: 'image/png' });
        if (process.env.HANDRAIL_SHOTS) await page.screenshot({ path: `${process.env.HANDRAIL_SHOTS}/${name}-${width}x${height}-${colorScheme}.png` });
      }
    }
    for (const size of ['100%', '200%']) {
      await page.locator('html').evaluate((html, size) => (html.style.fontSize = size), size);
      await expectNothingClipped(page, `${name} at ${size}`);
    }
  }
});

test.describe('with accounts', () => {
  test.use({ login: true });

  const pages = (page: Page) =>
    page.evaluate(async () => (await caches.keys()).filter((name) => name.includes(':pages:')).length);

  test('logging out deletes what was kept, and the next person sees nothing of it', async ({ person, page, handrail, network }) => {
    await setUp(page, handrail);
    await person.open('/people');
    await add(page, 'olga', 'operator');
    const id = await person.createConversation('hello [[scenario:hello]]');
    await person.seeTurn();
    await kept(page, 'Hello! I am a rehearsal agent');
    // Without a network the device still forgets, after a question about what was not sent.
    network.cut();
    await page.getByLabel('Message', { exact: true }).fill('A secret of ada');
    await page.locator('.composer__send').click();
    await expect(page.locator('[data-delivery="waiting"]')).toBeVisible();
    network.mend();
    await retry(page);
    await person.alive();
    await person.see(person.row('A secret of ada'));
    await person.open('/');
    await page.getByText('ada', { exact: true }).click();
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.waitForURL(/\/login/);
    await expect.poll(() => pages(page)).toBe(0);
    network.cut();
    await page.goto(`/c/${id}`);
    await expect(page.getByRole('heading', { name: 'You are offline' })).toBeVisible();
    network.mend();
    await page.goto('/login');
    await logIn(page, 'olga');
    await person.open(`/c/${id}`);
    await kept(page, 'A secret of ada');
    // Her login ends: the page learns it when it connects again, and the device forgets.
    await page.context().clearCookies();
    network.cut();
    network.mend();
    await page.waitForURL(/\/login/);
    await expect.poll(() => pages(page)).toBe(0);
  });

  test('a message of a person who may no longer send it is given back', async ({ person, page, handrail, network, another }) => {
    await setUp(page, handrail);
    await person.open('/people');
    await add(page, 'olga', 'operator');
    const id = await person.createConversation('hello [[scenario:hello]]');
    await person.seeTurn();
    const olga = await another({ serviceWorkers: 'allow' });
    await olga.page.goto('/login');
    await logIn(olga.page, 'olga');
    await olga.open(`/c/${id}`);
    await kept(olga.page, 'Hello! I am a rehearsal agent');
    network.refuses = (path) => path.includes('/api/send_message_with');
    await olga.page.getByLabel('Message', { exact: true }).fill('My long thought');
    await olga.page.locator('.composer__send').click();
    await expect(olga.page.locator('[data-delivery="waiting"]')).toBeVisible();
    await person.open('/people');
    await page.getByLabel('Role of olga', { exact: true }).selectOption('viewer');
    await page.getByRole('button', { name: 'Save the role of olga' }).click();
    await expect(page.getByText('Role changed')).toBeVisible();
    network.refuses = () => false;
    // A new role begins with a new login, to which the page leads.
    await olga.page.waitForURL(/\/login/);
    await logIn(olga.page, 'olga');
    await olga.open(`/c/${id}`);
    const given = olga.page.locator('#kept-messages, #waiting-here').getByText('My long thought');
    await expect(given).toBeVisible();
    await expect(olga.page.getByText('Not sent.')).toBeVisible();
    await olga.page.getByRole('button', { name: 'Remove' }).click();
    await expect(given).toHaveCount(0);
    await expect(person.row('My long thought')).toHaveCount(0);
  });

  test('a message of another person who uses the device is not sent', async ({ person, page, handrail, network }) => {
    await setUp(page, handrail);
    await person.open('/people');
    await add(page, 'olga', 'operator');
    const id = await person.createConversation('hello [[scenario:hello]]');
    await person.seeTurn();
    await kept(page, 'Hello! I am a rehearsal agent');
    network.cut();
    await page.getByLabel('Message', { exact: true }).fill('Only from ada');
    await page.locator('.composer__send').click();
    await expect(page.locator('[data-delivery="waiting"]')).toBeVisible();
    await page.context().clearCookies();
    network.mend();
    await page.goto('/login');
    await expect.poll(() => pages(page)).toBe(0);
    await logIn(page, 'olga');
    await person.open(`/c/${id}`);
    await expect(page.getByText('Only from ada')).toHaveCount(0);
    await page.context().clearCookies();
    await page.goto('/login');
    await logIn(page, 'ada');
    await person.open(`/c/${id}`);
    await person.see(person.row('Only from ada'));
    await expect(page.locator('[data-delivery="waiting"]')).toHaveCount(0);
  });
});
