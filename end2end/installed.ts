// `test` with the service worker, and with a network that can be cut.
import type { Page } from '@playwright/test';
import { test as base, expect } from './fixtures.ts';
import { Network } from './network.ts';

export { expect } from './fixtures.ts';

export const test = base.extend<{ network: Network }>({
  serviceWorkers: 'allow',
  network: [
    async ({ handrail }, use) => {
      const network = await Network.before(handrail.url);
      handrail.url = network.url;
      await use(network);
      await network.remove();
    },
    { auto: true },
  ],
  baseURL: async ({ network }, use) => use(network.url),
});

/** Leaves the tab, which keeps its page, and returns to it. */
export async function leave(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
    Reflect.deleteProperty(document, 'hidden');
  });
}

/** What can be read in the copies of the page, one for each build; or why there is none, for the report. */
function copyOf(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const names = (await caches.keys()).filter((name) => name.includes(':pages:'));
    const copies = await Promise.all(names.map(async (name) => (await (await caches.open(name)).match(location.pathname))?.text()));
    const texts = copies.filter((copy) => copy !== undefined).map((copy) => copy.replace(/<(script|style)[^]*?<\/\1>|<[^>]*>/g, ' ').replace(/\s+/g, ' '));
    return texts.join('\n') || `not there; the worker is ${navigator.serviceWorker.controller?.state ?? 'not in control'}, live is ${document.documentElement.dataset.live}`;
  });
}

/** Waits until the worker has kept the page with this text, of itself. */
export async function copied(page: Page, text: string): Promise<void> {
  await expect.poll(() => copyOf(page), `${page.url()} is kept`).toContain(text);
}

/** Waits until the worker has kept the page with this text: leaving the tab keeps it. */
export async function kept(page: Page, text: string): Promise<void> {
  const find = async () => {
    await leave(page);
    return copyOf(page);
  };
  await expect.poll(find, `${page.url()} is kept`).toContain(text);
}

/** Reconnects at once, unless the page has done so itself. */
export async function retry(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Retry now' }).click({ timeout: 2_000 }).catch(() => {});
}
