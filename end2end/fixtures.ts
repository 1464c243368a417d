// `test` for every spec: a Handrail with a fast rehearsal, a person at a browser, and a watch over all pages.
import type { BrowserContextOptions } from '@playwright/test';
import { below } from './front.ts';
import { Person } from './person.ts';
import { Rehearsal } from './rehearsal.ts';
import { test as base, expect } from './server.ts';
import { Watch } from './watch.ts';

/** An image of one red pixel, in Base64. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

export { expect } from './server.ts';
export type { Person } from './person.ts';

/** Milliseconds between two events of a rehearsal: so few that a page draws many of them at once, which costs it least. */
export const PACE = '2';

/** The same where a test does something while the agent is at work. */
export const STEADY = '20';

interface Fixtures {
  /** Collects forbidden events of this test's pages; the test fails if there are any. */
  watch: Watch;
  /** How long a person waits for an agent, in milliseconds. */
  agentTimeout: number;
  /** The user of the test. */
  person: Person;
  /** Adds another user with a browser context of their own. */
  another: (options?: BrowserContextOptions) => Promise<Person>;
}

export const test = base.extend<Fixtures>({
  serverArgs: async ({}, use) => use(['--rehearsal-pace', PACE]),
  watch: [
    async ({ context, handrail, login }, use) => {
      const watch = new Watch(() => handrail.url);
      watch.over(context);
      await below(context, handrail.url, login);
      await use(watch);
      expect(watch.report, 'what pages must never do').toEqual([]);
    },
    { auto: true },
  ],
  actionTimeout: async ({}, use) => use(15_000),
  agentTimeout: [40_000, { option: true }],
  person: async ({ page, javaScriptEnabled, agentTimeout, handrail }, use) =>
    use(new Person(page, javaScriptEnabled !== false, agentTimeout, () => handrail.url)),
  another: async ({ browser, contextOptions, handrail, login, ignoreHTTPSErrors, watch, locale, timezoneId, agentTimeout }, use) => {
    const contexts: { close(): Promise<void> }[] = [];
    await use(async (options = {}) => {
      const context = await browser.newContext({ ...contextOptions, baseURL: handrail.url, ignoreHTTPSErrors, locale, timezoneId, ...options });
      contexts.push(context);
      watch.over(context);
      await below(context, handrail.url, login);
      return new Person(await context.newPage(), options.javaScriptEnabled !== false, agentTimeout, () => handrail.url);
    });
    for (const context of contexts) await context.close();
  },
});

interface Rehearsed {
  /** The backend, in a process of its own. */
  rehearsal: Rehearsal;
  /** Milliseconds between two events of the backend. */
  pace: number;
}

/** `test` with a backend that supports fault injection. */
export const testWithBackend = test.extend<Rehearsed>({
  pace: [Number(STEADY), { option: true }],
  rehearsal: async ({ pace }, use) => {
    const rehearsal = await Rehearsal.start(pace);
    await use(rehearsal);
    await rehearsal.remove();
  },
  serverArgs: async ({ rehearsal }, use) => use(['--backend', rehearsal.url]),
});
