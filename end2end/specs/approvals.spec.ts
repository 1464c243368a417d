// Approvals: shown in full, asked once, and reduced to one card afterwards.
import { CAN, CELL_TITLE, cell, file, inWorkspace } from '../dialect.ts';
import { type Person, expect, test } from '../fixtures.ts';

test.describe.configure({ timeout: 60_000 });

/** The warning for 0.62, which executes edits and reads before they are answered. */
const CAUTION = "OpenHands already did this. Approving repeats it; rejecting won't undo it.";

interface Asked {
  /** The heading of the card. */
  title: string;
  /** The text that the card must contain. */
  whole: string;
  subject: string;
  held: boolean;
}

/** The pending actions of the scenario `confirm` in this conversation, in order. */
const questions = (id: string): Asked[] => [
  { title: 'Run this command?', whole: 'echo "confirm me"', subject: 'echo "confirm me"', held: true },
  { title: CELL_TITLE, whole: 'print(6 * 7)', subject: cell('print(6 * 7)'), held: true },
  { title: 'Allow this edit?', whole: 'should this exist yet?', subject: file('confirm.txt'), held: CAN.holdEdits },
  { title: 'Allow read access?', whole: inWorkspace('confirm.txt', id), subject: file('confirm.txt'), held: CAN.holdEdits },
  { title: 'Allow this browser action?', whole: 'http://127.0.0.1:8000/', subject: 'http://127.0.0.1:8000/', held: true },
];

/** Matches the card of a pending action. */
const about = ({ title, whole }: Asked) => new RegExp([title, whole].map((text) => text.replace(/\W/g, '\\$&')).join('.*'), 's');

async function isAsked(person: Person, question: Asked): Promise<void> {
  const { whole, held } = question;
  const card = person.approval(about(question));
  await person.see(card);
  await expect(card.locator('.approval__what')).toContainText(whole);
  await expect(card).toContainText('Risk not rated');
  if (held) await expect(card).not.toContainText(CAUTION);
  else await expect(card).toContainText(CAUTION);
}

test('every kind of action can be approved and is one card afterwards', { tag: ['@phone', '@nojs'] }, async ({ person }) => {
  const asked = questions(await person.createConversation('Ask me [[scenario:confirm]]'));
  for (const question of asked) {
    await isAsked(person, question);
    await person.approve(about(question));
  }
  await person.seeStatus('finished');
  await person.see(person.row('You approved:'));
  await expect(person.row('You approved:')).toHaveCount(1);
  const subjects = asked.map((question) => question.subject);
  for (const subject of new Set(subjects)) {
    const times = subjects.filter((other) => other === subject).length;
    await expect(person.step(subject), subject).toHaveCount(times);
    await expect(person.step(subject).first(), subject).toHaveAttribute('data-state', 'done');
  }
});

test('every kind of action can be rejected and is one card afterwards', { tag: ['@nojs'] }, async ({ person }) => {
  const asked = questions(await person.createConversation('Ask me [[scenario:confirm]]'));
  for (const question of asked) {
    await isAsked(person, question);
    await person.reject(about(question), `No: ${question.whole}`);
    await person.see(person.row(`No: ${question.whole}`));
  }
  await person.seeStatus('finished');
  await person.see(person.row('You rejected, so it did not happen:'));
  await expect(person.row('You rejected, so it did not happen:')).toHaveCount(1);
  await expect(person.step('echo "confirm me"')).toHaveCount(1);
  await expect(person.step('echo "confirm me"')).toHaveAttribute('data-state', 'rejected');
});

test('without a reason a rejection waits for the next message', { tag: ['@all', '@nojs'] }, async ({ person }) => {
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.reject('echo "confirm me"');
  await person.seeStatus('idle');
  await person.say('Go on');
  await person.see(person.approval('print(6 * 7)'));
});

test('only risky actions wait for approval, and the card shows the risk', { tag: ['@all', '@nojs'] }, async ({ person }) => {
  await person.createConversation('Show the risks [[scenario:risk]]');
  await person.see(person.approval('echo HIGH risk'));
  await expect(person.approval()).toHaveAttribute('data-risk', 'high');
  await expect(person.approval()).toContainText('High risk');
  await expect(person.step('echo low risk')).toHaveAttribute('data-state', 'done');
  await expect(person.step('echo medium risk')).toContainText('Medium risk');
  await person.approve('echo HIGH risk');
  await person.see(person.approval('risky.txt'));
  if (CAN.holdEdits) await expect(person.approval()).not.toContainText(CAUTION);
  else await expect(person.approval()).toContainText(CAUTION);
});

test('a pending approval is in the title and announced, and a message rejects it with itself as the reason', { tag: ['@phone-all', '@nojs'] }, async ({ person, page }) => {
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  if (person.scripted) {
    await expect(page).toHaveTitle(/^\(1\) /);
    await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox' })).toContainText('1');
    await expect(page.getByRole('status').filter({ hasText: 'Approval needed: Run echo "confirm me"' })).toHaveCount(1);
  }
  await person.openReason(person.approval());
  await expect(page.getByPlaceholder('Tell the agent what to do instead')).toBeVisible();
  await person.say('Rather not, go on without it');
  await person.see(person.approval('print(6 * 7)'));
  await expect(person.step('echo "confirm me"')).toHaveAttribute('data-state', 'rejected');
  // The text appears once, although a rejection also carries it as its reason where the backend supports that.
  await expect(page.locator('.timeline .row--human').filter({ hasText: 'Rather not, go on without it' })).toHaveCount(1);
});

test('an approval stands in place of the message field, Reject opens the field for a reason, and one line says it afterwards', async ({ person, page }) => {
  await person.createConversation('Ask me [[scenario:confirm]]');
  const card = person.approval('echo "confirm me"');
  await person.see(card);
  const field = page.getByLabel('Message', { exact: true });
  await expect(field).toBeHidden();
  await expect(page.locator('.conversation .button--primary').filter({ visible: true })).toHaveCount(0);
  await card.getByRole('button', { name: 'Reject', exact: true }).click();
  await expect(field).toBeFocused();
  await page.keyboard.type('Use staging');
  const reject = card.getByRole('button', { name: 'Reject with reason', exact: true });
  await expect(reject).not.toHaveAttribute('aria-disabled', 'true');
  await reject.click();
  await person.see(person.approval('print(6 * 7)'));
  await expect(field).toBeHidden();
  const step = person.step('echo "confirm me"');
  await expect(step).not.toHaveAttribute('open');
  expect((await step.innerText()).match(/reject/gi)).toHaveLength(1);
});

test('on a phone a panel uses the screen, and the approval is one tap away', { tag: ['@phone-only'] }, async ({ person, page }) => {
  await person.createConversation('Please repair this small project');
  await person.see(person.approval('rm -rf build'));
  const files = await person.view('Files');
  await expect(files.getByRole('link', { name: 'tally.py', exact: true })).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('button', { name: 'Approve' })).toBeHidden();
  await person.approval().getByRole('link', { name: 'Review' }).click();
  await expect(page.getByRole('button', { name: 'Approve' })).toBeInViewport({ ratio: 1 });
});
