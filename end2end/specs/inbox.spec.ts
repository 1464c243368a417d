// The inbox: pending approvals of all conversations are answered there, in all ways to use a page.
import type { Locator } from '@playwright/test';
import { type Person, expect, test } from '../fixtures.ts';
import { type Hand, handOf } from '../hand.ts';
import { REST } from '../person.ts';

test.describe.configure({ timeout: 120_000 });

/** An item of the inbox. */
const item = (person: Person, about: string) => person.page.locator('.inbox__item').filter({ hasText: about });

/** Waits until an answer is accepted: it must have been in view for a while. */
async function armed(person: Person, hand: Hand, item: Locator, name: 'Approve' | 'Reject'): Promise<Locator> {
  const button = name === 'Reject' ? person.rejectButton(item) : item.getByRole('button', { name, exact: true });
  // Without JavaScript the buttons appear when they are accepted. A reload would lose a typed reason.
  if (!person.scripted) {
    await expect(button).toBeVisible();
    return button;
  }
  await expect(async () => {
    const rest = item.getByRole('button', { name: REST });
    if (name === 'Approve' && (await rest.isVisible())) await hand.press(rest);
    await button.scrollIntoViewIfNeeded({ timeout: 1_000 });
    await expect(button).not.toHaveAttribute('aria-disabled', 'true', { timeout: 3_000 });
  }).toPass();
  return button;
}

test('in the inbox one action is approved, and another rejected with a reason', { tag: ['@phone', '@nojs'] }, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  const byKeys = person.scripted && !isMobile;
  const careful = await person.createConversation('Be careful [[scenario:careful]]');
  await person.see(person.approval());
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await person.open('/inbox');
  const asks = item(person, 'echo "confirm me"');
  const lists = page.locator('.inbox__item').filter({ has: page.getByText('ls', { exact: true }) });
  await person.see(asks);
  // A desktop shows one item, and the others in a queue.
  if (isMobile) await person.see(lists);
  else await expect(lists).toBeAttached();

  // What waits longest is the first one: j goes to it, and k leads back to it.
  if (byKeys) {
    for (const [key, place] of [['j', 0], ['j', 1], ['k', 0]] as const) {
      await page.keyboard.press(key);
      await expect(page.locator('.inbox__item').nth(place)).toBeFocused();
    }
  }
  await hand.press(await armed(person, hand, asks, 'Approve'));
  await person.see(item(person, 'print(6 * 7)'));
  await expect(asks).toHaveCount(0);

  if (byKeys) {
    await expect(async () => {
      await page.keyboard.press('k');
      await expect(lists).toBeFocused({ timeout: 500 });
    }).toPass();
  }
  if (!isMobile && !byKeys) await hand.press(page.locator('.inbox-page__entry').first());
  if (person.scripted) await hand.press(person.rejectButton(lists));
  await hand.fill(lists.getByLabel('Reason for rejecting'), 'Look elsewhere');
  await hand.press(await armed(person, hand, lists, 'Reject'));
  await expect(async () => {
    if (!person.scripted) await person.reload();
    await expect(lists).toHaveCount(0, { timeout: 2_000 });
  }).toPass();

  // The answers reached their conversations.
  await person.open(`/c/${careful}`);
  await person.see(person.row('Look elsewhere'));
  await expect(person.step('ls')).toHaveAttribute('data-state', 'rejected');
});

test('a reason typed in the inbox survives a reload', { tag: ['@phone'] }, async ({ person }) => {
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await person.open('/inbox');
  const field = item(person, 'echo "confirm me"').getByLabel('Reason for rejecting');
  await person.openReason(item(person, 'echo "confirm me"'));
  await field.fill('Not on a Friday');
  await person.reload();
  await expect(field).toHaveValue('Not on a Friday');
  // A reason belongs to one action: it is not there for the next one.
  await item(person, 'echo "confirm me"').getByRole('button', { name: 'Approve' }).click();
  const next = item(person, 'print(6 * 7)');
  await person.see(next);
  await expect(next.getByLabel('Reason for rejecting')).toHaveValue('');
  await person.reload();
  await expect(next.getByLabel('Reason for rejecting')).toHaveValue('');
});
