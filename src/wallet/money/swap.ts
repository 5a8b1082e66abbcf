// Swaps one token for another, by a quote of the venue that is renewed while its screen is open.
import type { Hex } from 'viem';
import { CoreServiceError } from '../../sdk/core/error.js';
import type { SwapOptions } from '../../sdk/core/types.js';
import { money, readAmount, tokenAmount } from './amounts.js';
import type { SwapVenue, Token } from './ports.js';
import { balanceOf, sandboxVenue } from './sandbox.js';
import { type Choice, type MoneyParts, type Offer, openTrade, requireVenue, type Trade, trade } from './trade.js';

/** How much less than quoted may come out: 0.5 %. */
const SLIPPAGE = 5n;
const OF = 1_000n;

/** Shows the screen of swaps. @returns the mined transaction. @throws CoreServiceError NOT_SUPPORTED, INVALID_PARAMETER, USER_CANCELLED. */
export async function showSwap(parts: MoneyParts, options: SwapOptions): Promise<{ txHash: Hex }> {
  const venue = sandboxVenue(parts, requireVenue(parts));
  return openTrade(parts, async (present, sending) => {
    await parts.operations.contracts();
    const tokens = await venue.tokens();
    const account = (await parts.operations.account()).address as Hex;
    const first = await firstOf(parts, tokens, account, options);
    return { txHash: await trade(parts, present, new Swap(parts, venue, tokens, account), first, sending) };
  });
}

/** The token of a name or an address. @throws CoreServiceError INVALID_PARAMETER, which names the field. */
export function tokenOf(tokens: readonly Token[], name: string, field: string): Token {
  const wanted = name.toLowerCase();
  const token = tokens.find(({ symbol, address }) => [symbol, address].some((one) => one.toLowerCase() === wanted));
  if (token) return token;
  const known = tokens.map(({ symbol }) => symbol).join(', ');
  throw new CoreServiceError('INVALID_PARAMETER', `"${field}" must be one of ${known}, or its address.`);
}

async function firstOf(
  parts: MoneyParts,
  tokens: readonly Token[],
  account: Hex,
  { initialFromToken, fallbackFromToken, initialToToken }: SwapOptions,
): Promise<Choice> {
  const named = (name: string | undefined, field: string) =>
    name === undefined ? undefined : tokenOf(tokens, name, field);
  const initial = named(initialFromToken, 'initialFromToken') ?? tokens[0];
  const fallback = named(fallbackFromToken, 'fallbackFromToken');
  const isHeld = initial !== undefined && (await balanceOf(parts, initial, account)) > 0n;
  const from = isHeld ? initial : (fallback ?? initial);
  const wanted = named(initialToToken, 'initialToToken');
  const to = wanted === undefined || wanted === from ? tokens.find((token) => token !== from) : wanted;
  return { from: from?.symbol ?? '', to: to?.symbol ?? '', amount: '' };
}

class Swap implements Trade {
  constructor(
    private readonly parts: MoneyParts,
    private readonly venue: SwapVenue,
    private readonly tokens: readonly Token[],
    private readonly account: Hex,
  ) {}

  get screen(): Trade['screen'] {
    return this.parts.texts().swap;
  }

  async options(): ReturnType<Trade['options']> {
    const { sessionConfig, texts } = this.parts;
    const options = await Promise.all(
      this.tokens.map(async (token) => ({
        name: token.symbol,
        note: texts().trade.balance(
          tokenAmount(await balanceOf(this.parts, token, this.account), token, sessionConfig()),
        ),
      })),
    );
    return { from: options, to: options };
  }

  async offer(choice: Choice): Promise<Offer | string> {
    const { sessionConfig, texts } = this.parts;
    const from = tokenOf(this.tokens, choice.from, 'from');
    const to = tokenOf(this.tokens, choice.to, 'to');
    const amountIn = readAmount(choice.amount, from.decimals);
    if (from === to) return texts().trade.same;
    if (amountIn === undefined) return texts().trade.amount;
    if (amountIn > (await balanceOf(this.parts, from, this.account))) return texts().trade.tooMuch;
    const amountOut = await this.venue.quote(from, to, amountIn);
    const minimum = amountOut - (amountOut * SLIPPAGE) / OF;
    const config = sessionConfig();
    const priced = [
      { token: from, amount: amountIn },
      { token: to, amount: amountOut },
    ].find(({ token }) => token.currency === config.currency);
    return {
      quote: {
        pays: tokenAmount(amountIn, from, config),
        gets: tokenAmount(amountOut, to, config),
        atLeast: tokenAmount(minimum, to, config),
        ...(priced ? { value: money(priced.amount, priced.token.decimals, config.currency, config) } : {}),
      },
      calls: this.venue.calls({ from, to, amountIn, minimum }),
    };
  }
}
