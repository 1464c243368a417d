// Backend connections: tested before they are saved, kept across restarts, and read-only if given on the command line.
import { PRODUCT } from '../dialect.ts';
import { expect, test, testWithBackend } from '../fixtures.ts';
import { Rehearsal } from '../rehearsal.ts';
import { BEHIND } from '../front.ts';

const REHEARSAL = { name: 'Rehearsal', exact: true };

test('a wrong port and an address that is not a backend are reported before they are saved, with a remedy', { tag: ['@phone-all'] }, async ({ person, page, handrail, watch }) => {
  watch.allow(/status of [45]\d\d/);
  await person.open('/settings/connection');
  await expect(page.getByRole('heading', REHEARSAL)).toBeVisible();
  await page.getByLabel('Address').fill('http://127.0.0.1:9');
  await page.getByRole('button', { name: 'Test' }).click();
  await expect(page.getByText('Connection failed')).toBeVisible();
  await expect(page.locator('.notice--bad .notice__text')).toContainText(/\w+ \w+ \w+/);
  await expect(page.getByRole('heading', REHEARSAL)).toBeVisible();
  await page.getByLabel('Address').fill(handrail.url);
  await page.getByRole('button', { name: 'Test' }).click();
  await expect(page.locator('.notice--bad .notice__text')).toContainText(BEHIND ? 'trust its certificate' : 'is the port right?');
});

test('a backend is tested, saved, used, and still used after a restart', { tag: ['@nojs'] }, async ({ person, page, handrail, watch }) => {
  // No server is reachable during the restart.
  watch.allow(/ERR_CONNECTION_(REFUSED|RESET)/);
  const rehearsal = await Rehearsal.start(20);
  const label = `OpenHands at ${rehearsal.url}`;
  await person.open('/settings/connection');
  await page.getByLabel('Address').fill(rehearsal.url);
  if (person.scripted) {
    await page.getByRole('button', { name: 'Test' }).click();
    await expect(page.getByText('Connected', { exact: true })).toBeVisible();
    await expect(page.getByText(`Found ${PRODUCT}`)).toBeVisible();
  }
  await page.getByRole('button', { name: 'Save and use' }).click();
  await person.see(page.getByRole('heading', { name: label }));
  await handrail.restart();
  await person.open('/settings/connection');
  await expect(page.getByRole('heading', { name: label })).toBeVisible();
  await expect(page.getByRole('heading', REHEARSAL)).toHaveCount(1);
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  expect((await rehearsal.events(person.conversation)).length).toBeGreaterThan(3);
  await person.open('/settings/connection');
  await page.getByRole('button', { name: 'Use the rehearsal' }).click();
  await person.see(page.getByText('Scripted agents inside Handrail. Nothing is executed'));
  await page.getByRole('button', { name: `Remove ${label}` }).click();
  await expect(page.getByRole('heading', { name: label })).toHaveCount(0);
  await rehearsal.remove();
});

test('conversations of several backends are in one list, and an unreachable one hides no other', { tag: ['@phone-all'] }, async ({ person, page, watch }) => {
  watch.allow(/status of [45]\d\d/);
  const away = 'http://127.0.0.1:9';
  const other = await Rehearsal.start(20);
  await person.open('/settings/connection');
  for (const address of [other.url, away]) {
    await page.getByLabel('Address').last().fill(address);
    await page.getByRole('button', { name: 'Save and use' }).last().click();
    await person.see(page.getByRole('heading', { name: `OpenHands at ${address}` }));
  }
  await page.getByRole('button', { name: 'Use the rehearsal' }).click();
  await person.see(page.getByText('Scripted agents inside Handrail. Nothing is executed'));
  for (const backend of [`OpenHands at ${other.url}`, 'Rehearsal']) {
    await person.open('/new');
    const main = page.getByRole('main');
    await main.getByLabel('Run on').selectOption(backend);
    await main.getByLabel('First message').fill('hello [[scenario:hello]]');
    await main.getByRole('button', { name: 'Start', exact: true }).click();
    await page.waitForURL(/\/c\/[^/?#]+/);
    await person.seeTurn();
  }
  await person.open('/');
  for (const backend of [`OpenHands at ${other.url}`, 'Rehearsal']) {
    await expect(page.locator('.conversation-row__meta').getByText(backend, { exact: true })).toHaveCount(1);
  }
  await expect(page.locator('.banner--warning')).toContainText(`OpenHands at ${away}`);
  await other.remove();
});

testWithBackend('a connection from the command line cannot be changed here', { tag: ['@all', '@nojs'] }, async ({ person, page }) => {
  await person.open('/settings/connection');
  await expect(page.getByText("These backends were set when Handrail was started and can't be changed here.")).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remove' })).toHaveCount(0);
  await page.getByText('Address and key', { exact: true }).first().click();
  await expect(page.getByRole('button', { name: 'Save and use' })).toBeDisabled();
  await expect(page.getByLabel('Address')).toBeDisabled();
});
