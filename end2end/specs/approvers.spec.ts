// Second approvers and amendments: what changes on open pages. The forms themselves are in `tests/it/without_script/approvers.rs`.
import { expect, test } from '../fixtures.ts';
import { everybody, logIn } from '../house.ts';

test.describe.configure({ timeout: 120_000 });

test.describe('with accounts', () => {
  test.use({ login: true });

  test('a second person completes an approval, and every page says how far it is', { tag: ['@phone'] }, async ({ person, handrail, another }) => {
    await everybody(person, handrail);
    await person.open('/settings/approvers');
    await person.page.getByLabel('A second person has to approve').check();
    await person.page.getByRole('button', { name: 'Save' }).click();
    await expect(person.page.getByText('Saved')).toBeVisible();
    const id = await person.createConversation('Ask me [[scenario:risk]]');
    const card = person.approval('echo HIGH risk');
    await person.see(card.getByText('Two people have to approve this.'));
    const alan = await another({ viewport: person.page.viewportSize() });
    await alan.page.goto('/inbox');
    await logIn(alan.page, 'alan');
    await alan.alive();
    await alan.see(alan.approval('echo HIGH risk'));

    await person.readToTheEnd(card);
    await card.getByRole('button', { name: 'Approve' }).click();
    await person.see(card.getByText('You approved this. A second person has to approve.'));
    await expect(card.getByRole('button', { name: 'Approve' })).toHaveCount(0);
    await expect(card.getByRole('button', { name: 'Reject' })).toBeEnabled();
    await alan.see(alan.approval('Approved by ada. A second person has to approve.'));
    await expect(alan.page).toHaveTitle(/^\(1\) Inbox/);

    await alan.readToTheEnd(alan.approval('echo HIGH risk'));
    await alan.approval('echo HIGH risk').getByRole('button', { name: 'Approve' }).click();
    await person.see(person.step('echo HIGH risk').getByText('Approved by ada and alan'));
    expect(person.page.url()).toContain(id);
  });
});

test('a command is amended in its card, and exactly that is approved', { tag: ['@phone'] }, async ({ person }) => {
  await person.createConversation('Ask me [[scenario:confirm]]');
  const card = person.approval('echo "confirm me"');
  await person.see(card);
  await card.getByText('Approve this instead…').click();
  const field = card.getByLabel('What the agent should run');
  await expect(field).toHaveValue('echo "confirm me"');
  await field.fill('echo instead');
  // As an answer: not before the card was shown for a moment.
  await expect(card.getByRole('button', { name: 'Reject', exact: true })).toBeEnabled();
  await card.getByRole('button', { name: 'Reject and ask for this' }).click();
  await person.see(person.step('echo instead').getByText('Approved as amended'));
  await expect(card).toHaveCount(0);
});
