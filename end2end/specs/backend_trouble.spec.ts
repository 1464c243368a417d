// An unreachable backend, a refusal, invalid responses: a sentence says so, and the user can go on.
import { CAN, DOWN, LISTING, STATUS } from '../dialect.ts';
import { test as base, testWithBackend as test, expect } from '../fixtures.ts';

test.beforeEach(({ watch }) => watch.allow(/status of [45]\d\d/));

base.describe('with no backend at all', () => {
  base.use({ serverArgs: async ({}, use) => use(['--backend', 'http://127.0.0.1:9']) });

  base('the list and the settings say that it cannot be reached and where its address is', { tag: ['@phone-all', '@nojs'] }, async ({ person, page }) => {
    await person.open('/');
    await expect(page.getByText('OpenHands cannot be reached').first()).toBeVisible();
    await page.getByRole('link', { name: 'Backends', exact: true }).first().click();
    await expect(page.getByRole('heading', { name: 'Backends', exact: true })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'OpenHands at http://127.0.0.1:9' })).toBeVisible();
    await person.open('/settings');
    await expect(page.getByText('OpenHands cannot be reached').first()).toBeVisible();
    await expect(page.getByRole('link', { name: 'Manage backends' })).toBeVisible();
  });

  base('a conversation cannot begin, and what was typed stays', { tag: ['@phone-all'] }, async ({ person, page }) => {
    await person.open('/new');
    await page.getByLabel('First message').fill('Is anybody there?');
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText('OpenHands cannot be reached');
    await expect(page.getByLabel('First message')).toHaveValue('Is anybody there?');
  });
});

test.describe.configure({ timeout: 60_000 });

test('a bad response of the backend is reported, and the list shows the stored conversations', { tag: ['@all', '@nojs'] }, async ({ person, page, rehearsal }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  const warning = page.locator('.conversation-list .banner--warning');
  for (const { kind, sentence } of [
    { kind: 'too_many_requests', sentence: 'Too many requests to OpenHands.' },
    { kind: 'server_error', sentence: 'Unexpected response: an internal error (500)' },
    { kind: 'html', sentence: 'Unexpected response: a web page (200)' },
  ]) {
    await test.step(kind, async () => {
      await rehearsal.fails({ fault: 'rest', kind, path: '/api/', times: 0 });
      // The server polls the list at intervals; the page shows the result of the last poll.
      await expect(async () => {
        await person.open('/');
        await expect(warning).toContainText(sentence, { timeout: 500 });
      }).toPass({ timeout: 20_000 });
      await expect(warning).toContainText('Showing saved conversations.');
      await expect(page.locator('.conversation-row')).toHaveCount(1);
      await rehearsal.works();
      await expect(async () => {
        await person.reload();
        await expect(warning).toHaveCount(0, { timeout: 500 });
      }).toPass();
    });
  }
});

test('a refused connection says why and can be retried', { tag: ['@phone-all'] }, async ({ person, page, rehearsal }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await rehearsal.fails({ fault: 'refuse', body: { message: 'conversation_not_found', data: { msg_id: 'CONVERSATION_NOT_FOUND' }, code: 4004 }, times: 0 });
  await rehearsal.fails({ fault: 'drop_sockets' });
  await expect(page.getByText(/OpenHands refused the connection|Lost connection to OpenHands/)).toBeVisible();
  await rehearsal.works();
  await page.getByRole('button', { name: /^Retry( now)?$/ }).click();
  await expect(page.getByText(/OpenHands refused the connection|Lost connection to OpenHands/)).toHaveCount(0, { timeout: 20_000 });
  await person.say('Still there?');
  await person.see(person.row('Still there?'));
});

test('an unreadable workspace says so in its own panel, on a page that goes on', { tag: ['@phone-all'] }, async ({ person, page, rehearsal }) => {
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await rehearsal.fails({ fault: 'rest', kind: 'server_error', path: LISTING, times: 0 });
  const files = await person.view('Files');
  await expect(files.getByRole('alert')).toBeVisible();
  await rehearsal.works();
  await files.getByRole('link', { name: 'Refresh' }).click();
  await expect(files.getByRole('link', { name: 'tally.py' })).toBeVisible();
  await expect(page.locator('.timeline .row').first()).toBeVisible();
  // A page that was made while one request failed goes on, too, and shows what its data says.
  await rehearsal.fails({ fault: 'rest', kind: 'server_error', path: LISTING, times: 1 });
  await person.open(`/c/${id}?panel=files`);
  await expect(page.locator('.panel').getByRole('alert')).toBeVisible();
  await page.locator('.panel').getByRole('link', { name: 'Refresh' }).click();
  await expect(page.locator('.panel').getByRole('link', { name: 'tally.py' })).toBeVisible();
});

test('a stopped conversation can be read, and started again', { tag: ['@nojs'] }, async ({ person, page }) => {
  test.skip(!CAN.shutDown, 'a conversation of 1.x is there as long as its server');
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await page.getByText('Actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Stop sandbox' }).click();
  await person.see(page.getByText(DOWN.says));
  await person.open(`/c/${id}`);
  await expect(person.row('Hello! I am a rehearsal agent')).toBeVisible();
  await page.getByRole('button', { name: DOWN.start, exact: true }).click();
  await person.seeStatus(STATUS.turn);
  await expect(page.getByText(DOWN.says)).toHaveCount(0);
  // A message starts it, too.
  await page.getByText('Actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Stop sandbox' }).click();
  await person.see(page.getByText(DOWN.says));
  await person.say('Are you back?');
  await person.see(page.locator('.row--human:not([data-delivery])').filter({ hasText: 'Are you back?' }));
  await expect(page.locator('.row--human').filter({ hasText: 'Are you back?' })).toHaveCount(1);
});

test('a sandbox that fails to start is started again, and its first message is sent', { tag: ['@phone-all', '@nojs'] }, async ({ person, page, rehearsal }) => {
  test.skip(!CAN.failToStart, 'a conversation of 1.x is there as long as its server');
  await rehearsal.fails({ fault: 'no_runtime', times: 1 });
  await person.createConversation('hello [[scenario:hello]]');
  await expect(page.locator('.row--human')).toHaveText(/hello/);
  await person.see(page.getByText('The sandbox failed.'));
  await expect(page.getByText('Failed to create agent session: RetryError').first()).toBeVisible();
  await expect(page.getByText('Starting the sandbox')).toHaveCount(0);
  await page.getByRole('button', { name: 'Start again' }).click();
  await person.see(person.row('Hello! I am a rehearsal agent'));
  await expect(page.getByText('The sandbox failed.')).toHaveCount(0);
  await expect(page.locator('.row--human')).toHaveCount(1);
});
