// The rows of a conversation from two sources that must agree: a browser that scrolls through all of them, and the
// server's own pages of its journal.
import type { APIRequestContext, Page } from '@playwright/test';

/** Ids of the rows that are on the page now, oldest first. */
function inPage(page: Page): Promise<string[]> {
  return page.locator('.timeline .row[id]').evaluateAll((rows) => rows.map((row) => row.id));
}

/** Ids of all rows, collected by scrolling up, oldest first. Throws if a page contains a row twice. */
export async function rowsByScrolling(page: Page): Promise<string[]> {
  let all = await inPage(page);
  for (;;) {
    const oldest = all[0];
    const moved = page.waitForFunction(
      (oldest) => {
        const timeline = document.querySelector('.timeline');
        if (timeline === null) return false;
        timeline.scrollTop = -timeline.scrollHeight;
        const first = timeline.querySelector('.row[id]')?.id;
        if (first !== oldest) return 'more';
        return timeline.querySelector('.timeline__older') === null ? 'end' : false;
      },
      oldest,
      { polling: 50 },
    );
    const outcome = await (await moved).jsonValue();
    const now = await inPage(page);
    if (new Set(now).size !== now.length) throw new Error('a row is on the page twice');
    const known = now.indexOf(all[0]);
    if (known < 0) throw new Error(`the row ${all[0]} was skipped`);
    all = [...now.slice(0, known), ...all];
    if (outcome === 'end') return all;
  }
}

/** The timeline HTML of all pages that the server renders without JavaScript, oldest first. */
export async function pagesOfJournal(request: APIRequestContext, conversation: string): Promise<string[]> {
  const pages: string[] = [];
  for (let address: string | undefined = `/c/${conversation}`; address !== undefined; ) {
    const html = await (await request.get(address)).text();
    const timeline = html.slice(html.indexOf('class="timeline"'), html.indexOf('</section>', html.indexOf('class="timeline"')));
    pages.unshift(timeline);
    const older: string | undefined = /href="\?before=([^"]+)"[^>]*>\s*Older/.exec(timeline)?.[1];
    address = older === undefined ? undefined : `/c/${conversation}?before=${older}`;
  }
  return pages;
}

/** Ids of all rows on the server's pages, oldest first. */
export async function rowsOfJournal(request: APIRequestContext, conversation: string): Promise<string[]> {
  const pages = await pagesOfJournal(request, conversation);
  return pages.flatMap((page) => Array.from(page.matchAll(/<article[^>]* id="(row-\d+)"/g), (match) => match[1]));
}
