// Rules with a real OpenHands: what a person allows once is answered in the next conversation, before anybody is asked.
import { askBeforeActions, createConversationIn, expect, test } from './real.ts';
import { QUESTIONS } from './scenes.ts';

test.beforeEach(({ person }) => askBeforeActions(person));

test('a rule made from an approval answers the same command of the next conversation, and no other', async ({ person, page }) => {
  const [first, second] = QUESTIONS.asks as [string, string, string];
  await createConversationIn(person, 'Ask me', 'confirm');
  await person.see(person.approval(first));
  await person.approval(first).getByRole('link', { name: 'Always allow…' }).click();
  const main = page.getByRole('main');
  await expect(main.getByText(/Would have answered 1 of 1 questions/).first()).toBeVisible();
  await main.getByRole('link', { name: 'All conversations' }).click();
  // A server of 0.x rates nothing here.
  await main.getByLabel('Also actions without a risk rating').check();
  await main.getByRole('button', { name: 'Create rule' }).click();
  await expect(main.getByText('Has not answered yet')).toBeVisible();
  await createConversationIn(person, 'Ask me again', 'confirm');
  await person.see(person.approval(second));
  await expect(person.step(first)).toContainText('Allowed by rule');
  await expect(person.step(first)).toHaveAttribute('data-state', 'done');
  await person.open('/rules');
  await expect(main.getByText('Answered once')).toBeVisible();
});
