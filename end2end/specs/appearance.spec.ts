// Colour scheme and text size: chosen once, correct from the first paint.
import { expect, test } from '../fixtures.ts';

test('a chosen appearance is kept, and rendered by the server', async ({ person, page }) => {
  await person.open('/');
  await expect(page.locator('html')).not.toHaveAttribute('data-theme');
  await page.locator('.you > summary').click();
  await page.getByRole('button', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await page.getByRole('button', { name: 'Large text' }).click();
  // The server's HTML is correct before any script has run, so nothing flashes.
  const html = await (await page.request.get('/')).text();
  expect(html).toMatch(/<html[^>]*data-theme="dark"/);
  expect(html).toMatch(/<html[^>]*data-text="large"/);
  await person.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.getByRole('button', { name: 'Dark', includeHidden: true })).toHaveAttribute('aria-pressed', 'true');
  await page.locator('.you > summary').click();
  await page.getByRole('button', { name: 'Match system' }).click();
  await expect(page.locator('html')).not.toHaveAttribute('data-theme');
});

test('without a choice the appearance follows the system', { tag: ['@nojs'] }, async ({ person, page }) => {
  const background = () => page.locator('html').evaluate((html) => getComputedStyle(html).backgroundColor);
  await page.emulateMedia({ colorScheme: 'light' });
  await person.open('/');
  const light = await background();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await background()).not.toBe(light);
});

test('with large text on a phone the inbox and the settings stay in reach', { tag: ['@phone-only'] }, async ({ person, page }) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await person.open('/');
  const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
  const rows = await links.filter({ visible: true }).evaluateAll((all) => new Set(all.map((link) => Math.round(link.getBoundingClientRect().top))).size);
  expect(rows).toBe(1);
  await page.locator('html').evaluate((html) => (html.style.fontSize = '200%'));
  for (const name of ['Inbox', 'Usage']) await expect(links.filter({ hasText: name })).toBeInViewport({ ratio: 1 });
  await page.locator('.you > summary').click();
  await expect(page.getByRole('link', { name: 'Settings' })).toBeInViewport({ ratio: 1 });
  expect(await page.locator('html').evaluate((html) => html.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
});
