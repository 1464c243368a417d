// More than a hundred pending commands in a real OpenHands, answered in all possible ways: each is executed
// only if this very command was approved, and every answer is in the audit log.
import type { Page } from '@playwright/test';
import { add, logIn, setUp } from '../house.ts';
import type { Person } from '../fixtures.ts';
import type { Handrail } from '../server.ts';
import { IS_AGENT_SERVER, askBeforeActions, expect, get, scene, test } from './real.ts';

test.skip(IS_AGENT_SERVER, 'checked with the events of 0.x; for 1.x see agent_server.spec.ts');
test.use({ login: true });

const CONVERSATIONS = 5;
/** Each leads to three approvals. More messages would make OpenHands condense the conversation. */
const MESSAGES = 7;

/** Without a reason 0.62 does not continue with the next command. */
const REASON = 'Not like this';

/** A pending approval: its conversation and token. */
interface Asked {
  id: string;
  token: string;
  /** The token of the previous approval, which an outdated page still shows. */
  before?: string;
}

/** Two users with the same pending approval. */
interface TestConversation {
  ada: Person;
  olga: Person;
  handrail: Handrail;
}

/** The ways to answer, in order (a rejection precedes the outdated page); each returns whether the command may run, and the number of answers given. */
const WAYS: Record<string, (conversation: TestConversation, asked: Asked) => Promise<{ runs: boolean; answers: number }>> = {
  'yes by the one': async ({ ada }) => {
    await ada.approval().getByRole('button', { name: 'Approve' }).click();
    return { runs: true, answers: 1 };
  },
  'no with a reason': async ({ ada }) => {
    await reject(ada);
    return { runs: false, answers: 1 };
  },
  'a message instead of an answer': async ({ olga }) => {
    await olga.say('do not do that');
    return { runs: false, answers: 1 };
  },
  'resume instead of an answer, then no': async ({ ada, olga }, { id }) => {
    expect(await post(ada.page, 'steer', { id, order: 'resume' })).toContain('Approve or reject');
    await reject(olga);
    return { runs: false, answers: 1 };
  },
  'yes of a page that is out of date, then no': async ({ ada, olga }, { id, before }) => {
    if (before !== undefined) {
      expect(await post(olga.page, 'answer_confirmation', { id, token: before, decision: 'approve', reason: '' })).toMatch(/already|Review it again/);
    }
    await reject(ada);
    return { runs: false, answers: before === undefined ? 1 : 2 };
  },
  'yes in the other tab': async ({ olga }) => {
    await olga.approval().getByRole('button', { name: 'Approve' }).click();
    return { runs: true, answers: 1 };
  },
  'yes after a restart of Handrail': async ({ ada, handrail }, { token }) => {
    await handrail.restart();
    await ada.reload();
    await ada.see(ada.page.locator(`.approval input[name="token"][value="${token}"]`).locator('xpath=ancestor::section'));
    await ada.approval().getByRole('button', { name: 'Approve' }).click();
    return { runs: true, answers: 1 };
  },
  'yes and no at the same moment': async ({ ada, olga }, { id, token }) => {
    for (const { page } of [ada, olga]) await expect(page.getByRole('button', { name: 'Approve' })).toBeEnabled();
    const [yes, no] = await Promise.all([
      post(ada.page, 'answer_confirmation', { id, token, decision: 'approve', reason: '' }),
      post(olga.page, 'answer_confirmation', { id, token, decision: 'reject', reason: REASON }),
    ]);
    expect([yes, no].filter((refusal) => refusal === ''), `exactly one counts: ${yes} / ${no}`).toHaveLength(1);
    return { runs: yes === '', answers: 2 };
  },
};

test('a hundred answers in all ways: only approved commands are executed', async ({ person: ada, handrail, another, watch }) => {
  test.setTimeout(3_600_000);
  watch.allow(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|WebSocket connection|status of [45]\d\d/);
  await setUp(ada.page, handrail);
  await ada.open('/people');
  await add(ada.page, 'olga', 'operator');
  await askBeforeActions(ada);
  const olga = await another();
  await olga.page.goto('/login');
  await logIn(olga.page, 'olga');

  const ways = Object.entries(WAYS);
  const counts: Record<string, number> = {};
  let [approvals, answers] = [0, 0];
  for (let conversation = 0; conversation < CONVERSATIONS; conversation += 1) {
    const id = await ada.createConversation(`Ask me ${scene('confirm')}`);
    await olga.open(`/c/${id}`);
    const runs: boolean[] = [];
    let before: string | undefined;
    for (let message = 0; message < MESSAGES; message += 1) {
      if (message > 0) await ada.say(`Ask me ${scene('confirm')}`);
      for (let question = 0; question < 3; question += 1) {
        const token = await bothSee(ada, olga, before);
        const [way, answer] = ways[approvals % ways.length]!;
        const given = await test.step(way, () => answer({ ada, olga, handrail }, { id, token, before }));
        runs.push(given.runs);
        answers += given.answers;
        approvals += 1;
        counts[way] = (counts[way] ?? 0) + 1;
        before = token;
      }
      await ada.see(ada.row('Done with confirmations.').nth(message));
    }
    expect(await carriedOut(id), `conversation ${conversation}`).toEqual(runs);
  }
  const entries = await audit(ada.page);
  const given = entries.filter((entry) => entry.outcome !== 'begun' && ['approve', 'reject', 'send'].includes(entry.action));
  console.log(JSON.stringify({ approvals, answers, counts, inTheAudit: given.length }));
  expect(approvals).toBeGreaterThan(100);
  // Besides the answers there are the messages that led to the next approvals.
  expect(given.length).toBe(answers + CONVERSATIONS * (MESSAGES - 1));
});

/** Rejects on the page. */
async function reject(person: Person): Promise<void> {
  await person.openReason(person.approval());
  await person.page.getByLabel('Message', { exact: true }).fill(REASON);
  await person.rejectButton(person.approval()).click();
}

/** Waits until both see the same new approval; returns its token. */
async function bothSee(ada: Person, olga: Person, before: string | undefined): Promise<string> {
  let token = '';
  await expect(async () => {
    const of = (page: Page) => page.locator('.approval input[name="token"]').first().getAttribute('value', { timeout: 1_000 });
    const [first, second] = await Promise.all([of(ada.page), of(olga.page)]);
    expect(first).toBeTruthy();
    expect(second).toBe(first);
    expect(first).not.toBe(before);
    token = first ?? '';
  }).toPass({ timeout: 400_000, intervals: [100] });
  return token;
}

/** Submits a form of the page with outdated fields; returns the refusal, or nothing. */
async function post(page: Page, action: string, form: Record<string, string>): Promise<string> {
  const path = await page.locator(`form[action*="/${action}"]`).first().getAttribute('action');
  const url = new URL(path ?? '', page.url());
  const answer = await page.request.post(url.href, { form, headers: { accept: 'application/json', origin: url.origin } });
  return answer.ok() ? '' : answer.text();
}

/** For each pending command, in order: whether OpenHands executed it, according to its events. */
async function carriedOut(id: string): Promise<boolean[]> {
  const done: boolean[] = [];
  for (let from = 0, more = true; more; ) {
    const page = await get(`/api/conversations/${id}/events?start_id=${from}&limit=100`);
    for (const event of page.events) {
      from = event.id + 1;
      if (event.action === 'run' && event.args?.confirmation_state === 'awaiting_confirmation') done.push(false);
      if (event.observation === 'run' && done.length > 0) done[done.length - 1] = true;
    }
    more = page.has_more;
  }
  return done;
}

/** All entries of the audit log. */
async function audit(page: Page): Promise<{ action: string; outcome: string }[]> {
  const text = await (await page.request.get('/audit.jsonl')).text();
  return text.trim().split('\n').map((line) => JSON.parse(line));
}
