// Errors of the model or the agent: the page says what happened and what to do, and the user can continue from there. Each
// scenario of the rehearsal is read to its end without a browser (`tests/it/without_script/troubles.rs`).
import { TROUBLE } from '../dialect.ts';
import { expect, test } from '../fixtures.ts';

for (const { scenario, title, end, tag } of [
  { scenario: 'error401', title: 'The model rejected the API key', end: 'The key is right now.', tag: ['@phone', '@nojs'] },
  { scenario: 'error500', title: TROUBLE.error500, end: 'The model works again.', tag: ['@all', '@phone-all', '@nojs'] },
]) {
  test(`after ${scenario} the next message continues the work`, { tag }, async ({ person, page }) => {
    await person.createConversation(`Please fail [[scenario:${scenario}]]`);
    await person.seeStatus('error');
    await expect(person.row(title)).toHaveCount(1);
    await expect(person.row('STATUS$')).toHaveCount(0);
    if (scenario === 'error401') {
      await expect(person.row(title).getByRole('link', { name: 'Settings' })).toBeVisible();
      await expect(person.row(title).getByRole('button', { name: 'Retry' })).toBeVisible();
    }
    // The hint stands there once there is something to send.
    if (person.scripted) await page.getByLabel('Message', { exact: true }).fill('Try');
    await person.see(page.getByText('Sending makes the agent retry'));
    await person.say('Try again');
    await person.see(person.row(end));
    await person.seeStatus('finished');
  });
}

test('a rate limit is waited out and retried, twice', { tag: ['@all', '@nojs'] }, async ({ person, page }) => {
  await person.createConversation('Please be busy [[scenario:error429]]');
  const { badge, row } = TROUBLE.busy;
  const busy = page.locator('.conversation__head .badge').filter({ hasText: badge });
  await person.see(busy);
  // 0.62 says no more than that word; 1.x has a row of its own.
  if (row === undefined) await expect(page.getByText('OpenHands has stopped retrying. Send a message to continue.')).toBeVisible();
  await person.say('Now?');
  // The message is on the timeline and no longer in the outbox: both at once would look like two attempts.
  await person.see(page.locator('.row--human:not([data-delivery])').filter({ hasText: 'Now?' }));
  if (row !== undefined) await person.see(person.row(row).nth(1));
  await person.see(busy);
  await person.say('And now?');
  await person.see(person.row('The model has time again.'));
});

test('an agent in a loop is named, stopped and can be continued', { tag: ['@nojs'] }, async ({ person, page }) => {
  await person.createConversation('Repeat yourself [[scenario:stuck]]');
  await person.seeStatus('error');
  const { badge, row } = TROUBLE.stuck;
  await expect(page.locator('.conversation__head .badge')).toHaveText(badge);
  if (row !== undefined) await person.see(person.row(row));
  await person.see(page.getByRole('main').getByText(/repeated “cat missing.txt” 4 times|stuck in a loop/).first());
  await person.say('Do something else');
  await person.see(person.row('I try something else.'));
});

test('the step limit is reported, and the next message continues the work', { tag: ['@all', '@nojs'] }, async ({ person }) => {
  await person.createConversation('Work long [[scenario:max_iterations]]');
  const [first, second] = TROUBLE.limits;
  await person.see(person.row(first));
  await person.say('Go on');
  await person.see(person.row(second).nth(first === second ? 1 : 0));
  await person.say('Go on');
  await person.see(person.row('Just in time.'));
});

test('events of unknown kinds are shown raw', { tag: ['@all', '@nojs'] }, async ({ person }) => {
  await person.createConversation('Surprise me [[scenario:unknown]]');
  await person.seeStatus('finished');
  await person.see(person.row('Everything known was shown, and everything unknown, too.').last());
  await expect(person.row('teleport').first()).toBeVisible();
  await expect(person.step('echo still here')).toBeVisible();
});

for (const [scenario, text] of [
  ['delegate', 'The browsing agent helped me.'],
  ['condensation', 'I remember the important part.'],
  ['secret', 'I never saw it.'],
  ['big', 'The file is 2 MB large.'],
  ['images', 'The pictures were drawn by the rehearsal itself.'],
]) {
  test(`the rehearsal of ${scenario} can be read to its end`, { tag: ['@all', '@nojs'] }, async ({ person }) => {
    await person.createConversation(`Show me [[scenario:${scenario}]]`);
    await person.seeStatus('finished');
    await person.see(person.row(text));
  });
}
