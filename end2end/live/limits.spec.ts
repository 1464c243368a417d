// Limits of a real OpenHands: rate limits of the model, and the maximum number of conversations.
import { GREETING, STEP_LIMIT } from './scenes.ts';
import { IS_AGENT_SERVER, createConversationIn, expect, scene, test } from './real.ts';

test('a rate limit of the model is retried silently, and reported if it persists', async ({ person, page }) => {
  await createConversationIn(person, 'Once too often', STEP_LIMIT.once);
  await person.see(person.row(STEP_LIMIT.recovered));
  await person.seeStatus('finished');
  await person.say(STEP_LIMIT.more());
  await person.seeStatus('error');
  await expect(page.locator('.conversation__head .badge')).toHaveText(STEP_LIMIT.badge);
  await person.say(`Then just say hello ${scene('hello')}`);
  await person.see(person.row(GREETING));
  await person.seeStatus(STEP_LIMIT.rests);
});

test('a fourth conversation stops the oldest, whose page says so, keeps its history and can restart it', async ({ person, page, another }) => {
  test.skip(IS_AGENT_SERVER, 'an agent-server stops no conversation for another');
  const first = await person.createConversation(`Say hello ${scene('hello')}`);
  await person.seeStatus('idle');
  const witness = await another();
  await witness.open(`/c/${first}`);
  for (let others = 0; others < 3; others += 1) {
    await person.createConversation(`Say hello ${scene('hello')}`);
    await person.seeStatus('idle');
  }
  await witness.see(witness.page.getByText('Sandbox stopped. You can still read the conversation.'));
  await witness.see(witness.row('Stopped: too many conversations are running'));
  await expect(witness.row('Hello! I am the scripted agent.')).toHaveCount(1);
  await witness.page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(witness.page.getByText('Sandbox stopped.')).toHaveCount(0, { timeout: 60_000 });
  await witness.say('Still there?');
  await witness.see(witness.row('Nothing more to do.'));
  await expect(page.getByText('Sandbox stopped.')).toHaveCount(0);
});
