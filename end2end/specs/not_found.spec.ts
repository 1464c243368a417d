// Unknown URLs: a page says so and offers a way on. Crafted ids need no browser
// (`tests/it/without_script/hostile.rs`).
import { expect, test } from '../fixtures.ts';

test.beforeEach(({ watch }) => watch.allow(/status of [45]\d\d/));

test('an unknown page and an unknown conversation say so and lead back', { tag: ['@phone-all', '@nojs'] }, async ({ person, page }) => {
  const answer = await page.goto('/no/such/page');
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await page.getByRole('link', { name: 'All conversations' }).click();
  await person.alive();
  await expect(page.getByText('No conversations yet')).toBeVisible();
  await person.open('/c/0123456789abcdef0123456789abcdef');
  await expect(page.getByRole('heading', { name: 'Conversation not found' })).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'All conversations' }).click();
  await expect(page.getByText('No conversations yet')).toBeVisible();
});

test('invalid query parameters are ignored', { tag: ['@all', '@nojs'] }, async ({ person, page }) => {
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  for (const query of ['panel=nothing', 'before=x', 'before=-9.99999999999999999999', 'row=abc', 'row=99999', 'panel=files&file=../../etc/passwd', 'panel=files&dir=..', 'panel=browser&visit=7']) {
    await person.open(`/c/${id}?${query}`);
    await expect(page.locator('.conversation__title'), query).toBeVisible();
    await expect(page.getByText('root:x:0:0'), query).toHaveCount(0);
  }
});
