// What a screen reader says of an approval: the card before its buttons count, when they do, and after the answer, and all
// that is announced meanwhile. The texts stand here in full, so that whoever changes one of them reads the others.
import type { Locator, Page } from '@playwright/test';
import { DIALECT, cell } from '../dialect.ts';
import { expect, test } from '../fixtures.ts';

test.describe.configure({ timeout: 240_000 });

/** Records in `announced` what a screen reader says of itself: each new text of a live region, polite and urgent ones. */
async function listen(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const announced: string[] = [];
    Object.assign(window, { announced });
    const live = '[role="status"], [role="alert"], [aria-live]:not([aria-live="off"])';
    const said = new WeakMap<Element, string>();
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        const element = target instanceof Element ? target : target.parentElement;
        const added = element?.matches('body') ? [] : [...(element?.querySelectorAll(live) ?? [])];
        for (const region of new Set([element?.closest(live), ...added])) {
          if (!region?.isConnected) continue;
          const text = (region as HTMLElement).innerText.replace(/\s+/g, ' ').trim();
          if (text !== '' && text !== said.get(region)) announced.push(text);
          said.set(region, text);
        }
      }
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
}

/** What has been announced so far, except about the connection, which may come at any time. */
async function announcements(page: Page): Promise<string[]> {
  const all = await page.evaluate(() => (window as unknown as { announced: string[] }).announced);
  return all.filter((text) => !/^(Rehearsal|Connecting|Starting|Offline|Lost connection)/.test(text));
}

/** How a part of the page reads, with dots for what differs every time. */
async function spoken(part: Locator): Promise<string> {
  const text = await part.ariaSnapshot();
  return text.replace(/\d\d:\d\d/g, '…').replace(/(waited) [\d.]+ (ms|s|min)( \d+ s)?/g, '$1 …').replace(/time: [\d.]+ (ms|s)$/m, 'time: …').replace(/\/url: .*\/rule\?token=\w+/, '/url: …');
}

/** Covers the page: what is covered has not been read, so that its buttons do not count. */
const cover = (page: Page) =>
  page.evaluate(() => {
    const cover = document.createElement('div');
    cover.id = 'cover';
    Object.assign(cover.style, { position: 'fixed', inset: '0', zIndex: '99' });
    document.documentElement.append(cover);
  });

/** The card of the command, with the state of its buttons and what it says of them. */
const card = (buttons: string, says: string) => `
- region "Run this command?":
  - heading "Run this command?" [level=2]
  - text: Risk not rated
  - group "Action awaiting approval":
    - paragraph: I would like to run this.
    - figure "Command":
      - text: Command
      - button "Copy"
      - code: echo "confirm me"
    - link "Always allow…":
      - /url: …
    - group: Approve this instead…
  - status${says}
  - button "Reject"${buttons}
  - button "Approve"${buttons}
  - status`.trim();

/** The next action: a cell is a command in 1.x. */
const NEXT = DIALECT === '1.x' ? `Run ${cell('print(6 * 7)')}` : 'Python print(6 * 7)';

/** The step in the timeline after the answer. */
const STEP = `
- article:
  - paragraph: I would like to run this.
  - group:
    - text: Approved, waited … Run echo "confirm me"
    - time: …`.trim();

test('an approved command is heard before, during and after its approval', { tag: ['@phone-all'] }, async ({ person, page }) => {
  await listen(page);
  // A page that takes longer says that it loads.
  const spokenAloud = async () => (await announcements(page)).filter((said) => said !== 'Loading conversation…');
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  const pending = person.approval('echo "confirm me"');
  await person.see(pending);
  // To the conversation without loading a page: the cover stays.
  await person.open('/');
  await cover(page);
  await page.locator(`.conversation-row__link[href$="${id}"]`).press('Enter');
  await person.see(pending);
  await expect.poll(() => spoken(pending)).toBe(card(' [disabled]', ''));
  const asked = 'Approval needed: Run echo "confirm me"';
  await expect.poll(() => spokenAloud()).toEqual([asked]);

  await page.locator('body').press('a');
  await expect(pending.getByRole('button', { name: 'Approve' })).toBeFocused();
  await page.locator('#cover').evaluate((cover) => cover.remove());
  const armed = 'You can approve or reject now';
  await expect.poll(() => spokenAloud()).toEqual([asked, armed]);
  expect(await spoken(pending)).toBe(card('', `: ${armed}`));

  await page.keyboard.press('Enter');
  await person.see(person.approval('print(6 * 7)'));
  await expect.poll(() => spoken(person.row('echo "confirm me"').first())).toBe(STEP);
  // The focus is where the answer can be read, and the next question is announced.
  await expect(page.getByRole('region', { name: 'Timeline' })).toBeFocused();
  await expect.poll(() => spokenAloud()).toEqual([asked, armed, `Approval needed: ${NEXT}`]);
});
