// Properties of the pages that are numbers: nothing jumps, nothing is cut off, and an answer is few keys away.
import type { Page } from '@playwright/test';
import { expectNothingClipped } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';

test.describe.configure({ timeout: 120_000 });

/** The most that a page may shift from "Start" to the first approval (the limit of a good page is 0.1). */
const SHIFT = 0.1;

/** The most stops of the Tab key before Approve, with the skip link. */
const STOPS = 12;

for (const [width, height] of [[360, 640], [390, 844], [640, 360], [820, 1180], [1280, 800]] as const) {
  test(`from the start to the first approval nothing jumps at ${width} by ${height}`, async ({ person, page }, info) => {
    await page.setViewportSize({ width, height });
    await page.addInitScript(() => {
      const shifts: number[] = [];
      Object.assign(window, { shifts });
      // What follows a press within half a second counts, too: most of it comes later than a person expects.
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) shifts.push((entry as PerformanceEntry & { value: number }).value);
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await person.open('/new');
    await page.getByRole('main').getByLabel('First message').fill('Ask me [[scenario:confirm]]');
    await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts.splice(0));
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await person.see(person.approval('echo "confirm me"'));
    await expect(person.approval().getByRole('button', { name: 'Approve' })).toBeEnabled();
    const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
    const sum = shifts.reduce((sum, shift) => sum + shift, 0);
    info.annotations.push({ type: 'layout shift', description: sum.toFixed(4) });
    expect(sum).toBeLessThan(SHIFT);
  });
}

test('at 360 pixels no page cuts anything off, also with text of twice the size', { tag: ['@phone-only'] }, async ({ person, page }) => {
  const id = await person.begin('Please repair this small project');
  await person.see(person.approval('rm -rf build'));
  const panels = ['terminal', 'files', 'changes', 'browser', 'tasks', 'info'].map((name) => `/c/${id}?panel=${name}`);
  for (const path of ['/', '/new', '/inbox', '/audit', '/people', '/settings', '/settings/connection', `/c/${id}`, ...panels]) {
    for (const size of ['100%', '200%']) {
      await person.open(path);
      await page.locator('html').evaluate((html, size) => (html.style.fontSize = size), size);
      await expect(page.locator('.skeleton')).toHaveCount(0);
      await expectNothingClipped(page, `${path} at ${size}`);
      const excess = await page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight);
      expect.soft(excess, `${path} at ${size}: pixels to scroll the whole page`).toBe(0);
    }
  }
});

/** Counts the stops of the Tab key before Approve, by way of the skip links. */
async function stopsBeforeApprove(page: Page): Promise<number> {
  for (let stop = 0; stop <= 2 * STOPS; stop += 1) {
    await page.keyboard.press('Tab');
    const [skips, approves] = await page.evaluate(() => {
      const focused = document.activeElement;
      return [focused?.matches('.skip-link'), focused?.getAttribute('value') === 'approve'];
    });
    if (approves) return stop;
    if (skips) await page.keyboard.press('Enter');
  }
  return Number.POSITIVE_INFINITY;
}

test('Approve is few stops of the Tab key away', { tag: ['@phone'] }, async ({ person, page }) => {
  const id = await person.begin('Please repair this small project');
  await person.see(person.approval('rm -rf build'));
  for (const path of [`/c/${id}`, '/inbox']) {
    await person.open(path);
    await person.see(person.approval('rm -rf build'));
    expect(await stopsBeforeApprove(page), path).toBeLessThanOrEqual(STOPS);
  }
});
