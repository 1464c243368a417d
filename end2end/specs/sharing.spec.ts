// Shared conversations: who sees one, in which role, who is present, and links for visitors without an account.
import type { Page } from '@playwright/test';
import { expectAccessible, expectAccessibleState } from '../accessible.ts';
import { type Person, expect, test } from '../fixtures.ts';
import { everybody, logIn, setUp } from '../house.ts';

test.use({ login: true });
test.describe.configure({ timeout: 180_000 });

/** Opens the sharing page of the open conversation. */
async function openSharing(person: Person): Promise<void> {
  await person.page.locator('.conversation__head').getByText('Actions', { exact: true }).click();
  await person.page.getByRole('link', { name: 'Share…' }).click();
  await expect(person.page.getByRole('heading', { name: 'Sharing' })).toBeVisible();
}

/** Shares the conversation with a user in a role. */
async function share(page: Page, name: string, role: string): Promise<void> {
  const form = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'People', exact: true }) });
  await form.getByLabel('Name').fill(name);
  await form.getByLabel('Role').selectOption(role);
  await form.getByRole('button', { name: 'Share' }).click();
  await expect(form.getByRole('listitem').filter({ hasText: name })).toContainText(role);
}

/** Creates a link and returns it. */
async function makeLink(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = page.getByText(/^https?:.*\/link#/);
  await expect(link).toBeVisible();
  return link.innerText();
}

test('the creator of a conversation decides who sees it', { tag: ['@all'] }, async ({ person, handrail, another, watch }) => {
  watch.allow(/status of 404/);
  await everybody(person, handrail);
  const [olga, vera] = [await another(), await another()];
  await olga.page.goto('/login');
  await logIn(olga.page, 'olga');
  const id = await olga.createConversation('hello');
  await vera.page.goto(`/c/${id}`);
  await logIn(vera.page, 'vera');
  await vera.alive();
  await vera.see(vera.row('Hello! I am a rehearsal agent'));
  // The first message shows its author, too.
  await expect(vera.page.locator('.row--human .row__who').first()).toHaveText('olga');
  await openSharing(olga);
  await olga.page.getByLabel('Only the creator and owners', { exact: true }).check();
  await olga.page.getByRole('button', { name: 'Save' }).click();
  await expect(olga.page.getByText('Saved')).toBeVisible();
  await expect(async () => expect((await vera.page.reload())?.status()).toBe(404)).toPass();
  await person.open(`/c/${id}`);
  await person.see(person.row('Hello! I am a rehearsal agent'));
});

test('a role in one conversation applies at once, watching users are named, and others are shut out', { tag: ['@phone-all'] }, async ({ person, handrail, another, watch }) => {
  // A draft is saved when the page closes, and the right to do so may be gone by then.
  watch.allow(/status of 40[34]/);
  await everybody(person, handrail);
  const id = await person.createConversation('hello');
  const viewport = person.page.viewportSize();
  const vera = await another({ viewport });
  await vera.page.goto(`/c/${id}`);
  await logIn(vera.page, 'vera');
  await vera.alive();
  await expect(vera.page.getByLabel('Message', { exact: true })).toHaveCount(0);
  await expect(vera.page.getByText('Also here: ada')).toBeVisible();
  await expect(person.page.getByText('Also here: vera')).toBeVisible();
  await expectAccessibleState(person.page, 'somebody else is here');

  const sharing = await person.page.context().newPage();
  await sharing.goto(`/c/${id}/sharing`);
  await expect(sharing.locator('#share-names option')).toHaveCount(3);
  await share(sharing, 'vera', 'operator');
  await expectAccessibleState(sharing, 'sharing');
  await vera.say('May I?');
  await person.see(person.row('May I?'));
  await expect(person.row('May I?').locator('.row__who').first()).toHaveText('vera');
  await share(sharing, 'vera', 'approver');
  await expect(vera.page.getByLabel('Message', { exact: true })).toHaveCount(0);
  await sharing.getByRole('button', { name: 'Remove vera' }).click();
  await expect(sharing.getByRole('button', { name: 'Remove vera' })).toHaveCount(0);
  await sharing.getByLabel('Only the creator and owners', { exact: true }).check();
  await sharing.getByRole('button', { name: 'Save' }).click();
  await expect(sharing.getByText('Saved')).toBeVisible();
  await expect(async () => expect((await vera.page.reload())?.status()).toBe(404)).toPass();
  await vera.page.close();
  await expect(person.page.getByText('Also here')).toHaveCount(0);
});

test('a visitor without an account watches by a link until it is revoked', { tag: ['@phone-all'] }, async ({ person, handrail, another, watch }) => {
  watch.allow(/status of (401|410)|WebSocket connection/);
  await setUp(person.page, handrail);
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await openSharing(person);
  const link = await makeLink(person.page);
  await person.reload();
  await expect(person.page.getByText(/link#/)).toHaveCount(0);

  const visitor = await another({ viewport: person.page.viewportSize() });
  await visitor.page.goto(link);
  await visitor.page.waitForURL(`**/c/${id}`);
  await visitor.alive();
  await visitor.see(visitor.approval('echo "confirm me"'));
  for (const gone of [visitor.page.getByRole('button', { name: 'Approve' }), visitor.page.getByLabel('Message', { exact: true }), visitor.page.getByRole('navigation', { name: 'Main' }), visitor.page.getByRole('complementary'), visitor.page.getByText('Actions', { exact: true })]) {
    await expect(gone).toHaveCount(0);
  }
  await expectAccessible(visitor.page, 'a visitor');
  await person.open(`/c/${id}`);
  await expect(person.page.getByText('Also here: 1 visitor')).toBeVisible();
  await person.approve('echo "confirm me"');
  await visitor.see(visitor.approval('print(6 * 7)'));
  // What they watch they may replay, from the message on.
  await visitor.page.getByRole('link', { name: 'Replay' }).click();
  await expect(visitor.page.getByText(/^Event \d+ of/)).toBeVisible();
  await expect(visitor.page.getByText('And this cell.')).toHaveCount(0);
  await expectAccessibleState(visitor.page, 'a visitor replays');
  await visitor.page.getByRole('link', { name: 'Live' }).click();
  await visitor.see(visitor.approval('print(6 * 7)'));

  await person.open(`/c/${id}/sharing`);
  await person.page.getByRole('button', { name: /^Revoke/ }).click();
  await expect(visitor.page.getByText('This link has expired or was revoked')).toBeVisible();
  await expectAccessible(visitor.page, 'a link that has ended');
  await visitor.page.goto(link);
  await expect(visitor.page.getByText('This link has expired or was revoked')).toBeVisible();
  expect(visitor.page.url()).not.toContain('#');
});
