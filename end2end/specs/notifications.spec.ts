// Notifications: the page where they are chosen, and the worker that shows them and carries out their buttons.
import type { CDPSession, Page } from '@playwright/test';
import { expectAccessible, expectNothingClipped } from '../accessible.ts';
import { PACE } from '../fixtures.ts';
import { BEHIND } from '../front.ts';
import { expect, test as base } from '../installed.ts';
import { Push } from '../push.ts';

/**
 * Runs in the worker: shows and presses notifications for the test. A browser without a screen has neither notifications
 * nor push messages; there a list takes the place of the ones, and an event that of the others.
 */
const PRELUDE = `
if (Notification.permission !== 'granted') {
  // Its process crashes when a worker sets a badge.
  Object.assign(navigator, { setAppBadge: async () => {}, clearAppBadge: async () => {} });
  // One change after the other: a reader must not write back what a change beside it has removed.
  let last = Promise.resolve();
  const list = (change) => (last = last.then(() => changed(change)));
  const changed = async (change) => {
    const cache = await caches.open('shown');
    const before = await (await cache.match('/shown'))?.json();
    const after = change(before ?? []);
    await cache.put('/shown', Response.json(after));
    return after;
  };
  const without = (tag) => (all) => all.filter((one) => one.tag !== tag);
  registration.showNotification = async (title, { tag = '', ...options } = {}) => {
    await list((all) => [...without(tag)(all), { ...options, title, tag }]);
  };
  registration.getNotifications = async () => {
    const all = await list((all) => all);
    return all.map((one) => ({ ...one, close: () => list(without(one.tag)) }));
  };
}
addEventListener('message', (event) => {
  const { kind, action, push } = event.data ?? {};
  // An event that a script has made keeps no worker alive.
  const happens = async (name, properties) => {
    const waits = [];
    dispatchEvent(Object.assign(new Event(name), { ...properties, waitUntil: (promise) => waits.push(promise) }));
    await Promise.all(waits);
  };
  const answer = async () => {
    const shown = await registration.getNotifications();
    if (kind === 'test-press') await happens('notificationclick', { notification: shown[0], action });
    if (kind === 'test-push') await happens('push', { data: push === '' ? null : { json: () => JSON.parse(push) } });
    const plain = ({ title, body, tag, actions }) => ({ title, body, tag, actions: (actions ?? []).map(({ action }) => action) });
    event.ports[0].postMessage(shown.map(plain));
  };
  if (kind?.startsWith('test-')) event.waitUntil(answer());
});
`;

const test = base.extend<{ push: Push }>({
  push: async ({}, use) => {
    const push = await Push.start();
    await use(push);
    await push.stop();
  },
  // An agent of 1.x can ask for approval of harmless actions.
  serverArgs: async ({ push }, use) => use(['--rehearsal', '1.x', '--rehearsal-pace', PACE, '--push-host', push.origin]),
});

test.skip(BEHIND, 'browsers refuse a service worker from a server whose certificate they do not know');

test.beforeEach(async ({ network, context }) => {
  network.prelude = PRELUDE;
  await context.grantPermissions(['notifications'], { origin: network.url });
});

interface Shown {
  title: string;
  body: string;
  tag: string;
  actions: string[];
}

/** The worker of a page, and what it shows. */
class Phone {
  private constructor(
    private readonly page: Page,
    private readonly devtools: CDPSession,
    private readonly registration: string,
  ) {}

  static async of(page: Page): Promise<Phone> {
    await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    const devtools = await page.context().newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => registrations.forEach((one) => resolve(one.registrationId)));
    });
    await devtools.send('ServiceWorker.enable');
    return new Phone(page, devtools, await registered);
  }

  /** Delivers a message to the worker, as the browser does, and waits until it is shown with this text. */
  async receive(message: unknown, text: string): Promise<void> {
    const data = typeof message === 'string' ? message : JSON.stringify(message);
    const { origin } = new URL(this.page.url());
    if (await this.page.evaluate(() => Notification.permission === 'granted')) {
      await this.devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId: this.registration, data });
    } else {
      await this.ask({ kind: 'test-push', push: data });
    }
    await this.shows([text]);
  }

  /** Waits until the texts of the notifications are these. */
  async shows(texts: string[]): Promise<void> {
    await expect.poll(async () => (await this.shown()).map(({ body }) => body)).toEqual(texts);
  }

  shown(): Promise<Shown[]> {
    return this.ask({ kind: 'test-shown' });
  }

  /** Presses a notification, or one of its buttons. */
  async press(action: string): Promise<void> {
    await this.ask({ kind: 'test-press', action });
  }

  private ask(message: object): Promise<Shown[]> {
    return this.page.evaluate(async (message) => {
      const { active } = await navigator.serviceWorker.ready;
      return new Promise<Shown[]>((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => resolve(data as Shown[]);
        active?.postMessage(message, [port2]);
      });
    }, message);
  }
}

async function turnOn(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Turn on notifications' }).click();
  await expect(page.getByText('Notifications are on.')).toBeVisible();
}

test('an approval reaches the phone, is approved from there, and the notification is replaced', async ({ person, page, push, another, watch }) => {
  watch.allow(/status of 4\d\d/);
  await push.subscribes(page);
  await person.open('/notifications');
  await turnOn(page);
  await page.getByText('Choose what to be notified of').click();
  await page.getByLabel('Let me approve low-risk actions from the notification').check();
  await page.getByLabel('Show the command or message, also on the lock screen').check();
  await page.getByRole('button', { name: 'Save choices' }).click();
  await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  const phone = await Phone.of(page);
  // A test says what the service answered.
  await page.getByRole('button', { name: 'Send a test' }).click();
  await expect(page.getByText('127.0.0.1 accepted it (201).')).toBeVisible();
  await expect.poll(() => push.messages.length).toBe(1);

  const other = await another({ serviceWorkers: 'block' });
  const id = await other.createConversation('Take care [[scenario:careful]]');
  await other.see(other.approval('ls'));
  // Nobody looks at Handrail.
  for (const open of [page, other.page]) await open.evaluate(() => window.dispatchEvent(new Event('blur')));
  await expect.poll(() => push.messages.length, { timeout: 30_000 }).toBe(2);
  const message = push.messages[1];
  expect(message.notification.body).toBe('Needs approval · Low risk\nRun ls');
  expect(message.notification.actions.map(({ action }) => action)).toEqual(['approve', 'reject']);
  const text = 'Needs approval · Low risk\nRun ls';
  await phone.receive(message, text);
  expect(await phone.shown()).toEqual([{ title: 'Rehearsal: careful', body: text, tag: id, actions: ['approve', 'reject'] }]);
  // Nobody reads it in less.
  await page.waitForTimeout(800);
  await phone.press('approve');
  await phone.shows(['Approved']);
  await other.see(other.approval('pwd'));
  await expect.poll(() => push.messages.length).toBe(3);
  await phone.receive(push.messages[2], 'No longer needs approval');

  // The old notification again: its action has been decided.
  await phone.receive(message, text);
  await phone.press('reject');
  await phone.shows(['Nothing was sent: this was already approved a moment ago. The first decision counts.']);
  await other.see(other.approval('pwd'));

  // A press on the notification itself opens the conversation.
  await phone.receive(message, text);
  await phone.press('').catch(() => {});
  await expect(page).toHaveURL(new RegExp(`/c/${id}$`));
  await phone.shows([]);
});

test('the worker shows something for every message, and carries out nothing without a network', async ({ person, page, context, watch }) => {
  watch.allow(/ERR_INTERNET_DISCONNECTED|WebSocket/);
  await person.open('/notifications');
  const phone = await Phone.of(page);
  for (const nonsense of ['', 'not JSON', '[]', '{"notification":{"title":7}}']) {
    await phone.receive(nonsense, '');
    expect((await phone.shown()).map(({ title }) => title), nonsense).toEqual(['Handrail']);
  }
  await phone.press('').catch(() => {});
  await expect(page).toHaveURL(/\/$/);
  await phone.shows([]);
  await phone.receive({ notification: { title: 'Evil', body: 'Open me', tag: 'evil', data: { page: 'https://evil.example/' } } }, 'Open me');
  await phone.press('');
  await phone.shows([]);
  expect(context.pages().map((open) => new URL(open.url()).hostname)).toEqual(['127.0.0.1']);

  await context.setOffline(true);
  const asks = { title: 'Task', body: 'Needs approval', tag: 'c', actions: [{ action: 'reject', title: 'Reject' }], data: { conversation: 'c', token: 't', channel: 1 } };
  await phone.receive({ notification: asks, app_badge: '1' }, 'Needs approval');
  await phone.press('reject');
  await phone.shows(['Handrail could not be reached, and nothing was decided. Open the conversation.']);
  await context.setOffline(false);
});

test('places to notify are added, chosen and removed', { tag: ['@phone-all', '@nojs'] }, async ({ person, page, push, watch }) => {
  watch.allow(/status of 400/);
  await person.open('/notifications');
  await page.getByLabel('Topic address').fill('https://evil.example/topic');
  await page.getByRole('button', { name: 'Add topic' }).click();
  await expect(page.getByText('Handrail does not send to evil.example.')).toBeVisible();
  await page.getByLabel('Topic address').fill(`${push.origin}/my-topic`);
  await page.getByRole('button', { name: 'Add topic' }).click();
  const place = page.getByRole('region', { name: '127.0.0.1/my-topic' });
  await expect(place).toBeVisible();
  await place.getByText('Choose what to be notified of').click();
  await place.getByLabel('the agent has finished').uncheck();
  await place.getByLabel('From').fill('22:00');
  await place.getByLabel('Until').fill('07:00');
  await place.getByLabel('Time zone').fill('Europe/Berlin');
  await place.getByRole('button', { name: 'Save choices' }).click();
  if (person.scripted) await expect(page.getByText('Saved', { exact: true })).toBeVisible();
  await person.reload();
  await place.getByText('Choose what to be notified of').click();
  await expect(place.getByLabel('the agent has finished')).not.toBeChecked();
  await expect(place.getByLabel('the agent has failed')).toBeChecked();
  await expect(place.getByLabel('From')).toHaveValue('22:00');
  await place.getByLabel('Time zone').fill('Nowhere/Land');
  await place.getByRole('button', { name: 'Save choices' }).click();
  await expect(page.getByText('The time zone is unknown.')).toBeVisible();
  await page.getByLabel('Address', { exact: true }).fill(`${push.origin}/hook`);
  await page.getByRole('button', { name: 'Add webhook' }).click();
  await expect(page.locator('.notice--good .mono')).toBeVisible();
  await expect(page.getByRole('region', { name: '127.0.0.1/hook' })).toBeVisible();
  await page.getByRole('button', { name: 'Remove 127.0.0.1/my-topic' }).click();
  await expect(place).toHaveCount(0);
});

test('the page of notifications is accessible and whole, also with text of twice the size', { tag: ['@all', '@phone-all'] }, async ({ person, page, push }, info) => {
  await push.subscribes(page);
  await person.open('/notifications');
  await expectAccessible(page, 'nothing added');
  await page.getByLabel('Topic address').fill(`${push.origin}/my-topic`);
  await page.getByRole('button', { name: 'Add topic' }).click();
  await page.getByText('Choose what to be notified of').click();
  await expectAccessible(page, 'choices');
  const sizes = info.project.name === 'phone' ? [[360, 640], [390, 844], [640, 360]] : [[1280, 800]];
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await expectNothingClipped(page, `${width}x${height}`);
      const shots = process.env.HANDRAIL_SHOTS;
      if (shots) await page.screenshot({ path: `${shots}/notifications-${width}-${colorScheme}.png`, fullPage: true });
    }
    await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
    await expectNothingClipped(page, `${width}x${height} with large text`);
    await page.evaluate(() => (document.documentElement.style.fontSize = ''));
  }
});

test('a browser without a secure connection or without push says what to do', async ({ person, page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PushManager'));
  await person.open('/notifications');
  await page.getByRole('button', { name: 'Turn on notifications' }).click();
  await expect(page.getByText('On an iPhone or iPad, add Handrail to the Home Screen first')).toBeVisible();
});
