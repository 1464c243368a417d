// What is asked for instead of a pending action with a real OpenHands: exactly that is approved, once, and a budget stops an agent.
import { IS_AGENT_SERVER, WORK, askBeforeActions, changeSettings, createConversationIn, expect, test } from './real.ts';
import { QUESTIONS } from './scenes.ts';

test.beforeEach(({ person }) => askBeforeActions(person));

test('a command that a person asks for instead of another one is approved when the agent asks for exactly it', async ({ person }) => {
  const [first, second, third] = QUESTIONS.asks as [string, string, string];
  await createConversationIn(person, 'Ask me', 'confirm');
  await person.approve(first);
  const card = person.approval(second);
  await person.see(card);
  await card.getByText('Approve this instead…').click();
  await card.getByLabel('What the agent should run').fill(third);
  await expect(card.getByRole('button', { name: 'Reject', exact: true })).toBeEnabled();
  await card.getByRole('button', { name: 'Reject and ask for this' }).click();
  await person.see(person.step(third).getByText('Approved as amended'));
  await expect(person.step(third)).toHaveAttribute('data-state', 'done');
  await expect(person.step(second)).not.toHaveAttribute('data-state', 'done');
  // The next question is for people again.
  await person.see(IS_AGENT_SERVER ? person.approval(QUESTIONS.more[0]) : person.row(QUESTIONS.last));
});

test('a budget that is used up stops the agent until it is lifted', async ({ person, page }) => {
  const main = page.getByRole('main');
  // The scripted model has no price. A server of 0.x reads one from its config.toml, at its start.
  const prices = { input_cost_per_token: 0.00001, output_cost_per_token: 0.00003 };
  if (IS_AGENT_SERVER) await changeSettings({ agent_settings_diff: { llm: prices } });
  await person.open('/settings/budgets');
  await main.getByLabel('Each conversation, a day').fill('0.000001');
  await main.getByRole('button', { name: 'Save' }).click();
  await createConversationIn(person, 'Work for a while', 'pause');
  await person.see(page.getByText('budget for today is used up'));
  await person.seeStatus(IS_AGENT_SERVER ? 'paused' : 'stopped');
  await expect(page.getByRole('button', { name: 'Resume' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Continue anyway' }).click();
  await expect(page.getByText('budget for today is used up')).toHaveCount(0);
  await page.getByRole('button', { name: 'Resume' }).click();
  await person.see(person.row(WORK.last));
});
