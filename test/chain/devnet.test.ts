// The devnet: one for all processes of a folder, started by whoever needs it, and again when it was killed.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Devnet, DevnetLate } from '../../src/chain/devnet.js';
import { CREATE2_PROXY } from '../../src/evm/contracts.js';
import type { Rpc } from '../../src/evm/rpc.js';
import { guardedFetch } from '../../src/http/outbound/guarded-fetch.js';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';

describe.skipIf(ANVIL === undefined || process.platform === 'win32')('The devnet', () => {
  let folder: string;
  let devnets: Devnet[];
  const notices: string[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'devnet-'));
    devnets = [];
  });
  afterEach(async () => {
    await Promise.all(devnets.map((devnet) => devnet.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  /** One process of the folder. */
  const process_ = (): Devnet => {
    const fetch = guardedFetch({ allowLoopback: true });
    const onNotice = (sentence: string) => notices.push(sentence);
    const devnet = new Devnet({
      program: ANVIL ?? '',
      folder: join(folder, 'chain'),
      chainId: 31_337,
      fetch,
      onNotice,
    });
    devnets.push(devnet);
    return devnet;
  };
  const genesisOf = async (rpc: Rpc) => ((await rpc('eth_getBlockByNumber', ['0x0', false])) as { hash: string }).hash;
  const mine = async (rpc: Rpc, blocks: number) => rpc('anvil_mine', [`0x${blocks.toString(16)}`]);
  const stateFile = () => join(folder, 'chain', 'state.json');
  /** The anvils of this folder, without their keepers. */
  const anvils = (): number[] =>
    execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
      .split('\n')
      .flatMap((line) => {
        const [, pid, args] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
        return args?.startsWith(ANVIL ?? '') && args.includes(folder) ? [Number(pid)] : [];
      });
  const signal = (name: NodeJS.Signals) => {
    for (const pid of anvils()) process.kill(pid, name);
  };
  /** The threads of a process stop one after the other. */
  const isStopped = (pid: number): boolean =>
    execFileSync('ps', ['-L', '-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .every((state) => state.startsWith('T'));

  it('two processes that need the devnet at the same time share one', async () => {
    const [one, other] = await Promise.all([process_().rpc(), process_().rpc()]);
    await mine(one, 3);
    expect(await other('eth_blockNumber')).toBe('0x3');
    expect(await genesisOf(one)).toBe(await genesisOf(other));
    expect(await one('eth_accounts')).toEqual([]);
  });

  it('the devnet continues with its state after its process has ended in order', async () => {
    const first = process_();
    await mine(await first.rpc(), 5);
    await first.stop();
    expect(await (await process_().rpc())('eth_blockNumber')).toBe('0x5');
  });

  it('a killed devnet is started again by another process', async () => {
    const owner = process_();
    const genesis = await genesisOf(await owner.rpc());
    expect(genesis).toMatch(/^0x/);
    signal('SIGKILL');
    const other = process_();
    await until(async () => (await other.running()) === undefined);
    expect(await (await other.rpc())('eth_chainId')).toBe('0x7a69');
    expect(await genesisOf(await owner.rpc())).toBe(await genesisOf(await other.rpc()));
  });

  it('no second devnet is started while the first one is too busy to respond', async () => {
    const owner = process_();
    await mine(await owner.rpc(), 2);
    const other = process_();
    signal('SIGSTOP');
    try {
      await until(() => anvils().every(isStopped));
      await expect(other.running()).rejects.toBeInstanceOf(DevnetLate);
      await expect(other.rpc()).rejects.toThrow(/^The devnet at port \d+ does not respond\.$/);
      await expect(other.reset()).rejects.toThrow('does not respond');
      expect(anvils()).toHaveLength(1);
    } finally {
      signal('SIGCONT');
    }
    expect(await (await other.rpc())('eth_blockNumber')).toBe('0x2');
  });

  it('the devnet starts with an empty state if its state cannot be loaded, and renames that one', async () => {
    const first = process_();
    await first.rpc();
    await first.stop();
    writeFileSync(stateFile(), 'no state');
    const next = process_();
    await until(async () => (await next.rpc().catch(() => undefined)) !== undefined);
    expect(readFileSync(`${stateFile()}.broken`, 'utf8')).toBe('no state');
    expect(notices.at(-1)).toContain('begins anew');
  });

  it('a reset empties the devnet, running or not', async () => {
    const devnet = process_();
    const rpc = await devnet.rpc();
    const code = await rpc('eth_getCode', [CREATE2_PROXY, 'latest']);
    expect(code).not.toBe('0x');
    await mine(rpc, 2);
    await devnet.reset();
    expect(await (await process_().rpc())('eth_blockNumber')).toBe('0x0');
    expect(await rpc('eth_getCode', [CREATE2_PROXY, 'latest'])).toBe(code);
    await devnet.stop();
    await devnet.reset();
    expect(existsSync(stateFile())).toBe(false);
  });
});
