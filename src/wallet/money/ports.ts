// Where tokens are swapped and bought: the two ports. The sandbox's adapters are beside them; none for a real market is shipped, since none was
// tried. What an adapter for a real one must do, because the user approves what it returns:
//
// - A venue: simulate the calls on the chain, from the user's account, before the user is asked, and compare what the account would pay and get
//   with the order; take call data from no server unless each call's target, function and recipient are checked against a list that was signed;
//   allow exactly the amount of the order, in the same batch as the swap, so that nothing stays allowed; pass the minimum on to the contract.
// - A ramp: check the signature over the address that tokens are sent to, and that it is the user's account; show its fee beside the rate; open
//   the provider's page in a window of its own, with an address signed for that order alone; wait for tokens on the chain, not for a message.
// - Both: quote for seconds, not minutes, and refuse amounts and tokens that they do not know.
import type { Hex } from 'viem';
import type { SupportedCurrencyCode } from '../../sdk/core/types.js';
import type { Call } from '../keys/calls.js';

export interface Token {
  address: Hex;
  symbol: string;
  decimals: number;
  /** The currency that it stands for. */
  currency?: SupportedCurrencyCode;
}

export interface SwapOrder {
  from: Token;
  to: Token;
  /** In the smallest units. */
  amountIn: bigint;
  /** The least that is to come out. */
  minimum: bigint;
}

/** A place where tokens are swapped. */
export interface SwapVenue {
  tokens(): Promise<readonly Token[]>;
  /** What comes out for an amount now. @throws RpcError 3 where that is nothing. */
  quote(from: Token, to: Token, amountIn: bigint): Promise<bigint>;
  /** The calls of the account, which take effect together or not at all. */
  calls(order: SwapOrder): readonly Call[];
}

export interface RampOrder {
  currency: SupportedCurrencyCode;
  /** In hundredths of the currency. */
  cents: bigint;
  to: Token;
  account: Hex;
}

/** A place where tokens are bought with money. */
export interface OnRamp {
  currencies: readonly SupportedCurrencyCode[];
  tokens(): Promise<readonly Token[]>;
  /** What an order gets, and the calls of the account that get it. */
  calls(order: RampOrder): { amountOut: bigint; calls: readonly Call[] };
}
