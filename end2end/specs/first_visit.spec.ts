// The first visit: the page explains itself, and the first conversation is one sentence away.
import { expect, test } from '../fixtures.ts';

test('an empty list says what to do and that this is a rehearsal, and the first screen is the prompt, in the middle', { tag: ['@phone', '@both', '@nojs'] }, async ({ person, page }) => {
  await person.open('/');
  await expect(page).toHaveTitle(/Handrail/);
  const list = page.getByRole('complementary', { name: 'Conversations' });
  await expect(list.getByText('No conversations yet')).toBeVisible();
  await expect(list.getByText('Rehearsal: scripted agents, nothing is executed')).toBeVisible();
  await expect(list.getByRole('link', { name: 'Connect OpenHands' })).toBeVisible();
  const field = await page.getByLabel('First message').boundingBox();
  const room = await list.boundingBox();
  if (field === null || room === null) throw new Error('there is no prompt');
  expect(field.width).toBeGreaterThan(Math.min(560, room.width - 80));
  expect(Math.abs(field.x + field.width / 2 - room.x - room.width / 2)).toBeLessThan(2);
  // The prompt is the one way to a new conversation, and there is nothing to search yet.
  await expect(page.getByRole('link', { name: 'New conversation' })).toHaveCount(0);
  await expect(page.getByLabel('Search conversations')).toBeHidden();
  await expect(page.getByRole('form', { name: 'Try a demo' }).getByRole('button')).toHaveCount(3);
  await page.getByLabel('First message').fill('hello');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.waitForURL(/\/c\//);
  await person.alive();
  await person.see(person.row('Hello! I am a rehearsal agent'));
  await person.open('/');
  await expect(page.getByRole('link', { name: 'New conversation' })).toBeVisible();
});

test('a demo starts a rehearsal at once, from the first screen and from the page for new conversations', { tag: ['@phone-all', '@nojs'] }, async ({ person, page }) => {
  await person.open('/');
  await page.getByRole('form', { name: 'Try a demo' }).getByRole('button').first().click();
  await page.waitForURL(/\/c\//);
  await person.alive();
  await person.see(person.row('Tour: a bit of everything'));
  await person.open('/new');
  await page.getByText('More demos').click();
  await page.getByRole('button', { name: 'MCP tools' }).click();
  await page.waitForURL(/\/c\//);
  await person.alive();
  await person.seeStatus('finished');
  await person.see(person.row('Two tools were called, one of them failed.'));
});

test('a conversation starts on the page for new ones, also with Ctrl and Enter', { tag: ['@phone-all', '@nojs'] }, async ({ person, page }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.open('/');
  await page.getByRole('link', { name: 'New conversation' }).click();
  await expect(page.getByRole('heading', { name: 'New conversation' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Try a demo' })).toBeVisible();
  await page.getByLabel('First message').fill('hello [[scenario:hello]]');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.waitForURL(/\/c\//);
  await person.alive();
  await person.see(person.row('hello [[scenario:hello]]'));
  if (!person.scripted) return;
  await person.open('/new');
  await page.getByLabel('First message').fill('hello');
  await page.getByLabel('First message').press('Control+Enter');
  await page.waitForURL(/\/c\//);
  await person.see(person.row('Hello! I am a rehearsal agent'));
});

test('text typed before the script has loaded is kept', { tag: ['@phone-all'] }, async ({ person, page }) => {
  const id = await person.createConversation('hello [[scenario:hello]]');
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
