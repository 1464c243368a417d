// Measures what a person waits for: opening conversations of 100 to 100,000 events with the release server and a real browser.
//
//   node measure.mjs [--sizes 100,1000,10000] [--runs 3]
//
// Then: how long a click waits for the next frame. Prints Markdown tables for docs/PERFORMANCE.md. Every figure is a median over the runs; the machine and its load stand above.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from '@playwright/test';

const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
};
const sizes = option('sizes', '100,1000,10000,100000').split(',').map(Number);
const runs = Number(option('runs', '3'));
const binary = process.env.HANDRAIL_BIN ?? path.resolve(import.meta.dirname, '../target/release/handrail');

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const rounded = (number) => (number < 10 ? number.toFixed(1) : Math.round(number).toString());

async function start(dataDir) {
  const server = spawn(binary, ['--trust-local', '--listen', '127.0.0.1:0', '--data-dir', dataDir, '--rehearsal-pace', '0', '--log', 'warn'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const address = /serving on (http:\S+)/.exec(line)?.[1];
    if (address) return { server, address };
  }
  throw new Error('the server ended before it served');
}

/** Makes a conversation of about `size` events and waits until its agent has finished. */
async function prepare(browser, address, size) {
  const page = await browser.newPage();
  await page.goto(`${address}/new`);
  await page.getByLabel('First message').fill(`[[scenario:long:${Math.round(size / 2)}]]`);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.waitForURL(/\/c\//);
  await page.locator('.conversation__head .badge:is([data-status="finished"], [data-status="idle"])').waitFor({ timeout: 900_000 });
  const url = page.url();
  await page.close();
  return url;
}

async function measure(browser, url, profile) {
  const context = await browser.newContext(profile.context);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Performance.enable');
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: profile.slower });
  let requests = 0;
  let bytes = 0;
  devtools.on('Network.requestWillBeSent', (event) => {
    if (!event.request.url.startsWith('data:')) requests += 1;
  });
  devtools.on('Network.loadingFinished', (event) => {
    bytes += event.encodedDataLength;
  });
  await page.goto(url, { waitUntil: 'load' });
  await page.locator('html[data-live="true"]').waitFor();
  await page.waitForLoadState('networkidle');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const metric = (name) => metrics.find((entry) => entry.name === name).value;
  const timing = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType('navigation');
    const paint = performance.getEntriesByName('first-contentful-paint')[0];
    return { firstByte: navigation.responseStart - navigation.requestStart, paint: paint?.startTime ?? Number.NaN };
  });
  const result = { requests, bytes, cpu: metric('TaskDuration') * 1000, nodes: await page.locator('*').count(), ...timing };
  await context.close();
  return result;
}

/** Clicks controls that answer on the page itself, and returns the milliseconds until the frame that follows each. */
async function react(browser, url, profile) {
  const context = await browser.newContext(profile.context);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: profile.slower });
  await page.addInitScript(() => {
    globalThis.clicks = [];
    // Faster ones than 16 ms are not reported.
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === 'click') globalThis.clicks.push(entry.duration);
    }).observe({ type: 'event', durationThreshold: 16 });
  });
  await page.goto(url, { waitUntil: 'load' });
  await page.locator('html[data-live="true"]').waitFor();
  await page.waitForLoadState('networkidle');
  const menu = page.locator('.conversation__controls > .menu > summary');
  const panel = (name) => page.getByRole('navigation', { name: 'Panels' }).getByRole('link', { name });
  // A phone has the panels in the menu.
  const panels = profile.context.isMobile
    ? [menu, panel('Terminal'), menu, panel('Files'), menu, panel('Timeline')]
    : [panel('Terminal'), panel('Files'), page.locator('.panel__close'), menu, menu];
  const controls = [...panels, page.locator('.step > summary').last()];
  let made = 0;
  for (let round = 0; round < 15; round += 1) {
    for (const control of controls) {
      // At a point: a locator's own click runs scripts in the page, which would count.
      await control.scrollIntoViewIfNeeded();
      const { x, y, width, height } = await control.boundingBox();
      const press = profile.context.hasTouch ? (...at) => page.touchscreen.tap(...at) : (...at) => page.mouse.click(...at);
      await press(x + width / 2, y + height / 2);
      made += 1;
      await page.waitForTimeout(200);
    }
  }
  const slow = await page.evaluate(() => globalThis.clicks);
  await context.close();
  return [...slow, ...Array(Math.max(0, made - slow.length)).fill(16)].toSorted((a, b) => a - b);
}

const profiles = [
  { name: 'desktop', slower: 1, context: { viewport: { width: 1280, height: 800 } } },
  { name: 'phone, CPU x4 slower', slower: 4, context: { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true } },
];
const dataDir = await mkdtemp(path.join(tmpdir(), 'handrail-measure-'));
const { server, address } = await start(dataDir);
const browser = await chromium.launch({
  executablePath: process.env.HANDRAIL_CHROMIUM || undefined,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
try {
  console.log(`${cpus().length} x ${cpus()[0].model}, ${Math.round(totalmem() / 2 ** 30)} GiB, load ${loadavg()[0].toFixed(1)}, ${browser.version()}\n`);
  console.log('| events | profile | kB over the wire | requests | first byte, ms | first content, ms | main thread, ms | DOM nodes |');
  console.log('|---|---|---|---|---|---|---|---|');
  for (const size of sizes) {
    const url = await prepare(browser, address, size);
    for (const profile of profiles) {
      const results = [];
      for (let run = 0; run < runs; run += 1) results.push(await measure(browser, url, profile));
      const of = (name) => median(results.map((result) => result[name]));
      console.log(
        `| ${size} | ${profile.name} | ${rounded(of('bytes') / 1000)} | ${of('requests')} | ${rounded(of('firstByte'))} | ${rounded(of('paint'))} | ${rounded(of('cpu'))} | ${of('nodes')} |`,
      );
    }
  }
  console.log('\n| profile | clicks | until the next frame: p50, ms | p95, ms | slowest, ms |');
  console.log('|---|---|---|---|---|');
  const url = await prepare(browser, address, 1_000);
  for (const profile of profiles) {
    const took = await react(browser, url, profile);
    const at = (share) => took[Math.min(took.length - 1, Math.floor(took.length * share))];
    console.log(`| ${profile.name} | ${took.length} | ${at(0.5)} | ${at(0.95)} | ${took.at(-1)} |`);
  }
} finally {
  await browser.close();
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await ended;
  await rm(dataDir, { recursive: true, force: true });
}
