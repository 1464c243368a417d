// Handrail as an installed app: what browsers check before they install it, and what only an installed app has.
import { brotliCompressSync } from 'node:zlib';
import { expectAccessible, expectNothingClipped } from '../accessible.ts';
import { BEHIND } from '../front.ts';
import { PIXEL } from '../fixtures.ts';
import { expect, kept, test } from '../installed.ts';

test.describe.configure({ timeout: 90_000 });
test.skip(BEHIND, 'browsers refuse a service worker from a server whose certificate they do not know');

/** Width and height in the header of a PNG. */
const size = (png: Buffer): string => `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`;

interface Manifest {
  id: string;
  scope: string;
  start_url: string;
  display: string;
  icons: { src: string; sizes: string; type: string; purpose: string }[];
  screenshots: { src: string; sizes: string; form_factor: string }[];
  shortcuts: { name: string; url: string }[];
  share_target: { action: string; method: string };
}

for (const [path, tag] of [['/', ['@all']], ['/tools/handrail/', []]] as const) {
  test.describe(`below ${path}`, { tag: [...tag] }, () => {
    test.use({ serverArgs: async ({}, use) => use(['--rehearsal-pace', '20', '--base', path]) });

    test('manifest, icons and worker are what an installation needs', async ({ page, network, watch }) => {
      watch.allow(/ERR_|status of 503|WebSocket/);
      const home = new URL(network.url).origin + path;
      await page.goto(home);
      await page.locator('html[data-live="true"]').waitFor();
      const link = await page.locator('link[rel="manifest"]').getAttribute('href');
      const answer = await page.request.get(new URL(link ?? '', home).href);
      expect(answer.headers()['content-type']).toContain('application/manifest+json');
      const manifest = (await answer.json()) as Manifest;
      expect([manifest.id, manifest.scope, manifest.start_url, manifest.display]).toEqual([path, path, path, 'standalone']);
      expect(manifest.shortcuts.map(({ name, url }) => [name, url])).toEqual([['Inbox', `${path}inbox`], ['New', `${path}new`]]);
      expect([manifest.share_target.action, manifest.share_target.method]).toEqual([`${path}share`, 'POST']);
      const icons = manifest.icons.filter(({ type }) => type === 'image/png');
      expect(icons.map(({ sizes }) => sizes)).toEqual(expect.arrayContaining(['192x192', '512x512']));
      expect(icons.map(({ purpose }) => purpose)).toContain('maskable');
      expect(manifest.screenshots.map((one) => one.form_factor).toSorted()).toEqual(['narrow', 'wide']);
      for (const image of [...icons, ...manifest.screenshots]) {
        const file = await page.request.get(new URL(image.src, home).href);
        expect(size(await file.body()), image.src).toBe(image.sizes);
      }
      for (const { url } of manifest.shortcuts) expect((await page.request.get(new URL(url, home).href)).status()).toBe(200);
      // The browser has no complaint of its own.
      const devtools = await page.context().newCDPSession(page);
      expect((await devtools.send('Page.getAppManifest')).errors).toEqual([]);
      // The worker controls the page, is not cached, keeps the content security policy, and is small.
      await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.scriptURL)).toBe(`${home}service-worker.js`);
      const worker = await page.request.get(`${home}service-worker.js`, { headers: { 'accept-encoding': 'br' } });
      expect(worker.headers()['cache-control']).toBe('no-cache');
      expect(worker.headers()['content-security-policy']).toBe("default-src 'none'; connect-src 'self'; img-src 'self'; frame-ancestors 'none'");
      expect(brotliCompressSync(await worker.body()).length).toBeLessThan(15_000);
      await kept(page, 'Conversations');
      network.cut();
      const opened = await page.goto(home);
      expect(opened?.fromServiceWorker()).toBe(true);
      expect(opened?.headers()['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self' 'nonce-/);
      await expect(page.getByText(/Last update/)).toBeVisible();
    });
  });
}

test('the icon carries the number of pending approvals', async ({ person, page }) => {
  await page.addInitScript(() => {
    const badges: number[] = [];
    Object.assign(window, { badges });
    Object.assign(navigator, { setAppBadge: async (count: number) => void badges.push(count), clearAppBadge: async () => void badges.push(0) });
  });
  const last = () => page.evaluate(() => (window as unknown as { badges: number[] }).badges.at(-1));
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await expect.poll(last).toBe(1);
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(person.approval()).toHaveCount(0);
  await expect.poll(last).toBe(0);
});

test('what another app shares becomes the draft of the chosen conversation', { tag: ['@phone'] }, async ({ person, page }) => {
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  const saved = page.waitForResponse((answer) => answer.url().includes('/api/keep_draft'));
  await page.getByLabel('Message', { exact: true }).fill('Begun before');
  await saved;
  await person.open('/');
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  // The browser posts a form like this one.
  await page.evaluate((pixel) => {
    const form = Object.assign(document.createElement('form'), { method: 'post', action: '/share', enctype: 'multipart/form-data' });
    for (const [name, value] of [['title', 'News'], ['text', 'Look at https://a.example/1'], ['url', 'https://a.example/1']]) {
      form.append(Object.assign(document.createElement('input'), { name, value }));
    }
    const bytes = Uint8Array.from(atob(pixel), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], 'pixel.png', { type: 'image/png' }));
    const files = Object.assign(document.createElement('input'), { type: 'file', name: 'images' });
    files.files = data.files;
    form.append(files);
    document.body.append(form);
    form.submit();
  }, PIXEL);
  await page.waitForURL(/\/share\?/);
  await person.alive();
  await expect(page.getByLabel('Shared text')).toHaveValue('News\nLook at https://a.example/1');
  await expect(page.getByText('1 image is attached')).toBeVisible();
  await page.waitForTimeout(1_500);
  await page.getByRole('main').getByRole('button', { name: 'Rehearsal: hello' }).click();
  await page.waitForURL(new RegExp(`/c/${id}`));
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('Begun before\n\nNews\nLook at https://a.example/1');
  await expect(page.locator('.composer__files')).toContainText('pixel.png');
  await page.locator('.composer__send').click();
  await person.see(person.row('Look at https://a.example/1'));
});

test('what another app shares starts a new conversation', { tag: ['@nojs'] }, async ({ person, page }) => {
  await person.open('/share?text=hello%20%5B%5Bscenario%3Ahello%5D%5D');
  await page.getByRole('main').getByRole('button', { name: 'New conversation' }).click();
  await page.waitForURL(/\/new\?message=/);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.waitForURL(/\/c\//);
  await person.see(person.row('Hello! I am a rehearsal agent'));
});

test('the pages of the installed app are accessible and whole, also with text of twice the size', { tag: ['@all', '@phone-all'] }, async ({ person, page }, info) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  const shots = process.env.HANDRAIL_SHOTS;
  for (const [name, path] of [['install', '/install'], ['share', '/share?title=News&text=Look%20at%20this&images=2&cut=1'], ['lost', '/share?text=x&images=lost']] as const) {
    await person.open(path);
    await expectAccessible(page, name);
    for (const [width, height] of info.project.name === 'phone' ? [[360, 640], [390, 844]] : [[1280, 800]]) {
      await page.setViewportSize({ width, height });
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const body = await page.screenshot(shots ? { path: `${shots}/${name}-${width}x${height}-${colorScheme}.png` } : {});
        await info.attach(`${name}-${width}x${height}-${colorScheme}.png`, { body, contentType: 'image/png' });
      }
    }
    for (const size of ['100%', '200%']) {
      await page.locator('html').evaluate((html, size) => (html.style.fontSize = size), size);
      await expectNothingClipped(page, `${name} at ${size}`);
    }
  }
});

test('an app in a window of its own has a way back', { tag: ['@phone-only'] }, async ({ person, page }) => {
  await person.open('/');
  await person.open('/inbox');
  // The browser of the tests has no such window: the rules for one apply to all.
  await page.evaluate(() => {
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
    for (const rule of rules.flatMap((rule) => [rule, ...('cssRules' in rule ? (rule as CSSLayerBlockRule).cssRules : [])])) {
      if (rule instanceof CSSMediaRule && rule.media.mediaText.includes('standalone')) rule.media.mediaText = 'all';
    }
  });
  await page.waitForTimeout(1_500);
  const back = page.getByRole('link', { name: 'Back' });
  await expect(back).toBeVisible();
  await expectNothingClipped(page, 'standalone');
  await back.click();
  await page.waitForURL(/\/$/);
});
