// Messages that did not reach the agent: the page says so, and a person sends them again or discards them.
import { DIALECT } from '../dialect.ts';
import { testWithBackend as test, expect } from '../fixtures.ts';
import { handOf } from '../hand.ts';

test.describe.configure({ timeout: 240_000 });
test.beforeEach(({ watch }) => watch.allow(/status of [45]\d\d/));

test('of two undelivered messages one is sent again, and the other discarded', { tag: ['@phone', '@nojs'] }, async ({ person, page, rehearsal, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  const undelivered = (text: string) => page.locator('.row[data-delivery="failed"]').filter({ hasText: text });
  const refused = page.getByText(/OpenHands refused the connection|Lost connection to OpenHands/);
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await rehearsal.fails({ fault: 'refuse', body: { message: 'conversation_not_found', data: { msg_id: 'CONVERSATION_NOT_FOUND' }, code: 4004 }, times: 0 });
  // 1.x takes messages without a connection.
  if (DIALECT !== '0.x') await rehearsal.fails({ fault: 'rest', kind: 'server_error', path: '/events', times: 0 });
  await rehearsal.fails({ fault: 'drop_sockets' });
  await person.see(refused);
  for (const text of ['First thought', 'Second thought']) {
    await person.say(text);
    await person.see(undelivered(text));
    await expect(undelivered(text)).toContainText('Not sent. Disconnected from OpenHands.');
  }

  // Without a connection it fails again, and is still there to be decided upon.
  await hand.press(undelivered('Second thought').getByRole('button', { name: 'Send again' }));
  await person.see(undelivered('Second thought'));
  await hand.press(undelivered('First thought').getByRole('button', { name: 'Discard' }));
  await expect(undelivered('First thought')).toHaveCount(0);
  await person.reload();
  await expect(page.getByText('First thought')).toHaveCount(0);
  await expect(undelivered('Second thought')).toHaveCount(1);

  await rehearsal.works();
  await hand.press(page.getByRole('button', { name: /^Retry( now)?$/ }));
  await expect(async () => {
    if (!person.scripted) await person.reload();
    await expect(refused).toHaveCount(0, { timeout: 2_000 });
  }).toPass();
  await hand.press(undelivered('Second thought').getByRole('button', { name: 'Send again' }));
  await person.see(page.locator('.row--human:not([data-delivery])').filter({ hasText: 'Second thought' }));
  // A page without a script may have been made just when the message came back.
  await expect(async () => {
    if (!person.scripted) await person.reload();
    await expect(page.locator('.row--human').filter({ hasText: 'Second thought' })).toHaveCount(1, { timeout: 2_000 });
  }).toPass();
  await expect(page.getByText('First thought')).toHaveCount(0);
  await person.seeStatus('finished');
});
