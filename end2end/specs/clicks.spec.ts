// Misdirected presses: no approval is answered before its question could be read.
import { ALL } from '../all.ts';
import { type Press, answersOf, click, key, middle, pressAt, resumed, tap, watchDrawing } from '../clicks.ts';
import { STATUS } from '../dialect.ts';
import { type Person, expect, test, testWithBackend } from '../fixtures.ts';
import { REST } from '../person.ts';

test.describe.configure({ timeout: 60_000 });

/** Pairs of presses per input method: HANDRAIL_PAIRS. */
const PAIRS = Number(process.env.HANDRAIL_PAIRS ?? (ALL ? 12 : 5));

/** Maximum gap between two presses, in milliseconds. */
const LONGEST_GAP = 1_500;

/** Minimum time that a question must be visible before an answer counts, in milliseconds. */
const MIN_VIEW_TIME = 700;

/** Offsets of impatient presses in milliseconds, all within that time. */
const HURRY = [0, 150, 300, 450];

const approve = (person: Person) => person.approval().getByRole('button', { name: 'Approve' });

/** Waits until the buttons are armed. */
async function armed(person: Person): Promise<void> {
  await person.see(person.approval());
  await person.readToTheEnd(person.approval());
  // Without a script an answer on its way stays on the page until the page is loaded again.
  await person.see(approve(person).and(person.page.locator(':enabled')));
}

/** Three conversations with a pending approval: the maximum that runs concurrently. */
async function threeQuestions(person: Person): Promise<string[]> {
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    ids.push(await person.createConversation('Ask me [[scenario:confirm]]'));
    await person.see(person.approval());
  }
  return ids;
}

testWithBackend('a press that began before the question was read counts for nothing, and covered buttons are not armed', async ({ person, page, rehearsal }) => {
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  await armed(person);
  await page.locator('body').press('?');
  await expect(approve(person)).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Escape');
  await armed(person);
  const { x, y } = await middle(approve(person));
  await page.mouse.click(x, y);
  await expect(person.approval('print(6 * 7)')).toBeVisible();
  await page.mouse.down();
  await armed(person);
  await page.mouse.up();
  // When the next answer has taken effect, the ignored press would have done so, too.
  await person.reject('print(6 * 7)', 'no');
  await person.see(person.approval('confirm.txt'));
  expect(await rehearsal.answers(id)).toEqual([true, false]);
});

testWithBackend('typing moves the action and disarms nothing, Enter answers at once, and other movements arm anew', async ({ person, page, rehearsal }) => {
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  await armed(person);
  const field = page.getByLabel('Message', { exact: true });
  await person.openReason(person.approval());
  // The field that opened has moved it, which is noticed a moment later.
  await page.waitForTimeout(400);
  await armed(person);
  const action = person.approval().locator('.approval__what');
  const { y } = await middle(action);
  await field.fill('one\ntwo\nthree\nfour');
  await expect.poll(async () => (await middle(action)).y).toBeLessThan(y);
  // Longer than it takes to notice a movement.
  await page.waitForTimeout(400);
  await expect(approve(person)).not.toHaveAttribute('aria-disabled', 'true', { timeout: 1 });
  await page.locator('.conversation__foot').evaluate((foot) => {
    foot.style.paddingBottom = '60px';
    foot.querySelector<HTMLElement>('[value="reject"]')?.click();
  });
  await expect(approve(person)).toHaveAttribute('aria-disabled', 'true');
  await expect(page.getByText('That press came too early')).toBeVisible();
  // Enter is no button that could have moved.
  await field.press('Enter');
  await person.see(person.approval('print(6 * 7)'));
  expect(await rehearsal.answers(id)).toEqual([false]);
});

testWithBackend('in the inbox the next question does not get the click that was meant for the one before it, and what is not in view is not armed', { tag: ['@phone', '@nojs'] }, async ({ person, page, rehearsal, isMobile }) => {
  const ids = await threeQuestions(person);
  await person.open('/inbox');
  const questions = page.locator('.approval');
  await expect(questions).toHaveCount(3);
  const first = questions.first().getByRole('button', { name: 'Approve' });
  await expect(first).toBeEnabled();
  if (isMobile) {
    // What has not been in view cannot be approved: the button leads there instead.
    await person.see(questions.last().getByRole('button', { name: REST }));
    await person.readToTheEnd(questions.last());
  }
  await first.scrollIntoViewIfNeeded();
  await expect(first).toBeEnabled();
  await pressAt(page, await middle(first), click, HURRY);
  await person.readToTheEnd(questions.first());
  await expect(first).toBeEnabled();
  const answers = await Promise.all(ids.map((id) => rehearsal.answers(id)));
  expect(answers.flat()).toEqual([true]);
});

test('a second click on Stop does not resume the agent', { tag: ['@phone-all', '@nojs'] }, async ({ person, page }) => {
  await person.createConversation('Something slow [[scenario:slow:20000]]');
  await person.see(person.row('This takes a while.'));
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  await person.see(stop);
  await expect(stop).toBeEnabled();
  // What stops an agent never waits.
  await expect(stop).not.toHaveAttribute('data-arms');
  await pressAt(page, await middle(stop), click, HURRY);
  await person.seeStatus(STATUS.stopped);
  await expect(page.getByRole('button', { name: 'Resume', exact: true })).toBeEnabled();
  expect(await resumed(page)).toBe(0);
});

/** Requires approval for every action. */
async function askAlways(person: Person): Promise<void> {
  await person.open('/settings');
  await person.page.getByLabel('Risk analyzer').selectOption('');
  await person.page.getByRole('button', { name: 'Save settings' }).click();
  if (person.scripted) await expect(person.page.getByText('Saved', { exact: true })).toBeVisible();
}

/**
 * Presses in pairs with gaps of all lengths, and checks that every answered question had been visible for long enough.
 */
async function pairs(person: Person, press: Press, way: string): Promise<void> {
  const { page } = person;
  const drawn = await watchDrawing(person);
  await askAlways(person);
  const id = await person.createConversation('Take many steps [[scenario:long:100000]]');
  for (let pair = 0; pair < PAIRS; pair += 1) {
    await armed(person);
    const gap = PAIRS > 1 ? Math.round((LONGEST_GAP * pair) / (PAIRS - 1)) : 0;
    await pressAt(page, await middle(approve(person)), press, [0, gap]);
  }
  await armed(person);
  const times = await drawn.times();
  const answers = await answersOf(page, id);
  const counted = answers.filter((answer) => answer.counted);
  const shown = counted.map(({ token, at }) => at - (times.get(token) ?? Infinity));
  const least = Math.min(...shown);
  console.log(`${way}: ${PAIRS} pairs, ${counted.length} answers counted, ${answers.length - counted.length} were refused; shown for at least ${Math.round(least)} ms`);
  expect(counted.length).toBeGreaterThanOrEqual(PAIRS);
  expect(shown.filter((time) => !(time >= MIN_VIEW_TIME)), 'shown for less, or never').toEqual([]);
}

test.describe('of two presses none answers what was not read', () => {
  test.describe.configure({ timeout: 60_000 + PAIRS * 8_000 });
  test('mouse', async ({ person }) => pairs(person, click, 'mouse'));
  test('keyboard', async ({ person }) => pairs(person, key, 'keyboard'));
  test('touch', { tag: ['@phone-only'] }, async ({ person }) => pairs(person, tap, 'touch'));
  test('without a script', { tag: ['@nojs-only'] }, async ({ person }) => pairs(person, click, 'without a script'));
});
