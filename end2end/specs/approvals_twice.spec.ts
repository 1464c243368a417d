// Concurrent answers: two tabs, two clicks, an outdated page. The first answer counts, and all pages show it
// (`three_browsers.spec.ts`).
import { CUT_OFF } from '../dialect.ts';
import { testWithBackend as test, expect } from '../fixtures.ts';

test.describe.configure({ timeout: 60_000 });

test('an outdated page cannot give the opposite answer', async ({ person, another, watch }) => {
  watch.allow(/status of [45]\d\d/);
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  const late = await another();
  await late.page.routeWebSocket(/\/live$/, () => {});
  await late.page.goto(`/c/${id}`);
  await expect(late.approval('echo "confirm me"')).toBeVisible();
  await person.reject('echo "confirm me"');
  await expect(async () => {
    await late.approval().getByRole('button', { name: 'Approve' }).click();
    await expect(late.page.getByRole('alert')).toContainText('already rejected', { timeout: 2_000 });
  }).toPass();
  await person.seeStatus('idle');
  await expect(person.step('echo "confirm me"')).toHaveAttribute('data-state', 'rejected');
});

test('the form of an outdated page without JavaScript is refused with an explanation', { tag: ['@all'] }, async ({ person, another, rehearsal, watch }) => {
  watch.allow(/status of [45]\d\d/, /preloaded .* but not used/);
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  const late = await another({ javaScriptEnabled: false });
  await late.open(`/c/${id}`);
  await person.approve('echo "confirm me"');
  await person.see(person.approval('print(6 * 7)'));
  await late.openReason(late.approval('echo "confirm me"'));
  await late.rejectButton(late.approval('echo "confirm me"')).click();
  await expect(late.page.getByRole('alert')).toContainText('already approved');
  await expect(late.approval('print(6 * 7)')).toBeVisible();
  expect(await rehearsal.answers(id)).toEqual([true]);
});

test('a double click is one answer', { tag: ['@nojs'] }, async ({ person, page, rehearsal }) => {
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  // A reload before the request is sent would cancel the answer.
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await person.approval().getByRole('button', { name: 'Approve' }).dblclick();
  await answered;
  await person.see(person.approval('print(6 * 7)'));
  expect(await rehearsal.answers(id)).toEqual([true]);
  await expect(person.step('echo "confirm me"')).toHaveCount(1);
});

test('two simultaneous approvals are one answer', { tag: ['@all'] }, async ({ person, another, rehearsal }) => {
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  const other = await another();
  await other.open(`/c/${id}`);
  await other.see(other.approval('echo "confirm me"'));
  await person.see(person.approval('echo "confirm me"'));
  const click = (who: typeof person) => who.approval('echo').getByRole('button', { name: 'Approve' }).click({ noWaitAfter: true, timeout: 2_000 });
  await Promise.allSettled([click(person), click(other)]);
  await person.see(person.approval('print(6 * 7)'));
  await other.see(other.approval('print(6 * 7)'));
  expect(await rehearsal.answers(id)).toEqual([true]);
});

test('no answer is sent while the backend is disconnected', async ({ person, rehearsal, page, watch }) => {
  watch.allow(/status of [45]\d\d/);
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await rehearsal.dropConnections();
  await expect(page.getByText('Lost connection to OpenHands')).toBeVisible();
  await person.approval().getByRole('button', { name: 'Approve' }).click();
  await expect(page.getByRole('alert')).toContainText(CUT_OFF);
  await expect(person.approval('echo "confirm me"')).toBeVisible();
  await rehearsal.works();
  // It may have come back by itself meanwhile.
  await expect(async () => {
    const retry = page.getByRole('button', { name: 'Retry now' });
    if (await retry.isVisible()) await retry.click({ timeout: 1_000 });
    await expect(page.getByText('Lost connection to OpenHands')).toHaveCount(0, { timeout: 2_000 });
  }).toPass({ timeout: 40_000 });
  await person.approve('echo "confirm me"');
  await person.see(person.approval('print(6 * 7)'));
  expect(await rehearsal.answers(id)).toEqual([true]);
});
