// The network between Handrail and the backend: it can be cut, and it can silently swallow all data.
import { once } from 'node:events';
import net from 'node:net';

export class Wire {
  private readonly sockets = new Set<net.Socket>();
  private silent = false;

  private constructor(private readonly server: net.Server) {}

  /** A connection to the server at this address. */
  static async to(address: string): Promise<Wire> {
    const { hostname, port } = new URL(address);
    const server = net.createServer();
    const wire = new Wire(server);
    server.on('connection', (near) => wire.join(near, net.connect(Number(port), hostname)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return wire;
  }

  /** The URL to connect to. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as net.AddressInfo).port}`;
  }

  /** Cuts all connections; new ones work. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Swallows all data silently: connections stay open, new ones are accepted. */
  swallow(): void {
    this.silent = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** Swallowed data is lost for good; new data gets through. */
  mend(): void {
    this.silent = false;
    this.cut();
  }

  /** Closes it. */
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
