// The network between Handrail and the backend: it can be cut, and it can swallow everything without a word.
import { once } from 'node:events';
import net from 'node:net';

export class Wire {
  private readonly sockets = new Set<net.Socket>();
  private silent = false;

  private constructor(private readonly server: net.Server) {}

  /** A line to the server at this address. */
  static async to(address: string): Promise<Wire> {
    const { hostname, port } = new URL(address);
    const server = net.createServer();
    const wire = new Wire(server);
    server.on('connection', (near) => wire.join(near, net.connect(Number(port), hostname)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return wire;
  }

  /** Where the line begins. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as net.AddressInfo).port}`;
  }

  /** Ends all connections; the next ones work. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Nothing gets through any more, and nobody is told: connections stay open, new ones are accepted. */
  swallow(): void {
    this.silent = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** What was swallowed is lost for good; everything new gets through. */
  mend(): void {
    this.silent = false;
    this.cut();
  }

  /** Ends it. */
  async remove(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(near: net.Socket, far: net.Socket): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      this.sockets.add(from);
      from.on('data', (data) => void to.write(data));
      from.on('error', () => from.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      if (this.silent) from.pause();
    }
  }
}
