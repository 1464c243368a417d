// Small windows and large text: nothing that is needed collapses, and nothing is approved unseen.
import type { Locator, Page } from '@playwright/test';
import { CAN, DIALECT } from '../dialect.ts';
import { expect, test } from '../fixtures.ts';
import { REST } from '../person.ts';

test.describe.configure({ timeout: 60_000 });

/** Smallest height of the tabs, or of the button of their menu, in pixels. */
const TABS = 28;

const box = async (what: Locator) => (await what.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };

/** The height of all that stands above a conversation, in pixels. */
const headers = async (page: Page) => {
  const view = await box(page.locator('.timeline'));
  const banner = await page.locator('.conversation__banner').boundingBox();
  return view.y - (banner?.height ?? 0);
};

test('the title has room while the agent works, and one control is beside it', { tag: ['@phone-only'] }, async ({ person, page }) => {
  await person.createConversation('Something slow [[scenario:slow:20000]]');
  await person.see(person.row('This takes a while.'));
  await expect(page.getByRole('button', { name: 'Stop', exact: true })).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole('button', { name: 'Pause', exact: true })).toHaveCount(0);
  expect((await box(page.locator('.conversation__title'))).width).toBeGreaterThanOrEqual(176);
  expect(await headers(page)).toBeLessThanOrEqual(88);
  await page.getByText('Actions', { exact: true }).click();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  // The rehearsal pauses at once, so this may already be the next state.
  await expect(page.locator('.conversation__status').getByText(/^(Pausing after this step…|Paused)$/)).toBeInViewport({ ratio: 1 });
  expect(await headers(page)).toBeLessThanOrEqual(88);
});

test('a phone has all panels in view or in a menu, and with text of twice the size the timeline and the tabs keep their room', { tag: ['@phone-only'] }, async ({ person, page }) => {
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  const tabs = page.getByRole('navigation', { name: 'Panels' });
  const menu = page.locator('.conversation__controls > .menu > summary');
  await menu.click();
  for (const name of ['Timeline', 'Terminal', 'Files', 'Changes', 'Browser', 'Tasks', 'Info']) {
    // The line below a tab lies upon the line below all of them.
    await expect(tabs.getByRole('link', { name }), name).toBeInViewport({ ratio: 0.9 });
  }
  await tabs.getByRole('link', { name: 'Info' }).click();
  await expect(page.getByRole('region', { name: 'Info' }).first()).toBeVisible();

  await person.open(`/c/${person.conversation}`);
  await page.locator('html').evaluate((html) => (html.style.fontSize = '200%'));
  expect((await box(page.locator('.timeline'))).height).toBeGreaterThanOrEqual(96);
  await expect(page.locator('.composer__send')).toBeInViewport({ ratio: 1 });
  await expect(page.locator('.conversation__title')).toBeInViewport({ ratio: 1 });
  expect(await page.locator('html').evaluate((html) => html.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  await menu.click();
  await expect(tabs.getByRole('link', { name: 'Terminal' })).toBeInViewport({ ratio: 0.9 });
});

test('a short command fits on a phone and in low windows, and is approved with one tap', { tag: ['@phone'] }, async ({ person, page, isMobile }) => {
  await person.createConversation('Ask me [[scenario:confirm]]');
  const card = person.approval('echo "confirm me"');
  await person.see(card);
  for (const [width, height] of [[640, 360], [1280, 400], [360, 400]] as const) {
    await page.setViewportSize({ width, height });
    const size = `${width} by ${height}`;
    await expect.poll(async () => (await box(page.locator('.conversation__controls'))).height, size).toBeGreaterThanOrEqual(TABS);
    expect((await box(page.locator('.approval__what'))).height, size).toBeGreaterThanOrEqual(40);
    for (const button of ['.approval .button--approve', '.approval .button--danger']) {
      await expect(page.locator(button), `${button} at ${size}`).toBeInViewport({ ratio: 1 });
    }
  }
  await person.approve('echo "confirm me"');
  await person.see(person.approval('print(6 * 7)'));
  if (!isMobile) return;
  await page.setViewportSize({ width: 360, height: 640 });
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(card);
  await expect(card).toContainText('I would like to run this.');
  await expect(card.getByRole('button', { name: 'Approve' })).toBeEnabled();
  await expect(card.getByRole('figure').getByText('echo "confirm me"')).toHaveCount(1);
  expect((await box(page.locator('.timeline'))).height).toBeGreaterThan(0);
  await card.getByRole('button', { name: 'Approve' }).click();
  await person.see(person.approval('print(6 * 7)'));
});

test('an action that does not fit is read from its beginning to its end before it is approved, in its conversation and in the inbox', { tag: ['@phone'] }, async ({ person, page, isMobile }) => {
  await page.setViewportSize({ width: 360, height: 400 });
  await person.createConversation('Try to trick me [[scenario:hostile]]');
  const card = person.approval('attacker.invalid');
  await person.see(card);
  const rest = card.getByRole('button', { name: REST });
  const what = card.locator('.approval__what');
  await test.step('in its conversation', async () => {
    await expect(rest).toBeEnabled();
    await expect(card.getByRole('button', { name: 'Approve' })).toHaveCount(0);
    await expect(card.getByRole('button', { name: 'Reject', exact: true })).toBeEnabled();
    // What fits after all needs no tap.
    await page.setViewportSize({ width: 360, height: 1_600 });
    await expect(card.getByRole('button', { name: 'Approve' })).toBeEnabled();
    await person.reload();
    await page.setViewportSize({ width: 360, height: 400 });
    await person.reload();
    await rest.click();
    await expect(card.getByRole('button', { name: 'Approve' })).toBeEnabled();
    const left = await what.evaluate((what) => what.scrollHeight - what.clientHeight - what.scrollTop);
    expect(left).toBeLessThanOrEqual(8);
  });
  if (isMobile) {
    await test.step('the sheet is pulled down, to read behind it, and up again', async () => {
      await page.setViewportSize({ width: 360, height: 640 });
      await person.reload();
      const room = async () => (await box(page.locator('.timeline'))).height;
      const pull = card.getByRole('button', { name: 'Whole action' });
      await expect(pull).toHaveAttribute('aria-expanded', 'true');
      const before = await room();
      await pull.click();
      await expect(pull).toHaveAttribute('aria-expanded', 'false');
      expect(await room()).toBeGreaterThan(before + 100);
      await expect(card.getByRole('button', { name: 'Reject', exact: true })).toBeInViewport({ ratio: 1 });
      await pull.click();
      expect(await room()).toBe(before);
      await person.readToTheEnd(card);
      await page.setViewportSize({ width: 360, height: 400 });
    });
  }
  await test.step('in the inbox', async () => {
    await page.setViewportSize({ width: 360, height: 300 });
    await person.open('/inbox');
    // The end is in view, with the buttons, but the middle never was.
    await rest.scrollIntoViewIfNeeded();
    await expect(rest).toBeInViewport({ ratio: 1 });
    await page.waitForTimeout(1_000);
    await expect(card.getByRole('button', { name: 'Approve' })).toHaveCount(0);
    // It leads back to what was left out.
    const before = (await box(what)).y;
    await rest.click();
    await expect.poll(async () => (await box(what)).y).toBeGreaterThan(before);
    await person.readToTheEnd(card);
    await person.approve('attacker.invalid');
  });
});

test('without JavaScript all of an action stands before its buttons, which are there late', { tag: ['@nojs-only', '@default'] }, async ({ person, page }) => {
  await page.setViewportSize({ width: 360, height: 400 });
  await person.createConversation('Try to trick me [[scenario:hostile]]');
  const card = person.approval('attacker.invalid');
  await person.see(card);
  const what = card.locator('.approval__what');
  expect(await what.evaluate((what) => what.scrollHeight - what.clientHeight)).toBeLessThanOrEqual(0);
  const approve = card.getByRole('button', { name: 'Approve' });
  await expect(approve).not.toBeInViewport();
  // What the server would refuse, because nobody can have read it, is not offered.
  const late = await approve.evaluate((button) => [getComputedStyle(button).animationName, Number.parseFloat(getComputedStyle(button).animationDuration)]);
  expect(late[0]).toBe('arm');
  expect(late[1]).toBeGreaterThanOrEqual(0.7);
  await approve.scrollIntoViewIfNeeded();
  const end = (await box(what)).y + (await box(what)).height;
  expect((await box(approve)).y).toBeGreaterThanOrEqual(end);
  await person.approve('attacker.invalid');
});

test('of two actions the second is in view before both are approved', { tag: ['@phone-only'] }, async ({ person, page }) => {
  test.skip(DIALECT !== '1.x', '0.62 asks for one action at a time');
  await page.setViewportSize({ width: 360, height: 400 });
  await person.createConversation('Two things [[scenario:parallel]]');
  const card = person.approval('Allow these 2 actions?');
  await person.see(card);
  await card.getByRole('button', { name: '1 more below', exact: true }).click();
  await expect(card.getByRole('button', { name: 'Approve' })).toBeEnabled();
  await page.setViewportSize({ width: 360, height: 640 });
  await person.reload();
  await person.readToTheEnd(card);
  await expect(card.locator('.approval__action').last()).toBeInViewport();
  await person.approve('Allow these 2 actions?');
});

test('the button of the composer states its side effect', { tag: ['@phone-all'] }, async ({ person, page }) => {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await person.createConversation('hello [[scenario:hello]]');
  await person.seeTurn();
  await expect(button('Send')).toBeVisible();
  if (CAN.shutDown) {
    await page.getByText('Actions', { exact: true }).click();
    await button('Stop sandbox').click();
    await expect(button('Start and send')).toBeVisible();
  }
  await person.say('Ask me [[scenario:confirm]]');
  await person.see(person.approval());
  await expect(button('Reject')).toBeVisible();
  await expect(button('Send')).toHaveCount(0);
});

test('text typed instead of an answer survives a reload', async ({ person, page }) => {
  await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  const saved = page.waitForResponse((answer) => answer.url().includes('/api/keep_draft'));
  await person.openReason(person.approval());
  await page.getByLabel('Message', { exact: true }).fill('Rather not');
  await saved;
  await person.reload();
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('Rather not');
  await page.locator('.approval').getByRole('button', { name: 'Reject with reason', exact: true }).click();
  await person.see(person.row('Rather not'));
  await expect(page.getByLabel('Message', { exact: true })).toHaveValue('');
});

test('an answer of another person does not move the focus', async ({ person, page, another }) => {
  const id = await person.createConversation('Show the risks [[scenario:risk]]');
  await person.see(person.approval('echo HIGH risk'));
  await person.openReason(person.approval());
  await page.getByLabel('Message', { exact: true }).fill('half a thou');
  const other = await another();
  await other.open(`/c/${id}`);
  await other.approve('echo HIGH risk');
  await expect(person.approval('echo HIGH risk')).toHaveCount(0);
  await expect(page.getByLabel('Message', { exact: true })).toBeFocused();
});

test('an approval does not move what is being read', async ({ person, page }) => {
  await person.createConversation('Many steps [[scenario:long:40]]');
  await person.seeStatus('finished');
  await person.say('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  const timeline = page.locator('.timeline');
  await timeline.evaluate((timeline) => { timeline.scrollTop = -800; });
  await expect(page.locator('.timeline__newest')).toBeVisible();
  const row = await timeline.evaluate((timeline) => {
    const edge = timeline.getBoundingClientRect().top;
    const rows = [...timeline.querySelectorAll('.row')];
    return rows.find((row) => row.getBoundingClientRect().top >= edge)?.id ?? '';
  });
  const before = (await box(page.locator(`#${row}`))).y;
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(person.approval()).toHaveCount(0);
  await expect(async () => expect(Math.abs((await box(page.locator(`#${row}`))).y - before)).toBeLessThanOrEqual(2)).toPass({ timeout: 5_000 });
});

test('with text of twice the size an approval is read and answered on a phone', { tag: ['@phone-only'] }, async ({ person, page }) => {
  const id = await person.createConversation('Ask me [[scenario:confirm]]');
  await person.see(person.approval('echo "confirm me"'));
  await page.locator('html').evaluate((html) => (html.style.fontSize = '200%'));
  const card = person.approval('echo "confirm me"');
  for (const what of [card.getByRole('figure').getByText('echo "confirm me"'), card.locator('.button--approve'), card.locator('.button--danger')]) {
    await expect(async () => {
      await what.scrollIntoViewIfNeeded();
      await expect(what).toBeInViewport({ ratio: 1, timeout: 1_000 });
    }).toPass();
  }
  // Where the end of the action and both answers are in view.
  await card.locator('.button--danger').scrollIntoViewIfNeeded();
  await person.approve('echo "confirm me"');
  await person.see(person.approval('print(6 * 7)'));
  await person.open(`/c/${id}?panel=info`);
  await page.locator('html').evaluate((html) => (html.style.fontSize = '200%'));
  // The heading keeps whole words beside the risk.
  expect((await box(page.locator('.approval__title'))).width).toBeGreaterThanOrEqual(160);
});
