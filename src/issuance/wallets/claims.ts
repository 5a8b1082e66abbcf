// What a credential says in a wallet: each data point at its path, each to be disclosed or not, and claims that are derived from conditions.
import { type Condition, evaluate, familyOf, valueAt } from '../../conditions/index.js';
import type { DataPoint, DerivedClaim } from '../../catalog/rows/models.js';
import type { Claims } from '../../keys/sd-jwt.js';
import { type DisclosureFrame, newFrame } from './sd-jwt.js';

/** Claims, and what of them can be hidden. */
export interface WalletClaims {
  claims: Claims;
  frame: DisclosureFrame;
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
  const made: WalletClaims = { claims: {}, frame: newFrame() };
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
  const { last, parent, frame } = placeOf(made, name);
  parent[last] = value;
  frame.hidden.add(last);
}

/** Puts a digest of nothing where the value would be. */
function hide(made: WalletClaims, name: string): void {
  placeOf(made, name).frame.decoys += 1;
}

/** What a path leads to: the object that has its last member, and the frame of that object. */
function placeOf({ claims, frame }: WalletClaims, name: string) {
  const path = name.split('.');
  const last = path.pop() ?? '';
  const place = { last, parent: claims, frame };
  for (const member of path) {
    const inner = place.frame.within.get(member) ?? newFrame();
    place.frame.within.set(member, inner);
    place.parent = within(place.parent, member);
    place.frame = inner;
  }
  return place;
}

/** The object in a member of its own: `constructor.prototype` leads to the prototype of all objects otherwise. */
function within(object: Claims, member: string): Claims {
  if (!Object.hasOwn(object, member)) object[member] = {};
  return object[member] as Claims;
}
