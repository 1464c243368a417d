// An agent of a real OpenHands at work: reading along, its files, pause and stop.
import { FAILURES, GREETING, LONG_WORK, TOO_LONG, TOUR } from './scenes.ts';
import { IS_AGENT_SERVER, WORK, createConversationIn, expect, expectNothingLostNorDoubled, get, run, scene, test } from './real.ts';

test('everything an agent does is shown', async ({ person, page }) => {
  const place = await createConversationIn(person, 'Show me all you can', TOUR.name);
  await person.see(person.row(TOUR.last));
  await person.seeStatus(TOUR.rests);
  await expect(person.row(TOUR.failed[0]).first()).toContainText(TOUR.failed[1]);
  await expect(person.row(TOUR.edit).locator('.block-diff').first()).toBeVisible();

  const files = await person.view('Files');
  await person.see(files.getByRole('link', { name: TOUR.file, exact: true }));
  await files.getByRole('link', { name: TOUR.file, exact: true }).click();
  await person.see(page.locator('.files__view .line').filter({ hasText: TOUR.line }));
  await page.getByLabel('Files to upload to the workspace').setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('mine\n') });
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await person.see(page.getByRole('link', { name: 'notes.txt' }));
  await page.getByRole('link', { name: 'notes.txt' }).click();
  await person.see(page.locator('.files__view .line').filter({ hasText: 'mine' }));
  const terminal = await person.view('Terminal');
  await expect(terminal).toContainText(TOUR.printed);
  const tasks = await person.view('Tasks');
  await expect(tasks.locator('.task[data-status="done"]')).toHaveCount(TOUR.tasksDone);

  await person.view('Timeline');
  if (IS_AGENT_SERVER) {
    await run(`git init -q ${place}`);
    await person.say(`Change files ${scene('git', { ws: place })}`);
    await person.see(person.row('Changes are ready to be reviewed.'));
  } else {
    // The agent-server's browser tool needs a further installation, and its scripted model creates no images.
    const cell = person.row('picture above');
    // What went well is one line.
    await cell.locator('summary').first().click();
    await expect(cell.getByRole('img')).toHaveCount(1);
    const film = await person.view('Browser');
    await expect(film.locator('.filmstrip__frame')).not.toHaveCount(0);
  }
  const changes = await person.view('Changes');
  await person.see(changes.locator('summary').filter({ hasText: 'untracked.txt' }));
  await person.see(changes.locator('.block-diff').filter({ hasText: TOUR.changed[1] }));
  // 1.30 lists no commits.
  if (IS_AGENT_SERVER && JSON.stringify(await get('/openapi.json')).includes('/git/commits')) {
    await changes.getByRole('group').getByText('Uncommitted changes').first().click();
    await changes.getByRole('link', { name: / base / }).click();
    await person.see(changes.locator('summary').filter({ hasText: 'base.txt' }));
  }
  const archive = await page.request.get(`/c/${person.conversation}/workspace`);
  expect(archive.status()).toBe(200);
  expect((await archive.body()).length).toBeGreaterThan(500);

  await person.view('Timeline');
  if (!IS_AGENT_SERVER) await person.say('Yes, finish');
  await person.seeStatus('finished');
  await expectNothingLostNorDoubled(person);
});

test('an agent is paused, resumed, messaged while running, and stopped', async ({ person, page }) => {
  await createConversationIn(person, 'Work slowly', 'pause');
  await person.see(person.step(WORK.steps[0]!));
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await person.seeStatus('paused');
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  if (!IS_AGENT_SERVER) {
    await person.see(person.row(WORK.last));
    await person.say(`And now very slowly ${scene('slow')}`);
  }
  await person.see(person.row(LONG_WORK.seen[0]));
  await person.say('By the way: hello');
  await person.see(person.row('By the way: hello'));
  await person.see(person.row(LONG_WORK.seen[1]));
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await person.seeStatus(LONG_WORK.stopped);
  await person.say(`Say hello ${scene('hello')}`);
  await person.see(person.row(GREETING));
});

test('0.62 ignores a resume after its command has ended, and the page suggests a message', async ({ person, page }) => {
  test.skip(IS_AGENT_SERVER, 'an agent-server always resumes its agent');
  await person.createConversation(`Work slowly ${scene('pause')}`);
  await person.see(person.step(WORK.steps[0]!));
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await person.seeStatus('paused');
  await person.see(person.row('work 6'));
  await page.getByRole('button', { name: 'Resume', exact: true }).click();
  await person.seeStatus('running');
  await person.see(page.getByText('The agent has not resumed.'));
  await person.say('Continue');
  await person.see(person.row(WORK.last));
  await expect(page.getByText('The agent has not resumed.')).toHaveCount(0);
  await person.seeStatus('finished');
});

test('a model failure is reported, and the next message continues the work', async ({ person }) => {
  for (const [index, failure] of FAILURES.entries()) {
    if (index === 0) await createConversationIn(person, 'Please fail', failure.name);
    else await person.say(`Another error ${scene(failure.name)}`);
    await person.seeStatus('error');
    await person.see(person.row(failure.says));
    await expect(person.row(failure.says)).toHaveCount(1);
    await person.say(failure.send());
    await person.see(person.row(failure.then).nth(index));
    await person.seeStatus('finished');
  }
  await person.say(`Too many words ${scene(TOO_LONG.name)}`);
  await person.see(person.row(TOO_LONG.last));
  await person.seeStatus('finished');
});
