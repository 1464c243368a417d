// The browser tests: one browser, one test at a time, a server of its own for each test (server.ts).
//
// A test runs on the desktop. Its tags say where else: `@phone`, `@nojs` (as well), `@phone-only`, `@nojs-only` (instead).
import { defineConfig } from '@playwright/test';
import { BEHIND } from './front.ts';

export default defineConfig({
  // One at a time: the tests measure and wait for states, and a busy machine must not decide how they end.
  workers: 1,
  fullyParallel: false,
  // No second try: a test that sometimes fails has found something.
  retries: 0,
  forbidOnly: true,
  // Generous: a slow machine must not decide how a test ends. Tests wait for states, never for time.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  outputDir: 'test-results/files',
  reporter: [['list'], ['json', { outputFile: 'test-results/report.json' }]],
  use: {
    locale: 'en-GB',
    timezoneId: 'UTC',
    // The certificate of a house, which this browser does not know.
    ignoreHTTPSErrors: BEHIND,
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.HANDRAIL_CHROMIUM || undefined,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  projects: [
    {
      name: 'desktop',
      testDir: 'specs',
      grepInvert: /@(phone|nojs)-only/,
      use: { viewport: { width: 1280, height: 800 } },
    },
    {
      name: 'phone',
      testDir: 'specs',
      grep: /@phone/,
      use: { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
    },
    {
      name: 'nojs',
      testDir: 'specs',
      grep: /@nojs/,
      use: { viewport: { width: 1280, height: 800 }, javaScriptEnabled: false },
    },
    // Against a real OpenHands at HANDRAIL_LIVE, where an answer takes as long as the model needs.
    { name: 'live', testDir: 'live', timeout: 300_000, use: { viewport: { width: 1280, height: 800 } } },
    // Not tests of the product: the screenshots of the documentation.
    { name: 'pictures', testDir: 'pictures', use: { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 2 } },
  ],
});
