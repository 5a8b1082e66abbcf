// What a wallet written from the specifications says of a message that they forbid.

/** A message is not as a specification says. The message says which rule it breaks. */
export class SpecFault extends Error {
  constructor(rule: string) {
    super(rule);
    this.name = 'SpecFault';
  }
}

export type Json = Record<string, unknown>;

/** @throws SpecFault with the rule unless it is kept. */
export function must(isKept: boolean, rule: string): asserts isKept {
  if (!isKept) throw new SpecFault(rule);
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function objectOf(value: unknown, name: string): Json {
  must(isObject(value), `${name} is an object, not ${JSON.stringify(value)}`);
  return value;
}

export function textOf(value: unknown, name: string): string {
  must(typeof value === 'string' && value !== '', `${name} is a text, not ${JSON.stringify(value)}`);
  return value;
}

/** A whole number from `least` on. */
export function numberOf(value: unknown, name: string, least = 0): number {
  must(Number.isSafeInteger(value) && Number(value) >= least, `${name} is a whole number from ${least} on`);
  return Number(value);
}

/** A list that has members, as all lists of these specifications do. */
export function listOf(value: unknown, name: string): unknown[] {
  must(Array.isArray(value) && value.length > 0, `${name} is a list that is not empty`);
  return value;
}

/** A list of different texts that is not empty. */
export function textsOf(value: unknown, name: string): string[] {
  const texts = listOf(value, name).map((one) => textOf(one, `a member of ${name}`));
  must(new Set(texts).size === texts.length, `${name} has no member twice`);
  return texts;
}

/** Wallets ignore members that no specification names; a judge reports them, for they are a slip or a draft's. */
export function hasOnly(value: Json, members: readonly string[], name: string): void {
  const others = Object.keys(value).filter((member) => !members.includes(member));
  must(others.length === 0, `${name} has members that no specification names: ${others.join(', ')}`);
}
