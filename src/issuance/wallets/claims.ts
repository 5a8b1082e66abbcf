// What a credential says in a wallet: each data point at its path, each to be disclosed or not, and claims that are derived from conditions.
import { type Condition, evaluate, familyOf, valueAt } from '../../conditions/index.js';
import type { DataPoint, DerivedClaim } from '../../catalog/rows/models.js';

type Claims = Record<string, unknown>;

/** Claims as @sd-jwt takes them: an object, and which of its members are disclosures of their own. */
export interface WalletClaims {
  claims: Claims;
  frame: Claims;
}

/**
 * The claims of a subject. A data point that it does not have, and a derived claim whose condition is not met, leave a decoy (RFC 9901 §4.2.5):
 * else whoever is shown another claim would learn from the number of digests that it is not there.
 * @param now ms since 1970 UTC, for relative dates
 */
export function walletClaims(
  subject: Record<string, unknown>,
  { dataPoints, derived }: { dataPoints: readonly DataPoint[]; derived: readonly DerivedClaim[] },
  now: number,
): WalletClaims {
  const made: WalletClaims = { claims: {}, frame: {} };
  for (const { name, type } of dataPoints) {
    const value = valueAt(subject, name);
    if (value === undefined) hide(made, name);
    else disclose(made, name, familyOf(type) === 'text' ? normalized(value) : value);
  }
  for (const { name, parsed } of derived)
    if (isMet(parsed, subject, dataPoints, now)) disclose(made, name, true);
    else hide(made, name);
  return made;
}

/** A text in NFC: conditions compare texts in this form, and wallets compare the values of a query as they are written. */
const normalized = (value: unknown): unknown => (typeof value === 'string' ? value.normalize('NFC') : value);

function isMet(
  condition: Condition,
  subject: Record<string, unknown>,
  dataPoints: readonly DataPoint[],
  now: number,
): boolean {
  const point = dataPoints.find(({ name }) => name === condition.field);
  if (point === undefined) return false;
  return evaluate(condition, familyOf(point.type), valueAt(subject, condition.field), now) === 'met';
}

/** Puts a value at its path; only the last member of the path is a disclosure. */
function disclose(made: WalletClaims, name: string, value: unknown): void {
  const { last, parent, parentFrame } = placeOf(made, name);
  parent[last] = value;
  parentFrame._sd = [...((parentFrame._sd as string[] | undefined) ?? []), last];
}

/** Puts a digest of nothing where the value would be. */
function hide(made: WalletClaims, name: string): void {
  const { parentFrame } = placeOf(made, name);
  parentFrame._sd_decoy = ((parentFrame._sd_decoy as number | undefined) ?? 0) + 1;
}

/** What a path leads to: the object that has its last member, and the frame of that object. */
function placeOf({ claims, frame }: WalletClaims, name: string) {
  const path = name.split('.');
  const last = path.pop() ?? '';
  const [parent, parentFrame] = path.reduce(
    ([object, objectFrame], member) => [within(object, member), within(objectFrame, member)],
    [claims, frame],
  );
  return { last, parent, parentFrame };
}

/** The object in a member of its own: `constructor.prototype` leads to the prototype of all objects otherwise. */
function within(object: Claims, member: string): Claims {
  if (!Object.hasOwn(object, member)) object[member] = {};
  return object[member] as Claims;
}
