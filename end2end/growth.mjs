// Prints for each address, one a line, the milliseconds of the browser's main thread until the page is at rest, its first
// byte in milliseconds, and its DOM nodes: medians of three. For benches/growth.rs.
//
//   HANDRAIL_CHROMIUM=... node growth.mjs ADDRESS...
import { chromium } from '@playwright/test';

const RUNS = 3;
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const browser = await chromium.launch({ executablePath: process.env.HANDRAIL_CHROMIUM || undefined, args: ['--no-sandbox', '--disable-gpu'] });

async function measure(address) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable');
  await page.goto(address, { waitUntil: 'load' });
  await page.locator('html[data-live="true"]').waitFor();
  await page.waitForLoadState('networkidle');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const busy = metrics.find((entry) => entry.name === 'TaskDuration').value * 1000;
  const firstByte = await page.evaluate(() => {
    const [navigation] = performance.getEntriesByType('navigation');
    return navigation.responseStart - navigation.requestStart;
  });
  const nodes = await page.locator('*').count();
  await context.close();
  return { busy, firstByte, nodes };
}

try {
  for (const address of process.argv.slice(2)) {
    const results = [];
    for (let run = 0; run < RUNS; run += 1) results.push(await measure(address));
    const of = (name) => Math.round(median(results.map((result) => result[name])));
    console.log(`${of('busy')} ms, ${of('firstByte')} ms, ${of('nodes')}`);
  }
} finally {
  await browser.close();
}
