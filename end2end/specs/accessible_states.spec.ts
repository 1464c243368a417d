// Accessibility of what is open or on its way: menus, dialogs, selections, messages and sandboxes that are not there yet;
// and of the main pages in a low window and with text of twice the size. All of them are repetitions: the parts in these
// states stand on the page of all parts (`style.spec.ts`).
import { expectAccessible } from '../accessible.ts';
import { CAN, DIALECT, DOWN } from '../dialect.ts';
import { PIXEL, type Person, expect, test, testWithBackend } from '../fixtures.ts';

test.describe.configure({ timeout: 240_000 });

const REPEATED = { tag: ['@all', '@phone-all'] };

/** Begins two conversations, and waits for their titles in the list. */
async function withTwo(person: Person): Promise<void> {
  for (const scenario of ['hello', 'tools']) {
    await person.createConversation(`Show me [[scenario:${scenario}]]`);
    await expect(person.page.locator('.conversation__title')).toHaveText(`Rehearsal: ${scenario}`);
  }
  await person.open('/');
  await expect(person.page.locator('.conversation-row')).toHaveCount(2);
}

test('the palette, with and without results', REPEATED, async ({ person, page }) => {
  await withTwo(person);
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Go to' });
  await expect(palette.getByRole('link', { name: 'Rehearsal: hello' })).toBeVisible();
  await expectAccessible(page, 'palette');
  await palette.getByLabel('Go to').fill('no such thing');
  await expect(palette.getByRole('link')).toHaveCount(1);
  await expectAccessible(page, 'palette with a search only');
});

test('the list with its menu open, with several selected, and the question before they are deleted', REPEATED, async ({ person, page }) => {
  await withTwo(person);
  await page.getByLabel('Actions', { exact: true }).first().click();
  await expect(page.locator('.conversation-row').getByRole('button', { name: 'Pin' })).toBeVisible();
  await expectAccessible(page, 'menu of a row');
  await page.keyboard.press('Escape');
  await page.getByLabel('List options').click();
  await expectAccessible(page, 'menu of the list');
  await page.getByRole('link', { name: 'Select several' }).click();
  for (const box of await page.getByLabel(/^Select Rehearsal/).all()) await box.check();
  await expectAccessible(page, 'several selected');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await expect(page.getByRole('dialog', { name: 'Delete 2 conversations?' })).toBeVisible();
  await expectAccessible(page, 'question before deleting several');
});

test('a list with a filter, and the filters of the search', REPEATED, async ({ person, page }) => {
  await withTwo(person);
  await page.getByLabel('List options').click();
  await page.getByRole('navigation', { name: 'Filter' }).getByRole('link', { name: 'Needs approval' }).click();
  await expect(page.getByText('No conversation matches this filter.')).toBeVisible();
  await expectAccessible(page, 'a filter without results');
  await person.open('/search?q=step');
  await page.getByText('Filters', { exact: true }).click();
  await expect(page.getByLabel('Kind')).toBeVisible();
  await expectAccessible(page, 'filters of the search');
});

test('the menu of the panels, and the options of a new conversation', REPEATED, async ({ person, page, isMobile }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  if (isMobile) {
    await page.locator('.conversation__controls > .menu > summary').click();
    await expectAccessible(page, 'menu of the panels');
  }
  await person.open('/new');
  for (const summary of await page.getByRole('main').locator('.new-options summary').all()) await summary.click();
  await expectAccessible(page, 'options of a new conversation');
});

test('an approval of two actions', REPEATED, async ({ person, page }) => {
  test.skip(DIALECT !== '1.x', '0.62 asks for one action at a time');
  await person.createConversation('Two things [[scenario:parallel]]');
  await person.see(person.approval('Allow these 2 actions?'));
  await expectAccessible(page, 'two actions');
  await person.open('/inbox');
  await person.see(person.approval('Allow these 2 actions?'));
  await expectAccessible(page, 'two actions in the inbox');
});

test('attachments in the composer', REPEATED, async ({ person, page }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  const pixel = Buffer.from(PIXEL, 'base64');
  await page.getByLabel('Attach', { exact: true }).setInputFiles([{ name: 'red.png', mimeType: 'image/png', buffer: pixel }, { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('first line\n') }]);
  await expect(page.getByRole('list', { name: 'Attachments' }).getByRole('listitem')).toHaveCount(2);
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeEnabled();
  await expectAccessible(page, 'attachments');
  await page.getByLabel('Attach', { exact: true }).setInputFiles({ name: 'huge.png', mimeType: 'image/png', buffer: Buffer.alloc(3_000_000) });
  await expect(page.getByRole('alert')).toContainText('huge.png is too large');
  await expectAccessible(page, 'a refused attachment');
});

testWithBackend('a message on its way', REPEATED, async ({ person, page, rehearsal, watch }) => {
  watch.allow(/status of [45]\d\d/);
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await rehearsal.dropConnections();
  await expect(page.getByText('Lost connection to OpenHands')).toBeVisible();
  await page.getByLabel('Message', { exact: true }).fill('Are you there?');
  await page.locator('.composer__send').click();
  await expect(page.locator('.row[data-delivery="sending"]')).toContainText('It will be sent');
  await expectAccessible(page, 'a message on its way');
});

testWithBackend('a stopped conversation, an undelivered message, and a sandbox that does not start', REPEATED, async ({ person, page, rehearsal, watch }) => {
  watch.allow(/status of [45]\d\d/);
  test.skip(!CAN.shutDown, 'a conversation of 1.x is there as long as its server');
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await page.getByText('Actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Stop sandbox' }).click();
  await person.see(page.getByText(DOWN.says));
  await expectAccessible(page, 'stopped');
  if (!CAN.failToStart) return;
  await rehearsal.fails({ fault: 'rest', kind: 'server_error', path: '/start', times: 0 });
  await page.getByLabel('Message', { exact: true }).fill('Are you back?');
  await page.locator('.composer__send').click();
  const message = page.locator('.row[data-delivery="failed"]');
  await expect(message.getByRole('button', { name: 'Send again' })).toBeVisible();
  await expectAccessible(page, 'an undelivered message');
  await rehearsal.works();
  await rehearsal.fails({ fault: 'no_runtime', times: 0 });
  await person.createConversation('Are you there?');
  await person.see(page.getByText('The sandbox failed.'));
  await expectAccessible(page, 'a sandbox that failed');
  await person.open('/');
  await expectAccessible(page, 'the list with a failed conversation');
});

// A wide window with text of twice the size has the layout of a narrow one, which only a browser's own setting brings about.
for (const [what, width, height, size, tag] of [['in a low window', 640, 360, '100%', '@phone-all'], ['with text of twice the size', 360, 640, '200%', '@phone-only']] as const) {
  test(`the main pages ${what}`, { tag: ['@all', tag] }, async ({ person, page }) => {
    await page.setViewportSize({ width, height });
    const id = await person.createConversation('Please repair this small project');
    await person.see(person.approval('rm -rf build'));
    for (const path of ['/', '/new', '/inbox', '/settings', `/c/${id}`, `/c/${id}?panel=files`, `/c/${id}?panel=info`, `/c/${id}/replay`]) {
      await person.open(path);
      await page.locator('html').evaluate((html, size) => (html.style.fontSize = size), size);
      await expect(page.locator('.skeleton')).toHaveCount(0);
      await expectAccessible(page, `${path} ${what}`);
    }
  });
}
