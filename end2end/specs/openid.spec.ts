// Login with OpenID Connect while the provider is down: the login page still works, and says so.
import { readFile } from 'node:fs/promises';
import { expectAccessibleState } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';
import { BEHIND } from '../front.ts';
import { logIn, setUp } from '../house.ts';

test.use({
  login: true,
  // Nothing listens on this port.
  serverArgs: ['--oidc-issuer', 'http://127.0.0.1:9', '--oidc-client-id', 'handrail', '--oidc-name', 'Example'],
});

test('an unreachable provider is reported, and password logins still work', { tag: ['@phone-all', '@nojs'] }, async ({ page, handrail, watch, javaScriptEnabled }) => {
  // The accessibility check needs JavaScript itself.
  const checkPage = async (state: string) => (javaScriptEnabled === false ? undefined : expectAccessibleState(page, state));
  watch.allow(/status of 502|WebSocket connection|status of 401/);
  await setUp(page, handrail);
  await page.goto('/account');
  await expect(page.getByRole('link', { name: 'Link Example' })).toBeVisible();
  await checkPage('account with a second way in');
  await page.context().clearCookies();
  await page.goto('/inbox');
  await page.waitForURL(/\/login/);
  await checkPage('login with a second way in');
  await page.getByRole('link', { name: 'Log in with Example' }).click();
  await expect(page.getByRole('alert')).toContainText('does not respond');
  await logIn(page, 'ada');
});

test('the set-up code can be followed as a link', async ({ page, handrail }) => {
  test.skip(BEHIND, 'nobody becomes the owner through a proxy');
  const code = (await readFile(`${handrail.dataDir}/set-up-code`, 'utf8')).trim();
  await page.goto(`/set-up#${code}`);
  await expect(page.getByLabel('Set-up code')).toHaveValue(code);
  expect(page.url()).not.toContain('#');
});
