// The browser tests: six at a time, each with a server of its own (server.ts).
//
// By default a test runs once, on the desktop unless its tags say where:
//   @phone       on the phone, where what it proves is hardest
//   @both        on the desktop and on the phone
//   @phone-only, @nojs-only   nowhere else, also in a run of all repetitions; without a script by default only with @default
// HANDRAIL_ALL=1 (`cargo xtask test --all`) adds the repetitions: @phone and @phone-all on both, @nojs without a script, and
// the tests tagged @all.
import { defineConfig } from '@playwright/test';
import { BEHIND } from './front.ts';

/** Whether the repetitions run, too; a test that is asked for by its name runs wherever it can. */
const ALL = Boolean(process.env.HANDRAIL_ALL || process.env.HANDRAIL_NAMED);

/** What `@all` marks, and what is only for another project. */
const ELSEWHERE = ALL ? /@(phone|nojs)-only/ : /@(phone|nojs)-only|@all(?![-\w])|^(?!.*@both(?![-\w])).*@phone(?![-\w])/;

/** Features of Chromium that Playwright turns off, and the renderer that is started ahead for a page that no test opens. */
const FEATURES_OFF = [
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'SpareRendererForSitePerProcess',
  'ThirdPartyStoragePartitioning',
];

export default defineConfig({
  // Six at a time, on whatever machine: tests mostly wait for agents, and they wait for states, so the load of another
  // test decides no result.
  workers: 6,
  fullyParallel: true,
  // A test that passes at its second run only is counted, and listed as flaky: it has found something, in itself or in
  // Handrail, that is to be looked at, but it does not hold up a change of something else.
  retries: 1,
  forbidOnly: true,
  // Generous: a slow machine must not decide a result. Tests wait for states, never for time.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  outputDir: 'test-results/files',
  reporter: [['list'], ['json', { outputFile: 'test-results/report.json' }]],
  use: {
    // Animations that nobody looks at cost a fifth of the CPU. Those that are tested are turned on there.
    contextOptions: { reducedMotion: 'reduce' },
    locale: 'en-GB',
    timezoneId: 'UTC',
    // A service worker answers from what it has kept, which only its own tests are about.
    serviceWorkers: 'block',
    // The certificate comes from a private authority, which this browser does not know.
    ignoreHTTPSErrors: BEHIND,
    // Traces cost more CPU than everything else together: HANDRAIL_TRACE=1 keeps those of failed tests.
    trace: process.env.HANDRAIL_TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.HANDRAIL_CHROMIUM || undefined,
      args: [
        // Each test compiles the WebAssembly anew, and is over before optimised code is ready.
        '--js-flags=--liftoff-only',
        '--no-sandbox',
        '--disable-gpu',
        '--in-process-gpu',
        `--disable-features=${FEATURES_OFF.join(',')}`,
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
      grepInvert: ELSEWHERE,
      use: { viewport: { width: 1280, height: 800 } },
    },
    {
      name: 'phone',
      testDir: 'specs',
      grep: ALL ? /@(phone|both)/ : /@(phone|both|phone-only)(?![-\w])/,
      grepInvert: ALL ? /@nojs-only/ : /@nojs-only|@all(?![-\w])/,
      use: { viewport: { width: 360, height: 640 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true },
    },
    {
      name: 'nojs',
      testDir: 'specs',
      grep: ALL ? /@nojs/ : /@default/,
      use: { viewport: { width: 1280, height: 800 }, javaScriptEnabled: false },
    },
    // Against a real OpenHands at HANDRAIL_LIVE, where a response takes as long as the model needs. One at a time: they
    // share its settings and its scripted model.
    { name: 'live', testDir: 'live', workers: 1, timeout: 300_000, use: { viewport: { width: 1280, height: 800 } } },
    // Not tests of the product: the screenshots for the documentation.
    { name: 'pictures', testDir: 'pictures', use: { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 2 } },
  ],
});
