// What a real OpenHands does when something is too much: for the model, and for itself.
import { IS_AGENT_SERVER, expect, scene, test } from './real.ts';

test.skip(IS_AGENT_SERVER, 'it is about limits that only 0.x has');

test('a model that asks for patience once is obeyed without a word', async ({ person }) => {
  await person.begin(`Once too often ${scene('error429_once')}`);
  await person.see(person.row('Recovered after one retry.'));
  await person.seeStatus('finished');
});

test('a model that goes on refusing ends as "Rate limited", about which 0.62 sends nothing else, and a message goes on', async ({ person, page }) => {
  await person.begin(`Far too often ${scene('error429')}`);
  await person.seeStatus('error');
  await expect(page.locator('.conversation__head .badge')).toHaveText('Rate limited');
  await person.say(`Then just say hello ${scene('hello')}`);
  await person.see(person.row('Hello! I am the scripted agent.'));
  await person.seeStatus('idle');
});

test('a fourth conversation ends the oldest, whose page says so, keeps its history and can start it again', async ({ person, page, another }) => {
  const first = await person.begin(`Say hello ${scene('hello')}`);
  await person.seeStatus('idle');
  const witness = await another();
  await witness.open(`/c/${first}`);
  for (let others = 0; others < 3; others += 1) {
    await person.begin(`Say hello ${scene('hello')}`);
    await person.seeStatus('idle');
  }
  await witness.see(witness.page.getByText('The runtime is down. The history is all here.'));
  await witness.see(witness.row('Stopped: too many conversations run at once'));
  await expect(witness.row('Hello! I am the scripted agent.')).toHaveCount(1);
  await witness.page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(witness.page.getByText('The runtime is down.')).toHaveCount(0, { timeout: 60_000 });
  await witness.say('Still there?');
  await witness.see(witness.row('Nothing more to do.'));
  await expect(page.getByText('The runtime is down.')).toHaveCount(0);
});
