// Approving and rejecting with a real OpenHands, which carries edits and reads out before anybody has answered.
import { expect, scene, test } from './real.ts';

const CAUTION = 'OpenHands has already carried this out';

test('commands, cells, edits and reads wait for an answer', async ({ person, page }) => {
  await person.open('/settings');
  await page.getByLabel('Ask before actions are carried out').check();
  await page.getByLabel('Who judges the risk').selectOption('');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();

  await person.begin(`Ask me ${scene('confirm')}`);
  await person.approve('echo "confirm me"');
  await person.reject('echo "reject me"', 'Leave no such files');
  await person.approve('echo "third"');
  await person.see(person.row('Done with confirmations.'));
  await expect(person.step('echo "confirm me"')).toHaveCount(1);
  await expect(person.row('Leave no such files').last()).toBeVisible();

  await person.say(`Ask me about files ${scene('confirm_edit')}`);
  await person.approve('pwd');
  await person.see(person.approval('confirm_edit.txt'));
  await expect(person.approval()).toContainText('should this exist yet?');
  await expect(person.approval()).toContainText(CAUTION);
  await person.reject('should this exist yet?', 'Not yet');
  await person.see(person.approval('Read?'));
  await expect(person.approval()).toContainText(CAUTION);
  await person.approve('Read?');
  await person.see(person.approval('ipython needs confirmation too'));
  await person.say('Rather not');
  await person.see(person.row('Rather not'));
});
