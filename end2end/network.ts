// A bad network in front of Handrail: connections that fall silent, responses that are lost, and the next version of
// Handrail, whose files have other names.
import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse, createServer, request } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';

/** The hash in the name of a file of the site. */
const HASH = /\b(handrail|split_aside|page)\.[0-9A-Z]{8}\./g;

export class Network {
  /** Whether nothing gets through. */
  isDown = false;
  /** Loses the responses to requests for which this holds, after Handrail has handled them. */
  loses: (path: string) => boolean = () => false;
  /** Drops the requests for which this holds, before Handrail sees them. */
  refuses: (path: string, headers: IncomingHttpHeaders) => boolean = () => false;
  /** Holds back the responses to requests for which this holds, after Handrail has handled them. */
  holds: (path: string, headers: IncomingHttpHeaders) => boolean = () => false;
  /** The responses that are held back. */
  private readonly held: (() => void)[] = [];
  /** Code that runs in the worker before its own. */
  prelude = '';
  /** Whether the next version of Handrail is behind it. */
  private isNext = false;
  private readonly sockets = new Set<Socket>();
  private readonly connections: [Socket, Socket][] = [];

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  /** Starts it in front of the Handrail at `url`. */
  static async before(url: string): Promise<Network> {
    const server = createServer();
    const network = new Network(server, new URL(url));
    server.on('connection', (socket) => network.connected(socket));
    server.on('request', (asked, answer) => network.pass(asked, answer));
    server.on('upgrade', (asked, socket: Socket, head) => network.upgrade(asked, socket, head));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return network;
  }

  /** Where browsers find Handrail, without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Cuts all connections, and accepts no new ones. */
  cut(): void {
    this.isDown = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Accepts connections again. */
  mend(): void {
    this.isDown = false;
  }

  /** The number of responses that are held back. */
  get holding(): number {
    return this.held.length;
  }

  /** Delivers the responses that were held back, and holds back no further ones. */
  release(): void {
    this.holds = () => false;
    for (const deliver of this.held.splice(0)) deliver();
  }

  /** Lets the open WebSockets fall silent, as those of a phone that slept. New connections work. */
  silence(): void {
    for (const [one, other] of this.connections.splice(0)) {
      one.unpipe(other);
      other.unpipe(one);
      one.resume();
      other.resume();
    }
  }

  /** Replaces Handrail by its next version: the files of this one are gone. */
  update(): void {
    this.isNext = true;
  }

  async remove(): Promise<void> {
    this.cut();
    this.server.close();
  }

  private connected(socket: Socket): void {
    socket.on('error', () => {});
    if (this.isDown) {
      socket.destroy();
      return;
    }
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
  }

  private pass(asked: IncomingMessage, answer: ServerResponse): void {
    const headers = { ...asked.headers };
    // Bodies are rewritten, so they must be text.
    delete headers['accept-encoding'];
    const path = asked.url ?? '/';
    if (this.refuses(path, asked.headers)) {
      asked.socket.destroy();
      return;
    }
    if (this.isNext && path.includes('/pkg/') && !path.includes('.NEXT')) {
      answer.writeHead(404).end();
      return;
    }
    const [hostname, port] = [this.target.hostname, this.target.port];
    const there = request({ hostname, port, method: asked.method, path: this.before(path), headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        if (this.isDown || this.loses(path)) {
          asked.socket.destroy();
          return;
        }
        const prelude = path.endsWith('/service-worker.js') ? Buffer.from(this.prelude) : Buffer.alloc(0);
        const body = this.after(Buffer.concat([prelude, ...parts]), response.headers['content-type'] ?? '');
        const { 'content-length': _, 'transfer-encoding': __, ...kept } = response.headers;
        const build = kept['handrail-build'];
        if (this.isNext && typeof build === 'string') kept['handrail-build'] = `next${build}`;
        const deliver = () => void answer.writeHead(response.statusCode ?? 502, kept).end(body);
        if (this.holds(path, asked.headers)) this.held.push(deliver);
        else deliver();
      });
    });
    there.on('error', () => asked.socket.destroy());
    asked.pipe(there);
  }

  /** The path on the present server of a file of the next version. */
  private before(path: string): string {
    return path.replace('.NEXT', '.');
  }

  private after(body: Buffer, kind: string): Buffer {
    if (!this.isNext || !/^(text|application\/(javascript|json))/.test(kind)) return body;
    const text = body.toString('utf8').replace(/"build":"/, '"build":"next');
    return Buffer.from(text.replace(HASH, (name) => name.replace(/\.([0-9A-Z]{8})\.$/, '.NEXT$1.')));
  }

  private upgrade(asked: IncomingMessage, socket: Socket, head: Buffer): void {
    const there = connect(Number(this.target.port), this.target.hostname);
    const lines = [`${asked.method} ${asked.url} HTTP/1.1`];
    for (let at = 0; at < asked.rawHeaders.length; at += 2) lines.push(`${asked.rawHeaders[at]}: ${asked.rawHeaders[at + 1]}`);
    there.write(`${lines.join('\r\n')}\r\n\r\n`);
    there.write(head);
    there.on('error', () => socket.destroy());
    there.on('close', () => socket.destroy());
    socket.on('close', () => there.destroy());
    socket.pipe(there);
    there.pipe(socket);
    this.connections.push([socket, there]);
  }
}
