// What swaps and purchases share: a screen with a quote that is renewed, a consent to that quote, and one operation of the account.
import type { Hex } from 'viem';
import { CoreServiceError } from '../../sdk/core/error.js';
import type { Present, TradeScreen } from '../../sdk/core/screens.js';
import type { CoreSessionConfig } from '../../sdk/core/types.js';
import type { ClientConfig } from '../config.js';
import type { Call } from '../keys/calls.js';
import type { Operations } from '../keys/operations.js';
import { RPC, RpcError } from '../rpc-error.js';
import { passingFault, type Texts } from '../texts.js';
import type { SandboxParts } from './sandbox.js';

export interface MoneyParts extends SandboxParts {
  config: ClientConfig;
  operations: Operations;
  texts(): Texts;
  sessionConfig(): CoreSessionConfig;
  /** Runs a flow in the dialog, with the keys available. */
  withKeys<T>(flow: (present: Present) => Promise<T>): Promise<T>;
}

/** What the user has chosen on the screen. */
export interface Choice {
  from: string;
  to: string;
  amount: string;
}

/** What a choice would do. */
export interface Offer {
  quote: NonNullable<TradeScreen['quote']>;
  calls: readonly Call[];
}

/** What of a trade its kind knows. */
export interface Trade {
  screen: Pick<TradeScreen, 'title' | 'hint' | 'action'>;
  /** What may be chosen; balances are read again for each screen. */
  options(): Promise<Pick<TradeScreen, 'from' | 'to'>>;
  /** The offer for a choice, or one sentence about why there is none. @throws RpcError 3 where nothing would come out. */
  offer(choice: Choice): Promise<Offer | string>;
}

/** The pool at which the gateway's tokens are. @throws CoreServiceError NOT_SUPPORTED on any chain but its own. */
export function requireVenue({ config: { venue } }: MoneyParts): Hex {
  if (venue !== null) return venue as Hex;
  throw new CoreServiceError('NOT_SUPPORTED', 'There is no market for tokens on this chain.');
}

/** Runs a trade in the dialog. One that is closed after it was sent may still be mined: that is no cancellation. */
export async function openTrade<T>(
  { withKeys }: MoneyParts,
  flow: (present: Present, sending: (isSent: boolean) => void) => Promise<T>,
): Promise<T> {
  let isSent = false;
  const sending = (is: boolean): void => {
    isSent = is;
  };
  try {
    return await withKeys((present) => flow(present, sending));
  } catch (error) {
    if (isSent && error instanceof CoreServiceError && error.name !== 'NOT_LOGGED_IN') throw notMined(error);
    throw error;
  }
}

/**
 * Shows the screen until a trade is mined. @returns its transaction.
 * @throws CoreServiceError USER_CANCELLED; TIMEOUT if a trade that was sent is not mined within a minute: another one would be a second.
 */
export async function trade(
  parts: MoneyParts,
  present: Present,
  of: Trade,
  first: Choice,
  sending: (isSent: boolean) => void = () => {},
): Promise<Hex> {
  const { config, operations, texts } = parts;
  let choice = first;
  let options: Awaited<ReturnType<Trade['options']>> | undefined;
  let continues = false;
  let fault: string | undefined;
  for (;;) {
    const offer = choice.amount === '' ? undefined : await offered(parts, of, choice);
    const quote = typeof offer === 'object' ? offer.quote : undefined;
    const problem = fault ?? (typeof offer === 'string' ? offer : undefined);
    options = await of.options().catch((error: unknown) => {
      if (options) return options;
      throw error;
    });
    const answer = await present<'trade'>({
      ...{ kind: 'trade', partnerName: config.name, ...of.screen, ...options, chosen: choice, continues },
      ...(quote ? { quote } : {}),
      ...(problem === undefined ? {} : { fault: problem }),
    });
    fault = undefined;
    continues = true;
    if ('choice' in answer) {
      choice = answer.choice;
      continue;
    }
    if (typeof offer !== 'object') continue;
    const { pays, gets, atLeast } = texts().trade;
    const { title, action } = of.screen;
    const facts = [
      { name: pays, value: offer.quote.pays },
      { name: gets, value: offer.quote.gets },
      ...(offer.quote.atLeast === undefined ? [] : [{ name: atLeast, value: offer.quote.atLeast }]),
    ];
    await present<'consent'>({ kind: 'consent', partnerName: config.name, title, action, facts });
    continues = false;
    try {
      sending(true);
      return await operations.mined(await operations.send(offer.calls));
    } catch (error) {
      sending(false);
      if (error instanceof RpcError && error.code === RPC.internal) throw notMined(error);
      fault = faultOf(texts(), error, texts().trade.moved);
    }
  }
}

const notMined = (cause: Error): CoreServiceError =>
  new CoreServiceError(
    'TIMEOUT',
    'The transaction is not mined yet, but may still be; read the balances before the next one.',
    {
      cause,
    },
  );

/** The offer for a choice, or one sentence about why there is none now. A quote that cannot be renewed takes nothing from the screen. */
const offered = (parts: MoneyParts, of: Trade, choice: Choice): Promise<Offer | string> =>
  of.offer(choice).catch((error: unknown) => {
    const passing = error instanceof CoreServiceError ? passingFault(parts.texts(), error) : undefined;
    return passing ?? faultOf(parts.texts(), error, parts.texts().trade.empty);
  });

/** One sentence about what was refused. @throws what the user cannot correct by another amount. */
function faultOf({ faults }: Texts, error: unknown, reverted: string): string {
  if (!(error instanceof RpcError)) throw error;
  const { code } = error;
  if (code === RPC.reverted) return reverted;
  if (code === RPC.limit || code === RPC.unauthorized) return faults.unpaid;
  const isAway = code === RPC.disconnected || code === RPC.chainDisconnected;
  return isAway ? faults.INTERNAL_SERVER_ERROR : faults.other;
}
