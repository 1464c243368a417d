// Accessibility of every page in every state, on a desktop and on a phone of 360 pixels, in light and in dark mode.
import { expectAccessible } from '../accessible.ts';
import { expect, test, testWithBackend } from '../fixtures.ts';

test.describe.configure({ timeout: 300_000 });

const BOTH = { tag: ['@phone'] };

test('the list, empty and full', BOTH, async ({ person, page }) => {
  await person.open('/');
  await expect(page.getByText('No conversations yet')).toBeVisible();
  await expectAccessible(page, 'empty list');
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await person.open('/');
  await expect(page.locator('.conversation-row')).toHaveCount(2);
  await expectAccessible(page, 'list');
  await page.getByLabel('Actions', { exact: true }).first().click();
  await expectAccessible(page, 'menu of a conversation');
  await page.getByRole('link', { name: 'Delete…' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectAccessible(page, 'question before deleting');
  await person.open('/?q=nothing+of+that+kind');
  await expectAccessible(page, 'nothing found');
});

test('the pages for new conversations, settings, connection, and unknown URLs', BOTH, async ({ person, page, watch }) => {
  watch.allow(/status of 404/);
  for (const [path, state] of [['/new', 'new'], ['/settings', 'settings'], ['/settings/connection', 'connection'], ['/no/such', 'no such page'], ['/c/nothing', 'no such conversation']]) {
    await person.open(path);
    await expectAccessible(page, state);
  }
  await person.open('/');
  await page.getByText('Appearance', { exact: true }).click();
  await expectAccessible(page, 'appearance menu');
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await expectAccessible(page, 'keys');
});

test('a running, a waiting and a finished conversation', BOTH, async ({ person, page }) => {
  await person.createConversation('Something slow [[scenario:slow:20000]]');
  await person.see(person.row('This takes a while.'));
  await expectAccessible(page, 'running');
  await person.createConversation('Please repair this small project');
  await person.see(person.approval('rm -rf build'));
  await expectAccessible(page, 'waiting');
  for (const view of ['Terminal', 'Files', 'Changes', 'Browser', 'Tasks', 'Info'] as const) {
    const panel = await person.view(view);
    await expect(panel.locator('.skeleton')).toHaveCount(0);
    await expectAccessible(page, `view ${view}`);
  }
  const files = await person.view('Files');
  await files.getByRole('link', { name: 'tally.py', exact: true }).click();
  await expect(page.locator('.files__view .line').first()).toBeVisible();
  await expectAccessible(page, 'a file');
  const changes = await person.view('Changes');
  await changes.locator('.change-list').last().getByRole('link').first().click();
  await expect(changes.locator('.block-diff')).toBeVisible();
  await expectAccessible(page, 'a change');
  await person.view('Timeline');
  await page.getByText('Actions', { exact: true }).click();
  await expectAccessible(page, 'menu of the conversation');
  await page.getByRole('button', { name: 'Rename…' }).click();
  await expectAccessible(page, 'renaming');
  await page.keyboard.press('Escape');
  await person.approve('rm -rf build');
  await person.say('Finish');
  await person.seeStatus('finished');
  await expectAccessible(page, 'finished');
  await page.goto(`/c/${person.conversation}?q=mean`);
  await person.alive();
  await expect(page.locator('.result').first()).toBeVisible();
  await expectAccessible(page, 'search');
});

test('hostile content', BOTH, async ({ person, page }) => {
  await person.createConversation('Try everything [[scenario:hostile]]');
  await person.see(person.approval('attacker.invalid'));
  await expectAccessible(page, 'hostile');
});

for (const scenario of ['error401', 'images', 'tools', 'unknown', 'condensation', 'delegate']) {
  test(`the scenario ${scenario}`, BOTH, async ({ person, page }) => {
    await person.createConversation(`Show me [[scenario:${scenario}]]`);
    await person.seeStatus(scenario === 'error401' ? 'error' : 'finished');
    await expectAccessible(page, scenario);
  });
}

testWithBackend('connections that are down', BOTH, async ({ person, page, rehearsal, handrail, watch }) => {
  watch.allow(/status of [45]\d\d|ERR_CONNECTION_REFUSED|WebSocket connection/);
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await rehearsal.dropConnections();
  await expect(page.getByText('Lost connection to OpenHands')).toBeVisible();
  await expectAccessible(page, 'no connection to the backend');
  await rehearsal.fails({ fault: 'rest', kind: 'server_error', path: '/api/', times: 0 });
  await person.open('/');
  await expectAccessible(page, 'list without a backend');
  await handrail.stop('SIGKILL');
  await expect(page.getByText('Offline. This page may be out of date.')).toBeVisible();
  await expectAccessible(page, 'no connection to Handrail');
});
