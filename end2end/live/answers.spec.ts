// Approving and rejecting with a real OpenHands, which carries edits and reads out before anybody has answered.
import { type Person } from '../fixtures.ts';
import { IS_AGENT_SERVER, askBeforeActions, expect, scene, test } from './real.ts';

test.skip(IS_AGENT_SERVER, 'its scenes are those of the model for 0.x');

const CAUTION = 'OpenHands has already carried this out';
const CELL = 'ipython needs confirmation too';
const EDIT = 'should this exist yet?';

test.beforeEach(({ person }) => askBeforeActions(person));

test('commands wait for an answer, and a rejected one is not carried out', async ({ person, page }) => {
  await person.begin(`Ask me ${scene('confirm')}`);
  await person.approve('echo "confirm me"');
  await person.see(person.approval('echo "reject me"'));
  await expect(person.step('echo "confirm me"')).toHaveAttribute('data-state', 'done');
  await expect(person.approval()).not.toContainText(CAUTION);
  await person.reject('echo "reject me"', 'Leave no such files');
  await person.approve('echo "third"');
  await person.see(person.row('Done with confirmations.'));
  await expect(person.step('echo "confirm me"')).toHaveCount(1);
  await expect(person.row('Leave no such files').last()).toBeVisible();
  const files = await person.view('Files');
  await expect(files).not.toContainText('Loading');
  await expect(page.getByRole('link', { name: 'rejected.txt' })).toHaveCount(0);
});

test('0.62 carries edits and reads out before the answer, and the question says so; cells wait', async ({ person, page }) => {
  await person.begin(`Ask me about files ${scene('confirm_edit')}`);
  await person.approve('pwd');
  await withCaution(person, EDIT);
  await person.view('Files');
  await person.see(page.getByRole('link', { name: 'confirm_edit.txt' }));
  await person.view('Timeline');
  await person.reject(EDIT, 'Not yet');
  await withCaution(person, 'Read?');
  await person.approve('Read?');
  await person.see(person.approval(CELL));
  await expect(person.approval()).not.toContainText(CAUTION);
  await person.reject(CELL, 'No cells');
  await person.see(person.row('Done.'));
  await person.seeStatus('finished');

  await person.say(`The other way round ${scene('confirm_edit')}`);
  await person.approve('pwd');
  await withCaution(person, EDIT);
  await person.approve(EDIT);
  await withCaution(person, 'Read?');
  await person.reject('Read?', 'Do not look');
  await person.approve(CELL);
  await person.see(person.row('Done.').nth(1));
  await person.seeStatus('finished');
  // It was written before the first answer; each yes only made 0.62 try once more.
  await expect(person.row('File already exists')).not.toHaveCount(0);
});

test('a message instead of an answer drops the question', async ({ person }) => {
  await person.begin(`Ask me ${scene('confirm')}`);
  await person.see(person.approval('echo "confirm me"'));
  await person.say('Why do you want that?');
  await person.see(person.approval('echo "reject me"'));
  await person.approve('echo "reject me"');
  await person.approve('echo "third"');
  await person.see(person.row('Done with confirmations.'));
  await expect(person.step('echo "confirm me"')).not.toHaveAttribute('data-state', 'done');
});

async function withCaution(person: Person, about: string): Promise<void> {
  await person.see(person.approval(about));
  await expect(person.approval(about)).toContainText(CAUTION);
}
