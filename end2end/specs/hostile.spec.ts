// Agent output is only text: it never executes, sends requests, or looks like a button of the page.
import { expect, test } from '../fixtures.ts';

test.describe.configure({ timeout: 90_000 });

test('hostile output never executes, sends requests, or imitates the page, and hides no characters', { tag: ['@phone-all', '@nojs'] }, async ({ person, page }) => {
  await person.createConversation('Try everything [[scenario:hostile]]');
  await person.see(person.approval('attacker.invalid'));
  const content = page.locator('.timeline, .approval__what');
  // Our own form, in which an action is amended, has what the agent wrote as its text only.
  const form = 'form:not([action*="/api/amend_action"])';
  await expect(content.locator(`script, iframe, object, embed, ${form}, style, base, meta, link`)).toHaveCount(0);
  await expect(content.locator('[style], [onerror], [onload], [ontoggle], [autofocus], [srcdoc]')).toHaveCount(0);
  for (const attribute of ['href', 'src', 'action']) {
    const addresses = await content.locator(`[${attribute}]`).evaluateAll((all, name) => all.map((one) => one.getAttribute(name) ?? ''), attribute);
    for (const address of addresses) {
      expect(address, attribute).not.toMatch(/^\s*(javascript|vbscript|data:(?!image\/(png|jpeg|gif|webp)))/i);
      if (attribute === 'src') expect(address, attribute).not.toMatch(/^(https?:)?\/\//i);
    }
  }
  const card = person.approval('attacker.invalid');
  await expect(card.getByText('Contains hidden or look-alike characters (highlighted below)')).toBeVisible();
  expect(await card.locator('.hidden-char').count()).toBeGreaterThanOrEqual(5);
  await expect(card).toContainText('High risk');
  await person.readToTheEnd(card);
  await expect(page.getByRole('button', { name: 'Approve' })).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Reject', exact: true })).toHaveCount(1);
  expect(await page.evaluate(() => 'hostile' in window)).toBe(false);

  for (const view of ['Terminal', 'Browser', 'Files'] as const) {
    await person.view(view);
    await expect(page.locator('.panel script, .panel iframe, .panel [onerror], .panel [onload]')).toHaveCount(0);
  }
  await person.see(page.locator('.panel').getByText('<img src=x onerror=window.hostile=1>.txt'));
  expect(await page.evaluate(() => 'hostile' in window)).toBe(false);
  await person.view('Timeline');
  await person.reject('attacker.invalid', '<script>window.hostile=1</script>');
  await person.seeStatus('finished');
  await person.see(person.row('<script>window.hostile=1</script>').last());
  expect(await page.evaluate(() => 'hostile' in window)).toBe(false);
});

test('user input and words in the URL are only text, also in the title', { tag: ['@nojs'] }, async ({ person, page }) => {
  const text = '<img src=x onerror="window.hostile=1"></title><script>window.hostile=1</script>';
  await person.createConversation(`hello ${text}`);
  await person.see(person.row('hello <img src=x'));
  await person.see(page.locator('.conversation__title').filter({ hasText: '<img' }));
  await person.reload();
  await expect(page).toHaveTitle(/<img src=x/);
  expect(await page.evaluate(() => 'hostile' in window)).toBe(false);
  const words = encodeURIComponent('"><script>window.hostile=1</script>');
  await person.open(`/?q=${words}`);
  await expect(page.getByText('No conversations found')).toBeVisible();
  await person.open(`/new?message=${words}`);
  await expect(page.getByLabel('First message')).toHaveValue('"><script>window.hostile=1</script>');
  expect(await page.evaluate(() => 'hostile' in window)).toBe(false);
});
