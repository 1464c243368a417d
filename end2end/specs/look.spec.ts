// Light or dark, small or large: chosen once, right from the first paint.
import { expect, test } from '../fixtures.ts';

test('a chosen look stays and the server draws it', async ({ person, page }) => {
  await person.open('/');
  await expect(page.locator('html')).not.toHaveAttribute('data-theme');
  await page.getByText('View', { exact: true }).click();
  await page.getByRole('button', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('button', { name: 'Large text' }).click();
  // What comes from the server is right before any script has run: nothing flashes.
  const html = await (await page.request.get('/')).text();
  expect(html).toMatch(/<html[^>]*data-theme="dark"/);
  expect(html).toMatch(/<html[^>]*data-text="large"/);
  await person.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.getByRole('button', { name: 'Dark', includeHidden: true })).toHaveAttribute('aria-pressed', 'true');
  await page.getByText('View', { exact: true }).click();
  await page.getByRole('button', { name: 'Colours of the system' }).click();
  await expect(page.locator('html')).not.toHaveAttribute('data-theme');
});

test('without a choice the look is that of the system', { tag: ['@nojs'] }, async ({ person, page }) => {
  const background = () => page.locator('html').evaluate((html) => getComputedStyle(html).backgroundColor);
  await page.emulateMedia({ colorScheme: 'light' });
  await person.open('/');
  const light = await background();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await background()).not.toBe(light);
});
