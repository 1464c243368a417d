// Properties of the pages that are numbers: nothing jumps, nothing is cut off, and an answer is few keys away.
import type { Page } from '@playwright/test';
import { expectFingerSized, expectNothingClipped } from '../accessible.ts';
import { type Person, STEADY, expect, test } from '../fixtures.ts';
import { everybody } from '../house.ts';

test.describe.configure({ timeout: 240_000 });

/** The most that a page may shift from "Start" to the first approval (the limit of a good page is 0.1). */
const SHIFT = 0.1;

/** The most stops of the Tab key before Approve, with the skip link. */
const STOPS = 12;

for (const [width, height, tag] of [[360, 640, []], [390, 844, ['@all']], [640, 360, ['@all']], [820, 1180, ['@all']], [1280, 800, []]] as const) {
  test(`from the start to the first approval nothing jumps at ${width} by ${height}`, { tag: [...tag] }, async ({ person, page }, info) => {
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

/** Opens each page, with text of the normal size and of twice that, and calls `check`. */
async function onEachPage(person: Person, paths: readonly string[], check: (state: string) => Promise<void>): Promise<void> {
  for (const path of paths) {
    await person.open(path);
    await expect(person.page.locator('.skeleton')).toHaveCount(0);
    for (const size of ['100%', '200%']) {
      await person.page.locator('html').evaluate((html, size) => (html.style.fontSize = size), size);
      await check(`${path} at ${size}`);
    }
  }
}

/** Nothing is cut off, and the page itself does not scroll: its parts do. */
async function expectWhole(page: Page, state: string): Promise<void> {
  await expectNothingClipped(page, state);
  const excess = await page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight);
  expect.soft(excess, `${state}: pixels to scroll the whole page`).toBe(0);
}

/** Nothing is cut off, and a finger hits everything. */
async function expectFitting(page: Page, state: string): Promise<void> {
  await expectWhole(page, state);
  await expectFingerSized(page, state);
}

/** Pages without a conversation. */
const PAGES = ['/', '/new', '/inbox', '/search', '/search?q=echo', '/insight', '/audit', '/people', '/notifications', '/rules', '/install', '/share?title=News&text=Look%20at%20this&images=2&cut=1', '/import', '/settings', '/settings/connection'];

/** Pages of a conversation. */
const pagesOf = (id: string) => [
  ...['', '/replay', '/insight', '/export', '?q=echo'].map((page) => `/c/${id}${page}`),
  ...['terminal', 'files', 'changes', 'browser', 'tasks', 'info', 'model'].map((name) => `/c/${id}?panel=${name}`),
];

const PHONE_ONLY = { tag: ['@phone-only'] };

test('at 360 pixels no page cuts anything off or has a target too small for a finger, also with text of twice the size', PHONE_ONLY, async ({ person, page }) => {
  const finished = await person.createConversation('Show me [[scenario:tools]]');
  await person.seeStatus('finished');
  const running = await person.createConversation('Something slow [[scenario:slow:600000]]');
  await person.see(person.row('This takes a while.'));
  const waiting = await person.createConversation('Please repair this small project');
  await person.see(person.approval('rm -rf build'));
  await onEachPage(person, [...PAGES, `/c/${running}`, `/c/${finished}`, ...pagesOf(waiting)], (state) => expectFitting(page, state));
});

test.describe('with accounts', () => {
  test.use({ login: true });

  test('at 360 pixels no page of a person cuts anything off or has a target too small for a finger', PHONE_ONLY, async ({ person, page, handrail, watch }) => {
    watch.allow(/status of 401|WebSocket connection/);
    await everybody(person, handrail);
    const id = await person.createConversation('Ask me [[scenario:confirm]]');
    await person.see(person.approval('echo "confirm me"'));
    const check = (state: string) => expectFitting(page, state);
    await onEachPage(person, ['/', '/inbox', '/people', '/audit', '/account', '/notifications', '/rules', `/c/${id}`, `/c/${id}/sharing`], check);
    await page.context().clearCookies();
    for (const size of ['100%', '200%']) {
      await page.goto('/login');
      await page.locator('html').evaluate((html, size) => (html.style.fontSize = size), size);
      await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible();
      await check(`/login at ${size}`);
    }
  });
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

/** Width and height of a window, the most that stands above a conversation in it, and the fewest steps that it shows. */
const HANDHELD = [[360, 640, 88, 4], [390, 844, 88, 5], [640, 360, 88, 1], [820, 1180, 88, 9]] as const;
const DESKTOP = [[1280, 800, 48, 12]] as const;

for (const [windows, tag] of [[HANDHELD, ['@phone-only']], [DESKTOP, []]] as const) {
  test(`windows show many steps below small headers, ${windows === DESKTOP ? 'on a desktop' : 'in a hand'}`, { tag: [...tag] }, async ({ person, page }, info) => {
    const id = await person.createConversation('Many steps [[scenario:long:40]]');
    await person.seeStatus('finished');
    for (const [width, height, most, fewest] of windows) {
      await page.setViewportSize({ width, height });
      await person.open(`/c/${id}`);
      const view = (await page.locator('.timeline').boundingBox()) ?? { y: Infinity, height: 0 };
      const steps = await page.locator('.timeline .row:has(details.step)').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom })));
      const whole = steps.filter(({ top, bottom }) => top >= view.y - 1 && bottom <= view.y + view.height + 1).length;
      info.annotations.push({ type: `${width} by ${height}`, description: `${view.y} px above, ${whole} steps` });
      expect.soft(view.y, `pixels above a conversation at ${width} by ${height}`).toBeLessThanOrEqual(most);
      expect.soft(whole, `steps at ${width} by ${height}`).toBeGreaterThanOrEqual(fewest);
    }
  });
}

/** Width and height of a window, the lowest place of the first row of the list, and the fewest rows that are shown whole. */
const LISTS = [[1280, 800, 180, 11], [360, 640, 120, 8], [390, 844, 120, 11]] as const;

test('the list begins near the top of a window and shows many rows, of one height', { tag: ['@phone-all'] }, async ({ person, page, handrail, isMobile }, info) => {
  const said = { id: 0, source: 'user', action: 'message', args: { content: 'A message that is longer than a row of the list is wide, and stays in one line' } };
  const lines = Array.from({ length: 20 }, (_, number) => JSON.stringify({ instance_id: `A rather long title of the task with the number ${number}`, metadata: {}, history: [said], error: null }));
  const file = { name: 'output.jsonl', mimeType: 'application/json', buffer: Buffer.from(lines.join('\n')) };
  await page.request.post('/import', { multipart: { file }, headers: { origin: handrail.url } });
  for (const [width, height, lowest, fewest] of LISTS.filter(([width]) => (width < 1024) === isMobile)) {
    await page.setViewportSize({ width, height });
    await person.open('/');
    const rows = await page.locator('.conversation-row').evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom })));
    const end = (await page.locator('.conversation-list > .rehearsal').boundingBox())?.y ?? 0;
    const whole = rows.filter(({ bottom }) => bottom <= end + 1).length;
    info.annotations.push({ type: `${width} by ${height}`, description: `${rows[0]?.top} px above, ${whole} rows` });
    expect.soft(rows[0]?.top, `pixels above the list at ${width} by ${height}`).toBeLessThanOrEqual(lowest);
    expect.soft(whole, `rows at ${width} by ${height}`).toBeGreaterThanOrEqual(fewest);
    expect.soft(new Set(rows.map(({ top, bottom }) => Math.round(bottom - top))), 'heights').toEqual(new Set([52]));
  }
});

/** The most elements of the 60 rows of a long conversation. */
const ELEMENTS = 660;

test('a page of a long conversation has few elements, and its parts one right edge, or two with a change', async ({ person, page }) => {
  await person.createConversation('Many steps [[scenario:long:120]]');
  await person.seeStatus('finished');
  await person.reload();
  await expect(page.locator('.timeline .row')).toHaveCount(60);
  expect(await page.locator('.timeline *').count()).toBeLessThanOrEqual(ELEMENTS);
  const parts = page.locator('.row--own, .step__head > time:last-child, .composer, .block-diff, .block-terminal').filter({ visible: true });
  const edges = await parts.evaluateAll((parts) => parts.map((part) => Math.round(part.getBoundingClientRect().right)));
  expect(new Set(edges).size).toBeLessThanOrEqual(2);
});

/** Notes in `tops` where a row is painted in each frame: an observer is told after the layout, when nothing moves it any more. */
async function watchRow(page: Page, row: string): Promise<void> {
  await page.locator(row).evaluate((row) => {
    const tops: number[] = [];
    Object.assign(window, { tops });
    const observer = new IntersectionObserver((seen) => tops.push(...seen.map((one) => one.boundingClientRect.top)));
    const frame = () => {
      observer.unobserve(row);
      observer.observe(row);
      requestAnimationFrame(frame);
    };
    frame();
  });
}

test.describe('at a steady pace', () => {
  test.use({ serverArgs: ['--rehearsal-pace', STEADY] });
  test('what is read does not move while many steps arrive below it', { tag: ['@phone-all'] }, async ({ person, page }, info) => {
    await person.createConversation('Many steps [[scenario:long:2000]]');
    const timeline = page.locator('.timeline');
    // Enough to scroll away from the end; more than enough come afterwards, however late this page is.
    await expect.poll(() => timeline.evaluate((timeline) => timeline.scrollHeight - timeline.clientHeight)).toBeGreaterThan(800);
    await timeline.evaluate((timeline) => { timeline.scrollTop = -600; });
    const newest = page.locator('.timeline__newest');
    await expect(newest).toBeVisible();
    const row = await timeline.evaluate((timeline) => {
      const edge = timeline.getBoundingClientRect().top;
      return [...timeline.querySelectorAll('.row')].find((row) => row.getBoundingClientRect().top >= edge)?.id ?? '';
    });
    await watchRow(page, `#${row}`);
    const arrived = async () => Number(/\d+/.exec(await newest.innerText())?.[0] ?? 0);
    const before = await arrived();
    await expect.poll(arrived, { timeout: 60_000 }).toBeGreaterThan(before + 40);
    const tops = await page.evaluate(() => (window as unknown as { tops: number[] }).tops);
    const moved = Math.max(...tops) - Math.min(...tops);
    info.annotations.push({ type: 'frames', description: `${tops.length}, moved ${moved} px` });
    // A slow machine paints few of them.
    expect(tops.length).toBeGreaterThan(2);
    expect(moved).toBeLessThanOrEqual(1);
  });
});

/** Whether what has the focus is in view and marked: a hidden field is shown by its label. Says what is wrong with it. */
function focusedStop(): { name: string; wrong: string } | undefined {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return undefined;
  const shown = focused.matches('.visually-hidden, [type="file"], [type="checkbox"], [type="radio"]') ? (focused.closest('label') ?? focused) : focused;
  const { left, right, top, bottom, width } = shown.getBoundingClientRect();
  // A button that floats above the timeline may cover a part of it.
  const points = [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((x) => [0.2, 0.5, 0.8].map((y) => [x, y] as const));
  const seen = points.filter(([x, y]) => {
    const above = document.elementFromPoint(Math.max(left, 0) + x * (Math.min(right, innerWidth) - Math.max(left, 0)), Math.max(top, 0) + y * (Math.min(bottom, innerHeight) - Math.max(top, 0)));
    return shown.contains(above) || (above?.contains(shown) ?? false);
  });
  const isSeen = width > 1 && seen.length >= points.length / 2;
  const isMarked = [focused, shown].some((part) => getComputedStyle(part).outlineStyle !== 'none');
  const name = `${shown.tagName.toLowerCase()}.${shown.className} "${shown.textContent?.trim().slice(0, 30)}" at ${Math.round(left)},${Math.round(top)}`;
  return { name, wrong: isSeen ? (isMarked ? '' : 'unmarked') : 'unseen' };
}

/** The stops of the Tab key on a page, from its beginning to its end: how many, and those that are out of view, covered or unmarked. */
async function tabStops(page: Page): Promise<{ stops: number; lost: string[] }> {
  const lost: string[] = [];
  for (let stops = 0; stops < 200; stops += 1) {
    await page.keyboard.press('Tab');
    // Behind the last stop is the window of the browser, which is none here: the keys begin anew.
    const isOver = await page.evaluate(() => {
      const focused = document.activeElement;
      const isOver = focused === null || focused === document.body || focused.hasAttribute('data-stop');
      focused?.setAttribute('data-stop', '');
      return isOver;
    });
    if (isOver) return { stops, lost };
    let found: ReturnType<typeof focusedStop>;
    // The page may still be scrolling to it.
    await expect(async () => expect((found = await page.evaluate(focusedStop))?.wrong).toBe('')).toPass({ timeout: 3_000 }).catch(() => {});
    if (found?.wrong) lost.push(`${found.name}: ${found.wrong}`);
  }
  return { stops: Number.POSITIVE_INFINITY, lost };
}

test('every stop of the Tab key is in view and marked, and Approve is few stops away', { tag: ['@phone-all'] }, async ({ person, page }, info) => {
  const id = await person.createConversation('Please repair this small project');
  await person.see(person.approval('rm -rf build'));
  for (const path of ['/', '/new', '/inbox', '/settings', '/search?q=echo', `/c/${id}`, `/c/${id}?panel=files`, `/c/${id}/replay`]) {
    await person.open(path);
    await expect(page.locator('.skeleton')).toHaveCount(0);
    const { stops, lost } = await tabStops(page);
    info.annotations.push({ type: path.replace(id, 'ID'), description: `${stops} stops` });
    expect.soft(lost, path).toEqual([]);
    expect.soft(stops, `${path}: stops until the page ends`).toBeLessThan(120);
  }
  for (const path of [`/c/${id}`, '/inbox']) {
    await person.open(path);
    await person.see(person.approval('rm -rf build'));
    expect.soft(await stopsBeforeApprove(page), `${path}: stops before Approve`).toBeLessThanOrEqual(STOPS);
  }
});
