// The settings of a real OpenHands, which forgets every field that it is not told again.
import { IS_AGENT_SERVER, expect, get, test } from './real.ts';

test.skip(IS_AGENT_SERVER, 'its fields and routes are those of 0.x');

test('settings are saved and read back, and what the page does not know stays', async ({ person, page }) => {
  const before = await get('/api/settings');
  await person.open('/settings');
  await page.getByLabel('Steps at most').fill('77');
  await page.getByLabel('US dollars at most').fill('1.5');
  await page.getByLabel('Name in commits').fill('Ada');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await person.open('/settings');
  await expect(page.getByLabel('Steps at most')).toHaveValue('77');
  await expect(page.getByLabel('US dollars at most')).toHaveValue('1.5');
  await expect(page.getByLabel('Name in commits')).toHaveValue('Ada');
  const after = await get('/api/settings');
  const changed = Object.keys({ ...before, ...after }).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  expect(changed.toSorted()).toEqual(['git_user_name', 'max_budget_per_task', 'max_iterations']);
  expect(after.llm_api_key_set).toBe(true);
});

test('secrets are named, never shown, and removed', async ({ person, page }) => {
  await person.open('/settings');
  await page.getByLabel('Name', { exact: true }).last().fill('LIVE_TOKEN');
  await page.getByLabel('Value').fill('hush-hush');
  await page.getByLabel('What it is for').fill('for the tests');
  await page.getByRole('button', { name: 'Save secret' }).click();
  await person.see(page.getByText('LIVE_TOKEN', { exact: true }));
  expect(JSON.stringify(await get('/api/secrets'))).toContain('LIVE_TOKEN');
  expect(await page.content()).not.toContain('hush-hush');
  await page.getByRole('button', { name: 'Remove the secret LIVE_TOKEN' }).click();
  await expect(page.getByText('LIVE_TOKEN', { exact: true })).toHaveCount(0);
  expect(JSON.stringify(await get('/api/secrets'))).not.toContain('LIVE_TOKEN');
});
