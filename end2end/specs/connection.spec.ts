// Where the backend is: tried out before it is kept, kept across restarts, and fixed when it was given on the command line.
import { expect, test, testWithBackend } from '../fixtures.ts';
import { Rehearsal } from '../rehearsal.ts';

test('a wrong port is told before it is saved', { tag: ['@phone'] }, async ({ person, page, watch }) => {
  watch.allow(/status of [45]\d\d/);
  await person.open('/settings/connection');
  await expect(page.getByText('Now: the rehearsal.')).toBeVisible();
  await page.getByLabel('Host').fill('127.0.0.1');
  await page.getByLabel('Port').fill('9');
  await page.getByRole('button', { name: 'Test' }).click();
  await expect(page.getByText('It cannot be used')).toBeVisible();
  await expect(page.locator('.notice--bad .notice__text')).toContainText(/\w+ \w+ \w+/);
  await expect(page.getByText('Now: the rehearsal.')).toBeVisible();
});

test('a backend is tried, saved, used, and still used after a restart', { tag: ['@nojs'] }, async ({ person, page, handrail, watch }) => {
  // While it restarts nobody is there.
  watch.allow(/ERR_CONNECTION_REFUSED/);
  const rehearsal = await Rehearsal.start(20);
  const { hostname, port } = new URL(rehearsal.url);
  await person.open('/settings/connection');
  await page.getByLabel('Host').fill(hostname);
  await page.getByLabel('Port').fill(port);
  if (person.scripted) {
    await page.getByRole('button', { name: 'Test' }).click();
    await expect(page.getByText('It answers')).toBeVisible();
  }
  await page.getByRole('button', { name: 'Save and use' }).click();
  await person.see(page.getByText(`Now: OpenHands at ${rehearsal.url}`));
  await handrail.restart();
  await person.open('/settings/connection');
  await expect(page.getByText(`Now: OpenHands at ${rehearsal.url}`)).toBeVisible();
  await person.begin('hello [[scenario:hello]]');
  await person.seeStatus('idle');
  expect((await rehearsal.events(person.conversation)).length).toBeGreaterThan(3);
  await person.open('/settings/connection');
  await page.getByRole('button', { name: 'Use the rehearsal' }).click();
  await person.see(page.getByText('Now: the rehearsal.'));
  await rehearsal.remove();
});

testWithBackend('a connection from the command line cannot be changed here', { tag: ['@nojs'] }, async ({ person, page }) => {
  await person.open('/settings/connection');
  await expect(page.getByText('It was given when Handrail was started, so it cannot be changed here.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save and use' })).toBeDisabled();
  await expect(page.getByLabel('Host')).toBeDisabled();
});
