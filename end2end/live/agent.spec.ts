// An agent of a real OpenHands at work: read it, look at what it made, hold it, stop it.
import { rowsByScrolling, rowsOfJournal } from '../timeline.ts';
import { expect, scene, test } from './real.ts';

test('everything an agent does can be read and looked at', async ({ person, page }) => {
  const id = await person.begin(`Show me all you can ${scene('full')}`);
  await person.see(person.row('Shall I finish?'));
  await person.seeStatus('idle');
  await expect(person.row('cat: /does/not/exist').first()).toContainText('exit 7');
  await expect(person.row('return a + b').locator('.block-diff').first()).toBeVisible();
  await expect(person.row('picture above').getByRole('img')).toHaveCount(1);

  const files = await person.view('Files');
  await person.see(files.getByRole('link', { name: 'app.py', exact: true }));
  await files.getByRole('link', { name: 'app.py', exact: true }).click();
  await person.see(page.locator('.files__view .line').filter({ hasText: 'return a + b' }));
  await page.getByLabel('Files to put into the workspace').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('mine\n') });
  await page.getByRole('button', { name: 'Upload' }).click();
  await person.see(page.getByRole('link', { name: 'notes.txt' }));
  const terminal = await person.view('Terminal');
  await expect(terminal).toContainText('woke up');
  const film = await person.view('Browser');
  await expect(film.locator('.filmstrip__frame')).not.toHaveCount(0);
  const tasks = await person.view('Tasks');
  await expect(tasks.locator('.task[data-status="done"]')).toHaveCount(3);
  const changes = await person.view('Changes');
  await person.see(changes.locator('.change-list__file, .empty'));
  const archive = await page.request.get(`/c/${id}/workspace.zip`);
  expect(archive.status()).toBe(200);

  await person.view('Timeline');
  await person.say('Yes, finish');
  await person.seeStatus('finished');
  expect(await rowsByScrolling(page)).toEqual(await rowsOfJournal(page.request, id));
});

test('an agent is paused, goes on, hears a message at work, and is stopped', async ({ person, page }) => {
  await person.begin(`Work slowly ${scene('pause')}`);
  await person.see(person.step('for i in 1 2 3 4 5 6; do echo "work $i"; sleep 1; done'));
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await person.seeStatus('paused');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await person.see(person.row('Finished after the pause.'));
  await person.say(`And now very slowly ${scene('slow')}`);
  await person.see(person.row('slow step 2'));
  await person.say('By the way: hello');
  await person.see(person.row('By the way: hello'));
  await person.see(person.row('slow step 4'));
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await person.seeStatus('stopped');
  await person.say(`Say hello ${scene('hello')}`);
  await person.see(person.row('Hello! I am the scripted agent.'));
});

test('a model that refuses the key is told, and the next message goes on', async ({ person }) => {
  await person.begin(`Please fail ${scene('error401')}`);
  await person.seeStatus('error');
  await expect(person.row('The model refused the key')).toHaveCount(1);
  await person.say('Try again');
  await person.see(person.row('Recovered.'));
  await person.say(`Another error ${scene('error400')}`);
  await person.seeStatus('error');
  await person.say('Try again');
  await person.seeStatus('finished');
});
