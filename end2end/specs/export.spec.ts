// Exports: the file that replays a conversation without a server, masked secrets. Imports: of our own files, and of broken ones.
import fs from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import type { Download, Page, TestInfo } from '@playwright/test';
import { expectAccessible, expectAccessibleState, expectNothingClipped } from '../accessible.ts';
import { type Person, expect, test } from '../fixtures.ts';

const TOKEN = 'ghp_abcdefghijklmnopqrstuvwxyz0123';

/** Checks a page. axe is a script itself, so without scripts only the layout is checked. */
async function checkPage(person: Person, page: Page, state: string): Promise<void> {
  if (person.scripted) await expectAccessibleState(page, state);
  await expectNothingClipped(page, state);
}

/** Opens the export page of the open conversation. */
async function openExport(person: Person, id: string): Promise<void> {
  await person.page.locator('.conversation__head').getByText('Actions', { exact: true }).click();
  await person.page.getByRole('link', { name: 'Export…' }).click();
  await person.page.waitForURL(`**/c/${id}/export`);
  await expect(person.page.getByRole('heading', { name: 'Download' })).toBeVisible();
}

/** Presses a button of the export page, and returns the path of the file that is saved. */
async function save(page: Page, format: 'Web page' | 'Markdown' | 'JSON', info: TestInfo): Promise<string> {
  const began = page.waitForEvent('download');
  await page.getByRole('button', { name: format, exact: true }).click();
  const download: Download = await began;
  const path = info.outputPath(download.suggestedFilename());
  await download.saveAs(path);
  return path;
}

test('a saved page replays a conversation from disk without a request and without its secrets', { tag: ['@phone-all', '@nojs'] }, async ({ person, page, browser }, info) => {
  const id = await person.createConversation(`A tour with ${TOKEN} [[scenario:tour]]`);
  await person.seeStatus('waiting');
  await openExport(person, id);
  await expect(page.getByRole('row').filter({ hasText: 'Repository token' })).toContainText('ghp_…');
  await expect(page.locator('main')).not.toContainText(TOKEN);
  await checkPage(person, page, 'export');
  const path = await save(page, 'Web page', info);
  expect(path).toMatch(/\.html$/);

  const context = await browser.newContext();
  const saved = await context.newPage();
  const [requests, complaints]: [string[], string[]] = [[], []];
  const address = pathToFileURL(path).href;
  saved.on('request', (request) => requests.push(request.url()));
  saved.on('console', (message) => complaints.push(message.text()));
  saved.on('pageerror', (error) => complaints.push(error.message));
  await saved.goto(address);
  const rows = saved.locator('#rows > .row');
  const all = await rows.count();
  expect(all).toBeGreaterThan(5);
  await expect(rows.last()).toBeVisible();
  await expect(rows.first()).toBeVisible();
  await expect(rows.first()).toContainText('Instructions');
  await expect(rows.nth(1)).toContainText('A tour with [masked:repository-token]');
  expect(await saved.content()).not.toContain(TOKEN);
  const bar = saved.locator('#replay');
  if (person.scripted) await replay(saved, all);
  else await expect(bar).toBeHidden();
  if (person.scripted) await expectAccessible(saved, 'saved page');
  await expectNothingClipped(saved, 'saved page');
  // Pictures inside the file are read from it, and are no requests of the network.
  expect(requests.filter((url) => url !== address && !url.startsWith('data:'))).toEqual([]);
  expect(complaints).toEqual([]);
  await saved.screenshot({ path: info.outputPath('saved.png') });
  await context.close();
});

/** Replays a saved page by its slider, its buttons and its keys. */
async function replay(saved: Page, all: number): Promise<void> {
  const rows = saved.locator('#rows > .row:visible');
  const slider = saved.getByRole('slider', { name: 'Position in the conversation' });
  await expect(saved.locator('#count')).toHaveText(`${all} / ${all}`);
  await slider.focus();
  await saved.keyboard.press('Home');
  await expect(rows).toHaveCount(1);
  await expect(saved.getByText('End of the conversation')).toBeHidden();
  await saved.keyboard.press('ArrowRight');
  await expect(rows).toHaveCount(2);
  await expect(slider).toHaveAttribute('aria-valuetext', new RegExp(`^2 of ${all}: `));
  await saved.getByRole('button', { name: 'Next', exact: true }).click();
  await expect(rows).toHaveCount(3);
  await saved.getByRole('button', { name: 'Previous', exact: true }).click();
  await expect(rows).toHaveCount(2);
  await saved.keyboard.press('Shift+ArrowLeft');
  await expect(rows).toHaveCount(1);
  await saved.getByRole('button', { name: 'Next mark' }).click();
  await expect(saved.locator('#rows > .row[data-current]').or(saved.locator('#rows > .row:visible').nth(all - 1))).toBeVisible();
  await slider.focus();
  await saved.keyboard.press('Home');
  await saved.getByLabel('Speed').selectOption('10');
  await slider.focus();
  await saved.keyboard.press(' ');
  await expect(saved.getByRole('button', { name: 'Pause' })).toBeVisible();
  await expect(rows).toHaveCount(all);
  await expect(saved.getByRole('button', { name: 'Play' })).toBeVisible();
  await expect(saved.getByText('End of the conversation')).toBeVisible();
}

test('secrets are shown by their beginnings, and masked in every format unless they are kept', { tag: ['@all', '@phone-all', '@nojs'] }, async ({ person, page }, info) => {
  const id = await person.createConversation(`Use ${TOKEN} [[scenario:hello]]`);
  await person.see(person.row('Hello! I am a rehearsal agent'));
  await openExport(person, id);
  const secret = page.getByRole('row').filter({ hasText: 'Repository token' });
  await expect(secret).toContainText('ghp_…');
  await expect(page.locator('main')).not.toContainText(TOKEN);
  await checkPage(person, page, 'export with a secret');
  for (const format of ['Markdown', 'JSON', 'Web page'] as const) {
    const masked = await fs.readFile(await save(page, format, info), 'utf8');
    expect(masked).toContain('[masked:repository-token]');
    expect(masked).not.toContain(TOKEN);
  }
  await page.getByLabel('Keep them').check();
  const kept = await fs.readFile(await save(page, 'JSON', info), 'utf8');
  expect(kept).toContain(TOKEN);
  await secret.getByRole('link').click();
  await expect(page.locator('.row--human').filter({ hasText: TOKEN })).toBeVisible();
});

test('a saved conversation is imported and can be read, and nothing else; a broken file is refused with the place of the fault', { tag: ['@phone-all', '@nojs'] }, async ({ person, page, watch }, info) => {
  watch.allow(/status of 400/);
  const id = await person.createConversation('Many steps [[scenario:long:20]]');
  await person.seeStatus('finished');
  await openExport(person, id);
  const path = await save(page, 'JSON', info);
  await person.open('/new');
  await page.getByRole('link', { name: 'Import a conversation from a file' }).click();
  await checkPage(person, page, 'import');
  const buffer = Buffer.from('[{"action": "message"},\n{"action": ]');
  await page.getByLabel('File').setInputFiles({ name: 'broken.json', mimeType: 'application/json', buffer });
  await page.getByRole('button', { name: 'Import' }).click();
  await expect(page.getByRole('alert')).toContainText('Line 2, column 12 (event 2): the file is not valid JSON');
  await expect(page.getByRole('alert')).toContainText('Nothing was imported.');
  await checkPage(person, page, 'import with an error');
  await person.open('/');
  await expect(page.locator('.conversation-row').filter({ hasText: 'Imported' })).toHaveCount(0);
  await person.open('/import');
  await page.getByLabel('File').setInputFiles(path);
  await page.getByRole('button', { name: 'Import' }).click();
  await page.waitForURL((url) => /\/c\/[0-9a-f]{32}$/.test(url.pathname) && !url.pathname.endsWith(id));
  const copy = person.conversation;
  expect(copy).not.toBe(id);
  await expect(page.getByText('Imported. No agent works in this conversation.')).toBeVisible();
  await expect(page.getByRole('textbox')).toHaveCount(0);
  await expect(page.getByRole('button', { name: /Start|Stop|Resume|Pause/ })).toHaveCount(0);
  // Every fifth step is a thought.
  await expect(person.step('echo step 19')).toBeVisible();
  await expect(person.step('This was step 20.')).toBeVisible();
  await checkPage(person, page, 'imported conversation');
  await person.open(`/c/${copy}?q=step+11`);
  await expect(page.locator('.result').first()).toContainText('step 11');
  await person.open('/');
  await expect(page.locator('.conversation-row').filter({ hasText: 'Imported' })).toHaveCount(1);
  await person.open(`/c/${copy}`);
  await openExport(person, copy);
  const again = await fs.readFile(await save(page, 'JSON', info), 'utf8');
  expect(again).toBe(await fs.readFile(path, 'utf8'));
});
