// The most important guarantee: whatever fails, the page shows the journal's rows and the journal has the backend's
// events.
import { ALL } from '../all.ts';
import { testWithBackend as test, expect } from '../fixtures.ts';
import { type StoredEvent, stored } from '../rehearsal.ts';
import { pagesOfJournal, rowsByScrolling, rowsOfJournal } from '../timeline.ts';

const [STEPS, DISCONNECTS, KILLS] = ALL ? [1_000, 20, 3] : [300, 6, 1];

const ids = (events: StoredEvent[]) => events.map((event) => event.id).toSorted();

test(`lost connections and killed servers during ${STEPS} steps lose, duplicate and reorder nothing`, async ({ person, page, handrail, rehearsal, watch }) => {
  test.setTimeout(400_000);
  watch.allow(/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|WebSocket connection|status of 50\d/);
  const sockets: { close(): Promise<void> }[] = [];
  await page.routeWebSocket(/\/live$/, (socket) => {
    socket.connectToServer();
    sockets.push(socket);
  });
  const id = await person.createConversation(`Many steps [[scenario:long:${STEPS}]]`);
  const disconnects = Array.from({ length: DISCONNECTS }, (_, number) => ({ at: ((number + 1) * STEPS) / (DISCONNECTS + 2), kill: false }));
  const kills = Array.from({ length: KILLS }, (_, number) => ({ at: ((number + 1) * STEPS) / (KILLS + 1) + 10, kill: true }));
  for (const { at, kill } of [...disconnects, ...kills].toSorted((a, b) => a.at - b.at)) {
    await rehearsal.reaches(id, at);
    if (kill) {
      await handrail.stop('SIGKILL');
      await handrail.launch();
    } else {
      await sockets.at(-1)?.close();
      await rehearsal.fails({ fault: 'drop_sockets' });
    }
  }
  await expect(page.locator('.conversation__head .badge[data-status="finished"]')).toBeVisible({ timeout: 120_000 });
  const rows = await rowsByScrolling(page);
  expect(rows.length).toBeGreaterThan(STEPS);
  expect(rows).toEqual(await rowsOfJournal(page.request, id));

  const pages = (await pagesOfJournal(page.request, id)).join('');
  const shown = Array.from(pages.matchAll(/class="step__subject">echo step (\d+)</g), (match) => Number(match[1]));
  const scripted = Array.from({ length: STEPS }, (_, step) => step + 1).filter((step) => [1, 4].includes(step % 5));
  expect(shown).toEqual(scripted);

  const sent = await rehearsal.events(id);
  await rehearsal.remove();
  const kept = stored(await (await page.request.get(`/c/${id}/trajectory.json`)).json());
  expect(ids(kept)).toEqual(ids(sent));
});
