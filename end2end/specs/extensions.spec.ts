// What others do to a page: extensions of the browser, and its translation. And a page whose program ends.
import type { Page } from '@playwright/test';
import { type Person, expect, test } from '../fixtures.ts';

/** Pages without a conversation. */
const PAGES = ['/', '/new', '/inbox', '/search?q=echo', '/insight', '/audit', '/people', '/notifications', '/rules', '/install', '/share?title=News', '/import', '/settings', '/settings/connection', '/nowhere'];

/** Pages of a conversation. */
const PAGES_OF = ['', '/replay', '/insight', '/export', '/sharing', '?q=hello', '?panel=files', '?panel=info', '?panel=model'];

/** Changes a page as extensions do at a moment: elements beside fields and around everything, attributes, translated texts. */
function tamper(moment: string): void {
  const change = () => {
    document.documentElement.setAttribute('data-extension', '');
    document.body.setAttribute('cz-shortcut-listen', 'true');
    for (const field of document.querySelectorAll('input:not([type=hidden]), textarea')) {
      field.setAttribute('data-gramm', 'false');
      const [icon, overlay] = [document.createElement('div'), document.createElement('some-extension')];
      icon.setAttribute('data-field-icon', '');
      icon.style.position = 'absolute';
      field.parentNode?.insertBefore(icon, field.nextSibling);
      field.parentNode?.insertBefore(overlay, field);
    }
    document.head.prepend(document.createElement('meta'));
    document.body.prepend(document.createElement('div'));
    document.body.append(document.createElement('some-extension'));
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    for (const text of texts) {
      if (text.data.trim() === '' || /SCRIPT|STYLE|TEXTAREA|OPTION/.test(text.parentElement?.tagName ?? '')) continue;
      const translated = document.createElement('font');
      translated.append(text.data.toUpperCase());
      text.replaceWith(translated);
    }
  };
  document.addEventListener('readystatechange', () => moment === 'interactive' && document.readyState === 'interactive' && change());
  document.addEventListener('DOMContentLoaded', () => moment === 'DOMContentLoaded' && change());
  // Each part of the page, as soon as it has arrived; what was changed is not changed again.
  const arriving = new MutationObserver(() => {
    if (moment !== 'arriving' || document.readyState !== 'loading' || !document.body) return;
    arriving.disconnect();
    change();
    arriving.observe(document, { childList: true, subtree: true });
  });
  arriving.observe(document, { childList: true, subtree: true });
}

test('a page is alive whatever an extension or a translation did to it before, on every page', async ({ person, page, watch }) => {
  watch.allow(/status of 404/);
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await page.addInitScript(tamper, 'interactive');
  await expectAliveEverywhere(person, page, id);
});

test('a page that an extension has changed while its HTML arrived is alive after a second attempt, on every page', async ({ person, page, watch }) => {
  watch.allow(/status of 404|unreachable|RuntimeError|panicked|hydrat/i);
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await page.addInitScript(tamper, 'arriving');
  const count = loads(page);
  await page.goto(`/c/${id}`);
  await expect.poll(count).toBe(2);
  await expectAliveEverywhere(person, page, id);
  await page.goto(`/c/${id}`);
  await person.alive();
  await page.getByLabel('Message', { exact: true }).fill('after it arrived');
  await page.getByLabel('Message', { exact: true }).press('Enter');
  await person.see(person.row('after it arrived'));
});

async function expectAliveEverywhere(person: Person, page: Page, id: string): Promise<void> {
  for (const path of [...PAGES, ...PAGES_OF.map((rest) => `/c/${id}${rest}`)]) {
    await page.goto(path);
    await person.alive();
    await expect(page.locator('.dead'), path).toHaveCount(0);
  }
}

for (const moment of ['interactive', 'DOMContentLoaded'] as const) {
  test(`what an extension did at ${moment} stays, and messages are sent with Enter`, async ({ person, page }) => {
    const id = await person.createConversation('hello [[scenario:hello]]');
    await person.seeTurn();
    await page.addInitScript(tamper, moment);
    for (let load = 0; load < 3; load += 1) {
      await page.goto(`/c/${id}`);
      await person.alive();
      await expect(page.locator('.composer [data-field-icon]').first()).toBeAttached();
      await page.getByLabel('Message', { exact: true }).fill(`message ${load}`);
      await page.getByLabel('Message', { exact: true }).press('Enter');
      await person.see(person.row(`message ${load}`));
    }
  });
}

/** Ends the program as a panic does: by a trap of WebAssembly. */
async function trap(page: Page): Promise<void> {
  await page.evaluate(() => {
    const code = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 97, 0, 0, 10, 5, 1, 3, 0, 0, 11];
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(code)));
    setTimeout(exports.a as () => void);
  });
}

/** How often the page was loaded. */
function loads(page: Page): () => number {
  let count = 0;
  page.on('load', () => (count += 1));
  return () => count;
}

const SAYS = 'This page no longer updates.';

async function conversation(person: Person): Promise<void> {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
}

test('a page whose program ends is loaded again once; after that it says so and works without its program', async ({ person, page, watch }) => {
  watch.allow(/unreachable|RuntimeError/);
  await conversation(person);
  const count = loads(page);
  await trap(page);
  await expect.poll(count).toBe(1);
  await person.alive();
  await expect(page.getByText(SAYS)).toHaveCount(0);
  await trap(page);
  await expect(page.getByRole('alert').filter({ hasText: SAYS })).toBeVisible();
  expect(count()).toBe(1);
  await expect(page.locator('html[data-live]')).toHaveCount(0);
  await page.getByLabel('Message', { exact: true }).fill('without a program');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.poll(count).toBe(2);
  await person.see(person.row('without a program'));
});

test('what was typed is not lost when the program ends', async ({ person, page, watch }) => {
  watch.allow(/unreachable|RuntimeError/);
  await conversation(person);
  await person.alive();
  const count = loads(page);
  const field = page.getByLabel('Message', { exact: true });
  await field.fill('a long thought');
  await trap(page);
  await expect(page.getByText(SAYS)).toBeVisible();
  await expect(field).toHaveValue('a long thought');
  expect(count()).toBe(0);
  await page.getByRole('button', { name: 'Reload', exact: true }).click();
  await expect.poll(count).toBe(1);
  await person.alive();
  await expect(field).toHaveValue('a long thought');
});

test('a page that cannot be hydrated is loaded again once, and stays plain', async ({ person, page, watch }) => {
  watch.allow(/unreachable|RuntimeError|panicked|hydrat|no copy/i);
  await conversation(person);
  // An extension that is there before the page: nothing sees what it does.
  await page.addInitScript(() => {
    Object.assign(window, { MutationObserver: class { observe() {} disconnect() {} takeRecords() { return []; } } });
    document.addEventListener('readystatechange', () => document.querySelector('.composer__bar')?.remove());
    // Nor is there another copy of the page.
    const { fetch } = window;
    Object.assign(window, { fetch: (what: RequestInfo | URL, ...rest: [RequestInit?]) => (String(what) === location.href ? Promise.reject(new Error('no copy')) : fetch(what, ...rest)) });
  });
  const count = loads(page);
  await page.reload();
  await expect(page.getByText(SAYS)).toBeVisible();
  await expect.poll(count).toBe(2);
  await page.getByLabel('Message', { exact: true }).fill('plain');
  await page.getByLabel('Message', { exact: true }).evaluate((field: HTMLTextAreaElement) => field.form?.requestSubmit());
  await person.see(person.row('plain'));
  expect(count()).toBe(3);
});
