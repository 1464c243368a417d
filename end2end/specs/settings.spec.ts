// The settings of the backend: what is saved is read back, keys go in and never come out.
import { CAN } from '../dialect.ts';
import { expect, test } from '../fixtures.ts';

test('settings are saved and read back', { tag: ['@phone', '@nojs'] }, async ({ person, page }) => {
  await person.open('/settings');
  await page.getByLabel('Model', { exact: true }).fill('openai/gpt-4o');
  await page.getByLabel('Base URL').fill('http://127.0.0.1:4000/v1');
  await page.getByLabel('Who judges the risk').selectOption('');
  await page.getByLabel('Steps at most').fill('12');
  if (CAN.limitCost) await page.getByLabel('US dollars at most').fill('1.5');
  if (CAN.signCommits) await page.getByLabel('Name in commits').fill('Ada');
  await page.getByRole('button', { name: 'Save settings' }).click();
  if (person.scripted) await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await person.open('/settings');
  await expect(page.getByLabel('Model', { exact: true })).toHaveValue('openai/gpt-4o');
  await expect(page.getByLabel('Base URL')).toHaveValue('http://127.0.0.1:4000/v1');
  await expect(page.getByLabel('Who judges the risk')).toHaveValue('');
  await expect(page.getByLabel('Ask before actions are carried out')).toBeChecked();
  await expect(page.getByLabel('Steps at most')).toHaveValue('12');
  if (CAN.limitCost) await expect(page.getByLabel('US dollars at most')).toHaveValue('1.5');
  else await expect(page.getByLabel('US dollars at most')).toHaveCount(0);
  if (CAN.signCommits) await expect(page.getByLabel('Name in commits')).toHaveValue('Ada');
  else await expect(page.getByLabel('Name in commits')).toHaveCount(0);
});

test('a box that is unticked stays unticked', { tag: ['@nojs'] }, async ({ person, page }) => {
  await person.open('/settings');
  await page.getByLabel('Ask before actions are carried out').uncheck();
  await page.getByLabel('Condense older events into a summary').uncheck();
  await page.getByRole('button', { name: 'Save settings' }).click();
  if (person.scripted) await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await person.open('/settings');
  await expect(page.getByLabel('Ask before actions are carried out')).not.toBeChecked();
  await expect(page.getByLabel('Condense older events into a summary')).not.toBeChecked();
});

test('a key goes in and never comes out', { tag: ['@nojs'] }, async ({ person, page }) => {
  await person.open('/settings');
  await page.getByLabel('API key', { exact: true }).fill('sk-very-secret');
  await page.getByRole('button', { name: 'Save settings' }).click();
  if (person.scripted) {
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
    await expect(page.getByLabel('API key', { exact: true })).toHaveValue('');
  }
  await person.open('/settings');
  await expect(page.getByLabel('API key', { exact: true })).toHaveValue('');
  await expect(page.getByText('One is stored. Leave this empty to keep it.').first()).toBeVisible();
  expect(await page.content()).not.toContain('sk-very-secret');
});

test('a number that makes no sense is refused and nothing is lost', async ({ person, page, watch }) => {
  watch.allow(/status of [45]\d\d/);
  await person.open('/settings');
  const size = page.getByLabel('Condense from so many events on');
  await size.fill('3');
  await page.getByRole('button', { name: 'Save settings' }).click();
  expect(await size.evaluate((field: HTMLInputElement) => field.validity.rangeUnderflow)).toBe(true);
  await size.evaluate((field: HTMLInputElement) => field.removeAttribute('min'));
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByRole('alert')).toContainText(/20/);
  await expect(size).toHaveValue('3');
});

test('secrets are named, replaced and removed, and never shown', { tag: ['@nojs'] }, async ({ person, page }) => {
  await person.open('/settings');
  await page.getByLabel('Name', { exact: true }).last().fill('API_TOKEN');
  await page.getByLabel('Value').fill('hush-hush');
  await page.getByLabel('What it is for').fill('for the tests');
  await page.getByRole('button', { name: 'Save secret' }).click();
  await person.see(page.getByText('API_TOKEN', { exact: true }));
  await person.open('/settings');
  await expect(page.getByText('for the tests')).toBeVisible();
  expect(await page.content()).not.toContain('hush-hush');
  await page.getByRole('button', { name: 'Remove the secret API_TOKEN' }).click();
  await expect(page.getByText('API_TOKEN', { exact: true })).toHaveCount(0);
});

test('MCP servers are added and removed', { tag: ['@nojs'] }, async ({ person, page }) => {
  await person.open('/settings');
  await page.getByLabel('Address, or command line of the program').fill('http://127.0.0.1:9/mcp');
  await page.getByRole('button', { name: 'Add server' }).click();
  await person.see(page.getByText('http://127.0.0.1:9/mcp', { exact: true }));
  await page.getByLabel('Kind').selectOption('stdio');
  await page.getByLabel('Address, or command line of the program').fill('uvx mcp-server-fetch --quiet');
  await page.getByLabel('Name', { exact: true }).first().fill('fetch');
  await page.getByRole('button', { name: 'Add server' }).click();
  await person.see(page.getByText('uvx mcp-server-fetch --quiet', { exact: true }));
  await page.getByRole('button', { name: 'Remove http://127.0.0.1:9/mcp' }).click();
  await expect(page.getByText('http://127.0.0.1:9/mcp', { exact: true })).toHaveCount(0);
  await person.reload();
  await expect(page.getByText('uvx mcp-server-fetch --quiet', { exact: true })).toBeVisible();
});
