// The service worker's part for push messages: it shows them, and carries out their buttons.
// @ts-check

/** Text of an answer that could not be sent, for the notification that takes the place of the one that was pressed. */
const NOT_SENT = 'Handrail could not be reached, and nothing was decided. Open the conversation.';

self.addEventListener('push', (event) => {
  event.waitUntil(showPush(pushed(event.data)));
});

self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  const decided = action === 'approve' || action === 'reject';
  event.waitUntil(decided ? decide(notification, action) : openPage(notification.data?.page));
});

self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renew(event));
});

/** Tells the server the new subscription of this browser. Without a login it stays off, as on the page. */
async function renew({ newSubscription, oldSubscription }) {
  const options = oldSubscription?.options;
  const subscription = newSubscription ?? (options && (await self.registration.pushManager.subscribe(options)));
  if (!subscription) return;
  const { endpoint, keys } = subscription.toJSON();
  await postJson('subscribe_push', { endpoint, ...keys }).catch(() => {});
}

/** Calls a function of the server, once. */
function postJson(name, body) {
  return fetch(`${HANDRAIL.base}api/${name}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
  });
}

/** The message of a push, or null: a browser may also wake us for a message that it could not read. */
function pushed(data) {
  try {
    return data?.json() ?? null;
  } catch {
    return null;
  }
}

/** A push must show a notification: browsers end the subscription of a site that shows none. */
async function showPush(message) {
  const { title, navigate, ...options } = message?.notification ?? {};
  await setBadge(message?.app_badge);
  if (typeof title !== 'string') {
    return self.registration.showNotification('Handrail', { body: '', tag: 'unread', data: { page: HANDRAIL.base }, icon: icon() });
  }
  const actions = (options.actions ?? []).map(({ action, title }) => ({ action, title }));
  await self.registration.showNotification(title, {
    ...options,
    actions,
    data: { ...options.data, page: options.data?.page ?? navigate },
    icon: icon(),
    badge: icon(),
  });
}

/** Sets the number of pending approvals on the app's icon. */
async function setBadge(count) {
  const waiting = Number(count);
  if (!Number.isSafeInteger(waiting) || !self.navigator.setAppBadge) {
    return;
  }
  // The platform may have no badges.
  await (waiting > 0 ? self.navigator.setAppBadge(waiting) : self.navigator.clearAppBadge()).catch(() => {});
}

/** Opens a page of ours: in an open window, if there is one. */
async function openPage(page) {
  const address = new URL(page ?? HANDRAIL.base, self.location.href);
  if (address.origin !== self.location.origin) {
    return;
  }
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const there = windows.find((window) => window.url === address.href) ?? windows[0];
  if (!there) {
    await self.clients.openWindow(address.href);
    return;
  }
  // A window of another version of this worker cannot be navigated.
  const focused = await there.focus().catch(() => there);
  if (focused.url !== address.href) {
    await focused.navigate(address.href).catch(() => self.clients.openWindow(address.href));
  }
}

/** Sends an answer once, with the session of this browser, and shows what became of it. */
async function decide(notification, decision) {
  const { conversation, token, channel, page } = notification.data ?? {};
  let text;
  try {
    const response = await postJson('answer_from_notification', { conversation, token, channel, decision });
    const said = await response.json();
    text = response.ok ? said : said.text;
  } catch {
    text = NOT_SENT;
  }
  await self.registration.showNotification(notification.title, {
    body: typeof text === 'string' ? text : NOT_SENT,
    tag: notification.tag,
    silent: true,
    data: { page },
    icon: icon(),
    badge: icon(),
  });
}

function icon() {
  return `${HANDRAIL.base}icon-192.png`;
}
