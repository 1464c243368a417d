// Accessibility: of every page once, and of pages in further states with all repetitions. The states themselves stand on the
// page of all parts (`style.spec.ts`), and sizes of text and windows are those of `figures.spec.ts`.
import { expectAccessible, expectAccessibleState, expectDarkColours } from '../accessible.ts';
import { expect, test, testWithBackend } from '../fixtures.ts';
import { BEHIND } from '../front.ts';
import { everybody } from '../house.ts';

test.describe.configure({ timeout: 300_000 });

test('every page of a person at the machine', async ({ person, page, watch }) => {
  watch.allow(/status of 404/);
  const id = await person.createConversation('Please repair this small project');
  await person.see(person.approval('rm -rf build'));
  await expectAccessible(page, 'a conversation');
  await expectDarkColours(page, 'a conversation');
  for (const view of ['Terminal', 'Browser', 'Tasks', 'Info'] as const) {
    const panel = await person.view(view);
    await expect(panel.locator('.skeleton')).toHaveCount(0);
    await expectAccessible(page, `panel ${view}`);
  }
  const files = await person.view('Files');
  await files.getByRole('link', { name: 'tally.py', exact: true }).click();
  await expect(page.locator('.files__view .line').first()).toBeVisible();
  await expectAccessible(page, 'panel Files, with a file');
  const changes = await person.view('Changes');
  await expect(changes.locator('.block-diff').first()).toBeVisible();
  await expectAccessible(page, 'panel Changes, with a change');

  /** Pages by their addresses: what makes them complete, and what is unfolded on them. */
  const pages: Record<string, { complete: string; unfold?: string }> = {
    [`/c/${id}?panel=model`]: { complete: '.model__message' },
    [`/c/${id}?q=mean`]: { complete: '.result' },
    [`/c/${id}/replay`]: { complete: '.replay' },
    [`/c/${id}/insight`]: { complete: 'main h1', unfold: 'main summary' },
    [`/c/${id}/export`]: { complete: 'main h1' },
    '/': { complete: '.conversation-row' },
    '/new': { complete: '.new-options', unfold: '.new-options summary' },
    '/inbox': { complete: '.approval' },
    '/search?q=mean': { complete: '.result', unfold: 'main form summary' },
    '/insight': { complete: 'main h1' },
    '/settings': { complete: '#section-limits' },
    '/settings/connection': { complete: 'main h2' },
    '/notifications': { complete: 'main h1' },
    '/install': { complete: 'main h1' },
    '/import': { complete: 'main h1' },
    '/share?title=News&text=Look%20at%20this&images=2&cut=1': { complete: 'main h1' },
    '/no/such': { complete: 'main h1' },
  };
  for (const [path, { complete, unfold }] of Object.entries(pages)) {
    await person.open(path);
    await expect(page.locator(complete).first()).toBeVisible();
    await expect(page.locator('.skeleton')).toHaveCount(0);
    for (const summary of unfold === undefined ? [] : await page.locator(unfold).all()) await summary.click();
    await expectAccessible(page, path);
    if (path === '/') await expectDarkColours(page, path);
  }
  // Pages without the program.
  await page.goto('/offline');
  await expect(page.getByRole('heading', { name: 'You are offline' })).toBeVisible();
  await expectAccessible(page, 'offline');
});

test.describe('with accounts', () => {
  test.use({ login: true });

  test('every page of accounts', async ({ person, page, handrail, watch }) => {
    watch.allow(/status of 401|WebSocket connection/);
    // Behind a proxy this page does not exist.
    if (!BEHIND) {
      await page.goto('/set-up');
      await expectAccessible(page, 'set-up');
    }
    await everybody(person, handrail);
    await page.getByText('Manage vera', { exact: true }).click();
    await expectAccessible(page, 'people, one of them open');
    const id = await person.createConversation('Ask me [[scenario:confirm]]');
    await person.see(person.approval('echo "confirm me"'));
    await page.getByRole('link', { name: 'Always allow…' }).click();
    await expect(page.getByRole('button', { name: 'Create rule' })).toBeVisible();
    await expectAccessible(page, 'a new rule');
    for (const path of ['/account', '/audit', '/rules', `/c/${id}/sharing`]) {
      await person.open(path);
      await expect(page.locator('.skeleton')).toHaveCount(0);
      await expectAccessible(page, path);
    }
    await page.getByText('ada', { exact: true }).first().click();
    await expectAccessibleState(page, 'menu of one\'s own');
    await page.context().clearCookies();
    await page.goto('/login');
    await expectAccessible(page, 'login');
  });
});

const REPEATED = { tag: ['@all', '@phone-all'] };

test('the list, empty and full', REPEATED, async ({ person, page }) => {
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

test('the pages for new conversations, settings, connection, and unknown URLs', REPEATED, async ({ person, page, watch }) => {
  watch.allow(/status of 404/);
  for (const [path, state] of [['/new', 'new'], ['/settings', 'settings'], ['/settings/connection', 'connection'], ['/no/such', 'no such page'], ['/c/nothing', 'no such conversation']]) {
    await person.open(path);
    await expectAccessible(page, state);
  }
  await person.open('/');
  await page.locator('.you > summary').click();
  await expectAccessible(page, 'appearance menu');
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await expectAccessible(page, 'keys');
});

test('a running, a waiting and a finished conversation', REPEATED, async ({ person, page }) => {
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
  await expect(changes.locator('.block-diff').first()).toBeVisible();
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

test('hostile content', REPEATED, async ({ person, page }) => {
  await person.createConversation('Try everything [[scenario:hostile]]');
  await person.see(person.approval('attacker.invalid'));
  await expectAccessible(page, 'hostile');
});

for (const scenario of ['error401', 'images', 'tools', 'unknown', 'condensation', 'delegate']) {
  test(`the scenario ${scenario}`, REPEATED, async ({ person, page }) => {
    await person.createConversation(`Show me [[scenario:${scenario}]]`);
    await person.seeStatus(scenario === 'error401' ? 'error' : 'finished');
    await expectAccessible(page, scenario);
  });
}

testWithBackend('connections that are down', REPEATED, async ({ person, page, rehearsal, handrail, watch }) => {
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
