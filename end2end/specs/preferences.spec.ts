// What people ask of their system: with forced colours every state and every current thing can still be told from the others,
// and with reduced motion nothing moves.
import type { Locator, Page } from '@playwright/test';
import { type Person, expect, test } from '../fixtures.ts';

test.describe.configure({ timeout: 120_000 });

const EVERYWHERE = { tag: ['@phone-all'] };

/** Keeps a picture of the page, if asked for. */
async function picture(page: Page, name: string): Promise<void> {
  const shots = process.env.HANDRAIL_SHOTS;
  const width = page.viewportSize()?.width;
  if (shots) await page.screenshot({ path: `${shots}/forced-${name}-${width}.png` });
}

/**
 * How parts of one kind are drawn: those that look alike have the same text here. In forced colours only lines, fonts and
 * the colours of the system are left; these are the values that the browser uses.
 */
function appearances(parts: Locator): Promise<string[]> {
  return parts.evaluateAll((all) =>
    all.map((part) => {
      const style = getComputedStyle(part);
      const ground = getComputedStyle(part.closest('nav, ul, section, body') ?? document.body).backgroundColor;
      const line = (kind: string, width: string, colour: string) => (kind === 'none' || width === '0px' || colour === ground || /^rgba.*, 0\)$/.test(colour) ? '' : `${kind} ${width} ${colour}`);
      return [
        line(style.outlineStyle, style.outlineWidth, style.outlineColor),
        line(style.borderBottomStyle, style.borderBottomWidth, style.borderBottomColor),
        style.fontWeight,
        style.color,
      ].join(', ');
    }),
  );
}

/** Expects the current one of several links to look unlike each of the others. */
async function expectCurrent(links: Locator, state: string): Promise<void> {
  const current = await links.evaluateAll((all) => all.map((link) => link.getAttribute('aria-current') !== null));
  expect.soft(current.filter(Boolean).length, `${state}: current ones`).toBe(1);
  const all = await appearances(links);
  const own = all[current.indexOf(true)];
  expect.soft(all.filter((appearance) => appearance === own).length, `${state}: those that look like the current one (${own})`).toBe(1);
}

/** The badges and steps that say nothing: neither a word in view nor a dot that can be told from the ground. */
function silent(marks: Locator): Promise<string[]> {
  return marks.evaluateAll((all) => {
    const hasWord = (mark: Element) => [...mark.querySelectorAll('*')].some((part) => {
      const box = part.getBoundingClientRect();
      return part.children.length === 0 && part.textContent?.trim() !== '' && box.width > 2 && box.height > 2;
    });
    const hasDot = (mark: Element) => {
      const dot = getComputedStyle(mark, '::before');
      let ground = '';
      for (let behind: Element | null = mark; behind !== null && (ground === '' || /^rgba.*, 0\)$/.test(ground)); behind = behind.parentElement) ground = getComputedStyle(behind).backgroundColor;
      const filled = dot.backgroundColor !== ground && !/^rgba.*, 0\)$/.test(dot.backgroundColor);
      const ringed = dot.borderTopStyle !== 'none' && dot.borderTopWidth !== '0px' && dot.borderTopColor !== ground && !/^rgba.*, 0\)$/.test(dot.borderTopColor);
      return dot.content !== 'none' && dot.display !== 'none' && (filled || ringed);
    };
    return all
      .filter((mark) => (mark.matches('.badge') ? !hasWord(mark) : !hasDot(mark)))
      .map((mark) => `${mark.className} ${(mark as HTMLElement).dataset.status ?? mark.parentElement?.dataset.state ?? ''}`);
  });
}

/** A finished, a running and a waiting conversation; returns the id of the last one. */
async function withThree(person: Person): Promise<string> {
  await person.createConversation('Show me [[scenario:tools]]');
  await person.seeStatus('finished');
  await person.createConversation('Something slow [[scenario:slow:600000]]');
  await person.see(person.row('This takes a while.'));
  const id = await person.createConversation('Please repair this small project');
  await person.see(person.approval('rm -rf build'));
  return id;
}

test('with forced colours the current page, tab and filter can be told from the others, and buttons, fields and cards have lines', EVERYWHERE, async ({ person, page }) => {
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await page.emulateMedia({ forcedColors: 'active' });
  const pages = page.getByRole('navigation', { name: 'Main' }).getByRole('link').filter({ visible: true });
  for (const path of ['/', '/inbox', '/settings']) {
    await person.open(path);
    await expectCurrent(pages, path);
    await picture(page, path.replace('/', '') || 'list');
  }
  await person.open('/?show=done');
  await page.getByLabel('List options').click();
  await expectCurrent(page.getByRole('navigation', { name: 'Filter' }).getByRole('link'), 'filters');
  for (const panel of ['terminal', 'files']) {
    await person.open(`/c/${id}?panel=${panel}`);
    await expectCurrent(page.getByRole('navigation', { name: 'Panels' }).locator('.panels__tab:not(summary)').filter({ visible: true }), `panel ${panel}`);
    await picture(page, panel);
  }
  for (const path of [`/c/${id}`, '/inbox', '/settings', '/new']) {
    await person.open(path);
    const bare = await page.locator('.button:not(.button--quiet), .input, .select, .textarea, .approval').filter({ visible: true }).evaluateAll((all) =>
      all.filter((part) => {
        const { borderTopStyle, borderTopWidth, borderTopColor, backgroundColor } = getComputedStyle(part);
        return borderTopStyle === 'none' || borderTopWidth === '0px' || borderTopColor === backgroundColor || /^rgba.*, 0\)$/.test(borderTopColor);
      }).map((part) => `${part.className} "${part.textContent?.trim().slice(0, 30)}"`),
    );
    expect.soft(bare, path).toEqual([]);
  }
});

test('with forced colours every state of a conversation and of a step is seen', EVERYWHERE, async ({ person, page }) => {
  const id = await withThree(person);
  await page.emulateMedia({ forcedColors: 'active' });
  await person.open('/');
  await expect(page.locator('.conversation-row')).toHaveCount(3);
  const badges = page.locator('.badge').filter({ visible: true });
  expect.soft(await silent(badges), 'badges of the list').toEqual([]);
  const words = await page.locator('.conversation-row .badge').allInnerTexts();
  expect(new Set(words).size, `words of the badges: ${words.join(', ')}`).toBe(3);
  await person.open(`/c/${id}`);
  expect.soft(await silent(badges), 'badges of the conversation').toEqual([]);
  expect.soft(await silent(page.locator('.timeline .step__head')), 'dots of the steps').toEqual([]);
  await picture(page, 'approval');
  // Steps that failed, wait or were not carried out say so in words.
  for (const state of ['failed', 'waiting']) {
    await expect(page.locator(`.timeline .step[data-state="${state}"] .step__outcome`).filter({ hasText: /\S/ }).first()).toBeAttached();
  }
  await person.reject('rm -rf build');
  const rejected = page.locator('.timeline .step[data-state="rejected"] > .step__head');
  await expect(rejected.getByText(/^Rejected/)).toBeVisible();
  expect.soft(await silent(rejected), 'the dot of a rejected step').toEqual([]);
});

test('with reduced motion nothing moves', EVERYWHERE, async ({ person, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  const running = await person.createConversation('Something slow [[scenario:slow:600000]]');
  await person.see(person.row('This takes a while.'));
  for (const path of ['/', '/inbox', '/settings', `/c/${running}`]) {
    await person.open(path);
    const moving = await page.evaluate(() => {
      const animated = document.getAnimations().map((one) => one.effect).filter((effect) => effect instanceof KeyframeEffect);
      const running = animated.map((effect) => `${effect.target?.className} ${effect.pseudoElement ?? ''} is animated`);
      const lasts = (times: string) => times.split(',').some((time) => Number.parseFloat(time) * (time.trim().endsWith('ms') ? 0.001 : 1) > 0.01);
      const slow = [...document.querySelectorAll('*')].flatMap((element) =>
        [undefined, '::before', '::after'].filter((pseudo) => lasts(getComputedStyle(element, pseudo).transitionDuration)).map((pseudo) => `${element.className} ${pseudo ?? ''} has a transition`),
      );
      return [...running, ...slow, ...(getComputedStyle(document.documentElement).scrollBehavior === 'smooth' ? ['scrolls smoothly'] : [])];
    });
    expect.soft(moving, path).toEqual([]);
  }
  // The same page moves for whoever has not asked for less: the check would notice it.
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await person.open(`/c/${running}`);
  expect(await page.evaluate(() => document.getAnimations().length)).toBeGreaterThan(0);
});
