// Passkeys with Chromium's virtual authenticator: after the password, alone, required by a role; recovery codes; invitations.
// What an answer must prove, and that half a login reaches nothing, is in `people::tests::passkeys` and
// `tests/it/people/second_factor.rs`.
import type { Page } from '@playwright/test';
import { expectAccessible } from '../accessible.ts';
import { expect, test as base } from '../fixtures.ts';
import { BEHIND } from '../front.ts';
import { PASSWORD, add, logIn, setUp } from '../house.ts';

const test = base.extend({
  // Passkeys need a name.
  handrail: async ({ handrail }, use) => {
    handrail.url = handrail.url.replace('127.0.0.1', 'localhost');
    await use(handrail);
  },
});

test.use({ login: true });
test.skip(BEHIND, 'browsers refuse passkeys to a server whose certificate they do not know');
test.describe.configure({ timeout: 180_000 });

/** Gives a page's browser an authenticator that verifies its user; turns it off and on. */
async function authenticator(page: Page): Promise<(verifies: boolean) => Promise<unknown>> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true, isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return (isUserVerified) => session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
}

/** Creates a passkey on its page; the account page shows recovery codes. */
async function create(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'Create passkey' }).click();
  await page.waitForURL('**/account');
  const notice = page.locator('.card', { has: page.getByRole('heading', { name: 'Passkeys' }) }).locator('.notice--good');
  const codes = (await notice.innerText()).match(/[a-z2-7]{4}(-[a-z2-7]{4}){3}/g) ?? [];
  expect(codes).toHaveLength(10);
  return codes;
}

/** Leaves the browser without cookies, as on another device with the same authenticator. */
const leave = async (page: Page) => {
  await page.context().clearCookies();
  await page.goto('/login');
};

test('a passkey is added, follows the password, logs in alone, and a recovery code stands in for it', async ({ person, page, handrail, watch }) => {
  watch.allow(/status of 401/);
  const verify = await authenticator(page);
  await setUp(page, handrail);
  await person.open('/account');
  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await page.getByLabel('Name of the passkey').fill('This laptop');
  await expectAccessible(page, 'a new passkey');
  const codes = await create(page);
  await person.alive();
  await expect(page.getByText('This laptop')).toBeVisible();
  await expect(page.getByText('10 recovery codes left')).toBeVisible();
  await person.reload();
  await expect(page.getByText(codes[0])).toHaveCount(0);

  await leave(page);
  await logIn(page, 'ada');
  await page.waitForURL('**/second-factor?next=*');
  await expectAccessible(page, 'the second factor');
  // Who is not verified by their device is told so, and may try again.
  await verify(false);
  await page.getByRole('button', { name: 'Use passkey' }).click();
  await expect(page.getByRole('alert')).toHaveText('The browser did not use a passkey. Try again.');
  await verify(true);
  await page.getByRole('button', { name: 'Use passkey' }).click();
  await page.waitForURL(/\/$/);
  await person.alive();

  await leave(page);
  await page.getByRole('button', { name: 'Log in with a passkey' }).click();
  await page.waitForURL(/\/$/);
  await person.alive();

  await leave(page);
  await logIn(page, 'ada');
  await page.getByLabel('Recovery code').fill(codes[3].toUpperCase());
  await page.getByRole('button', { name: 'Use recovery code' }).click();
  await page.waitForURL(/\/$/);
  await person.open('/account');
  await expect(page.getByText('9 recovery codes left')).toBeVisible();
  await page.getByRole('button', { name: 'New recovery codes' }).click();
  await expect(page.getByText('10 recovery codes left')).toBeVisible();
  await page.getByRole('button', { name: 'Remove This laptop' }).click();
  await expect(page.getByText('No passkeys')).toBeVisible();
  await leave(page);
  await logIn(page, 'ada');
  await page.waitForURL(/\/$/);
});

test('a role that requires a passkey leads to creating one, also by an invitation', { tag: ['@phone'] }, async ({ person, page, handrail, another }) => {
  await setUp(page, handrail);
  await person.open('/people');
  await add(page, 'vera', 'viewer');
  const required = page.locator('.card', { has: page.getByRole('heading', { name: 'Required passkeys' }) });
  await required.getByLabel('viewer').check();
  await required.getByRole('button', { name: 'Save' }).click();
  await expect(required.getByText('Saved')).toBeVisible();
  const invite = page.locator('.card', { has: page.getByRole('heading', { name: 'Invite a person' }) });
  await invite.getByLabel('Role').selectOption('viewer');
  await invite.getByRole('button', { name: 'Create invitation' }).click();
  const link = await invite.locator('.notice--good .mono').innerText();
  await expectAccessible(page, 'people');

  const vera = await another({ viewport: page.viewportSize() });
  await authenticator(vera.page);
  await vera.page.goto('/login');
  await logIn(vera.page, 'vera');
  await expect(vera.page.getByText('Your role requires a passkey')).toBeVisible();
  await expectAccessible(vera.page, 'a required passkey');
  await vera.page.goto('/inbox');
  await vera.page.waitForURL('**/login?next=*');
  await vera.page.goto('/second-factor');
  await create(vera.page);
  await vera.open('/inbox');

  const grace = await another({ viewport: page.viewportSize() });
  await authenticator(grace.page);
  await grace.page.goto(link);
  await expect(grace.page.getByText('ada invites you as viewer')).toBeVisible();
  expect(grace.page.url()).not.toContain('#');
  await expectAccessible(grace.page, 'an invitation');
  await grace.page.getByLabel('Your name').last().fill('grace');
  await grace.page.getByRole('button', { name: 'Continue with a passkey' }).click();
  await grace.page.waitForURL('**/passkey');
  await create(grace.page);
  await grace.open('/inbox');
  await person.open('/people');
  await expect(page.getByLabel('Role of grace', { exact: true })).toHaveValue('viewer');
  await expect(page.getByText('Anyone with the link')).toHaveCount(0);
});

test('an invited person chooses a name and a password, also without JavaScript', { tag: ['@all', '@nojs'] }, async ({ person, page, handrail, another, javaScriptEnabled }) => {
  await setUp(page, handrail);
  await person.open('/people');
  const invite = page.locator('.card', { has: page.getByRole('heading', { name: 'Invite a person' }) });
  await invite.getByRole('button', { name: 'Create invitation' }).click();
  const link = await invite.locator('.notice--good .mono').innerText();
  const bob = await another({ viewport: page.viewportSize(), javaScriptEnabled });
  await bob.page.goto(link);
  if (javaScriptEnabled === false) {
    await bob.page.getByLabel('Link').fill(link);
    await bob.page.getByRole('button', { name: 'Open invitation' }).click();
  }
  await bob.page.getByLabel('Your name').first().fill('bob');
  await bob.page.getByLabel('Password').fill(PASSWORD);
  await bob.page.getByRole('button', { name: 'Create account' }).click();
  await bob.page.waitForURL(/\/$/);
  await bob.alive();
});

test('an approval is signed with a touch, and nothing is sent without one', { tag: ['@phone'] }, async ({ person, page, handrail, watch }) => {
  watch.allow(/status of 403/);
  const verify = await authenticator(page);
  await setUp(page, handrail);
  await person.open('/settings/approvers');
  const part = page.locator('.card', { has: page.getByRole('heading', { name: 'Approve with a passkey' }) });
  await expect(part.getByText('has a passkey yet')).toBeVisible();
  await part.getByLabel('Needed in all conversations for').selectOption('All actions');
  await part.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText('Saved')).toBeVisible();
  await expectAccessible(page, 'what needs a passkey');
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  const card = person.approval('echo "confirm me"');
  await person.see(card.getByText('Approving this needs a passkey, and you have none.').filter({ visible: true }));
  await expect(card.getByRole('button', { name: 'Approve', exact: true })).toHaveCount(0);
  await expectAccessible(page, 'an approval by somebody without a passkey');
  await card.getByRole('link', { name: 'Add a passkey to approve this' }).click();
  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await create(page);

  await person.open(`/c/${id}`);
  const approve = card.getByRole('button', { name: 'Approve with passkey' });
  await person.see(approve);
  await expectAccessible(page, 'an approval with a passkey');
  // Closed, or refused by the device.
  await verify(false);
  await approve.click();
  await expect(card.getByRole('alert')).toHaveText(/^Nothing was sent. The passkey dialog was closed/);
  await expect(approve).toBeEnabled();
  await verify(true);
  // The browser may still be closing the dialog, and refuses another one then.
  await expect(async () => {
    await approve.dblclick();
    await expect(person.step('echo "confirm me"').getByText('Approved by you with a passkey')).toBeVisible({ timeout: 5_000 });
  }).toPass({ timeout: 40_000 });
  await expect(card).toHaveCount(0);

  // What is asked for changes while the dialog is open: it is closed, and says so.
  await page.evaluate(() => {
    navigator.credentials.get = ({ signal } = {}) =>
      new Promise((_, refuse) => signal?.addEventListener('abort', () => refuse(new DOMException('', 'AbortError'))));
  });
  // The agent's next action.
  const next = person.approval('print(6 * 7)');
  await person.see(next);
  const other = next.getByRole('button', { name: 'Approve with passkey' });
  await other.click();
  await expect(other).toHaveAttribute('aria-busy', 'true');
  const form = next.locator('form', { has: page.getByRole('button', { name: 'Approve with passkey' }) });
  await form.locator('input[name=token]').evaluate((field: HTMLInputElement) => (field.value = 'x'));
  await expect(next.getByRole('alert')).toHaveText(/changed while the passkey dialog was open/);
});
