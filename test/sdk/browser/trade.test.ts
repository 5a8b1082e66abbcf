// A swap or purchase in the wallet: what follows when its operation does not end well.
import { expect, it, vi } from 'vitest';
import { CoreServiceError } from '../../../src/sdk/core/error.js';
import type { Present } from '../../../src/sdk/core/screens.js';
import { Operations } from '../../../src/wallet/keys/operations.js';
import { type MoneyParts, type Trade, trade } from '../../../src/wallet/money/trade.js';
import { RPC, RpcError } from '../../../src/wallet/rpc-error.js';
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

it.each([
  ['the chain does not respond', new RpcError(RPC.chainDisconnected, 'The chain does not respond right now.')],
  ['the network is away', new CoreServiceError('OFFLINE', 'The gateway cannot be reached.')],
])('a trade that was sent is waited for, and not sent again, if %s meanwhile', async (_, error) => {
  const hash = `0x${'1'.repeat(64)}` as const;
  const receipt = { success: true, receipt: { transactionHash: '0x2' } };
  const call = vi.fn().mockRejectedValueOnce(error).mockResolvedValue({ result: receipt });
  const operations = new Operations({ session: { call } as never, vault: {} as never, chainId: 1 });
  expect(await traded(() => operations.mined(hash))).toEqual({ end: '0x2', sent: 1, faults: [undefined] });
});
