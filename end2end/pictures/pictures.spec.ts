// The pictures of the documentation, taken from real rehearsals. Not tests: `npx playwright test --project=pictures`.
import fs from 'node:fs';
import path from 'node:path';
import type { BrowserContextOptions } from '@playwright/test';
import { type Person, test } from '../fixtures.ts';
import { everybody } from '../house.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../docs/pictures');

/** Text stays sharp, files stay small. */
const SCREENS: Record<string, BrowserContextOptions> = {
  desktop: { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 },
  phone: { viewport: { width: 360, height: 640 }, deviceScaleFactor: 1.5, isMobile: true, hasTouch: true },
};

/** The system's font of most readers, which a machine for tests lacks. */
const FONT = path.resolve(import.meta.dirname, '../node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2');

/** Shows pages in that font. */
function withFont(font: string): void {
  const face = new FontFace('Inter', Uint8Array.from(atob(font), (letter) => letter.charCodeAt(0)), { weight: '100 900' });
  document.fonts.add(face);
  void face.load();
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(':root { --sans: Inter, sans-serif !important; }');
  document.adoptedStyleSheets = [sheet];
}

/** How long a button of an approval is not armed, with room. */
const ARMED = 2_000;

/** Every picture by its name: where it is taken, and what has to be there first. */
const PICTURES: Record<string, (person: Person, made: Made) => Promise<void>> = {
  list: async (person) => person.open('/'),
  conversation: async (person, { finished }) => {
    await person.open(`/c/${finished}`);
    await person.see(person.row('what I changed').or(person.row('What I changed')));
  },
  confirmation: async (person, { waiting }) => {
    await person.open(`/c/${waiting}`);
    await person.see(person.approval('rm -rf build'));
    await person.page.waitForTimeout(ARMED);
  },
  diff: async (person, { finished }) => {
    await person.open(`/c/${finished}?panel=changes&change=tally.py`);
    await person.see(person.page.locator('.panel .block-diff'));
  },
  files: async (person, { finished }) => {
    await person.open(`/c/${finished}?panel=files&file=tally.py`);
    await person.see(person.page.locator('.files__view .line'));
  },
  terminal: async (person, { finished }) => {
    await person.open(`/c/${finished}?panel=terminal`);
    await person.see(person.page.locator('.console__entry'));
  },
  settings: async (person) => person.open('/settings'),
  inbox: async (person) => {
    await person.open('/inbox');
    await person.see(person.approval('rm -rf build'));
    await person.page.waitForTimeout(ARMED);
  },
  search: async (person) => {
    await person.open('/search?q=mean');
    await person.see(person.page.locator('.result mark'));
  },
  model: async (person, { finished }) => {
    await person.open(`/c/${finished}?panel=model`);
    await person.see(person.page.locator('.model__message'));
  },
  replay: async (person, { finished }) => {
    await person.open(`/c/${finished}/replay`);
    const slider = person.page.getByRole('slider');
    await slider.focus();
    await person.page.keyboard.press('End');
    await person.see(person.row('what I changed').or(person.row('What I changed')));
  },
  insight: async (person, { finished }) => {
    await person.open(`/c/${finished}/insight`);
    await person.see(person.page.getByRole('img', { name: /^Bars for/ }));
  },
  export: async (person, { finished }) => {
    await person.open(`/c/${finished}/export`);
    await person.see(person.page.getByRole('heading', { name: 'Download' }));
  },
  people: async (person) => {
    await person.open('/people');
    await person.see(person.page.getByRole('table'));
  },
  audit: async (person) => {
    await person.open('/audit');
    await person.see(person.page.getByRole('table').or(person.page.getByRole('list')).first());
  },
  install: async (person) => {
    await person.open('/install');
    await person.see(person.page.getByRole('heading', { name: 'Install the app' }));
  },
  notifications: async (person) => {
    await person.open('/notifications');
    await person.see(person.page.getByRole('heading', { name: 'Notifications' }));
  },
  error: async (person, { failed }) => {
    await person.open(`/c/${failed}`);
    await person.see(person.row('The model rejected the API key'));
  },
};

/** Conversations that the pictures show. */
interface Made {
  waiting: string;
  finished: string;
  failed: string;
}

test.use({ login: true });

test('pictures of every page, on both screens, in both looks', async ({ person, another, handrail }) => {
  test.setTimeout(600_000);
  await everybody(person, handrail);
  const failed = await person.createConversation('Check the links of the manual [[scenario:error401]]');
  await person.seeStatus('error');
  const finished = await person.createConversation('The mean of our tally is wrong. Find out why and fix it.');
  await person.approve('rm -rf build');
  await person.seeStatus('idle');
  const waiting = await person.createConversation('Repair the tests of this small project');
  await person.see(person.approval('rm -rf build'));
  const storageState = await person.page.context().storageState();
  for (const [screen, options] of Object.entries(SCREENS)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const viewer = await another({ ...options, storageState, colorScheme, reducedMotion: 'reduce' });
      await viewer.page.addInitScript(withFont, fs.readFileSync(FONT, 'base64'));
      for (const [name, arrange] of Object.entries(PICTURES)) {
        await arrange(viewer, { failed, finished, waiting });
        await viewer.page.screenshot({ path: path.join(FOLDER, `${name}-${screen}-${colorScheme}.png`), animations: 'disabled', caret: 'hide' });
      }
    }
  }
});
