// What a call or a typed message does with tokens: ERC-20 (transfers, allowances), ERC-721's allowance of a collection, EIP-2612, DAI's permit and Permit2.
// Loaded when the first of them is shown. Anybody can make a contract with these functions: what it says of itself is shown as that, beside its address.
import type { Hex } from 'viem';
import { decodeAbiParameters, decodeFunctionResult, formatUnits } from 'viem/utils';
import type { ConsentScreen } from '../../sdk/core/screens.js';
import { tokenTextsOf } from '../texts-tokens.js';
import type { Call } from './calls.js';

type Facts = ConsentScreen['facts'];

export interface TokenParts {
  /** Language tag of the session. */
  locale(): string;
  /** Reads a contract. */
  read(to: Hex, data: Hex): Promise<Hex>;
}

/** From here on an amount is everything: the largest number of 160 bits (Permit2) and of 256 bits mean no limit. */
const ALL = 2n ** 160n - 1n;
/** Moments from here on are never, in seconds: the end of a date's range in JavaScript. */
const NEVER = 8_640_000_000_000n;
const MAX_DECIMALS = 77;
const MAX_SYMBOL = 20;

interface Token {
  address: Hex;
  symbol: string | undefined;
  decimals: number | undefined;
}

const text = [
  { type: 'function', name: 'f', stateMutability: 'view', inputs: [], outputs: [{ type: 'string' }] },
] as const;
const number = [
  { type: 'function', name: 'f', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint8' }] },
] as const;
const SYMBOL: Hex = '0x95d89b41';
const DECIMALS: Hex = '0x313ce567';

async function tokenAt({ read }: TokenParts, address: Hex): Promise<Token> {
  const [symbol, decimals] = await Promise.all([
    read(address, SYMBOL)
      .then((data) => decodeFunctionResult({ abi: text, data }))
      .catch(() => undefined),
    read(address, DECIMALS)
      .then((data) => decodeFunctionResult({ abi: number, data }))
      .catch(() => undefined),
  ]);
  const isSymbol = symbol !== undefined && symbol !== '' && symbol.length <= MAX_SYMBOL;
  const isDecimals = decimals !== undefined && decimals <= MAX_DECIMALS;
  return { address, symbol: isSymbol ? symbol : undefined, decimals: isDecimals ? decimals : undefined };
}

const named = ({ symbol, address }: Token): string => symbol ?? address;

function amountOf({ locale }: TokenParts, amount: bigint, token: Token): string {
  const { amount: inUnits, units, all } = tokenTextsOf(locale());
  if (amount >= ALL) return all(named(token));
  if (token.decimals === undefined) return units(String(amount), token.address);
  const format = new Intl.NumberFormat(locale(), { maximumFractionDigits: Math.min(token.decimals, 100) });
  return inUnits(format.format(formatUnits(amount, token.decimals) as `${number}`), named(token));
}

const tokenFact = ({ locale }: TokenParts, { address, symbol }: Token) => {
  const { token, says } = tokenTextsOf(locale());
  return { name: token, value: symbol === undefined ? address : says(address, symbol) };
};

/** The functions that are known, by selector, with the types of their arguments. */
const FUNCTIONS: Readonly<Record<string, readonly [name: string, types: readonly string[]]>> = {
  '0xa9059cbb': ['transfer', ['address', 'uint256']],
  '0x23b872dd': ['transferFrom', ['address', 'address', 'uint256']],
  '0x095ea7b3': ['approve', ['address', 'uint256']],
  '0x39509351': ['increaseAllowance', ['address', 'uint256']],
  '0xa22cb465': ['setApprovalForAll', ['address', 'bool']],
};
const SELECTOR = 10;
const WORD = 64;

/** What a call does, if it is a known function with nothing but its arguments; else undefined: then its data are shown. */
export async function callFacts(parts: TokenParts, { to, data }: Call): Promise<Facts | undefined> {
  const [name = '', types = []] = FUNCTIONS[data.slice(0, SELECTOR).toLowerCase()] ?? [];
  if (name === '' || data.length !== SELECTOR + types.length * WORD) return undefined;
  let args: readonly unknown[];
  try {
    args = decodeAbiParameters(
      types.map((type) => ({ type })),
      `0x${data.slice(SELECTOR)}`,
    );
  } catch {
    return undefined;
  }
  const token = await tokenAt(parts, to);
  const texts = tokenTextsOf(parts.locale());
  const [first, second, third] = args as [Hex, bigint | boolean | Hex, bigint | undefined];
  const fact = (does: string, ...more: Facts): Facts => [
    { name: texts.does, value: does },
    ...more,
    tokenFact(parts, token),
  ];
  switch (name) {
    case 'transfer':
      return fact(texts.sends(amountOf(parts, second as bigint, token)), { name: texts.to, value: first });
    case 'transferFrom': {
      const taken = texts.takes(amountOf(parts, third ?? 0n, token));
      return fact(taken, { name: texts.from, value: first }, { name: texts.to, value: second as Hex });
    }
    case 'approve':
      return fact(second === 0n ? texts.revokes(first) : texts.allows(first, amountOf(parts, second as bigint, token)));
    case 'increaseAllowance':
      return fact(texts.more(first, amountOf(parts, second as bigint, token)));
    default:
      return fact(second === true ? texts.allItems(first) : texts.revokes(first));
  }
}

interface Typed {
  primaryType: string;
  domain: Record<string, unknown>;
  message: Record<string, unknown>;
}

/** What a typed message allows, if it is a permit; else undefined. @param typed has only what is signed */
export async function permitFacts(parts: TokenParts, typed: Typed): Promise<Facts | undefined> {
  try {
    const { primaryType } = typed;
    if (primaryType === 'Permit') return await permit(parts, typed);
    if (/^Permit(Single|Batch)$/.test(primaryType)) return await allowances(parts, typed);
    if (/^Permit(Batch)?(Witness)?TransferFrom$/.test(primaryType)) return await takings(parts, typed);
  } catch {
    // It has the name of one, and is none.
  }
  return undefined;
}

/** EIP-2612, and DAI's, which allows everything or nothing. */
async function permit(parts: TokenParts, { domain, message }: Typed): Promise<Facts> {
  const texts = tokenTextsOf(parts.locale());
  const token = await tokenAt(parts, addressOf(domain.verifyingContract));
  const spender = addressOf(message.spender);
  const isAll = 'allowed' in message;
  const amount = isAll ? (message.allowed === true ? ALL : 0n) : BigInt(message.value as string);
  const does = amount === 0n ? texts.revokes(spender) : texts.allows(spender, amountOf(parts, amount, token));
  const until = momentOf(parts, BigInt((isAll ? message.expiry : message.deadline) as string), isAll);
  return [{ name: texts.does, value: does }, { name: texts.until, value: until }, tokenFact(parts, token)];
}

/** Permit2's allowances, each with an end. */
async function allowances(parts: TokenParts, { message }: Typed): Promise<Facts> {
  const texts = tokenTextsOf(parts.locale());
  const spender = addressOf(message.spender);
  const details = [message.details].flat() as Record<string, unknown>[];
  const facts = await Promise.all(
    details.map(async ({ token: address, amount, expiration }) => {
      const token = await tokenAt(parts, addressOf(address));
      const shown = amountOf(parts, BigInt(amount as string), token);
      const until = momentOf(parts, BigInt(expiration as string), false);
      const does = until === texts.always ? texts.allows(spender, shown) : texts.allowsUntil(spender, shown, until);
      return [{ name: texts.does, value: does }, tokenFact(parts, token)];
    }),
  );
  return [...facts.flat(), { name: texts.until, value: momentOf(parts, BigInt(message.sigDeadline as string), false) }];
}

/** Permit2's transfers, each once. */
async function takings(parts: TokenParts, { message }: Typed): Promise<Facts> {
  const texts = tokenTextsOf(parts.locale());
  const spender = addressOf(message.spender);
  const permitted = [message.permitted].flat() as Record<string, unknown>[];
  const facts = await Promise.all(
    permitted.map(async ({ token: address, amount }) => {
      const token = await tokenAt(parts, addressOf(address));
      const does = texts.allowsOnce(spender, amountOf(parts, BigInt(amount as string), token));
      return [{ name: texts.does, value: does }, tokenFact(parts, token)];
    }),
  );
  return [...facts.flat(), { name: texts.until, value: momentOf(parts, BigInt(message.deadline as string), false) }];
}

function addressOf(value: unknown): Hex {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{40}$/i.test(value)) throw new Error('no address');
  return value as Hex;
}

/** A moment in seconds. @param isZeroNever whether zero means that there is no end */
function momentOf({ locale }: TokenParts, seconds: bigint, isZeroNever: boolean): string {
  if (seconds >= NEVER || (isZeroNever && seconds === 0n)) return tokenTextsOf(locale()).always;
  const style = { dateStyle: 'long', timeStyle: 'short' } as const;
  return new Intl.DateTimeFormat(locale(), style).format(Number(seconds) * 1_000);
}
