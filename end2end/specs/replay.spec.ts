// The replay of a conversation: any place of it as it was then, by slider, keys, links and player.
import type { Page, Route } from '@playwright/test';
import { expectAccessible, expectNothingClipped } from '../accessible.ts';
import { type Person, expect, test } from '../fixtures.ts';

test.describe.configure({ timeout: 240_000 });

const EVERYWHERE = { tag: ['@phone-all'] };

/** Plays a conversation with an approved command, and returns its id. */
async function confirmed(person: Person): Promise<string> {
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  await person.approve('echo "confirm me"');
  await person.see(person.approval('print(6 * 7)'));
  return id;
}

/** Steps and words of the agent; without its instructions, which come before the first message. */
const work = (page: Page) => page.locator('.row--agent').filter({ hasNotText: /^Instructions/ });
const slider = (page: Page) => page.getByRole('slider', { name: 'Place in the conversation' });
const place = async (page: Page) => Number(await slider(page).inputValue());
/** The `seq` in the address. */
const inAddress = (page: Page) => Number(new URL(page.url()).searchParams.get('at'));

/** Checks that no button or link of the replay is out of view. */
async function expectControlsInView(page: Page): Promise<void> {
  const controls = page.locator('.replay').getByRole('button').or(page.locator('.replay').getByRole('link'));
  for (const control of await controls.all()) await expect(control).toBeInViewport({ ratio: 1 });
}

/** Goes to the first place at which the action waits for its approval. */
async function toApproval(page: Page): Promise<void> {
  await expect(async () => {
    if ((await page.getByText('1 action was waiting for approval').count()) === 0) {
      await page.getByRole('link', { name: 'Next mark' }).click();
    }
    await expect(page.getByText('1 action was waiting for approval')).toBeVisible({ timeout: 2_000 });
  }).toPass();
}

test('every place is shown as it was, with its panels, and has an address', { tag: ['@phone'] }, async ({ person, page, another, isMobile }) => {
  const id = await confirmed(person);
  await page.locator('.conversation__head').getByText('Actions', { exact: true }).click();
  await page.getByRole('link', { name: 'Replay' }).click();
  await expect(page.getByRole('heading', { name: /^Replay: / })).toBeVisible();
  await expectControlsInView(page);
  // It begins with the message, before the agent has done anything.
  await expect(page.locator('.row--human')).toHaveCount(1);
  await expect(work(page)).toHaveCount(0);
  await toApproval(page);
  await expect(page.locator('.step[data-state="waiting"]')).toContainText('echo "confirm me"');
  // What a place shows can be read, not answered.
  await expect(page.locator('.approval, .composer')).toHaveCount(0);
  const asked = await place(page);
  await expect.poll(() => inAddress(page)).toBe(asked);
  // Whoever opens the address sees the same place; so does whoever has the number as a fragment.
  const other = await another();
  for (const address of [`/c/${id}/replay?at=${asked}`, `/c/${id}/replay#${asked}`]) {
    await other.open(address);
    await expect(other.page.locator('.step[data-state="waiting"]')).toContainText('echo "confirm me"');
    await expect.poll(() => inAddress(other.page)).toBe(asked);
  }
  // The last place is the present: the command was run, and the next one waits.
  await slider(page).focus();
  await page.keyboard.press('End');
  await expect(page.locator('.step[data-state="done"]').last()).toContainText('echo "confirm me"');
  await expect(page.locator('.step[data-state="waiting"]')).toContainText('print(6 * 7)');
  await page.getByRole('link', { name: 'Live' }).click();
  await person.see(person.approval('print(6 * 7)'));

  await person.open(`/c/${id}/replay?at=1`);
  await expect(page.getByText('The timeline was empty at this time.')).toBeVisible();
  await person.open(`/c/${id}/replay?panel=terminal`);
  const terminal = page.getByRole('region', { name: 'Terminal', exact: true });
  await expect(terminal.getByText('The agent had run no commands by then.')).toBeVisible();
  await toApproval(page);
  await expect(terminal.locator('.console__entry')).toHaveCount(1);
  await expect(terminal.getByText('confirm me', { exact: true })).toHaveCount(0);
  await slider(page).focus();
  await page.keyboard.press('End');
  await expect(terminal.locator('.block-terminal')).toContainText('confirm me');
  for (const name of ['Files', 'Browser', 'Tasks', 'Cost'] as const) {
    // A phone has them in a menu.
    if (isMobile) await page.locator('.conversation__controls > .menu > summary').click();
    await page.getByRole('link', { name, exact: true }).click();
    await expect(page.getByRole('region', { name, exact: true })).toBeVisible();
    await expect(page.locator('.panel .skeleton')).toHaveCount(0);
  }
});

test('it plays to the end, and pauses; keys go to marks and events, and play', EVERYWHERE, async ({ person, page }) => {
  const id = await confirmed(person);
  await person.open(`/c/${id}/replay?at=1`);
  const newest = Number(await slider(page).getAttribute('max'));
  // The second answer comes when the test lets it: however fast the player is, it cannot reach the end before "Pause".
  const asked: Route[] = [];
  await page.route('**/api/replay_at*', (route) => (asked.push(route) === 1 ? route.continue() : undefined));
  await page.getByRole('button', { name: 'Play' }).click();
  await expect.poll(() => place(page)).toBeGreaterThan(1);
  await expect.poll(() => asked.length).toBe(2);
  await page.getByRole('button', { name: 'Pause' }).click();
  const paused = await place(page);
  expect(paused).toBeLessThan(newest);
  await expect.poll(() => inAddress(page)).toBe(paused);
  // What was asked for before the pause is dropped.
  const late = page.waitForResponse('**/api/replay_at*');
  await asked[1].continue();
  await (await late).finished();
  await page.unroute('**/api/replay_at*');
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible();
  expect(await place(page)).toBe(paused);
  await page.getByLabel('Speed').selectOption('16×');
  await page.getByRole('button', { name: 'Play' }).click();
  await expect.poll(() => place(page)).toBe(newest);
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible();

  await person.open(`/c/${id}/replay?at=1`);
  const untilStable = async (to: (at: number) => boolean) => {
    await expect.poll(async () => to(await place(page))).toBe(true);
    await expect.poll(async () => (await place(page)) === inAddress(page)).toBe(true);
    return place(page);
  };
  await page.keyboard.press(']');
  const mark = await untilStable((at) => at > 1);
  await page.keyboard.press('ArrowRight');
  await untilStable((at) => at === mark + 1);
  await page.keyboard.press('ArrowLeft');
  await untilStable((at) => at === mark);
  await page.keyboard.press(']');
  await untilStable((at) => at > mark);
  await page.keyboard.press('[');
  await untilStable((at) => at === mark);
  await page.keyboard.press(' ');
  await untilStable((at) => at > mark);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Play or pause a replay');
});

test('without a script nothing of it is cut off', { tag: ['@nojs-only', '@default'] }, async ({ person, page }) => {
  const id = await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await page.goto(`/c/${id}/replay`);
  await expect(page.getByRole('button', { name: 'Go' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Play' })).toBeHidden();
  await expectNothingClipped(page, 'replay without a script');
});

test('every part of it is accessible', { tag: ['@all', '@phone-all'] }, async ({ person, page }) => {
  const id = await confirmed(person);
  for (const panel of ['timeline', 'terminal', 'files', 'browser', 'tasks', 'cost']) {
    await person.open(`/c/${id}/replay?at=1000&panel=${panel}`);
    await expectAccessible(page, `replay, ${panel}`);
  }
  await expectControlsInView(page);
});
