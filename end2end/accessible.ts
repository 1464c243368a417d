// Accessibility checks for every page: no axe violations, no horizontal scrolling, no target too small for a finger.
import { type Page, expect } from '@playwright/test';
import axe, { type RunOptions } from 'axe-core';
import { ALL } from './all.ts';

/** Minimum size of a touch target, in CSS pixels. */
const FINGER = 44;

/** The rules of axe whose results depend on colours. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * What axe says is wrong with the page. It is loaded once into each document, describes in full only what is wrong, and
 * nothing else is taken out of the browser: all of that costs more than the checks.
 */
async function violations(page: Page, options: RunOptions = {}) {
  for (const frame of page.frames()) {
    if (!(await frame.evaluate(() => 'axe' in window))) await frame.evaluate(axe.source);
  }
  return page.evaluate(async (options) => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, { ...options, resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, any }) => `${id}: ${target.join(' ')} ${any.map(({ message }) => message).join('; ')}`));
  }, options);
}

/**
 * Checks a page. Dark mode differs in nothing but colours, which are those of the parts (`style.spec.ts`): only a
 * run of all repetitions checks them on every page.
 */
export async function expectAccessible(page: Page, state: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  expect.soft(await violations(page), `${state}, light`).toEqual([]);
  if (ALL) await expectDarkColours(page, state);
  await expectFits(page, state);
}

/** Checks a state of a page whose parts are on the page of all parts: axe looks at it in a run of all repetitions only. */
export async function expectAccessibleState(page: Page, state: string): Promise<void> {
  await (ALL ? expectAccessible(page, state) : expectFits(page, state));
}

/** Checks that the page does not scroll sideways, and that a finger hits everything on it. */
async function expectFits(page: Page, state: string): Promise<void> {
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect.soft(excess, `${state}: pixels to scroll sideways`).toBe(0);
  if (await page.evaluate(() => matchMedia('(pointer: coarse)').matches)) await expectFingerSized(page, state);
}

/** Checks the colours of the page in dark mode. */
export async function expectDarkColours(page: Page, state: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  expect.soft(await violations(page, { runOnly: RULES_OF_COLOURS }), `${state}, dark`).toEqual([]);
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Checks that a finger hits everything that can be pressed. */
export async function expectFingerSized(page: Page, state: string): Promise<void> {
  expect.soft(await tooSmall(page), `${state}: targets below ${FINGER} px`).toEqual([]);
}

/** Checks the page in forced colours. axe compares the colours of the style sheet there, so contrast is left to the browser, which chooses the colours. */
export async function expectForcedColours(page: Page, state: string): Promise<void> {
  await page.emulateMedia({ forcedColors: 'active' });
  expect.soft(await violations(page, { rules: { 'color-contrast': { enabled: false } } }), state).toEqual([]);
  const own = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('body *')]
      .filter((element) => [...element.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent?.trim()))
      .filter((element) => getComputedStyle(element).getPropertyValue('forced-color-adjust') === 'none')
      .map((element) => `${element.tagName.toLowerCase()}.${element.className}`),
  );
  expect.soft(own, `${state}: texts with colours of their own`).toEqual([]);
}

/** Touch targets that are too small. Links within text and line numbers are exempt (WCAG 2.5.8). */
function tooSmall(page: Page): Promise<string[]> {
  return page.evaluate((finger) => {
    const selector = 'a[href], button, input:not([type="hidden"]), select, textarea, summary';
    const found: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>(selector)) {
      const hidden = element.closest('.visually-hidden, .skip-link, [hidden], [inert], .prose, .line__number') !== null;
      const target = element.matches('[type="checkbox"], [type="radio"]') ? (element.closest('label') ?? element) : element;
      if (hidden || !target.checkVisibility({ visibilityProperty: true })) continue;
      const box = target.getBoundingClientRect();
      if (box.width === 0 || box.height === 0) continue;
      if (box.width < finger - 0.5 || box.height < finger - 0.5) {
        found.push(`${target.tagName.toLowerCase()}.${target.className} "${target.textContent?.trim().slice(0, 30)}" ${Math.round(box.width)}x${Math.round(box.height)}`);
      }
    }
    return found;
  }, FINGER);
}

/** Checks that the page does not scroll sideways, and that all text is readable: shortened on purpose, or in full. */
export async function expectNothingClipped(page: Page, state: string): Promise<void> {
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect.soft(excess, `${state}: pixels to scroll sideways`).toBe(0);
  expect.soft(await clipped(page), `${state}: cut off`).toEqual([]);
}

/**
 * Elements with more content than room that do not scroll, buttons that their texts stick out of, and texts with room for
 * a letter per line. Exempt is what is shortened on purpose: with an ellipsis, to a number of lines, or the output of a
 * step, which unfolds.
 */
function clipped(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      const exempt = element.closest('.visually-hidden, svg, input, select, textarea, progress, .step .block-terminal') !== null;
      if (exempt || !element.checkVisibility({ visibilityProperty: true })) continue;
      const { overflowX, overflowY, textOverflow, webkitLineClamp, fontSize } = getComputedStyle(element);
      if (textOverflow === 'ellipsis' || webkitLineClamp !== 'none') continue;
      // Only for screen readers.
      if (element.clientWidth <= 1 && element.clientHeight <= 1) continue;
      const cuts = (overflow: string) => overflow === 'hidden' || overflow === 'clip';
      const wide = (cuts(overflowX) || element.matches('.button')) && element.scrollWidth > element.clientWidth + 1;
      const high = cuts(overflowY) && element.scrollHeight > element.clientHeight + 1;
      const text = [...element.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE).map((child) => child.textContent?.trim()).join('');
      const thin = text.length > 4 && element.clientWidth > 0 && element.clientWidth < 1.5 * Number.parseFloat(fontSize);
      if (wide || high || thin) {
        found.push(`${element.tagName.toLowerCase()}.${element.className} "${element.textContent?.trim().slice(0, 30)}" ${element.scrollWidth}x${element.scrollHeight} in ${element.clientWidth}x${element.clientHeight}`);
      }
    }
    return found;
  });
}
