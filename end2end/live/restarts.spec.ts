// Handrail, the network or the real OpenHands fails during a run, and recovers.
import { IS_AGENT_SERVER, RESTART, WORK, expect, expectNothingLostNorDoubled, run, scene, test } from './real.ts';
import { rowsOfJournal } from '../timeline.ts';

const LOST = 'Lost connection to OpenHands';
const SLOW_WORK = WORK.steps[0];

test.beforeEach(({ watch }) => watch.allow(/ERR_CONNECTION_REFUSED|WebSocket connection|status of 5\d\d/));

test('a killed Handrail recovers and has missed nothing', async ({ person, handrail }) => {
  await person.createConversation(`Work slowly ${scene('pause')}`);
  await person.see(person.step(SLOW_WORK));
  await handrail.stop('SIGKILL');
  await handrail.launch();
  await person.see(person.row(WORK.last));
  await person.seeStatus('finished');
  await expectNothingLostNorDoubled(person);
});

test('a repeatedly cut network loses and duplicates nothing', async ({ person, wire }) => {
  await person.createConversation(`Work slowly ${scene('pause')}`);
  for (const step of WORK.steps) {
    await person.see(person.step(step));
    wire.cut();
  }
  await person.see(person.row(WORK.last));
  await person.seeStatus('finished');
  await expectNothingLostNorDoubled(person);
});

test('a network that swallows all data is noticed within ten seconds, and nothing is missed', async ({ person, page, wire }) => {
  await person.createConversation(`Work slowly ${scene('pause')}`);
  await person.see(person.step(SLOW_WORK));
  wire.swallow();
  await expect(page.getByText(LOST)).toBeVisible({ timeout: 10_000 });
  wire.mend();
  await person.see(person.row(WORK.last));
  await person.seeStatus('finished');
  await expect(page.getByText(LOST)).toHaveCount(0);
  await expectNothingLostNorDoubled(person);
});

test('Handrail reconnects to a restarted OpenHands, and the conversation can be started again', async ({ person, page }) => {
  test.skip(IS_AGENT_SERVER, 'an agent-server has no sandbox to stop: see agent_server.spec.ts');
  test.skip(RESTART === undefined, 'HANDRAIL_LIVE_RESTART names no command');
  const id = await person.createConversation(`Say hello ${scene('hello')}`);
  await person.see(person.row('What shall I do?'));
  const before = await rowsOfJournal(page.request, id);
  await run(RESTART ?? '');
  await person.see(page.getByText('Sandbox stopped. You can still read the conversation.'));
  expect((await rowsOfJournal(page.request, id)).slice(0, before.length)).toEqual(before);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await expect(page.getByText('Sandbox stopped.')).toHaveCount(0, { timeout: 60_000 });
  await person.say(`Still there? ${scene('hello')}`);
  await person.see(person.row('What shall I do?').nth(1));
  await expectNothingLostNorDoubled(person);
});
