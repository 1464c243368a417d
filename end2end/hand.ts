// The ways to use a page: a thumb, the keyboard alone, and a pointer without JavaScript.
import { type Locator, type Page, expect } from '@playwright/test';
import type { Person } from './person.ts';

/** The most stops of the Tab key on the way to something. */
const STOPS = 160;

/** Presses and fills in what a person would. */
export interface Hand {
  press(what: Locator): Promise<void>;
  fill(what: Locator, text: string): Promise<void>;
  /** Checks a box. */
  tick(box: Locator): Promise<void>;
  /** Chooses an option by its label. */
  choose(list: Locator, label: string): Promise<void>;
}

/** A thumb: what it presses must be in the window, uncovered and large enough, which `tap` and the size ensure. */
export function thumb(): Hand {
  const press = async (what: Locator) => {
    await what.scrollIntoViewIfNeeded();
    const box = await what.boundingBox();
    const inText = await what.evaluate((element) => element.closest('.prose, .line__number') !== null);
    if (!inText) expect(Math.min(box?.width ?? 0, box?.height ?? 0), `size of ${what}`).toBeGreaterThanOrEqual(43.5);
    await what.tap();
  };
  return {
    press,
    fill: async (what, text) => {
      await press(what);
      await what.fill(text);
    },
    tick: async (box) => {
      // A thumb hits the label, in which the box is.
      await press(box.locator('xpath=ancestor-or-self::label'));
      await expect(box).toBeChecked();
    },
    choose: async (list, label) => {
      await press(list);
      await list.selectOption({ label });
    },
  };
}

/** The keyboard alone: everything is reached with Tab, and pressed with Enter. */
export function keyboard(page: Page): Hand {
  const reach = async (what: Locator) => {
    await what.waitFor();
    for (let stop = 0; stop < STOPS; stop += 1) {
      if (await what.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`the Tab key does not reach ${what}`);
  };
  return {
    press: async (what) => {
      await reach(what);
      await page.keyboard.press('Enter');
    },
    fill: async (what, text) => {
      await reach(what);
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(text);
    },
    tick: async (box) => {
      await reach(box);
      await page.keyboard.press('Space');
      await expect(box).toBeChecked();
    },
    choose: async (list, label) => {
      await reach(list);
      await page.keyboard.type(label);
      await expect(list.locator('option:checked')).toHaveText(label);
    },
  };
}

/** A mouse, for a page without JavaScript. */
export function mouse(): Hand {
  return {
    press: (what) => what.click(),
    fill: (what, text) => what.fill(text),
    tick: (box) => box.check(),
    choose: async (list, label) => void (await list.selectOption({ label })),
  };
}

/** The way that a project stands for: a phone has a thumb, a desktop the keyboard alone. */
export function handOf(person: Person, page: Page, isMobile: boolean): Hand {
  if (!person.scripted) return mouse();
  return isMobile ? thumb() : keyboard(page);
}

/** Opens a panel as a person would. */
export async function openPanel(hand: Hand, page: Page, name: string): Promise<void> {
  const link = page.getByRole('navigation', { name: 'Panels' }).getByRole('link', { name });
  const menu = page.locator('.conversation__controls > .menu > summary');
  if (!(await link.isVisible()) && (await menu.isVisible())) await hand.press(menu);
  // Beside the panel of a wide window the timeline is always there.
  await hand.press((await link.isVisible()) ? link : page.locator('.panel__close'));
  await page.locator(name === 'Timeline' ? '.timeline' : '.panel').first().waitFor();
}
