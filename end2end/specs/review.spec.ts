// The review with a script: what a person reads keeps its place while the agent works, and comments go where they belong.
import { expect, test } from '../fixtures.ts';

test('a comment is written at its line, changed and sent, and the review stays as it is read', { tag: ['@phone-all'] }, async ({ person }) => {
  await person.createConversation('Please repair this small project');
  await person.approve('rm -rf build');
  const changes = await person.view('Changes');
  const file = changes.locator('.review__file').filter({ hasText: 'tally.py' }).first();
  await person.see(file.locator('.block-diff'));
  const other = changes.locator('.review__file').last();
  await other.locator('summary').click();
  const wasOpen = await other.evaluate((details) => details.hasAttribute('open'));

  await file.locator('.line--added a.line__number').first().click();
  const field = changes.getByLabel('Comment for the agent');
  await expect(field).toBeFocused();
  await field.fill('Say why');
  await changes.getByRole('button', { name: 'Save comment' }).click();
  const comment = file.locator('.review__comment');
  await expect(comment).toContainText('Draft, only you see it');
  await expect(field).toHaveCount(0);
  await comment.getByRole('link', { name: 'Edit' }).click();
  await field.fill('Say why, in one sentence');
  await changes.getByRole('button', { name: 'Save comment' }).click();
  await changes.getByRole('button', { name: 'Send 1 comment' }).click();
  await expect(comment).toContainText('Sent');
  await comment.getByRole('button', { name: 'Resolve' }).click();
  await expect(comment).toContainText('Resolved');
  expect(await other.evaluate((details) => details.hasAttribute('open'))).toBe(wasOpen);
  await person.view('Timeline');
  await expect(person.row('Say why, in one sentence')).toHaveCount(1);
});

test('an at sign completes files, with keys and by touch', { tag: ['@phone-all'] }, async ({ person, page }) => {
  await person.createConversation('Please repair this small project');
  await person.see(person.approval('rm -rf build'));
  await person.approve('rm -rf build');
  const field = page.getByLabel('Message', { exact: true });
  await field.pressSequentially('See @ta');
  const names = page.getByRole('listbox', { name: 'Files' });
  await expect(names.getByRole('option').first()).toContainText('tally.py');
  await expect(field).toHaveAttribute('aria-activedescendant', 'name-0');
  await field.press('Enter');
  await expect(field).toHaveValue('See tally.py ');
  await expect(names).toHaveCount(0);
  await field.pressSequentially('and @all');
  await names.getByRole('option', { name: 'tally.py', exact: true }).click();
  await expect(field).toHaveValue('See tally.py and tally.py ');
  await field.pressSequentially('@');
  await expect(names).toBeVisible();
  await field.press('Escape');
  await expect(names).toHaveCount(0);
  await expect(field).toHaveValue('See tally.py and tally.py @');
});
