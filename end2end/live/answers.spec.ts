// Approving and rejecting with a real OpenHands. 0.62 executes edits and reads before they are answered.
import { type Person } from '../fixtures.ts';
import { IS_AGENT_SERVER, askBeforeActions, createConversationIn, expect, scene, test } from './real.ts';
import { QUESTIONS } from './scenes.ts';

const CAUTION = 'OpenHands already did this.';
const CELL = 'ipython needs confirmation too';
const EDIT = 'should this exist yet?';
const READ = 'Allow read access?';

test.beforeEach(({ person }) => askBeforeActions(person));

test('commands wait for approval, and a rejected one is not executed', async ({ person, page }) => {
  const { asks, more, last } = QUESTIONS;
  const [first, second, third] = asks as [string, string, string];
  await createConversationIn(person, 'Ask me', 'confirm');
  await person.approve(first);
  await person.see(person.approval(second));
  await expect(person.step(first)).toHaveAttribute('data-state', 'done');
  await expect(person.approval()).not.toContainText(CAUTION);
  await person.reject(second, 'Leave no such files');
  // The reason is a message, too, so the agent continues.
  await person.approve(third);
  for (const command of more) await person.approve(command);
  // The final report is a call, too.
  if (IS_AGENT_SERVER && (await asksAgain(person, last))) await person.approve(last);
  await person.see(person.row(last));
  await expect(person.step(first)).toHaveCount(1);
  await expect(person.step(second)).not.toHaveAttribute('data-state', 'done');
  await expect(person.row('Leave no such files').last()).toBeVisible();
  const document = await (await page.request.get(`/c/${person.conversation}/export.md`)).text();
  const before = (command: string) => document.slice(0, document.indexOf(command)).split('\n### ').at(-1);
  expect(before(second)).toContain('**Rejected');
  expect(before(first)).not.toContain('**');
  const files = await person.view('Files');
  await expect(files).not.toContainText('Loading');
  await expect(page.getByRole('link', { name: 'rejected.txt' })).toHaveCount(0);
});

test('0.62 executes edits and reads before the answer, and their cards say so; cells wait', async ({ person, page }) => {
  test.skip(IS_AGENT_SERVER, 'an agent-server executes nothing before the answer');
  await person.createConversation(`Ask me about files ${scene('confirm_edit')}`);
  await person.approve('pwd');
  await withCaution(person, EDIT);
  await person.view('Files');
  await person.see(page.getByRole('link', { name: 'confirm_edit.txt' }));
  await person.view('Timeline');
  await person.reject(EDIT, 'Not yet');
  await withCaution(person, READ);
  await person.approve(READ);
  await person.see(person.approval(CELL));
  await expect(person.approval()).not.toContainText(CAUTION);
  await person.reject(CELL, 'No cells');
  await person.see(person.row('Done.'));
  await person.seeStatus('finished');

  await person.say(`The other way round ${scene('confirm_edit')}`);
  await person.approve('pwd');
  await withCaution(person, EDIT);
  await person.approve(EDIT);
  await withCaution(person, READ);
  await person.reject(READ, 'Do not look');
  await person.approve(CELL);
  await person.see(person.row('Done.').nth(1));
  await person.seeStatus('finished');
  // It was written before the first answer; each approval only made 0.62 try again.
  await expect(person.row('File already exists')).not.toHaveCount(0);
});

test('a message instead of an answer drops the pending action', async ({ person }) => {
  const [first, second, third] = QUESTIONS.asks as [string, string, string];
  await createConversationIn(person, 'Ask me', 'confirm');
  await person.see(person.approval(first));
  await person.say('Why do you want that?');
  await person.approve(second);
  await person.approve(third);
  await person.see(IS_AGENT_SERVER ? person.approval(QUESTIONS.more[0]) : person.row(QUESTIONS.last));
  await expect(person.step(first)).not.toHaveAttribute('data-state', 'done');
});

/** Whether this is pending approval; `false` if it has already been done. */
async function asksAgain(person: Person, about: string): Promise<boolean> {
  await person.see(person.approval(about).or(person.row(about)));
  return person.approval(about).isVisible();
}

async function withCaution(person: Person, about: string): Promise<void> {
  await person.see(person.approval(about));
  await expect(person.approval(about)).toContainText(CAUTION);
}
