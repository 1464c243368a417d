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

/** Waits until the worker has kept the current state of the page. */
export async function kept(page: Page, text: string): Promise<void> {
  const path = new URL(page.url()).pathname;
  const find = async () => {
    // Leaving the tab keeps it.
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
      document.dispatchEvent(new Event('visibilitychange'));
      Reflect.deleteProperty(document, 'hidden');
    });
    return page.evaluate(async ({ path, text }) => {
      let found = `not there; the worker is ${navigator.serviceWorker.controller?.state ?? 'not in control'}, live is ${document.documentElement.dataset.live}`;
      for (const name of (await caches.keys()).filter((name) => name.includes(':pages:'))) {
        const page = await (await (await caches.open(name)).match(path))?.text();
        if (page?.includes(text)) return 'kept';
        // What the page says, for the report.
        found = page?.replace(/<(script|style)[^]*?<\/\1>|<[^>]*>/g, ' ').replace(/\s+/g, ' ').slice(0, 2_000) ?? found;
      }
      return found;
    }, { path, text });
  };
  await expect.poll(find, `${path} is kept with "${text}"`).toBe('kept');
}

/** Reconnects at once, unless the page has done so itself. */
export async function retry(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Retry now' }).click({ timeout: 2_000 }).catch(() => {});
}
