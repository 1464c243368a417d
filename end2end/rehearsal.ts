// A rehearsal in a process of its own: it can be asked what it has stored, told to fail, and it outlives Handrail.
import { setTimeout as pause } from 'node:timers/promises';
import { DIALECT, EVENTS_OF_A_STEP } from './dialect.ts';
import { Handrail, ONLY_REHEARSAL } from './server.ts';

/** One stored event, whichever dialect it is in. */
export interface StoredEvent {
  id: number | string;
  /** The agent says with it that it is done. */
  finishes: boolean;
}

/** Something that goes wrong, see src/backend/rehearsal/faults.rs. */
export type Fault = { fault: string } & Record<string, unknown>;

export class Rehearsal {
  private constructor(private readonly process: Handrail) {}

  /** Starts a rehearsal that lets this time pass between two events. */
  static async start(pace: number): Promise<Rehearsal> {
    const args = [ONLY_REHEARSAL, '--rehearsal-faults', '--rehearsal-pace', String(pace)];
    return new Rehearsal(await Handrail.start(args));
  }

  /** Where it serves, as an OpenHands would. */
  get url(): string {
    return this.process.url;
  }

  /** Lets something go wrong, now or from now on. */
  async fails(fault: Fault): Promise<void> {
    const answer = await fetch(`${this.url}/rehearsal/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    });
    if (!answer.ok) throw new Error(`the rehearsal refused ${JSON.stringify(fault)}: ${await answer.text()}`);
  }

  /** Lets everything work again. */
  async works(): Promise<void> {
    await this.fails({ fault: 'clear' });
  }

  /** No agent can be reached any more: sockets end, and new ones get no answer. A line of 1.x lives on history alone, so there is none. */
  async losesLines(): Promise<void> {
    await this.fails({ fault: 'hang' });
    if (DIALECT === '1.x') await this.fails({ fault: 'rest', kind: 'server_error', path: '/events/search', times: 0 });
    await this.fails({ fault: 'drop_sockets' });
  }

  /** All stored events of a conversation, oldest first, but for those that tell nothing. */
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

  /** The answers of people that reached the backend, the first one first: whether they were a yes. */
  async answers(conversation: string): Promise<boolean[]> {
    return (await this.get('/rehearsal/stats')).answers[conversation] ?? [];
  }

  /** How many sockets listen to a conversation. */
  async connections(conversation: string): Promise<number> {
    return (await this.get('/rehearsal/stats')).sockets[conversation] ?? 0;
  }

  /** Ends it. */
  async remove(): Promise<void> {
    await this.process.remove();
  }

  private async get(path: string): Promise<any> {
    for (;;) {
      const answer = await fetch(this.url + path);
      if (answer.ok) return answer.json();
      // It counts requests as the real server does, and says when to come back.
      if (answer.status !== 429) throw new Error(`${path} answered ${answer.status}`);
      await pause(1000 * Number(answer.headers.get('retry-after') ?? 1));
    }
  }
}

/**
 * Those of these events, in the words of the backend, that it has stored and shown. It stores more, without content, that
 * it does not send (0.x), and says more in passing, which has no number (its status in 0.x) or is a snapshot (1.x).
 */
export function stored(events: any[]): StoredEvent[] {
  const is = DIALECT === '1.x'
    ? (event: any) => event.key !== 'full_state'
    : (event: any) => Number.isInteger(event.id) && event.observation !== 'null' && event.action !== 'null';
  return events.filter(is).map((event) => ({ id: event.id, finishes: event.action === 'finish' || event.action?.kind === 'FinishAction' }));
}
