// Several users: their accounts and rights, and that a revoked right ends at once. What each role may do on every route is in
// `tests/it/people/matrix.rs`.
import { cell } from '../dialect.ts';
import { expect, test } from '../fixtures.ts';
import { BASE, BEHIND } from '../front.ts';
import { PASSWORD, everybody, logIn, setUp } from '../house.ts';

test.use({ login: true });
test.describe.configure({ timeout: 180_000 });

test('a wrong set-up code is refused, and the right one works once', { tag: ['@all', '@phone-all', '@nojs'] }, async ({ page, handrail, watch }) => {
  test.skip(BEHIND, 'nobody is set up through a proxy');
  watch.allow(/status of 404/);
  await page.goto('/people');
  await page.waitForURL('**/set-up');
  await page.getByLabel('Set-up code').fill('0'.repeat(32));
  await page.getByLabel('Your name').fill('mallory');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Create owner account' }).click();
  await expect(page.getByRole('alert')).toContainText('The code is wrong or has expired');
  await setUp(page, handrail);
  const again = await page.goto('/set-up');
  expect(again?.status()).toBe(404);
});

test('each person sees and may do what their role allows', { tag: ['@phone-all'] }, async ({ person, handrail, another, watch }) => {
  watch.allow(/status of 403/);
  await everybody(person, handrail);
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));

  const vera = await another({ viewport: person.page.viewportSize() });
  await vera.page.goto(`/c/${id}`);
  await vera.page.waitForURL(/\/login\?next=/);
  await logIn(vera.page, 'vera');
  await vera.alive();
  await vera.see(vera.approval('echo "confirm me"'));
  await expect(vera.page.getByRole('button', { name: 'Approve' })).toHaveCount(0);
  await expect(vera.page.getByLabel('Message', { exact: true })).toHaveCount(0);
  await expect(vera.page.getByRole('button', { name: 'Stop', exact: true })).toHaveCount(0);
  expect((await vera.page.goto('/settings'))?.status()).toBe(403);
  await expect(vera.page.getByRole('heading', { name: 'Not allowed' })).toBeVisible();

  const alan = await another({ viewport: person.page.viewportSize() });
  await alan.page.goto('/inbox');
  await logIn(alan.page, 'alan');
  await alan.alive();
  await expect(alan.page).toHaveTitle(/^\(1\) Inbox/);
  await alan.see(alan.approval('echo "confirm me"'));
  await alan.approval('echo "confirm me"').getByRole('button', { name: 'Approve' }).click();
  await alan.see(alan.approval('print(6 * 7)'));
  await person.see(person.step('echo "confirm me"').getByText('Approved by alan, waited'));
  // Without a message field the reason has one of its own in the card, and survives a reload.
  await alan.open(`/c/${id}`);
  const card = alan.approval('print(6 * 7)');
  const reason = card.getByLabel('Reason for rejecting');
  await alan.openReason(card);
  await reason.fill('Not on a Friday');
  await alan.reload();
  await expect(reason).toHaveValue('Not on a Friday');
  const reject = card.getByRole('button', { name: 'Reject with reason', exact: true });
  await expect(reject).not.toHaveAttribute('aria-disabled', 'true');
  await reject.click();
  await expect(card).toHaveCount(0);
  await person.see(person.step(cell('print(6 * 7)')).getByText('Rejected by alan'));
  await person.see(person.row('Not on a Friday'));
  await person.goOnAfterNo();

  const olga = await another({ viewport: person.page.viewportSize() });
  await olga.page.goto('/login');
  await logIn(olga.page, 'olga');
  await olga.open(`/c/${id}`);
  await olga.see(olga.approval('Allow this edit?'));
  await olga.say('Rather not, go on without it');
  await olga.see(olga.approval('Allow read access?'));
  const said = person.row('Rather not, go on without it');
  await person.see(said);
  await expect(said.locator('.row__who')).toHaveText('olga');
  expect((await olga.page.goto('/people'))?.status()).toBe(403);

  await person.open('/people');
  await person.page.getByLabel('Role of vera', { exact: true }).selectOption('approver');
  await person.page.getByRole('button', { name: 'Save the role of vera' }).click();
  await expect(person.page.getByText('Role changed')).toBeVisible();
  await expect(person.page.getByLabel('Role of vera', { exact: true })).toHaveValue('approver');

  await person.open('/audit');
  const entries = person.page.getByRole('row');
  const approval = entries.filter({ hasText: 'Approve' }).filter({ has: person.page.locator('td', { hasText: /^alan$/ }) });
  await expect(approval).toHaveCount(1);
  await expect(approval).toContainText('Done');
  await expect(approval.locator('time')).toHaveText(/\d\d:\d\d:\d\d$/);
  await expect(approval.getByRole('link')).toHaveAttribute('href', new RegExp(`/c/${id}$`));
  await person.page.getByLabel('Person', { exact: true }).selectOption('olga');
  // Her message rejected the pending action.
  await person.page.getByLabel('Action', { exact: true }).selectOption('Reject');
  await expect(entries.filter({ hasText: 'alan' })).toHaveCount(0);
  await expect(entries.filter({ hasText: 'Reject' }).filter({ hasText: 'olga' }).first()).toBeVisible();
});

test('those who may not send messages are told what they may do', { tag: ['@phone', '@nojs'] }, async ({ person, page, handrail, another, isMobile, javaScriptEnabled }) => {
  await everybody(person, handrail);
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await expect(page.locator('.conversation__note')).toHaveCount(0);
  for (const [name, note] of [
    ['vera', "View only: your role can't message agents"],
    ['alan', 'You can approve and reject, but not send messages'],
  ] as const) {
    const other = await another({ viewport: page.viewportSize(), javaScriptEnabled, isMobile, hasTouch: isMobile });
    await other.page.goto('/login');
    await logIn(other.page, name);
    await other.open(`/c/${id}`);
    await other.see(other.approval('echo "confirm me"'));
    await expect(other.page.locator('.conversation__note')).toHaveText(note);
    await expect(other.page.locator('.conversation__note')).toBeInViewport();
    await expect(other.page.getByLabel('Message', { exact: true })).toHaveCount(0);
    const remark = other.approval().getByText('Your role is read-only. An approver must answer.');
    await expect(remark).toHaveCount(name === 'vera' ? 1 : 0);
    // Nor are they invited to start a conversation, or taken to a page that is not for them.
    await other.open('/');
    for (const text of ['start a new one', 'n for a new conversation', 'Connect OpenHands', 'Describe a task']) {
      await expect(other.page.getByText(text)).toHaveCount(0);
    }
    await other.page.locator('body').press('n');
    await other.page.locator('body').press('?');
    if (other.scripted) await expect(other.page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    expect(new URL(other.page.url()).pathname).toBe('/');
  }
});

test('a password change elsewhere leads to the login, and typed text is kept', async ({ person, handrail, another, watch }) => {
  // The browser itself reports the refused connection.
  watch.allow(/status of 401|WebSocket connection/);
  await setUp(person.page, handrail);
  const id = await person.createConversation('hello');
  const other = await another();
  await other.page.goto(`/c/${id}`);
  await logIn(other.page, 'ada');
  await other.alive();
  await other.page.getByLabel('Message', { exact: true }).fill('half a sentence');
  await person.open('/account');
  await person.page.getByLabel('Current password').fill(PASSWORD);
  await person.page.getByLabel('New password').fill('battery staple');
  await person.page.getByRole('button', { name: 'Change password' }).click();
  await other.page.waitForURL(/\/login\?next=/);
  await expect(person.page.getByText('Password changed')).toBeVisible();
  await logIn(other.page, 'ada', 'battery staple');
  expect(new URL(other.page.url()).pathname).toBe(`${BASE}c/${id}`);
  await other.alive();
  await expect(other.page.getByLabel('Message', { exact: true })).toHaveValue('half a sentence');
  await person.reload();
  await expect(person.page.getByRole('heading', { name: 'Account' })).toBeVisible();
});

test('a wrong password says so, and too many cause a delay', { tag: ['@all', '@nojs'] }, async ({ page, handrail, watch }) => {
  watch.allow(/status of (401|429)/);
  await setUp(page, handrail);
  // A page left open would notice that it is logged out, and navigate by itself.
  await page.goto('about:blank');
  await page.context().clearCookies();
  await page.goto('/inbox');
  for (let round = 0; round < 6; round += 1) {
    await page.getByLabel('Name').fill('ada');
    await page.getByLabel('Password').fill('wrong guess');
    await page.getByRole('button', { name: 'Log in' }).click();
    await expect(page.getByRole('alert')).toContainText(round < 5 ? 'Wrong name or password' : /Wait \d+ seconds/);
    await expect(page.getByLabel('Name')).toHaveValue('ada');
  }
});

test('logging out ends it, and the back button shows nothing', { tag: ['@phone-all', '@nojs'] }, async ({ page, handrail }) => {
  await setUp(page, handrail);
  await page.goto('/account');
  await expect(page.getByRole('heading', { name: 'Devices' })).toBeVisible();
  await page.getByText('ada', { exact: true }).first().click();
  await page.getByRole('button', { name: 'Log out', exact: true }).click();
  await page.waitForURL(/\/login/);
  await page.goBack();
  await page.waitForURL(/\/login/);
});

test('an access token is shown once, also without JavaScript', { tag: ['@all', '@nojs'] }, async ({ person, page, handrail }) => {
  await setUp(page, handrail);
  await person.open('/account');
  const tokens = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Access tokens' }) });
  await tokens.getByLabel('Name').fill('a script');
  await tokens.getByLabel('Role').selectOption('viewer');
  await tokens.getByRole('button', { name: 'Create token' }).click();
  await expect(tokens.getByText('Copy it now')).toBeVisible();
  await expect(tokens.getByText(/^handrail_/)).toBeVisible();
  await expect(tokens.getByRole('button', { name: 'Revoke a script' })).toBeVisible();
  await expect(tokens.getByText('No tokens')).toHaveCount(0);
  // A button that needs a script is not shown without one.
  await expect(tokens.getByRole('button', { name: 'Copy' })).toHaveCount(person.scripted ? 1 : 0);
  expect(page.url()).not.toContain('handrail_');
  await person.reload();
  await expect(tokens.getByText('a script')).toBeVisible();
  await expect(tokens.getByText(/handrail_/)).toHaveCount(0);
});

test('pending approvals are counted in the navigation, also without JavaScript', { tag: ['@all', '@nojs'] }, async ({ person, page, handrail }) => {
  await setUp(page, handrail);
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await person.open('/account');
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox' })).toContainText('1');
});
