// Buys tokens with money; in the sandbox, without.
import type { Hex } from 'viem';
import { CoreServiceError, isClosed } from '../../sdk/core/error.js';
import type { OnRampOptions, SupportedCurrencyCode } from '../../sdk/core/types.js';
import { money, readAmount, tokenAmount } from './amounts.js';
import type { OnRamp } from './ports.js';
import { balanceOf, sandboxRamp } from './sandbox.js';
import { tokenOf } from './swap.js';
import { type MoneyParts, openTrade, requireVenue, trade } from './trade.js';

const CENTS = 2;
/** The most of one purchase, cents. */
const MOST = 100_000_000n;

/** Shows the screen of purchases, until it is closed or one is made. @throws CoreServiceError NOT_SUPPORTED, INVALID_PARAMETER. */
export async function showOnRamp(parts: MoneyParts, options: OnRampOptions): Promise<void> {
  const ramp = sandboxRamp(parts, requireVenue(parts));
  const currency = currencyOf(ramp, options.displayCurrencyCode);
  const closed = (error: unknown): void => {
    if (!isClosed(error)) throw error;
  };
  await openTrade(parts, async (present, sending) => {
    const { operations, sessionConfig, texts } = parts;
    await operations.contracts();
    const tokens = await ramp.tokens();
    const byCurrency = tokens.find((token) => token.currency === currency) ?? tokens[0];
    const { targetCurrencyCode = byCurrency?.symbol ?? '' } = options;
    const to = tokenOf(tokens, targetCurrencyCode, 'targetCurrencyCode');
    const account = (await operations.account()).address as Hex;
    const { onRamp } = texts();
    const of = {
      screen: onRamp,
      options: async () => {
        const balance = tokenAmount(await balanceOf(parts, to, account), to, sessionConfig());
        return { from: [{ name: currency }], to: [{ name: to.symbol, note: texts().trade.balance(balance) }] };
      },
      offer: async ({ amount }: { amount: string }) => {
        const cents = readAmount(amount, CENTS);
        if (cents === undefined || cents > MOST) return texts().trade.amount;
        const { amountOut, calls } = ramp.calls({ currency, cents, to, account });
        if (amountOut === 0n) return texts().trade.empty;
        const config = sessionConfig();
        return {
          quote: { pays: money(cents, CENTS, currency, config), gets: tokenAmount(amountOut, to, config) },
          calls,
        };
      },
    };
    await trade(parts, present, of, { from: currency, to: to.symbol, amount: '' }, sending);
  }).catch(closed);
}

function currencyOf({ currencies }: OnRamp, code: string): SupportedCurrencyCode {
  const currency = currencies.find((one) => one === code.toUpperCase());
  if (currency) return currency;
  throw new CoreServiceError('INVALID_PARAMETER', `"displayCurrencyCode" must be one of ${currencies.join(', ')}.`);
}
