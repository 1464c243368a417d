// A push service on this machine: it decrypts what it is sent, as a browser would (RFC 8188, RFC 8291).
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';

/** A message as the browser passes it to the worker. */
export interface Message {
  notification: { title: string; body: string; tag: string; actions: { action: string }[] };
  app_badge: string;
}

/** The service, with one subscription. */
export class Push {
  /** The messages that have arrived. */
  readonly messages: Message[] = [];
  private readonly keys = createECDH('prime256v1');
  private readonly auth = randomBytes(16);

  private constructor(private readonly server: Server) {
    this.keys.generateKeys();
  }

  static async start(): Promise<Push> {
    const server = createServer();
    const push = new Push(server);
    server.on('request', async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(piece as Buffer);
      push.messages.push(JSON.parse(push.decrypt(Buffer.concat(pieces))) as Message);
      response.writeHead(201).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return push;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Makes a page subscribe here: the browser of the tests has no push service. */
  async subscribes(page: Page): Promise<void> {
    const subscription = {
      endpoint: `${this.origin}/push`,
      keys: { p256dh: this.keys.getPublicKey('base64url'), auth: this.auth.toString('base64url') },
    };
    await page.addInitScript((subscription) => {
      const made = { toJSON: () => subscription, unsubscribe: async () => true };
      PushManager.prototype.subscribe = async () => made as unknown as PushSubscription;
      Notification.requestPermission = async () => 'granted';
    }, subscription);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private decrypt(body: Buffer): string {
    const [salt, length] = [body.subarray(0, 16), body.readUInt8(20)];
    const theirs = body.subarray(21, 21 + length);
    const secret = this.keys.computeSecret(theirs);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), this.keys.getPublicKey(), theirs]);
    const material = Buffer.from(hkdfSync('sha256', secret, this.auth, info, 32));
    const derive = (name: string, bytes: number) => Buffer.from(hkdfSync('sha256', material, salt, `Content-Encoding: ${name}\0`, bytes));
    const sealed = body.subarray(21 + length);
    const cipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    cipher.setAuthTag(sealed.subarray(-16));
    const padded = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
    return padded.subarray(0, padded.lastIndexOf(2)).toString();
  }
}
