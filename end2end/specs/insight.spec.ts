// Where time and cost went: of one conversation and over all, on every screen and without a script.
import { expectAccessibleState } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';

test.describe.configure({ timeout: 120_000 });

const EVERYWHERE = { tag: ['@phone-all', '@nojs'] };

test('a conversation shows where its time and cost went, and so do all of them by day, model and creator', EVERYWHERE, async ({ person, page }) => {
  const id = await person.createConversation('Show me [[scenario:tools]]');
  await person.seeStatus('finished');
  await page.locator('.conversation__head').getByText('Actions', { exact: true }).click();
  await page.locator('.conversation__head').getByRole('link', { name: 'Usage' }).click();
  await page.waitForURL(new RegExp(`/c/${id}/insight$`));
  await expect(page.getByRole('heading', { name: 'Usage', level: 1 })).toBeVisible();
  await expect(page.getByRole('img', { name: /^Bars for \d+ steps\. Model .*waiting for a person/ })).toBeVisible();
  await expect(page.getByRole('img', { name: /in total/ })).toBeVisible();
  const table = page.getByRole('region', { name: 'All steps that are shown' });
  await expect(table).toBeHidden();
  await page.getByText('Table', { exact: true }).click();
  await expect(table.locator('#step-1')).toBeVisible();
  if (person.scripted) await expectAccessibleState(page, 'time and cost');
  await page.getByRole('link', { name: /Back to the conversation/ }).click();
  await page.waitForURL(new RegExp(`/c/${id}$`));

  await person.open('/insight');
  for (const name of ['By model', 'By creator', 'By day']) {
    await page.getByRole('link', { name, exact: true }).click();
    for (const shown of [name, 'By conversation']) await expect(page.getByRole('heading', { name: shown, exact: true })).toBeVisible();
  }
  if (person.scripted) await expectAccessibleState(page, 'all conversations');
  await page.getByRole('link', { name: '7 days' }).click();
  await page.waitForURL(/days=7&/);
  await expect(page.locator(`a[href$="/c/${id}/insight"]`)).toBeVisible();
});
