// The page of all parts: each part in each state, in light, dark and forced colours, on a narrow screen and with large text.
import type { Page } from '@playwright/test';
import { ALL } from '../all.ts';
import { expectAccessible, expectDarkColours, expectFingerSized, expectForcedColours, expectNothingClipped } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';

test.describe.configure({ timeout: 180_000 });

/** Opens the page, and waits for the buttons of its approvals: without a script the style sheet shows them after a while. */
async function open(page: Page, address: string): Promise<void> {
  const answer = await page.goto(address);
  expect(answer?.status()).toBe(200);
  await expect(page.locator('.approval .button--approve').first()).toBeVisible();
}

// One colour scheme at a time: landmarks and fields occur once on a page then.
for (const theme of ['light', 'dark'] as const) {
  test(`every part is accessible in ${theme} and in forced colours`, { tag: ['@phone-all'] }, async ({ page }) => {
    await open(page, `/style?theme=${theme}`);
    // The two differ in nothing but colours.
    await (theme === 'light' || ALL ? expectAccessible(page, theme) : expectDarkColours(page, theme));
    if (theme === 'light' || ALL) await expectForcedColours(page, `${theme}, forced colours`);
  });
}

test('light and dark parts stand side by side', async ({ page }) => {
  await open(page, '/style');
  const columns = page.locator('.specimens__column');
  await expect(columns).toHaveCount(2);
  const [light, dark] = await columns.evaluateAll((all) => all.map((column) => ({ top: column.getBoundingClientRect().top, ground: getComputedStyle(column).backgroundColor })));
  expect(light.top).toBe(dark.top);
  expect(light.ground).not.toBe(dark.ground);
});

test('at 360 pixels and with text of twice the size no part is cut off, and a finger hits each', { tag: ['@phone-only'] }, async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await open(page, '/style?theme=light');
  await expectNothingClipped(page, '360 pixels');
  await expectFingerSized(page, '360 pixels');
  await page.locator('html').evaluate((html) => (html.style.fontSize = '200%'));
  await expectNothingClipped(page, '360 pixels, 200 % text');
});
