// The sandbox's venue, with its quotes, and ramp: a pool of two tokens on the devnet (contracts/SandboxPool.sol). The tokens have no value, and anybody can mint them.
import type { Hex } from 'viem';
import type { SupportedCurrencyCode } from '../../sdk/core/types.js';
import { callChain } from '../rpc.js';
import type { Session } from '../session.js';
import type { OnRamp, SwapVenue, Token } from './ports.js';

export interface SandboxParts {
  session: Session;
  /** The call data of a function, by its name and the types of its arguments. */
  encode(name: string, types?: readonly string[], args?: readonly unknown[]): Hex;
}

/** A call of one of the sandbox's contracts. */
const call = (to: Hex, data: Hex) => ({ to, value: 0n, data });

async function read(session: Session, to: Hex, data: Hex): Promise<bigint> {
  return BigInt(await callChain<Hex>(session, 'eth_call', [{ to, data }, 'latest']));
}

/** How much of a token an account has. */
export const balanceOf = ({ session, encode }: SandboxParts, { address }: Token, account: Hex): Promise<bigint> =>
  read(session, address, encode('balanceOf', ['address'], [account]));

/** The tokens of the pool: their symbols and decimals are those of its constructor. */
async function tokensOf({ session, encode }: SandboxParts, pool: Hex): Promise<readonly [Token, Token]> {
  const at = async (name: 'dollars' | 'euros'): Promise<Hex> => {
    const word = await read(session, pool, encode(name));
    return `0x${word.toString(16).padStart(40, '0')}`;
  };
  const [dollars, euros] = await Promise.all([at('dollars'), at('euros')]);
  return [
    { address: dollars, symbol: 'TUSD', decimals: 6, currency: 'USD' },
    { address: euros, symbol: 'TEUR', decimals: 18, currency: 'EUR' },
  ];
}

/** The pool as a venue. */
export function sandboxVenue(parts: SandboxParts, pool: Hex): SwapVenue {
  const { session, encode } = parts;
  return {
    tokens: () => tokensOf(parts, pool),
    quote: ({ address }, _to, amountIn) =>
      read(session, pool, encode('quote', ['address', 'uint256'], [address, amountIn])),
    calls: ({ from: { address }, amountIn, minimum }) => [
      call(address, encode('approve', ['address', 'uint256'], [pool, amountIn])),
      call(pool, encode('swap', ['address', 'uint256', 'uint256'], [address, amountIn, minimum])),
    ],
  };
}

/** Dollars for a hundred units of a currency. Nothing is paid, so any rates will do. */
const RATES: Readonly<Record<SupportedCurrencyCode, bigint>> = {
  USD: 10_000n,
  EUR: 10_800n,
  CNY: 1_400n,
  KRW: 7n,
  TRY: 240n,
};
const CENTS = 100n;

/** The open `mint` of the tokens as a ramp. */
export function sandboxRamp(parts: SandboxParts, pool: Hex): OnRamp {
  const { encode } = parts;
  return {
    currencies: Object.keys(RATES) as SupportedCurrencyCode[],
    tokens: () => tokensOf(parts, pool),
    calls({ currency, cents, to: { address, decimals, currency: ofToken = 'USD' }, account }) {
      const amountOut = (cents * RATES[currency] * 10n ** BigInt(decimals)) / (RATES[ofToken] * CENTS);
      return {
        amountOut,
        calls: [call(address, encode('mint', ['address', 'uint256'], [account, amountOut]))],
      };
    },
  };
}
