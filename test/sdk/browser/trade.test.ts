// A swap or purchase in the wallet: what follows when its operation does not end well.
import { expect, it, vi } from 'vitest';
import { CoreServiceError } from '../../../src/sdk/core/error.js';
import type { Present } from '../../../src/sdk/core/screens.js';
import { Operations } from '../../../src/wallet/keys/operations.js';
import { type MoneyParts, type Trade, trade } from '../../../src/wallet/money/trade.js';
import { RPC, RpcError } from '../../../src/wallet/rpc-error.js';
import { Store } from '../../../src/wallet/store.js';
import { textsOf } from '../../../src/wallet/texts.js';

const choice = { from: 'A', to: 'B', amount: '1' };
const of: Trade = {
  screen: { title: 'Swap', hint: '', action: 'Swap' },
  options: async () => ({ from: [], to: [] }),
  offer: async () => ({ quote: { pays: '1 A', gets: '2 B' }, calls: [] }),
};

/** A user who agrees to every trade, and closes the dialog at its third screen. @returns how it ended, and the operations that were sent. */
async function traded(
  mined: () => Promise<`0x${string}`>,
): Promise<{ end: unknown; sent: number; faults: (string | undefined)[] }> {
  let sent = 0;
  const faults: (string | undefined)[] = [];
  const operations = { send: async () => `0x${++sent}`, mined };
  const parts = { config: { name: 'Shop' }, operations, texts: () => textsOf('en') } as unknown as MoneyParts;
  const present = (async (screen: { kind: string; fault?: string }) => {
    if (screen.kind === 'consent') return {};
    faults.push(screen.fault);
    if (faults.length === 3) throw new Error('closed');
    return { trade: true };
  }) as unknown as Present;
  const end = await trade(parts, present, of, choice).catch((thrown: unknown) => thrown);
  return { end, sent, faults };
}

const failing = (error: Error) => (): Promise<never> => Promise.reject(error);

it('a trade that is not mined yet ends the dialog, because another one would be a second', async () => {
  const { end, sent } = await traded(failing(new RpcError(RPC.internal, 'The transaction is not mined yet.')));
  expect(end).toMatchObject({ name: 'TIMEOUT', message: expect.stringContaining('not mined yet') });
  expect(sent).toBe(1);
});

it('a trade whose call failed may be tried again', async () => {
  const { end, sent, faults } = await traded(
    failing(new RpcError(RPC.reverted, 'The call of the transaction failed.')),
  );
  expect(end).toMatchObject({ message: 'closed' });
  expect(sent).toBe(2);
  expect(faults).toEqual([undefined, textsOf('en').trade.moved, textsOf('en').trade.moved]);
});

/** A store where the browser denies storage. */
const inMemory = (): Store =>
  new Store('partner', () => {
    throw new Error('denied');
  });

it.each([
  ['the chain does not respond', new RpcError(RPC.chainDisconnected, 'The chain does not respond right now.')],
  ['the network is away', new CoreServiceError('OFFLINE', 'The gateway cannot be reached.')],
])('a trade that was sent is waited for, and not sent again, if %s meanwhile', async (_, error) => {
  const hash = `0x${'1'.repeat(64)}` as const;
  const receipt = { success: true, receipt: { transactionHash: '0x2' } };
  const call = vi.fn().mockRejectedValueOnce(error).mockResolvedValue({ result: receipt });
  const operations = new Operations({ session: { call } as never, store: inMemory(), vault: {} as never, chainId: 1 });
  expect(await traded(() => operations.mined(hash))).toEqual({ end: '0x2', sent: 1, faults: [undefined] });
});

/** Sends one operation to a gateway whose first responses to it are these. @returns its hash, and what was sent. */
async function sentWith(...responses: (Error | object)[]): Promise<{ hash: string; sent: unknown[]; signed: string }> {
  const address = `0x${'a'.repeat(40)}`;
  const sent: unknown[] = [];
  const byMethod: Record<string, () => unknown> = {
    eth_call: () => ({ result: `0x${'0'.repeat(64)}` }),
    eth_estimateUserOperationGas: () => ({
      result: { callGasLimit: '0x1', verificationGasLimit: '0x1', preVerificationGas: '0x0' },
    }),
    eth_getUserOperationByHash: () => ({ result: {} }),
  };
  const call = async (path: string, { body }: { body?: { method: string; params: unknown[] } } = {}) => {
    if (path === '/v1/chain') return { contracts: { accountFactory: address, entryPoint: address } };
    if (body === undefined) return { address, owner: address, deployed: true };
    if (body.method !== 'eth_sendUserOperation') return byMethod[body.method]?.();
    sent.push(body.params[0]);
    const response = responses[sent.length - 1];
    if (response instanceof Error) throw response;
    return response;
  };
  let signed = '';
  const vault = {
    sign: async (_: string, hash: string) => {
      signed = hash;
      return '0x00';
    },
  };
  const session = { call, requireLogin: () => ({ id: 'ada', abstractAccountAddress: address }) };
  const operations = new Operations({
    session: session as never,
    store: inMemory(),
    vault: vault as never,
    chainId: 1,
  });
  return { hash: await operations.send([]), sent, signed };
}

const lost = new CoreServiceError('TIMEOUT', 'The gateway took too long; try again.');

it('an operation whose response is lost is sent again, the same one', async () => {
  const { hash, sent } = await sentWith(lost, { result: '0x5' });
  expect(hash).toBe('0x5');
  expect(sent).toHaveLength(2);
  expect(sent[1]).toEqual(sent[0]);
});

it('an operation that is known after a lost response is waited for, whatever the next one says', async () => {
  const { hash, sent, signed } = await sentWith(lost, { error: { code: -32_500, message: 'the nonce was used' } });
  expect([hash, sent.length]).toEqual([signed, 2]);
});

it('an operation whose response is lost counts as sent, if the gateway does not serve its repeats', async () => {
  const busy = new CoreServiceError('RATE_LIMITED', 'There were too many requests.');
  const { hash, sent, signed } = await sentWith(lost, busy, busy);
  expect([hash, sent.length]).toEqual([signed, 3]);
});

it('an operation that is refused is not sent again', async () => {
  const refused = sentWith({ error: { code: -32_500, message: 'no gas is left' } });
  await expect(refused).rejects.toMatchObject({ code: -32_500 });
});
