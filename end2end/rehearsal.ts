// A rehearsal in a process of its own: it can be asked what it has stored, told to fail, and it outlives Handrail.
import { setTimeout as pause } from 'node:timers/promises';
import { Handrail, ONLY_REHEARSAL } from './server.ts';

/** One event as OpenHands 0.62 stores it. */
export interface StoredEvent {
  id: number;
  source: string;
  action?: string;
  observation?: string;
  args?: Record<string, unknown>;
  content?: string;
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

  /** All stored events of a conversation, oldest first. */
  async events(conversation: string): Promise<StoredEvent[]> {
    const all: StoredEvent[] = [];
    for (let more = true; more; ) {
      const start = (all.at(-1)?.id ?? -1) + 1;
      const page = await this.get(`/api/conversations/${conversation}/events?start_id=${start}&limit=100`);
      all.push(...page.events);
      more = page.has_more;
    }
    return all;
  }

  /** Waits until a conversation has an event with this id. */
  async reaches(conversation: string, id: number): Promise<void> {
    for (;;) {
      const page = await this.get(`/api/conversations/${conversation}/events?reverse=true&limit=1`);
      if (page.events[0]?.id >= id) return;
      await pause(500);
    }
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
