// The settings of a real OpenHands. 0.62 drops every field that is missing from an update.
import { IS_AGENT_SERVER, IS_APP_SERVER, SETTINGS, askBeforeActions, expect, get, test } from './real.ts';

const IS_1X = IS_AGENT_SERVER || IS_APP_SERVER;

/** Fields of the page, their new values, and their names on the server. 1.x has only one of these settings. */
const FIELDS = IS_1X
  ? [['Max steps', '77', 'conversation_settings.max_iterations']]
  : [
      ['Commit author', 'Ada', 'git_user_name'],
      ['Budget (USD)', '1.5', 'max_budget_per_task'],
      ['Max steps', '77', 'max_iterations'],
    ];
const SECRETS = IS_APP_SERVER ? '/api/v1/secrets/search' : IS_AGENT_SERVER ? '/api/settings/secrets' : '/api/secrets';

test('settings are saved and read back, and fields unknown to the page are kept', async ({ person, page }) => {
  const before = leaves(await get(SETTINGS));
  await person.open('/settings');
  for (const [label, value] of FIELDS) await page.getByLabel(label!).fill(value!);
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await person.open('/settings');
  for (const [label, value] of FIELDS) await expect(page.getByLabel(label!)).toHaveValue(value!);
  const after = leaves(await get(SETTINGS));
  const changed = Object.keys({ ...before, ...after }).filter((name) => before[name] !== after[name]);
  expect(changed.toSorted()).toEqual(FIELDS.map(([, , name]) => name));
  expect(after[IS_AGENT_SERVER ? 'llm_api_key_is_set' : 'llm_api_key_set']).toBe('true');
});

test('what is saved about approvals is what the server has stored', async ({ person }) => {
  await askBeforeActions(person);
  const settings = await get(SETTINGS);
  const { confirmation_mode: asks, security_analyzer: analyzer } = IS_1X ? settings.conversation_settings : settings;
  expect(asks).toBe(true);
  // With an analyzer only what it finds risky would wait.
  expect([null, '', 'none']).toContain(analyzer);
});

test('secrets are listed by name, never shown, and removed', async ({ person, page }) => {
  await person.open('/settings');
  await page.getByLabel('Name', { exact: true }).last().fill('LIVE_TOKEN');
  await page.getByLabel('Value').fill('hush-hush');
  await page.getByLabel('Description').fill('for the tests');
  await page.getByRole('button', { name: 'Save secret' }).click();
  await person.see(page.getByText('LIVE_TOKEN', { exact: true }));
  expect(JSON.stringify(await get(SECRETS))).toContain('LIVE_TOKEN');
  expect(await page.content()).not.toContain('hush-hush');
  await page.getByRole('button', { name: 'Remove secret LIVE_TOKEN' }).click();
  await expect(page.getByText('LIVE_TOKEN', { exact: true })).toHaveCount(0);
  expect(JSON.stringify(await get(SECRETS))).not.toContain('LIVE_TOKEN');
});

/** Every value with its path. */
function leaves(value: unknown, way: string[] = []): Record<string, string> {
  if (typeof value !== 'object' || value === null) return { [way.join('.')]: JSON.stringify(value) };
  return Object.assign({}, ...Object.entries(value).map(([name, inner]) => leaves(inner, [...way, name])));
}
