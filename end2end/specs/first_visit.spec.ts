// The first visit: the page explains itself, and the first conversation is one sentence away.
import { expect, test } from '../fixtures.ts';

test('an empty list says what to do and that this is a rehearsal', { tag: ['@phone', '@nojs'] }, async ({ person, page }) => {
  await person.open('/');
  await expect(page).toHaveTitle(/Handrail/);
  const list = page.getByRole('complementary', { name: 'Conversations' });
  await expect(list.getByText('No conversations yet')).toBeVisible();
  await expect(list.getByText('Rehearsal: scripted agents, nothing is executed')).toBeVisible();
  await expect(list.getByRole('link', { name: 'Connect OpenHands' })).toBeVisible();
});

test('the first conversation begins from the empty list', { tag: ['@phone', '@nojs'] }, async ({ person, page }) => {
  await person.open('/');
  await page.getByLabel('First message').fill('hello');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.waitForURL(/\/c\//);
  await person.alive();
  await person.see(person.row('Hello! I am a rehearsal agent'));
});

test('a conversation begins on the page for new ones', { tag: ['@phone', '@nojs'] }, async ({ person, page }) => {
  await person.open('/');
  await page.getByRole('link', { name: 'New conversation' }).click();
  await expect(page.getByRole('heading', { name: 'New conversation' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Try a demo' })).toBeVisible();
  await page.getByLabel('First message').fill('hello [[scenario:hello]]');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.waitForURL(/\/c\//);
  await person.alive();
  await person.see(person.row('hello [[scenario:hello]]'));
});

test('a suggestion begins a rehearsal at once', { tag: ['@phone', '@nojs'] }, async ({ person, page }) => {
  await person.open('/new');
  await page.getByText('More demos').click();
  await page.getByRole('button', { name: 'MCP tools' }).click();
  await page.waitForURL(/\/c\//);
  await person.alive();
  await person.seeStatus('finished');
  await person.see(person.row('Two tools were called, one of them failed.'));
});

test('a conversation begins with Ctrl and Enter', async ({ person, page }) => {
  await person.open('/new');
  await page.getByLabel('First message').fill('hello');
  await page.getByLabel('First message').press('Control+Enter');
  await page.waitForURL(/\/c\//);
  await person.see(person.row('Hello! I am a rehearsal agent'));
});

test('what is typed before the script has come is kept', { tag: ['@phone'] }, async ({ person, page }) => {
  const id = await person.begin('hello [[scenario:hello]]');
  for (const [path, label] of [['/settings/connection', 'Address'], [`/c/${id}`, 'Message'], ['/new', 'First message']] as const) {
    let come = () => {};
    const coming = new Promise<void>((resolve) => (come = resolve));
    await page.route(/\.wasm$/, async (route) => coming.then(() => route.continue()));
    await page.goto(path, { waitUntil: 'commit' });
    const field = page.getByRole('main').getByLabel(label, { exact: true });
    await field.fill('http://in.a.hurry');
    come();
    await person.alive();
    await page.waitForLoadState('networkidle');
    await expect(field, path).toHaveValue('http://in.a.hurry');
    await page.unroute(/\.wasm$/);
  }
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.waitForURL(/\/c\//);
});
