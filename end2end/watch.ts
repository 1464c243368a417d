// Forbidden events of pages, watched in every test: requests to third parties, console errors, script errors.
import type { BrowserContext } from '@playwright/test';

/** Collects the violations of all pages of a test. */
export class Watch {
  private readonly faults: string[] = [];
  private readonly allowed: RegExp[] = [
    /Service Worker registration blocked by Playwright/,
    // Said of a file that is not used within some seconds: on a busy machine, or because its script is disabled.
    /preloaded .* but not used/,
  ];

  constructor(private readonly home: () => string) {}

  /** Expects these messages in this test: the browser reports every refused request as an error. */
  allow(...complaints: RegExp[]): void {
    this.allowed.push(...complaints);
  }

  /** Watches all pages of a context. */
  over(context: BrowserContext): void {
    context.on('request', (request) => this.address(request.url()));
    context.on('console', (message) => {
      // CSP violations and hydration failures are such messages, too.
      if (['error', 'warning'].includes(message.type())) this.fault(`console ${message.type()}: ${message.text()} (${message.location().url})`);
    });
    context.on('weberror', (error) => this.fault(`failed script: ${error.error().stack || error.error().message}`));
    context.on('page', (page) => page.on('websocket', (socket) => this.address(socket.url())));
  }

  /** The violations that were not allowed. */
  get report(): string[] {
    return this.faults.filter((fault) => !this.allowed.some((complaint) => complaint.test(fault)));
  }

  private address(url: string): void {
    if (/^(data|blob|about):/.test(url)) return;
    if (new URL(url).host !== new URL(this.home()).host) this.fault(`third party: ${url}`);
  }

  private fault(text: string): void {
    this.faults.push(text);
  }
}
