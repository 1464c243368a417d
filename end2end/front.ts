// A reverse proxy in front of Handrail, set up as on a host with several services: nginx with TLS, and Handrail below a
// path. All tests run behind it if HANDRAIL_BEHIND names an nginx binary.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserContext } from '@playwright/test';

const NGINX = process.env.HANDRAIL_BEHIND ?? '';

/** Whether the tests run behind the proxy. */
export const BEHIND = NGINX !== '';

/** Handrail's base path, with its slashes. */
export const BASE = BEHIND ? '/a/b/' : '/';

/** Handrail's arguments for running behind the proxy. */
export const BEHIND_ARGS: readonly string[] = BEHIND ? ['--base', BASE, '--trusted-proxy', '127.0.0.1'] : [];

export class Front {
  private constructor(
    /** The URL of Handrail for browsers, without a trailing slash. */
    readonly url: string,
    private readonly process: ChildProcess,
  ) {}

  /**
   * Starts a proxy in front of the Handrail that listens at `address`, such as `127.0.0.1:4100`; its files go into
   * `folder`.
   */
  static async before(address: string, handrail: string, folder: string): Promise<Front> {
    const port = await freePort();
    mkdirSync(path.join(folder, 'front', 'tmp'), { recursive: true });
    const [home, config] = [path.join(folder, 'front'), path.join(folder, 'front', 'nginx.conf')];
    execFileSync(handrail, ['tls', 'init', '--data-dir', home, '127.0.0.1'], { stdio: 'ignore' });
    writeFileSync(config, configuration(address, port, home));
    const process = spawn(NGINX, ['-p', home, '-e', path.join(home, 'error.log'), '-c', config], { stdio: 'ignore' });
    const url = `https://127.0.0.1:${port}`;
    while (!(await listens(port))) {
      if (process.exitCode !== null) throw new Error(`nginx ended with ${process.exitCode}: see ${home}/error.log`);
      await pause(20);
    }
    return new Front(url + BASE.slice(0, -1), process);
  }

  /** Stops the proxy. */
  async remove(): Promise<void> {
    const ended = once(this.process, 'exit');
    if (this.process.exitCode !== null || !this.process.kill('SIGTERM')) return;
    await ended;
  }
}

const configuration = (address: string, port: number, home: string): string => `
daemon off;
master_process off;
pid ${home}/nginx.pid;
events {}
http {
  access_log off;
  client_max_body_size 100m;
  client_body_temp_path ${home}/tmp/body;
  proxy_temp_path ${home}/tmp/proxy;
  fastcgi_temp_path ${home}/tmp/fastcgi;
  uwsgi_temp_path ${home}/tmp/uwsgi;
  scgi_temp_path ${home}/tmp/scgi;
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${home}/tls/certificate.pem;
    ssl_certificate_key ${home}/tls/key.pem;
    location ${BASE} {
      proxy_pass http://${address};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
    }
  }
}
`;

/** An owner account, because a Handrail behind a proxy requires a login. */
export const OWNER = { name: 'ada', password: 'correct horse' };

/** Maps the tests' root-relative URLs to URLs below the proxy's path, and logs in. */
export async function below(context: BrowserContext, home: string, login: boolean): Promise<void> {
  if (!BEHIND) return;
  const moved = <T>(url: T): T | string => (typeof url === 'string' && url.startsWith('/') && !url.startsWith(BASE) ? home + url : url);
  const { request } = context;
  for (const method of ['get', 'post'] as const) {
    const ask = request[method].bind(request);
    request[method] = (url, options) => ask(moved(url), options);
  }
  context.on('page', (page) => {
    const goto = page.goto.bind(page);
    page.goto = (url, options) => goto(moved(url), options);
  });
  // A test of accounts logs in by itself.
  if (!login) await request.post('/login', { form: { ...OWNER, next: '' }, headers: { origin: new URL(home).origin } });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function listens(port: number): Promise<boolean> {
  try {
    await fetch(`http://127.0.0.1:${port}/`);
    return true;
  } catch {
    return false;
  }
}
