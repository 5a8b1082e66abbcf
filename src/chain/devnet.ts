// The devnet: an anvil on this machine, one for all processes of a data folder. The first process that needs it starts it, and stops it when it
// ends. Its state and port are in DATA_DIR/chain. The port is the lock: if two processes start at the same time, only one can bind it.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { ensureDataDir } from '../base/data-dir.js';
import { CREATE2_PROXY, CREATE2_PROXY_CODE } from '../evm/contracts.js';
import { ask, ChainUnreachable, type Hex, NODE, type Rpc, rpcOver } from '../evm/rpc.js';
import type { GuardedFetch } from '../http/outbound/guarded-fetch.js';
import { GuardedFetchError } from '../http/outbound/guarded-fetch-error.js';

export interface DevnetOptions {
  /** anvil's path. */
  program: string;
  /** DATA_DIR/chain. */
  folder: string;
  chainId: number;
  fetch: GuardedFetch;
  onNotice(sentence: string): void;
}

const FILE = 'devnet.json';
const STATE = 'state.json';
const LOCK = 'starting';
const STATE_INTERVAL_S = 10;
/** How many blocks anvil keeps; confirmed jobs are watched for fewer blocks. */
const BLOCKS = 1_024;
const START_MS = 10_000;
const PROBE_MS = 20;
/** The balance of the relayer, wei: more than it can spend. */
const PLENTY = '0xd3c21bcecceda1000000';

/** A shell that stops anvil with SIGTERM, so that it writes its state, when this process closes the pipe or ends. */
const SUPERVISOR = '"$@" & exec 1>&-; read -r _; kill -TERM $!; wait $!';

const fileBody = z.object({ port: z.int().min(1).max(65_535), genesis: z.string() });
type FileBody = z.output<typeof fileBody>;

/** The devnet does not respond in time. */
export class DevnetLate extends ChainUnreachable {}

/** The devnet of a data folder. */
export class Devnet {
  #child: ChildProcess | undefined;

  constructor(private readonly options: DevnetOptions) {}

  /** The RPC of the folder's devnet, which is started unless it runs. @throws ChainUnreachable, DevnetLate. */
  async rpc(): Promise<Rpc> {
    return (await this.#responding()) ?? this.#start();
  }

  /** The RPC of the folder's devnet; undefined if none runs. @throws DevnetLate. */
  async running(): Promise<Rpc | undefined> {
    return this.#responding();
  }

  /** Stops the devnet if this process has started it. */
  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.stdin?.end();
    await ended;
  }

  /** Deletes the devnet's blocks, contracts and accounts, whether it runs or not. @throws DevnetLate. */
  async reset(): Promise<void> {
    const rpc = await this.#responding();
    if (rpc === undefined) return rmSync(join(this.options.folder, STATE), { force: true });
    await rpc('anvil_reset');
    await putProxy(rpc);
    const { port } = this.#file() as FileBody;
    this.#write({ port, genesis: await genesisOf(rpc) });
  }

  /**
   * The RPC of the folder's devnet; undefined if none runs, or another program uses its port: only ours has our first block. A node that is
   * late may be ours, so no second anvil is started, which would write the same state. @throws DevnetLate.
   */
  async #responding(): Promise<Rpc | undefined> {
    const file = this.#file();
    if (file === undefined) return undefined;
    const rpc = this.#rpcAt(file.port);
    const genesis = await genesisOf(rpc).catch((error: unknown) => {
      if (isLate(error)) throw new DevnetLate(`The devnet at port ${file.port} does not respond.`, { cause: error });
      return undefined;
    });
    return genesis === file.genesis ? rpc : undefined;
  }

  async #start(): Promise<Rpc> {
    ensureDataDir(this.options.folder);
    const until = performance.now() + START_MS;
    while (!this.#lock()) {
      await pause();
      // A devnet that starts may be too busy to respond.
      const rpc = await this.#responding().catch(() => undefined);
      if (rpc !== undefined) return rpc;
      if (performance.now() > until)
        throw new ChainUnreachable('The devnet does not start: another process is starting it.');
    }
    try {
      return (await this.#responding()) ?? (await this.#spawned(until));
    } finally {
      rmSync(join(this.options.folder, LOCK), { force: true });
    }
  }

  async #spawned(until: number): Promise<Rpc> {
    await this.stop();
    const port = await freePort(this.#file()?.port);
    const child = this.#spawn(port);
    const rpc = this.#rpcAt(port);
    for (let isOver = false; !isOver; ) {
      // Checked once more after the deadline, because this process itself may have been too busy.
      isOver = performance.now() >= until;
      const genesis = await genesisOf(rpc).catch(() => undefined);
      if (genesis !== undefined) {
        this.#write({ port, genesis });
        return rpc;
      }
      if (child.exitCode !== null || child.stdout?.readableEnded) {
        this.#setAside();
        break;
      }
      await pause();
    }
    await this.stop();
    throw new ChainUnreachable('The devnet does not start.');
  }

  #spawn(port: number): ChildProcess {
    const { program, folder, chainId } = this.options;
    const options = {
      '--host': '127.0.0.1',
      '--port': port,
      '--chain-id': chainId,
      '--accounts': 0,
      '--state': join(folder, STATE),
      '--state-interval': STATE_INTERVAL_S,
      '--transaction-block-keeper': BLOCKS,
      '--prune-history': BLOCKS,
    };
    const args = [...Object.entries(options).flat().map(String), '--silent'];
    const [command, commandArgs] =
      process.platform === 'win32' ? [program, args] : ['sh', ['-c', SUPERVISOR, 'devnet', program, ...args]];
    const child = spawn(command, commandArgs, { stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdout?.resume();
    child.on('error', () => {});
    child.stdin?.on('error', () => {});
    this.#child = child;
    return child;
  }

  /** Renames a state that cannot be loaded; all jobs are then sent again, to a new chain. */
  #setAside(): void {
    const state = join(this.options.folder, STATE);
    try {
      renameSync(state, `${state}.broken`);
      this.options.onNotice(
        `The devnet's state cannot be loaded: it is in ${STATE}.broken, and the chain begins anew.`,
      );
    } catch {
      // There was no state: something else prevented the start.
    }
  }

  /** One process at a time starts a devnet. A lock whose process died expires soon. */
  #lock(): boolean {
    const lock = join(this.options.folder, LOCK);
    try {
      writeFileSync(lock, '', { flag: 'wx' });
      return true;
    } catch {
      if (Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0) > 2 * START_MS)
        rmSync(lock, { force: true });
      return false;
    }
  }

  #rpcAt(port: number): Rpc {
    return rpcOver(this.options.fetch, `http://127.0.0.1:${port}`);
  }

  #file(): FileBody | undefined {
    try {
      return fileBody.parse(JSON.parse(readFileSync(join(this.options.folder, FILE), 'utf8')));
    } catch {
      return undefined;
    }
  }

  #write(body: FileBody): void {
    const target = join(this.options.folder, FILE);
    writeFileSync(`${target}.draft`, JSON.stringify(body), { mode: 0o600 });
    renameSync(`${target}.draft`, target);
  }
}

/** Prepares a devnet for transactions: sets the relayer's balance and deploys the proxy. */
export async function prepareDevnet(rpc: Rpc, relayer: Hex): Promise<void> {
  await rpc('anvil_setBalance', [relayer, PLENTY]);
  await putProxy(rpc);
}

/** Deploys the proxy, which a new anvil has, but not after `anvil_reset`. */
async function putProxy(rpc: Rpc): Promise<void> {
  await rpc('anvil_setCode', [CREATE2_PROXY, CREATE2_PROXY_CODE]);
}

async function genesisOf(rpc: Rpc): Promise<Hex> {
  const block = await ask(rpc, NODE.block, 'eth_getBlockByNumber', ['0x0', false]);
  if (block === null) throw new ChainUnreachable('The devnet has no first block.');
  return block.hash;
}

const isLate = (error: unknown): boolean =>
  error instanceof ChainUnreachable && error.cause instanceof GuardedFetchError && error.cause.reason === 'timeout';

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, PROBE_MS));

/** The previous port if it is free, so that other programs find the devnet again; otherwise another one. */
async function freePort(before = 0): Promise<number> {
  return (await boundPort(before)) ?? (await boundPort(0)) ?? 0;
}

function boundPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    // Exclusive to this process: in a cluster, the primary would otherwise bind the port and report it as the gateway's.
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}
