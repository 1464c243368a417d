// Unknown URLs: a page says so and offers a way on.
import { expect, test } from '../fixtures.ts';

test.beforeEach(({ watch }) => watch.allow(/status of [45]\d\d/));

test('an unknown page says so and leads back', { tag: ['@phone', '@nojs'] }, async ({ person, page }) => {
  const answer = await page.goto('/no/such/page');
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await page.getByRole('link', { name: 'All conversations' }).click();
  await person.alive();
  await expect(page.getByText('No conversations yet')).toBeVisible();
});

test('an unknown conversation says so and leads back', { tag: ['@phone', '@nojs'] }, async ({ person, page }) => {
  await person.open('/c/0123456789abcdef0123456789abcdef');
  await expect(page.getByRole('heading', { name: 'Conversation not found' })).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'All conversations' }).click();
  await expect(page.getByText('No conversations yet')).toBeVisible();
});

for (const id of ['..%2f..%2fetc%2fpasswd', '%00', 'a'.repeat(2_000), '%3Cscript%3E', "'%20OR%201=1--", '..%5c..%5c', '%F0%9F%92%A9', '%ff%fe']) {
  test(`the crafted id ${id.slice(0, 24)} is refused without an error`, async ({ page }) => {
    const answer = await page.goto(`/c/${id}`);
    expect(answer?.status()).toBeLessThan(500);
    for (const file of ['trajectory.json', 'export.md', 'messages.json', 'workspace', 'event/1', 'event/1/image/0']) {
      const status = (await page.request.get(`/c/${id}/${file}`)).status();
      expect(status, file).toBeGreaterThanOrEqual(400);
      expect(status, file).toBeLessThan(500);
    }
    expect((await page.request.get('/healthz')).ok()).toBe(true);
  });
}

test('invalid query parameters are ignored', { tag: ['@nojs'] }, async ({ person, page }) => {
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  for (const query of ['panel=nothing', 'before=x', 'before=-9.99999999999999999999', 'row=abc', 'row=99999', 'panel=files&file=../../etc/passwd', 'panel=files&dir=..', 'panel=browser&visit=7']) {
    await person.open(`/c/${id}?${query}`);
    await expect(page.locator('.conversation__title'), query).toBeVisible();
    await expect(page.getByText('root:x:0:0'), query).toHaveCount(0);
  }
});
