// The service worker without a browser: its own code, with caches, a network and an order of responses that a test decides.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { createContext, runInContext } from 'node:vm';

const FOLDER = path.resolve(import.meta.dirname, '../src/worker');
/** The parts of the worker, in the order of `server/assets.rs`. */
const PARTS = ['offline.js', 'pages.js'];

const ORIGIN = 'http://handrail.test';
export const BUILD = 'build';

/** A request that has begun, and has no response yet. */
export interface Asked {
  path: string;
  answer(response: Response): Promise<void>;
  fail(): Promise<void>;
}

/** The response of a server to a person; without one, that of a page without a login. */
export function page(html: string, person?: string, status = 200): Response {
  const headers = new Headers({ 'content-type': 'text/html', 'handrail-build': BUILD });
  if (person !== undefined) headers.set('handrail-person', person);
  return new Response(html, { status, headers });
}

/** A cache: the order of its entries is that of the last changes. */
class Cache {
  private readonly entries = new Map<string, Response>();
  async match(address: string | { url: string }): Promise<Response | undefined> {
    return this.entries.get(url(address))?.clone();
  }
  async put(address: string, response: Response): Promise<void> {
    // Storing takes a while.
    await turn();
    this.entries.set(url(address), response);
  }
  async delete(address: string | { url: string }): Promise<boolean> {
    await turn();
    return this.entries.delete(url(address));
  }
  async keys(): Promise<{ url: string }[]> {
    return [...this.entries.keys()].map((url) => ({ url }));
  }
}

const url = (address: string | { url: string }) => new URL(typeof address === 'string' ? address : address.url, ORIGIN).href;

export class Worker {
  /** The requests without a response, in the order in which they began. */
  readonly asked: Asked[] = [];
  /** The number of requests so far. */
  requests = 0;
  private readonly caches = new Map<string, Cache>();
  private readonly handlers = new Map<string, (event: object) => void>();

  constructor() {
    const locks = new Map<string, Promise<unknown>>();
    const scope = createContext({
      HANDRAIL: { base: '/', build: BUILD, shell: [], send: '/api/send', full: 'full' },
      location: { origin: ORIGIN },
      addEventListener: (kind: string, handler: (event: object) => void) => this.handlers.set(kind, handler),
      fetch: (request: { url: string } | URL) => this.fetch(new URL(request instanceof URL ? request.href : request.url)),
      caches: {
        keys: async () => [...this.caches.keys()],
        open: async (name: string) => this.caches.get(name) ?? (this.caches.set(name, new Cache()), this.caches.get(name)),
        delete: async (name: string) => this.caches.delete(name),
      },
      navigator: {
        locks: {
          request: (name: string, work: () => unknown) => {
            const mine = (locks.get(name) ?? Promise.resolve()).then(work);
            locks.set(name, mine.catch(() => {}));
            return mine;
          },
        },
      },
      ...{ AbortSignal, Headers, Response, URL, setTimeout },
    });
    runInContext(PARTS.map((part) => readFileSync(path.join(FOLDER, part), 'utf8')).join('\n'), scope);
  }

  /** Asks for the open page to be kept, as `page.js` does; the array gets the answer. */
  async keep(path: string): Promise<unknown[]> {
    const answers: unknown[] = [];
    this.handlers.get('message')?.({ data: { kind: 'keep', path }, ports: [{ postMessage: (answer: unknown) => answers.push(answer) }], waitUntil: () => {} });
    await settle();
    return answers;
  }

  /** Navigates to a page. */
  async navigate(path: string, method = 'GET'): Promise<void> {
    const request = { url: `${ORIGIN}/${path}`, mode: 'navigate', method };
    this.handlers.get('fetch')?.({ request, respondWith: () => {}, waitUntil: () => {} });
    await settle();
  }

  /** The kept pages: the person and the HTML by path. */
  async kept(): Promise<Record<string, string>> {
    const kept: Record<string, string> = {};
    for (const [name, cache] of this.caches) {
      if (!name.includes(':pages:')) continue;
      for (const { url } of await cache.keys()) kept[`${name.split(':').at(-1)} ${new URL(url).pathname}`] = (await (await cache.match(url))?.text()) ?? '';
    }
    return kept;
  }

  private fetch({ pathname }: URL): Promise<Response> {
    this.requests += 1;
    return new Promise((resolve, reject) => {
      const end = async (how: () => void) => {
        this.asked.splice(this.asked.indexOf(asked), 1);
        how();
        await settle();
      };
      const asked: Asked = {
        path: pathname.slice(1),
        answer: (response) => end(() => resolve(response)),
        fail: () => end(() => reject(new TypeError('Failed to fetch'))),
      };
      this.asked.push(asked);
    });
  }
}

/** Lets the worker run until it waits for the network. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 60; turns += 1) await turn();
}
