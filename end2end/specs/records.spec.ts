// What the timeline says about answers and of long content: reasons, rejected edits, links to rows.
import { type Person, expect, test } from '../fixtures.ts';
import { handOf, openPanel } from '../hand.ts';

test.describe.configure({ timeout: 120_000 });

const EVERYWHERE = { tag: ['@phone-all', '@nojs'] };

/** Rejects the pending action in the inbox, where a reason has a field of its own. */
async function rejectInInbox(person: Person, about: string, reason: string): Promise<void> {
  await person.open('/inbox');
  const item = person.page.locator('.inbox__item').filter({ hasText: about });
  await person.openReason(item);
  await item.getByLabel('Reason for rejecting').fill(reason);
  const reject = person.rejectButton(item);
  await expect(reject).toBeVisible();
  if (person.scripted) await expect(reject).not.toHaveAttribute('aria-disabled', 'true');
  await reject.click();
  await expect(async () => {
    if (!person.scripted) await person.reload();
    await expect(item).toHaveCount(0, { timeout: 2_000 });
  }).toPass();
}

test('a reason and a message of several lines keep their lines on the timeline', EVERYWHERE, async ({ person }) => {
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await rejectInInbox(person, 'echo "confirm me"', 'First reason\nSecond reason');
  await person.open(`/c/${id}`);
  const said = person.row('First reason');
  await person.see(said);
  // The text as it is drawn: a line break is in it only if it is visible.
  for (const row of await said.all()) expect(await row.innerText()).toMatch(/First reason\s*\n\s*Second reason/);
  await person.createConversation('First line\nSecond line [[scenario:hello]]');
  const message = person.row('First line');
  await person.see(message);
  expect(await message.first().innerText()).toMatch(/First line\s*\n\s*Second line/);
});

test('a rejected edit does not look like a done one', EVERYWHERE, async ({ person, page }) => {
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.approve('echo "confirm me"');
  await person.approve('print(6 * 7)');
  // The next action reads the same file.
  await person.reject('Allow this edit?', 'Not this file');
  const step = page.locator('.timeline details.step').filter({ has: page.locator('.step__subject', { hasText: 'confirm.txt' }) }).first();
  await person.see(step);
  await expect(step).toHaveAttribute('data-state', 'rejected');
  const head = step.locator('summary');
  // The state comes before everything else, and no number of changed lines stands behind it.
  expect(((await head.innerText()).trim())).toMatch(/^Rejected/);
  await expect(head).not.toContainText(/[+−-]\d/);
});

test('a link to an early row opens at it in another browser', EVERYWHERE, async ({ person, page, isMobile, another, javaScriptEnabled }) => {
  const hand = handOf(person, page, isMobile);
  const id = await person.createConversation('Many steps [[scenario:long:60]]');
  await person.seeStatus('finished');
  await person.open(`/c/${id}`);
  await expect(person.step('echo step 1')).toHaveCount(0);
  await openPanel(hand, page, 'Terminal');
  // The prompt before it is part of its name.
  const link = page.locator('.panel').getByRole('link', { name: /echo step 1$/ });
  const address = new URL((await link.getAttribute('href')) ?? '', page.url()).href;
  await hand.press(link);
  await expect(page).toHaveURL(/#row-\d+$/);
  await expect(person.step('echo step 1')).toBeInViewport();

  const other = await another({ viewport: page.viewportSize(), javaScriptEnabled, isMobile, hasTouch: isMobile });
  await other.open(address);
  await expect(other.step('echo step 1')).toBeInViewport();
  await expect(other.step('echo step 59')).toHaveCount(0);
  await expect(other.page.getByText("You're viewing earlier activity")).toBeVisible();
  await handOf(other, other.page, isMobile).press(other.page.getByRole('link', { name: 'Newest ↓' }));
  await expect(other.step('echo step 59')).toBeInViewport();
});

test('the address of an early row that was scrolled to leads to it again', async ({ person, page }) => {
  await person.createConversation('Many steps [[scenario:long:60]]');
  await person.seeStatus('finished');
  await person.reload();
  await expect(async () => {
    const older = page.getByRole('link', { name: 'Older', exact: true });
    if (await older.isVisible()) await older.click();
    await expect(person.step('echo step 1')).toHaveCount(1, { timeout: 3_000 });
  }).toPass();
  const terminal = await person.view('Terminal');
  await terminal.getByRole('link', { name: /echo step 1$/ }).click();
  await expect(person.step('echo step 1')).toBeInViewport();
  await person.reload();
  await expect(person.step('echo step 1')).toBeInViewport();
});
