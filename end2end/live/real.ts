// `test` against a real OpenHands at HANDRAIL_LIVE whose model is scripted. A conversation takes minutes to start and
// much memory, so each test makes one, uses it for all it wants to know, deletes it, and puts the settings back.
import { randomUUID } from 'node:crypto';
import { test as base } from '../fixtures.ts';

export { expect } from '../fixtures.ts';

const SERVER = process.env.HANDRAIL_LIVE ?? '';

/** The command that restarts the OpenHands server, if a test may do that. */
export const RESTART = process.env.HANDRAIL_LIVE_RESTART;

export const test = base.extend<{ tidy: void }>({
  serverArgs: async ({}, use) => use(['--backend', SERVER]),
  patience: 400_000,
  tidy: [
    async ({}, use) => {
      base.skip(SERVER === '', 'HANDRAIL_LIVE names no OpenHands');
      base.setTimeout(900_000);
      const before = await conversations();
      const settings = await (await fetch(`${SERVER}/api/settings`)).text();
      await use();
      await fetch(`${SERVER}/api/settings`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: settings });
      for (const id of (await conversations()).filter((id) => !before.includes(id))) {
        await fetch(`${SERVER}/api/conversations/${id}`, { method: 'DELETE' });
      }
    },
    { auto: true },
  ],
});

/** The words that choose a script of the model, and make it begin at its first step. */
export const scene = (name: string): string => `[[scenario:${name}]] [[run:${randomUUID().slice(0, 8)}]]`;

async function conversations(): Promise<string[]> {
  const { results } = await (await fetch(`${SERVER}/api/conversations?limit=100`)).json();
  return results.map((one: { conversation_id: string }) => one.conversation_id);
}
