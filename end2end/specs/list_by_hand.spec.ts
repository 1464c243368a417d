// The list of conversations with a thumb at 360 x 640, and with all repetitions with the keyboard alone, too; the filters
// without JavaScript.
import type { Page } from '@playwright/test';
import { type Person, expect, test } from '../fixtures.ts';
import { type Hand, handOf } from '../hand.ts';
import { add, logIn, setUp } from '../house.ts';

test.describe.configure({ timeout: 180_000 });

const titles = (page: Page) => page.locator('.conversation-row__title');
const row = (page: Page, title: string) => page.locator('.conversation-row').filter({ hasText: title });

/** Starts a conversation and waits for its title, which arrives later. */
async function createConversation(person: Person, scenario: string): Promise<void> {
  await person.createConversation(`Work [[scenario:${scenario}]]`);
  const title = person.page.locator('.conversation__title').filter({ hasText: `Rehearsal: ${scenario}` });
  await person.see(title);
}

/** Three conversations: one is running and silent, one has finished, and one waits for an approval. */
async function withThree(person: Person): Promise<void> {
  // Silent from its first step on, so that it does not move to the top again.
  await createConversation(person, 'silence:600000');
  await person.see(person.step('wait'));
  await createConversation(person, 'tools');
  await person.seeStatus('finished');
  await createConversation(person, 'confirm');
  await person.see(person.approval('echo "confirm me"'));
  await person.open('/');
  await person.see(titles(person.page).nth(2));
}

const [SILENT, DONE, ASKS, HELLO] = ['Rehearsal: silence:600000', 'Rehearsal: tools', 'Rehearsal: confirm', 'Rehearsal: hello'];

/** Chooses from the menu of a row. */
async function act(hand: Hand, page: Page, title: string, role: 'button' | 'link', name: string): Promise<void> {
  await hand.press(row(page, title).getByLabel('Actions', { exact: true }));
  await hand.press(row(page, title).getByRole(role, { name, exact: true }));
}

test('the list is filtered by what runs and what is done, and sorted', { tag: ['@phone', '@nojs'] }, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  await withThree(person);
  const filters = page.getByRole('navigation', { name: 'Filters', includeHidden: true });
  const choose = async (name: string, role: 'button' | 'link' = 'link') => {
    await hand.press(page.getByLabel('List options'));
    await hand.press(page.locator('.conversation-list__options').getByRole(role, { name, exact: true }));
  };
  await expect(titles(page)).toHaveText([ASKS, DONE, SILENT]);
  for (const [name, word, shown] of [['Running', 'running', [SILENT]], ['Finished', 'done', [DONE]], ['Needs approval', 'approval', [ASKS]]] as const) {
    await choose(name);
    await page.waitForURL(`**/?show=${word}`);
    await expect(titles(page)).toHaveText(shown);
    await expect(filters.getByRole('link', { name, exact: true, includeHidden: true })).toHaveAttribute('aria-current', 'true');
  }
  await choose('All');
  await expect(titles(page)).toHaveCount(3);
  await choose('Title, A to Z', 'button');
  await expect(titles(page)).toHaveText([ASKS, SILENT, DONE]);
  await choose('Newest first', 'button');
  await expect(titles(page)).toHaveText([ASKS, DONE, SILENT]);
});

test('a conversation is pinned, renamed and deleted by hand, and several at once', { tag: ['@phone'] }, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  await createConversation(person, 'hello');
  await person.seeTurn();
  await withThree(person);
  await act(hand, page, SILENT, 'button', 'Pin');
  await expect(page.getByRole('heading', { name: 'Pinned 1' })).toBeVisible();
  await expect(titles(page)).toHaveText([SILENT, ASKS, HELLO, DONE]);
  await act(hand, page, SILENT, 'button', 'Unpin');
  await expect(titles(page)).toHaveText([ASKS, HELLO, DONE, SILENT]);

  await hand.press(row(page, DONE).getByLabel('Actions', { exact: true }));
  await hand.fill(row(page, DONE).getByLabel('Title'), 'A better name');
  await hand.press(row(page, DONE).getByRole('button', { name: 'Rename' }));
  await expect(row(page, 'A better name')).toBeVisible();
  await expect(row(page, DONE)).toHaveCount(0);

  await act(hand, page, 'A better name', 'link', 'Delete…');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Delete “A better name”?');
  await hand.press(dialog.getByRole('link', { name: 'Cancel' }));
  await expect(dialog).toHaveCount(0);
  await expect(titles(page)).toHaveCount(4);
  await act(hand, page, 'A better name', 'link', 'Delete…');
  await hand.press(dialog.getByRole('button', { name: 'Delete' }));
  await expect(dialog).toHaveCount(0);
  await expect(row(page, 'A better name')).toHaveCount(0);
  await expect(titles(page)).toHaveText([ASKS, HELLO, SILENT]);

  await hand.press(page.getByLabel('List options'));
  await hand.press(page.getByRole('link', { name: 'Select several' }));
  for (const title of [SILENT, HELLO]) await hand.tick(page.getByLabel(`Select ${title}`));
  await hand.press(page.getByRole('button', { name: 'Delete…' }));
  const several = page.getByRole('dialog', { name: 'Delete 2 conversations?' });
  await hand.press(several.getByRole('button', { name: 'Delete' }));
  await expect(several).toHaveCount(0);
  await expect(titles(page)).toHaveText([ASKS]);
});

test.describe('with accounts', () => {
  test.use({ login: true });
  test('the list is narrowed to one\'s own conversations', { tag: ['@phone-all', '@nojs'] }, async ({ person, page, handrail, another, isMobile, javaScriptEnabled }) => {
    await setUp(page, handrail);
    await person.open('/people');
    await add(page, 'olga', 'operator');
    await createConversation(person, 'tools');
    await person.seeStatus('finished');
    const olga = await another({ viewport: page.viewportSize(), javaScriptEnabled, isMobile, hasTouch: isMobile });
    await olga.page.goto('/login');
    await logIn(olga.page, 'olga');
    await createConversation(olga, 'confirm');
    await olga.open('/');
    const hand = handOf(olga, olga.page, isMobile);
    await expect(titles(olga.page)).toHaveText([ASKS, DONE]);
    await hand.press(olga.page.getByLabel('List options'));
    await hand.press(olga.page.getByRole('navigation', { name: 'Filters' }).getByRole('link', { name: 'Mine', exact: true }));
    await olga.page.waitForURL('**/?show=mine');
    await expect(titles(olga.page)).toHaveText([ASKS]);
  });
});
