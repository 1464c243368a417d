// Everything that matters can be done with the keyboard alone.
import { cell } from '../dialect.ts';
import { expect, test } from '../fixtures.ts';

test('a message is written and sent with keys', async ({ person, page }) => {
  await person.begin('hello [[scenario:hello]]');
  await person.seeTurn();
  await page.locator('body').press('m');
  await expect(page.getByLabel('Message', { exact: true })).toBeFocused();
  await page.keyboard.type('typed');
  await page.keyboard.press('Enter');
  await person.see(person.row('typed'));
});

test('an action is approved and another rejected with keys, and never by a single one', async ({ person, page }) => {
  await person.begin('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await page.locator('body').press('a');
  await expect(page.getByRole('button', { name: 'Approve' })).toBeFocused();
  await expect(person.approval('echo "confirm me"')).toBeVisible();
  await page.keyboard.press('Enter');
  await person.see(person.approval('print(6 * 7)'));
  await page.locator('body').press('r');
  await expect(page.getByLabel('Reason, sent when rejecting')).toBeFocused();
  await page.keyboard.type('No sums');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Reject' })).toBeFocused();
  await page.keyboard.press('Enter');
  await person.goOnAfterNo();
  await person.see(person.approval('confirm.txt'));
  await expect(person.step(cell('print(6 * 7)'))).toHaveAttribute('data-state', 'rejected');
});

test('a question mark opens the page of keys, Escape closes it', async ({ person, page }) => {
  await person.open('/');
  await page.locator('body').press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await expect(keys).toContainText('Go to the message field');
  await page.keyboard.press('Escape');
  await expect(keys).toHaveCount(0);
});

test('a letter in a field is a letter', async ({ person, page }) => {
  await person.open('/');
  await page.getByLabel('First message').pressSequentially('any? n');
  await expect(page.getByLabel('First message')).toHaveValue('any? n');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('a slash goes to the search, n to a new conversation', async ({ person, page }) => {
  await person.open('/');
  await page.locator('body').press('/');
  await expect(page.getByLabel('Search conversations')).toBeFocused();
  await page.keyboard.type('x');
  await page.getByLabel('Search conversations').blur();
  await page.locator('body').press('n');
  await expect(page.getByRole('heading', { name: 'New conversation' })).toBeVisible();
});

test('the first stop of the tabulator skips to the content', { tag: ['@nojs'] }, async ({ person, page }) => {
  await person.open('/');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('a dialog keeps the focus and gives it back', async ({ person, page }) => {
  await person.begin('hello [[scenario:hello]]');
  await person.seeTurn();
  await page.getByText('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Rename…' }).click();
  await expect(page.getByRole('dialog').getByLabel('Title')).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});
