// Several users watch one conversation: all see the same, and the backend sees one client.
import { devices } from '@playwright/test';
import { cell } from '../dialect.ts';
import { testWithBackend as test, expect } from '../fixtures.ts';
import { rowsByScrolling } from '../timeline.ts';

test('two desktops and a phone agree and share one connection to the backend', async ({ person, another, rehearsal }) => {
  test.setTimeout(90_000);
  const id = await person.createConversation('Many steps, then a question [[scenario:long:40]]');
  const { defaultBrowserType: _, ...phone } = devices['Pixel 5'];
  const others = [await another(), await another(phone)];
  for (const other of others) await other.open(`/c/${id}`);
  expect(await rehearsal.connections(id)).toBe(1);

  await others[1].say('Now ask me [[scenario:confirm]]');
  const all = [person, ...others];
  for (const one of all) await one.see(one.approval('echo "confirm me"'));
  await others[1].approve('echo "confirm me"');
  for (const one of all) await one.see(one.approval('print(6 * 7)'));
  await person.reject('print(6 * 7)', 'No sums today');
  for (const one of all) {
    await one.see(one.approval('confirm.txt'));
    await expect(one.step(cell('print(6 * 7)'))).toHaveAttribute('data-state', 'rejected');
  }
  expect(await rehearsal.connections(id)).toBe(1);
  const rows = await rowsByScrolling(person.page);
  for (const other of others) expect(await rowsByScrolling(other.page)).toEqual(rows);
});

test('a deleted conversation is gone for other users, too', async ({ person, another }) => {
  const id = await person.createConversation('hello [[scenario:hello]]');
  const other = await another();
  await other.open(`/c/${id}`);
  await person.open(`/?confirm=${id}`);
  await person.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(other.page.getByText('This conversation was deleted.')).toBeVisible();
  await expect(other.page.locator(`.conversation-row a[href$="${id}"]`)).toHaveCount(0);
});
