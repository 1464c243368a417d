// Handrail or the real OpenHands ends in the middle of the work, and comes back.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { rowsByScrolling, rowsOfJournal } from '../timeline.ts';
import { RESTART, expect, scene, test } from './real.ts';

test.beforeEach(({ watch }) => watch.allow(/ERR_CONNECTION_REFUSED|WebSocket connection|status of 5\d\d/));

test('a killed Handrail comes back and has missed nothing', async ({ person, page, handrail }) => {
  const id = await person.begin(`Work slowly ${scene('pause')}`);
  await person.see(person.step('for i in 1 2 3 4 5 6; do echo "work $i"; sleep 1; done'));
  await handrail.stop('SIGKILL');
  await handrail.launch();
  await person.see(person.row('Finished after the pause.'));
  expect(await rowsByScrolling(page)).toEqual(await rowsOfJournal(page.request, id));
});

test('a restarted OpenHands is found again, and the conversation can be woken', async ({ person, page }) => {
  test.skip(RESTART === undefined, 'HANDRAIL_LIVE_RESTART names no command');
  const id = await person.begin(`Say hello ${scene('hello')}`);
  await person.see(person.row('What shall I do?'));
  const before = await rowsOfJournal(page.request, id);
  await promisify(execFile)('sh', ['-c', RESTART ?? '']);
  await expect(page.getByText('The runtime is down. The history is all here.')).toBeVisible({ timeout: 200_000 });
  expect((await rowsOfJournal(page.request, id)).slice(0, before.length)).toEqual(before);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await person.seeStatus('idle');
  await person.say(`Still there? ${scene('hello')}`);
  await person.see(person.row('What shall I do?').nth(1));
});
