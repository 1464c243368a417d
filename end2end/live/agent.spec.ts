// An agent of a real OpenHands at work: read it, look at what it made, hold it, stop it.
import { IS_AGENT_SERVER, expect, expectNothingLostNorDoubled, scene, test } from './real.ts';

test.skip(IS_AGENT_SERVER, 'its scenes are those of the model for 0.x');

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
  await page.getByRole('link', { name: 'notes.txt' }).click();
  await person.see(page.locator('.files__view .line').filter({ hasText: 'mine' }));
  const terminal = await person.view('Terminal');
  await expect(terminal).toContainText('woke up');
  const film = await person.view('Browser');
  await expect(film.locator('.filmstrip__frame')).not.toHaveCount(0);
  const tasks = await person.view('Tasks');
  await expect(tasks.locator('.task[data-status="done"]')).toHaveCount(3);
  const changes = await person.view('Changes');
  await person.see(changes.getByRole('link', { name: /untracked\.txt/ }));
  await changes.getByRole('link', { name: /app\.py/ }).click();
  await person.see(changes.locator('.block-diff').filter({ hasText: '# more' }));
  const archive = await page.request.get(`/c/${id}/workspace`);
  expect(archive.status()).toBe(200);
  expect((await archive.body()).includes('untracked.txt')).toBe(true);

  await person.view('Timeline');
  await person.say('Yes, finish');
  await person.seeStatus('finished');
  await expectNothingLostNorDoubled(person);
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

test('0.62 wakes nobody when it is resumed after its command has ended; the page says what helps', async ({ person, page }) => {
  await person.begin(`Work slowly ${scene('pause')}`);
  await person.see(person.step('for i in 1 2 3 4 5 6; do echo "work $i"; sleep 1; done'));
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await person.seeStatus('paused');
  await person.see(person.row('work 6'));
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await person.seeStatus('running');
  await person.see(page.getByText('The agent has not gone on by itself.'));
  await person.say('Continue');
  await person.see(person.row('Finished after the pause.'));
  await expect(page.getByText('The agent has not gone on by itself.')).toHaveCount(0);
  await person.seeStatus('finished');
});

test('a model that refuses the key is told, and the next message goes on', async ({ person }) => {
  await person.begin(`Please fail ${scene('error401')}`);
  await person.seeStatus('error');
  await expect(person.row('The model refused the key')).toHaveCount(1);
  await person.say('Try again');
  await person.see(person.row('Recovered.'));
  await person.say(`Another error ${scene('error400')}`);
  await person.seeStatus('error');
  await person.see(person.row('Invalid value for temperature'));
  await person.say('Try again');
  await person.seeStatus('finished');
  await person.say(`Too many words ${scene('error_ctx')}`);
  await person.see(person.row('Recovered after condensation.'));
  await person.seeStatus('finished');
});
