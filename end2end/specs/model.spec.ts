// The model's view: the conversation as the messages that the model received.
import { expectAccessibleState } from '../accessible.ts';
import { expect, test } from '../fixtures.ts';

test("shows the messages that the model received, at any step", { tag: ['@phone-all', '@nojs'] }, async ({ person, page }) => {
  await person.createConversation('hello there');
  await person.see(person.row('hello there'));
  const address = new URL(page.url()).pathname;
  await expect(async () => {
    await page.goto(`${address}?panel=model`);
    await expect(page.locator('.model__message[data-role="user"]').first()).toContainText('hello there', { timeout: 1000 });
  }).toPass();
  const first = page.locator('.model__message[data-role="user"]').first();
  await first.locator('summary').click();
  await expect(first.locator('.model__text')).toContainText('hello there');
  if (person.scripted) await expectAccessibleState(page, "the model's view");
  const whole = await page.locator('.model__message').count();
  await first.getByRole('link', { name: 'What the model knew here' }).click();
  await expect(page).toHaveURL(/step=\d+/);
  await expect.poll(() => page.locator('.model__message').count()).toBeLessThanOrEqual(whole);
  await page.getByText('Options', { exact: true }).click();
  await page.getByLabel('Tool calls').selectOption('Plain text');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page).toHaveURL(/plain=true/);
  await expect(page.locator('.model__message').first()).toBeVisible();
  const request = await (await page.request.get(`${address}/messages.json?string=true`)).json();
  expect(request.messages.map((message: { content?: string }) => message.content ?? '').join('\n')).toContain('hello there');
});
