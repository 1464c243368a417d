// The settings of the backend: saved values are read back, keys are write-only.
import { CAN } from '../dialect.ts';
import { type Person, expect, test } from '../fixtures.ts';

/** Saves the form and opens the page anew. */
async function saveAndReopen(person: Person): Promise<void> {
  await person.page.getByRole('button', { name: 'Save settings' }).click();
  if (person.scripted) await expect(person.page.getByText('Saved', { exact: true })).toBeVisible();
  await person.open('/settings');
}

test('settings are saved and read back, and a key is write-only', { tag: ['@phone-all', '@nojs'] }, async ({ person, page }) => {
  const key = page.getByLabel('API key', { exact: true });
  await person.open('/settings');
  await page.getByLabel('Model', { exact: true }).fill('openai/gpt-4o');
  await page.getByLabel('Base URL').fill('http://127.0.0.1:4000/v1');
  await page.getByLabel('Risk analyzer').selectOption('');
  await page.getByLabel('Max steps').fill('12');
  if (CAN.limitCost) await page.getByLabel('Budget (USD)').fill('1.5');
  if (CAN.signCommits) await page.getByLabel('Commit author').fill('Ada');
  await key.fill('sk-very-secret');
  await page.getByRole('button', { name: 'Save settings' }).click();
  if (person.scripted) {
    await expect(page.getByText('Saved', { exact: true })).toBeVisible();
    await expect(key).toHaveValue('');
  }
  await person.open('/settings');
  await expect(page.getByLabel('Model', { exact: true })).toHaveValue('openai/gpt-4o');
  await expect(page.getByLabel('Base URL')).toHaveValue('http://127.0.0.1:4000/v1');
  await expect(page.getByLabel('Risk analyzer')).toHaveValue('');
  await expect(page.getByLabel('Require approval before actions run')).toBeChecked();
  await expect(page.getByLabel('Max steps')).toHaveValue('12');
  if (CAN.limitCost) await expect(page.getByLabel('Budget (USD)')).toHaveValue('1.5');
  else await expect(page.getByLabel('Budget (USD)')).toHaveCount(0);
  if (CAN.signCommits) await expect(page.getByLabel('Commit author')).toHaveValue('Ada');
  else await expect(page.getByLabel('Commit author')).toHaveCount(0);
  await expect(key).toHaveValue('');
  await expect(page.getByText('Saved. Leave blank to keep it.').first()).toBeVisible();
  expect(await page.content()).not.toContain('sk-very-secret');
  // An unchecked box stays unchecked.
  await page.getByLabel('Require approval before actions run').uncheck();
  await page.getByLabel('Summarize older events').uncheck();
  await saveAndReopen(person);
  await expect(page.getByLabel('Require approval before actions run')).not.toBeChecked();
  await expect(page.getByLabel('Summarize older events')).not.toBeChecked();
});

test('a change is marked as unsaved, with its button in view', { tag: ['@phone'] }, async ({ person, page }) => {
  await person.open('/settings');
  await expect(page.getByText('Unsaved changes')).toHaveCount(0);
  await page.getByLabel('Model', { exact: true }).fill('openai/gpt-4o-mini');
  await expect(page.getByText('Unsaved changes')).toBeVisible();
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Secrets' }).click();
  await expect(page.getByRole('heading', { name: 'Secrets' })).toBeInViewport();
  await expect(page.getByRole('button', { name: 'Save settings' })).toBeInViewport();
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByText('Unsaved changes')).toHaveCount(0);
});

test('an invalid number is refused and no input is lost', async ({ person, page, watch }) => {
  watch.allow(/status of [45]\d\d/);
  await person.open('/settings');
  const size = page.getByLabel('Summarize after this many events');
  await size.fill('3');
  await page.getByRole('button', { name: 'Save settings' }).click();
  expect(await size.evaluate((field: HTMLInputElement) => field.validity.rangeUnderflow)).toBe(true);
  await size.evaluate((field: HTMLInputElement) => field.removeAttribute('min'));
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByRole('alert')).toContainText(/20/);
  await expect(size).toHaveValue('3');
});

test('secrets are listed by name, replaced and removed, and never shown; MCP servers are added and removed', { tag: ['@nojs'] }, async ({ person, page }) => {
  await person.open('/settings');
  await page.getByLabel('Name', { exact: true }).last().fill('API_TOKEN');
  await page.getByLabel('Value').fill('hush-hush');
  await page.getByLabel('Description').fill('for the tests');
  await page.getByRole('button', { name: 'Save secret' }).click();
  await person.see(page.getByText('API_TOKEN', { exact: true }));
  await person.open('/settings');
  await expect(page.getByText('for the tests')).toBeVisible();
  expect(await page.content()).not.toContain('hush-hush');
  await page.getByRole('button', { name: 'Remove secret API_TOKEN' }).click();
  await expect(page.getByText('API_TOKEN', { exact: true })).toHaveCount(0);

  await page.getByLabel('Address or command line').fill('http://127.0.0.1:9/mcp');
  await page.getByRole('button', { name: 'Add server' }).click();
  await person.see(page.getByText('http://127.0.0.1:9/mcp', { exact: true }));
  await page.getByLabel('Transport').selectOption('stdio');
  await page.getByLabel('Address or command line').fill('uvx mcp-server-fetch --quiet');
  await page.getByLabel('Name', { exact: true }).first().fill('fetch');
  await page.getByRole('button', { name: 'Add server' }).click();
  await person.see(page.getByText('uvx mcp-server-fetch --quiet', { exact: true }));
  await page.getByRole('button', { name: 'Remove http://127.0.0.1:9/mcp' }).click();
  await expect(page.getByText('http://127.0.0.1:9/mcp', { exact: true })).toHaveCount(0);
  await person.reload();
  await expect(page.getByText('uvx mcp-server-fetch --quiet', { exact: true })).toBeVisible();
});
