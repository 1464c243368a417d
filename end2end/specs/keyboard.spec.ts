// All main tasks work with the keyboard alone. The palette is in `search.spec.ts`.
import { cell } from '../dialect.ts';
import { expect, test } from '../fixtures.ts';

test('a dialog keeps the focus and gives it back, and a message is written and sent with keys', async ({ person, page }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await page.getByText('Actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Rename…' }).click();
  await expect(page.getByRole('dialog').getByLabel('Title')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.locator('summary').filter({ hasText: 'Actions' })).toBeFocused();
  // The menu closes, too.
  await page.keyboard.press('Escape');
  await page.locator('body').press('m');
  await expect(page.getByLabel('Message', { exact: true })).toBeFocused();
  await page.keyboard.type('typed');
  await page.keyboard.press('Enter');
  await person.see(person.row('typed'));
});

test('an action is approved and another rejected with keys, and never by a single key', async ({ person, page }) => {
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await page.locator('body').press('a');
  await expect(page.getByRole('button', { name: 'Approve' })).toBeFocused();
  await expect(person.approval('echo "confirm me"')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Approve' })).toBeEnabled();
  await page.keyboard.press('Enter');
  await person.see(person.approval('print(6 * 7)'));
  await page.locator('body').press('r');
  await expect(page.getByRole('button', { name: 'Reject', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByLabel('Message', { exact: true })).toBeFocused();
  await page.keyboard.type('No sums');
  await expect(page.getByRole('button', { name: 'Reject with reason', exact: true })).toBeEnabled();
  await page.keyboard.press('Enter');
  await person.see(person.approval('confirm.txt'));
  await expect(person.step(cell('print(6 * 7)'))).toHaveAttribute('data-state', 'rejected');
});

test('a question mark opens the keyboard shortcuts, a slash goes to the search, n to a new conversation, and in a field they are letters', async ({ person, page }) => {
  await person.open('/');
  const opener = page.getByRole('link', { name: 'Inbox' });
  await opener.focus();
  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(keys).toContainText('Go to the message field');
  await page.keyboard.press('Escape');
  await expect(keys).toHaveCount(0);
  await expect(opener).toBeFocused();
  await page.getByLabel('First message').pressSequentially('any? n');
  await expect(page.getByLabel('First message')).toHaveValue('any? n');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await person.createConversation('hello [[scenario:hello]]');
  await person.open('/');
  await page.locator('body').press('/');
  await expect(page.getByLabel('Search all conversations')).toBeFocused();
  await page.keyboard.type('x');
  await page.getByLabel('Search all conversations').blur();
  await page.locator('body').press('n');
  await expect(page.getByRole('heading', { name: 'New conversation' })).toBeVisible();
  await expect(page.getByLabel('First message')).toBeFocused();
  await page.keyboard.type('hello');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('region', { name: 'Timeline' })).toBeFocused();
});

test('the arrow keys walk through a menu, and Escape leads back to its button', async ({ person, page }) => {
  await person.createConversation('hello [[scenario:hello]]');
  const button = page.locator('.conversation__controls > .menu > summary');
  await button.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('link', { name: 'Search this conversation' })).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(page.locator('.conversation__controls').getByRole('button', { name: 'Delete…' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(button).toBeFocused();
});

test('End goes to the newest row', async ({ person, page }) => {
  await person.createConversation('Many steps [[scenario:long:40]]');
  await person.seeStatus('finished');
  await page.locator('.timeline').evaluate((timeline) => { timeline.scrollTop = -2_000; });
  await expect(page.locator('.timeline__newest')).toBeVisible();
  await page.locator('body').press('End');
  await expect(page.locator('.timeline__newest')).toHaveCount(0);
});

test('the first tab stop skips to the content', { tag: ['@nojs'] }, async ({ person, page }) => {
  await person.open('/');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('p goes to a pending approval, j through the inbox, which continues with the next one', async ({ person, page }) => {
  for (let count = 0; count < 2; count += 1) {
    await person.createConversation('Ask me [[scenario:confirm]]');
    await person.see(person.approval('echo "confirm me"'));
  }
  await person.open('/new');
  await person.alive();
  // The key works once the list has come over the live connection.
  await expect(async () => {
    await page.locator('body').press('p');
    await page.waitForURL(/\/c\//, { timeout: 1_000 });
  }).toPass();
  await person.open('/inbox');
  const items = page.locator('.inbox__item');
  await expect(items).toHaveCount(2);
  await page.locator('body').press('j');
  await expect(items.first()).toBeFocused();
  await page.keyboard.press('j');
  await expect(items.last()).toBeFocused();
  await page.keyboard.press('k');
  await expect(items.first()).toBeFocused();
  const next = page.locator(`[id="${await items.last().getAttribute('id')}"]`);
  const approve = items.first().getByRole('button', { name: 'Approve' });
  await expect(approve).toBeEnabled();
  await approve.click();
  const toast = page.locator('.toast', { hasText: 'Approved' });
  await expect(toast.getByRole('link', { name: 'Open' })).toBeVisible();
  // The conversation may have asked its next question.
  await expect(items.filter({ hasText: 'echo "confirm me"' })).toHaveCount(1);
  await expect(next).toBeFocused();
});
