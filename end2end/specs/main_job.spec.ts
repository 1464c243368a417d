// The main job of this program, as a user does it: read, inspect, answer, approve, reject, stop.
import { ARCHIVE, CAN, STATUS, cell } from '../dialect.ts';
import { STEADY, expect, test } from '../fixtures.ts';

test.describe.configure({ timeout: 90_000 });

test('a person follows an agent, looks at its work, answers it, and stops it', { tag: ['@phone', '@both', '@nojs'] }, async ({ person, page }) => {
  await person.createConversation('Please repair this small project');
  if (person.scripted) await page.evaluate(() => document.documentElement.setAttribute('data-same-page', ''));

  await person.see(person.approval('rm -rf build'));
  await expect(person.approval()).toContainText('High risk');
  await expect(person.step('ls -la && git log --oneline')).toContainText('README.md');
  const change = person.row('raise ValueError').locator('.block-diff').first();
  await expect(change.locator('.line--removed')).toContainText('len(values) - 1');
  await expect(change.locator('.line--added').first()).toContainText('if not values');

  const files = await person.view('Files');
  await files.getByRole('link', { name: 'tally.py', exact: true }).click();
  await person.see(files.locator('.line').filter({ hasText: 'the mean of nothing' }));
  await expect(files.locator('#L1')).toBeVisible();
  const terminal = await person.view('Terminal');
  await expect(terminal.getByRole('link', { name: 'python -m pytest -q' }).first()).toBeVisible();
  await expect(terminal).toContainText('2 passed in 0.02s');
  const film = await person.view('Browser');
  await expect(film.locator('.filmstrip__frame')).toHaveCount(2);
  await film.locator('.filmstrip__frame').first().click();
  await expect(film.locator('.filmstrip__frame').first()).toHaveAttribute('aria-current', 'true');
  await expect(film.locator('.block-image img').first()).toBeVisible();
  const tasks = await person.view('Tasks');
  await expect(tasks.locator('.task[data-status="done"]')).toHaveCount(2);
  await expect(tasks.locator('.task[data-status="in_progress"]')).toHaveText(/Check and clean up/);
  await person.view('Timeline');

  await person.approve('rm -rf build');
  await person.see(person.row('Anything else, or shall I finish?'));
  await person.seeTurn();
  await person.say('Ask me about everything [[scenario:confirm]]');
  await person.approve('echo "confirm me"');
  await person.reject('print(6 * 7)', 'No sums today');
  await person.see(person.approval('confirm.txt'));
  await expect(person.step(cell('print(6 * 7)'))).toHaveAttribute('data-state', 'rejected');
  await expect(person.row('No sums today').last()).toBeVisible();
  await expect(person.step('echo "confirm me"')).toHaveAttribute('data-state', 'done');

  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await person.seeStatus(STATUS.stoppedWaiting);
  await expect(person.approval()).toHaveCount(0);
  if (person.scripted) await expect(page.locator('html[data-same-page]')).toHaveCount(1);
});

test.describe('at a steady pace', () => {
  test.use({ serverArgs: ['--rehearsal-pace', STEADY] });
  test('an agent is paused, and the page says how to resume it', { tag: ['@all', '@nojs'] }, async ({ person, page }) => {
    await person.createConversation('Take your time [[scenario:long:250]]');
    await person.see(page.getByRole('button', { name: 'Pause', exact: true }));
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await person.seeStatus('paused');
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    if (!CAN.resume) {
      // 0.62 reports that it is running and does nothing until it gets a message.
      await person.see(page.getByText('The agent has not resumed.'));
      await person.say('continue');
    }
    await person.seeStatus('finished');
    await person.see(person.row('All steps are done.').last());
  });
});

test.describe('at a slow pace', () => {
  // A slow page must not decide how soon the buttons react: no flood of steps.
  test.use({ serverArgs: ['--rehearsal-pace', '250'] });
  test('a pause that is over is no longer mentioned', async ({ person, page }) => {
    await person.createConversation('Take your time [[scenario:long:5000]]');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await person.seeStatus('paused');
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    if (!CAN.resume) {
      await person.see(page.getByText('The agent has not resumed.'));
      await person.say('continue');
    }
    await person.seeStatus('running');
    await expect(page.getByText('Pausing after this step…')).toHaveCount(0, { timeout: 3_000 });
  });
});

test('a stopped agent continues with the next message', { tag: ['@nojs'] }, async ({ person, page }) => {
  await person.createConversation('Something slow [[scenario:slow:20000]]');
  await person.see(page.getByRole('button', { name: 'Stop', exact: true }));
  await person.see(person.row('This takes a while.'));
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await person.seeStatus(STATUS.stopped);
  await person.say('Say hello instead [[scenario:hello]]');
  await person.see(person.row('Say anything and I will finish.'));
});

test('what an agent did can be searched and downloaded', { tag: ['@all', '@nojs'] }, async ({ person, page }) => {
  const id = await person.createConversation('Many steps [[scenario:long:40]]');
  await person.seeStatus('finished');
  await person.open(`/c/${id}?q=step+31`);
  await expect(await person.firstResult()).toContainText('step 31');
  await page.locator('.result__link').first().click();
  await expect(person.step('echo step 31')).toBeVisible();
  for (const [file, kind] of [['export.md', 'text/markdown'], ['trajectory.json', 'application/json'], ['workspace', ARCHIVE]]) {
    const answer = await page.request.get(`/c/${id}/${file}`);
    expect(answer.status(), file).toBe(200);
    expect(answer.headers()['content-type'], file).toContain(kind);
    expect((await answer.body()).length, file).toBeGreaterThan(0);
  }
});

// The workspace may respond only after the agent has finished; until then the waiting panel must still follow the
// agent's state.
test.describe('at the pace of a page', () => {
  // The agent must still be at work when the page is loaded, and each step is drawn.
  test.use({ serverArgs: ['--rehearsal-pace', '50'] });
  for (const [view, tag] of [['Files', ['@phone-all']], ['Changes', ['@all', '@phone-all']], ['Info', ['@all', '@phone-all']]] as const) {
    test(`${view}: a panel with a slow workspace follows the agent to the end`, { tag: [...tag] }, async ({ person, page }) => {
      await page.route(/\/api\/list_(files|changes|microagents)/, async (route) => {
        await new Promise((done) => setTimeout(done, 700));
        await route.continue();
      });
      const id = await person.createConversation('Many steps [[scenario:long:60]]');
      await person.open(`/c/${id}?panel=${view.toLowerCase()}`);
      await person.seeStatus('running');
      await person.seeStatus('finished');
      await expect(page.locator('.panel .skeleton')).toHaveCount(0);
    });
  }
});
