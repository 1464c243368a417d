// A rehearsal in a process of its own: it reports its stored events, supports fault injection, and outlives Handrail.
import { setTimeout as pause } from 'node:timers/promises';
import { DIALECT, EVENTS_OF_A_STEP, IS_APP } from './dialect.ts';
import { Handrail, ONLY_REHEARSAL } from './server.ts';

/** A stored event of either dialect. */
export interface StoredEvent {
  id: number | string;
  /** Whether the agent ends its task with this event. */
  finishes: boolean;
}

/** An injected fault, see rehearsal/src/faults.rs. */
export type Fault = { fault: string } & Record<string, unknown>;

export class Rehearsal {
  private constructor(private readonly process: Handrail) {}

  /** Starts a rehearsal with this pause between two events, in milliseconds. */
  static async start(pace: number): Promise<Rehearsal> {
    const args = [ONLY_REHEARSAL, '--rehearsal-faults', '--rehearsal-pace', String(pace)];
    return new Rehearsal(await Handrail.start(args));
  }

  /** The URL of its server. */
  get url(): string {
    return this.process.url;
  }

  /** Injects a fault, momentary or lasting. */
  async fails(fault: Fault): Promise<void> {
    const answer = await fetch(`${this.url}/rehearsal/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    });
    if (!answer.ok) throw new Error(`the rehearsal refused ${JSON.stringify(fault)}: ${await answer.text()}`);
  }

  /** Clears all faults. */
  async works(): Promise<void> {
    await this.fails({ fault: 'clear' });
  }

  /**
   * Cuts off all agents: sockets drop, and new ones get no response. A 1.x connection also works from the history
   * alone, so that fails, too.
   */
  async dropConnections(): Promise<void> {
    await this.fails({ fault: 'hang' });
    if (DIALECT === '1.x') await this.fails({ fault: 'rest', kind: 'server_error', path: '/events/search', times: 0 });
    await this.fails({ fault: 'drop_sockets' });
  }

  /** All stored events of a conversation, oldest first, except those without content. */
  async events(conversation: string): Promise<StoredEvent[]> {
    const all: any[] = [];
    for (let from: number | string | null | undefined = DIALECT === '1.x' ? '' : 0; from !== null && from !== undefined; ) {
      if (DIALECT === '1.x') {
        const page = await this.get(`/api/conversations/${conversation}/events/search?limit=100&page_id=${from}`);
        all.push(...page.items);
        from = page.next_page_id;
      } else {
        const page = await this.get(`/api/conversations/${conversation}/events?start_id=${from}&limit=100`);
        all.push(...page.events);
        from = page.has_more ? all.at(-1).id + 1 : null;
      }
    }
    return stored(all);
  }

  /** Waits until the agent of the scenario `long` has taken this step. */
  async reaches(conversation: string, step: number): Promise<void> {
    for (;;) {
      const page = await this.get(`/api/conversations/${conversation}/events${DIALECT === '1.x' ? '/count' : '?reverse=true&limit=1'}`);
      const count = DIALECT === '1.x' ? page : page.events[0]?.id;
      if (count >= step * EVENTS_OF_A_STEP) return;
      await pause(500);
    }
  }

  /** The answers that reached the backend, in order: whether each was an approval. */
  async answers(conversation: string): Promise<boolean[]> {
    return (await this.get('/rehearsal/stats')).answers[conversation] ?? [];
  }

  /** The number of sockets connected to a conversation. */
  async connections(conversation: string): Promise<number> {
    return (await this.get('/rehearsal/stats')).sockets[conversation] ?? 0;
  }

  /** Stops it. */
  async remove(): Promise<void> {
    await this.process.remove();
  }

  /** Address of the agents and the key for them: those of an app server are elsewhere. */
  private async agents(path: string): Promise<[string, Record<string, string>]> {
    if (!IS_APP || !path.startsWith('/api/conversations/')) return [this.url, {}];
    const [, , , id] = path.split('/');
    const [one] = await this.get(`/api/v1/app-conversations?ids=${id}`);
    return [new URL(one.conversation_url).origin, { 'X-Session-API-Key': one.session_api_key }];
  }

  private async get(path: string): Promise<any> {
    const [url, headers] = await this.agents(path);
    for (;;) {
      const answer = await fetch(url + path, { headers });
      if (answer.ok) return answer.json();
      // The rehearsal limits requests like the real server, and says when to retry.
      if (answer.status !== 429) throw new Error(`${path} answered ${answer.status}`);
      await pause(1000 * Number(answer.headers.get('retry-after') ?? 1));
    }
  }
}

/**
 * Filters the backend's events to those both stored and sent. In 0.x the backend also stores events without content
 * that it does not send. Both dialects send events that are not stored: status frames without an id in 0.x, snapshots
 * in 1.x.
 */
export function stored(events: any[]): StoredEvent[] {
  const is = DIALECT === '1.x'
    ? (event: any) => event.key !== 'full_state'
    : (event: any) => Number.isInteger(event.id) && event.observation !== 'null' && event.action !== 'null';
  return events.filter(is).map((event) => ({ id: event.id, finishes: event.action === 'finish' || event.action?.kind === 'FinishAction' }));
}
