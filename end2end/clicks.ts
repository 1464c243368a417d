// Rapid presses and their evaluation: the server's audited answers, compared with the times at which their questions
// were drawn.
import { setTimeout as pause } from 'node:timers/promises';
import type { CDPSession, Page } from '@playwright/test';
import type { Person } from './person.ts';

/** A press at a position of the page. */
export type Press = (page: Page, at: { x: number; y: number }) => Promise<void>;

/** Presses several times at one position; `gaps` are the offsets from the first press, in milliseconds. */
export async function pressAt(page: Page, at: { x: number; y: number }, press: Press, gaps: readonly number[]): Promise<void> {
  const start = Date.now();
  for (const gap of gaps) {
    // A fixed delay on purpose: the time between presses is what is tested.
    await pause(Math.max(0, start + gap - Date.now()));
    await press(page, at);
  }
}

/** The centre of a button. */
export async function middle(button: ReturnType<Page['locator']>): Promise<{ x: number; y: number }> {
  const box = await button.boundingBox();
  if (box === null) throw new Error('there is no such button on the screen');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

export const click: Press = (page, { x, y }) => page.mouse.click(x, y);
export const tap: Press = (page, { x, y }) => page.touchscreen.tap(x, y);
/** By keyboard shortcut, whatever has the focus. */
export const key: Press = async (page) => {
  await page.keyboard.press('a');
  await page.keyboard.press('Enter');
};

/** An accepted or refused answer, as audited by the server when it arrived. */
export interface Answer {
  token: string;
  /** Time of arrival, in milliseconds since the Unix epoch. */
  at: number;
  counted: boolean;
}

/** The answers in a conversation according to the audit log. */
export async function answersOf(page: Page, conversation: string): Promise<Answer[]> {
  const lines = (await (await page.request.get('/audit.jsonl')).text()).trim().split('\n').map((line) => JSON.parse(line));
  const answers = lines.filter((line) => ['approve', 'reject'].includes(line.action) && line.conversation === conversation);
  const starts = new Map(answers.filter((line) => line.outcome === 'begun').map((line) => [line.number, line]));
  return answers
    .filter((line) => line.outcome !== 'begun')
    .map((line) => ({ token: line.digest, at: Date.parse(starts.get(line.about)?.at ?? line.at), counted: line.outcome === 'done' }));
}

/** How often the agent was resumed. */
export async function resumed(page: Page): Promise<number> {
  return (await (await page.request.get('/audit.jsonl')).text()).match(/"action":"resume"/g)?.length ?? 0;
}

/** When each question was drawn for the first time, in milliseconds since the Unix epoch, by token. */
export interface Drawn {
  times(): Promise<Map<string, number>>;
}

/** Records what a person's page draws: with an injected script, or from outside where JavaScript is disabled. */
export async function watchDrawing({ page, scripted }: Person): Promise<Drawn> {
  return scripted ? watchWithin(page) : watchFromOutside(page);
}

async function watchWithin(page: Page): Promise<Drawn> {
  await page.addInitScript(() => {
    const drawn: Record<string, number> = {};
    Object.assign(window, { drawn });
    const check = () => {
      for (const field of document.querySelectorAll<HTMLInputElement>('.approval input[name="token"]')) {
        const token = field.value;
        // The second frame starts after the first one has been painted.
        requestAnimationFrame(() => requestAnimationFrame(() => (drawn[token] ??= Date.now())));
      }
    };
    new MutationObserver(check).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['value'] });
  });
  return { times: async () => new Map(Object.entries(await page.evaluate(() => (window as unknown as { drawn: Record<string, number> }).drawn))) };
}

async function watchFromOutside(page: Page): Promise<Drawn> {
  const session: CDPSession = await page.context().newCDPSession(page);
  const drawn = new Map<string, number>();
  const pages = new Map<string, { token: Promise<string | undefined>; wall: number }>();
  const work: Promise<void>[] = [];
  await session.send('Network.enable');
  await session.send('Page.enable');
  await session.send('Page.setLifecycleEventsEnabled', { enabled: true });
  session.on('Network.requestWillBeSent', ({ type, loaderId, timestamp, wallTime, requestId }) => {
    if (type !== 'Document') return;
    const token = new Promise<string | undefined>((resolve) => {
      session.on('Network.loadingFinished', (finished) => {
        if (finished.requestId !== requestId) return;
        session.send('Network.getResponseBody', { requestId }).then(
          ({ body }) => resolve(/name="token" value="([0-9a-f]+)"/.exec(body)?.[1]),
          // The page was left already.
          () => resolve(undefined),
        );
      });
    });
    pages.set(loaderId, { token, wall: wallTime - timestamp });
  });
  session.on('Page.lifecycleEvent', ({ name, loaderId, timestamp }) => {
    const shown = pages.get(loaderId);
    if (name !== 'firstContentfulPaint' || shown === undefined) return;
    const at = (timestamp + shown.wall) * 1000;
    work.push(shown.token.then((token) => void (token !== undefined && !drawn.has(token) && drawn.set(token, at))));
  });
  return {
    times: async () => {
      await Promise.all(work);
      return drawn;
    },
  };
}
