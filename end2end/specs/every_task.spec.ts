// The tasks of reading and acting that no other spec does in all ways: with a thumb at 360 x 640, which is the hardest, and
// with all repetitions with the keyboard alone, too.
import type { Page } from '@playwright/test';
import { CAN, NO_PROVIDER, STATUS } from '../dialect.ts';
import { expect, test } from '../fixtures.ts';
import { handOf, openPanel } from '../hand.ts';

test.describe.configure({ timeout: 240_000 });

const EVERY_WAY = { tag: ['@phone', '@nojs'] };
/** The tasks that are also done with the keyboard alone each time. */
const BOTH_WAYS = { tag: ['@phone', '@both', '@nojs'] };

test('earlier rows are read, and what was found leads to its place', EVERY_WAY, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  const id = await person.createConversation('Many steps [[scenario:long:60]]');
  await person.seeStatus('finished');
  await person.open(`/c/${id}`);
  await expect(person.row('Many steps')).toHaveCount(0);
  await expect(async () => {
    const older = page.getByRole('link', { name: 'Older', exact: true });
    if (await older.isVisible()) await hand.press(older);
    await expect(person.row('Many steps').first()).toBeVisible({ timeout: 3_000 });
  }).toPass();
  await person.open(`/c/${id}`);
  await hand.press(page.locator('.conversation__controls summary'));
  await hand.press(page.getByRole('link', { name: 'Search this conversation' }));
  const field = page.getByRole('searchbox', { name: 'Search this conversation' });
  await hand.fill(field, 'echo step 19');
  await field.press('Enter');
  await person.firstResult();
  await hand.press(page.locator('.result__link').first());
  await expect(person.step('echo step 19')).toBeVisible();
});

test('steps, outputs, pictures, the plan and the cost are read', BOTH_WAYS, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  const id = await person.createConversation('Please repair this small project');
  await person.see(person.approval('rm -rf build'));
  await person.open(`/c/${id}`);

  await openPanel(hand, page, 'Terminal');
  await hand.press(page.locator('.panel').getByRole('link', { name: 'python tally.py' }));
  const step = person.step('python tally.py');
  await expect(step).toBeInViewport();
  const summary = step.locator('summary').first();
  const isOpen = await step.evaluate((details) => details.hasAttribute('open'));
  await hand.press(summary);
  expect(await step.evaluate((details) => details.hasAttribute('open'))).toBe(!isOpen);

  await openPanel(hand, page, 'Files');
  await hand.press(page.locator('.panel').getByRole('link', { name: 'tally.py', exact: true }));
  await person.see(page.locator('.files__view .line').first());
  await expect(page.locator('.files__view').getByRole('link', { name: 'Download this file' })).toBeVisible();

  await openPanel(hand, page, 'Changes');
  await person.see(page.locator('.panel .block-diff').first());

  await openPanel(hand, page, 'Browser');
  await hand.press(page.locator('.filmstrip__frame').first());
  await expect(page.locator('.panel .block-image img').first()).toBeVisible();

  await openPanel(hand, page, 'Tasks');
  await expect(page.locator('.panel .task[data-status="done"]')).toHaveCount(2);

  await openPanel(hand, page, 'Info');
  await expect(page.locator('.panel')).toContainText('Cost and tokens');
  await expect(page.locator('.panel')).toContainText(/\$\d/);
});

test('an output is read to its end, and a shortened one is shown in full on demand', EVERY_WAY, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  await person.createConversation('Please repair this small project');
  await person.see(person.approval('rm -rf build'));
  const step = person.step('ls -la && git log --oneline');
  const all = step.locator('.block__rest > summary');
  await expect(step.getByText('91d02f7 Start')).not.toBeInViewport();
  await hand.press(step.locator('> summary'));
  await hand.press(all);
  await expect(step.locator('.block__rest')).toHaveAttribute('open', '');
  await expect(step.locator('.block__body').last()).toContainText('91d02f7 Start');

  const long = page.locator('.timeline details.step').filter({ has: page.locator('.step__subject', { hasText: 'python -m timeit' }) });
  const output = long.locator('.block-terminal');
  await expect(output).toContainText(/Output: \d+ of \d+ lines/);
  // Its beginning and its end are shown. (Of a longer output 0.62 leaves out the middle, and 1.x the first lines.)
  await expect(output).toContainText('raw times, run 1200:');
  await expect(output).not.toContainText('raw times, run  300:');
  await hand.press(long.locator('> summary'));
  await hand.press(output.getByRole('link', { name: 'Show all', exact: true }));
  await expect(output).toContainText('raw times, run  300:');
  await expect(output.getByRole('link', { name: 'Show all', exact: true })).toHaveCount(0);
  await expect(output.locator('.block__rest')).toHaveAttribute('open', '');
});

test('an agent is answered and stopped', BOTH_WAYS, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  await person.open('/new');
  const main = page.getByRole('main');
  await hand.fill(main.getByLabel('First message'), 'Ask me [[scenario:confirm]]');
  await hand.press(main.getByRole('button', { name: 'Start', exact: true }));
  await page.waitForURL(/\/c\//);
  await person.alive();
  const card = person.approval('echo "confirm me"');
  await person.see(card);
  const approve = card.getByRole('button', { name: 'Approve' });
  if (person.scripted) await expect(approve).not.toHaveAttribute('aria-disabled', 'true');
  else await expect(approve).toBeVisible();
  await hand.press(approve);
  await person.see(person.approval('print(6 * 7)'));
  if (person.scripted) await hand.press(person.rejectButton(person.approval()));
  await hand.fill(page.getByLabel('Message', { exact: true }), 'No sums');
  const reject = page.getByRole('button', { name: 'Reject with reason', exact: true });
  await expect(reject).not.toHaveAttribute('aria-disabled', 'true');
  // Without JavaScript the server takes it a moment after it sent the page.
  if (!person.scripted) await expect(person.approval().getByRole('button', { name: 'Reject', exact: true })).toBeVisible();
  await hand.press(reject);
  await person.see(person.row('No sums'));
  await person.see(person.approval('confirm.txt'));
  const stop = page.getByRole('button', { name: 'Stop', exact: true });
  await expect(stop).not.toHaveAttribute('aria-disabled', 'true');
  await hand.press(stop);
  await expect(async () => {
    if (!person.scripted) await page.reload();
    await expect(person.approval()).toHaveCount(0, { timeout: 2_000 });
  }).toPass();
});

/** The number of the newest step of the scenario `long` on the page. */
async function newestStep(page: Page): Promise<number> {
  const subjects = await page.locator('.timeline .step__subject').allTextContents();
  return Math.max(0, ...subjects.map((subject) => Number(/^echo step (\d+)$/.exec(subject.trim())?.[1] ?? 0)));
}

test.describe('at a slow pace', () => {
  // The agent must still be at work when the last control is reached.
  test.use({ serverArgs: ['--rehearsal-pace', '250'] });
  test('an agent is paused, resumed and stopped', EVERY_WAY, async ({ person, page, isMobile }) => {
    const hand = handOf(person, page, isMobile);
    const control = (name: string) => page.getByRole('button', { name, exact: true });
    const press = async (name: string) => {
      await person.see(control(name));
      await expect(control(name)).not.toHaveAttribute('aria-disabled', 'true');
      await hand.press(control(name));
    };
    await person.createConversation('Take your time [[scenario:long:5000]]');
    await person.seeWork();
    // A phone has Stop in the header, and Pause in the menu.
    if (isMobile) await hand.press(page.locator('.conversation__controls summary'));
    await press('Pause');
    await person.seeStatus('paused');
    const before = await newestStep(page);
    await press('Resume');
    if (!CAN.resume) {
      // 0.62 reports that it is running and does nothing until it gets a message.
      await person.see(page.getByText('The agent has not resumed.'));
      await hand.fill(page.getByLabel('Message', { exact: true }), 'continue');
      await hand.press(page.locator('.composer__send'));
    }
    await expect(async () => {
      if (!person.scripted) await person.reload();
      expect(await newestStep(page)).toBeGreaterThan(before);
    }).toPass();
    await press('Stop');
    await person.seeStatus(STATUS.stopped);
    // Nothing runs any more, so there is nothing to pause.
    await person.see(control('Resume'));
    await expect(control('Pause')).toHaveCount(0);
  });
});

test('a conversation is downloaded and forked where the backend can', EVERY_WAY, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await hand.press(page.locator('.conversation__controls summary'));
  await hand.press(page.getByRole('link', { name: 'Export…' }));
  const saved = page.waitForEvent('download');
  await hand.press(page.getByRole('button', { name: 'Markdown' }));
  expect((await saved).suggestedFilename()).toMatch(/\.md$/);
  if (CAN.shutDown) return;
  await person.open(`/c/${id}`);
  await hand.press(page.locator('.conversation__controls summary'));
  await hand.press(page.getByRole('button', { name: 'Fork conversation' }));
  await page.waitForURL((url) => /\/c\//.test(url.pathname) && !url.pathname.endsWith(id));
});

test('what needs approval is chosen in the settings', EVERY_WAY, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  await person.open('/settings');
  await hand.choose(page.getByLabel('Risk analyzer'), (await page.getByLabel('Risk analyzer').locator('option[value=""]').innerText()).trim());
  await hand.press(page.getByRole('button', { name: 'Save settings' }));
  if (person.scripted) await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await person.open('/settings');
  await expect(page.getByLabel('Risk analyzer')).toHaveValue('');
  // Without an analyzer every action waits.
  await person.createConversation('Many steps [[scenario:long:20]]');
  await person.see(person.approval('echo step 1'));
});

test('the instructions and tools of an agent are read', EVERY_WAY, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await openPanel(hand, page, 'Info');
  const info = page.locator('.panel');
  await person.see(info.getByRole('heading', { name: 'Instructions and tools' }));
  await person.see(info.getByText('You are a rehearsal agent. You follow a script and execute nothing.'));
  await expect(info).toContainText('finish');
  await person.see(info.getByText('No microagents'));
});

test('a conversation starts with a place and instructions', EVERY_WAY, async ({ person, page, isMobile, watch }) => {
  watch.allow(/status of [45]\d\d/);
  const hand = handOf(person, page, isMobile);
  await person.open('/new');
  const main = page.getByRole('main');
  const start = main.getByRole('button', { name: 'Start', exact: true });
  await hand.fill(main.getByLabel('First message'), 'hello [[scenario:hello]]');
  await hand.press(main.getByText('Instructions for the agent'));
  await hand.fill(main.getByLabel('Instructions', { exact: true }), 'Be brief');
  if (CAN.chooseFolder) {
    await hand.press(main.getByText('Choose a folder'));
    await hand.fill(main.getByLabel('Folder', { exact: true }), '/workspace/elsewhere');
    await hand.press(start);
    await page.waitForURL(/\/c\//);
    await person.seeTurn();
    await openPanel(hand, page, 'Info');
    await expect(page.locator('.facts__row').filter({ hasText: 'Folder' })).toContainText('/workspace/elsewhere');
    await person.open('/');
    await person.see(page.locator('.conversation-row').filter({ hasText: '/workspace/elsewhere' }));
    return;
  }
  // The rehearsal of 0.62 has no repositories, and says which one was asked for.
  await hand.press(main.getByText('Repository and branch'));
  await hand.fill(main.getByLabel('Repository', { exact: true }), 'acme/tools');
  await hand.fill(main.getByLabel('Branch', { exact: true }), 'next');
  await hand.press(start);
  await person.see(page.getByText(NO_PROVIDER));
  if (!person.scripted) return;
  await expect(main.getByLabel('First message')).toHaveValue('hello [[scenario:hello]]');
  await expect(main.getByLabel('Branch', { exact: true })).toHaveValue('next');
});
