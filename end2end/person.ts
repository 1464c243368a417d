// A user with a browser, with or without JavaScript: the steps that many tests share.
import { type Locator, type Page, expect } from '@playwright/test';
import { CAN, STATUS } from './dialect.ts';

/** The label of Approve while not all of the card was in view. */
export const REST = /^(Show the rest|\d+ more below)$/;

/** Where the form for a new conversation is sent; the program gives it a name of its own in each build. */
let creates: string | undefined;

export class Person {
  constructor(
    readonly page: Page,
    /** Whether JavaScript is enabled. Without it a page does not change after it was loaded. */
    readonly scripted: boolean,
    /** How long they wait for an agent, in milliseconds. */
    private readonly agentTimeout: number,
    /** The URL of Handrail, without a trailing slash. */
    private readonly home: () => string,
  ) {}

  /** Opens a URL of Handrail and waits until the page is complete. */
  async open(path: string): Promise<void> {
    await this.page.goto(path);
    await this.alive();
  }

  /** Reloads the page. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.alive();
  }

  /** Waits until the page is hydrated and receives live updates. */
  async alive(): Promise<void> {
    if (this.scripted) await this.page.locator('html[data-live="true"]').waitFor();
  }

  /**
   * Starts a conversation and opens it; returns its id. The form is sent without its page, which is half the work of a browser;
   * `createByHand` is how a person does it.
   */
  async createConversation(message: string): Promise<string> {
    if (!this.scripted) return this.createByHand(message);
    const home = this.home();
    const { request } = this.page;
    creates ??= /action="([^"]*\/api\/create_conversation\d*)"/.exec(await (await request.get(`${home}/new`)).text())?.[1];
    const response = await request.post(new URL(creates ?? '', home).href, {
      form: { message },
      headers: { accept: 'text/html', origin: new URL(home).origin, referer: `${home}/new` },
      maxRedirects: 0,
    });
    const id = /\/c\/([^/?#]+)$/.exec(response.headers().location ?? '')?.[1];
    if (id === undefined) throw new Error(`no conversation was created: ${response.status()}`);
    await this.open(`/c/${id}`);
    return id;
  }

  /** Starts a conversation on the page for new ones, and follows where that leads; returns its id. */
  async createByHand(message: string): Promise<string> {
    await this.open('/new');
    const main = this.page.getByRole('main');
    await main.getByLabel('First message').fill(message);
    await main.getByRole('button', { name: 'Start', exact: true }).click();
    await this.page.waitForURL(/\/c\/[^/?#]+/);
    await this.alive();
    return this.conversation;
  }

  /** Id of the open conversation. */
  get conversation(): string {
    const id = /\/c\/([^/?#]+)/.exec(this.page.url())?.[1];
    if (id === undefined) throw new Error(`no conversation is open at ${this.page.url()}`);
    return id;
  }

  /** The first result of a search, which is continued if it ran out of time, as on a busy machine. */
  async firstResult(): Promise<Locator> {
    const result = this.page.locator('.result').first();
    const goOn = this.page.getByRole('link', { name: 'Continue the search' });
    await expect(async () => {
      await expect(result.or(goOn).first()).toBeVisible();
      if (!(await result.isVisible())) await goOn.click();
      await expect(result).toBeVisible({ timeout: 5_000 });
    }).toPass();
    return result;
  }

  /** Waits until an element is visible; without JavaScript by reloading the page. */
  async see(what: Locator): Promise<void> {
    if (this.scripted) return expect(what.first()).toBeVisible({ timeout: this.agentTimeout });
    await expect(async () => {
      if (!(await what.first().isVisible())) await this.page.reload();
      await expect(what.first()).toBeVisible({ timeout: 1 });
      // The last interval is longer than the arming delay of buttons.
    }).toPass({ timeout: this.agentTimeout, intervals: [200, 400, 2_000] });
  }

  /** Waits until the agent is in this state, according to its badge. */
  async seeStatus(status: 'running' | 'waiting' | 'idle' | 'paused' | 'finished' | 'error' | 'stopped'): Promise<void> {
    await this.see(this.page.locator(`.conversation__head .badge[data-status="${status}"]`));
  }

  /** Waits until the agent has replied and it is the user's turn. */
  async seeTurn(): Promise<void> {
    await this.seeStatus(STATUS.turn);
  }

  /** The card of a pending approval whose text matches. */
  approval(about: string | RegExp = ''): Locator {
    return this.page.locator('.approval').filter({ hasText: about });
  }

  /** Approves the pending action. */
  async approve(about: string | RegExp): Promise<void> {
    await this.answer(about, async () => {
      await this.readToTheEnd(this.approval(about));
      await this.approval(about).getByRole('button', { name: 'Approve' }).click();
    });
  }

  /** Scrolls to the end of a card, if not all of it is in view: before that it cannot be approved. */
  async readToTheEnd(card: Locator): Promise<void> {
    if (!this.scripted) return;
    await expect(async () => {
      const rest = card.getByRole('button', { name: REST });
      if (await rest.isVisible()) await rest.click({ timeout: 1_000 });
      await expect(card.getByRole('button', { name: 'Approve' })).toBeEnabled({ timeout: 2_000 });
    }).toPass({ timeout: this.agentTimeout });
  }

  /**
   * Rejects the pending action. The reason goes into the message field, or into the field of the card if the page has no
   * other. After a rejection with a reason the agent continues.
   */
  async reject(about: string | RegExp, reason = ''): Promise<void> {
    const card = this.approval(about);
    const reject = this.rejectButton(card);
    let own = false;
    await this.answer(about, async () => {
      await this.openReason(card);
      own = (await card.getByLabel('Reason for rejecting').count()) > 0;
      const field = own ? card.getByLabel('Reason for rejecting') : this.page.getByLabel('Message', { exact: true });
      await field.fill(reason);
      // Without JavaScript the two are separate forms, and only the buttons of the card appear late enough.
      await expect(reject).toBeVisible();
      const plain = !this.scripted && !own && reason !== '';
      await (plain ? this.page.locator('.composer__send') : reject).click();
    });
    if (own && reason !== '') await this.goOnAfterNo();
  }

  /** The button that opens the field for a reason, and then rejects. */
  rejectButton(card: Locator): Locator {
    return card.getByRole('button', { name: /^Reject( with reason)?$/ });
  }

  /** Opens the field for the reason of a rejection; without JavaScript it is open. */
  async openReason(card: Locator): Promise<void> {
    if (!this.scripted) return;
    const own = card.getByLabel('Reason for rejecting');
    const field = (await own.count()) > 0 ? own : this.page.getByLabel('Message', { exact: true });
    if (await field.isVisible()) return;
    await this.rejectButton(card).click();
    await expect(field).toBeFocused();
  }

  /** Resumes the agent after a rejection with a reason, if it does not continue on its own. */
  async goOnAfterNo(): Promise<void> {
    if (CAN.goOnAfterNo) return;
    const resume = this.page.getByRole('button', { name: 'Resume', exact: true });
    await this.see(resume);
    await resume.click();
  }

  /**
   * Answers the pending approval. If it has changed since the page was loaded, reviews it again, as the page asks for.
   */
  private async answer(about: string | RegExp, act: () => Promise<void>): Promise<void> {
    for (let attempts = 0; attempts < 3; attempts += 1) {
      await this.see(this.approval(about));
      await this.submit(act);
      if (await this.page.getByText('Review it again').isVisible()) await this.reload();
      else if (!(await this.presses(about))) break;
    }
    await this.gone(this.approval(about));
  }

  /** Submits a form; without JavaScript waits for the page that responds. */
  private async submit(act: () => Promise<void>): Promise<void> {
    const loaded = this.scripted ? undefined : this.page.waitForEvent('load', { timeout: this.agentTimeout });
    await act();
    await loaded;
  }

  /** Whether the press must be repeated: a press that began while the card moved under it does not count. */
  private async presses(about: string | RegExp): Promise<boolean> {
    if (!this.scripted) return false;
    const card = this.approval(about);
    const counted = await expect(card).toHaveCount(0, { timeout: 5_000 }).then(() => true, () => false);
    return !counted && (await card.getByRole('button', { name: 'Approve' }).isEnabled({ timeout: 1_000 }).catch(() => false));
  }

  /** Sends a message to the agent. */
  async say(text: string): Promise<void> {
    const send = async () => {
      const field = this.page.getByLabel('Message', { exact: true });
      const rejects = this.scripted && !(await this.page.locator('.composer__send').isVisible());
      if (rejects) await this.openReason(this.approval());
      await field.fill(text);
      const button = rejects ? this.rejectButton(this.approval()) : this.page.locator('.composer__send');
      if (rejects) await expect(button).not.toHaveAttribute('aria-disabled', 'true');
      await this.submit(() => button.click());
    };
    await send();
    // While an approval is pending, a message counts only after a delay; without JavaScript the page says so.
    if (await this.page.getByText('you saw the action for less than a second').isVisible()) {
      await this.page.waitForTimeout(1_000);
      await send();
    }
    if (this.scripted) await expect(this.page.getByLabel('Message', { exact: true })).toHaveValue('');
  }

  /** Opens a panel of the conversation. */
  async view(name: 'Timeline' | 'Terminal' | 'Files' | 'Changes' | 'Browser' | 'Tasks' | 'Info'): Promise<Locator> {
    const link = this.page.getByRole('navigation', { name: 'Panels' }).getByRole('link', { name });
    // A phone has them in the menu of the conversation. Beside the panel of a wide window the timeline is always there.
    const menu = this.page.locator('.conversation__controls > .menu > summary');
    const close = this.page.locator('.panel__close');
    await this.page.locator('.conversation__title').waitFor();
    if (await link.isVisible()) await link.click();
    else if (name === 'Timeline' && (await close.isVisible())) await close.click();
    else {
      await menu.click();
      await link.click();
    }
    const view = this.page.locator(name === 'Timeline' ? '.timeline' : '.panel').first();
    await expect(view).toBeVisible();
    return view;
  }

  /** The rows of the timeline that contain this text. */
  row(text: string | RegExp): Locator {
    return this.page.locator('.timeline .row').filter({ hasText: text });
  }

  /** The step of the timeline with this heading. */
  step(subject: string): Locator {
    const head = this.page.locator('.step__subject').getByText(subject, { exact: true });
    return this.page.locator('.timeline details.step').filter({ has: head });
  }

  /** Waits until the agent of a long rehearsal is running: any one of its many steps is visible. */
  async seeWork(): Promise<void> {
    await this.see(this.page.locator('.timeline .step__subject').getByText(/^echo step \d+$/));
  }

  private async gone(what: Locator): Promise<void> {
    if (this.scripted) return expect(what).toHaveCount(0, { timeout: this.agentTimeout });
    await expect(async () => {
      if ((await what.count()) > 0) await this.page.reload();
      expect(await what.count()).toBe(0);
    }).toPass({ timeout: this.agentTimeout, intervals: [200, 400, 800] });
  }
}
