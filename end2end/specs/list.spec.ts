// The list of conversations: those that need a user come first, and each can be found, renamed and deleted. By hand, on a
// phone, most of it is in `list_by_hand.spec.ts`.
import { type Person, expect, test } from '../fixtures.ts';

test.describe.configure({ timeout: 60_000 });

const titles = (person: Person) => person.page.locator('.conversation-row__title');

async function withThree(person: Person): Promise<void> {
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await person.createConversation('Fix the parser [[scenario:hello]]');
  await person.seeTurn();
  await titled(person, 'Rehearsal: hello');
  await person.createConversation('Write the manual [[scenario:tools]]');
  await person.seeStatus('finished');
  await person.open('/');
}

/** Waits for the title: it arrives later, and counts as activity. Without JavaScript the page must be reloaded. */
async function titled(person: Person, title: string): Promise<void> {
  await expect(async () => {
    if (!person.scripted) await person.page.reload();
    await expect(person.page.locator('.conversation__title')).toHaveText(title, { timeout: 2_000 });
  }).toPass();
}

test('conversations that need the user come first, then the newest, and one is found by its title', { tag: ['@phone-all', '@nojs'] }, async ({ person, page }) => {
  await withThree(person);
  // The title arrives later; without JavaScript the page must be reloaded to show it.
  await expect(async () => {
    await person.open('/');
    await expect(page.getByRole('heading', { name: 'Needs you 1' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Today 2' })).toBeVisible();
    await expect(titles(person)).toHaveText(['Rehearsal: confirm', 'Rehearsal: tools', 'Rehearsal: hello'], { timeout: 2_000 });
  }).toPass();
  const first = page.locator('.conversation-row').first();
  await expect(first).toContainText('Needs approval');
  await expect(first).toContainText('echo "confirm me"');
  // Relative in the server's page, too.
  await expect(first.locator('time')).toHaveText(/^(now|\d+ min)$/);
  await first.getByRole('link').first().click();
  await expect(person.approval('echo "confirm me"')).toBeVisible();

  await person.open('/');
  await page.getByLabel('Search conversations').fill('HELLO');
  await page.getByRole('button', { name: 'Search' }).first().click();
  await expect(titles(person)).toHaveText(['Rehearsal: hello']);
  await page.getByLabel('Search conversations').fill('no such');
  await page.getByRole('button', { name: 'Search' }).first().click();
  await expect(page.getByText('No title, repository or tag contains “no such”.')).toBeVisible();
  await page.getByRole('link', { name: 'Show all conversations' }).click();
  await expect(titles(person)).toHaveCount(3);
});

test('the list is filtered and sorted, and deleting several leads back to it', { tag: ['@all', '@phone-all', '@nojs'] }, async ({ person, page }) => {
  await withThree(person);
  const filters = page.getByRole('navigation', { name: 'Filter' });
  await page.getByLabel('List options').click();
  await filters.getByRole('link', { name: 'Needs approval' }).click();
  await expect(titles(person)).toHaveText(['Rehearsal: confirm']);
  await page.getByLabel('List options').click();
  await filters.getByRole('link', { name: 'All' }).click();
  await page.getByLabel('List options').click();
  await page.getByRole('button', { name: 'Title, A to Z' }).click();
  await expect(titles(person)).toHaveText(['Rehearsal: confirm', 'Rehearsal: hello', 'Rehearsal: tools']);
  await page.getByLabel('List options').click();
  await page.getByRole('link', { name: 'Select several' }).click();
  await page.getByLabel('Select Rehearsal: hello').check();
  await page.getByLabel('Select Rehearsal: tools').check();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 2 conversations?' });
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(titles(person)).toHaveText(['Rehearsal: confirm']);
});

test('a conversation is pinned to the top, for one user', { tag: ['@all', '@phone-all', '@nojs'] }, async ({ person, page }) => {
  await withThree(person);
  const row = () => page.locator('.conversation-row').filter({ hasText: 'Rehearsal: hello' });
  const press = async (name: string) => {
    await row().getByLabel('Actions', { exact: true }).click();
    await row().getByRole('button', { name, exact: true }).click();
  };
  // Without JavaScript the title is there after a reload.
  await person.see(row());
  await press('Pin');
  await expect(page.getByRole('heading', { name: 'Pinned 1' })).toBeVisible();
  await expect(titles(person).first()).toHaveText('Rehearsal: hello');
  await person.open('/');
  await expect(titles(person)).toHaveText(['Rehearsal: hello', 'Rehearsal: confirm', 'Rehearsal: tools']);
  await press('Unpin');
  await expect(page.getByRole('heading', { name: 'Pinned' })).toHaveCount(0);
  await expect(titles(person).first()).toHaveText('Rehearsal: confirm');
});

test('a conversation is renamed in the list', { tag: ['@all', '@phone-all', '@nojs'] }, async ({ person, page }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await person.open('/');
  await page.getByLabel('Actions', { exact: true }).click();
  await page.locator('.conversation-row').getByLabel('Title').fill('A better name');
  await page.getByRole('button', { name: 'Rename' }).click();
  await person.see(titles(person).filter({ hasText: 'A better name' }));
  await person.reload();
  await expect(titles(person)).toHaveText(['A better name']);
});

test('a conversation is deleted after a confirmation', { tag: ['@all', '@phone-all', '@nojs'] }, async ({ person, page }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await person.see(page.locator('.conversation__title').filter({ hasText: 'Rehearsal: hello' }));
  await person.open('/');
  await page.getByLabel('Actions', { exact: true }).click();
  await page.getByRole('link', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Delete “Rehearsal: hello”?');
  await dialog.getByRole('link', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(titles(person)).toHaveCount(1);
  await page.getByLabel('Actions', { exact: true }).click();
  await page.getByRole('link', { name: 'Delete…' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(titles(person)).toHaveCount(0);
  await expect(page.getByText('No conversations yet')).toBeVisible();
});

// The page must stay interactive while a response is pending, even with two requests in a row.
test('the list stays interactive while it is reloaded', { tag: ['@phone-all'] }, async ({ person, page }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.see(page.locator('.conversation__title').filter({ hasText: 'Rehearsal: hello' }));
  await person.open('/');
  await page.route(/\/api\/list_conversations/, async (route) => {
    await new Promise((done) => setTimeout(done, 1_500));
    await route.continue();
  });
  const answer = page.waitForResponse(/\/api\/list_conversations/);
  for (const text of ['rehearsal', 'hello']) {
    await page.getByLabel('Search conversations').fill(text);
    await page.getByLabel('Search conversations').press('Enter');
    await page.waitForURL(`**/?q=${text}`);
  }
  await answer;
  await page.getByLabel('Actions', { exact: true }).click();
  await page.getByRole('link', { name: 'Delete…' }).click();
  await expect(page.getByRole('dialog')).toContainText('Delete “Rehearsal: hello”?');
});

test('the list beside a conversation updates live', async ({ person, page, another }) => {
  await person.open('/');
  await expect(page.getByText('No conversations yet')).toBeVisible();
  const other = await another();
  await other.createConversation('Ask me [[scenario:confirm]]');
  await expect(titles(person)).toHaveText(['Rehearsal: confirm']);
  await expect(page.locator('.conversation-row')).toContainText('Needs approval');
  await other.approve('echo "confirm me"');
  await expect(page.locator('.conversation-row')).toContainText('print(6 * 7)');
});

test('a conversation is renamed and deleted on its own page', async ({ person, page }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await page.getByText('Actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Rename…' }).click();
  await page.getByRole('dialog').getByLabel('Title').fill('Mine now');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await expect(page.locator('.conversation__title')).toHaveText('Mine now');
  await expect(page).toHaveTitle(/^Mine now/);
  await page.getByText('Actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/\/$/);
  await expect(page.getByText('No conversations yet')).toBeVisible();
});
