// Reading a conversation: folded runs of steps, sub-agents, copying code, long lines, excerpts.
import { DIALECT } from '../dialect.ts';
import { expect, test } from '../fixtures.ts';

test.describe.configure({ timeout: 60_000 });

test('a run of reads and thoughts is folded into one line, and a link to one of its rows opens it', { tag: ['@phone-all', '@nojs'] }, async ({ person, page }) => {
  const id = await person.createConversation('Read along [[scenario:reads]]');
  await person.seeStatus('finished');
  await person.reload();
  const fold = page.locator('.timeline details.fold');
  await expect(fold).toHaveCount(1);
  await expect(fold.locator('.row')).toHaveCount(6);
  await expect(fold.locator('summary').first()).toContainText(/^Read 4 files, thought twice/);
  await expect(fold.locator('.row').first()).toBeHidden();
  await expect(person.step('wc -l notes.md')).toBeVisible();
  const row = await fold.locator('.row').nth(2).getAttribute('id');
  await fold.locator('summary').first().click();
  for (const row of await fold.locator('.row').all()) await expect(row).toBeVisible();
  if (!person.scripted) return;
  await person.open('/');
  await person.open(`/c/${id}#${row}`);
  await expect(page.locator(`#${row}`)).toBeVisible();
});

test('the steps of a sub-agent are indented, and its end does not finish the conversation', { tag: ['@nojs'] }, async ({ person, page }) => {
  test.skip(DIALECT === '1.x', 'its sub-agents have conversations of their own');
  await person.createConversation('Get help [[scenario:delegate]]');
  await person.seeStatus('finished');
  await person.see(person.row('The browsing agent helped me.'));
  const ends = page.locator('.timeline .row:has(> [data-kind="finish"])');
  await expect(ends).toHaveCount(2);
  await expect(ends.first()).toHaveClass(/nested/);
  await expect(ends.last()).not.toHaveClass(/nested/);
  await expect(page.locator('.row:has(.step__subject:text-is("echo the parent goes on"))')).not.toHaveClass(/nested/);
});

test('a block of code is copied completely, and its long lines wrap or scroll, as chosen', async ({ person, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await person.createConversation('Read along [[scenario:reads]]');
  await person.seeStatus('finished');
  await page.locator('.timeline .code-box').getByRole('button', { name: 'Copy' }).click();
  await expect(page.getByText('Copied', { exact: true })).toBeVisible();
  expect((await page.evaluate(() => navigator.clipboard.readText())).trim()).toBe('wc -l notes.md');
  const space = () => page.locator('.timeline .prose pre').first().evaluate((pre) => getComputedStyle(pre).whiteSpaceCollapse + getComputedStyle(pre).textWrapMode);
  expect(await space()).toBe('preservewrap');
  await page.locator('.you > summary').click();
  await page.getByRole('button', { name: 'Scroll long lines' }).click();
  expect(await space()).toBe('preservenowrap');
  await person.reload();
  expect(await space()).toBe('preservenowrap');
});

test('without JavaScript there is no button to copy code', { tag: ['@all', '@nojs'] }, async ({ person, page }) => {
  await person.createConversation('Read along [[scenario:reads]]');
  await person.seeStatus('finished');
  await expect(page.locator('.timeline .code-copy:visible')).toHaveCount(person.scripted ? 1 : 0);
});

test('a tap on a time says it exactly', { tag: ['@phone-only'] }, async ({ person, page }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  const time = page.locator('.timeline .row__time').first();
  await expect(time).toHaveAttribute('title', /\d{4}, \d\d:\d\d UTC$/);
  await time.tap();
  // As the reader's browser writes it, which needs no zone.
  await expect(page.locator('.toast')).toHaveText(/\d{4}, \d\d:\d\d$/);
});

test('search results show no markup', { tag: ['@all', '@nojs'] }, async ({ person, page }) => {
  const id = await person.createConversation('Read along [[scenario:reads]]');
  await person.seeStatus('finished');
  await person.open(`/c/${id}?q=three`);
  await expect(page.locator('.result__text').first()).toHaveText(/^The notes have three lines: wc -l notes\.md$/);
});

test('in a narrow timeline beside a panel a waiting command has room', async ({ person, page }) => {
  await page.setViewportSize({ width: 1024, height: 768 });
  await person.createConversation('Please repair this small project');
  await person.see(person.approval('rm -rf build'));
  await person.view('Terminal');
  const head = page.locator('.timeline .step[data-state="waiting"] .step__subject');
  expect(await head.evaluate((subject) => subject.getBoundingClientRect().width)).toBeGreaterThan(100);
});

test('a step of one line is compact', { tag: ['@phone'] }, async ({ person, page }, info) => {
  await person.createConversation('Get help [[scenario:delegate]]');
  await person.seeStatus('finished');
  const step = person.step('echo the parent goes on');
  await step.scrollIntoViewIfNeeded();
  const height = await step.evaluate((step) => step.getBoundingClientRect().height + (Number.parseFloat(getComputedStyle(step.closest('.timeline__rows')!).rowGap) || 0));
  info.annotations.push({ type: 'height with its distance', description: `${height} px` });
  expect(height).toBeLessThanOrEqual(info.project.name.startsWith('phone') ? 44 : 28);
  await person.view('Terminal');
  const dollar = await page.locator('.console__command').first().evaluate((link) => getComputedStyle(link, '::before').content);
  expect(dollar).toBe('"$ "');
});
