// The message field: typed text is never lost, and attachments arrive. Files that are uploaded on their own are in
// `files.spec.ts`.
import path from 'node:path';
import { PIXEL, expect, test } from '../fixtures.ts';

test.beforeEach(async ({ person }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
});

test('a draft survives a reload, also if it never reached the server, and appears in another browser', { tag: ['@phone-all'] }, async ({ person, page, another, watch }) => {
  watch.allow(/Failed to load resource/);
  const field = page.getByLabel('Message', { exact: true });
  const saved = page.waitForResponse((answer) => answer.url().includes('/api/keep_draft'));
  await field.fill('half a thou');
  await saved;
  await person.reload();
  await expect(field).toHaveValue('half a thou');
  const other = await another({ javaScriptEnabled: false });
  await other.open(`/c/${person.conversation}`);
  await expect(other.page.getByLabel('Message', { exact: true })).toHaveValue('half a thou');
  // Another tab takes it over while it is typed.
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  await tab.locator('html[data-live="true"]').waitFor();
  await page.route('**/api/keep_draft*', (route) => route.abort());
  await field.fill('typed in a tunnel');
  await expect(tab.getByLabel('Message', { exact: true })).toHaveValue('typed in a tunnel');
  await tab.close();
  await person.reload();
  await expect(field).toHaveValue('typed in a tunnel');
});

test('a sent message leaves the field empty, also after a reload', { tag: ['@nojs'] }, async ({ person, page }) => {
  await person.say('That is all');
  await person.see(person.row('That is all'));
  await person.seeStatus('finished');
  await person.reload();
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('');
  await expect(person.row('That is all')).toHaveCount(1);
});

test('a file that is dropped beside the message field is attached, and does not replace the page', async ({ page }) => {
  const files = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['text'], 'notes.txt', { type: 'text/plain' }));
    return data;
  });
  const stopped = await page.locator('.timeline').evaluate((timeline, dataTransfer) => ['dragover', 'drop'].map((name) => {
    const event = new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true });
    return !timeline.dispatchEvent(event);
  }), files);
  expect(stopped).toEqual([true, true]);
  await expect(page.locator('.composer__files')).toContainText('notes.txt');
});

test('a message that could not be sent stays in the field', async ({ page, handrail, watch }) => {
  watch.allow(/ERR_CONNECTION_REFUSED|WebSocket connection|Failed to load resource/);
  await handrail.stop('SIGKILL');
  await page.getByLabel('Message', { exact: true }).fill('Are you there?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('No connection to Handrail');
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('Are you there?');
  await handrail.launch();
  await expect(page.locator('html[data-live="true"]')).toHaveCount(1, { timeout: 20_000 });
  // The rehearsal has ended with the server, and with it the sandbox: what was typed can be read and copied.
  await expect(page.getByLabel('Message that was not sent')).toHaveValue('Are you there?');
  await page.reload();
  await expect(page.getByLabel('Message that was not sent')).toHaveValue('Are you there?');
});

test('Enter sends, Shift and Enter does not; Ctrl and Enter sends everywhere', { tag: ['@phone-all'] }, async ({ person, page, isMobile }) => {
  const field = page.getByLabel('Message', { exact: true });
  if (!isMobile) {
    await field.fill('日本語');
    // As Safari tells of the key that confirms a candidate: the composition has ended, and an input method has taken the key.
    await field.evaluate((field) => field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true })));
    await field.fill('one');
    await field.press('Shift+Enter');
    await field.pressSequentially('two');
    await expect(field).toHaveValue('one\ntwo');
    await field.press('Enter');
    await expect(field).toHaveValue('');
    await person.see(person.row('two'));
    await expect(person.row('日本語')).toHaveCount(0);
  }
  await field.fill('with a key');
  await field.press('Control+Enter');
  await person.see(person.row('with a key'));
});

test('on a phone Enter is a new line and the button sends', { tag: ['@phone-only'] }, async ({ person, page }) => {
  const field = page.getByLabel('Message', { exact: true });
  await field.fill('one');
  await field.press('Enter');
  await field.pressSequentially('two');
  await expect(field).toHaveValue('one\ntwo');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await person.see(person.row('two'));
});

test('images are attached, pasted, removed, shown and sent, and one that is too large is refused', { tag: ['@phone-all'] }, async ({ person, page }) => {
  const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') });
  const input = page.getByLabel('Attach', { exact: true });
  const attached = page.getByRole('list', { name: 'Attachments' });
  await input.setInputFiles({ name: 'huge.png', mimeType: 'image/png', buffer: Buffer.alloc(3_000_000) });
  await expect(page.getByRole('alert')).toContainText('huge.png is too large');
  await expect(attached).toHaveCount(0);
  await input.setInputFiles([picture('red.png'), picture('other.png')]);
  await expect(attached.getByRole('listitem')).toHaveCount(2);
  await page.getByRole('button', { name: 'Remove other.png' }).click();
  await expect(attached.getByRole('listitem')).toHaveCount(1);
  await person.say('Look at this');
  const shown = person.row('Look at this').getByRole('img');
  await expect(shown).toHaveCount(1);
  await expect(shown).toHaveJSProperty('naturalWidth', 1);
  await expect(attached).toHaveCount(0);

  await page.getByLabel('Message', { exact: true }).evaluate((field, pixel) => {
    const bytes = Uint8Array.from(atob(pixel), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], 'pasted.png', { type: 'image/png' }));
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, PIXEL);
  await expect(attached).toContainText('pasted.png');
  await person.say('From the clipboard');
  await expect(person.row('From the clipboard').getByRole('img')).toHaveCount(1);
});

test('other files go into the workspace and are named in the message, and need no text', async ({ person, page }) => {
  await page.getByLabel('Attach', { exact: true }).setInputFiles(path.resolve(import.meta.dirname, '../tsconfig.json'));
  await expect(page.getByRole('list', { name: 'Attachments' })).toContainText('tsconfig.json');
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeEnabled();
  await person.say('Here is a file');
  await person.see(person.row('Here is a file').getByText('tsconfig.json'));
  await page.getByLabel('Attach', { exact: true }).setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('first line\n') });
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeEnabled();
  await person.say('');
  await person.see(person.row('Attached: notes.txt'));
  const files = await person.view('Files');
  await person.see(files.getByRole('link', { name: 'tsconfig.json' }));
});
