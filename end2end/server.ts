// `test` with a Handrail of its own: each test gets a server on a free port with an empty data folder.
//
// The process belongs to the test alone: it is stopped by its id, and its data folder is deleted.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { test as base } from '@playwright/test';
import postgres from 'postgres';
import { BEHIND, BEHIND_ARGS, Front, OWNER } from './front.ts';

export { expect } from '@playwright/test';

const BINARY = process.env.HANDRAIL_BIN ?? path.resolve(import.meta.dirname, '../target/debug/handrail');

/** The argument for a rehearsal without a Handrail in front of it. */
export const ONLY_REHEARSAL = '--only-rehearsal';

/** How long a server may take to start or stop, in milliseconds. */
const TIMEOUT = 15_000;

/** The address of a PostgreSQL that has the journals, each in a database of its own; files otherwise. */
const DATABASES = process.env.HANDRAIL_TEST_DATABASE;

/** Runs a statement on that server. */
async function ask(statement: string): Promise<void> {
  const at = new URL(DATABASES!.replace('@/', '@localhost/'));
  const host = at.searchParams.get('host') ?? at.hostname;
  const sql = postgres({ host, user: at.username, database: at.pathname.slice(1), max: 1, onnotice: () => {} });
  await sql.unsafe(statement).finally(() => sql.end());
}

/** The name of the database that stands for a data folder. */
const nameOf = (folder: string) => path.basename(folder).toLowerCase().replaceAll(/[^a-z0-9]/g, '_') + Buffer.from(folder).toString('hex').slice(-12);

/** The variable that has a server use a database of its own. */
async function databaseOf(folder: string): Promise<Record<string, string>> {
  if (DATABASES === undefined) return {};
  await ask(`CREATE DATABASE ${nameOf(folder)} ENCODING 'UTF8' TEMPLATE template0 STRATEGY file_copy`);
  return { HANDRAIL_DATABASE: DATABASES.replace('/postgres?', `/${nameOf(folder)}?`) };
}

/** A running Handrail. */
export class Handrail {
  /** Everything the server printed, for the report of a failed test. */
  output = '';
  /** The URL for browsers, without a trailing slash. */
  url = '';
  private process?: ChildProcess;
  /** The server's own URL: a proxy in front of it survives a restart. */
  private own = '';
  private front?: Front;

  private constructor(
    /** The data folder. */
    readonly dataDir: string,
    private args: readonly string[],
    private env: Readonly<Record<string, string>>,
    /** Whether users must log in; otherwise every visitor has all rights. */
    private login: boolean,
  ) {}

  /** Starts a server with an empty data folder. */
  static async start(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}, login = false): Promise<Handrail> {
    const folder = await mkdtemp(path.join(tmpdir(), 'handrail-'));
    const handrail = new Handrail(folder, args, { ...env, ...(await databaseOf(folder)) }, login);
    await handrail.launch('127.0.0.1:0');
    if (BEHIND && !args.includes(ONLY_REHEARSAL)) {
      handrail.front = await Front.before(new URL(handrail.own).host, BINARY, handrail.dataDir);
      handrail.url = handrail.front.url;
      if (!login) await handrail.makeOwner();
    }
    return handrail;
  }

  /** Process id of the server. */
  get pid(): number {
    if (this.process?.pid === undefined) throw new Error('the server is not running');
    return this.process.pid;
  }

  /** Stops the server as an administrator would, and starts it again at the same address with the same data. */
  async restart(): Promise<void> {
    await this.stop();
    await this.launch();
  }

  /** Stops the server; its data stays. `SIGKILL` simulates a crash. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.process;
    this.process = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    const overdue = setTimeout(() => child.kill('SIGKILL'), TIMEOUT);
    await ended;
    clearTimeout(overdue);
  }

  /** Creates the first owner on the command line, while the server is running. */
  async makeOwner(): Promise<void> {
    const file = path.join(this.dataDir, 'password');
    await writeFile(file, OWNER.password);
    const args = ['user', 'add', OWNER.name, '--role', 'owner', '--data-dir', this.dataDir, '--password-file', file];
    await promisify(execFile)(BINARY, args, { env: { ...process.env, ...this.env } });
  }

  /** Stops the server and deletes its data. */
  async remove(): Promise<void> {
    await this.stop();
    await this.front?.remove();
    await rm(this.dataDir, { recursive: true, force: true });
    if (DATABASES !== undefined) await ask(`DROP DATABASE IF EXISTS ${nameOf(this.dataDir)} WITH (FORCE)`);
  }

  /** Starts the server again after `stop`, at the given address. */
  async launch(listen: string = new URL(this.own).host): Promise<void> {
    const rehearsal = this.args.includes(ONLY_REHEARSAL);
    const local = this.login || (BEHIND && !rehearsal) ? [] : ['--trust-local'];
    const behind = rehearsal ? [] : BEHIND_ARGS;
    const child = spawn(BINARY, [...local, ...behind, '--listen', listen, '--data-dir', this.dataDir, ...this.args], {
      env: { ...process.env, ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.process = child;
    this.own = await new Promise<string>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`Handrail ${why}\n${this.output}`));
      const overdue = setTimeout(() => fail(`said no address within ${TIMEOUT / 1000} s`), TIMEOUT);
      child.on('error', (error) => fail(`could not be started: ${error.message}`));
      child.on('exit', (code, signal) => fail(`ended with ${code ?? signal}`));
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream }).on('line', (line) => {
          this.output += `${line}\n`;
          // The log line may be text or JSON.
          const address = /serving on (https?:\/\/[^\s"\\]+)/.exec(line)?.[1];
          if (address === undefined) return;
          clearTimeout(overdue);
          resolve(address.replace(/\/$/, ''));
        });
      }
    }).catch(async (error) => {
      await this.stop('SIGKILL');
      throw error;
    });
    this.url = this.front?.url ?? this.own;
  }
}

interface Options {
  /** Arguments for the server besides the address and the data folder: `test.use({ serverArgs: [...] })`. */
  serverArgs: string[];
  /** Environment variables of the server, in addition to this process's. */
  serverEnv: Record<string, string>;
  /** Whether users must log in. */
  login: boolean;
}

interface Fixtures {
  /** The test's own server; `page.goto('/')` opens it. */
  handrail: Handrail;
}

export const test = base.extend<Options & Fixtures>({
  serverArgs: [[], { option: true }],
  serverEnv: [{}, { option: true }],
  login: [false, { option: true }],
  handrail: async ({ serverArgs, serverEnv, login }, use, testInfo) => {
    const handrail = await Handrail.start(serverArgs, serverEnv, login);
    await use(handrail);
    if (testInfo.status !== testInfo.expectedStatus) {
      await testInfo.attach('server.log', { body: handrail.output, contentType: 'text/plain' });
    }
    await handrail.remove();
  },
  baseURL: async ({ handrail }, use) => use(handrail.url),
});
