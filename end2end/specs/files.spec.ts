// The files of the workspace: uploads, downloads, what is shown of a file, and links to its lines.
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { ARCHIVE, CAN } from '../dialect.ts';
import { PIXEL, type Person, expect, test } from '../fixtures.ts';
import { type Hand, handOf, openPanel } from '../hand.ts';

test.describe.configure({ timeout: 120_000 });

const EVERY_WAY = { tag: ['@phone', '@nojs'] };

interface Upload {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

const text = (name: string, content: string): Upload => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

/** Chooses files for the upload as a person would, and sends them. */
async function upload(hand: Hand, person: Person, page: Page, files: Upload[]): Promise<void> {
  const field = page.getByLabel('Files to upload to the workspace');
  await person.see(field);
  const chooser = page.waitForEvent('filechooser');
  await hand.press(field);
  await (await chooser).setFiles(files);
  await hand.press(page.getByRole('button', { name: 'Upload', exact: true }));
  for (const { name } of files) await person.see(inTree(page, name));
  // An upload that succeeded does not look like a mistake.
  await expect(page.locator('#upload-files:user-invalid')).toHaveCount(0);
}

const inTree = (page: Page, name: string): Locator => page.locator('.tree').getByRole('link', { name, exact: true });

/** Opens a file of the tree. */
async function openFile(hand: Hand, page: Page, name: string): Promise<Locator> {
  await hand.press(inTree(page, name));
  await page.waitForURL((url) => url.searchParams.get('file') === name);
  return page.locator('.files__view');
}

/** Presses a link to a file, and returns its name and its bytes. */
async function download(hand: Hand, page: Page, link: Locator): Promise<{ name: string; bytes: Buffer }> {
  const saved = page.waitForEvent('download');
  await hand.press(link);
  const file = await saved;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()) };
}

test.beforeEach(async ({ person }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
});

test('a file is uploaded, and it and the workspace are downloaded', EVERY_WAY, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  await openPanel(hand, page, 'Files');
  await upload(hand, person, page, [text('notes.txt', 'first line\n')]);
  const file = await openFile(hand, page, 'notes.txt');
  await person.see(file.locator('.line').filter({ hasText: 'first line' }));
  const one = await download(hand, page, file.getByRole('link', { name: 'Download this file' }));
  expect(one.name).toBe('notes.txt');
  // 0.62 appends a newline.
  expect(one.bytes.toString().trim()).toBe('first line');

  const archive = CAN.keepBytes ? /\.tar\.gz$/ : /\.zip$/;
  const all = await download(hand, page, page.locator('.panel').getByRole('link', { name: /^Download all/ }));
  expect(all.name).toMatch(archive);
  expect(all.bytes.length).toBeGreaterThan(0);
  await hand.press(page.locator('.conversation__controls summary'));
  const again = await download(hand, page, page.getByRole('link', { name: /^Download the workspace/ }));
  expect(again.name).toMatch(archive);
  expect(again.bytes.subarray(0, 2).toString('hex')).toBe(ARCHIVE === 'application/zip' ? '504b' : '1f8b');
});

test('a picture is shown, and of another binary file only what it is', EVERY_WAY, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  await openPanel(hand, page, 'Files');
  const binary = Buffer.from([0, 255, 254, 0, 1, 2, 3]);
  await upload(hand, person, page, [
    { name: 'red.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') },
    { name: 'data.bin', mimeType: 'application/octet-stream', buffer: binary },
  ]);
  let file = await openFile(hand, page, 'red.png');
  if (CAN.keepBytes) {
    const picture = file.getByRole('img', { name: 'red.png' });
    await person.see(picture);
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  } else {
    await person.see(file.getByText('red.png is not a text file. Download the workspace to open it.'));
  }
  file = await openFile(hand, page, 'data.bin');
  await person.see(file.getByText("Can't preview this file"));
  await expect(file.locator('.line')).toHaveCount(0);
  if (CAN.keepBytes) {
    await expect(file.getByText('data.bin is not a text file. Its size is 7 bytes.')).toBeVisible();
    const saved = await download(hand, page, file.getByRole('link', { name: 'Download' }));
    expect(saved.bytes.equals(binary)).toBe(true);
  } else {
    await expect(file.getByText('data.bin is not a text file. Download the workspace to open it.')).toBeVisible();
    await expect(file.getByRole('link', { name: 'Download' })).toHaveCount(0);
  }
});

test('a file that is too large is downloaded instead, and a missing one is named', EVERY_WAY, async ({ person, page, isMobile }) => {
  const hand = handOf(person, page, isMobile);
  await person.say('Write a large file [[scenario:big]]');
  await person.see(person.row('The file is 2 MB large.').last());
  await openPanel(hand, page, 'Files');
  await person.see(inTree(page, 'big.txt'));
  const file = await openFile(hand, page, 'big.txt');
  await person.see(file.getByText('Too large to preview'));
  await expect(file.getByText(/^big\.txt is \d\.\d MB\. Download it to open it\.$/)).toBeVisible();
  await expect(file.locator('.line')).toHaveCount(0);
  const saved = await download(hand, page, file.getByRole('link', { name: 'Download' }));
  expect(saved.name).toBe('big.txt');
  expect(saved.bytes.length).toBeGreaterThan(2_000_000);
  await person.open(`/c/${person.conversation}?panel=files&file=gone.txt`);
  await person.see(page.locator('.files__view').getByText('gone.txt is not in the workspace. It may have been deleted.'));
});

test('a line of a file has a link, which opens at that line', EVERY_WAY, async ({ person, page, isMobile, another, javaScriptEnabled }) => {
  const hand = handOf(person, page, isMobile);
  await openPanel(hand, page, 'Files');
  const lines = Array.from({ length: 300 }, (_, at) => `this is line ${at + 1}`);
  await upload(hand, person, page, [text('lines.txt', `${lines.join('\n')}\n`)]);
  const file = await openFile(hand, page, 'lines.txt');
  await person.see(file.locator('#L250'));
  await expect(file.locator('#L250')).not.toBeInViewport();
  // The numbers are no stops of the Tab key.
  await file.locator('#L250 .line__number').click();
  await expect(page).toHaveURL(/file=lines\.txt.*#L250$/);

  const other = await another({ viewport: page.viewportSize(), javaScriptEnabled, isMobile, hasTouch: isMobile });
  await other.open(page.url());
  const line = other.page.locator('#L250');
  await expect(line).toContainText('this is line 250');
  await expect(line).toBeInViewport();
  await expect(other.page.locator('#L1')).not.toBeInViewport();
});
