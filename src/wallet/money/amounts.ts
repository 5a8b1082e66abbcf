// Amounts of tokens and money: as a person types them, and as the session's locale shows them.
import { formatUnits } from 'viem/utils';
import type { CoreSessionConfig, SupportedCurrencyCode } from '../../sdk/core/types.js';
import type { Token } from './ports.js';

const SHOWN_DECIMALS = 6;

/** An amount in the smallest units; undefined for text that is none, or finer than the token. Takes a point or a comma. */
export function readAmount(text: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ''] = /^\s*(\d{1,30})(?:[.,](\d{1,30}))?\s*$/.exec(text) ?? [];
  if (whole === undefined || fraction.length > decimals) return undefined;
  const amount = BigInt(whole + fraction.padEnd(decimals, '0'));
  return amount === 0n ? undefined : amount;
}

/** An amount of a token. */
export function tokenAmount(amount: bigint, { symbol, decimals }: Token, { locale }: CoreSessionConfig): string {
  const number = new Intl.NumberFormat(locale, {
    maximumFractionDigits: SHOWN_DECIMALS,
    roundingMode: 'trunc',
  } as object);
  return `${number.format(formatUnits(amount, decimals) as `${number}`)} ${symbol}`;
}

/** An amount of money, whose smallest unit has so many decimals. */
export const money = (
  amount: bigint,
  decimals: number,
  currency: SupportedCurrencyCode,
  { locale }: CoreSessionConfig,
): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency }).format(formatUnits(amount, decimals) as `${number}`);
