// A person in front of a browser, with or without scripts: the steps that many tests have in common.
import { type Locator, type Page, expect } from '@playwright/test';
import { CAN, STATUS } from './dialect.ts';

export class Person {
  constructor(
    readonly page: Page,
    /** Whether scripts run. Without them a page is as it was when it was loaded. */
    readonly scripted: boolean,
    /** How long they wait for an agent, in milliseconds. */
    private readonly patience: number,
  ) {}

  /** Goes to an address of Handrail and waits until the page is complete. */
  async open(path: string): Promise<void> {
    await this.page.goto(path);
    await this.alive();
  }

  /** Loads the page again. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.alive();
  }

  /** Waits until the script has taken the page over and hears what happens. */
  async alive(): Promise<void> {
    if (this.scripted) await this.page.locator('html[data-live="true"]').waitFor();
  }

  /** Begins a conversation on the page for new ones; its id. */
  async begin(message: string): Promise<string> {
    await this.open('/new');
    const main = this.page.getByRole('main');
    await main.getByLabel('First message').fill(message);
    await main.getByRole('button', { name: 'Begin', exact: true }).click();
    await this.page.waitForURL(/\/c\/[^/?#]+/);
    await this.alive();
    return this.conversation;
  }

  /** Id of the conversation that is open. */
  get conversation(): string {
    const id = /\/c\/([^/?#]+)/.exec(this.page.url())?.[1];
    if (id === undefined) throw new Error(`no conversation is open at ${this.page.url()}`);
    return id;
  }

  /** Waits until it is to be seen; without scripts by loading the page again. */
  async see(what: Locator): Promise<void> {
    if (this.scripted) return expect(what.first()).toBeVisible({ timeout: this.patience });
    await expect(async () => {
      if (!(await what.first().isVisible())) await this.page.reload();
      await expect(what.first()).toBeVisible({ timeout: 1 });
    }).toPass({ timeout: this.patience, intervals: [200, 400, 800] });
  }

  /** Waits until the agent is in this state, as the colour of its badge says. */
  async seeStatus(status: 'running' | 'waiting' | 'idle' | 'paused' | 'finished' | 'error' | 'stopped'): Promise<void> {
    await this.see(this.page.locator(`.conversation__head .badge[data-status="${status}"]`));
  }

  /** Waits until the agent has had its say and it is a person's turn. */
  async seeTurn(): Promise<void> {
    await this.seeStatus(STATUS.turn);
  }

  /** The card of what waits, if it is about this. */
  approval(about: string | RegExp = ''): Locator {
    return this.page.locator('.approval').filter({ hasText: about });
  }

  /** Says yes to what waits. */
  async approve(about: string | RegExp): Promise<void> {
    await this.answer(about, () => this.approval(about).getByRole('button', { name: 'Approve' }).click());
  }

  /** Says no to what waits, and why. With a reason the agent goes on afterwards. */
  async reject(about: string | RegExp, reason = ''): Promise<void> {
    await this.answer(about, async () => {
      await this.approval(about).getByLabel('Reason, sent when rejecting').fill(reason);
      await this.approval(about).getByRole('button', { name: 'Reject' }).click();
    });
    if (reason !== '') await this.goOnAfterNo();
  }

  /** Has the agent go on after a no with a reason, where it does not by itself. */
  async goOnAfterNo(): Promise<void> {
    if (CAN.goOnAfterNo) return;
    const resume = this.page.getByRole('button', { name: 'Resume', exact: true });
    await this.see(resume);
    await resume.click();
  }

  /** Answers what waits. When it has changed since it was looked at, looks again, as the page asks for. */
  private async answer(about: string | RegExp, act: () => Promise<void>): Promise<void> {
    for (let looks = 0; looks < 3; looks += 1) {
      await this.see(this.approval(about));
      await act();
      if (!(await this.page.getByText('Look again, then answer').isVisible())) break;
      await this.reload();
    }
    await this.gone(this.approval(about));
  }

  /** Says something to the agent. */
  async say(text: string): Promise<void> {
    await this.page.getByLabel('Message', { exact: true }).fill(text);
    await this.page.getByRole('button', { name: 'Send', exact: true }).click();
    if (this.scripted) await expect(this.page.getByLabel('Message', { exact: true })).toHaveValue('');
  }

  /** Opens a view of the conversation. */
  async view(name: 'Timeline' | 'Terminal' | 'Files' | 'Changes' | 'Browser' | 'Tasks' | 'Info'): Promise<Locator> {
    await this.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name }).click();
    const view = this.page.locator(name === 'Timeline' ? '.timeline' : '.panel').first();
    await expect(view).toBeVisible();
    return view;
  }

  /** The rows of the timeline that hold this text. */
  row(text: string | RegExp): Locator {
    return this.page.locator('.timeline .row').filter({ hasText: text });
  }

  /** The step of the timeline with this head line. */
  step(subject: string): Locator {
    const head = this.page.locator('.step__subject').getByText(subject, { exact: true });
    return this.page.locator('.timeline details.step').filter({ has: head });
  }

  /** Waits until the agent of a long rehearsal is at work: one of its many steps is to be seen, whichever it is by now. */
  async seeWork(): Promise<void> {
    await this.see(this.page.locator('.timeline .step__subject').getByText(/^echo step \d+$/));
  }

  private async gone(what: Locator): Promise<void> {
    if (this.scripted) return expect(what).toHaveCount(0, { timeout: this.patience });
    await expect(async () => {
      if ((await what.count()) > 0) await this.page.reload();
      expect(await what.count()).toBe(0);
    }).toPass({ timeout: this.patience, intervals: [200, 400, 800] });
  }
}
